"""Functions on tensors that devices share."""

from .strategy import reshard

__all__ = ["reshard"]
