"""Transforms of any column: functions on NumPy arrays, as small classes that compose."""

from ...base.boundary import guard as _guard
from . import transforms
from .base import RowTransform, not_random
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
    "Plugin",
    "Compose",
    "Concatenate",
    "Duplicate",
    "Fill",
    "Mask",
    "OneHot",
    "PadEnd",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
    "Relational",
    "Slice",
    "TypeCast",
    "Unique",
    "not_random",
    "transforms",
]
_guard(__name__)
