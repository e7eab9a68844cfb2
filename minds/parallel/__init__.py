"""Programs on many devices: layouts, their propagation, and the parts that devices run."""

from ..base.boundary import guard as _guard
from . import function
from .strategy import Layout, shard

__all__ = ["Layout", "function", "shard"]
_guard(__name__)
