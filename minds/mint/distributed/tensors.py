"""Collectives on a tensor that is in one piece."""

from __future__ import annotations

from ...base.boundary import guard as _guard
from ...base.world import world
from ...communication.all_to_all import split_sizes
from ...ops.define import P
from ...ops.operations.comm import (
    ReduceOp,
    by_rows,
    exchanged,
    expect_reduction,
    listed,
)
from .shared import expect_like, into, ranks_for, reduced_rows


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    """The sum (product, maximum, minimum) of what all processes of a group have.

    Args:
        tensor (Tensor): what this process has; is given the result.
        op (str): ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``. Default: ``"sum"``.
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        CommHandle, None: None unless ``async_op``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import all_reduce
        >>> x = Tensor([1.0])
        >>> all_reduce(x)
        >>> print(x)
        [1.]
    """
    ranks = ranks_for("all_reduce", group, tensor)
    expect_reduction(op, "all_reduce")
    return into([tensor], lambda: (P.all_reduce(tensor, op, ranks),), async_op)


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """What all processes of a group have, one after the other along dimension 0.

    Args:
        output_tensor (Tensor): is given the result.
        input_tensor (Tensor): what this process has.
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        CommHandle, None: None unless ``async_op``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import all_gather_into_tensor
        >>> x = Tensor([0.0])
        >>> all_gather_into_tensor(x, Tensor([1.0]))
        >>> print(x)
        [1.]
    """
    what = "all_gather_into_tensor"
    ranks = ranks_for(what, group, output_tensor, input_tensor)
    shape = (len(ranks) * input_tensor.shape[0], *input_tensor.shape[1:])
    expect_like(what, output_tensor, shape, input_tensor.dtype)
    return into([output_tensor], lambda: (P.all_gather(input_tensor, ranks),), async_op)


def all_gather_into_tensor_uneven(
    output, input, output_split_sizes=None, group=None, async_op=False
):
    """What all processes of a group have, with any number of rows each, one after the other.

    Args:
        output (Tensor): is given the result.
        input (Tensor): what this process has.
        output_split_sizes (list[int]): how many rows come from each. Default: None, equally many.
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        CommHandle, None: None unless ``async_op``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import all_gather_into_tensor_uneven
        >>> x = Tensor([0.0])
        >>> all_gather_into_tensor_uneven(x, Tensor([1.0]), [1])
        >>> print(x)
        [1.]
    """
    what = "all_gather_into_tensor_uneven"
    ranks = ranks_for(what, group, output, input)
    n = len(ranks)
    rows = split_sizes(output_split_sizes, output.shape[0], n, what)
    expect_like(what, output, (sum(rows), *input.shape[1:]), input.dtype)
    shapes = [(r, *input.shape[1:]) for r in rows]
    expect_like(what, input, shapes[ranks.index(world.rank)], input.dtype)

    def work():
        return (P.concat(tuple(listed(exchanged([input] * n, shapes, input.dtype, ranks), n)), 0),)

    return into([output], work, async_op)


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    """The sum of what all processes of a group have, of which each gets its part along dimension 0.

    Args:
        output (Tensor): is given the result.
        input (Tensor): what this process has.
        op (str): ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``. Default: ``"sum"``.
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        CommHandle, None: None unless ``async_op``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import reduce_scatter_tensor
        >>> x = Tensor([0.0])
        >>> reduce_scatter_tensor(x, Tensor([1.0]))
        >>> print(x)
        [1.]
    """
    what = "reduce_scatter_tensor"
    ranks = ranks_for(what, group, output, input)
    expect_reduction(op, what)
    shape = (input.shape[0] // len(ranks), *input.shape[1:])
    expect_like(what, output, shape, input.dtype)
    return into([output], lambda: (P.reduce_scatter(input, op, ranks),), async_op)


def reduce_scatter_tensor_uneven(
    output, input, input_split_sizes=None, op=ReduceOp.SUM, group=None, async_op=False
):
    """The sum of what all processes of a group have, of which each gets some rows.

    Args:
        output (Tensor): is given the result.
        input (Tensor): what this process has.
        input_split_sizes (list[int]): how many rows each gets. Default: None, equally many.
        op (str): ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``. Default: ``"sum"``.
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        CommHandle, None: None unless ``async_op``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import reduce_scatter_tensor_uneven
        >>> x = Tensor([0.0])
        >>> reduce_scatter_tensor_uneven(x, Tensor([1.0]), [1])
        >>> print(x)
        [1.]
    """
    what = "reduce_scatter_tensor_uneven"
    ranks = ranks_for(what, group, output, input)
    expect_reduction(op, what)
    n, here = len(ranks), ranks.index(world.rank)
    rows = split_sizes(input_split_sizes, input.shape[0], n, what)
    expect_like(what, output, (rows[here], *input.shape[1:]), input.dtype)
    return into([output], lambda: (reduced_rows(input, rows, op, ranks),), async_op)


def all_to_all_single(
    output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False
):
    """Parts along dimension 0 to all processes of a group; those that come, joined.

    Args:
        output (Tensor): is given the result.
        input (Tensor): what this process has.
        output_split_sizes (list[int]): how many rows come from each. Default: None, equally many.
        input_split_sizes (list[int]): how many rows each gets. Default: None, equally many.
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        CommHandle, None: None unless ``async_op``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import all_to_all_single
        >>> x = Tensor([0.0])
        >>> all_to_all_single(x, Tensor([1.0]))
        >>> print(x)
        [1.]
    """
    what = "all_to_all_single"
    ranks = ranks_for(what, group, output, input)
    n = len(ranks)
    send = split_sizes(input_split_sizes, input.shape[0], n, what)
    receive = split_sizes(output_split_sizes, output.shape[0], n, what)
    expect_like(what, output, (sum(receive), *input.shape[1:]), input.dtype)
    return into([output], lambda: (by_rows(input, send, receive, ranks, what),), async_op)


__all__ = [
    "all_gather_into_tensor",
    "all_gather_into_tensor_uneven",
    "all_reduce",
    "all_to_all_single",
    "reduce_scatter_tensor",
    "reduce_scatter_tensor_uneven",
]

_guard(__name__)
