"""How users say how tensors are divided, under MindSpore's module name."""

from ..base.boundary import guard as _guard
from ..sharding.strategy import Layout, reshard, shard

__all__ = ["Layout", "reshard", "shard"]
_guard(__name__)
