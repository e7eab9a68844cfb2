"""Discrete cosine transforms of types I to IV, each dimension by one Fourier transform."""

from __future__ import annotations

import math

import numpy as np

from .. import ops
from ..base import dtype as dt
from ..base.boundary import guard as _guard
from ..base.errors import expect
from ..ops.complex import resized
from ..ops.rules import axis_of
from ..tensor import Tensor

_NORMS = (None, "ortho", "backward", "forward")
_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _factors(type: int, n: int) -> tuple[int, np.ndarray, np.ndarray]:
    """(m, a, b) of y = Re(b F(a x)), with the first n of m frequencies of the Fourier transform F: a cosine
    of :math:`\\pi (k + k_0) (t + t_0) 2 / m` is the real part of a product of three exponentials.
    """
    m = 2 * (n - 1) if type == 1 else 2 * n
    k0, t0 = (0.5 if type > 2 else 0.0), (0.5 if type in (2, 4) else 0.0)
    at = np.arange(n)
    before = np.exp(-2j * np.pi * k0 * at / m) * 2
    after = np.exp(-2j * np.pi * t0 * (at + k0) / m)
    if type in (1, 3):  # their ends count once
        before[0] /= 2
    if type == 1:
        before[-1] /= 2
    return m, before, after


def _scaled(type: int, n: int, norm: str | None, inverse: bool):
    """`_factors` that make the transform, or the inverse of the transform of the other type."""
    m, before, after = _factors(type, n)
    if norm == "ortho":
        ends = [0, -1] if type == 1 else [0]
        before[ends] *= math.sqrt(2) if type in (1, 3) else 1
        after[ends] /= math.sqrt(2) if type in (1, 2) else 1
        after /= math.sqrt(m)
    elif (norm == "forward") != inverse:
        after /= m
    return m, before, after


def _cosines(x, m: int, before: np.ndarray, after: np.ndarray):
    """The transform of real numbers along the last dimension."""
    weighted = x * Tensor(before if before.imag.any() else before.real)
    waves = resized(ops.P.dft(weighted, m, -1), len(after), len(x.shape) - 1)
    return ops.P.real(waves * Tensor(after))


def _transformed(x, type, n, axis, norm, inverse):
    expect(len(x.shape) > 0, "x", "of rank 1 or more", got="rank 0")
    expect(type in _INVERSE, "type", "1, 2, 3 or 4", got=type)
    expect(norm in _NORMS, "norm", "None, 'ortho', 'backward' or 'forward'", got=repr(norm))
    norm = norm or "ortho"
    x = x if x.dtype.is_float or x.dtype.is_complex else ops.cast(x, dt.float32)
    axis = axis_of(axis, len(x.shape))
    n = x.shape[axis] if n is None else n
    expect(n > (type == 1), "n", "2 or more" if type == 1 else "positive", got=n)
    moved = ops.swapaxes(resized(x, n, axis), axis, -1)
    factors = _scaled(_INVERSE[type] if inverse else type, n, norm, inverse)
    if x.dtype.is_complex:
        out = ops.complex(_cosines(ops.real(moved), *factors), _cosines(ops.imag(moved), *factors))
    else:
        out = _cosines(moved, *factors)
    return ops.swapaxes(ops.cast(out, x.dtype), axis, -1)


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
    r"""The discrete cosine transform, of type II :math:`y_k = 2 \sum_t x_t \cos(\pi k (2 t + 1) / 2 n)`;
    the other types as SciPy has them.

    Args:
        x (Tensor[any shape, number]): the signals.
        type (int): 1, 2, 3 or 4. Default: 2.
        n (int): the length that is transformed; the dimension's by default.
        axis (int): the dimension. Default: -1.
        norm (str): ``"ortho"``, ``"forward"`` or ``"backward"``. Default: None, which is ``"ortho"``, as
            in MindSpore; SciPy's None is ``"backward"``.

    Returns:
        Tensor: of the same floating point dtype.

    Raises:
        ValueError: ``type`` or ``norm`` is another, or ``n`` is not positive (2 or more for type I).

    Examples:
        >>> from minds.scipy.fft import dct
        >>> print(dct(Tensor([3.0, 3.0]), norm="backward").asnumpy().round(6) + 0.0)
        [12.  0.]
    """
    return _transformed(x, type, n, axis, norm, False)


def idct(x, type=2, n=None, axis=-1, norm=None):
    """The inverse of `dct`.

    Args:
        x (Tensor[any shape, number]): the transforms.
        type (int): 1, 2, 3 or 4. Default: 2.
        n (int): the length that is transformed; the dimension's by default.
        axis (int): the dimension. Default: -1.
        norm (str): as of `dct`. Default: None.

    Returns:
        Tensor: of the same floating point dtype.

    Raises:
        TypeError: ``x`` has a dtype that is not supported.

    Examples:
        >>> from minds.scipy.fft import idct
        >>> print(idct(Tensor([4.0, 0.0]), norm="backward"))
        [1. 1.]
    """
    return _transformed(x, type, n, axis, norm, True)


def dctn(x, type=2, s=None, axes=None, norm=None):
    """`dct` along several dimensions, by default all.

    Args:
        x (Tensor[any shape, number]): the signals.
        type (int): 1, 2, 3 or 4. Default: 2.
        s (int, tuple[int]): the lengths that are transformed; the dimensions' by default.
        axes (int, tuple[int]): the dimensions. Default: None, which is all.
        norm (str): as of `dct`. Default: None.

    Returns:
        Tensor: of the same floating point dtype.

    Raises:
        TypeError: ``x`` has a dtype that is not supported.

    Examples:
        >>> from minds.scipy.fft import dctn
        >>> print(dctn(ops.ones((1, 2)), norm="backward").asnumpy().round(6) + 0.0)
        [[8. 0.]]
    """
    return _several(x, type, s, axes, norm, False)


def idctn(x, type=2, s=None, axes=None, norm=None):
    """The inverse of `dctn`.

    Args:
        x (Tensor[any shape, number]): the transforms.
        type (int): 1, 2, 3 or 4. Default: 2.
        s (int, tuple[int]): the lengths that are transformed; the dimensions' by default.
        axes (int, tuple[int]): the dimensions. Default: None, which is all.
        norm (str): as of `dct`. Default: None.

    Returns:
        Tensor: of the same floating point dtype.

    Raises:
        TypeError: ``x`` has a dtype that is not supported.

    Examples:
        >>> from minds.scipy.fft import idctn
        >>> print(idctn(Tensor([[8.0, 0.0]]), norm="backward"))
        [[1. 1.]]
    """
    return _several(x, type, s, axes, norm, True)


__all__ = ["dct", "dctn", "idct", "idctn"]
_guard(__name__)
