"""All transforms of columns, under the name of MindSpore's module."""

from .base import PyTensorOperation, not_random  # noqa: F401
from .columns import (
    Concatenate,
    Duplicate,
    Fill,
    Mask,
    OneHot,
    PadEnd,
    Plugin,
    Relational,
    Slice,
    TypeCast,
    Unique,
)
from .composed import Compose, RandomApply, RandomChoice, RandomOrder

__all__ = [
    "Compose",
    "Concatenate",
    "Duplicate",
    "Fill",
    "Mask",
    "OneHot",
    "PadEnd",
    "Plugin",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
    "Relational",
    "Slice",
    "TypeCast",
    "Unique",
    "not_random",
]
