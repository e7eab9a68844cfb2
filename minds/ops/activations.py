"""Activations as ops that keep nothing but their operand for the gradient. Each is made of others, which
become one kernel.
"""

from __future__ import annotations

import math

from ..base import dtype as dt
from ..base.errors import expect
from ..tensor import Tensor
from .define import P, op
from .families import unary
from .rules import holomorphic, same, scaled_by

_OPTIONS = {"elementwise": True, "floating": True, "promote": "input"}
_ROOT = math.sqrt(2 / math.pi)
_CUBIC = 0.044715


def _once_rounded(rule):
    """A decomposition that halves go through in single precision, so that only the result is rounded."""

    def run(x, *rest):
        if x.dtype not in (dt.float16, dt.bfloat16):
            return rule(x, *rest)
        return P.cast(rule(P.cast(x, dt.float32), *rest), x.dtype)

    return run


def _real(x):
    """The abstract value of the result, of an operand that can be compared with numbers."""
    expect(not x.dtype.is_complex, "input", "real", TypeError, got=x.dtype.name)
    return same(x)


@op(**_OPTIONS)
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    r""":math:`x\,\Phi(x)`, or its approximation by a tanh.

    Args:
        input (Tensor[any shape, float]): the operand.
        approximate (str): ``"none"`` or ``"tanh"``. Default: ``"none"``.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: ``approximate`` is another word.
    """
    known = approximate in ("none", "tanh")
    expect(known, "approximate", "'none' or 'tanh'", got=repr(approximate))
    return same(input)


@gelu.decompose
@_once_rounded
def _(x, approximate):
    if approximate == "none":
        return x * (P.erf(x * math.sqrt(0.5)) + 1) * 0.5
    return x * (P.tanh((x + x * P.square(x) * _CUBIC) * _ROOT) + 1) * 0.5


@gelu.bprop
@holomorphic
def _(x, approximate, out, dout):
    if approximate == "none":
        density = P.exp(P.square(x) * -0.5) * (x * (_ROOT / 2))
        return (dout * ((P.erf(x * math.sqrt(0.5)) + 1) * 0.5 + density),)
    square = P.square(x)
    t = P.tanh((x + x * square * _CUBIC) * _ROOT)
    rising = (1 - P.square(t)) * (x * (_ROOT / 2))  # 0 where the square is large
    return (dout * ((t + 1) * 0.5 + rising * (square * (3 * _CUBIC) + 1)),)


def _logistic(x, dout, steepness: float):
    r"""The gradient of :math:`x\,\sigma(s x)`."""
    scaled = scaled_by(x, steepness)
    s = P.sigmoid(scaled)
    return dout * (s + scaled * s * (1 - s))


silu = unary(
    "silu",
    r":math:`x\,\sigma(x)`.",
    "ops.silu(Tensor([0.0])) -> [0.]",
    lambda x, out, dout: _logistic(x, dout, 1),
    function=False,
)
silu.decompose(_once_rounded(lambda x: x * P.sigmoid(x)))

fast_gelu = unary(
    "fast_gelu",
    r":math:`x\,\sigma(1.702 |x|)\,e^{0.851 (x - |x|)}`, which is :math:`x\,\sigma(1.702 x)`.",
    "ops.fast_gelu(Tensor([0.0])) -> [0.]",
    lambda x, out, dout: _logistic(x, dout, 1.702),
    dtype=lambda x: _real(x).dtype,
    function=False,
)


@fast_gelu.decompose
@_once_rounded
def _(x):
    size = P.abs(x)
    return x * P.exp((x - size) * 0.851) * P.sigmoid(size * 1.702)


@op(**_OPTIONS)
def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    r""":math:`\frac1\beta \log(1 + e^{\beta x})`, and :math:`x` where :math:`\beta x` exceeds
    ``threshold``.

    Args:
        input (Tensor[any shape, float]): the operand.
        beta (number): the sharpness. Default: 1.
        threshold (number): beyond it the function is linear. Default: 20.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is complex.
    """
    return _real(input)


@softplus.decompose
@_once_rounded
def _(x, beta, threshold):
    scaled = scaled_by(x, beta)
    far = scaled > threshold
    soft = P.log1p(P.exp(P.select(far, 0, scaled)))
    return P.select(far, x, soft if type(beta) in (int, float) and beta == 1 else soft / beta)


@softplus.bprop
def _(x, beta, threshold, out, dout):
    scaled = scaled_by(x, beta)
    return (P.select(scaled > threshold, dout, dout * P.sigmoid(scaled)),)


def _of_softplus(x):
    r"""With :math:`u = e^{-|x|}`, whose powers stay finite: where x is positive, u, its square, and
    :math:`n, d` of :math:`\tanh(\mathrm{softplus}(x)) = n / d`.
    """
    positive, u = x > 0, P.exp(-P.abs(x))
    square = P.square(u)
    n = P.select(positive, 1, square) + u * 2
    return positive, u, square, n, n + P.select(positive, square, 1) * 2


def _mish_gradient(x, out, dout):
    positive, u, square, n, d = _of_softplus(x)
    rising = P.select(positive, square, u) * (u + 1) * (x * 4)
    return dout * (n / d + rising / P.square(d))


mish = unary(
    "mish",
    r":math:`x \tanh(\mathrm{softplus}(x))`.",
    "ops.mish(Tensor([0.0])) -> [0.]",
    _mish_gradient,
    dtype=lambda x: _real(x).dtype,
    function=False,
)


@mish.decompose
@_once_rounded
def _(x):
    *_, n, d = _of_softplus(x)
    return x * (n / d)


@op(**_OPTIONS)
def elu(input: Tensor, alpha: float = 1.0) -> Tensor:
    r""":math:`x` where positive, else :math:`\alpha (e^x - 1)`.

    Args:
        input (Tensor[any shape, float]): the operand.
        alpha (float): the limit below 0 is -alpha. Default: 1.0.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is complex.
    """
    return _real(input)


def _below(x):
    """``x`` where it is not positive, else 0: the exponential of it is finite."""
    return P.select(x > 0, 0, x)


@elu.decompose
@_once_rounded
def _(x, alpha):
    return P.select(x > 0, x, P.expm1(_below(x)) * alpha)


@elu.bprop
def _(x, alpha, out, dout):
    return (P.select(x > 0, dout, dout * (P.exp(_below(x)) * alpha)),)


@op(**_OPTIONS)
def celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    r""":math:`x` where positive, else :math:`\alpha (e^{x / \alpha} - 1)`.

    Args:
        input (Tensor[any shape, float]): the operand.
        alpha (float): the limit below 0 is -alpha; not 0. Default: 1.0.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is complex.
    """
    return _real(input)


@celu.decompose
@_once_rounded
def _(x, alpha):
    return P.select(x > 0, x, P.expm1(_below(x) / alpha) * alpha)


@celu.bprop
def _(x, alpha, out, dout):
    return (P.select(x > 0, dout, dout * P.exp(_below(x) / alpha)),)


def _hardswish_gradient(x, out, dout):
    inside = dout * ((x * 2 + 3) / 6)
    return P.select(x < -3, 0, P.select(x > 3, dout, inside))


hardswish = unary(
    "hardswish",
    r":math:`x \min(\max(x + 3, 0), 6) / 6`.",
    "ops.hardswish(Tensor([-4.0, 0.0, 4.0])) -> [0. 0. 4.]",
    _hardswish_gradient,
    dtype=lambda x: _real(x).dtype,
    function=False,
)
hardswish.decompose(
    _once_rounded(lambda x: P.select(x < -3, 0, P.select(x > 3, x, x * (x + 3) / 6)))
)

hardsigmoid = unary(
    "hardsigmoid",
    r":math:`\min(\max((x + 3) / 6, 0), 1)`.",
    "ops.hardsigmoid(Tensor([-4.0, 0.0, 4.0])) -> [0.  0.5 1. ]",
    lambda x, out, dout: P.select(P.abs(x) < 3, dout / 6, 0),
    dtype=lambda x: _real(x).dtype,
    function=False,
)
hardsigmoid.decompose(_once_rounded(lambda x: P.select(x >= 3, 1, P.relu(x + 3) / 6)))

relu6 = unary(
    "relu6",
    r":math:`\min(\max(x, 0), 6)`.",
    "ops.relu6(Tensor([-1.0, 3.0, 7.0])) -> [0. 3. 6.]",
    lambda x, out, dout: P.select(P.logical_and(x > 0, x <= 6), dout, 0),
    on="number",
    dtype=lambda x: _real(x).dtype,
    function=False,
)
relu6.decompose(lambda x: P.select(x > 6, 6, P.relu(x)))
