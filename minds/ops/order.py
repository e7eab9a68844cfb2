"""Sorting and the largest elements. Gradients go back to where the elements came from."""

from __future__ import annotations

import numpy as np

from ..base.dtype import int32, int64
from ..base.errors import expect
from ..ir.abstract import AbstractTensor, AbstractTuple
from ..ir.dim import is_size
from ..tensor import Tensor
from .define import P, op
from .rules import axis_of, same


@op(batch="axis")
def sort(input: Tensor, axis: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    """The elements in order along a dimension, and where they were. Equal elements keep their
    order; nan is the largest.

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


@op(batch="axis")
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
        TypeError: ``k`` is no int.
        ValueError: ``axis`` is out of range, or there are less than ``k`` elements.
    """
    expect(is_size(k), "k", "an int", TypeError, got=k)
    expect(
        0 <= k <= input.shape[axis],
        "k",
        f"an int in [0, {input.shape[axis]}]",
        got=k,
    )
    shape = input.shape[:axis] + (k,) + input.shape[axis + 1 :]
    return AbstractTuple((AbstractTensor(shape, input.dtype), AbstractTensor(shape, int64)))


@topk.normalize
def _(x, k, axis, largest):
    expect(x.ndim > 0, "input", "of rank 1 or more")
    return {"axis": axis_of(axis, x.ndim), "largest": bool(largest)}


@topk.bprop
def _(x, k, axis, largest, out, dout):
    return (_back(x, axis, out[1], dout[0]),)


def _extreme(compare):
    """The kernel of a running extreme: a later equal element counts, and nan stays."""

    def host(x, axis):
        if not x.ndim:
            return x, np.zeros((), np.int64)
        x = np.moveaxis(x, axis, 0)
        values, index = np.array(x), np.zeros(x.shape, np.int64)
        for i in range(1, len(x)):
            take = (
                compare(x[i], values[i - 1]) | np.isnan(x[i])
                if x.dtype.kind == "f"
                else compare(x[i], values[i - 1])
            )
            values[i] = np.where(take, x[i], values[i - 1])
            index[i] = np.where(take, i, index[i - 1])
        return np.moveaxis(values, 0, axis), np.moveaxis(index, 0, axis)

    return host


def _running(name: str, word: str, compare, example: str, kind):
    def rule(input, axis):
        return AbstractTuple((same(input), AbstractTensor(input.shape, kind)))

    rule.__name__ = name
    rule.__annotations__ = {"input": "Tensor", "axis": "int"}
    rule.__doc__ = f"""The {word} of all elements up to each one along a dimension, and where it was last.

    Args:
        input (Tensor): the operand.
        axis (int): the dimension.

    Returns:
        tuple: the values, and their positions ({kind.name}).

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> values, index = ops.{name}(Tensor([1.0, 3.0, 2.0]), 0)
        >>> print(values, index)
        {example}
    """
    made = op(
        rule,
        host=_extreme(compare),
        batch="axis",
        function=True,
        method=True,
        cls=f"{name.title()}(axis)",
    )
    made.normalize(lambda x, axis: {"axis": axis_of(axis, x.ndim)})
    made.bprop(lambda x, axis, out, dout: (_back(x, axis, out[1], dout[0]),))
    return made


cummax = _running("cummax", "largest", np.greater_equal, "[1. 3. 3.] [0 1 1]", int64)
cummin = _running("cummin", "smallest", np.less_equal, "[1. 1. 1.] [0 0 0]", int32)


def _search(edges, values, right):
    side = "right" if right else "left"
    if edges.ndim == 1:
        return np.searchsorted(edges, values, side)
    rows = zip(
        edges.reshape(-1, edges.shape[-1]), values.reshape(-1, values.shape[-1]), strict=True
    )
    return np.stack([np.searchsorted(e, v, side) for e, v in rows]).reshape(values.shape)


@op(host=_search, nondiff=True, promote="sorted_sequence values")
def search(sorted_sequence: Tensor, values: Tensor, right: bool = False) -> Tensor:
    """Where values would have to be inserted into ordered sequences, so that they stay in order.

    Args:
        sorted_sequence (Tensor): a vector, or vectors in the last dimension.
        values (Tensor): of any shape, or with the same dimensions before the last.
        right (bool): after equal elements, else before them. Default: False.

    Returns:
        Tensor[int64]: the positions, in the shape of ``values``.

    Raises:
        ValueError: the dimensions before the last differ, or ``sorted_sequence`` has none.
    """
    expect(sorted_sequence.ndim > 0, "sorted_sequence", "of at least one dimension", got="rank 0")
    expect(
        sorted_sequence.ndim == 1 or sorted_sequence.shape[:-1] == values.shape[:-1],
        "values",
        f"of shape {sorted_sequence.shape[:-1]} before the last dimension",
        got=values.shape,
    )
    return AbstractTensor(values.shape, int64)


@search.batch
def _(b, edges, values, right):
    if not b.mask[0] and len(edges.shape) == 1:
        return P.search(edges, values, right)
    edges, values = b.every(edges, values)
    if len(edges.shape) == 2:
        values = P.reshape(values, (b.n, values.size // b.n))
    return P.search(edges, values, right)
