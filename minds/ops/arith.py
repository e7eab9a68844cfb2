"""Broadcasting arithmetic of two operands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .define import P
from .rules import binary, conjugate, integral, joined, numeric, unbroadcast

if TYPE_CHECKING:
    from ..tensor import Tensor


@binary
def add(input: Tensor, other: Tensor) -> Tensor:
    r""":math:`x + y`.

    Examples:
        >>> print(ops.add(Tensor([1.0, 2.0]), 3))
        [4. 5.]
    """
    numeric(input, "input")
    return joined(input, other)


@add.bprop
def _(x, y, out, dout, need):
    return (
        unbroadcast(dout, x.shape) if need[0] else None,
        unbroadcast(dout, y.shape) if need[1] else None,
    )


@binary
def sub(input: Tensor, other: Tensor) -> Tensor:
    r""":math:`x - y`.

    Examples:
        >>> print(ops.sub(Tensor([1.0, 2.0]), 3))
        [-2. -1.]
    """
    numeric(input, "input")
    return joined(input, other)


@sub.bprop
def _(x, y, out, dout, need):
    return (
        unbroadcast(dout, x.shape) if need[0] else None,
        -unbroadcast(dout, y.shape) if need[1] else None,
    )


@binary
def mul(input: Tensor, other: Tensor) -> Tensor:
    r""":math:`x y`.

    Examples:
        >>> print(ops.mul(Tensor([1.0, 2.0]), 3))
        [3. 6.]
    """
    numeric(input, "input")
    return joined(input, other)


@mul.bprop
def _(x, y, out, dout, need):
    return (
        unbroadcast(dout * conjugate(y), x.shape) if need[0] else None,
        unbroadcast(dout * conjugate(x), y.shape) if need[1] else None,
    )


@binary(on="any", floating=True)
def div(input: Tensor, other: Tensor) -> Tensor:
    r"""True division :math:`x / y`; integers are divided as float32.

    Examples:
        >>> print(Tensor([1, 2]) / 4)
        [0.25 0.5 ]
    """
    return joined(input, other)


@div.bprop
def _(x, y, out, dout, need):
    dx = dout / conjugate(y)
    return (
        unbroadcast(dx, x.shape) if need[0] else None,
        unbroadcast(-(dx * conjugate(out)), y.shape) if need[1] else None,
    )


@binary(nondiff=True)
def floor_divide(input: Tensor, other: Tensor) -> Tensor:
    r""":math:`\lfloor x / y \rfloor`.

    Examples:
        >>> print(ops.floor_divide(Tensor([7, -7]), 2))
        [ 3 -4]
    """
    numeric(input, "input")
    return joined(input, other)


@binary
def mod(input: Tensor, other: Tensor) -> Tensor:
    r"""The remainder of floor division, :math:`x - y \lfloor x / y \rfloor`, with the sign of
    ``other``.

    Examples:
        >>> print(ops.floor_mod(Tensor([7, -7]), 4))
        [3 1]
    """
    numeric(input, "input")
    return joined(input, other)


@mod.bprop
def _(x, y, out, dout, need):
    return (
        unbroadcast(dout, x.shape) if need[0] else None,
        unbroadcast(-(dout * P.floor_divide(x, y)), y.shape) if need[1] else None,
    )


@binary(method=True)
def fmod(input: Tensor, other: Tensor) -> Tensor:
    r"""The remainder of truncated division, with the sign of ``input``.

    Examples:
        >>> print(ops.fmod(Tensor([7.0, -7.0]), 4))
        [ 3. -3.]
    """
    numeric(input, "input")
    return joined(input, other)


@fmod.bprop
def _(x, y, out, dout, need):
    return (
        unbroadcast(dout, x.shape) if need[0] else None,
        unbroadcast(-(dout * P.trunc(x / y)), y.shape) if need[1] else None,
    )


@binary(method=True)
def pow_(input: Tensor, exponent: Tensor) -> Tensor:
    r""":math:`x^y`. The gradient with respect to ``exponent`` is 0 where ``input`` is 0.

    Examples:
        >>> print(ops.pow(Tensor([1.0, 2.0, 3.0]), 2))
        [1. 4. 9.]
    """
    numeric(input, "input")
    return joined(input, exponent)


@pow_.bprop
def _(x, y, out, dout, need):
    dx = dy = None
    if need[0]:
        # Where y is 0 the gradient is 0 even at x = 0; x^(-1) must not appear, or higher orders
        # would be nan.
        lower = y - 1 if need[1] else P.select(P.equal(y, 0), 1, y - 1)
        dx = unbroadcast(dout * (y * P.pow(x, lower)), x.shape)
    if need[1]:
        zero = P.equal(x, 0)
        dy = unbroadcast(dout * P.select(zero, 0, out * P.log(P.select(zero, 1, x))), y.shape)
    return dx, dy


def _share(x, y, dout, first_wins):
    """The part of ``dout`` for the first operand: all where it wins, half where both are equal."""
    return P.select(P.equal(x, y), dout * 0.5, P.select(first_wins, dout, 0))


@binary(method=True)
def maximum(input: Tensor, other: Tensor) -> Tensor:
    r"""The larger of two values; nan where either is nan. Equal values share the gradient.

    Examples:
        >>> print(ops.maximum(Tensor([1.0, 5.0]), Tensor([3.0, 2.0])))
        [3. 5.]
    """
    return joined(input, other)


@maximum.bprop
def _(x, y, out, dout, need):
    return (
        unbroadcast(_share(x, y, dout, x > y), x.shape) if need[0] else None,
        unbroadcast(_share(x, y, dout, y > x), y.shape) if need[1] else None,
    )


@binary(method=True)
def minimum(input: Tensor, other: Tensor) -> Tensor:
    r"""The smaller of two values; nan where either is nan. Equal values share the gradient.

    Examples:
        >>> print(ops.minimum(Tensor([1.0, 5.0]), Tensor([3.0, 2.0])))
        [1. 2.]
    """
    return joined(input, other)


@minimum.bprop
def _(x, y, out, dout, need):
    return (
        unbroadcast(_share(x, y, dout, x < y), x.shape) if need[0] else None,
        unbroadcast(_share(x, y, dout, y < x), y.shape) if need[1] else None,
    )


@binary(on="int", nondiff=True, host=np.gcd)
def gcd(input: Tensor, other: Tensor) -> Tensor:
    """The greatest common divisors.

    Examples:
        >>> print(ops.gcd(Tensor([12]), Tensor([18])))
        [6]
    """
    integral(input, "input")
    return joined(input, other)
