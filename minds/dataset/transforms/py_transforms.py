"""The transforms that MindSpore 1.x had in Python, under the names of its module."""

from . import Compose, OneHot, RandomApply, RandomChoice, RandomOrder
from .base import PyTensorOperation

ComposeOp, OneHotOp = Compose, OneHot
__all__ = [
    "Compose",
    "ComposeOp",
    "OneHotOp",
    "PyTensorOperation",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
]
