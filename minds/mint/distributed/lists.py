"""Collectives on a tensor, or a list of them with one for each process."""

from __future__ import annotations

from ...base.boundary import guard as _guard
from ...base.world import world
from ...ops.define import P
from ...ops.operations.comm import (
    ReduceOp,
    exchanged,
    expect_reduction,
    gathered,
    index_in,
    listed,
)
from ...tensor import Tensor
from .shared import expect_count, expect_like, into, ranks_for, reduced_rows


def gather(tensor, gather_list=None, dst=0, group=None, async_op=False):
    """What all processes of a group have, in one of them.

    Args:
        tensor (Tensor): what this process has.
        gather_list (list[Tensor]): in the one that gets it, are given what each has. Default: None.
        dst (int): which process gets it. Default: 0.
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        CommHandle, None: None unless ``async_op``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import gather
        >>> x = [Tensor([0.0])]
        >>> gather(Tensor([1.0]), x)
        >>> print(x[0])
        [1.]
    """
    ranks = ranks_for("gather", group, tensor)
    root, places = index_in(ranks, dst, "gather"), []
    if dst == world.rank:
        places = gather_list or []
        expect_count("gather", places, ranks)

    def work():
        whole = gathered(P.reshape(tensor, (1, *tensor.shape)), root, ranks)
        return [whole[i] for i in range(len(places))]

    return into(places, work, async_op)


def scatter(tensor, scatter_list=None, src=0, group=None, async_op=False):
    """One of the tensors that one process of a group has for each.

    Args:
        tensor (Tensor): is given what is for this process.
        scatter_list (list[Tensor]): in the one that has them, one for each. Default: None.
        src (int): which process has them. Default: 0.
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        CommHandle, None: None unless ``async_op``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import scatter
        >>> x = Tensor([0.0])
        >>> scatter(x, [Tensor([1.0])])
        >>> print(x)
        [1.]
    """
    ranks = ranks_for("scatter", group, tensor)
    index_in(ranks, src, "scatter")
    pieces, to = [], ()
    if src == world.rank:
        pieces, to = scatter_list or [], ranks
        expect_count("scatter", pieces, ranks)

    def work():
        got = P.exchange(tuple(pieces), to, (src,), (tensor.shape,), tensor.dtype, 0, ranks)
        return (got[0],)

    return into([tensor], work, async_op)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """What all processes of a group have.

    Args:
        tensor_list (list[Tensor]): are given what each has.
        tensor (Tensor): what this process has.
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        CommHandle, None: None unless ``async_op``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import all_gather
        >>> x = [Tensor([0.0])]
        >>> all_gather(x, Tensor([1.0]))
        >>> print(x[0])
        [1.]
    """
    what = "all_gather"
    ranks = ranks_for(what, group, tensor, *tensor_list)
    expect_count(what, tensor_list, ranks)
    n = len(ranks)
    shapes = [x.shape for x in tensor_list]
    return into(
        tensor_list,
        lambda: listed(exchanged([tensor] * n, shapes, tensor.dtype, ranks), n),
        async_op,
    )


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """A tensor to each process of a group, and one from each.

    Args:
        output_tensor_list (list[Tensor]): are given what comes.
        input_tensor_list (list[Tensor]): what is sent.
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        CommHandle, None: None unless ``async_op``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import all_to_all
        >>> x = [Tensor([0.0])]
        >>> all_to_all(x, [Tensor([1.0])])
        >>> print(x[0])
        [1.]
    """
    what = "all_to_all"
    ranks = ranks_for(what, group, *output_tensor_list, *input_tensor_list)
    expect_count(what, output_tensor_list, ranks)
    expect_count(what, input_tensor_list, ranks)
    shapes, dtype = [x.shape for x in output_tensor_list], input_tensor_list[0].dtype
    return into(
        output_tensor_list,
        lambda: listed(exchanged(input_tensor_list, shapes, dtype, ranks), len(ranks)),
        async_op,
    )


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    """The sum of the tensors that all processes of a group have for this one.

    Args:
        output (Tensor): is given the result.
        input_list (list[Tensor]): one for each process.
        op (str): ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``. Default: ``"sum"``.
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        CommHandle, None: None unless ``async_op``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import reduce_scatter
        >>> x = Tensor([0.0])
        >>> reduce_scatter(x, [Tensor([1.0])])
        >>> print(x)
        [1.]
    """
    what = "reduce_scatter"
    ranks = ranks_for(what, group, output, *input_list)
    expect_reduction(op, what)
    expect_count(what, input_list, ranks)
    expect_like(what, output, input_list[ranks.index(world.rank)].shape, input_list[0].dtype)
    flat = [P.reshape(x, (-1,)) for x in input_list]

    def work():
        sums = reduced_rows(P.concat(tuple(flat), 0), [x.shape[0] for x in flat], op, ranks)
        return (P.reshape(sums, output.shape),)

    return into([output], work, async_op)


def barrier(group=None, async_op=False, device_ids=None):
    """Wait until all processes of a group are here.

    Args:
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.
        device_ids (Any): accepted.

    Returns:
        CommHandle, None: None unless ``async_op``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import barrier
        >>> barrier()
    """
    ranks = ranks_for("barrier", group)
    return into([], lambda: (P.barrier(Tensor(0), ranks),), async_op)


def broadcast(tensor, src, group=None, async_op=False):
    """What one process of a group has.

    Args:
        tensor (Tensor): what this process has; is given the result.
        src (int): which process has it.
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        CommHandle, None: None unless ``async_op``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import broadcast
        >>> x = Tensor([1.0])
        >>> broadcast(x, 0)
        >>> print(x)
        [1.]
    """
    ranks = ranks_for("broadcast", group, tensor)
    root = index_in(ranks, src, "broadcast")
    return into([tensor], lambda: (P.broadcast_from(tensor, root, ranks),), async_op)


def reduce(tensor, dst, op=ReduceOp.SUM, group=None, async_op=False):
    """The sum (product, maximum, minimum) of what all processes of a group have, in one of them.

    Args:
        tensor (Tensor): what this process has; the one that gets it is given the result.
        dst (int): which process gets it.
        op (str): ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``. Default: ``"sum"``.
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        CommHandle, None: None unless ``async_op``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import reduce
        >>> x = Tensor([1.0])
        >>> reduce(x, 0)
        >>> print(x)
        [1.]
    """
    ranks = ranks_for("reduce", group, tensor)
    expect_reduction(op, "reduce")
    root = index_in(ranks, dst, "reduce")
    places = [tensor] if dst == world.rank else []
    return into(places, lambda: (P.reduce_to(tensor, op, root, ranks),), async_op)


__all__ = [
    "all_gather",
    "all_to_all",
    "barrier",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
]

_guard(__name__)
