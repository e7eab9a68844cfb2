"""Functions on tensors that devices share."""

from ..sharding.strategy import reshard

__all__ = ["reshard"]
