"""Special functions: the error function and the logarithm of the gamma function with its
derivatives.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .define import P
from .rules import same, unary

if TYPE_CHECKING:
    from ..tensor import Tensor

_TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)


@unary
def erf(input: Tensor) -> Tensor:
    r"""The error function :math:`\frac{2}{\sqrt\pi}\int_0^x e^{-t^2}dt`.

    Examples:
        >>> print(ops.erf(Tensor([0.0])))
        [0.]
    """
    return same(input)


@erf.bprop
def _(x, out, dout):
    return (dout * (P.exp(-P.square(x)) * _TWO_OVER_SQRT_PI),)


@unary
def erfc(input: Tensor) -> Tensor:
    r"""The complementary error function :math:`1 - \mathrm{erf}(x)`, accurate for large arguments.

    Examples:
        >>> print(ops.erfc(Tensor([0.0])))
        [1.]
    """
    return same(input)


@erfc.bprop
def _(x, out, dout):
    return (dout * (P.exp(-P.square(x)) * -_TWO_OVER_SQRT_PI),)


@unary
def lgamma(input: Tensor) -> Tensor:
    r"""The logarithm of the absolute value of the gamma function.

    Examples:
        >>> print(ops.lgamma(Tensor([0.5])))
        [0.5723649]
    """
    return same(input)


@lgamma.bprop
def _(x, out, dout):
    return (dout * P.digamma(x),)


@unary
def digamma(input: Tensor) -> Tensor:
    r"""The derivative of `lgamma`, :math:`\Gamma'(x)/\Gamma(x)`.

    Examples:
        >>> print(ops.digamma(Tensor([1.0])))
        [-0.5772157]
    """
    return same(input)


@digamma.bprop
def _(x, out, dout):
    return (dout * trigamma(x),)


def trigamma(x):
    r"""The derivative of `digamma`, composed of elementary ops and so differentiable to any order.

    :math:`\psi_1(x) = \sum_{k<8} (x+k)^{-2} + \psi_1(x+8)`, the last term by its asymptotic series; below 1/2
    by reflection, :math:`\psi_1(1-x) + \psi_1(x) = \pi^2/\sin^2 \pi x`.

    Source: NIST DLMF, https://dlmf.nist.gov/5.15.
    """
    low = x < 0.5
    z = P.select(low, 1 - x, x)
    total = P.reciprocal(P.square(z))
    for k in range(1, 8):
        total = total + P.reciprocal(P.square(z + k))
    r = P.reciprocal(z + 8)
    s = P.square(r)
    series = 5 / 66
    for b in (-1 / 30, 1 / 42, -1 / 30, 1 / 6):
        series = s * series + b
    total = total + r + s * 0.5 + r * s * series
    sine = P.sin(P.select(low, x, 0.5) * math.pi)
    return P.select(low, (math.pi**2) / P.square(sine) - total, total)
