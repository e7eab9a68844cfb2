"""Complex numbers: their parts, Fourier transforms, and the ops without a kernel for complex numbers.

A cotangent of a complex value z = x + iy is the complex number dL/dx + i dL/dy, as in PyTorch and
MindSpore: a step against it descends. So a holomorphic function f passes on dout times the
conjugate of f'(z) (`rules.holomorphic`), and what is real takes the real part of a complex
cotangent (`cast`).
"""

from __future__ import annotations

import math

import numpy as np

from ..base import dtype as dt
from ..base.errors import expect
from ..ir.abstract import AbstractTensor
from ..tensor import Tensor
from .define import P, op
from .rules import PARTS, WHOLE, axis_of, part_of, reduced, same, whole_of


@op(batch="leading", function=True, method=True, cls=True, mint=True)
def real(input: Tensor) -> Tensor:
    """The real parts.

    Args:
        input (Tensor[any shape, complex]): the operand; real numbers are returned as they are.

    Returns:
        Tensor: of the same shape and real dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.real(ops.complex(Tensor([1.0]), Tensor([2.0]))))
        [1.]
    """
    return AbstractTensor(input.shape, part_of(input))


@real.bprop
def _(x, out, dout):
    return (P.cast(dout, x.dtype),)


@op(batch="leading", function=True, method=True, cls=True, mint=True)
def imag(input: Tensor) -> Tensor:
    """The imaginary parts.

    Args:
        input (Tensor[any shape, complex]): the operand.

    Returns:
        Tensor: of the same shape and real dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.imag(ops.complex(Tensor([1.0]), Tensor([2.0]))))
        [2.]
    """
    return AbstractTensor(input.shape, part_of(input))


@imag.bprop
def _(x, out, dout):
    if not x.dtype.is_complex:
        return (None,)
    return (P.complex(P.full(dout.shape, 0, dout.dtype), dout),)


@op(promote="input other", floating=True, function=True, cls=True)
def complex(input: Tensor, other: Tensor) -> Tensor:
    """Complex numbers of their parts.

    Args:
        input (Tensor[any shape, float]): the real parts.
        other (Tensor[any shape, float]): the imaginary parts; shapes broadcast.

    Returns:
        Tensor: complex64, of float64 complex128.

    Raises:
        TypeError: a part is complex, or a float of 16 bits.
        ValueError: the shapes differ.

    Examples:
        >>> print(ops.complex(Tensor([1.0]), Tensor([2.0])))
        [1.+2.j]
    """
    expect(input.dtype in WHOLE, "input", "float32 or float64", TypeError, got=input.dtype.name)
    expect(input.shape == other.shape, "other", f"of shape {input.shape}", got=other.shape)
    return AbstractTensor(input.shape, whole_of(input))


@complex.bprop
def _(x, y, out, dout):
    return P.real(dout), P.imag(dout)


@complex.batch
def _(b, x, y):
    return P.complex(*b.every(x, y))


@op(batch="leading", function=True, method=True, cls=True)
def conj(input: Tensor) -> Tensor:
    """The complex conjugates.

    Args:
        input (Tensor[any shape, number]): the operand; real numbers are returned as they are.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.conj(ops.complex(Tensor([1.0]), Tensor([2.0]))))
        [1.-2.j]
    """
    return same(input)


@conj.bprop
def _(x, out, dout):
    return (P.conj(dout),)


# ---- Fourier transforms

_OPPOSITE = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def _transform(forward, inverse_):
    def host(x, n, axis, norm, inverse):
        x = (
            x.astype(np.float32) if x.dtype == np.float16 else x
        )  # NumPy would scale half floats as such
        return (inverse_ if inverse else forward)(x, n, axis, norm)

    return host


def _length(x, n, axis, norm):
    axis = axis_of(axis, x.ndim, "dim")
    norm = norm or "backward"
    expect(norm in _OPPOSITE, "norm", "'backward', 'forward' or 'ortho'", got=repr(norm))
    n = x.shape[axis] if n is None else n
    expect(n > 0, "n", "positive", got=n)
    return n, axis, norm


@op(host=_transform(np.fft.fft, np.fft.ifft), batch="axis")
def dft(
    input: Tensor,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    inverse: bool = False,
) -> Tensor:
    r"""The discrete Fourier transform :math:`\sum_j x_j e^{-2 \pi i j k / n}` along a dimension.

    Args:
        input (Tensor): the operand.
        n (int): the length; the operand is cut or padded with zeros. Default: that of the
            dimension.
        axis (int): the dimension. Default: -1.
        norm (str): ``"backward"`` scales the inverse by 1/n, ``"forward"`` the transform,
            ``"ortho"`` both by the root. Default: ``"backward"``.
        inverse (bool): the inverse transform. Default: False.

    Returns:
        Tensor: complex.
    """
    return AbstractTensor(input.shape[:axis] + (n,) + input.shape[axis + 1 :], whole_of(input))


@dft.normalize
def _(x, n, axis, norm, inverse):
    n, axis, norm = _length(x, n, axis, norm)
    return {"n": n, "axis": axis, "norm": norm, "inverse": bool(inverse)}


def resized(x, n: int, axis: int):
    """``x`` cut, or padded with zeros, to ``n`` elements along ``axis``."""
    have = x.shape[axis]
    if have != n and not (type(have) is int and type(n) is int):  # which is greater varies
        fill = P.full(x.shape[:axis] + (n,) + x.shape[axis + 1 :], 0, x.dtype)
        x = P.concat((x, fill), axis)
        begin, end = (0,) * len(x.shape), x.shape[:axis] + (n,) + x.shape[axis + 1 :]
        return P.strided_slice(x, begin, end, (1,) * len(x.shape))
    if have > n:
        begin, end = (0,) * len(x.shape), x.shape[:axis] + (n,) + x.shape[axis + 1 :]
        return P.strided_slice(x, begin, end, (1,) * len(x.shape))
    if have < n:
        fill = P.full(x.shape[:axis] + (n - have,) + x.shape[axis + 1 :], 0, x.dtype)
        return P.concat((x, fill), axis)
    return x


@dft.bprop
def _(x, n, axis, norm, inverse, out, dout):
    back = resized(P.dft(dout, n, axis, _OPPOSITE[norm], not inverse), x.shape[axis], axis)
    return (back if x.dtype.is_complex else P.cast(P.real(back), x.dtype),)


# ---- without a kernel


def _is_complex(t: dt.DType) -> bool:
    return t.is_complex


def _is_real(t: dt.DType) -> bool:
    return not t.is_complex


@P.real.decompose(of=_is_real)
@P.conj.decompose(of=_is_real)
def _(x):
    return P.reshape(x, x.shape)


@P.imag.decompose(of=_is_real)
def _(x):
    return P.full(x.shape, 0, x.dtype)


@P.sum.decompose(of=_is_complex)
def _(x, axis, keepdims):
    return P.complex(P.sum(P.real(x), axis, keepdims), P.sum(P.imag(x), axis, keepdims))


@P.pad.decompose(of=_is_complex)
def _(x, paddings, value):
    return P.complex(P.pad(P.real(x), paddings, value), P.pad(P.imag(x), paddings, 0))


@P.scatter_add_d.decompose(of=_is_complex)
def _(x, dim, index, src):
    return P.complex(
        P.scatter_add_d(P.real(x), dim, index, P.real(src)),
        P.scatter_add_d(P.imag(x), dim, index, P.imag(src)),
    )


@P.matmul.decompose(of=_is_complex)
def _(x, y, transpose_a, transpose_b):
    def product(u, v):
        return P.matmul(u, v, transpose_a, transpose_b)

    a, b, c, d = P.real(x), P.imag(x), P.real(y), P.imag(y)
    return P.complex(product(a, c) - product(b, d), product(a, d) + product(b, c))


@P.eye.decompose(of=_is_complex)
def _(n, m, dtype):
    return P.cast(P.eye(n, m, PARTS[dtype]), dtype)


@P.prod.decompose
def _(x, axis, keepdims):
    kept = tuple(i for i in range(len(x.shape)) if i not in axis)
    lead, n = tuple(x.shape[i] for i in kept), math.prod(x.shape[i] for i in axis)
    shape, last = reduced(x.shape, axis, keepdims), len(kept)
    if n == 0:
        return P.full(shape, 1, x.dtype)
    products = P.cumprod(P.reshape(P.transpose(x, kept + axis), (*lead, n)), last, False, False)
    ends = P.strided_slice(products, (0,) * last + (n - 1,), (*lead, n), (1,) * (last + 1))
    return P.reshape(ends, shape)


@P.all.decompose
def _(x, axis, keepdims):
    return P.all(P.not_equal(x, 0), axis, keepdims)


@P.any.decompose
def _(x, axis, keepdims):
    return P.any(P.not_equal(x, 0), axis, keepdims)


@P.full.decompose(of=_is_complex)
def _(shape, value, dtype):
    part = PARTS[dtype]
    return P.complex(P.full(shape, value.real, part), P.full(shape, value.imag, part))
