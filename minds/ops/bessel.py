"""Special functions that SciPy computes on the host: Bessel functions, incomplete gamma, zeta,
inverse error.
"""

from __future__ import annotations

import math

import numpy as np

from ..tensor import Tensor
from .define import P, library_op
from .families import binary, unary
from .rules import broadcast, no_gradient, same, unbroadcast


def _scipy(name: str):
    """The kernel of that name in `scipy.special`, imported when it is first used."""

    def host(*arrays):
        import scipy.special

        return getattr(scipy.special, name)(*arrays)

    return host


def _bessel(name: str, title: str, at_one: str, slope, **faces):
    """Define an op of one operand with gradient ``slope(x, out)``."""
    return unary(
        f"bessel_{name}",
        title,
        f"ops.bessel_{name}(Tensor([1.0])).asnumpy().round(3) -> [{at_one}]",
        lambda x, out, dout: dout * slope(x, out),
        host=_scipy(name),
        operand="x",
        **{"method": False, "mint": False, "numpy": False, **faces},
    )


bessel_i0 = _bessel(
    "i0",
    "The modified Bessel function of the first kind and order 0.",
    "1.266",
    lambda x, out: P.bessel_i1(x),
    function="bessel_i0",
)

bessel_i0e = _bessel(
    "i0e",
    "`bessel_i0` scaled by ``exp(-|x|)``.",
    "0.466",
    lambda x, out: P.bessel_i1e(x) - P.sign(x) * out,
)

bessel_i1 = _bessel(
    "i1",
    "The modified Bessel function of the first kind and order 1.",
    "0.565",
    lambda x, out: P.bessel_i0(x) - _over(out, x),
)

bessel_i1e = _bessel(
    "i1e",
    "`bessel_i1` scaled by ``exp(-|x|)``.",
    "0.208",
    lambda x, out: P.bessel_i0e(x) - _over(out, x) - P.sign(x) * out,
)

bessel_j0 = _bessel(
    "j0",
    "The Bessel function of the first kind and order 0.",
    "0.765",
    lambda x, out: -P.bessel_j1(x),
)

bessel_j1 = _bessel(
    "j1",
    "The Bessel function of the first kind and order 1.",
    "0.44",
    lambda x, out: P.bessel_j0(x) - _over(out, x),
)

bessel_k0 = _bessel(
    "k0",
    "The modified Bessel function of the second kind and order 0.",
    "0.421",
    lambda x, out: -P.bessel_k1(x),
)

bessel_k0e = _bessel(
    "k0e", "`bessel_k0` scaled by exp(x).", "1.144", lambda x, out: out - P.bessel_k1e(x)
)

bessel_k1 = _bessel(
    "k1",
    "The modified Bessel function of the second kind and order 1.",
    "0.602",
    lambda x, out: -P.bessel_k0(x) - out / x,
)

bessel_k1e = _bessel(
    "k1e", "`bessel_k1` scaled by exp(x).", "1.636", lambda x, out: out - P.bessel_k0e(x) - out / x
)

bessel_y0 = _bessel(
    "y0",
    "The Bessel function of the second kind and order 0.",
    "0.088",
    lambda x, out: -P.bessel_y1(x),
)

bessel_y1 = _bessel(
    "y1",
    "The Bessel function of the second kind and order 1.",
    "-0.781",
    lambda x, out: P.bessel_y0(x) - out / x,
)


def _over(out, x):
    """out / x for a function of order 1, with its limit 1/2 at 0."""
    zero = P.equal(x, 0)
    return P.select(zero, 0.5, out / P.select(zero, 1, x))


erfinv = unary(
    "erfinv",
    "The inverse of the error function, on (-1, 1).",
    "ops.erfinv(Tensor([0.0])) -> [0.]",
    lambda x, out, dout: dout * P.exp(P.square(out)) * (math.sqrt(math.pi) / 2),
    host=_scipy("erfinv"),
    method="erfinv erfinv_",
    numpy=False,
)

zeta = binary(
    "zeta",
    r"The Hurwitz zeta function :math:`\sum_k (k + q)^{-x}`; differentiable in ``other`` (q) alone.",
    "ops.zeta(Tensor([2.0]), Tensor([1.0])).asnumpy().round(3) -> [1.645]",
    on="float",
    host=_scipy("zeta"),
    method=False,
    mint=False,
    numpy=False,
)


@zeta.bprop
def _(x, q, out, dout, need):
    if need[0]:
        raise no_gradient("zeta", "input")
    return None, unbroadcast(dout * -x * P.zeta(x + 1, q), q.shape)


igamma = binary(
    "igamma",
    "The regularised lower incomplete gamma function of the shape ``input`` at ``other``.",
    "ops.igamma(Tensor([1.0]), Tensor([1.0])).asnumpy().round(3) -> [0.632]",
    on="float",
    host=_scipy("gammainc"),
    mint=False,
    numpy=False,
)


def gamma_density(a, x):
    """The gamma density of shape ``a`` at ``x``."""
    return P.exp(P.log(x) * (a - 1) - x - P.lgamma(a))


def _by_shape(a, x):
    """The difference quotient of fourth order of `igamma`, of the tail that is smaller: good to ten
    digits.
    """
    import scipy.special

    a, x = a.astype(np.float64), x.astype(np.float64)
    step = np.minimum(a, np.sqrt(a)) / (1 + np.abs(np.log(np.clip(x, 1e-300, 1e300))) / 10) / 500

    def between(h):
        lower = scipy.special.gammainc(a + h, x) - scipy.special.gammainc(a - h, x)
        upper = scipy.special.gammaincc(a + h, x) - scipy.special.gammaincc(a - h, x)
        return np.where(x > a, -upper, lower)

    return (8 * between(step) - between(2 * step)) / (12 * step)


def _igamma_by_shape(a: Tensor, x: Tensor):
    """The derivative of `igamma` by its shape."""
    return same(x)


igamma_by_shape = library_op(_igamma_by_shape, host=_by_shape, batch="leading")


@igamma_by_shape.bprop
def _(a, x, out, dout, need):
    if need[0]:
        raise no_gradient("igamma", "input a second time")
    return None, dout * gamma_density(a, x) * (P.log(x) - P.digamma(a))


def _incomplete(a, x, dout, need) -> tuple:
    by_a = by_x = None
    if need[0]:
        shape = broadcast(a.shape, x.shape)
        slope = igamma_by_shape(P.broadcast_to(a, shape), P.broadcast_to(x, shape))
        by_a = unbroadcast(dout * slope, a.shape)
    if need[1]:
        by_x = unbroadcast(dout * gamma_density(a, x), x.shape)
    return by_a, by_x


@igamma.bprop
def _(a, x, out, dout, need):
    return _incomplete(a, x, dout, need)


igammac = binary(
    "igammac",
    "The regularised upper incomplete gamma function of the shape ``input`` at ``other``.",
    "ops.igammac(Tensor([1.0]), Tensor([1.0])).asnumpy().round(3) -> [0.368]",
    on="float",
    host=_scipy("gammaincc"),
    mint=False,
    numpy=False,
)


@igammac.bprop
def _(a, x, out, dout, need):
    return _incomplete(a, x, -dout, need)
