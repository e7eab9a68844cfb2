"""Broadcasting arithmetic of two operands."""

from __future__ import annotations

import numpy as np

from .define import P
from .families import binary
from .rules import conjugate, unbroadcast

add = binary(
    "add",
    ":math:`x + y`; of bools, whether one is true.",
    "ops.add(Tensor([1.0, 2.0]), 3) -> [4. 5.]",
    on="any",
    alias="tensor_add",
    method=False,
    cls="Add TensorAdd AddV2",
    mint=False,
)


@add.bprop
def _(x, y, out, dout, need):
    return (
        unbroadcast(dout, x.shape) if need[0] else None,
        unbroadcast(dout, y.shape) if need[1] else None,
    )


sub = binary(
    "sub",
    ":math:`x - y`.",
    "ops.sub(Tensor([1.0, 2.0]), 3) -> [-2. -1.]",
    alias="tensor_sub",
    method=False,
    mint=False,
    numpy="subtract",
)


@sub.bprop
def _(x, y, out, dout, need):
    return (
        unbroadcast(dout, x.shape) if need[0] else None,
        -unbroadcast(dout, y.shape) if need[1] else None,
    )


mul = binary(
    "mul",
    ":math:`x y`; of bools, whether both are true.",
    "ops.mul(Tensor([1.0, 2.0]), 3) -> [3. 6.]",
    on="any",
    function="mul multiply",
    alias="tensor_mul tensor_muls",
    method="mul",
    mint="mul",
    numpy="multiply",
)


@mul.bprop
def _(x, y, out, dout, need):
    return (
        unbroadcast(dout * conjugate(y), x.shape) if need[0] else None,
        unbroadcast(dout * conjugate(x), y.shape) if need[1] else None,
    )


div = binary(
    "div",
    "True division :math:`x / y`; integers are divided as float32.",
    "Tensor([1, 2]) / 4 -> [0.25 0.5 ]",
    on="float",
    function=False,
)


@div.bprop
def _(x, y, out, dout, need):
    dx = dout / conjugate(y)
    return (
        unbroadcast(dx, x.shape) if need[0] else None,
        unbroadcast(-(dx * conjugate(out)), y.shape) if need[1] else None,
    )


floor_divide = binary(
    "floor_divide",
    r":math:`\lfloor x / y \rfloor`.",
    "ops.floor_divide(Tensor([7, -7]), 2) -> [ 3 -4]",
    nondiff=True,
    alias="tensor_floordiv floordiv",
    cls="FloorDiv",
)

mod = binary(
    "mod",
    r"The remainder of floor division, :math:`x - y \lfloor x / y \rfloor`.",
    "ops.floor_mod(Tensor([7, -7]), 4) -> [3 1]",
    function="remainder",
    method=False,
    cls=False,
    numpy=False,
)


@mod.bprop
def _(x, y, out, dout, need):
    return (
        unbroadcast(dout, x.shape) if need[0] else None,
        unbroadcast(-(dout * P.floor_divide(x, y)), y.shape) if need[1] else None,
    )


fmod = binary(
    "fmod",
    "The remainder of truncated division, with the sign of ``input``.",
    "ops.fmod(Tensor([7.0, -7.0]), 4) -> [ 3. -3.]",
    cls="Mod",
)


@fmod.bprop
def _(x, y, out, dout, need):
    return (
        unbroadcast(dout, x.shape) if need[0] else None,
        unbroadcast(-(dout * P.trunc(x / y)), y.shape) if need[1] else None,
    )


hypot = binary(
    "hypot",
    r":math:`\sqrt{x^2 + y^2}` without overflow. Its gradient at 0 is 0.",
    "ops.hypot(Tensor([3.0]), Tensor([4.0])) -> [5.]",
    on="float",
    mint=False,
    numpy="hypot(float)",
)


@hypot.bprop
def _(x, y, out, dout, need):
    share = dout / P.select(P.equal(out, 0), 1, out)
    return (
        unbroadcast(share * x, x.shape) if need[0] else None,
        unbroadcast(share * y, y.shape) if need[1] else None,
    )


pow_ = binary(
    "pow",
    ":math:`x^y`. The gradient with respect to ``exponent`` is 0 where ``input`` is 0.",
    "ops.pow(Tensor([1.0, 2.0, 3.0]), 2) -> [1. 4. 9.]",
    operands="input exponent",
    alias="tensor_pow pows",
    numpy="power",
)


@pow_.bprop
def _(x, y, out, dout, need):
    dx = dy = None
    if need[0]:
        # Where y is 0 the gradient is 0 even at x = 0; x^(-1) must not appear, or higher orders
        # would be nan.
        lower = y - 1 if need[1] else P.select(P.equal(y, 0), 1, y - 1)
        dx = unbroadcast(dout * conjugate(y * P.pow(x, lower)), x.shape)
    if need[1]:
        zero = P.equal(x, 0)
        by_exponent = P.select(zero, 0, out * P.log(P.select(zero, 1, x)))
        dy = unbroadcast(dout * conjugate(by_exponent), y.shape)
    return dx, dy


def _share(x, y, dout, first_wins):
    """The part of ``dout`` for the first operand: all where it wins, half where both are equal."""
    return P.select(P.equal(x, y), dout * 0.5, P.select(first_wins, dout, 0))


maximum = binary(
    "maximum",
    "The larger of two values; nan where either is nan. Equal values share the gradient.",
    "ops.maximum(Tensor([1.0, 5.0]), Tensor([3.0, 2.0])) -> [3. 5.]",
    on="any",
)


@maximum.bprop
def _(x, y, out, dout, need):
    return (
        unbroadcast(_share(x, y, dout, x > y), x.shape) if need[0] else None,
        unbroadcast(_share(x, y, dout, y > x), y.shape) if need[1] else None,
    )


minimum = binary(
    "minimum",
    "The smaller of two values; nan where either is nan. Equal values share the gradient.",
    "ops.minimum(Tensor([1.0, 5.0]), Tensor([3.0, 2.0])) -> [1. 2.]",
    on="any",
)


@minimum.bprop
def _(x, y, out, dout, need):
    return (
        unbroadcast(_share(x, y, dout, x < y), x.shape) if need[0] else None,
        unbroadcast(_share(x, y, dout, y < x), y.shape) if need[1] else None,
    )


gcd = binary(
    "gcd",
    "The greatest common divisors.",
    "ops.gcd(Tensor([12]), Tensor([18])) -> [6]",
    on="int",
    nondiff=True,
    host=np.gcd,
    function=False,
)
