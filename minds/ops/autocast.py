"""Mixed precision op by op: in a region of autocast some ops compute in half precision, others in
float32, whatever their operands have. Both readings of a call, eager and compiled, go through here.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import NamedTuple

from ..base import dtype as dt
from ..ir.abstract import AbstractTensor
from ..ir.node import Node
from ..tensor import Tensor

HALVES = (dt.float16, dt.bfloat16)

regions: list = []
"""Of all threads: empty nearly always, and then a call of an op asks no more than that."""
_here = threading.local()


class Autocast(NamedTuple):
    """What a region does.

    Attributes:
        dtype: float16 or bfloat16.
        low: the ops that compute in it.
        high: the ops that compute in float32.
        classes: class spellings that compute in it, where their objects are called.
        restores: whether the results of the former get the dtype of the operands again.
    """

    dtype: dt.DType
    low: frozenset
    high: frozenset = frozenset()
    classes: frozenset = frozenset()
    restores: bool = False


def current() -> Autocast | None:
    """What the region does that this thread is in."""
    return getattr(_here, "cast", None)


@contextmanager
def region(cast: Autocast | None):
    """Ops that are called inside are cast as ``cast`` says; None: they are not."""
    outer, _here.cast = current(), cast
    regions.append(cast)
    try:
        yield
    finally:
        regions.pop()
        _here.cast = outer


def call(op, bound: list, cast_op):
    """``op(*bound)`` with the operands cast as the region says; ``cast_op`` casts one."""

    def convert(v, dtype):
        return converted(v, dtype, cast_op)

    cast, given = current(), dtypes(bound)
    low, high = op.name in cast.low, op.name in cast.high
    with region(None):
        if low:
            return _in_half(cast, op, bound, {}, convert)
        # What an op does not promote itself is given in one dtype, the most precise.
        if dt.float64 not in given and (high or len(given) > 1 and not op.promote_at):
            bound = [convert(v, dt.float32) for v in bound]
        return op(*bound)


def takes(cls: type) -> bool:
    """Whether objects of ``cls`` compute in half precision in the region that this thread is in."""
    cast = current()
    return cast is not None and cls in cast.classes


def call_object(fn, args, kwargs: dict, convert):
    """``fn(*args, **kwargs)``, a call of an object of one of the region's classes;
    ``convert(value, dtype)`` casts.
    """
    cast = current()
    with region(None):
        return _in_half(cast, fn, args, kwargs, convert)


def _in_half(cast: Autocast, fn, args, kwargs: dict, convert):
    given = dtypes(args)
    if dt.float64 in given:
        return fn(*args, **kwargs)
    out = fn(*[convert(v, cast.dtype) for v in args], **kwargs)
    return convert(out, dt.float32) if cast.restores and dt.float32 in given else out


def dtypes(values) -> set:
    """Those of the float tensors among values."""
    found = set()
    for v in values:
        if isinstance(v, (tuple, list)):
            found |= dtypes(v)
        elif _is_float(v):
            found.add(v.dtype)
    return found


def converted(v, dtype: dt.DType, cast_op):
    """``v`` with every float tensor in it cast to ``dtype``."""
    if isinstance(v, (tuple, list)):
        return type(v)(converted(e, dtype, cast_op) for e in v)
    return cast_op(v, dtype) if _is_float(v) and v.dtype is not dtype else v


def _is_float(v) -> bool:
    """Whether ``v`` is a tensor of floats, of either mode."""
    if not isinstance(v, Tensor) and not (
        isinstance(v, Node) and isinstance(v.abstract, AbstractTensor)
    ):
        return False
    return v.dtype.is_float
