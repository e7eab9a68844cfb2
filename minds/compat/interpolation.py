"""What MindSpore's models import from inside its module `ops.function.nn_func`."""

from __future__ import annotations

import math


def _interploate_ext_make_tuple(input, value) -> tuple:
    """A number for each spatial dimension of ``input``; MindSpore spells it so."""
    if isinstance(value, (list, tuple)):
        return value
    return tuple([value for _ in range(len(input.shape) - 2)])


def _interpolate_ext_scale_factor_convert_size(input, scale_factor) -> tuple:
    """The sizes of ``input`` times factors, rounded down."""
    sizes = input.shape[2:]
    return tuple([math.floor(n * factor) for n, factor in zip(sizes, scale_factor)])


__all__ = []
