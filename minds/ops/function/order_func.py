"""Order and counting: extremes, quantiles, distinct elements, histograms."""

from __future__ import annotations

import math

from ...base import dtype as dt
from ...base.errors import expect
from ..define import P
from ..faces import face
from ..rules import axis_of, known
from ..unbacked import masks_of_lengths, positions
from .array_func import moveaxis
from .common import as_int64, as_tensor
from .gather_func import unsorted_segment_sum
from .reduce_func import _middle, nansum
from .select_func import topk
from .unbacked_func import unique


@face(method=True)
def aminmax(input, *, axis=0, keepdims=False):
    """The least and the largest elements; along all dimensions where ``axis`` is None. A NaN is left
    out, unless all are.

    Args:
        input (Tensor[any shape, number]): the operand.
        axis (int): the dimension; None for all. Default: 0.
        keepdims (bool): keep it with size 1. Default: False.

    Returns:
        tuple[Tensor]: the least and the largest.

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> low, high = ops.aminmax(Tensor([3.0, 1.0]))
        >>> print(low, high)
        1.0 3.0
    """
    if not input.shape:
        return input, input
    if not input.dtype.is_float:
        return P.amin(input, axis, keepdims), P.amax(input, axis, keepdims)
    no = P.isnan(input)
    none = P.all(no, axis, keepdims)
    ends = (P.amin, math.inf), (P.amax, -math.inf)
    low, high = [
        P.select(none, math.nan, f(P.select(no, end, input), axis, keepdims)) for f, end in ends
    ]
    return low, high


@face(method=True)
def msort(input):
    """The elements in order along the first dimension.

    Args:
        input (Tensor[any shape, number]): the operand.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.msort(Tensor([3.0, 1.0])))
        [1. 3.]
    """
    return P.sort(input, 0, False)[0]


@face(method=True)
def top_k(input_x, k, sorted=True):
    """The ``k`` largest elements of the last dimension, and where they were. See `topk`.

    Args:
        input_x (Tensor[(..., N), number]): the operand.
        k (int): how many.
        sorted (bool): in descending order, which they always are. Default: True.

    Returns:
        tuple[Tensor]: values and positions (int32), of shape (..., k).

    Raises:
        TypeError: ``input_x`` is not a Tensor.

    Examples:
        >>> print(ops.top_k(Tensor([3.0, 1.0, 2.0]), 2)[0])
        [3. 2.]
    """
    return topk(input_x, k)


@face(method=True, mint=True)
def kthvalue(input, k, dim=-1, keepdim=False):
    """The ``k``-th least element along a dimension, counted from 1, and where it was (int64).

    Args:
        input (Tensor[any shape, number]): the operand.
        k (int): which.
        dim (int): the dimension. Default: -1.
        keepdim (bool): keep it with size 1. Default: False.

    Returns:
        tuple[Tensor]: values and positions.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> print(ops.kthvalue(Tensor([3.0, 1.0, 2.0]), 2)[0])
        2.0
    """
    if not input.shape:
        axis_of(dim, 1, "dim")
        expect(k == 1, "k", "1", got=k)
        return input, P.full((), 0, dt.int64)
    dim = axis_of(dim, len(input.shape), "dim")
    expect(1 <= k <= input.shape[dim], "k", f"in [1, {input.shape[dim]}]", got=k)
    ordered = P.sort(input, dim, False)
    parts = tuple(P.gather(v, as_tensor([k - 1], dt.int64), dim) for v in (ordered[0], ordered[1]))
    if keepdim:
        return parts
    shape = input.shape[:dim] + input.shape[dim + 1 :]
    return tuple(P.reshape(v, shape) for v in parts)


@face(method=True)
def argwhere(input):
    """The positions of nonzero elements, one row each.

    Args:
        input (Tensor): the operand.

    Returns:
        Tensor[(N, rank), int64]: the positions.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.argwhere(Tensor([0, 5, 6])))
        [[1]
         [2]]
    """
    return positions(input)


@face(method=True)
def logcumsumexp(input, axis):
    r"""The logarithms of the sums of :math:`e^x` up to each element.

    Args:
        input (Tensor[any shape, float]): the operand.
        axis (int): the dimension.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.logcumsumexp(Tensor([0.0, 0.0]), 0).asnumpy().round(3))
        [0.    0.693]
    """
    high = P.stop_gradient(P.amax(input, axis, True))
    return P.log(P.cumsum(P.exp(input - high), axis)) + high


@face(method=True)
def nanmean(input, axis=None, keepdims=False, *, dtype=None):
    """The mean over dimensions of what is a number.

    Args:
        input (Tensor[any shape, float]): the operand.
        axis (int, tuple[int]): the dimensions. Default: None, which is all.
        keepdims (bool): keep them with size 1. Default: False.
        dtype (dtype): cast to it first. Default: None.

    Returns:
        Tensor: nan where nothing is a number.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.nanmean(Tensor([1.0, float("nan"), 3.0])))
        2.0
    """
    x = input if dtype is None else P.cast(input, dt.of(dtype))
    numbers = P.cast(P.equal(x, x), x.dtype)
    return nansum(x, axis, keepdims) / P.sum(numbers, axis, keepdims)


@face(method=True)
def nanmedian(input, axis=-1, keepdims=False):
    """The median along a dimension of what is a number (the lower of two), and its position.

    Args:
        input (Tensor[any shape, number]): the operand.
        axis (int): the dimension. Default: -1.
        keepdims (bool): keep it with size 1. Default: False.

    Returns:
        tuple[Tensor]: medians and positions (int64).

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.nanmedian(Tensor([1.0, float("nan"), 3.0]))[0])
        1.0
    """
    return _middle(input, axis, keepdims, True)


@face(method=True)
def quantile(input, q, axis=None, keepdims=False):
    """Quantiles along a dimension, interpolated linearly; nan where there is a nan.

    Args:
        input (Tensor): the operand.
        q (float, Tensor): the fractions, in [0, 1]; a vector gives a first dimension.
        axis (int): the dimension; None flattens first. Default: None.
        keepdims (bool): keep it with size 1. Default: False.

    Returns:
        Tensor: of the dtype of ``input``.

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.quantile(Tensor([1.0, 2.0, 4.0]), 0.75))
        3.0
    """
    return _quantile(input, q, axis, keepdims, skip=False)


@face(method=True)
def nanquantile(input, q, axis=None, keepdims=False):
    """Quantiles of what is a number. See `quantile`.

    Args:
        input (Tensor[any shape, float]): the operand.
        q (float, Tensor): which quantiles, in [0, 1].
        axis (int): the dimension. Default: None, which is all elements.
        keepdims (bool): keep it with size 1. Default: False.

    Returns:
        Tensor: the quantiles; of several in a new first dimension.

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.nanquantile(Tensor([1.0, float("nan"), 3.0]), 0.5))
        2.0
    """
    return _quantile(input, q, axis, keepdims, skip=True)


def _quantile(x, q, axis, keepdims, skip):
    if isinstance(q, (int, float)):
        expect(0 <= q <= 1, "q", "in [0, 1]", got=q)
    q = P.cast(as_tensor(q, x.dtype), x.dtype)
    rank = len(x.shape)
    flat = P.reshape(x, (-1,)) if axis is None else moveaxis(x, axis, -1)
    ordered = P.sort(flat, -1, False)[0]
    n = flat.shape[-1]
    numbers = P.sum(P.cast(P.equal(flat, flat), dt.int64), -1, True)
    last = numbers - 1 if skip else numbers * 0 + (n - 1)
    levels = P.reshape(q, (-1,) + (1,) * len(flat.shape))
    place = levels * P.cast(last, x.dtype)
    low = P.floor(place)
    rows = P.broadcast_to(
        P.reshape(ordered, (1,) + ordered.shape), (levels.shape[0],) + ordered.shape
    )

    def at(i):
        return P.gather_d(rows, len(flat.shape), P.maximum(P.cast(i, dt.int64), 0))

    a, b = at(low), at(P.ceil(place))
    out = a + (b - a) * (place - low)
    if not skip:
        out = P.select(P.less(numbers, n), float("nan"), out)
    kept = out.shape[:-1]
    if keepdims:
        out = (
            P.reshape(out, kept[:1] + (1,) * rank)
            if axis is None
            else moveaxis(out, -1, axis % rank + 1)
        )
    else:
        out = P.reshape(out, kept)
    return P.reshape(out, out.shape[1:]) if not q.shape else out


# ---- distinct elements


@face(method=True, cls=True)
def unique_with_pad(x, pad_num):
    """As `unique`, with the distinct elements of a vector filled up to its size.

    Args:
        x (Tensor[(N,), number]): the elements.
        pad_num (number): fills up.

    Returns:
        tuple[Tensor]: the distinct elements, filled up, and for each element which one it is.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.unique_with_pad(Tensor([3, 1, 3]), 0)[0])
        [3 1 0]
    """
    values, index = unique(x)
    pad = P.full((x.size - values.size,), 0, values.dtype) + P.cast(
        P.reshape(as_tensor(pad_num), ()), values.dtype
    )
    return P.concat((values, pad), 0), index


# ---- where values fall


@face(mint=True)
def searchsorted(sorted_sequence, values, *, out_int32=False, right=False, side=None, sorter=None):
    """Where values would have to be inserted into ordered sequences, so that they stay in order.

    Args:
        sorted_sequence (Tensor): a vector, or vectors in the last dimension.
        values (Tensor | number): what to insert.
        out_int32 (bool): int32, else int64. Default: False.
        right (bool): after equal elements. Default: False.
        side (str): ``"left"`` or ``"right"``, in place of ``right``. Default: None.
        sorter (Tensor[int]): positions that bring ``sorted_sequence`` into order. Default: None.

    Returns:
        Tensor: the positions.

    Raises:
        ValueError: ``side`` is another word, or contradicts ``right``.

    Examples:
        >>> print(ops.searchsorted(Tensor([1, 2, 3]), Tensor([2, 4])))
        [1 3]
    """
    expect(side in (None, "left", "right"), "side", "'left' or 'right'", got=repr(side))
    expect(not (right and side == "left"), "side", "'right' with right=True", got=repr(side))
    if sorter is not None:
        sorted_sequence = P.gather_d(sorted_sequence, -1, sorter)
    out = P.search(sorted_sequence, as_tensor(values), right or side == "right")
    return P.cast(out, dt.int32) if out_int32 else out


def bucketize(input, boundaries, *, right=False):
    """The interval between ``boundaries`` that each element falls into (int32).

    Args:
        input (Tensor): the values.
        boundaries (list): in increasing order.
        right (bool): an interval contains its lower bound, else its upper one. Default: False.

    Returns:
        Tensor[int32]: the number of the interval.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.bucketize(Tensor([0.5, 2.5]), [1.0, 2.0]))
        [0 2]
    """
    edges = as_tensor(list(boundaries)) if isinstance(boundaries, (list, tuple)) else boundaries
    return P.cast(P.search(edges, input, right), dt.int32)


@face(method=True, mint=True)
def histc(input, bins=100, min=0.0, max=0.0):
    """How many elements fall into each of equal intervals.

    Args:
        input (Tensor): the operand.
        bins (int): how many intervals. Default: 100.
        min, max (float): the bounds; equal ones mean those of the elements. Default: 0.0.

    Returns:
        Tensor[bins]: of the dtype of ``input``.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.histc(Tensor([1.0, 2.0, 1.0]), 2, 0.0, 3.0))
        [2. 1.]
    """
    known(bins, "bins")
    expect(isinstance(bins, int) and bins > 0, "bins", "a positive int", got=bins)
    expect(min <= max, "max", f"at least min, {min}", got=max)
    x = P.reshape(input, (-1,))
    wide = x if x.dtype.is_float else P.cast(x, dt.float32)
    low, high = (
        (P.amin(wide), P.amax(wide))
        if min == max
        else (as_tensor(float(min), wide.dtype), as_tensor(float(max), wide.dtype))
    )
    flat = P.equal(low, high)
    low, high = P.select(flat, low - 1, low), P.select(flat, high + 1, high)
    place = P.cast(P.floor((wide - low) / (high - low) * float(bins)), dt.int64)
    inside = P.logical_and(P.greater_equal(wide, low), P.less_equal(wide, high))
    place = P.select(inside, P.minimum(place, bins - 1), bins)
    ones = P.full(x.shape, 1, x.dtype)
    total = unsorted_segment_sum(ones, place, bins + 1)
    return P.strided_slice(total, (0,), (bins,), (1,))


@face(cls="InTopK(k)")
def intopk(x1, x2, k):
    """Whether the target class of each sample is among the ``k`` largest.

    Args:
        x1 (Tensor[(N, C), float]): scores of classes.
        x2 (Tensor[(N,), int]): the targets.
        k (int): how many.

    Returns:
        Tensor[(N,), bool]: whether.

    Raises:
        TypeError: ``x1`` is not a Tensor.
        ValueError: the shape of ``x2`` does not fit ``x1``.

    Examples:
        >>> print(ops.intopk(Tensor([[1.0, 3.0, 2.0]]), Tensor([2]), 2))
        [ True]
    """
    target = P.gather_d(x1, 1, P.reshape(as_int64(x2, "x2"), (-1, 1)))
    above = P.sum(P.cast(P.greater(x1, target), dt.int64), 1)
    return P.less(above, k)


def sequence_mask(lengths, maxlen=None):
    """Rows that are True up to each length.

    Args:
        lengths (Tensor[any shape, int]): the lengths.
        maxlen (int): the size of rows. Default: None, which is the largest length.

    Returns:
        Tensor[(..., maxlen), bool]: the rows.

    Raises:
        TypeError: ``lengths`` is not a Tensor.

    Examples:
        >>> print(ops.sequence_mask(Tensor([1, 2])))
        [[ True False]
         [ True  True]]
    """
    lengths = as_int64(lengths, "lengths")
    if maxlen is None:
        return masks_of_lengths(lengths)
    steps = P.arange(0, int(maxlen), 1, dt.int64)
    return P.less(steps, P.reshape(lengths, lengths.shape + (1,)))
