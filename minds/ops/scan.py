"""Cumulative sums and products along a dimension."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ..base import dtype as dt
from .define import P, op
from .rules import axis_of, numeric, same

if TYPE_CHECKING:
    from ..tensor import Tensor


def _attributes(x, axis, reverse, exclusive) -> dict:
    return {"axis": axis_of(axis, x.ndim), "reverse": bool(reverse), "exclusive": bool(exclusive)}


@op
def cumsum(input: Tensor, axis: int, reverse: bool = False, exclusive: bool = False) -> Tensor:
    r"""The sums of all elements up to each one, :math:`y_i = \sum_{j \le i} x_j`.

    Args:
        input (Tensor[any shape, number]): the operand.
        axis (int): the dimension.
        reverse (bool): sum from the end. Default: False.
        exclusive (bool): leave the element itself out, so the first sum is 0. Default: False.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is bool.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.cumsum(Tensor([1.0, 2.0, 3.0]), 0))
        [1. 3. 6.]
    """
    numeric(input, "input")
    return same(input)


cumsum.normalize(_attributes)


@cumsum.bprop
def _(x, axis, reverse, exclusive, out, dout):
    return (P.cumsum(dout, axis, not reverse, exclusive),)


@op
def cumprod(input: Tensor, axis: int, reverse: bool = False, exclusive: bool = False) -> Tensor:
    r"""The products of all elements up to each one, :math:`y_i = \prod_{j \le i} x_j`.

    Args:
        input (Tensor[any shape, number]): the operand.
        axis (int): the dimension.
        reverse (bool): multiply from the end. Default: False.
        exclusive (bool): leave the element itself out, so the first product is 1. Default: False.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is bool.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.cumprod(Tensor([1.0, 2.0, 3.0]), 0))
        [1. 2. 6.]
    """
    numeric(input, "input")
    return same(input)


cumprod.normalize(_attributes)


@cumprod.bprop
def _(x, axis, reverse, exclusive, out, dout):
    # dx_j = sum_{i >= j} dout_i y_i / x_j. Only the first zero z needs its own product, that of the others; after it all
    # products hold that zero, before it the formula stands.
    zero = P.equal(x, 0)
    first = P.logical_and(zero, P.equal(P.cumsum(P.cast(zero, dt.int32), axis, reverse, False), 1))
    without = P.cumprod(P.select(first, 1, x), axis, reverse, exclusive)
    plain = P.cumsum(out * dout, axis, not reverse, exclusive) / P.select(zero, 1, x)
    at_zero = P.cumsum(without * dout, axis, not reverse, exclusive)
    return (P.select(first, at_zero, plain),)
