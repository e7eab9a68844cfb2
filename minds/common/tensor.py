"""`minds.common.tensor`: MindSpore's place for `Tensor`."""

from ..tensor import Tensor

__all__ = ["Tensor"]
