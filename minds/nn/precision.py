"""The precision that a cell computes in: what is cast around its `construct`."""

from __future__ import annotations

from contextlib import nullcontext
from typing import NamedTuple

from ..base import dtype as dt
from ..ops import autocast
from ..ops.define import P
from ..parameters import ParameterTuple
from ..tensor import Parameter

_CONTAINERS = (tuple, list, ParameterTuple)


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
        vars(cell).update((n, _each(p, cast_parameter, inputs)) for n, p in own.items())
        with nullcontext() if ops is None else autocast.region(ops):
            out = construct(args, kwargs)
    finally:
        vars(cell).update(own)
    return out if outputs is None else cast(out, outputs)


def _each(own, cast, dtype: dt.DType):
    """The casts of a parameter, or of those in a tuple or list."""
    if type(own) in _CONTAINERS:
        return (list if type(own) is list else tuple)([cast(p, dtype) for p in own])
    return cast(own, dtype)


def _own_floats(cell) -> dict:
    """The attributes that are cast: parameters, and tuples and lists of them; trained ones, so that moving
    statistics keep their precision.
    """
    own = {n: v for n, v in vars(cell).items() if _is_cast(v)}
    if any(type(v) in _CONTAINERS for v in own.values()):
        below = [c for child in cell._cells.values() if child for _, c in child.cells_and_names()]
        theirs = {id(p) for c in below for p in c._params.values()}
        # A list of a child's weights says by what to differentiate.
        own = {n: v for n, v in own.items() if type(v) not in _CONTAINERS or id(v[0]) not in theirs}
    return own


def _is_cast(value) -> bool:
    if type(value) in _CONTAINERS:
        return bool(value) and all(isinstance(p, Parameter) and _is_cast(p) for p in value)
    return isinstance(value, Parameter) and value.requires_grad and value.dtype.is_float
