"""Cumulative sums and products along a dimension."""

from __future__ import annotations

from ..tensor import Tensor
from .define import P, op
from .rules import axis_of, holomorphic, numeric, same


def _attributes(x, axis, reverse, exclusive) -> dict:
    return {"axis": axis_of(axis, x.ndim), "reverse": bool(reverse), "exclusive": bool(exclusive)}


@op(batch="axis", cls="CumSum(exclusive=False, reverse=False)")
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


@op(batch="axis", cls="CumProd(exclusive=False, reverse=False)")
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
@holomorphic
def _(x, axis, reverse, exclusive, out, dout):
    # dx_j is the product before j times s_j = sum_{i >= j} dout_i prod_{j < k <= i} x_k, and s_j =
    # dout_j + x_{j+1} s_{j+1}: polynomials, so zeros need no care and derivatives of any order are
    # exact.
    if not x.shape:
        return (None if exclusive else dout,)
    if reverse:
        x, dout = P.flip(x, axis), P.flip(dout, axis)
    before = P.cumprod(x, axis, False, True)
    dx = before * _backward_recurrence(
        _shifted(x, axis, 1), _shifted(dout, axis, 1) if exclusive else dout, axis
    )
    return (P.flip(dx, axis) if reverse else dx,)


def _shifted(x, axis: int, by: int):
    """``x`` moved ``by`` places towards the start of ``axis``, with zeros at the end."""
    n, rank = x.shape[axis], len(x.shape)
    begin = tuple(min(by, n) if i == axis else 0 for i in range(rank))
    rest = P.strided_slice(x, begin, x.shape, (1,) * rank)
    return P.pad(rest, tuple((0, min(by, n) if i == axis else 0) for i in range(rank)), 0)


def _backward_recurrence(a, b, axis: int):
    """The solution of s_j = b_j + a_j s_{j+1} with zero beyond the end, in log2(n) steps that
    double how far each s_j sees.

    Source: Blelloch, Prefix Sums and Their Applications,
        https://www.cs.cmu.edu/~guyb/papers/Ble93.pdf.
    """
    reach, n = 1, a.shape[axis]
    while reach < n:
        b = b + a * _shifted(b, axis, reach)
        a = a * _shifted(a, axis, reach)
        reach *= 2
    return b
