"""The precision that a cell computes in: what is cast around its `construct`."""

from __future__ import annotations

from contextlib import nullcontext
from typing import NamedTuple

from ..base import dtype as dt
from ..ops import autocast
from ..ops.define import P


class CellPrecision(NamedTuple):
    """What is cast around the `construct` of a cell.

    Attributes:
        inputs: the dtype of its float inputs, and of its own parameters while it runs; None: as
            they are.
        outputs: the dtype of its float outputs; None: as they are.
        ops: how the ops in it and in the cells below are cast, or None.
    """

    inputs: dt.DType | None = None
    outputs: dt.DType | None = None
    ops: autocast.Autocast | None = None


def cast_floats(value, dtype: dt.DType):
    """``value`` with every floating point tensor in it cast to ``dtype``."""
    return autocast.converted(value, dtype, P.cast)


def run(cell, construct, args: tuple, kwargs: dict):
    """``construct(args, kwargs)`` of a cell, eagerly, in its precision."""
    return _around(cell, construct, args, kwargs, cast_floats, cast_floats)


def emit(cell):
    """What the compiler calls instead of ``construct``."""

    def around(ip, args, kwargs):
        for n, p in _own_floats(cell).items():
            # What the program is for is read before other values stand there.
            ip.imports.attribute_read(cell, n, p)

        def construct(args, kwargs):
            return ip.differentiable_cell(cell, list(args), kwargs)

        def cast(value, dtype):
            return ip.native(cast_floats, value, dtype)

        def cast_parameter(p, dtype):
            return ip.native(P.cast, ip.read(p), dtype)

        return _around(cell, construct, args, kwargs, cast, cast_parameter)

    return around


def _around(cell, construct, args, kwargs: dict, cast, cast_parameter):
    inputs, outputs, ops = cell._precision
    own = {}
    if inputs is not None:
        args = tuple(cast(a, inputs) for a in args)
        own = _own_floats(cell)
    try:
        # The cell sees cast copies of its parameters while it runs; gradients flow through the
        # casts.
        vars(cell).update((n, cast_parameter(p, inputs)) for n, p in own.items())
        with nullcontext() if ops is None else autocast.region(ops):
            out = construct(args, kwargs)
    finally:
        vars(cell).update(own)
    return out if outputs is None else cast(out, outputs)


def _own_floats(cell) -> dict:
    """The parameters that are cast: trained ones, so that moving statistics keep their precision."""
    return {
        n: p
        for n, p in cell._params.items()
        if p is not None and p.requires_grad and p.dtype.is_float and vars(cell).get(n) is p
    }
