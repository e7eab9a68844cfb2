"""Elementwise functions of one operand: powers, exponentials, rounding and the basic
activations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base import dtype as dt
from ..ir.abstract import AbstractTensor
from .define import P
from .rules import numeric, same, unary

if TYPE_CHECKING:
    from ..tensor import Tensor


@unary
def exp(input: Tensor) -> Tensor:
    r"""The exponential function :math:`e^x`.

    Examples:
        >>> print(ops.exp(Tensor([0.0, 1.0])))
        [1.        2.7182817]
    """
    return same(input)


@exp.bprop
def _(x, out, dout):
    return (dout * out,)


@unary
def expm1(input: Tensor) -> Tensor:
    r""":math:`e^x - 1`, accurate near 0.

    Examples:
        >>> print(ops.expm1(Tensor([0.0, 1.0])))
        [0.        1.7182819]
    """
    return same(input)


@expm1.bprop
def _(x, out, dout):
    return (dout * (out + 1),)


@unary
def log(input: Tensor) -> Tensor:
    r"""The natural logarithm; -inf at 0, nan below.

    Examples:
        >>> print(ops.log(Tensor([1.0, 2.0])))
        [0.        0.6931472]
    """
    return same(input)


@log.bprop
def _(x, out, dout):
    return (dout / x,)


@unary
def log1p(input: Tensor) -> Tensor:
    r""":math:`\log(1 + x)`, accurate near 0.

    Examples:
        >>> print(ops.log1p(Tensor([0.0, 1.0])))
        [0.        0.6931472]
    """
    return same(input)


@log1p.bprop
def _(x, out, dout):
    return (dout / (x + 1),)


@unary
def sqrt(x: Tensor) -> Tensor:
    r"""The square root; nan below 0. Its gradient at 0 is inf.

    Examples:
        >>> print(ops.sqrt(Tensor([1.0, 4.0])))
        [1. 2.]
    """
    return same(x)


@sqrt.bprop
def _(x, out, dout):
    return (dout * 0.5 / out,)


@unary
def rsqrt(input: Tensor) -> Tensor:
    r"""The reciprocal square root :math:`x^{-1/2}`.

    Examples:
        >>> print(ops.rsqrt(Tensor([1.0, 4.0])))
        [1.  0.5]
    """
    return same(input)


@rsqrt.bprop
def _(x, out, dout):
    return (dout * -0.5 * out * P.square(out),)


@unary
def reciprocal(input: Tensor) -> Tensor:
    r""":math:`1 / x`.

    Examples:
        >>> print(ops.reciprocal(Tensor([1.0, 4.0])))
        [1.   0.25]
    """
    return same(input)


@reciprocal.bprop
def _(x, out, dout):
    return (-(dout * P.square(out)),)


@unary(on="number")
def square(input: Tensor) -> Tensor:
    r""":math:`x^2`.

    Examples:
        >>> print(ops.square(Tensor([2.0, -3.0])))
        [4. 9.]
    """
    numeric(input, "input")
    return same(input)


@square.bprop
def _(x, out, dout):
    return (dout * 2 * x,)


@unary(on="number")
def neg(input: Tensor) -> Tensor:
    r""":math:`-x`.

    Examples:
        >>> print(ops.neg(Tensor([2.0, -3.0])))
        [-2.  3.]
    """
    numeric(input, "input")
    return same(input)


@neg.bprop
def _(x, out, dout):
    return (-dout,)


@unary(on="number")
def abs_(input: Tensor) -> Tensor:
    r"""The absolute value. Its gradient at 0 is 0.

    Examples:
        >>> print(ops.abs(Tensor([2.0, -3.0])))
        [2. 3.]
    """
    numeric(input, "input")
    part = {dt.complex64: dt.float32, dt.complex128: dt.float64}.get(input.dtype, input.dtype)
    return AbstractTensor(input.shape, part)


@abs_.bprop
def _(x, out, dout):
    return (dout * P.sign(x),)


@unary(on="number", nondiff=True)
def sign(input: Tensor) -> Tensor:
    r"""-1, 0 or 1 by the sign of ``input``.

    Examples:
        >>> print(ops.sign(Tensor([2.0, 0.0, -3.0])))
        [ 1.  0. -1.]
    """
    numeric(input, "input")
    return same(input)


@unary(on="number", nondiff=True)
def floor(input: Tensor) -> Tensor:
    r"""The greatest integer that is not above ``input``.

    Examples:
        >>> print(ops.floor(Tensor([1.5, -1.5])))
        [ 1. -2.]
    """
    numeric(input, "input")
    return same(input)


@unary(on="number", nondiff=True)
def ceil(input: Tensor) -> Tensor:
    r"""The least integer that is not below ``input``.

    Examples:
        >>> print(ops.ceil(Tensor([1.5, -1.5])))
        [ 2. -1.]
    """
    numeric(input, "input")
    return same(input)


@unary(on="number", nondiff=True)
def round_(input: Tensor) -> Tensor:
    r"""The nearest integer; halves go to the even one.

    Examples:
        >>> print(ops.round(Tensor([0.5, 1.5, 2.4])))
        [0. 2. 2.]
    """
    numeric(input, "input")
    return same(input)


@unary(on="number", nondiff=True)
def trunc(input: Tensor) -> Tensor:
    r"""The integer part, rounded towards 0.

    Examples:
        >>> print(ops.trunc(Tensor([1.5, -1.5])))
        [ 1. -1.]
    """
    numeric(input, "input")
    return same(input)


@unary
def tanh(input: Tensor) -> Tensor:
    r"""The hyperbolic tangent.

    Examples:
        >>> print(ops.tanh(Tensor([0.0, 1.0])))
        [0.        0.7615942]
    """
    return same(input)


@tanh.bprop
def _(x, out, dout):
    return (dout * (1 - P.square(out)),)


@unary
def sigmoid(input: Tensor) -> Tensor:
    r"""The logistic function :math:`1 / (1 + e^{-x})`.

    Examples:
        >>> print(ops.sigmoid(Tensor([0.0, 1.0])))
        [0.5       0.7310586]
    """
    return same(input)


@sigmoid.bprop
def _(x, out, dout):
    return (dout * out * (1 - out),)


@unary(on="number")
def relu(input: Tensor) -> Tensor:
    r"""The rectified linear unit :math:`\max(x, 0)`. Its gradient at 0 is 0.

    Examples:
        >>> print(ops.relu(Tensor([2.0, -3.0])))
        [2. 0.]
    """
    numeric(input, "input")
    return same(input)


@relu.bprop
def _(x, out, dout):
    return (P.select(out > 0, dout, 0),)
