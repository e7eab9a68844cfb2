"""``x[index]`` as NumPy has it, for reading and for writing."""

from __future__ import annotations

import operator
from math import prod
from threading import get_ident

from ...base import dtype as dt
from ...base.boundary import plain_numbers
from ...base.errors import NoIndex, NoSuchMask, complain, expect
from ...ir.abstract import AbstractScalar
from ...ir.dim import Dim, is_size, least, most
from ...ir.node import Node
from ...tensor import Parameter, Tensor
from ..define import P
from ..rules import alike, broadcast, known
from ..unbacked import positions
from .common import as_tensor, is_tensor

HOLDS = object()
"""Stands for True among the parts of an index: a mask of rank 0 that holds."""


def _parts(x, index) -> list:
    """``index`` as one entry per dimension of ``x`` (int, slice, tensor), None for each new
    dimension and `HOLDS` for each True.

    Raises:
        IndexError: there are more entries than dimensions.
        TypeError: an entry is none of these.
    """
    index = index if isinstance(index, tuple) else (index,)
    parts: list = []
    masks: list = []
    for i in map(plain_numbers, index):
        if isinstance(i, (list, tuple, range)):
            of_run = any(isinstance(v, Node) for v in i)
            i = _new_items(list(i), dt.int64) if of_run else as_tensor(list(i), _KIND[not i])
        if i is True:
            i = HOLDS
        if isinstance(i, bool):
            raise complain(
                IndexError,
                "an index is False, which chooses nothing",
                cure="use a slice such as x[:0]",
            )
        if is_tensor(i) and i.dtype.is_bool:
            masks.append((len(parts), i.shape))
            parts += positions_of(i)
            continue
        if is_tensor(i) and i.dtype.is_inexact:
            what = f"indices must be of an integer dtype, got {i.dtype.name}"
            raise complain(NoIndex, what, cure="cast it with .astype(ms.int64)")
        if isinstance(i, Node) and isinstance(i.abstract, AbstractScalar):
            i = P.scalar_to_tensor(i, dt.int64)
        basic = i is None or i is Ellipsis or i is HOLDS or isinstance(i, (int, slice, Dim))
        if not (basic or is_tensor(i)):
            raise complain(
                NoIndex,
                f"an index has type {type(i).__name__}",
                expected="ints, slices, ..., None, or integer or bool tensors",
            )
        parts.append(i)
    taken = sum(map(_takes, parts))
    rank = len(x.shape)
    if taken > rank:
        raise complain(IndexError, f"{taken} indices for a tensor of rank {rank}")
    rest = [slice(None)] * (rank - taken)
    at = [k for k, i in enumerate(parts) if i is Ellipsis]
    expect(len(at) <= 1, "an index", "with at most one ...", IndexError)
    for k, shape in masks:
        first = sum(map(_takes, parts[:k]))
        first += rank - taken if at and at[0] < k else 0
        if x.shape[first : first + len(shape)] != shape:
            raise complain(
                NoSuchMask,
                f"a mask has shape {shape}, the dimensions that it chooses from have "
                f"{x.shape[first : first + len(shape)]}",
            )
    return parts[: at[0]] + rest + parts[at[0] + 1 :] if at else parts + rest


_KIND = {True: dt.int64, False: None}


def _takes(i) -> bool:
    """Whether an entry of an index takes a dimension."""
    return not (i is None or i is Ellipsis or i is HOLDS)


def _with_masks(x, parts: list) -> tuple:
    """``x`` and ``parts`` without `HOLDS`. Alone it is a new dimension of one element. Beside tensors,
    ints and others of its kind it broadcasts with them, as NumPy has it: position 0 of such a
    dimension.
    """
    if not any(i is HOLDS for i in parts):
        return x, parts
    chosen = sum(1 for i in parts if not (i is None or isinstance(i, slice)))
    if chosen == 1:
        return x, [None if i is HOLDS else i for i in parts]
    x = _basic(x, [None if i is HOLDS else slice(None) for i in parts if i is not None])
    return x, [as_tensor([0], dt.int64) if i is HOLDS else i for i in parts]


def positions_of(mask) -> list:
    """The positions where ``mask`` holds, one vector per dimension."""
    rows = positions(mask)
    n = rows.shape[0]
    return [
        P.reshape(P.strided_slice(rows, (0, k), (n, k + 1), (1, 1)), (n,))
        for k in range(rows.shape[1])
    ]


def _position(i: int, n: int, axis: int) -> int:
    if not -n <= i < n:
        raise complain(IndexError, f"index {i} is out of range for axis {axis} of size {n}")
    return i + n if i < 0 else i


def _span(i: slice, n) -> tuple:
    """(begin, end, step, number of elements) of a slice of ``n`` elements, as `strided_slice` takes
    them.
    """
    known((i.start, i.stop, i.step), "a bound of a slice")
    if not any(type(v) is Dim for v in (n, i.start, i.stop, i.step)):
        span = range(n)[i]
        if not span:
            return 0, 0, span.step, 0
        last = span.start + len(span) * span.step
        return span.start, min(last, n) if span.step > 0 else max(last, -1), span.step, len(span)
    step = 1 if i.step is None else i.step
    if step == 0:
        raise complain(ValueError, "slice step cannot be zero")
    low, high = (0, n) if step > 0 else (-1, n - 1)
    first, last = (low, high) if step > 0 else (high, low)
    begin, end = _clamped(i.start, n, low, high, first), _clamped(i.stop, n, low, high, last)
    end = most(end, begin) if step > 0 else least(end, begin)
    return begin, end, step, -((begin - end) // step)


def _clamped(v, n, low, high, default):
    """A bound of a slice as a position in ``[low, high]``."""
    if v is None:
        return default
    if not is_size(v):
        v = operator.index(v)
    v = v + n if v < 0 else v
    return least(most(v, low), high)


def getitem(x, index):
    """``x[index]`` as in NumPy: ints, slices, ``...``, None, integer and bool tensors.

    Args:
        x (Tensor): what is indexed.
        index: the index.

    Returns:
        Tensor: the chosen elements.

    Raises:
        IndexError: there are too many indices, or one is out of range.
        TypeError: an index is of another type.
    """
    if type(index) is int and x.shape:
        return _row(x, index)
    if _chooses_rows(x, index):
        mask, rest = index, x.shape[len(index.shape) :]
        rows = positions(P.reshape(mask, (mask.size,)))
        return P.gather(P.reshape(x, (mask.size, *rest)), P.reshape(rows, (rows.shape[0],)), 0)
    x, parts = _with_masks(x, _parts(x, index))
    if any(is_tensor(i) for i in parts):
        return _advanced(x, parts)
    return _basic(x, parts)


def _chooses_rows(x, index) -> bool:
    """Whether ``index`` is a mask of the first dimensions, both known."""
    return (
        isinstance(index, Tensor)
        and isinstance(x, Tensor)
        and index.dtype.is_bool
        and len(index.shape) > 0
        and index.shape == x.shape[: len(index.shape)]
    )


def _row(x, i: int):
    """``x[i]`` of one int, the most frequent index."""
    rest = x.shape[1:]
    i = _position(i, x.shape[0], 0)
    zeros = (0,) * len(rest)
    return P.reshape(P.strided_slice(x, (i, *zeros), (i + 1, *rest), (1,) + (1,) * len(rest)), rest)


def _basic(x, parts):
    """Ints, slices and new dimensions: one strided slice and one reshape."""
    begin, end, step, shape, axis = [], [], [], [], 0
    for i in parts:
        if i is None:
            shape.append(1)
            continue
        n = x.shape[axis]
        if isinstance(i, slice):
            *spans, count = _span(i, n)
            shape.append(count)
        else:
            first = _position(i, n, axis)
            spans = (first, first + 1, 1)
        for where, v in zip((begin, end, step), spans, strict=False):
            where.append(v)
        axis += 1
    if not all(map(_whole, begin, end, step, x.shape)):
        x = P.strided_slice(x, tuple(begin), tuple(end), tuple(step))
    shape = tuple(shape)
    # A parameter's elements must not change with it.
    return x if alike(x.shape, shape) and not isinstance(x, Parameter) else P.reshape(x, shape)


def _whole(begin, end, step, n) -> bool:
    """Whether a slice takes all ``n`` elements in order, for every size."""
    return (
        type(begin) is int
        and begin == 0
        and step == 1
        and (end is n or type(end) is type(n) is int and end == n)
    )


def _advanced(x, parts):
    """Integer tensors: they broadcast together, and their dimensions come where they stood if they
    stood side by side.
    """
    slots = [k for k, i in enumerate(parts) if is_tensor(i) or isinstance(i, (int, Dim))]
    together = slots == list(range(slots[0], slots[-1] + 1))
    axes = [sum(1 for i in parts[:k] if i is not None) for k in slots]
    # Everything that is no position first; positions stay whole dimensions.
    x = _basic(x, [slice(None) if k in slots else i for k, i in enumerate(parts)])
    tensors = []
    for k, axis in zip(slots, axes, strict=False):
        i = parts[k]
        n = x.shape[k]
        if isinstance(i, (int, Dim)):
            i = _position(i, n, axis)
            i = P.scalar_to_tensor(i, dt.int64) if type(i) is Dim else as_tensor(i, dt.int64)
        tensors.append(i)
    if not any(t.shape for t in tensors):
        return _element(x, tensors, slots)
    if len(tensors) == 1:
        return P.gather(x, tensors[0], slots[0])
    shape, tensors = _together(tensors)
    rest = [d for d in range(len(x.shape)) if d not in slots]
    out = P.gather_nd(P.transpose(x, (*slots, *rest)), _points(tensors, shape))
    if not together or slots[0] == 0:
        return out
    lead, found = slots[0], len(shape)
    perm = (*range(found, found + lead), *range(found), *range(found + lead, len(out.shape)))
    return P.transpose(out, perm)


ELEMENT: set = set()
"""The threads in which positions of rank 0 choose a part that is a view: what `gather` gives as a
function is none.
"""


def _element(x, positions: list, axes: list):
    """The part at one position in each of these dimensions."""
    ELEMENT.add(get_ident())
    try:
        if len(positions) == 1:
            return P.gather(x, positions[0], axes[0])
        rest = [d for d in range(len(x.shape)) if d not in axes]
        return P.gather_nd(P.transpose(x, (*axes, *rest)), _points(_together(positions)[1], ()))
    finally:
        ELEMENT.discard(get_ident())


def _together(tensors: list) -> tuple:
    """The shape to which the tensors of an index broadcast, and the tensors in it."""
    shape: tuple = ()
    try:
        for t in tensors:
            shape = broadcast(shape, t.shape)
    except ValueError:
        shapes = " ".join(str(t.shape) for t in tensors)
        raise complain(IndexError, f"the tensors of an index do not broadcast: {shapes}") from None
    return shape, [P.broadcast_to(P.cast(t, dt.int64), shape) for t in tensors]


def _points(tensors: list, shape: tuple):
    """Positions by dimension as points: a last dimension is added."""
    rows = [P.reshape(t, (*shape, 1)) for t in tensors]
    return rows[0] if len(rows) == 1 else P.concat(tuple(rows), len(shape))


def setitem(x, index, value):
    """A tensor like ``x`` in which ``x[index]`` is ``value``, which broadcasts; other elements are
    those of ``x``.

    Args:
        x (Tensor): what is copied.
        index: as for `getitem`.
        value (Tensor | number): the new elements, cast to the dtype of ``x``.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Raises:
        IndexError: there are too many indices, or one is out of range.
        ValueError: ``value`` does not broadcast to the chosen elements.
    """
    number = type(value) in (bool, int, float)
    value = P.cast(value, x.dtype) if number else _new_items(value, x.dtype)
    if number and _chooses_rows(x, index):
        return P.select(P.reshape(index, _padded(index.shape, x)), value, x)
    shape = x.shape
    whole, parts = _with_masks(x, _parts(x, index))
    spans = _spans(whole, parts)
    if spans is not None:
        return _shaped(_set_block(whole, parts, spans, value), shape)
    count = next(
        (k for k, i in enumerate(parts) if not (is_tensor(i) or type(i) is int)), len(parts)
    )
    if count and all(type(i) is slice and i == slice(None) for i in parts[count:]):
        return _shaped(_set_rows(whole, parts[:count], value), shape)
    places = getitem(P.reshape(P.arange(0, x.size, 1, dt.int64), x.shape), index)
    while len(value.shape) > len(places.shape) and value.shape[0] == 1:
        value = P.reshape(value, value.shape[1:])
    value = P.broadcast_to(value, places.shape)
    flat = P.tensor_scatter(
        P.reshape(x, (-1,)), P.reshape(places, (-1, 1)), P.reshape(value, (-1,)), "update"
    )
    return P.reshape(flat, x.shape)


def _new_items(value, dtype: dt.DType):
    """A tensor, a number or a sequence of them, however deep, as a tensor of ``dtype``."""
    if isinstance(value, (list, tuple)) and any(isinstance(v, Node) or is_tensor(v) for v in value):
        rows = [_new_items(v, dtype) for v in value]
        return P.concat(tuple(P.reshape(r, (1, *r.shape)) for r in rows), 0)
    return P.cast(as_tensor(value), dtype)


def _padded(shape: tuple, x) -> tuple:
    return (*shape, *(1,) * (len(x.shape) - len(shape)))


def _spans(x, parts: list) -> list | None:
    """(begin, step, count) of each dimension that ints and slices choose from, up to the last that is
    not taken as a whole; None where a size is open or found by the run, or nothing is chosen.
    """
    axes = [i for i in parts if i is not None]
    if not all(type(n) is int for n in x.shape) or any(is_tensor(i) for i in axes):
        return None
    found = []
    for axis, (i, n) in enumerate(zip(axes, x.shape)):
        if isinstance(i, slice):
            if any(type(v) is Dim for v in (i.start, i.stop, i.step)):
                return None
            begin, _, step, count = _span(i, n)
        elif type(i) is int:
            begin, step, count = _position(i, n, axis), 1, 1
        else:
            return None
        found.append((begin, step, count))
    while found and found[-1] == (0, 1, x.shape[len(found) - 1]):
        found.pop()
    return found if all(count for _, _, count in found) and x.size else None


def _set_block(x, parts: list, spans: list, value):
    """`setitem` of a block: its cost is that of the block, whatever the size of ``x``."""
    shape, axis = [], 0
    for i in parts:
        if not isinstance(i, int):
            count = 1 if i is None else spans[axis][2] if axis < len(spans) else x.shape[axis]
            shape.append(count)
        axis += i is not None
    while len(value.shape) > len(shape) and value.shape[0] == 1:
        value = P.reshape(value, value.shape[1:])
    sizes, rest = x.shape[: len(spans)], x.shape[len(spans) :]
    strides = [prod(sizes[k + 1 :]) for k in range(len(sizes))]
    at = sum(begin * s for (begin, _, count), s in zip(spans, strides) if count == 1)
    rows, many = None, [k for k, (_, _, count) in enumerate(spans) if count > 1]
    for j, k in enumerate(many):
        begin, step, count = spans[k][0] * strides[k] + at, spans[k][1] * strides[k], spans[k][2]
        along = P.arange(begin, begin + count * step, step, dt.int64)
        along = P.reshape(along, (count, *(1,) * (len(many) - 1 - j)))
        rows, at = along if rows is None else P.add(rows, along), 0
    rows = P.full((1,), at, dt.int64) if rows is None else rows
    to = (rows.size, *rest)
    value = P.broadcast_to(value, tuple(shape) if value.shape else to)
    flat = _shaped(x, (prod(sizes), *rest))
    flat = P.tensor_scatter(flat, P.reshape(rows, (rows.size, 1)), _shaped(value, to), "update")
    return _shaped(flat, x.shape)


def _shaped(x, shape: tuple):
    return x if x.shape == shape else P.reshape(x, shape)


def _set_rows(x, positions: list, value):
    """`setitem` at positions in the first dimensions: its cost is that of ``value``, whatever the
    size of ``x``.
    """
    positions = [
        _position(i, n, axis) if type(i) is int else i
        for axis, (i, n) in enumerate(zip(positions, x.shape))
    ]
    if all(type(i) is int for i in positions):
        shape, indices = (), as_tensor([positions], dt.int64)
    else:
        shape, tensors = _together([as_tensor(i, dt.int64) for i in positions])
        indices = _points(tensors, shape)
        indices = P.reshape(indices, (-1, len(positions)))
    rest = x.shape[len(positions) :]
    while len(value.shape) > len(shape) + len(rest) and value.shape[0] == 1:
        value = P.reshape(value, value.shape[1:])
    value = P.broadcast_to(value, (*shape, *rest))
    return P.tensor_scatter(x, indices, P.reshape(value, (indices.shape[0], *rest)), "update")
