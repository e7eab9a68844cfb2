"""Places in lists of the run that the run finds: slices, insertion, removal and search (`run_lists`)."""

from __future__ import annotations

import math

from ..base import dtype as dt
from ..base.errors import CompileTimeError, complain
from ..ir.node import Node
from ..ops.define import P
from ..ops.unbacked import up_to
from ..tensor import Tensor
from .conditions import require
from .describe import describe
from .rows import tensor_of
from .run_lists import (
    METHODS,
    as_index,
    binary_sum,
    change,
    element,
    elements_of,
    exact,
    extended,
    is_open,
    kind_of,
    length,
    place,
    refusal,
    to_rows,
)
from .value_types import NUMBERS, TUPLE, Leaf, LocalList, Rows, RunList
from .values import Mismatch


def sliced(ip, v, index: slice):
    """``v[index]`` of a list or tuple, where only the run knows its length or the bounds."""
    parts = [as_index(ip, b) for b in (index.start, index.stop, index.step)]
    if not any(isinstance(b, Node) for b in parts) and not is_open(v):
        return LocalList(elements_of(ip, v)[slice(*parts)])
    step = 1 if parts[2] is None else parts[2]
    if isinstance(step, Node):
        require(ip, ip.native(P.not_equal, step, 0), ValueError("slice step cannot be zero"))
    elif step == 0:
        raise complain(ValueError, "slice step cannot be zero")
    rows = to_rows(ip, v if isinstance(v, list) else LocalList(v))
    first, count = _span(ip, parts, rows.count, step)
    at, by = ip.native(up_to, tensor_of(ip, count)), tensor_of(ip, step)
    at = ip.native(lambda: P.add(P.mul(at, by), tensor_of(ip, first)))
    return RunList([_picked(ip, rows, at, count)], kind_of(v))


def store_slice(ip, v, index: slice, value) -> None:
    """``v[index] = value``, two lists of which only the run knows a length or a bound."""
    if kind_of(v) is TUPLE:
        raise complain(TypeError, "'tuple' object does not support item assignment")
    parts = [as_index(ip, b) for b in (index.start, index.stop, index.step)]
    if parts[2] not in (None, 1):
        raise complain(
            CompileTimeError,
            "a slice with a step cannot be set where only the run knows a bound or a length",
            cure="set the items one by one, in a for loop",
        )
    first, count = _span(ip, parts, ip.node(length(ip, v)) if is_open(v) else ip.node(len(v)), 1)
    behind = ip.native(P.add, first, count)
    try:
        head, tail = sliced(ip, v, slice(None, first)), sliced(ip, v, slice(behind, None))
        rows = extended(ip, RunList([extended(ip, head, value)]), tail)
    except Mismatch as e:
        raise complain(
            CompileTimeError,
            f"a slice cannot be set where only the run knows a bound or a length: {e}",
            cure="give the elements of the list one form",
        ) from e
    change(ip, v, rows)


def _span(ip, parts: list, size, step):
    """(the first place, how many) of the slice of ``parts``, of which the step is ``step``."""
    if isinstance(step, Node):
        down = ip.native(P.less, step, 0)
        whole = [(_FAR, 0), (-_FAR, _FAR)]
        start, stop = [
            ip.native(P.select, down, *map(ip.node, w)) if b is None else b
            for b, w in zip(parts, whole)
        ]
        return ip.native(_bounds_by, *map(ip.node, (start, stop, size)), step)
    return ip.native(_bounds, *map(ip.node, (*_whole(parts, size), size)), step)


def _picked(ip, rows: Rows, at, count) -> Rows:
    """The rows at the places ``at``, a tensor of ``count`` numbers."""
    columns = [ip.native(P.gather, ip.node(c), at, 0) for c in rows.columns]
    return Rows(ip, rows.skeleton, count, columns)


def _whole(parts: list, size) -> tuple:
    """The bounds of a slice, with those that stand for what is left out."""
    start, stop, step = parts
    if (step or 1) > 0:
        return 0 if start is None else start, size if stop is None else stop
    return _FAR if start is None else start, -_FAR if stop is None else stop


_FAR = 2**62
"""Beyond each element."""


def _bounds(start, stop, size, step):
    """(the first place, how many) of a slice of ``size`` elements."""
    step = 1 if step is None else step
    low, high = (0, size) if step > 0 else (-1, P.sub(size, 1))

    def inside(v):
        return P.minimum(P.maximum(P.select(P.less(v, 0), P.add(v, size), v), low), high)

    start, stop = inside(start), inside(stop)
    span = P.sub(stop, start) if step > 0 else P.sub(start, stop)
    count = P.floor_divide(P.add(span, abs(step) - 1), abs(step))
    return start, P.maximum(count, 0)


def _bounds_by(start, stop, size, step):
    """`_bounds` by a step that the run knows."""
    up = P.greater(step, 0)
    rising, falling = _bounds(start, stop, size, 1), _bounds(start, stop, size, -1)
    first, span = [P.select(up, a, b) for a, b in zip(rising, falling)]
    width = P.abs(step)
    return first, P.floor_divide(P.sub(P.add(span, width), 1), width)


def _pop(ip, v, index=-1):
    rows, last = v.rows, index == -1 and type(index) is int
    index = place(ip, v, index)
    found = element(ip, rows, index)
    left = binary_sum(ip, rows.count, -1)
    if last:
        change(ip, v, Rows(ip, rows.skeleton, left, rows.columns))
        return found
    at = ip.native(up_to, tensor_of(ip, left))
    change(ip, v, _picked(ip, rows, ip.native(_around, at, tensor_of(ip, index)), left))
    return found


def _around(at, gone):
    """The places ``at``, those from ``gone`` on by one further."""
    return P.add(at, P.cast(P.greater_equal(at, gone), dt.int64))


def _insert(ip, v, index, value):
    size, index = ip.node(length(ip, v)), ip.node(as_index(ip, index))
    index, _ = ip.native(_bounds, index, size, size, None)
    rows = extended(ip, v, LocalList([value]))
    at = ip.native(up_to, tensor_of(ip, rows.count))
    places = ip.native(_made_room, at, tensor_of(ip, index), tensor_of(ip, size))
    change(ip, v, _picked(ip, rows, places, rows.count))


def _made_room(at, index, last):
    """The places of the elements when the last one has gone to ``index``."""
    moved = P.sub(at, P.cast(P.greater(at, index), dt.int64))
    return P.select(P.equal(at, index), last, moved)


def matches(ip, v: RunList, value) -> Node:
    """For each element whether it equals ``value``: a tensor of bools."""
    skeleton = v.rows.skeleton
    a = skeleton.abstract if type(skeleton) is Leaf else None
    if a is None or math.prod(a.shape) != 1 or not isinstance(value, (Node, Tensor, *NUMBERS)):
        raise refusal("only numbers are looked for in it")
    rows = exact(ip, v.rows)[0]
    rows = ip.native(P.reshape, rows, (rows.shape[0],))
    value = value if type(value) in NUMBERS else ip.node(value)
    if getattr(value, "shape", ()):
        value = ip.native(P.reshape, value, ())
    return ip.native(P.equal, rows, value)


def count(ip, v: RunList, value):
    """``v.count(value)``."""
    found = ip.native(P.cast, matches(ip, v, value), dt.int64)
    return ip.native(lambda: P.item(P.sum(found, None, False), "int"))


def index_of(ip, v: RunList, value):
    """``v.index(value)``."""
    found = ip.native(P.cast, matches(ip, v, value), dt.int64)
    total = ip.native(lambda: P.item(P.sum(found, None, False), "int"))
    name = "list" if v.kind is None else "tuple"
    missing = ValueError(f"{describe(value)} is not in the {name}")
    require(ip, ip.native(P.greater, total, 0), missing)
    return ip.native(lambda: P.item(P.argmax(found, 0), "int"))


def repeated(ip, v: RunList, times) -> RunList:
    """``v * times``."""
    rows = v.rows
    total = ip.native(lambda: P.mul(ip.node(rows.count), P.maximum(ip.node(times), 0)))
    at = ip.native(up_to, tensor_of(ip, total))
    at = ip.native(lambda: P.mod(at, P.maximum(tensor_of(ip, ip.node(rows.count)), 1)))
    return RunList([_picked(ip, rows, at, total)], v.kind)


METHODS.update(pop=_pop, insert=_insert, count=count, index=index_of)
