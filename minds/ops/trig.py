"""Trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

from .define import P
from .families import binary, unary
from .rules import unbroadcast

sin = unary(
    "sin",
    "The sine of an angle in radians.",
    "ops.sin(Tensor([0.0])) -> [0.]",
    lambda x, out, dout: dout * P.cos(x),
    method="sin sin_",
    sparse=True,
)

cos = unary(
    "cos",
    "The cosine of an angle in radians.",
    "ops.cos(Tensor([0.0])) -> [1.]",
    lambda x, out, dout: -(dout * P.sin(x)),
    method="cos cos_",
    sparse=True,
)

tan = unary(
    "tan",
    "The tangent of an angle in radians.",
    "ops.tan(Tensor([0.0])) -> [0.]",
    lambda x, out, dout: dout * (1 + P.square(out)),
    sparse=True,
)

asin = unary(
    "asin",
    r"The angle in :math:`[-\pi/2, \pi/2]` whose sine is ``input``; nan outside [-1, 1].",
    "ops.asin(Tensor([0.0])) -> [0.]",
    lambda x, out, dout: dout * P.rsqrt(1 - P.square(x)),
    method="asin arcsin",
    mint="asin arcsin",
    numpy="arcsin",
    sparse=True,
)

acos = unary(
    "acos",
    r"The angle in :math:`[0, \pi]` whose cosine is ``input``; nan outside [-1, 1].",
    "ops.acos(Tensor([1.0])) -> [0.]",
    lambda x, out, dout: -(dout * P.rsqrt(1 - P.square(x))),
    function="acos arccos",
    cls="Acos ACos",
    numpy="arccos",
    sparse=True,
)

atan = unary(
    "atan",
    r"The angle in :math:`(-\pi/2, \pi/2)` whose tangent is ``input``.",
    "ops.atan(Tensor([0.0])) -> [0.]",
    lambda x, out, dout: dout / (1 + P.square(x)),
    function="atan arctan",
    numpy="arctan",
    sparse=True,
)

sinh = unary(
    "sinh",
    "The hyperbolic sine.",
    "ops.sinh(Tensor([0.0])) -> [0.]",
    lambda x, out, dout: dout * P.cosh(x),
    sparse=True,
)

cosh = unary(
    "cosh",
    "The hyperbolic cosine.",
    "ops.cosh(Tensor([0.0])) -> [1.]",
    lambda x, out, dout: dout * P.sinh(x),
    sparse=True,
)

asinh = unary(
    "asinh",
    "The inverse of the hyperbolic sine.",
    "ops.asinh(Tensor([0.0])) -> [0.]",
    lambda x, out, dout: dout * P.rsqrt(1 + P.square(x)),
    function="asinh arcsinh",
    numpy="arcsinh",
    sparse=True,
)

acosh = unary(
    "acosh",
    "The non-negative inverse of the hyperbolic cosine; nan below 1.",
    "ops.acosh(Tensor([1.0])) -> [0.]",
    lambda x, out, dout: dout * (P.rsqrt(x - 1) * P.rsqrt(x + 1)),
    function="acosh arccosh",
    numpy="arccosh",
    sparse=True,
)

atanh = unary(
    "atanh",
    "The inverse of the hyperbolic tangent; nan outside [-1, 1].",
    "ops.atanh(Tensor([0.0])) -> [0.]",
    lambda x, out, dout: dout / (1 - P.square(x)),
    function="atanh arctanh",
    numpy="arctanh",
    sparse=True,
)

atan2 = binary(
    "atan2",
    r"The angle in :math:`[-\pi, \pi]` of the point at height ``input`` and width ``other``.",
    "ops.atan2(Tensor([0.0]), Tensor([1.0])) -> [0.]",
    on="float",
    function="atan2 arctan2",
    numpy="arctan2",
)


@atan2.bprop
def _(y, x, out, dout):
    scaled = dout / (P.square(x) + P.square(y))
    return unbroadcast(scaled * x, y.shape), unbroadcast(-(scaled * y), x.shape)
