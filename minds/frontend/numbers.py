"""`math` over run-time numbers."""

from __future__ import annotations

import math

import gast

from .. import _core
from ..base.errors import performed
from ..ops.define import P
from .describe import need_static
from .registry import EMITTERS, asks, emits, runtime
from .scalars import binary, is_scalar, number_of, to_kind

_OPS = {
    name: name
    for name, operands, *_ in _core.elementwise()
    if operands == 1 and hasattr(math, name)
} | {"fabs": "abs"}
"""The ops of functions of one number; `math.log` may have a base."""
_KNOWN = (
    "gcd factorial comb isclose fmod copysign log2 log10 dist hypot isqrt cbrt exp2 frexp fsum "
    "gamma lcm ldexp modf nextafter perm remainder ulp"
)
"""Functions of numbers that are known now."""


def _float(ip, x):
    """A number or a tensor of one element as a float."""
    if runtime(x) and not is_scalar(x):
        x = number_of(ip, x, "float")
    return to_kind(ip, x, float)


def _unary(fn, op: str):
    def emit(ip, x, *base):
        if not runtime(x, *base):
            return performed(fn, x, *base)
        if base:
            return binary(ip, gast.Div, emit(ip, x), emit(ip, *base))
        return ip.native(getattr(P, op), _float(ip, x))

    return emit


def _integer(fn):
    def emit(ip, x):
        if not runtime(x):
            return performed(fn, x)
        return to_kind(ip, ip.native(getattr(P, fn.__name__), _float(ip, x)), int)

    return emit


def known(fn):
    """The emitter of a function, called at once with what is known."""
    name = fn.__name__
    what = "an argument of " + (
        name + "()" if fn.__module__ == "builtins" else f"{fn.__module__}.{name}"
    )

    def emit(ip, *args, **kwargs):
        for v in (*args, *kwargs.values()):
            need_static(v, what)
        return performed(fn, *args, **kwargs)

    return emit


def _angle(fn):
    factor = fn(1.0)

    def emit(ip, x):
        return (
            binary(ip, gast.Mult, to_kind(ip, x, float), factor) if runtime(x) else performed(fn, x)
        )

    return emit


for _name, _op in _OPS.items():
    EMITTERS[getattr(math, _name)] = _unary(getattr(math, _name), _op)
for _fn in (math.floor, math.ceil, math.trunc):
    EMITTERS[_fn] = asks(f"__{_fn.__name__}__")(_integer(_fn))
for _fn in (math.degrees, math.radians):
    EMITTERS[_fn] = _angle(_fn)
for _name in _KNOWN.split():
    if hasattr(math, _name):  # some are newer than this Python
        EMITTERS[getattr(math, _name)] = known(getattr(math, _name))


@emits(math.pow)
def _pow(ip, a, b):
    return binary(ip, gast.Pow, _float(ip, a), _float(ip, b))


@emits(math.atan2)
def _atan2(ip, a, b):
    if not runtime(a, b):
        return performed(math.atan2, a, b)
    return ip.native(P.atan2, _float(ip, a), _float(ip, b))
