"""Elementwise functions of one operand: powers, exponentials, rounding and the basic
activations.
"""

from __future__ import annotations

import math

from ..base import dtype as dt
from .define import P
from .families import unary
from .rules import conjugate, part_of

exp = unary(
    "exp",
    "The exponential function :math:`e^x`.",
    "ops.exp(Tensor([0.0, 1.0])) -> [1.        2.7182817]",
    lambda x, out, dout: dout * out,
    alias="tensor_exp",
    method="exp exp_",
    sparse=True,
)

expm1 = unary(
    "expm1",
    ":math:`e^x - 1`, accurate near 0.",
    "ops.expm1(Tensor([0.0, 1.0])) -> [0.        1.7182819]",
    lambda x, out, dout: dout * (out + 1),
    alias="tensor_expm1",
    mint="expm1 special.expm1",
    sparse=True,
)

log = unary(
    "log",
    "The natural logarithm; -inf at 0, nan below.",
    "ops.log(Tensor([1.0, 2.0])) -> [0.        0.6931472]",
    lambda x, out, dout: dout / x,
    method="log log_",
    sparse=True,
)

log1p = unary(
    "log1p",
    r":math:`\log(1 + x)`, accurate near 0.",
    "ops.log1p(Tensor([0.0, 1.0])) -> [0.        0.6931472]",
    lambda x, out, dout: dout / (x + 1),
    mint="log1p special.log1p",
    sparse=True,
)

sqrt = unary(
    "sqrt",
    "The square root; nan below 0. Its gradient at 0 is inf.",
    "ops.sqrt(Tensor([1.0, 4.0])) -> [1. 2.]",
    lambda x, out, dout: dout * 0.5 / out,
    operand="x",
    method="sqrt sqrt_",
    mint=False,
    sparse=True,
)

rsqrt = unary(
    "rsqrt",
    "The reciprocal square root :math:`x^{-1/2}`.",
    "ops.rsqrt(Tensor([1.0, 4.0])) -> [1.  0.5]",
    lambda x, out, dout: dout * -0.5 * out * P.square(out),
    method="rsqrt rsqrt_",
    numpy=False,
)

reciprocal = unary(
    "reciprocal",
    ":math:`1 / x`.",
    "ops.reciprocal(Tensor([1.0, 4.0])) -> [1.   0.25]",
    lambda x, out, dout: -(dout * P.square(out)),
    method="reciprocal reciprocal_",
    sparse="inv",
    numpy=False,
)

square = unary(
    "square",
    ":math:`x^2`.",
    "ops.square(Tensor([2.0, -3.0])) -> [4. 9.]",
    lambda x, out, dout: dout * 2 * x,
    on="number",
    method="square square_",
    sparse=True,
)

neg = unary(
    "neg",
    ":math:`-x`.",
    "ops.neg(Tensor([2.0, -3.0])) -> [-2.  3.]",
    lambda x, out, dout: -dout,
    on="number",
    function="neg negative",
    method="neg negative neg_",
    numpy="negative",
    sparse=True,
)

abs_ = unary(
    "abs",
    "The absolute value. Its gradient at 0 is 0.",
    "ops.abs(Tensor([2.0, -3.0])) -> [2. 3.]",
    lambda x, out, dout: dout * conjugate(P.sign(x)),
    on="any",
    dtype=part_of,
    function="abs absolute",
    method="abs absolute abs_",
    cls="Abs ComplexAbs",
    mint="abs",
    numpy="abs absolute fabs",
    sparse=True,
)

sign = unary(
    "sign",
    "-1, 0 or 1 by the sign of ``input``, 0 of a NaN; of complex numbers :math:`z / |z|`.",
    "ops.sign(Tensor([2.0, 0.0, -3.0])) -> [ 1.  0. -1.]",
    on="number",
    nondiff=False,
    method="sign sign_",
)


@sign.bprop
def _(x, out, dout):
    """That of z / |z|: what turns, divided by the distance; zero for real numbers and at 0."""
    if not x.dtype.is_complex:
        return (None,)
    size = P.abs(x)
    along = out * P.cast(P.real(dout * P.conj(out)), x.dtype)
    return ((dout - along) / P.cast(P.select(P.equal(size, 0), math.inf, size), x.dtype),)


floor = unary(
    "floor",
    "The greatest integer that is not above ``input``.",
    "ops.floor(Tensor([1.5, -1.5])) -> [ 1. -2.]",
    on="number",
    method="floor floor_",
    numpy="floor(float)",
    sparse=True,
)

ceil = unary(
    "ceil",
    "The least integer that is not below ``input``.",
    "ops.ceil(Tensor([1.5, -1.5])) -> [ 2. -1.]",
    on="number",
    method="ceil ceil_",
    numpy="ceil(float)",
    sparse=True,
)

round_ = unary(
    "round",
    "The nearest integer; halves go to the even one.",
    "ops.round(Tensor([0.5, 1.5, 2.4])) -> [0. 2. 2.]",
    on="number",
    function=False,
)

trunc = unary(
    "trunc",
    "The integer part, rounded towards 0.",
    "ops.trunc(Tensor([1.5, -1.5])) -> [ 1. -1.]",
    on="number",
    method="trunc trunc_",
    numpy="trunc(float) fix(float)",
)

tanh = unary(
    "tanh",
    "The hyperbolic tangent.",
    "ops.tanh(Tensor([0.0, 1.0])) -> [0.        0.7615942]",
    lambda x, out, dout: dout * (1 - P.square(out)),
    method="tanh tanh_",
    mint="tanh nn.functional.tanh nn.Tanh",
    sparse=True,
)

sigmoid = unary(
    "sigmoid",
    "The logistic function :math:`1 / (1 + e^{-x})`.",
    "ops.sigmoid(Tensor([0.0, 1.0])) -> [0.5       0.7310586]",
    lambda x, out, dout: dout * out * (1 - out),
    method="sigmoid sigmoid_",
    mint="sigmoid nn.functional.sigmoid nn.Sigmoid",
    numpy=False,
    sparse=True,
)

relu = unary(
    "relu",
    r"The rectified linear unit :math:`\max(x, 0)`. Its gradient at 0 is 0.",
    "ops.relu(Tensor([2.0, -3.0])) -> [2. 0.]",
    lambda x, out, dout: P.select(out > 0, dout, 0),
    on="number",
    method="relu relu_",
    cls="ReLU",
    mint=False,
    numpy=False,
    sparse=True,
)


def _is_never_negative(t: dt.DType) -> bool:
    return t.kind in "bu"


def _is_whole(t: dt.DType) -> bool:
    return not (t.is_float or t.is_complex)


@P.abs.decompose(of=_is_never_negative)
@P.floor.decompose(of=_is_whole)
@P.ceil.decompose(of=_is_whole)
@P.round.decompose(of=_is_whole)
@P.trunc.decompose(of=_is_whole)
def _(x):
    """Of integers, and absolute values of bools, which have no kernel."""
    return P.reshape(x, x.shape)
