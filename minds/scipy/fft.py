"""Discrete cosine transforms (of type II, and III as its inverse), each dimension as a product with
its matrix.
"""

from __future__ import annotations

import math

import numpy as np

from .. import ops
from ..base import dtype as dt
from ..base.boundary import guard as _guard
from ..base.errors import expect
from ..ops.rules import axis_of
from ..tensor import Tensor


def _matrix(n: int, norm: str | None, inverse: bool) -> np.ndarray:
    """The (n, n) matrix of the transform: rows are frequencies, or of the inverse times."""
    k, t = np.arange(n)[:, None], np.arange(n)[None, :]
    if norm == "ortho":
        scale = np.where(k == 0, math.sqrt(1 / n), math.sqrt(2 / n))
        whole = scale * np.cos(np.pi * k * (2 * t + 1) / (2 * n))
        return whole.T if inverse else whole
    forward = 2 * np.cos(np.pi * k * (2 * t + 1) / (2 * n))
    if not inverse:
        return forward / (2 * n) if norm == "forward" else forward
    back = np.where(k == 0, 1.0, 2.0) * np.cos(np.pi * k * (2 * t + 1) / (2 * n))
    return back.T if norm == "forward" else back.T / (2 * n)


def _sized(x, n: int, axis: int):
    """The first ``n`` elements along a dimension, filled up with zeros."""
    if n > x.shape[axis]:
        return ops.P.pad(x, tuple((0, n - m if i == axis else 0) for i, m in enumerate(x.shape)), 0)
    return x if n == x.shape[axis] else ops.narrow(x, axis, 0, n)


def _transformed(x, type, n, axis, norm, inverse):
    expect(len(x.shape) > 0, "x", "of rank 1 or more", got="rank 0")
    expect(type == 2, "type", "2", got=type)
    expect(
        norm in (None, "backward", "ortho", "forward"),
        "norm",
        "None, 'backward', 'ortho' or 'forward'",
        got=repr(norm),
    )
    x = x if x.dtype.is_float or x.dtype.is_complex else ops.cast(x, dt.float32)
    axis = axis_of(axis, len(x.shape))
    n = x.shape[axis] if n is None else n
    expect(n > 0, "n", "positive", got=n)
    moved = ops.swapaxes(_sized(x, n, axis), axis, -1)
    out = (
        ops.P.matmul(moved, Tensor(_matrix(n, norm, inverse).T, x.dtype))
        if len(moved.shape) > 1
        else ops.reshape(
            ops.P.matmul(ops.reshape(moved, (1, n)), Tensor(_matrix(n, norm, inverse).T, x.dtype)),
            (n,),
        )
    )
    return ops.swapaxes(out, axis, -1)


def _several(x, type, s, axes, norm, inverse):
    if axes is None:
        axes = (
            tuple(range(len(x.shape)))
            if s is None
            else tuple(range(len(x.shape) - len(s), len(x.shape)))
        )
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    sizes = (
        (None,) * len(axes) if s is None else (s,) * len(axes) if isinstance(s, int) else tuple(s)
    )
    expect(len(sizes) == len(axes), "s", f"of {len(axes)} sizes", got=s)
    for axis, n in zip(axes, sizes, strict=True):
        x = _transformed(x, type, n, axis, norm, inverse)
    return x


def dct(x, type=2, n=None, axis=-1, norm=None):
    r"""The discrete cosine transform of type II, :math:`y_k = 2 \sum_t x_t \cos(\pi k (2 t + 1) /
    2 n)`.

    Args:
        x (Tensor[any shape, number]): the signals.
        type (int): 2.
        n (int): the length that is transformed; the dimension's by default.
        axis (int): the dimension. Default: -1.
        norm (str): ``"ortho"``, ``"forward"``, or ``"backward"`` as None. Default: None.

    Returns:
        Tensor: of the same floating point dtype.

    Raises:
        ValueError: ``type`` or ``norm`` is another, or ``n`` is not positive.

    Examples:
        >>> from minds.scipy.fft import dct
        >>> print(dct(Tensor([1.0, 1.0])))
        [4. 0.]
    """
    return _transformed(x, type, n, axis, norm, False)


def idct(x, type=2, n=None, axis=-1, norm=None):
    """The inverse of `dct`.

    Args:
        x (Tensor[any shape, number]): the transforms.
        type (int): 2.
        n (int): the length that is transformed; the dimension's by default.
        axis (int): the dimension. Default: -1.
        norm (str): as of `dct`. Default: None.

    Returns:
        Tensor: of the same floating point dtype.

    Raises:
        TypeError: ``x`` has a dtype that is not supported.

    Examples:
        >>> from minds.scipy.fft import idct
        >>> print(idct(Tensor([4.0, 0.0])))
        [1. 1.]
    """
    return _transformed(x, type, n, axis, norm, True)


def dctn(x, type=2, s=None, axes=None, norm=None):
    """`dct` along several dimensions, by default all.

    Args:
        x (Tensor[any shape, number]): the signals.
        type (int): 2.
        s (int, tuple[int]): the lengths that are transformed; the dimensions' by default.
        axes (int, tuple[int]): the dimensions. Default: None, which is all.
        norm (str): as of `dct`. Default: None.

    Returns:
        Tensor: of the same floating point dtype.

    Raises:
        TypeError: ``x`` has a dtype that is not supported.

    Examples:
        >>> from minds.scipy.fft import dctn
        >>> print(dctn(ops.ones((1, 2))))
        [[8. 0.]]
    """
    return _several(x, type, s, axes, norm, False)


def idctn(x, type=2, s=None, axes=None, norm=None):
    """The inverse of `dctn`.

    Args:
        x (Tensor[any shape, number]): the transforms.
        type (int): 2.
        s (int, tuple[int]): the lengths that are transformed; the dimensions' by default.
        axes (int, tuple[int]): the dimensions. Default: None, which is all.
        norm (str): as of `dct`. Default: None.

    Returns:
        Tensor: of the same floating point dtype.

    Raises:
        TypeError: ``x`` has a dtype that is not supported.

    Examples:
        >>> from minds.scipy.fft import idctn
        >>> print(idctn(Tensor([[8.0, 0.0]])))
        [[1. 1.]]
    """
    return _several(x, type, s, axes, norm, True)


__all__ = ["dct", "dctn", "idct", "idctn"]
_guard(__name__)
