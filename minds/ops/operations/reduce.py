"""Primitive classes of reductions and arithmetic whose call differs from the function's."""

from __future__ import annotations

import math

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ..define import P
from ..faces import face, primitive
from ..function.common import axes_given, known_values, sizes_of
from ..functional import WITHIN as F


@primitive(like="argmax")
def Argmax(axis=-1, output_type=dt.int32):
    return lambda x: P.cast(P.argmax(x, axis, False), output_type)


@primitive(like="argmin")
def Argmin(axis=-1, output_type=dt.int32):
    return lambda x: P.cast(P.argmin(x, axis, False), output_type)


@primitive(like="max")
def ArgMaxWithValue(axis=0, keep_dims=False):
    return lambda x: F.max(x, axis, keep_dims)[::-1]


@primitive(like="min")
def ArgMinWithValue(axis=0, keep_dims=False):
    return lambda x: F.min(x, axis, keep_dims)[::-1]


@face(cls="EqualCount")
def _(x, y):
    """How many elements are equal.

    Args:
        x (Tensor): the first operand.
        y (Tensor): the second operand.

    Returns:
        Tensor[(1,)]: the number, in the dtype of ``x``.

    Raises:
        ValueError: the shapes do not broadcast.

    Examples:
        >>> print(ops.EqualCount()(Tensor([1, 2, 3]), Tensor([1, 0, 3])))
        [2]
    """
    return P.reshape(P.sum(P.cast(P.equal(x, y), x.dtype)), (1,))


@face(cls="L2Loss")
def _(x):
    """Half the sum of squares.

    Args:
        x (Tensor[any shape, number]): the operand.

    Returns:
        Tensor: a scalar.

    Raises:
        TypeError: ``x`` is bool.

    Examples:
        >>> print(ops.L2Loss()(Tensor([1.0, 3.0])))
        5.0
    """
    return P.sum(P.square(x)) / 2


@primitive(like="std_mean")
def ReduceStd(axis=(), unbiased=True, keep_dims=False):
    return lambda x: F.std_mean(x, axis, int(unbiased), keep_dims)


@primitive(like="sum")
def ReduceSum(keep_dims=False, skip_mode=False):
    def call(x, axis=()):
        axes = axes_given("ReduceSum", axis)
        if skip_mode and axes is None:
            return x
        return (P.any if x.dtype.is_bool else P.sum)(x, axes, keep_dims)

    return call


@primitive(like="prod")
def ReduceProd(keep_dims=False):
    def call(x, axis=()):
        axes = axes_given("ReduceProd", axis)
        return (P.all if x.dtype.is_bool else P.prod)(x, axes, keep_dims)

    return call


@face(cls="Bincount", like="bincount")
def _(array, size, weights):
    """Sums of weights by value; values that are too large do not count."""
    count = int(known_values("Bincount", size)[0])
    flat = P.cast(P.reshape(array, (-1,)), dt.int64)
    kept = P.less(flat, count)
    given = P.reshape(weights, (-1,)) if weights.size else P.full(flat.shape, 1, weights.dtype)
    rows = P.reshape(P.select(kept, flat, 0), (-1, 1))
    return P.tensor_scatter(
        P.full((count,), 0, weights.dtype), rows, P.select(kept, given, 0), "add"
    )


def _log_sums(x, axis, exclusive, reverse):
    x = P.flip(x, (axis,)) if reverse else x
    out = F.logcumsumexp(x, axis)
    if exclusive:
        pads = tuple((1, 0) if i == axis % len(x.shape) else (0, 0) for i in range(len(x.shape)))
        out = F.narrow(P.pad(out, pads, -math.inf), axis, 0, x.shape[axis])
    return P.flip(out, (axis,)) if reverse else out


@primitive(like="logcumsumexp")
def CumulativeLogsumexp(exclusive=False, reverse=False):
    return lambda x, axis: _log_sums(
        x,
        axis if isinstance(axis, int) else int(known_values("axis", axis)[0]),
        exclusive,
        reverse,
    )


@face(cls="DivNoNan", like="div")
def _(x1, x2):
    return P.select(P.equal(x2, 0), 0, P.div(x1, P.select(P.equal(x2, 0), 1, x2)))


@primitive(like="norm")
def EuclideanNorm(keep_dims=False):
    return lambda x, axes: P.sqrt(P.sum(P.square(x), sizes_of(axes), keep_dims))


@primitive(like="histc")
def HistogramFixedWidth(nbins, dtype="int32"):
    def call(x, range_):
        low, high = range_[0], range_[1]
        place = P.floor((P.reshape(x, (-1,)) - low) * (nbins / (high - low)))
        rows = P.reshape(P.cast(P.maximum(P.minimum(place, nbins - 1), 0), dt.int64), (-1, 1))
        kind = dt.of(dtype)
        return P.tensor_scatter(P.full((nbins,), 0, kind), rows, P.full((x.size,), 1, kind), "add")

    return call


@primitive(like="norm")
def LpNorm(axis, p=2, keep_dims=False, epsilon=1e-12):
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    return lambda x: P.pow(P.maximum(P.sum(P.pow(P.abs(x), p), axes, keep_dims), epsilon), 1.0 / p)


@primitive(like="median")
def Median(global_median=False, axis=0, keep_dims=False, ignore_nan=False):
    def call(x):
        middle = F.nanmedian if ignore_nan else F.median
        if not global_median:
            return middle(x, axis, keep_dims)
        place = P.full((), 0, dt.int64)  # MindSpore gives no place of it
        if 0 in x.shape:
            return P.full((), math.nan if x.dtype.is_float else 0, x.dtype), place
        return P.reshape(middle(P.reshape(x, (-1,)), 0, False)[0], ()), place

    return call


@primitive(like="count_nonzero")
def CountNonZero(dims=None):
    return lambda x: F.count_nonzero(x, () if dims is None else dims)


@primitive(like="histc")
def Histogram(bins=100, min=0.0, max=0.0):
    return lambda x: P.cast(F.histc(x, bins, min, max), x.dtype if x.dtype.is_float else dt.int32)


@face(cls="Inv", like="reciprocal")
def _(x):
    inverse = P.cast(P.reciprocal(x), x.dtype)
    if x.dtype.is_float or x.dtype.is_complex:
        return inverse
    # the inverse of an integer 0 is what a division of NumPy leaves: the smallest number, 0 in the short ones
    info = np.iinfo(x.dtype.np)
    return P.select(P.equal(x, 0), int(info.min) if info.bits >= 32 else 0, inverse)


@face(cls="MulNoNan", like="mul")
def _(x, y):
    return P.select(P.equal(y, 0), 0, P.mul(x, y))


@face(cls="SquareSumAll")
def _(x, y):
    """The sums of squares of two tensors.

    Args:
        x (Tensor[any shape, number]): the first one.
        y (Tensor[any shape, number]): the second one.

    Returns:
        tuple[Tensor]: two scalars.

    Raises:
        TypeError: an operand is bool.

    Examples:
        >>> [float(v) for v in ops.SquareSumAll()(Tensor([1.0, 3.0]), Tensor([2.0]))]
        [10.0, 4.0]
    """
    return (P.sum(P.square(x)), P.sum(P.square(y)))


@primitive
def Quantile(dim=None, keep_dims=False, ignore_nan=False):
    """Quantiles along a dimension, interpolated linearly.

    Args:
        dim (int): the dimension; None stands for all elements. Default: None.
        keep_dims (bool): leave the dimension with size 1. Default: False.
        ignore_nan (bool): of what is a number. Default: False.
        input (Tensor[any shape, float]): the operand.
        q (Tensor[(M,), float]): which quantiles, in [0, 1].

    Returns:
        Tensor[(M, ...)]: the quantiles.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> print(ops.Quantile(0)(Tensor([1.0, 2.0, 4.0]), Tensor([0.5])))
        [2.]
    """
    fn = F.nanquantile if ignore_nan else F.quantile
    return lambda input, q: fn(input, q, dim, keep_dims)


@primitive
def FloatStatus():
    """Whether a tensor has an element that is infinite or nan.

    Args:
        x (Tensor[any shape, float]): the operand.

    Returns:
        Tensor[(1,), float32]: 1 where there is one, else 0.

    Raises:
        TypeError: ``x`` is not floating point.

    Examples:
        >>> print(ops.FloatStatus()(Tensor([1.0, float("nan")])))
        [1.]
    """

    def call(x):
        expect(x.dtype.is_float, "x", "floating point", TypeError, got=x.dtype)
        finite = F.all(P.isfinite(P.reshape(x, (-1,))), 0, True)
        return P.cast(P.logical_not(finite), dt.float32)

    return call
