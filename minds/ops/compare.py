"""Comparison, logic on truth values, and bitwise logic on integers. None of them has a gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.dtype import bool_
from ..base.errors import expect
from ..ir.abstract import AbstractTensor
from .rules import binary, joined, same, unary

if TYPE_CHECKING:
    from ..tensor import Tensor


@binary(on="any", dtype=bool_, nondiff=True, method=True)
def equal(input: Tensor, other: Tensor) -> Tensor:
    """Whether ``input`` is equal to ``other``. nan equals nothing.

    Examples:
        >>> print(ops.equal(Tensor([1, 2]), 2))
        [False  True]
    """
    return joined(input, other, bool_)


@binary(on="any", dtype=bool_, nondiff=True, method=True)
def not_equal(input: Tensor, other: Tensor) -> Tensor:
    """Whether ``input`` is different from ``other``.

    Examples:
        >>> print(ops.not_equal(Tensor([1, 2]), 2))
        [ True False]
    """
    return joined(input, other, bool_)


@binary(on="any", dtype=bool_, nondiff=True, method=True)
def less(input: Tensor, other: Tensor) -> Tensor:
    """Whether ``input`` is less than ``other``.

    Examples:
        >>> print(ops.less(Tensor([1, 2]), 2))
        [ True False]
    """
    return joined(input, other, bool_)


@binary(on="any", dtype=bool_, nondiff=True, method=True)
def less_equal(input: Tensor, other: Tensor) -> Tensor:
    """Whether ``input`` is at most ``other``.

    Examples:
        >>> print(ops.less_equal(Tensor([1, 2]), 2))
        [ True  True]
    """
    return joined(input, other, bool_)


@binary(on="any", dtype=bool_, nondiff=True, method=True)
def greater(input: Tensor, other: Tensor) -> Tensor:
    """Whether ``input`` is greater than ``other``.

    Examples:
        >>> print(ops.greater(Tensor([1, 2]), 2))
        [False False]
    """
    return joined(input, other, bool_)


@binary(on="any", dtype=bool_, nondiff=True, method=True)
def greater_equal(input: Tensor, other: Tensor) -> Tensor:
    """Whether ``input`` is at least ``other``.

    Examples:
        >>> print(ops.greater_equal(Tensor([1, 2]), 2))
        [False  True]
    """
    return joined(input, other, bool_)


@binary(on="any", dtype=bool_, nondiff=True, method=True)
def logical_and(input: Tensor, other: Tensor) -> Tensor:
    """Whether both operands are nonzero.

    Examples:
        >>> print(ops.logical_and(Tensor([True, False]), True))
        [ True False]
    """
    return joined(input, other, bool_)


@binary(on="any", dtype=bool_, nondiff=True, method=True)
def logical_or(input: Tensor, other: Tensor) -> Tensor:
    """Whether at least one operand is nonzero.

    Examples:
        >>> print(ops.logical_or(Tensor([True, False]), False))
        [ True False]
    """
    return joined(input, other, bool_)


@binary(on="any", dtype=bool_, nondiff=True, method=True)
def logical_xor(input: Tensor, other: Tensor) -> Tensor:
    """Whether exactly one operand is nonzero.

    Examples:
        >>> print(ops.logical_xor(Tensor([True, False]), True))
        [False  True]
    """
    return joined(input, other, bool_)


@unary(on="any", dtype=bool_, nondiff=True)
def logical_not(input: Tensor) -> Tensor:
    """Whether the operand is zero.

    Examples:
        >>> print(ops.logical_not(Tensor([True, False])))
        [False  True]
    """
    return AbstractTensor(input.shape, bool_)


@unary(on="any", dtype=bool_, nondiff=True)
def isnan(input: Tensor) -> Tensor:
    """Whether the operand is not a number.

    Examples:
        >>> print(ops.isnan(Tensor([1.0, float("nan")])))
        [False  True]
    """
    return AbstractTensor(input.shape, bool_)


@unary(on="any", dtype=bool_, nondiff=True)
def isinf(input: Tensor) -> Tensor:
    """Whether the operand is infinite.

    Examples:
        >>> print(ops.isinf(Tensor([1.0, -float("inf")])))
        [False  True]
    """
    return AbstractTensor(input.shape, bool_)


@unary(on="any", dtype=bool_, nondiff=True)
def isfinite(input: Tensor) -> Tensor:
    """Whether the operand is neither infinite nor nan.

    Examples:
        >>> print(ops.isfinite(Tensor([1.0, float("nan")])))
        [ True False]
    """
    return AbstractTensor(input.shape, bool_)


def _bits(x, y) -> AbstractTensor:
    expect(
        not x.dtype.is_float, "input", "of an integer dtype or bool", TypeError, got=x.dtype.name
    )
    return joined(x, y)


@unary(on="int", nondiff=True)
def bitwise_not(input: Tensor) -> Tensor:
    """Every bit inverted; for bool, the negation.

    Examples:
        >>> print(ops.bitwise_not(Tensor([0, 1])))
        [-1 -2]
    """
    expect(
        not input.dtype.is_float,
        "input",
        "of an integer dtype or bool",
        TypeError,
        got=input.dtype.name,
    )
    return same(input)


@binary(on="int", nondiff=True, method=True)
def bitwise_and(input: Tensor, other: Tensor) -> Tensor:
    """The bits set in both operands.

    Examples:
        >>> print(ops.bitwise_and(Tensor([6]), 3))
        [2]
    """
    return _bits(input, other)


@binary(on="int", nondiff=True, method=True)
def bitwise_or(input: Tensor, other: Tensor) -> Tensor:
    """The bits set in at least one operand.

    Examples:
        >>> print(ops.bitwise_or(Tensor([6]), 3))
        [7]
    """
    return _bits(input, other)


@binary(on="int", nondiff=True, method=True)
def bitwise_xor(input: Tensor, other: Tensor) -> Tensor:
    """The bits set in exactly one operand.

    Examples:
        >>> print(ops.bitwise_xor(Tensor([6]), 3))
        [5]
    """
    return _bits(input, other)


@binary(on="int", nondiff=True)
def left_shift(input: Tensor, other: Tensor) -> Tensor:
    """``input`` shifted left by ``other`` bits.

    Examples:
        >>> print(ops.bitwise_left_shift(Tensor([3]), 2))
        [12]
    """
    return _bits(input, other)


@binary(on="int", nondiff=True)
def right_shift(input: Tensor, other: Tensor) -> Tensor:
    """``input`` shifted right by ``other`` bits; the sign is kept.

    Examples:
        >>> print(ops.bitwise_right_shift(Tensor([-12]), 2))
        [-3]
    """
    return _bits(input, other)
