"""Elementwise functions and comparisons of `minds.numpy`: ops under NumPy's names, on anything that
makes a tensor.
"""

from __future__ import annotations

import math

from ..base import dtype as dt
from ..ops import functional as F
from ..ops.define import P
from .create import array_of, to_float

# NumPy's name = the op's. The operands of the first are made floating point.
FLOAT = """arccos=acos arccosh=acosh arcsin=asin arcsinh=asinh arctan=atan arctanh=atanh cos=cos cosh=cosh
exp=exp
    exp2=exp2 expm1=expm1 log=log log10=log10 log1p=log1p log2=log2 sin=sin sinh=sinh sqrt=sqrt tan=tan
    tanh=tanh
    deg2rad=deg2rad radians=deg2rad rad2deg=rad2deg reciprocal=reciprocal ceil=ceil floor=floor rint=round
    trunc=trunc fix=trunc"""
PLAIN = """abs=abs absolute=abs fabs=abs negative=neg sign=sign square=square isfinite=isfinite isinf=isinf
isnan=isnan
    isneginf=isneginf isposinf=isposinf signbit=signbit positive=positive logical_not=logical_not
    bitwise_not=bitwise_not invert=bitwise_not"""
TWO = """add=add subtract=sub multiply=mul maximum=maximum minimum=minimum equal=equal not_equal=not_equal
less=less
    less_equal=less_equal greater=greater greater_equal=greater_equal logical_and=logical_and
    logical_or=logical_or
    logical_xor=logical_xor bitwise_and=bitwise_and bitwise_or=bitwise_or bitwise_xor=bitwise_xor power=pow
    mod=floor_mod remainder=floor_mod fmod=fmod floor_divide=floor_divide gcd=gcd lcm=lcm
    heaviside=heaviside"""
TWO_FLOAT = """divide=div true_divide=div arctan2=atan2 hypot=hypot logaddexp=logaddexp logaddexp2=logaddexp2
    copysign=copysign float_power=float_power"""
NAMES: dict = {}


def _pairs(table: str):
    return (pair.split("=") for pair in table.split())


def _out(x, dtype):
    return x if dtype is None else P.cast(x, dt.of(dtype))


def _one(name: str, fn, floating: bool):
    def function(x, dtype=None):
        x = array_of(x)
        return _out(fn(to_float(x) if floating else x), dtype)

    return _named(function, name)


def _two(name: str, fn, floating: bool):
    def function(x1, x2, dtype=None):
        x1, x2 = array_of(x1, weak=True), array_of(x2, weak=True)
        if floating:
            x1, x2 = to_float(x1), to_float(x2)
        return _out(fn(x1, x2), dtype)

    return _named(function, name)


def _named(function, name: str):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"NumPy's ``{name}`` on tensors; ``dtype`` is that of the result."
    return function


for _table, _make, _floating in (
    (FLOAT, _one, True),
    (PLAIN, _one, False),
    (TWO, _two, False),
    (TWO_FLOAT, _two, True),
):
    for _name, _op in _pairs(_table):
        NAMES[_name] = _make(_name, getattr(F, _op), _floating)


def cbrt(x, dtype=None):
    """The cube root."""
    x = to_float(array_of(x))
    return _out(P.sign(x) * P.pow(P.abs(x), 1 / 3), dtype)


def divmod_(x1, x2, dtype=None):
    """Floored quotient and remainder."""
    return NAMES["floor_divide"](x1, x2, dtype), NAMES["remainder"](x1, x2, dtype)


def clip(x, xmin, xmax, dtype=None):
    """Elements limited to [``xmin``, ``xmax``]."""
    x = array_of(x)
    low, high = (None if v is None else array_of(v, weak=True) for v in (xmin, xmax))
    x = x if low is None else P.maximum(x, low)
    return _out(x if high is None else P.minimum(x, high), dtype)


def around(a, decimals=0):
    """Rounded to ``decimals`` places."""
    return F.round(to_float(array_of(a)), decimals=decimals)


def where(condition, x=None, y=None):
    """``x`` where ``condition`` holds, else ``y``; the positions where it holds without these."""
    condition = array_of(condition)
    return (
        F.nonzero(condition, as_tuple=True)
        if x is None
        else F.where(condition, array_of(x, weak=True), array_of(y, weak=True))
    )


def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Where elements are close."""
    return F.isclose(array_of(a), array_of(b), rtol, atol, equal_nan)


def array_equal(a1, a2, equal_nan=False):
    """Whether shapes and elements are equal."""
    a, b = array_of(a1), array_of(a2)
    if a.shape != b.shape:
        return False
    same = P.equal(a, b)
    if equal_nan:
        same = P.logical_or(same, P.logical_and(P.not_equal(a, a), P.not_equal(b, b)))
    return P.all(same)


def array_equiv(a1, a2):
    """Whether elements are equal after broadcasting."""
    a, b = array_of(a1), array_of(a2)
    shapes = zip(a.shape[::-1], b.shape[::-1], strict=False)
    return P.all(P.equal(a, b)) if all(m == n or 1 in (m, n) for m, n in shapes) else False


def unwrap(p, discont=math.pi, axis=-1):
    """Angles without jumps larger than ``discont``."""
    p = to_float(array_of(p))
    d = F.diff(p, axis=axis)
    jump = P.mod(d + math.pi, 2 * math.pi) - math.pi
    jump = P.select(P.logical_and(P.equal(jump, -math.pi), P.greater(d, 0)), math.pi, jump)
    correct = P.select(P.less(P.abs(d), discont), 0, jump - d)
    pads = tuple((1, 0) if i == axis % len(p.shape) else (0, 0) for i in range(len(p.shape)))
    return p + P.cumsum(P.pad(correct, pads, 0), axis)


NAMES.update(
    cbrt=cbrt,
    divmod=divmod_,
    clip=clip,
    around=around,
    where=where,
    isclose=isclose,
    array_equal=array_equal,
    array_equiv=array_equiv,
    unwrap=unwrap,
)
