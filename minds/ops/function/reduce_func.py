"""Reductions under MindSpore's names, and statistics composed of them."""

from __future__ import annotations

import inspect

from ...base import dtype as dt
from ...base.errors import expect
from .. import docs
from ..define import P
from ..faces import face
from ..fitting import ints_given
from ..repeated import repeated
from ..rules import axes_of, axis_of
from .common import (
    axes_given,
    count,
    inexact,
    is_open,
    like,
    real,
    safe_sqrt,
    squared_size,
    wide,
    widened,
)

_ARGS = """
    Args:
        {x} (Tensor): the operand.
        {axis} (int, tuple[int]): the dimensions to reduce; None or () for all. Default: all.
        {keep} (bool): keep them with size 1. Default: False.
{others}
    Returns:
        Tensor: {returns}.

    Raises:
        ValueError: ``{axis}`` is out of range or names a dimension twice.
"""

_OTHERS = {
    "dtype": "(dtype): of the result. Default: None.",
    "ddof": "(int, bool): is taken off the number of elements. Default: 0.",
    "initial": "(number): counts as one more element. Default: None.",
    "where": "(Tensor[bool]): which elements count; broadcasts. Default: None, which is all.",
    "axis": "(int, tuple[int]): the name of ``dim`` in older versions of MindSpore.",
    "keep_dims": "(bool): that of ``keepdim``.",
}


def _doc(returns: str, x: str = "input", axis: str = "axis", keep: str = "keepdims"):
    known = (x, axis, keep)

    def insert(fn):
        others = "".join(
            f"        {name} {_OTHERS[name]}\n"
            for name in inspect.signature(fn).parameters
            if name not in known
        )
        said = _ARGS.format(x=x, axis=axis, keep=keep, returns=returns, others=others)
        fn.__doc__ = docs.before_examples(fn.__doc__, said)
        return fn

    return insert


@_doc(
    "of ``dtype``, or that of ``input`` (int64 for narrower integers, bools)",
    axis="dim",
    keep="keepdim",
)
def sum_(input, dim=None, keepdim=False, *, dtype=None):
    """The sum over dimensions, in ``dtype`` where that is given.

    Examples:
        >>> print(ops.sum(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [4. 6.]
    """
    if dtype is not None and dt.of(dtype).is_bool:  # whether there is one that is not 0
        return P.cast(
            P.sum(widened(P.not_equal(input, P.cast(0, input.dtype))), dim, keepdim), dt.bool_
        )
    return P.sum(widened(input, dtype), dim, keepdim)


@face(alias="reduce_prod")
@_doc("of ``dtype``, or that of ``input`` (int64 for narrower integers, bools)", keep="keep_dims")
def prod(input, axis=None, keep_dims=False, dtype=None):
    """The product over dimensions, in ``dtype`` where that is given.

    Examples:
        >>> print(ops.prod(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [3. 8.]
    """
    return P.prod(widened(input, dtype), axis, keep_dims)


@face(alias="reduce_mean", cls="ReduceMean(keep_dims=False)")
@_doc("of the same dtype; integers are rounded towards 0", x="x", keep="keep_dims")
@repeated
def mean(x, axis=None, keep_dims=False):
    """The arithmetic mean over dimensions; nan where nothing is averaged. Half floats are summed as
    float32.

    Examples:
        >>> print(ops.mean(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [2. 3.]
    """
    axes = axes_of(ints_given(axis), len(x.shape))
    if x.dtype.is_int:
        return P.cast(
            P.sum(P.cast(x, dt.float64), axes, keep_dims) / real(count(x.shape, axes)), x.dtype
        )
    return like(P.sum(wide(x), axes, keep_dims) / real(count(x.shape, axes)), x)


def _spread(x, axis, ddof, keepdims):
    """The variance in the computing dtype."""
    axes = axes_of(axis, len(x.shape))
    n = count(x.shape, axes)
    left = n - ddof
    left = left if is_open(left) else max(left, 0)
    centre = x - P.sum(x, axes, True) / real(n)
    return P.sum(squared_size(centre), axes, keepdims) / real(left)


@_doc("of the same floating point dtype; float32 for integers")
@repeated
def var(input, axis=None, ddof=0, keepdims=False):
    r"""The variance over dimensions, :math:`\sum (x - \bar x)^2 / (n - ddof)`.

    Examples:
        >>> print(ops.var(Tensor([1.0, 2.0, 3.0, 4.0])))
        1.25
    """
    return like(_spread(wide(input), axis, ddof, keepdims), input)


@_doc("of the same floating point dtype; float32 for integers")
@repeated
def std(input, axis=None, ddof=0, keepdims=False):
    r"""The standard deviation over dimensions, the square root of `var`.

    Examples:
        >>> print(ops.std(Tensor([1.0, 1.0, 3.0, 3.0])))
        1.0
    """
    return like(safe_sqrt(_spread(wide(input), axis, ddof, keepdims)), input)


@face(method=True)
def var_mean(input, axis=None, ddof=0, keepdims=False):
    """The variance and the mean over dimensions. See `var` and `mean`.

    Args:
        input (Tensor[any shape, float]): the operand.
        axis (int, tuple[int]): the dimensions; None for all. Default: None.
        ddof (int, bool): what is taken off the number of elements. Default: 0.
        keepdims (bool): keep them with size 1. Default: False.

    Returns:
        tuple[Tensor]: variance and mean.

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.var_mean(Tensor([1.0, 3.0]))[1])
        2.0
    """
    return var(input, axis, ddof, keepdims), mean(input, axis, keepdims)


@face(method=True)
def std_mean(input, axis=None, ddof=0, keepdims=False):
    """The standard deviation and the mean over dimensions. See `std` and `mean`.

    Args:
        input (Tensor[any shape, float]): the operand.
        axis (int, tuple[int]): the dimensions; None for all. Default: None.
        ddof (int, bool): what is taken off the number of elements. Default: 0.
        keepdims (bool): keep them with size 1. Default: False.

    Returns:
        tuple[Tensor]: standard deviation and mean.

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.std_mean(Tensor([1.0, 3.0]))[1])
        2.0
    """
    return std(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def _masked(x, where, filler):
    return x if where is None else P.select(where, x, filler)


@_doc("of the same dtype")
def amax(input, axis=None, keepdims=False, *, initial=None, where=None):
    """The maximum over dimensions, of ``initial`` and the elements where ``where`` holds.

    Examples:
        >>> print(ops.amax(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [3. 4.]
    """
    expect(where is None or initial is not None, "initial", "given where where is")
    out = P.amax(_masked(input, where, initial), axis, keepdims)
    return out if initial is None else P.maximum(out, initial)


@_doc("of the same dtype")
def amin(input, axis=None, keepdims=False, *, initial=None, where=None):
    """The minimum over dimensions, of ``initial`` and the elements where ``where`` holds.

    Examples:
        >>> print(ops.amin(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [1. 2.]
    """
    expect(where is None or initial is not None, "initial", "given where where is")
    out = P.amin(_masked(input, where, initial), axis, keepdims)
    return out if initial is None else P.minimum(out, initial)


def _extreme(find, whole, input, axis, keepdims):
    """The extreme along ``axis`` with its position; the gradient goes to that position alone."""
    if axis is None:
        return whole(input, None, False), P.full((), 0, dt.int64)
    axis = axis_of(axis, len(input.shape))
    if not input.shape:
        return input, P.full((), 0, dt.int64)
    index = find(input, axis, True)
    values = P.gather_d(input, axis, index)
    if keepdims:
        return values, index
    shape = input.shape[:axis] + input.shape[axis + 1 :]
    return P.reshape(values, shape), P.reshape(index, shape)


@repeated
def max_(input, axis=None, keepdims=False, *, initial=None, where=None):
    """The maximum along a dimension, and its position.

    Args:
        input (Tensor): the operand.
        axis (int): the dimension; None for the maximum of all. Default: None.
        keepdims (bool): keep it with size 1. Default: False.
        initial (number): a lower bound of the result. Default: None.
        where (Tensor[bool]): which elements take part; needs ``initial``. Default: all.

    Returns:
        tuple: the maximum, and its position (int64; 0 where ``axis`` is None).

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> values, index = ops.max(Tensor([[1.0, 2.0], [4.0, 3.0]]), 1)
        >>> print(values, index)
        [2. 4.] [1 0]
    """
    values, index = _extreme(P.argmax, P.amax, _masked(input, where, initial), axis, keepdims)
    return (values if initial is None else P.maximum(values, initial)), index


@repeated
def min_(input, axis=None, keepdims=False, *, initial=None, where=None):
    """The minimum along a dimension, and its position.

    Args:
        input (Tensor): the operand.
        axis (int): the dimension; None for the minimum of all. Default: None.
        keepdims (bool): keep it with size 1. Default: False.
        initial (number): an upper bound of the result. Default: None.
        where (Tensor[bool]): which elements take part; needs ``initial``. Default: all.

    Returns:
        tuple: the minimum, and its position (int64; 0 where ``axis`` is None).

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> values, index = ops.min(Tensor([[1.0, 2.0], [4.0, 3.0]]), 1)
        >>> print(values, index)
        [1. 3.] [0 1]
    """
    values, index = _extreme(P.argmin, P.amin, _masked(input, where, initial), axis, keepdims)
    return (values if initial is None else P.minimum(values, initial)), index


def _position(find, input, axis, keepdims):
    if axis is None:
        out = find(P.reshape(input, (-1,)), 0, False)
        return P.reshape(out, (1,) * len(input.shape)) if keepdims else out
    return find(input, axis, keepdims)


@face(mint=True)
def argmax(input, dim=None, keepdim=False):
    """The position of the first maximum.

    Args:
        input (Tensor): the operand.
        dim (int): the dimension; None for the position in the flattened tensor. Default: None.
        keepdim (bool): keep it with size 1. Default: False.

    Returns:
        Tensor[int64]: the positions.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: ``dim`` is out of range.

    Examples:
        >>> print(ops.argmax(Tensor([[1.0, 2.0], [4.0, 3.0]])))
        2
    """
    return _position(P.argmax, input, dim, keepdim)


def argmin(input, axis=None, keepdims=False):
    """The position of the first minimum.

    Args:
        input (Tensor): the operand.
        axis (int): the dimension; None for the position in the flattened tensor. Default: None.
        keepdims (bool): keep it with size 1. Default: False.

    Returns:
        Tensor[int32]: the positions; int64 for a scalar.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.argmin(Tensor([[1.0, 2.0], [4.0, 3.0]])))
        0
    """
    index = _position(P.argmin, input, axis, keepdims)
    return P.cast(index, dt.int32) if input.shape else index


@face(alias="reduce_all")
@_doc("of dtype bool", keep="keep_dims")
def all_(input, axis=None, keep_dims=False):
    """Whether all elements along dimensions are nonzero.

    Examples:
        >>> print(ops.all(Tensor([[True, False], [True, True]]), 1))
        [False  True]
    """
    return P.all(input, axis, keep_dims)


@face(alias="reduce_any")
@_doc("of dtype bool", keep="keep_dims")
def any_(input, axis=None, keep_dims=False):
    """Whether an element along dimensions is nonzero.

    Examples:
        >>> print(ops.any(Tensor([[True, False], [False, False]]), 1))
        [ True False]
    """
    return P.any(input, axis, keep_dims)


@face(method=True)
def count_nonzero(x, axis=(), keep_dims=False, dtype=dt.int32):
    """How many elements along dimensions are nonzero.

    Args:
        x (Tensor): the operand.
        axis (int, tuple[int]): the dimensions. Default: all.
        keep_dims (bool): keep them with size 1. Default: False.
        dtype (dtype): of the result. Default: int32.

    Returns:
        Tensor: of ``dtype``.

    Raises:
        TypeError: ``x`` is not a Tensor.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.count_nonzero(Tensor([0, 1, 2])))
        2
    """
    return P.sum(P.cast(P.not_equal(x, 0), dt.of(dtype)), axis, keep_dims)


@_doc("of the same dtype", axis="dim", keep="keepdim")
def logsumexp(input, dim=None, keepdim=False, *, axis=None, keep_dims=False):
    r"""The logarithm of the sum of exponentials, :math:`\log\sum e^{x}`, without overflow.

    Examples:
        >>> print(ops.logsumexp(Tensor([0.0, 0.0]), 0))
        0.6931472
    """
    input, dim = inexact(input), axis if dim is None else dim
    top = P.stop_gradient(P.amax(input, dim, True))
    top = P.select(P.isfinite(top), top, 0)
    out = P.log(P.sum(P.exp(input - top), dim, True)) + top
    axes = axes_of(dim, len(input.shape))
    return (
        out
        if keepdim or keep_dims
        else P.reshape(out, tuple(n for i, n in enumerate(input.shape) if i not in axes))
    )


@face(method=True)
def median(input, axis=-1, keepdims=False):
    """The median along a dimension (the lower of two), and its position; nan where there is a nan.

    Args:
        input (Tensor): the operand.
        axis (int): the dimension. Default: -1.
        keepdims (bool): keep it with size 1. Default: False.

    Returns:
        tuple: the medians, and their positions (int64).

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.median(Tensor([3.0, 1.0, 2.0]))[0])
        2.0
    """
    return _middle(input, axis, keepdims, False)


def _middle(input, axis, keepdims, skip_nan: bool) -> tuple:
    """The medians of `median`, or of the numbers alone, and their positions."""
    axis = axis_of(axis, len(input.shape))
    if not input.shape:
        return input, P.full((), 0, dt.int64)
    ordered, n = P.sort(input, axis, False), input.shape[axis]
    # A nan is the largest, so the first one stands behind the numbers.
    count = P.sum(P.cast(P.equal(input, input), dt.int64), axis, True)
    at = P.maximum(P.floor_divide(count - 1, 2), 0)
    at = at if skip_nan else P.select(P.less(count, n), count, at)
    parts = tuple(P.gather_d(v, axis, at) for v in (ordered[0], ordered[1]))
    if keepdims:
        return parts
    return tuple(P.reshape(v, input.shape[:axis] + input.shape[axis + 1 :]) for v in parts)


def reduce_sum(x, axis=(), keep_dims=False):
    """The sum over dimensions. See `sum`.

    Args:
        x (Tensor): the operand.
        axis (int, tuple[int]): the dimensions; () for all. Default: ().
        keep_dims (bool): keep them with size 1. Default: False.

    Returns:
        Tensor: the sums.

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.reduce_sum(Tensor([1.0, 2.0])))
        3.0
    """
    return P.sum(x, axes_given("reduce_sum", axis), keep_dims)


def reduce_max(x, axis=(), keep_dims=False):
    """The maximum over dimensions. See `amax`.

    Args:
        x (Tensor): the operand.
        axis (int, tuple[int]): the dimensions; () for all. Default: ().
        keep_dims (bool): keep them with size 1. Default: False.

    Returns:
        Tensor: of the same dtype.

    Raises:
        TypeError: ``x`` is not a Tensor.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.reduce_max(Tensor([1.0, 2.0])))
        2.0
    """
    return P.amax(x, axes_given("reduce_max", axis), keep_dims)


def reduce_min(x, axis=(), keep_dims=False):
    """The minimum over dimensions. See `amin`.

    Args:
        x (Tensor): the operand.
        axis (int, tuple[int]): the dimensions; () for all. Default: ().
        keep_dims (bool): keep them with size 1. Default: False.

    Returns:
        Tensor: of the same dtype.

    Raises:
        TypeError: ``x`` is not a Tensor.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.reduce_min(Tensor([1.0, 2.0])))
        1.0
    """
    return P.amin(x, axes_given("reduce_min", axis), keep_dims)


@face(method=True)
@_doc("of the same dtype; nan counts as 0")
def nansum(input, axis=None, keepdims=False, *, dtype=None):
    """The sum over dimensions of what is a number.

    Examples:
        >>> print(ops.nansum(Tensor([1.0, float("nan")])))
        1.0
    """
    return P.sum(P.select(P.isnan(input), 0, widened(input, dtype)), axis, keepdims)
