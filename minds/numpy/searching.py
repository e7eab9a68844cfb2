"""`minds.numpy`: what is found among elements: places, sets, bins; questions about types and sizes."""

from __future__ import annotations

import numpy as np

from ..base import dtype as dt
from ..base.errors import CompileTimeError, complain, expect, needing
from ..base.limits import times
from ..ir.node import Node
from ..ops.define import P
from ..ops.functional import WITHIN as F
from ..ops.unbacked import made_of
from ..tensor import Tensor
from .create import array_of


def _on_host(fn, dtype=None):
    """A function of NumPy whose result's size depends on values; in PyNative mode only."""

    def host(*args, **kwargs):
        # Lists of numbers as MindSpore takes them: ints are int32.
        args = [array_of(v) if isinstance(v, list) else v for v in args]
        nodes = [v for v in (*args, *kwargs.values()) if isinstance(v, Node)]
        if nodes:
            needs = f"numpy.{fn.__name__}: an operand must be known when the program is compiled"
            cure = "call it outside of compiled code"
            raise needing(complain(CompileTimeError, needs, cure=cure), nodes)
        sources = tuple([v for v in args if isinstance(v, Tensor)])
        out = fn(*[v.asnumpy() if isinstance(v, Tensor) else v for v in args], **kwargs)

        def convert(v):
            made = array_of(v if isinstance(v, np.ndarray) else np.asarray(v).tolist(), dtype)
            return made_of(made, sources, fn.__name__) if made.dtype.is_inexact else made

        return tuple(map(convert, out)) if isinstance(out, tuple) else convert(out)

    return host


argwhere = _on_host(np.argwhere)


def setdiff1d(ar1, ar2, assume_unique=False):
    """The elements of one tensor that are not in another; in PyNative mode only.

    Args:
        ar1 (Tensor): the elements.
        ar2 (Tensor): the others.
        assume_unique (bool): whether no element comes twice, which is faster. Default: False.

    Returns:
        Tensor: a vector, in order.

    Raises:
        TypeError: the elements are no numbers.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.setdiff1d(ms.Tensor([3, 1, 2]), ms.Tensor([2])))
        [1 3]
    """
    return _on_host(np.setdiff1d)(ar1, ar2, assume_unique)


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The elements that are in both tensors; in PyNative mode only.

    Args:
        ar1 (Tensor): the one.
        ar2 (Tensor): the other.
        assume_unique (bool): whether no element comes twice, which is faster. Default: False.
        return_indices (bool): whether the positions in both are returned too. Default: False.

    Returns:
        Tensor: a vector, in order; or it and two vectors of positions.

    Raises:
        TypeError: the elements are no numbers.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.intersect1d(ms.Tensor([3, 1, 2]), ms.Tensor([2, 3])))
        [2 3]
    """
    for name, v in (("assume_unique", assume_unique), ("return_indices", return_indices)):
        expect(isinstance(v, bool), name, "a bool", TypeError, got=repr(v))
    for name, v in (("ar1", ar1), ("ar2", ar2)):
        expect(v is not None, name, "a tensor", TypeError, got="None")
    return _on_host(np.intersect1d)(ar1, ar2, assume_unique, return_indices)


def unravel_index(indices, shape, order="C"):
    """The coordinates of positions in a flattened tensor; in PyNative mode only.

    Args:
        indices (Tensor[int] | int): the positions.
        shape (tuple[int]): the shape.
        order (str): ``"C"``, row by row, or ``"F"``. Default: ``"C"``.

    Returns:
        tuple[Tensor[int32]]: one tensor per dimension.

    Raises:
        ValueError: a position is out of range.

    Examples:
        >>> import minds as ms
        >>> rows, columns = ms.numpy.unravel_index([1, 5], (2, 3))
        >>> print(rows, columns)
        [0 1] [1 2]
    """
    return _on_host(np.unravel_index, dt.int32)(indices, shape, order)


def ravel_multi_index(multi_index, dims, mode="clip", order="C"):
    """The positions in a flattened tensor of coordinates.

    Args:
        multi_index (Tensor[(N, ...)], tuple[numpy.ndarray | int]): one array of coordinates per
            dimension.
        dims (tuple[int]): the shape.
        mode (str): ``"raise"``, ``"wrap"`` or ``"clip"`` for coordinates out of range. Default:
            ``"clip"``.
        order (str): ``"C"``, row by row, or ``"F"``. Default: ``"C"``.

    Returns:
        Tensor[float32]: the positions.

    Raises:
        ValueError: a coordinate is out of range, with ``"raise"``; compiled code does not look.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.ravel_multi_index((1, 2), (2, 3)))
        5.0
    """
    if hasattr(multi_index, "__len__"):
        times(len(multi_index), "the number of dimensions", 64)
    if isinstance(multi_index, Node) or any(isinstance(v, Node) for v in multi_index):
        return _raveled([array_of(v) for v in multi_index], dims, mode, order)
    return _on_host(np.ravel_multi_index, dt.float32)(multi_index, dims, mode, order)


def _raveled(coordinates: list, dims, mode: str, order: str):
    """The positions of coordinates that compiled code finds when it runs."""
    expect(mode in ("raise", "wrap", "clip"), "mode", "one of 'raise', 'wrap' and 'clip'", got=mode)
    expect(order in ("C", "F"), "order", "'C' or 'F'", got=order)
    expect(len(dims) == len(coordinates), "dims", f"of length {len(coordinates)}", got=dims)
    pairs = list(zip(coordinates, dims, strict=True))
    out = 0
    for at, size in pairs if order == "C" else reversed(pairs):
        if mode != "raise":
            at = P.mod(at, size) if mode == "wrap" else P.minimum(P.maximum(at, 0), size - 1)
        out = out * size + at
    return P.cast(out, dt.float32)


def unique(x, return_inverse=False):
    """The distinct elements, and with ``return_inverse`` for each element which it is."""
    out = F.unique(P.reshape(array_of(x), (-1,)))
    return out if return_inverse else out[0]


def isin(element, test_elements, invert=False):
    """Where elements are among others.

    Args:
        element (Tensor | number): the elements.
        test_elements (Tensor | number): the others.
        invert (bool): whether it is where they are not. Default: False.

    Returns:
        Tensor[bool]: of the shape of ``element``.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.isin([1, 2, 3], [1, 3]))
        [ True False  True]
    """
    x, others = array_of(element), P.reshape(array_of(test_elements), (-1,))
    found = P.any(P.equal(P.reshape(x, x.shape + (1,)), others), -1)
    return P.logical_not(found) if invert else found


def in1d(ar1, ar2, invert=False):
    """Where elements of a vector are among others.

    Args:
        ar1 (Tensor | number): the elements, flattened.
        ar2 (Tensor | number): the others.
        invert (bool): whether it is where they are not. Default: False.

    Returns:
        Tensor[bool]: a vector.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.in1d(ms.Tensor([1, 2, 3]), [1, 3]))
        [ True False  True]
    """
    return isin(P.reshape(array_of(ar1), (-1,)), ar2, invert)


def searchsorted(a, v, side="left", sorter=None):
    """Where values would have to be inserted."""
    return P.cast(
        F.searchsorted(
            array_of(a), array_of(v), side=side, sorter=None if sorter is None else array_of(sorter)
        ),
        dt.int32,
    )


def digitize(x, bins, right=False):
    """The interval that each element falls into.

    Args:
        x (Tensor): the elements.
        bins (Tensor): the edges, rising or falling.
        right (bool): whether an interval contains its right edge. Default: False.

    Returns:
        Tensor[int32]: of the shape of ``x``.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.
        ValueError: ``bins`` is not of rank 1.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.digitize([0.5, 1.5], [0.0, 1.0, 2.0]))
        [1 2]
    """
    bins, x = array_of(bins), array_of(x)
    expect(bins.ndim == 1, "bins", "of rank 1", got=f"shape {bins.shape}")
    rising = P.cast(P.search(bins, x, not right), dt.int32)
    falls = P.less(bins[-1], bins[0]) if bins.size > 1 else False
    known = not isinstance(falls, Node)
    if known and not falls:
        return rising
    falling = bins.size - P.cast(P.search(P.flip(bins, (0,)), x, not right), dt.int32)
    return falling if known else P.select(falls, falling, rising)


def isscalar(element):
    """Whether a value is a number, a bool or a str.

    Args:
        element (Any): the value.

    Returns:
        bool: whether.

    Raises:
        TypeError: another number of arguments than one.

    Examples:
        >>> import minds as ms
        >>> ms.numpy.isscalar(3.5), ms.numpy.isscalar([3.5])
        (True, False)
    """
    return isinstance(element, (int, float, bool, complex, str))


def size(a, axis=None):
    """How many elements there are, along ``axis``."""
    shape = array_of(a).shape
    return int(np.prod(shape)) if axis is None else shape[axis]


def result_type(*arrays_and_dtypes):
    """The dtype that operands are promoted to.

    Args:
        arrays_and_dtypes (Tensor | number | dtype | str ...): the operands.

    Returns:
        dtype: the common one.

    Raises:
        TypeError: one is no dtype and no operand.

    Examples:
        >>> import minds as ms
        >>> ms.numpy.result_type(ms.Tensor([1.0]), ms.int32)
        Float32
    """
    out = None
    for v in arrays_and_dtypes:
        v = np.dtype(v) if isinstance(v, str) else v
        kind = v if isinstance(v, (dt.DType, type, np.dtype)) else array_of(v).dtype
        out = _dtype_of(kind) if out is None else dt.promote(out, _dtype_of(kind))
    return out


def _dtype_of(kind):
    """A dtype; int is int32, as of this module's arrays."""
    return dt.int32 if kind is int else dt.of(kind)


def promote_types(type1, type2):
    """The dtype that holds two others.

    Args:
        type1 (dtype), type2 (dtype): the two.

    Returns:
        dtype: the common one.

    Raises:
        TypeError: one is no dtype.

    Examples:
        >>> import minds as ms
        >>> ms.numpy.promote_types(ms.int32, ms.float16)
        Float16
    """
    return dt.promote(_dtype_of(type1), _dtype_of(type2))
