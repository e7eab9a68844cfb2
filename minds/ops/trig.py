"""Trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .define import P
from .rules import binary, joined, same, unary, unbroadcast

if TYPE_CHECKING:
    from ..tensor import Tensor


@unary
def sin(input: Tensor) -> Tensor:
    r"""The sine of an angle in radians.

    Examples:
        >>> print(ops.sin(Tensor([0.0])))
        [0.]
    """
    return same(input)


@sin.bprop
def _(x, out, dout):
    return (dout * P.cos(x),)


@unary
def cos(input: Tensor) -> Tensor:
    r"""The cosine of an angle in radians.

    Examples:
        >>> print(ops.cos(Tensor([0.0])))
        [1.]
    """
    return same(input)


@cos.bprop
def _(x, out, dout):
    return (-(dout * P.sin(x)),)


@unary
def tan(input: Tensor) -> Tensor:
    r"""The tangent of an angle in radians.

    Examples:
        >>> print(ops.tan(Tensor([0.0])))
        [0.]
    """
    return same(input)


@tan.bprop
def _(x, out, dout):
    return (dout * (1 + P.square(out)),)


@unary
def asin(input: Tensor) -> Tensor:
    r"""The angle in :math:`[-\pi/2, \pi/2]` whose sine is ``input``; nan outside [-1, 1].

    Examples:
        >>> print(ops.asin(Tensor([0.0])))
        [0.]
    """
    return same(input)


@asin.bprop
def _(x, out, dout):
    return (dout * P.rsqrt(1 - P.square(x)),)


@unary
def acos(input: Tensor) -> Tensor:
    r"""The angle in :math:`[0, \pi]` whose cosine is ``input``; nan outside [-1, 1].

    Examples:
        >>> print(ops.acos(Tensor([1.0])))
        [0.]
    """
    return same(input)


@acos.bprop
def _(x, out, dout):
    return (-(dout * P.rsqrt(1 - P.square(x))),)


@unary
def atan(input: Tensor) -> Tensor:
    r"""The angle in :math:`(-\pi/2, \pi/2)` whose tangent is ``input``.

    Examples:
        >>> print(ops.atan(Tensor([0.0])))
        [0.]
    """
    return same(input)


@atan.bprop
def _(x, out, dout):
    return (dout / (1 + P.square(x)),)


@unary
def sinh(input: Tensor) -> Tensor:
    r"""The hyperbolic sine.

    Examples:
        >>> print(ops.sinh(Tensor([0.0])))
        [0.]
    """
    return same(input)


@sinh.bprop
def _(x, out, dout):
    return (dout * P.cosh(x),)


@unary
def cosh(input: Tensor) -> Tensor:
    r"""The hyperbolic cosine.

    Examples:
        >>> print(ops.cosh(Tensor([0.0])))
        [1.]
    """
    return same(input)


@cosh.bprop
def _(x, out, dout):
    return (dout * P.sinh(x),)


@unary
def asinh(input: Tensor) -> Tensor:
    r"""The inverse of the hyperbolic sine.

    Examples:
        >>> print(ops.asinh(Tensor([0.0])))
        [0.]
    """
    return same(input)


@asinh.bprop
def _(x, out, dout):
    return (dout * P.rsqrt(1 + P.square(x)),)


@unary
def acosh(input: Tensor) -> Tensor:
    r"""The non-negative inverse of the hyperbolic cosine; nan below 1.

    Examples:
        >>> print(ops.acosh(Tensor([1.0])))
        [0.]
    """
    return same(input)


@acosh.bprop
def _(x, out, dout):
    return (dout * P.rsqrt(P.square(x) - 1),)


@unary
def atanh(input: Tensor) -> Tensor:
    r"""The inverse of the hyperbolic tangent; nan outside [-1, 1].

    Examples:
        >>> print(ops.atanh(Tensor([0.0])))
        [0.]
    """
    return same(input)


@atanh.bprop
def _(x, out, dout):
    return (dout / (1 - P.square(x)),)


@binary(on="float", floating=True, method=True)
def atan2(input: Tensor, other: Tensor) -> Tensor:
    r"""The angle in :math:`[-\pi, \pi]` of the point with ordinate ``input`` and abscissa
    ``other``.

    Examples:
        >>> print(ops.atan2(Tensor([0.0]), Tensor([1.0])))
        [0.]
    """
    return joined(input, other)


@atan2.bprop
def _(y, x, out, dout):
    scaled = dout / (P.square(x) + P.square(y))
    return unbroadcast(scaled * x, y.shape), unbroadcast(-(scaled * y), x.shape)
