"""The precision that a cell computes in: what is cast around its `construct`."""

from __future__ import annotations

import functools
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
    return _around(cell, construct, args, kwargs, cast_floats, _Eager)


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

        return _around(cell, construct, args, kwargs, cast, functools.partial(_Emitted, ip))

    return around


class _Eager:
    """A parameter as the tensor that its cell sees instead, at once.

    Args:
        p: the parameter.
        dtype: of the tensor.
    """

    def __init__(self, p: Parameter, dtype: dt.DType):
        self.p, self.seen = p, P.cast(p, dtype)
        self.array = self.seen._array

    def keep(self) -> None:
        """Write what was written to the tensor to the parameter."""
        if self.seen._array is not self.array:
            self.p.set_data(P.cast(self.seen, self.p.dtype))


class _Emitted:
    """`_Eager`, compiled.

    Args:
        ip: the interpreter.
    """

    def __init__(self, ip, p: Parameter, dtype: dt.DType):
        self.ip, self.p, self.seen = ip, p, ip.native(P.cast, ip.read(p), dtype)
        ip.parameters.cast.append(self.seen)

    def keep(self) -> None:
        self.ip.parameters.cast.remove(self.seen)
        held = self.ip.node(self.seen)
        if held is not self.seen:
            self.ip.write(self.p, self.ip.native(P.cast, held, self.p.dtype))


def _around(cell, construct, args, kwargs: dict, cast, stand_in):
    inputs, outputs, ops = cell._precision
    own, stand_ins = {}, []

    def seen(p: Parameter):
        stand_ins.append(stand_in(p, inputs))
        return stand_ins[-1].seen

    if inputs is not None:
        args = tuple(cast(a, inputs) for a in args)
        own = _own_floats(cell)
    try:
        # The cell sees cast copies of its parameters while it runs; gradients flow through the
        # casts.
        vars(cell).update((n, _each(p, seen)) for n, p in own.items())
        with nullcontext() if ops is None else autocast.region(ops):
            out = construct(args, kwargs)
    finally:
        vars(cell).update(own)
    for copy in stand_ins:
        copy.keep()
    return out if outputs is None else cast(out, outputs)


def _each(own, seen):
    """What stands for a parameter, or for a tuple or list of them."""
    if type(own) in _CONTAINERS:
        return (list if type(own) is list else tuple)([seen(p) for p in own])
    return seen(own)


def _own_floats(cell) -> dict:
    """The attributes that are cast: parameters, and tuples and lists of them; trained ones, so that moving
    statistics keep their precision. An optimiser's lists are what it changes.
    """
    own = {n: v for n, v in vars(cell).items() if _is_cast(v, cell._casts_lists)}
    if any(type(v) in _CONTAINERS for v in own.values()):
        below = [c for child in cell._cells.values() if child for _, c in child.cells_and_names()]
        theirs = {id(p) for c in below for p in c._params.values()}
        # A list of a child's weights says by what to differentiate.
        own = {n: v for n, v in own.items() if type(v) not in _CONTAINERS or id(v[0]) not in theirs}
    return own


def _is_cast(value, lists: bool) -> bool:
    if type(value) in _CONTAINERS:
        return lists and bool(value) and all(_is_cast(p, False) for p in value)
    return isinstance(value, Parameter) and value.requires_grad and value.dtype.is_float
