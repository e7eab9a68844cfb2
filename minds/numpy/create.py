"""`minds.numpy`: making tensors. Where no dtype is given it is float32 or int32, as in
MindSpore.
"""

from __future__ import annotations

import numpy as np

from ..base import dtype as dt
from ..base.errors import complain, expect
from ..base.limits import check_memory
from ..ir.abstract import AbstractScalar
from ..ir.dim import is_size
from ..ir.node import Node
from ..ops import sequences
from ..ops.define import P, stacked
from ..ops.function.common import widened
from ..ops.functional import WITHIN as F
from ..tensor import Tensor


def array_of(x, dtype=None, weak=False):
    """``x`` as a tensor; with ``weak`` numbers stay numbers, for they widen nothing."""
    number = isinstance(x, (bool, int, float)) or (
        isinstance(x, Node) and isinstance(x.abstract, AbstractScalar)
    )
    if weak and number:
        return x
    if number and isinstance(x, Node):
        kind = x.abstract.kind
        return P.scalar_to_tensor(
            x, dt.of(dtype) if dtype else dt.int32 if kind is int else dt.of(kind)
        )
    if isinstance(x, (Tensor, Node)):
        return x if dtype is None or x.dtype is dt.of(dtype) else P.cast(x, dt.of(dtype))
    return asarray(x, dtype)


def to_float(x):
    """``x``, as float32 where it holds integers or bools."""
    if isinstance(x, (bool, int)):
        return float(x)
    return (
        x
        if isinstance(x, float) or x.dtype.is_float or x.dtype.is_complex
        else P.cast(x, dt.float32)
    )


def with_dtype(x, dtype):
    """``x`` with another element type, if one is given."""
    return x if dtype is None else P.cast(x, dt.of(dtype))


def _plain(x):
    if isinstance(x, Tensor):
        return x.asnumpy()
    return [_plain(e) for e in x] if isinstance(x, (list, tuple)) else x


def _of_numbers(a) -> dt.DType | None:
    """int32 for ints of which the run knows some, as for those that are known; None beside others."""
    if isinstance(a, (list, tuple)):
        return dt.int32 if a and all(_of_numbers(e) for e in a) else None
    whole = isinstance(getattr(a, "abstract", None), AbstractScalar) and a.abstract.kind is int
    return dt.int32 if whole or type(a) is int else None


def asarray(a, dtype=None):
    """A tensor of a tensor, an array, a number or nested sequences.

    Args:
        a (Tensor | numpy.ndarray | number | list | tuple | range): the values; a tensor is returned
            as it is.
        dtype (dtype): the element type. Default: None, the array's; float32, int32 or bool of
            Python's numbers.

    Returns:
        Tensor: of the same values.

    Raises:
        TypeError: ``a`` is none of these.
        ValueError: a nested sequence is ragged, or an int does not fit int32 and no dtype is given.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.asarray([1, 2.5]))
        [1.  2.5]
    """
    if isinstance(a, (Tensor, Node)):
        return array_of(a, dtype)
    if sequences.holds_tensors(a):
        return stacked(a, _of_numbers(a) if dtype is None else dt.of(dtype))
    if not isinstance(a, (list, tuple, range, np.ndarray, np.generic, bool, int, float, complex)):
        raise TypeError(
            f"asarray: a has type {type(a).__name__}; expected a Tensor, an array, a number or a "
            "sequence"
        )
    try:
        value = np.asarray(_plain(list(a) if isinstance(a, range) else a))
    except ValueError as e:
        raise complain(ValueError, "asarray: a nested sequence is ragged") from e
    if dtype is None:
        dtype = {"float64": dt.float32, "int64": dt.int32}.get(value.dtype.name)
        if isinstance(a, (np.ndarray, np.generic)):
            dtype = None
        elif dtype is dt.int32 and not np.array_equal(value, value.astype(np.int32)):
            what = "asarray: an int does not fit int32"
            raise complain(ValueError, what, cure="pass dtype=ms.int64")
    return Tensor(value, None if dtype is None else dt.of(dtype))


def array(obj, dtype=None, copy=True, ndmin=0):
    """A tensor of its own, of at least ``ndmin`` dimensions.

    Args:
        obj (Tensor | numpy.ndarray | number | list | tuple): the values.
        dtype (dtype): the element type. Default: None, as `asarray`.
        copy (bool): whether a tensor is copied. Default: True.
        ndmin (int): the least number of dimensions. Default: 0.

    Returns:
        Tensor: of the same values.

    Raises:
        TypeError: ``obj`` is none of these.

    Examples:
        >>> import minds as ms
        >>> ms.numpy.array([1, 2], ndmin=2).shape
        (1, 2)
    """
    out = asarray(obj, dtype)
    out = P.copy(out) if copy and isinstance(obj, Tensor) else out
    lacking = max(ndmin - len(out.shape), 0)
    return P.reshape(out, (1,) * lacking + out.shape) if lacking else out


def asfarray(a, dtype=dt.float32):
    """A floating point tensor.

    Args:
        a (Tensor | numpy.ndarray | number | list | tuple): the values.
        dtype (dtype): the element type; float32 stands for one that is not floating point. Default:
            float32.

    Returns:
        Tensor: of the same values.

    Raises:
        TypeError: ``a`` is none of these.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.asfarray([1, 2]))
        [1. 2.]
    """
    dtype = dt.of(dtype or dt.float32)
    return asarray(a, dtype if dtype.is_float else dt.float32)


def _dtype(dtype):
    return dt.float32 if dtype is None else dt.of(dtype)


def _shape(shape) -> tuple:
    return (
        (shape,)
        if is_size(shape) or isinstance(shape, (int, Node))
        else tuple(shape.tolist())
        if isinstance(shape, Tensor)
        else tuple(shape)
    )


def ones(shape, dtype=dt.float32):
    """Ones."""
    return F.ones(_shape(shape), _dtype(dtype))


def zeros(shape, dtype=dt.float32):
    """Zeros."""
    return F.zeros(_shape(shape), _dtype(dtype))


empty = zeros


def full(shape, fill_value, dtype=None):
    """One value everywhere; it broadcasts."""
    value = array_of(fill_value, dtype)
    return P.broadcast_to(value, _shape(shape))


def _like(value):
    def like(a, dtype=None, shape=None):
        x = array_of(a)
        return F.full(
            x.shape if shape is None else _shape(shape),
            value,
            dtype=x.dtype if dtype is None else dt.of(dtype),
        )

    return like


ones_like, zeros_like = _like(1), _like(0)


def empty_like(prototype, dtype=None, shape=None):
    """A tensor like ``prototype``, of zeros.

    Args:
        prototype (Tensor): gives shape and dtype.
        dtype (dtype): another dtype. Default: None, that of ``prototype``.
        shape (tuple[int]): another shape. Default: None, that of ``prototype``.

    Returns:
        Tensor: of zeros.

    Raises:
        TypeError: ``prototype`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> ms.numpy.empty_like(prototype=[[1, 2]]).shape
        (1, 2)
    """
    return zeros_like(prototype, dtype, shape)


def full_like(a, fill_value, dtype=None, shape=None):
    """One value everywhere, in shape and dtype of ``a``."""
    x = array_of(a)
    return full(
        x.shape if shape is None else shape, fill_value, x.dtype if dtype is None else dtype
    )


def arange(start, stop=None, step=None, dtype=None):
    """Numbers ``step`` apart."""
    start, stop, step = (v.item() if isinstance(v, Tensor) else v for v in (start, stop, step))
    values = np.arange(start, stop, step) if stop is not None else np.arange(0, start, step)
    return (
        asarray(values.tolist(), dtype)
        if values.size
        else Tensor(values, dt.of(dtype or (dt.int32 if values.dtype.kind == "i" else dt.float32)))
    )


def _between(points, start, stop, num, endpoint, axis):
    """Points between bounds of which one is a tensor, in float64; ``points`` gives them from the bounds
    and what part of the way each is.
    """
    expect(num >= 0, "num", "at least 0", got=num)
    start, stop = (P.cast(array_of(v), dt.float64) for v in (start, stop))
    rank = max(len(start.shape), len(stop.shape))
    parts = P.arange(0, num, 1, start.dtype) / max(num - 1 if endpoint else num, 1)
    out = points(start, stop, P.reshape(parts, (num,) + (1,) * rank))
    return out if axis % (rank + 1) == 0 else F.moveaxis(out, 0, axis)


def _line(start, stop, part):
    return start + (stop - start) * part


def _spaced(fn, points):
    """A function of NumPy that spaces numbers; its ends may be tensors."""

    def spaced(start, stop, num, endpoint, *args, dtype=None, axis=0):
        if any(isinstance(v, (Tensor, Node)) or sequences.holds_tensors(v) for v in (start, stop)):
            return P.cast(_between(points, start, stop, num, endpoint, axis), _dtype(dtype))
        out = fn(start, stop, num, endpoint, *args, axis=axis)
        return Tensor(out, _dtype(dtype))

    return spaced


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """``num`` numbers from ``start`` to ``stop``, equally far apart."""
    out = _spaced(np.linspace, _line)(start, stop, num, endpoint, dtype=dtype, axis=axis)
    if not retstep:
        return out
    span = to_float(array_of(stop)) - to_float(array_of(start))
    return out, span / ((num - 1 if endpoint else num) or float("nan"))


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """``num`` powers of ``base``, with exponents equally far apart."""
    spaced = _spaced(np.logspace, lambda *bounds: P.pow(base, _line(*bounds)))
    return spaced(start, stop, num, endpoint, base, dtype=dtype, axis=axis)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers of one ratio, from one bound to the other.

    Args:
        start (Tensor | number): the first.
        stop (Tensor | number): the last.
        num (int): how many. Default: 50.
        endpoint (bool): whether ``stop`` is among them. Default: True.
        dtype (dtype): the element type. Default: None, float32.
        axis (int): where their dimension goes, if the bounds have dimensions. Default: 0.

    Returns:
        Tensor: the numbers.

    Raises:
        ValueError: a bound is 0; compiled code does not look at one that it finds when it runs.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.geomspace(1, 8, 4))
        [1. 2. 4. 8.]
    """
    spaced = _spaced(np.geomspace, lambda a, b, part: a * P.pow(b / a, part))
    return spaced(start, stop, num, endpoint, dtype=dtype, axis=axis)


def eye(N, M=None, k=0, dtype=dt.float32):
    """Ones on a diagonal."""
    return Tensor(np.eye(N, M, k), _dtype(dtype))


def identity(n, dtype=dt.float32):
    """The identity matrix.

    Args:
        n (int): rows and columns.
        dtype (dtype): the element type. Default: float32.

    Returns:
        Tensor[(n, n)]: the matrix.

    Raises:
        TypeError: ``n`` is no int.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.identity(2))
        [[1. 0.]
         [0. 1.]]
    """
    return eye(n, dtype=dtype)


def tri(N, M=None, k=0, dtype=dt.float32):
    """Ones at and below a diagonal.

    Args:
        N (int): rows.
        M (int): columns. Default: None, ``N``.
        k (int): the diagonal; above 0 over the main one. Default: 0.
        dtype (dtype): the element type. Default: float32.

    Returns:
        Tensor[(N, M)]: zeros above the diagonal.

    Raises:
        TypeError: a size is no int.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.tri(2))
        [[1. 0.]
         [1. 1.]]
    """
    columns = N if M is None else M
    if type(N) is int and type(columns) is int:
        check_memory(8 * N * columns, "the result")
    return Tensor(np.tri(N, M, k), _dtype(dtype))


def tril(m, k=0):
    """The lower triangle."""
    return P.tril(array_of(m), k)


def triu(m, k=0):
    """The upper triangle."""
    return P.triu(array_of(m), k)


def diag(v, k=0):
    """A diagonal, or a matrix with ``v`` on it."""
    v = array_of(v)
    return F.diag_embed(v, k) if len(v.shape) == 1 else F.diagonal(v, k)


def diagflat(v, k=0):
    """A matrix with all elements on a diagonal."""
    return F.diagflat(array_of(v), k)


def diagonal(a, offset=0, axis1=0, axis2=1):
    """A diagonal of two dimensions."""
    return F.diagonal(array_of(a), offset, axis1, axis2)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    """The sum along a diagonal."""
    return P.sum(widened(F.diagonal(array_of(a), offset, axis1, axis2), dtype), -1)


def vander(x, N=None, increasing=False):
    """The powers of the elements of a vector, in rows."""
    out = F.vander(array_of(x), N)
    return P.flip(out, (1,)) if increasing else out


def _of_kind(name: str, dtype, fits, kind: str):
    """The dtype of random numbers, of the kind that a function draws."""
    dtype = _dtype(dtype)
    if not fits(dtype):
        raise complain(ValueError, f"{name}: dtype is {dtype}", expected=kind)
    return dtype


def _floating(name: str, dtype):
    return _of_kind(name, dtype, lambda d: d.is_float, "a floating point type")


def rand(*shape, dtype=dt.float32):
    """Numbers uniform on [0, 1)."""
    return F.rand(*shape, dtype=_floating("rand", dtype))


def randn(*shape, dtype=dt.float32):
    """Numbers of the standard normal distribution."""
    return F.randn(*shape, dtype=_floating("randn", dtype))


def randint(minval, maxval=None, shape=None, dtype=dt.int32):
    """Integers uniform on [``minval``, ``maxval``)."""
    low, high = (0, minval) if maxval is None else (minval, maxval)
    dtype = _of_kind("randint", dtype, lambda d: d.is_int, "an integer type")
    return F.randint(low, high, () if shape is None else _shape(shape), dtype=dtype)


def copy(a):
    """A tensor of its own.

    Args:
        a (Tensor | numpy.ndarray | number | list | tuple): the values.

    Returns:
        Tensor: a copy.

    Raises:
        TypeError: ``a`` is none of these.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.copy([1, 2]))
        [1 2]
    """
    return P.copy(array_of(a))
