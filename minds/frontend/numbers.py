"""`math` over run-time numbers."""

from __future__ import annotations

import math

import gast

from ..ops.define import P
from .interp import EMITTERS
from .registry import emits, runtime
from .scalars import binary, is_scalar, to_kind
from .values import need_static

_MATH = {
    "exp": "exp",
    "log": "log",
    "sqrt": "sqrt",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "tanh": "tanh",
    "asin": "asin",
    "acos": "acos",
    "atan": "atan",
    "sinh": "sinh",
    "cosh": "cosh",
    "erf": "erf",
    "erfc": "erfc",
    "log1p": "log1p",
    "expm1": "expm1",
    "lgamma": "lgamma",
    "fabs": "abs",
    "asinh": "asinh",
    "acosh": "acosh",
    "atanh": "atanh",
    "isnan": "isnan",
    "isinf": "isinf",
    "isfinite": "isfinite",
}


def _math_unary(name: str, op: str):
    fn = getattr(math, name)

    def emit(ip, x, *base):
        if not runtime(x, *base):
            return fn(x, *base)
        if base:
            return binary(ip, gast.Div, emit(ip, x), emit(ip, *base))
        if not is_scalar(x):
            x = ip.native(P.item, ip.node(x), "float")
        return ip.native(getattr(P, op), to_kind(ip, x, float))

    return emit


for _name, _op in _MATH.items():
    EMITTERS[getattr(math, _name)] = _math_unary(_name, _op)


def _math_integer(name: str):
    fn = getattr(math, name)

    def emit(ip, x):
        if not runtime(x):
            return fn(x)
        if not is_scalar(x):
            x = ip.native(P.item, ip.node(x), "float")
        return to_kind(ip, ip.native(getattr(P, name), to_kind(ip, x, float)), int)

    return emit


for _name in ("floor", "ceil", "trunc"):
    EMITTERS[getattr(math, _name)] = _math_integer(_name)


def _static_math(fn):
    def emit(ip, *args):
        for a in args:
            need_static(a, f"an argument of math.{fn.__name__}")
        return fn(*args)

    return emit


for _name in (
    "prod",
    "gcd",
    "factorial",
    "comb",
    "isclose",
    "fmod",
    "copysign",
    "log2",
    "log10",
    "dist",
    "hypot",
    "isqrt",
    "cbrt",
    "exp2",
    "frexp",
    "fsum",
    "gamma",
    "lcm",
    "ldexp",
    "modf",
    "nextafter",
    "perm",
    "remainder",
    "ulp",
):
    if not hasattr(math, _name):  # newer than this Python
        continue
    EMITTERS[getattr(math, _name)] = _static_math(getattr(math, _name))


def _math_angle(fn):
    factor = fn(1.0)

    def emit(ip, x):
        return binary(ip, gast.Mult, to_kind(ip, x, float), factor) if runtime(x) else fn(x)

    return emit


for _fn in (math.degrees, math.radians):
    EMITTERS[_fn] = _math_angle(_fn)


@emits(math.pow)
def _math_pow(ip, a, b):
    return binary(ip, gast.Pow, to_kind(ip, a, float), to_kind(ip, b, float))


@emits(math.atan2)
def _atan2(ip, a, b):
    if not runtime(a, b):
        return math.atan2(a, b)
    return ip.native(P.atan2, to_kind(ip, a, float), to_kind(ip, b, float))
