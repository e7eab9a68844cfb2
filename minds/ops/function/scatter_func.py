"""Writing to positions: of tensors, of parameters, by mask, by segment."""

from __future__ import annotations

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ..define import P
from ..faces import face
from ..rules import axis_of
from .common import as_int64, as_tensor
from .control_func import assign
from .gather_func import tensor_scatter_elements


def scatter(input, axis, index, src):
    """``input`` with elements of ``src`` written at positions along one dimension.

    Args:
        input (Tensor): the operand.
        axis (int): the dimension.
        index (Tensor[any shape, int]): positions along it.
        src (Tensor, number): what is written.

    Returns:
        Tensor: of the shape and dtype of ``input``.

    Raises:
        TypeError: ``src`` is not a Tensor.
        ValueError: ``axis`` is out of range.
        ValueError: the shape of ``index`` does not fit ``input``.

    Examples:
        >>> print(ops.scatter(Tensor([1.0, 2.0]), 0, Tensor([1]), Tensor([5.0])))
        [1. 5.]
    """
    src = as_tensor(src, input.dtype)
    src = src if src.shape else P.broadcast_to(src, index.shape)
    if src.shape != index.shape:
        expect(
            all(n >= m for n, m in zip(src.shape, index.shape, strict=True)),
            "src",
            f"at least of shape {index.shape}",
            got=src.shape,
        )
        src = P.strided_slice(src, (0,) * len(index.shape), index.shape, (1,) * len(index.shape))
    return tensor_scatter_elements(input, index, P.cast(src, input.dtype), axis)


@face(method=True, cls=True)
def index_fill(x, axis, index, value):
    """``x`` with one value at positions of a dimension.

    Args:
        x (Tensor): the operand.
        axis (int, Tensor): the dimension.
        index (Tensor[(N,), int]): the positions.
        value (number, Tensor): what is written.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Raises:
        TypeError: ``index`` is not a Tensor.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.index_fill(Tensor([1.0, 2.0]), 0, Tensor([1]), 9.0))
        [1. 9.]
    """
    axis = axis_of(axis, len(x.shape))
    places = P.cast(P.reshape(index, (-1,)), dt.int64)
    hit = P.gather_dx(P.full(places.shape, 1, dt.int32), places, (x.shape[axis],), 0)
    hit = P.reshape(P.greater(hit, 0), tuple(-1 if i == axis else 1 for i in range(len(x.shape))))
    return P.select(hit, P.cast(as_tensor(value), x.dtype), x)


@face(method=True, cls=True)
def masked_scatter(x, mask, tensor):
    """``x`` with the elements of ``tensor``, in order, where ``mask`` holds.

    Args:
        x (Tensor): the operand.
        mask (Tensor[bool]): broadcasts to the shape of ``x``.
        tensor (Tensor): has at least as many elements as ``mask`` has True.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Raises:
        TypeError: ``mask`` is not a Tensor.
        ValueError: the shape of ``mask`` does not fit ``x``.

    Examples:
        >>> print(ops.masked_scatter(Tensor([1, 2, 3]), Tensor([True, False, True]), Tensor([8, 9])))
        [8 2 9]
    """
    mask = P.broadcast_to(mask, x.shape)
    flat = P.reshape(mask, (-1,))
    place = P.maximum(P.cumsum(P.cast(flat, dt.int64), 0) - 1, 0)
    source = P.reshape(P.cast(tensor, x.dtype), (-1,))
    taken = P.gather(source, P.select(flat, place, 0), 0)
    return P.select(mask, P.reshape(taken, x.shape), x)


def _rows(indices):
    index = as_tensor(list(indices) if isinstance(indices, tuple) else indices)
    return P.reshape(as_int64(index, "index"), (-1, 1))


@face(method=True, cls="InplaceUpdate(indices)")
def inplace_update(x, v, indices):
    """``x`` with rows replaced by those of ``v``.

    Args:
        x (Tensor): the operand.
        v (Tensor): the rows.
        indices (int, tuple[int], Tensor): which rows of ``x``.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is not a Tensor.
        ValueError: the shape of ``v`` does not fit ``x``.

    Examples:
        >>> print(ops.inplace_update(Tensor([1.0, 2.0]), Tensor([5.0]), 1))
        [1. 5.]
    """
    return P.tensor_scatter(x, _rows(indices), v, "update")


@face(cls="InplaceAdd(indices)")
def inplace_add(x, v, indices):
    """``x`` with the rows of ``v`` added.

    Args:
        x (Tensor): the operand.
        v (Tensor): the rows.
        indices (int, tuple[int]): which rows of ``x``.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is not a Tensor.
        ValueError: the shape of ``v`` does not fit ``x``.

    Examples:
        >>> print(ops.inplace_add(Tensor([1.0, 2.0]), Tensor([5.0]), 1))
        [1. 7.]
    """
    return P.tensor_scatter(x, _rows(indices), v, "add")


@face(cls="InplaceSub(indices)")
def inplace_sub(x, v, indices):
    """``x`` with the rows of ``v`` subtracted.

    Args:
        x (Tensor): the operand.
        v (Tensor): the rows.
        indices (int, tuple[int]): which rows of ``x``.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is not a Tensor.
        ValueError: the shape of ``v`` does not fit ``x``.

    Examples:
        >>> print(ops.inplace_sub(Tensor([1.0, 2.0]), Tensor([5.0]), 1))
        [ 1. -3.]
    """
    return P.tensor_scatter(x, _rows(indices), v, "sub")


@face(cls="InplaceIndexAdd(axis)")
def inplace_index_add(var, indices, updates, axis):
    """A parameter, with slices added at positions of a dimension.

    Args:
        var (Parameter): what changes.
        indices (Tensor[(N,), int]): the positions.
        updates (Tensor): the slices, of size N along ``axis``.
        axis (int): the dimension.

    Returns:
        Tensor: the new value of ``var``.

    Raises:
        TypeError: ``indices`` is not a Tensor.
        ValueError: ``axis`` is out of range.
        ValueError: the shape of ``indices`` does not fit ``var``.

    Examples:
        >>> print(ops.inplace_index_add(ms.Parameter(Tensor([1.0, 2.0])), Tensor([1]), Tensor([5.0]), 0))
        [1. 7.]
    """
    return assign(var, var + P.gather_dx(P.cast(updates, var.dtype), indices, var.shape, axis))


def _written(name: str, mode: str, nd: bool):
    """A function that combines updates into a parameter."""

    def write(input_x, indices, updates, use_locking=False):
        rows = indices if nd else P.reshape(as_int64(indices), indices.shape + (1,))
        return assign(input_x, P.tensor_scatter(input_x, rows, updates, mode))

    write.__name__ = write.__qualname__ = name
    index = "[[0]]" if nd else "[0]"
    write.__doc__ = f"""Write ``updates`` into a parameter at positions {
        "of elements or slices" if nd else "of its first dimension"
    } (mode ``{mode}``).

    Args:
        input_x (Parameter): what is written.
        indices (Tensor[int]): the positions{", one in each row" if nd else ""}.
        updates (Tensor): the slices.
        use_locking (bool): makes no difference. Default: False.

    Returns:
        Tensor: the new value.

    Raises:
        TypeError: an operand is not a Tensor, or ``indices`` not of integers.
        ValueError: the shape of ``updates`` does not fit.
        IndexError: a position is out of range.

    Examples:
        >>> ops.{name}(ms.Parameter(Tensor([1.0, 2.0])), Tensor({index}), Tensor([3.0])).shape
        (2,)
    """
    return write


scatter_add = _written("scatter_add", "add", False)
scatter_div = _written("scatter_div", "div", False)
scatter_max = _written("scatter_max", "max", False)
scatter_min = _written("scatter_min", "min", False)
scatter_mul = _written("scatter_mul", "mul", False)
scatter_update = _written("scatter_update", "update", False)
scatter_nd_add = _written("scatter_nd_add", "add", True)
scatter_nd_div = _written("scatter_nd_div", "div", True)
scatter_nd_max = _written("scatter_nd_max", "max", True)
scatter_nd_min = _written("scatter_nd_min", "min", True)
scatter_nd_mul = _written("scatter_nd_mul", "mul", True)
scatter_nd_sub = _written("scatter_nd_sub", "sub", True)
scatter_nd_update = _written("scatter_nd_update", "update", True)


# ---- segments


def _segments(x, ids, count: int, start, mode: str):
    """Slices combined into ``count`` segments that begin as ``start``."""
    out = P.full((count,) + x.shape[len(ids.shape) :], start, x.dtype)
    return P.tensor_scatter(out, P.reshape(as_int64(ids, "segment_ids"), ids.shape + (1,)), x, mode)


def _bounds(dtype) -> tuple:
    """The least and the largest number of a dtype."""
    if dtype.is_float:
        top = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38}.get(dtype.name) or float(
            np.finfo(dtype.np).max
        )
        return -top, top
    info = np.iinfo(dtype.np)
    return int(info.min), int(info.max)


@face(method=True, cls=True)
def unsorted_segment_max(x, segment_ids, num_segments):
    """The largest of the slices that belong to each segment; the least number of the dtype for an
    empty one.

    Args:
        x (Tensor[any shape, number]): the slices.
        segment_ids (Tensor[any shape, int]): the segment of each; the leading dimensions of ``x``.
        num_segments (int): how many segments.

    Returns:
        Tensor[(num_segments, ...)]: of the same dtype.

    Raises:
        ValueError: the shape of ``segment_ids`` does not fit ``x``.

    Examples:
        >>> print(ops.unsorted_segment_max(Tensor([1.0, 2.0, 3.0]), Tensor([0, 0, 1]), 2))
        [2. 3.]
    """
    return _segments(x, segment_ids, num_segments, _bounds(x.dtype)[0], "max")


@face(method=True, cls=True)
def unsorted_segment_min(x, segment_ids, num_segments):
    """The least of the slices that belong to each segment; the largest number of the dtype for an
    empty one.

    Args:
        x (Tensor[any shape, number]): the slices.
        segment_ids (Tensor[any shape, int]): the segment of each; the leading dimensions of ``x``.
        num_segments (int): how many segments.

    Returns:
        Tensor[(num_segments, ...)]: of the same dtype.

    Raises:
        ValueError: the shape of ``segment_ids`` does not fit ``x``.

    Examples:
        >>> print(ops.unsorted_segment_min(Tensor([1.0, 2.0, 3.0]), Tensor([0, 0, 1]), 2))
        [1. 3.]
    """
    return _segments(x, segment_ids, num_segments, _bounds(x.dtype)[1], "min")


@face(method=True, cls=True)
def unsorted_segment_prod(x, segment_ids, num_segments):
    """The products of the slices that belong to each segment; 1 for an empty one.

    Args:
        x (Tensor[any shape, number]): the slices.
        segment_ids (Tensor[any shape, int]): the segment of each; the leading dimensions of ``x``.
        num_segments (int): how many segments.

    Returns:
        Tensor[(num_segments, ...)]: of the same dtype.

    Raises:
        ValueError: the shape of ``segment_ids`` does not fit ``x``.

    Examples:
        >>> print(ops.unsorted_segment_prod(Tensor([1.0, 2.0, 3.0]), Tensor([0, 0, 1]), 2))
        [2. 3.]
    """
    return _segments(x, segment_ids, num_segments, 1, "mul")


def sparse_segment_mean(x, indices, segment_ids):
    """The means of chosen rows by segment; ids are in order, and the last one tells how many there
    are (PyNative mode only).

    Args:
        x (Tensor): the rows.
        indices (Tensor[N, int]): which rows are taken.
        segment_ids (Tensor[N, int]): the segment of each.

    Returns:
        Tensor: one row per segment; 0 for an empty one.

    Raises:
        TypeError: ``x`` is not a Tensor.
        ValueError: the shape of ``indices`` does not fit ``x``.

    Examples:
        >>> print(ops.sparse_segment_mean(Tensor([[1.0], [3.0], [5.0]]), Tensor([0, 1]), Tensor([0, 0])))
        [[2.]]
    """
    ids = segment_ids.asnumpy()
    expect(bool((ids[1:] >= ids[:-1]).all()), "segment_ids", "in increasing order")
    return segment_mean(P.gather(x, indices, 0), segment_ids, int(ids[-1]) + 1 if ids.size else 0)


def segment_mean(x, segment_ids, num_segments):
    """The means of the slices that belong to each segment; 0 for an empty one.

    Args:
        x (Tensor[any shape, number]): the slices.
        segment_ids (Tensor[(N,), int]): the segment of each, not decreasing.
        num_segments (int): how many segments.

    Returns:
        Tensor[(num_segments, ...)]: of the same dtype; of integers without what is behind the point.

    Raises:
        ValueError: the shape of ``segment_ids`` does not fit ``x``.

    Examples:
        >>> print(ops.segment_mean(Tensor([1.0, 2.0, 3.0]), Tensor([0, 0, 1]), 2))
        [1.5 3. ]
    """
    shape = (num_segments,) + x.shape[len(segment_ids.shape) :]
    inexact = x.dtype.is_float or x.dtype.is_complex
    total = P.gather_dx(x if inexact else P.cast(x, dt.float64), segment_ids, shape, 0)
    count = P.gather_dx(P.full(segment_ids.shape, 1, dt.int64), segment_ids, (num_segments,), 0)
    count = P.reshape(P.maximum(count, 1), (num_segments,) + (1,) * (len(shape) - 1))
    return P.cast(total / P.cast(count, total.dtype), x.dtype)
