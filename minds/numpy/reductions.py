"""`minds.numpy`: sums, means, extremes and what runs along an axis."""

from __future__ import annotations

from ..base import dtype as dt
from ..base.errors import complain
from ..ops.define import P
from ..ops.function.common import widened
from ..ops.functional import WITHIN as F
from .create import array_of, to_float, with_dtype


def _one_number(initial) -> None:
    if isinstance(initial, (list, tuple)):
        raise complain(TypeError, f"initial is {initial}", expected="a number")


def _reduction(fn, floating=False):
    """A reduction with NumPy's parameters: ``where`` chooses elements, ``initial`` takes part."""

    def reduction(a, axis=None, dtype=None, keepdims=False, initial=None, where=True):
        _one_number(initial)
        x = with_dtype(array_of(a), dtype)
        x = to_float(x) if floating else x
        out = fn(x, axis, bool(keepdims), initial, None if where is True else array_of(where))
        return with_dtype(out, dtype)

    return reduction


def _sum(x, axis, keepdims, initial, where):
    x = P.cast(x, dt.int32) if x.dtype.is_bool else widened(x)
    x = x if where is None else P.select(where, x, 0)
    out = P.sum(x, axis, keepdims)
    return out if initial is None else out + initial


def _prod(x, axis, keepdims, initial, where):
    x = widened(x)
    out = P.prod(x if where is None else P.select(where, x, 1), axis, keepdims)
    return out if initial is None else out * initial


def _mean(x, axis, keepdims, initial, where):
    if where is None:
        return F.mean(x, axis, keepdims)
    return P.sum(P.select(where, x, 0), axis, keepdims) / P.sum(
        P.cast(P.broadcast_to(where, x.shape), x.dtype), axis, keepdims
    )


sum_, prod = _reduction(_sum), _reduction(_prod)
_typed_mean = _reduction(_mean, floating=True)


def mean(a, axis=None, keepdims=False, dtype=None, *, where=True):
    return _typed_mean(a, axis, dtype, keepdims, where=where)


nansum = _reduction(
    lambda x, *rest: _sum(P.select(P.not_equal(x, x), 0, x) if x.dtype.is_float else x, *rest)
)
nanmean = _reduction(
    lambda x, axis, keepdims, initial, where: F.nanmean(x, axis, keepdims), floating=True
)


def _extreme(fn):
    def extreme(a, axis=None, keepdims=False, initial=None, where=True):
        _one_number(initial)
        return fn(
            array_of(a),
            axis,
            bool(keepdims),
            initial=initial,
            where=None if where is True else array_of(where),
        )

    return extreme


amax, amin = _extreme(F.amax), _extreme(F.amin)
max_, min_ = amax, amin


def _without_nan(fn, number, a, axis, keepdims):
    """A reduction with ``number`` in the place of nan."""
    x = array_of(a)
    return fn(
        P.select(P.not_equal(x, x), number, x) if x.dtype.is_float else x, axis, bool(keepdims)
    )


def nanmax(a, axis=None, dtype=None, keepdims=False):
    """The largest element, of those that are numbers.

    Args:
        a (Tensor | number): the operand; nan does not count.
        axis (int | tuple[int]): the dimensions. Default: None, all.
        dtype (dtype): the element type of the result. Default: None.
        keepdims (bool): whether they are kept with size 1. Default: False.

    Returns:
        Tensor: without the dimensions; -inf where all elements are nan.

    Raises:
        TypeError: ``a`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.nanmax([1.0, float("nan"), 3.0]))
        3.0
    """
    return with_dtype(_without_nan(P.amax, float("-inf"), a, axis, bool(keepdims)), dtype)


def nanmin(a, axis=None, dtype=None, keepdims=False):
    """The smallest element, of those that are numbers.

    Args:
        a (Tensor | number): the operand; nan does not count.
        axis (int | tuple[int]): the dimensions. Default: None, all.
        dtype (dtype): the element type of the result. Default: None.
        keepdims (bool): whether they are kept with size 1. Default: False.

    Returns:
        Tensor: without the dimensions; inf where all elements are nan.

    Raises:
        TypeError: ``a`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.nanmin([1.0, float("nan"), 3.0]))
        1.0
    """
    return with_dtype(_without_nan(P.amin, float("inf"), a, axis, bool(keepdims)), dtype)


def var(x, axis=None, ddof=0, keepdims=False):
    """The variance."""
    return F.var(to_float(array_of(x)), axis, ddof, bool(keepdims))


def std(x, axis=None, ddof=0, keepdims=False):
    """The standard deviation."""
    return F.std(to_float(array_of(x)), axis, ddof, bool(keepdims))


def nanvar(a, axis=None, dtype=None, ddof=0, keepdims=False):
    """The variance of what is a number.

    Args:
        a (Tensor | number): the operand; nan does not count.
        axis (int | tuple[int]): the dimensions. Default: None, all.
        dtype (dtype): the element type of the result. Default: None.
        ddof (int): what is subtracted from the number of elements. Default: 0.
        keepdims (bool): whether they are kept with size 1. Default: False.

    Returns:
        Tensor: without the dimensions, float.

    Raises:
        TypeError: ``a`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.nanvar([1.0, float("nan"), 3.0]))
        1.0
    """
    x = to_float(array_of(a))
    valid = P.equal(x, x)
    n = P.sum(P.cast(valid, x.dtype), axis, bool(keepdims))
    centre = P.select(valid, x - F.nanmean(x, axis, True), 0)
    return with_dtype(P.sum(P.square(centre), axis, bool(keepdims)) / (n - ddof), dtype)


def nanstd(a, axis=None, dtype=None, ddof=0, keepdims=False):
    """The standard deviation of what is a number.

    Args:
        a (Tensor | number): the operand; nan does not count.
        axis (int | tuple[int]): the dimensions. Default: None, all.
        dtype (dtype): the element type of the result. Default: None.
        ddof (int): what is subtracted from the number of elements. Default: 0.
        keepdims (bool): whether they are kept with size 1. Default: False.

    Returns:
        Tensor: without the dimensions, float.

    Raises:
        TypeError: ``a`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.nanstd([1.0, float("nan"), 3.0]))
        1.0
    """
    return P.sqrt(nanvar(a, axis, dtype, ddof, bool(keepdims)))


def ptp(x, axis=None, keepdims=False):
    """The largest element less the least.

    Args:
        x (Tensor | number): the operand.
        axis (int): the dimension. Default: None, all.
        keepdims (bool): whether it is kept with size 1. Default: False.

    Returns:
        Tensor: without the dimension.

    Raises:
        TypeError: ``x`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.ptp([1, 5, 3]))
        4
    """
    return array_of(x).ptp(axis, bool(keepdims))


def average(x, axis=None, weights=None, returned=False):
    """The mean, weighted.

    Args:
        x (Tensor | number): the operand.
        axis (int): the dimension. Default: None, all.
        weights (Tensor): of the elements, or of those along ``axis``. Default: None, all 1.
        returned (bool): whether the sum of the weights is returned too. Default: False.

    Returns:
        Tensor: the mean, float; or it and the sum of the weights.

    Raises:
        TypeError: ``x`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.average([1.0, 3.0], weights=[3.0, 1.0]))
        1.5
    """
    x = to_float(array_of(x))
    if weights is None:
        out = F.mean(x, axis)
        total = P.full(out.shape, x.size / max(out.size, 1), x.dtype)
    else:
        w = array_of(weights)
        if w.shape != x.shape:
            w = P.reshape(
                w, tuple(-1 if i == axis % len(x.shape) else 1 for i in range(len(x.shape)))
            )
        w = P.broadcast_to(P.cast(w, x.dtype), x.shape)
        total = P.sum(w, axis)
        out = P.sum(x * w, axis) / total
    return (out, total) if returned else out


def _position(fn):
    def position(a, axis=None):
        x = array_of(a)
        return fn(P.reshape(x, (-1,)), 0, False) if axis is None else fn(x, axis, False)

    return position


argmax = _position(P.argmax)
argmin = _position(lambda *args: P.cast(P.argmin(*args), dt.int32))


def any_(a, axis=None, keepdims=False):
    """Whether an element is not zero."""
    return P.any(P.not_equal(array_of(a), 0), axis, bool(keepdims))


def all_(a, axis=None, keepdims=False):
    """Whether no element is zero."""
    return P.all(P.not_equal(array_of(a), 0), axis, bool(keepdims))


sometrue = any_


def count_nonzero(x, axis=None, keepdims=False):
    """How many elements are not zero."""
    return P.sum(P.cast(P.not_equal(array_of(x), 0), dt.int32), axis, bool(keepdims))


def _running(fn, skip=None):
    def running(a, axis=None, dtype=None):
        x = array_of(a)
        if dtype is not None and dt.of(dtype).is_bool:
            x = P.not_equal(x, 0)
        narrow = not x.dtype.is_inexact and x.dtype.itemsize < 4
        x = P.cast(x, dt.int32) if narrow else x  # as MindSpore, for what would wrap
        if skip is not None and x.dtype.is_float:
            x = P.select(P.not_equal(x, x), skip, x)
        x, axis = (P.reshape(x, (-1,)), 0) if axis is None else (x, axis)
        x = x if dtype is None or dt.of(dtype).is_bool else with_dtype(x, dtype)
        return with_dtype(fn(x, axis), dtype)

    return running


cumsum = _running(P.cumsum)
cumprod = _running(lambda x, axis: P.cumprod(widened(x), axis))


def nancumsum(a, axis=None, dtype=None):
    """The sums of the elements so far, with nan as 0.

    Args:
        a (Tensor | number): the operand.
        axis (int): the dimension. Default: None, the flattened tensor.
        dtype (dtype): the element type of the result. Default: None.

    Returns:
        Tensor: of the shape of ``a``, or a vector.

    Raises:
        TypeError: ``a`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.nancumsum([1.0, float("nan"), 3.0]))
        [1. 1. 4.]
    """
    return _running(P.cumsum, skip=0)(a, axis, dtype)
