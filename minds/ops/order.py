"""Sorting and the largest elements. Gradients go back to where the elements came from."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.dtype import int64
from ..base.errors import expect
from ..ir.abstract import AbstractTensor, AbstractTuple
from .define import P, op
from .rules import axis_of, same

if TYPE_CHECKING:
    from ..tensor import Tensor


@op
def sort(input: Tensor, axis: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    """The elements in order along a dimension, and where they were. Equal elements keep their order; nan is
    the largest.

    Args:
        input (Tensor): the operand.
        axis (int): the dimension. Default: -1.
        descending (bool): from the largest down. Default: False.

    Returns:
        tuple: the sorted elements, and their positions (int64).

    Raises:
        ValueError: ``axis`` is out of range.
    """
    return AbstractTuple((same(input), AbstractTensor(input.shape, int64)))


@sort.normalize
def _(x, axis, descending):
    return {"axis": axis_of(axis, x.ndim), "descending": bool(descending)}


@sort.bprop
def _(x, axis, descending, out, dout):
    return (_back(x, axis, out[1], dout[0]),)


def _back(x, axis, index, dout):
    return P.scatter_add_d(P.full(x.shape, 0, dout.dtype), axis, index, dout)


@op
def topk(input: Tensor, k: int, axis: int = -1, largest: bool = True) -> tuple[Tensor, Tensor]:
    """The ``k`` largest (or smallest) elements along a dimension, in order, and where they were.

    Args:
        input (Tensor): the operand.
        k (int): how many.
        axis (int): the dimension. Default: -1.
        largest (bool): the largest, else the smallest. Default: True.

    Returns:
        tuple: the elements, and their positions (int64).

    Raises:
        ValueError: ``axis`` is out of range, or there are less than ``k`` elements.
    """
    expect(type(k) is int and 0 <= k <= input.shape[axis], "k", f"an int in [0, {input.shape[axis]}]", got=k)
    shape = input.shape[:axis] + (k,) + input.shape[axis + 1:]
    return AbstractTuple((AbstractTensor(shape, input.dtype), AbstractTensor(shape, int64)))


@topk.normalize
def _(x, k, axis, largest):
    expect(x.ndim > 0, "input", "of rank 1 or more")
    return {"axis": axis_of(axis, x.ndim), "largest": bool(largest)}


@topk.bprop
def _(x, k, axis, largest, out, dout):
    return (_back(x, axis, out[1], dout[0]),)
