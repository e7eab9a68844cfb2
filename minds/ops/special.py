"""Special functions: the error function and the logarithm of the gamma function with its
derivatives.
"""

from __future__ import annotations

import math

from .define import P
from .families import unary

_TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)

erf = unary(
    "erf",
    r"The error function :math:`\frac{2}{\sqrt\pi}\int_0^x e^{-t^2}dt`.",
    "ops.erf(Tensor([0.0])) -> [0.]",
    lambda x, out, dout: dout * (P.exp(-P.square(x)) * _TWO_OVER_SQRT_PI),
    numpy=False,
)

erfc = unary(
    "erfc",
    r"The complementary error function :math:`1 - \mathrm{erf}(x)`, accurate for large arguments.",
    "ops.erfc(Tensor([0.0])) -> [1.]",
    lambda x, out, dout: dout * (P.exp(-P.square(x)) * -_TWO_OVER_SQRT_PI),
    mint="erfc special.erfc",
    numpy=False,
)

lgamma = unary(
    "lgamma",
    "The logarithm of the absolute value of the gamma function.",
    "ops.lgamma(Tensor([0.5])) -> [0.5723649]",
    lambda x, out, dout: dout * P.digamma(x),
    mint=False,
    numpy=False,
)

digamma = unary(
    "digamma",
    r"The derivative of `lgamma`, :math:`\Gamma'(x)/\Gamma(x)`.",
    "ops.digamma(Tensor([1.0])) -> [-0.5772157]",
    lambda x, out, dout: dout * trigamma(x),
    mint=False,
    numpy=False,
)


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
