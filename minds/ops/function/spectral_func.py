"""Fourier transforms and windows."""

from __future__ import annotations

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...ir.dim import Dim
from ...ir.node import Node
from ...tensor import Tensor
from .. import docs
from ..complex import resized
from ..define import P
from ..faces import face
from ..rules import axis_of
from .elsewhere import elsewhere

_ARGS = """
    Args:
        input (Tensor): the operand.
        {n} ({kind}): the size{s}; the operand is cut or padded with zeros. Default: {default}.
        dim ({kind}): the dimension{s}. Default: {dims}.
        norm (str): ``"backward"`` scales the inverse by 1/n, ``"forward"`` the transform, ``"ortho"`` both by
            the root. Default: ``"backward"``.

    Returns:
        Tensor: {result}.
"""


def _doc(result: str, dims: str = "-1"):
    several = dims != "-1"

    def insert(fn):
        said = _ARGS.format(
            n="s" if several else "n",
            kind="tuple[int]" if several else "int",
            s="s" if several else "",
            default="those of the operand" if several else "that of the dimension",
            dims=dims,
            result=result,
        )
        fn.__doc__ = docs.before_examples(fn.__doc__, said)
        return fn

    return insert


def _axes(x, s, dim):
    """(dimension, size or None) of each transform of several."""
    rank = len(x.shape)
    if dim is None:
        dim = tuple(range(rank)) if s is None else tuple(range(rank - len(s), rank))
    dim = (dim,) if isinstance(dim, int) else tuple(dim)
    s = (None,) * len(dim) if s is None else (s,) if isinstance(s, int) else tuple(s)
    expect(len(s) == len(dim), "s", f"of {len(dim)} sizes", got=s)
    return [(axis_of(d, rank, "dim"), n) for d, n in zip(dim, s, strict=True)]


def _several(x, axes, norm, inverse):
    for axis, n in axes:
        x = P.dft(x, n, axis, norm, inverse)
    return x


@_doc("complex")
def fft(input, n=None, dim=-1, norm=None):
    """The discrete Fourier transform along a dimension.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: ``dim`` is out of range.

    Examples:
        >>> print(ops.fft(Tensor([1.0, 1.0])))
        [2.+0.j 0.+0.j]
    """
    return P.dft(input, n, dim, norm, False)


@_doc("complex")
def ifft(input, n=None, dim=-1, norm=None):
    """The inverse of `fft`.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: ``dim`` is out of range.

    Examples:
        >>> print(ops.ifft(Tensor([2.0, 0.0])))
        [1.+0.j 1.+0.j]
    """
    return P.dft(input, n, dim, norm, True)


@_doc("complex", "the last two")
def fft2(input, s=None, dim=(-2, -1), norm=None):
    """The discrete Fourier transform along two dimensions.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> ops.fft2(ops.ones((2, 2))).shape
        (2, 2)
    """
    return _several(input, _axes(input, s, dim), norm, False)


@_doc("complex", "the last two")
def ifft2(input, s=None, dim=(-2, -1), norm=None):
    """The inverse of `fft2`.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> ops.ifft2(ops.ones((2, 2))).shape
        (2, 2)
    """
    return _several(input, _axes(input, s, dim), norm, True)


@_doc("complex", "all, or the last ones that ``s`` names")
def fftn(input, s=None, dim=None, norm=None):
    """The discrete Fourier transform along several dimensions.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> ops.fftn(ops.ones((2, 2))).shape
        (2, 2)
    """
    return _several(input, _axes(input, s, dim), norm, False)


@_doc("complex", "all, or the last ones that ``s`` names")
def ifftn(input, s=None, dim=None, norm=None):
    """The inverse of `fftn`.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> ops.ifftn(ops.ones((2, 2))).shape
        (2, 2)
    """
    return _several(input, _axes(input, s, dim), norm, True)


@_doc("complex, with the n // 2 + 1 frequencies that determine the others")
def rfft(input, n=None, dim=-1, norm=None):
    """The discrete Fourier transform of real numbers.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> print(ops.rfft(Tensor([1.0, 1.0])))
        [2.+0.j 0.+0.j]
    """
    expect(not input.dtype.is_complex, "input", "real", TypeError, got=input.dtype.name)
    dim = axis_of(dim, len(input.shape), "dim")
    out = P.dft(input, n, dim, norm, False)
    return resized(out, out.shape[dim] // 2 + 1, dim)


@_doc("real")
def irfft(input, n=None, dim=-1, norm=None):
    """The inverse of `rfft`.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> print(ops.irfft(ops.rfft(Tensor([1.0, 2.0]))))
        [1. 2.]
    """
    dim = axis_of(dim, len(input.shape), "dim")
    n = 2 * (input.shape[dim] - 1) if n is None else n
    return P.real(P.dft(_mirrored(input, n, dim), n, dim, norm, True))


def _mirrored(x, n: int, dim: int):
    """All ``n`` frequencies of a real signal from the first half of them."""
    half = resized(x, n // 2 + 1, dim)
    if n < 3:
        return half
    begin, end = [0] * len(x.shape), list(half.shape)
    begin[dim], end[dim] = 1, (n + 1) // 2
    middle = P.strided_slice(half, tuple(begin), tuple(end), (1,) * len(end))
    middle = P.flip(middle, (dim,))
    return P.concat((half, P.conj(middle) if x.dtype.is_complex else middle), dim)


@_doc("complex, with half of the last dimension", "the last two")
def rfft2(input, s=None, dim=(-2, -1), norm=None):
    """`rfft` along the last of two dimensions, `fft` along the other.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> ops.rfft2(ops.ones((2, 4))).shape
        (2, 3)
    """
    return rfftn(input, s, dim, norm)


@_doc("complex, with half of the last dimension", "all, or the last ones that ``s`` names")
def rfftn(input, s=None, dim=None, norm=None):
    """`rfft` along the last of several dimensions, `fft` along the others.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> ops.rfftn(ops.ones((2, 4))).shape
        (2, 3)
    """
    axes = _axes(input, s, dim)
    axis, n = axes[-1]
    return _several(rfft(input, n, axis, norm), axes[:-1], norm, False)


@_doc("real", "the last two")
def irfft2(input, s=None, dim=(-2, -1), norm=None):
    """The inverse of `rfft2`.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> ops.irfft2(ops.ones((2, 3))).shape
        (2, 4)
    """
    return irfftn(input, s, dim, norm)


@_doc("real", "all, or the last ones that ``s`` names")
def irfftn(input, s=None, dim=None, norm=None):
    """The inverse of `rfftn`.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> ops.irfftn(ops.ones((2, 3))).shape
        (2, 4)
    """
    axes = _axes(input, s, dim)
    axis, n = axes[-1]
    return irfft(_several(input, axes[:-1], norm, True), n, axis, norm)


@_doc("real")
def hfft(input, n=None, dim=-1, norm=None):
    """The discrete Fourier transform of a signal whose second half mirrors the first, conjugated.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> print(ops.hfft(Tensor([1.0, 1.0])))
        [2. 0.]
    """
    dim = axis_of(dim, len(input.shape), "dim")
    n = 2 * (input.shape[dim] - 1) if n is None else n
    return P.real(P.dft(_mirrored(input, n, dim), n, dim, norm, False))


@_doc("complex, with half of the dimension")
def ihfft(input, n=None, dim=-1, norm=None):
    """The inverse of `hfft`.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> print(ops.ihfft(Tensor([2.0, 0.0])))
        [1.+0.j 1.+0.j]
    """
    dim = axis_of(dim, len(input.shape), "dim")
    out = P.dft(input, n, dim, norm, True)
    return resized(out, out.shape[dim] // 2 + 1, dim)


@_doc("real", "(-2, -1)")
def hfft2(input, s=None, dim=(-2, -1), norm=None):
    """`hfft` along the last dimension of a plane, `fft` along the other.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> ops.hfft2(ops.ones((2, 2))).shape
        (2, 2)
    """
    return hfftn(input, s, dim, norm)


@_doc("real", "all")
def hfftn(input, s=None, dim=None, norm=None):
    """`hfft` along the last dimension, `fft` along the others.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> ops.hfftn(ops.ones((2, 2, 2))).shape
        (2, 2, 2)
    """
    axes = _axes(input, s, dim)
    axis, n = axes[-1]
    return hfft(_several(input, axes[:-1], norm, False), n, axis, norm)


@_doc("complex, with half of the last dimension", "(-2, -1)")
def ihfft2(input, s=None, dim=(-2, -1), norm=None):
    """The inverse of `hfft2`.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> ops.ihfft2(ops.ones((2, 2))).shape
        (2, 2)
    """
    return ihfftn(input, s, dim, norm)


@_doc("complex, with half of the last dimension", "all")
def ihfftn(input, s=None, dim=None, norm=None):
    """The inverse of `hfftn`.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> ops.ihfftn(ops.ones((2, 2, 2))).shape
        (2, 2, 2)
    """
    axes = _axes(input, s, dim)
    axis, n = axes[-1]
    return _several(ihfft(input, n, axis, norm), axes[:-1], norm, True)


def fftfreq(n, d=1.0, dtype=None):
    """The frequencies of `fft` of ``n`` samples ``d`` apart.

    Args:
        n (int): the number of samples.
        d (float): their distance. Default: 1.0.
        dtype (dtype): of the result. Default: None, which is float32.

    Returns:
        Tensor[(n,)]: the frequencies.

    Raises:
        ValueError: ``n`` has a wrong type.

    Examples:
        >>> print(ops.fftfreq(4))
        [ 0.    0.25 -0.5  -0.25]
    """
    dtype = dt.float32 if dtype is None else dt.of(dtype)
    if not (_of_run(n) or _of_run(d)):
        return Tensor(np.fft.fftfreq(n, d), dtype)
    at = P.arange(0, n, 1, dt.int64)
    at = P.select(at < (n + 1) // 2, at, at - n)
    return P.cast(P.cast(at, dtype) / (n * d), dtype)


def rfftfreq(n, d=1.0, dtype=None):
    """The frequencies of `rfft` of ``n`` samples ``d`` apart.

    Args:
        n (int): the number of samples.
        d (float): their distance. Default: 1.0.
        dtype (dtype): of the result. Default: None, which is float32.

    Returns:
        Tensor[(n // 2 + 1,)]: the frequencies.

    Raises:
        ValueError: ``n`` has a wrong type.

    Examples:
        >>> print(ops.rfftfreq(4))
        [0.   0.25 0.5 ]
    """
    dtype = dt.float32 if dtype is None else dt.of(dtype)
    if not (_of_run(n) or _of_run(d)):
        return Tensor(np.fft.rfftfreq(n, d), dtype)
    return P.cast(P.cast(P.arange(0, n // 2 + 1, 1, dt.int64), dtype) / (n * d), dtype)


def _of_run(v) -> bool:
    """Whether a number is known at run time only."""
    return isinstance(v, (Node, Dim))


def fftshift(input, dim=None):
    """The frequencies in increasing order: the second half of dimensions before the first.

    Args:
        input (Tensor): the operand.
        dim (int, tuple[int]): the dimensions. Default: None, which is all.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        IndexError: ``dim`` is out of range.

    Examples:
        >>> print(ops.fftshift(Tensor([0, 1, -2, -1])))
        [-2 -1  0  1]
    """
    return _rolled(input, dim, lambda n: n - n // 2)


def ifftshift(input, dim=None):
    """The inverse of `fftshift`.

    Args:
        input (Tensor): the operand.
        dim (int, tuple[int]): the dimensions. Default: None, which is all.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        IndexError: ``dim`` is out of range.

    Examples:
        >>> print(ops.ifftshift(Tensor([-2, -1, 0, 1])))
        [ 0  1 -2 -1]
    """
    return _rolled(input, dim, lambda n: n // 2)


def _rolled(x, dim, first):
    """Dimensions cut after ``first(n)`` elements, and the parts exchanged."""
    dim = range(len(x.shape)) if dim is None else (dim,) if isinstance(dim, int) else dim
    for d in dim:
        n = x.shape[d]
        a, b = P.split(x, (first(n), n - first(n)), axis_of(d, len(x.shape), "dim"))
        x = P.concat((b, a), d)
    return x


# ---- windows


def _window(values, length: int, periodic: bool, dtype):
    """A window of ``length``: a periodic one is a symmetric one of one more, without its last
    element.
    """
    length = int(length)
    expect(length >= 0, "window_length", "at least 0", got=length)
    if length == 0:
        return Tensor(np.zeros(0), dt.of(dtype))
    return Tensor(
        values(length + 1)[:-1] if periodic and length > 1 else values(length), dt.of(dtype)
    )


@face(cls="BartlettWindow(periodic=True, dtype=float32)")
def bartlett_window(window_length, periodic=True, *, dtype=None):
    """A triangular window.

    Args:
        window_length (int): the size.
        periodic (bool): leave out the last point of a window that is one longer. Default: True.
        dtype (dtype): of the result. Default: None, which is float32.

    Returns:
        Tensor[(window_length,)]: the window.

    Raises:
        ValueError: ``window_length`` has a wrong type.

    Examples:
        >>> print(ops.bartlett_window(4))
        [0.  0.5 1.  0.5]
    """
    return _window(np.bartlett, window_length, periodic, dtype or dt.float32)


@face(cls="BlackmanWindow(periodic=True, dtype=float32)")
def blackman_window(window_length, periodic=True, *, dtype=None):
    """A Blackman window.

    Args:
        window_length (int): the size.
        periodic (bool): leave out the last point of a window that is one longer. Default: True.
        dtype (dtype): of the result. Default: None, which is float32.

    Returns:
        Tensor[(window_length,)]: the window.

    Raises:
        ValueError: ``window_length`` has a wrong type.

    Examples:
        >>> print(ops.blackman_window(4).asnumpy().round(2) + 0)
        [0.   0.34 1.   0.34]
    """
    return _window(np.blackman, window_length, periodic, dtype or dt.float32)


def hann_window(window_length, periodic=True, *, dtype=None):
    """A Hann window.

    Args:
        window_length (int): the size.
        periodic (bool): leave out the last point of a window that is one longer. Default: True.
        dtype (dtype): of the result. Default: None, which is float64.

    Returns:
        Tensor[(window_length,)]: the window.

    Raises:
        ValueError: ``window_length`` has a wrong type.

    Examples:
        >>> print(ops.hann_window(4))
        [0.  0.5 1.  0.5]
    """
    return _window(np.hanning, window_length, periodic, dtype or dt.float64)


@face(cls="HammingWindow(periodic=True, alpha=0.54, beta=0.46, dtype=float32)")
def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None):
    r"""A Hamming window :math:`\alpha - \beta \cos(2 \pi k / (n - 1))`.

    Args:
        window_length (int): the size.
        periodic (bool): leave out the last point of a window that is one longer. Default: True.
        alpha (float): the constant term. Default: 0.54.
        beta (float): the factor of the cosine. Default: 0.46.
        dtype (dtype): of the result. Default: None, which is float32.

    Returns:
        Tensor[(window_length,)]: the window.

    Raises:
        ValueError: ``window_length`` has a wrong type.

    Examples:
        >>> print(ops.hamming_window(4))
        [0.08 0.54 1.   0.54]
    """

    def values(n):
        return alpha - beta * np.cos(2 * np.pi * np.arange(n) / max(n - 1, 1))

    return _window(values, window_length, periodic, dtype or dt.float32)


def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None):
    """A Kaiser window.

    Args:
        window_length (int): the size.
        periodic (bool): leave out the last point of a window that is one longer. Default: True.
        beta (float): how narrow it is. Default: 12.0.
        dtype (dtype): of the result. Default: None, which is float64.

    Returns:
        Tensor[(window_length,)]: the window.

    Raises:
        ValueError: ``window_length`` has a wrong type.

    Examples:
        >>> print(ops.kaiser_window(3, periodic=False).asnumpy().round(3))
        [0. 1. 0.]
    """
    return _window(lambda n: np.kaiser(n, beta), window_length, periodic, dtype or dt.float64)


# MindSpore has other functions here too.
__getattr__, __dir__ = elsewhere(__name__)
