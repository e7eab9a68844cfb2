"""What processes exchange, as functions that return new tensors.

Those with ``async_op`` return a result and None; with ``async_op=True`` the result is in place when
``wait`` of the second returns. Ranks are of the world.
"""

from __future__ import annotations

from ..base import dtype as dt
from ..base.boundary import guard as _guard
from ..base.errors import complain
from ..base.world import ranks_of
from ..ops.define import P
from ..ops.operations.comm import (
    ReduceOp,
    expect_reduction,
    expect_tensor,
    gathered,
    index_in,
    listed,
    scattered,
)
from ..tensor import Tensor
from . import handles
from .all_to_all import (
    all_to_all_single_with_output_shape,
    all_to_all_v_c,
    all_to_all_with_output_shape,
)
from .handles import CommHandle
from .management import HCCL_WORLD_COMM_GROUP

_WORLD = HCCL_WORLD_COMM_GROUP


def all_reduce(tensor, op=ReduceOp.SUM, group=_WORLD, async_op=False):
    """The sum (product, maximum, minimum) of what all processes of a group have.

    Args:
        tensor (Tensor): of the same shape in all.
        op (str): ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``. Default: ``"sum"``.
        group (str): the group. Default: all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        tuple: the result and a `CommHandle` or None.

    Raises:
        TypeError: ``tensor`` is no tensor, or ``op`` or ``group`` no str.

    Examples:
        >>> from minds.communication.comm_func import all_reduce
        >>> print(all_reduce(Tensor([1.0, 2.0]))[0])
        [1. 2.]
    """
    expect_tensor(tensor, "all_reduce")
    expect_reduction(op, "all_reduce")
    ranks = ranks_of(group, "all_reduce")
    return handles.maybe_beside(
        async_op, [(tensor.shape, tensor.dtype)], lambda: P.all_reduce(tensor, op, ranks)
    )


def all_gather_into_tensor(tensor, group=_WORLD, async_op=False):
    """What all processes of a group have, one after the other along dimension 0.

    Args:
        tensor (Tensor[(N, ...)]): of the same shape in all.
        group (str): the group. Default: all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        tuple: the result and a `CommHandle` or None.

    Raises:
        TypeError: ``tensor`` is no tensor, or ``group`` no str.

    Examples:
        >>> from minds.communication.comm_func import all_gather_into_tensor
        >>> print(all_gather_into_tensor(Tensor([1.0, 2.0]))[0])
        [1. 2.]
    """
    expect_tensor(tensor, "all_gather_into_tensor")
    ranks = ranks_of(group, "all_gather_into_tensor")
    shape = (len(ranks) * tensor.shape[0], *tensor.shape[1:])
    return handles.maybe_beside(
        async_op, [(shape, tensor.dtype)], lambda: P.all_gather(tensor, ranks)
    )


def reduce_scatter_tensor(tensor, op=ReduceOp.SUM, group=_WORLD, async_op=False):
    """The sum of what all processes of a group have, of which each gets its part along dimension 0.

    Args:
        tensor (Tensor[(N, ...)]): of the same shape in all; their number divides N.
        op (str): ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``. Default: ``"sum"``.
        group (str): the group. Default: all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        tuple: this process's part and a `CommHandle` or None.

    Raises:
        TypeError: ``tensor`` is no tensor, or ``op`` or ``group`` no str.
        ValueError: N is no multiple of the number of processes.

    Examples:
        >>> from minds.communication.comm_func import reduce_scatter_tensor
        >>> print(reduce_scatter_tensor(Tensor([1.0, 2.0]))[0])
        [1. 2.]
    """
    expect_tensor(tensor, "reduce_scatter_tensor")
    expect_reduction(op, "reduce_scatter_tensor")
    ranks = ranks_of(group, "reduce_scatter_tensor")
    shape = (tensor.shape[0] // len(ranks), *tensor.shape[1:])
    return handles.maybe_beside(
        async_op, [(shape, tensor.dtype)], lambda: P.reduce_scatter(tensor, op, ranks)
    )


def reduce(tensor, dst, op=ReduceOp.SUM, group=_WORLD):
    """The sum (product, maximum, minimum) of what all processes of a group have, in one of them.

    Args:
        tensor (Tensor): of the same shape in all.
        dst (int): which gets it.
        op (str): ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``. Default: ``"sum"``.
        group (str): the group. Default: all processes.

    Returns:
        Tensor: zeros in the others.

    Raises:
        TypeError: ``tensor`` is no tensor, ``dst`` no int, or ``op`` or ``group`` no str.
        ValueError: ``dst`` is not in the group.

    Examples:
        >>> from minds.communication.comm_func import reduce
        >>> print(reduce(Tensor([1.0, 2.0]), 0))
        [1. 2.]
    """
    expect_tensor(tensor, "reduce")
    expect_reduction(op, "reduce")
    ranks = ranks_of(group, "reduce")
    return P.reduce_to(tensor, op, index_in(ranks, dst, "reduce"), ranks)


def broadcast(tensor, src=0, group=_WORLD):
    """What one process of a group has.

    Args:
        tensor (Tensor): of the same shape in all.
        src (int): whose. Default: 0.
        group (str): the group. Default: all processes.

    Returns:
        Tensor: the same in all.

    Raises:
        TypeError: ``tensor`` is no tensor, ``src`` no int, or ``group`` no str.
        ValueError: ``src`` is not in the group.

    Examples:
        >>> from minds.communication.comm_func import broadcast
        >>> print(broadcast(Tensor([1.0, 2.0])))
        [1. 2.]
    """
    expect_tensor(tensor, "broadcast")
    ranks = ranks_of(group, "broadcast")
    return P.broadcast_from(tensor, index_in(ranks, src, "broadcast"), ranks)


def scatter_tensor(tensor, src=0, group=_WORLD):
    """Equal parts along dimension 0 of what one process of a group has.

    Args:
        tensor (Tensor[(N, ...)]): of the same shape in all; their number divides N.
        src (int): whose. Default: 0.
        group (str): the group. Default: all processes.

    Returns:
        Tensor: this process's part.

    Raises:
        TypeError: ``tensor`` is no tensor, ``src`` no int, or ``group`` no str.
        ValueError: ``src`` is not in the group, or N is no multiple of the number of processes.

    Examples:
        >>> from minds.communication.comm_func import scatter_tensor
        >>> print(scatter_tensor(Tensor([1.0, 2.0])))
        [1. 2.]
    """
    expect_tensor(tensor, "scatter_tensor")
    ranks = ranks_of(group, "scatter_tensor")
    return scattered(tensor, index_in(ranks, src, "scatter_tensor"), ranks)


def gather_into_tensor(tensor, dst=0, group=_WORLD):
    """What all processes of a group have, one after the other along dimension 0, in one of them.

    Args:
        tensor (Tensor[(N, ...)]): of the same shape in all.
        dst (int): which gets it. Default: 0.
        group (str): the group. Default: all processes.

    Returns:
        Tensor: zeros in the others.

    Raises:
        TypeError: ``tensor`` is no tensor, ``dst`` no int, or ``group`` no str.
        ValueError: ``dst`` is not in the group.

    Examples:
        >>> from minds.communication.comm_func import gather_into_tensor
        >>> print(gather_into_tensor(Tensor([1.0, 2.0])))
        [1. 2.]
    """
    expect_tensor(tensor, "gather_into_tensor")
    ranks = ranks_of(group, "gather_into_tensor")
    return gathered(tensor, index_in(ranks, dst, "gather_into_tensor"), ranks)


def barrier(group=_WORLD):
    """Wait until all processes of a group are here.

    Args:
        group (str): the group. Default: all processes.

    Raises:
        TypeError: ``group`` is no str.

    Examples:
        >>> from minds.communication.comm_func import barrier
        >>> barrier()
    """
    P.barrier(Tensor(0), ranks_of(group, "barrier"))


def _peer(group, rank, what: str) -> int:
    ranks = ranks_of(group, what)
    return ranks[index_in(ranks, rank, what)]


def send(tensor, dst=0, group=_WORLD, tag=0):
    """Send a tensor to another process.

    Args:
        tensor (Tensor): what is sent.
        dst (int): to which. Default: 0.
        group (str): the group. Default: all processes.
        tag (int): goes with the message. Default: 0.

    Raises:
        TypeError: ``tensor`` is no tensor, ``dst`` no int, or ``group`` no str.
        ValueError: ``dst`` is not in the group.

    Examples:
        >>> from minds.communication.comm_func import irecv, send
        >>> got, handle = irecv(Tensor([0.0]), 0)  # doctest: +SKIP
        >>> send(Tensor([1.0]), 0)  # doctest: +SKIP
    """
    expect_tensor(tensor, "send")
    P.exchange((tensor,), (_peer(group, dst, "send"),), (), (), tensor.dtype, tag)


def recv(tensor, src=0, group=_WORLD, tag=0):
    """Receive a tensor from another process.

    Args:
        tensor (Tensor): of the shape and dtype of what comes.
        src (int): from which. Default: 0.
        group (str): the group. Default: all processes.
        tag (int): that of the message. Default: 0.

    Returns:
        Tensor: what was sent.

    Raises:
        TypeError: ``tensor`` is no tensor, ``src`` no int, or ``group`` no str.
        ValueError: ``src`` is not in the group.

    Examples:
        >>> from minds.communication.comm_func import recv
        >>> recv(Tensor([0.0]), 1)  # doctest: +SKIP
    """
    expect_tensor(tensor, "recv")
    source = _peer(group, src, "recv")
    return P.exchange((), (), (source,), (tuple(tensor.shape),), tensor.dtype, tag)[0]


def isend(tensor, dst=0, group=_WORLD, tag=0):
    """Send a tensor to another process and go on meanwhile.

    Args:
        tensor (Tensor): what is sent.
        dst (int): to which. Default: 0.
        group (str): the group. Default: all processes.
        tag (int): goes with the message. Default: 0.

    Returns:
        CommHandle: to wait for it.

    Raises:
        TypeError: ``tensor`` is no tensor, ``dst`` no int, or ``group`` no str.
        ValueError: ``dst`` is not in the group.

    Examples:
        >>> from minds.communication.comm_func import isend
        >>> isend(Tensor([1.0]), 1).wait()  # doctest: +SKIP
    """
    expect_tensor(tensor, "isend")
    to = _peer(group, dst, "isend")
    return handles.begin_message(
        ("to", to, tag),
        lambda: P.exchange((tensor,), (to,), (), (), tensor.dtype, tag),
        lambda _: None,
    )


def irecv(tensor, src=0, group=_WORLD, tag=0):
    """Receive a tensor from another process and go on meanwhile.

    Args:
        tensor (Tensor): of the shape and dtype of what comes.
        src (int): from which. Default: 0.
        group (str): the group. Default: all processes.
        tag (int): that of the message. Default: 0.

    Returns:
        tuple: a tensor that has what was sent when `CommHandle.wait` has returned, and the handle.

    Raises:
        TypeError: ``tensor`` is no tensor, ``src`` no int, or ``group`` no str.
        ValueError: ``src`` is not in the group.

    Examples:
        >>> from minds.communication.comm_func import irecv
        >>> tensor, handle = irecv(Tensor([0.0]), 1)  # doctest: +SKIP
    """
    place = P.full(tuple(tensor.shape), 0, tensor.dtype)
    return place, received(tensor, src, group, tag, place.assign_value)


def received(tensor, src, group, tag, settle) -> CommHandle:
    """Receive something like ``tensor``, for which ``settle`` is called by `CommHandle.wait`."""
    expect_tensor(tensor, "irecv")
    source, shape, dtype = _peer(group, src, "irecv"), tuple(tensor.shape), tensor.dtype
    return handles.begin_message(
        ("from", source, tag),
        lambda: P.exchange((), (), (source,), (shape,), dtype, tag)[0],
        settle,
    )


class P2POp:
    """A message of `batch_isend_irecv`.

    Args:
        op (str, callable): ``"isend"`` or ``"irecv"``, or these functions.
        tensor (Tensor, tuple[int]): what is sent; what is like what comes, or its shape.
        peer (int): to or from which process.
        group (str): the group. Default: None, all processes.
        tag (int): goes with the message. Default: 0.
        recv_dtype (dtype): of what comes, where ``tensor`` is a shape. Default: None.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there is no such ``op``.

    Examples:
        >>> from minds.communication.comm_func import P2POp
        >>> P2POp("isend", Tensor([1.0]), 0).peer
        0
    """

    def __init__(self, op, tensor, peer, group=None, tag=0, *, recv_dtype=None):
        name = op if isinstance(op, str) else getattr(op, "__name__", None)
        if name is None:
            what = f"P2POp: op has type {type(op).__name__}"
            raise complain(TypeError, what, expected="'isend', 'irecv' or these functions")
        if name not in ("isend", "irecv"):
            raise complain(ValueError, f"P2POp: op is {name!r}", expected="'isend' or 'irecv'")
        if not isinstance(tensor, (Tensor, tuple)):
            what = f"P2POp: tensor has type {type(tensor).__name__}"
            raise complain(TypeError, what, expected="a Tensor or a shape")
        if isinstance(peer, bool) or not isinstance(peer, int):
            what = f"P2POp: peer has type {type(peer).__name__}"
            raise complain(TypeError, what, expected="an int")
        self.op, self.tensor, self.peer, self.group, self.tag = name, tensor, peer, group, tag
        self.recv_dtype = recv_dtype


def batch_isend_irecv(p2p_op_list):
    """Send and receive several tensors at once.

    Args:
        p2p_op_list (list[P2POp]): the messages.

    Returns:
        tuple[Tensor]: for each, what came, or 0 for what was sent.

    Raises:
        TypeError: an element is no `P2POp`, or there is none.
        ValueError: there is a shape without a dtype.

    Examples:
        >>> from minds.communication.comm_func import P2POp, batch_isend_irecv
        >>> both = P2POp("isend", Tensor([1.0]), 0), P2POp("irecv", Tensor([0.0]), 0)
        >>> print(batch_isend_irecv(list(both))[1])
        [1.]
    """
    if not isinstance(p2p_op_list, list) or not p2p_op_list:
        raise complain(TypeError, "batch_isend_irecv: no list of P2POp", expected="a list of P2POp")
    for m in p2p_op_list:
        if not isinstance(m, P2POp):
            what = f"batch_isend_irecv: an element has type {type(m).__name__}"
            raise complain(TypeError, what, expected="a P2POp")
    results: list = [None] * len(p2p_op_list)
    for dtype in dict.fromkeys(map(_dtype_of, p2p_op_list)):
        chosen = [(i, m) for i, m in enumerate(p2p_op_list) if _dtype_of(m) is dtype]
        out = [m for _, m in chosen if m.op == "isend"]
        came = [(i, m) for i, m in chosen if m.op == "irecv"]
        got = P.exchange(
            tuple([m.tensor for m in out]),
            tuple([_peer(m.group, m.peer, "batch_isend_irecv") for m in out]),
            tuple([_peer(m.group, m.peer, "batch_isend_irecv") for _, m in came]),
            tuple([_shape_of(m) for _, m in came]),
            dtype,
        )
        for (i, _), value in zip(came, listed(got, len(came))):
            results[i] = value
    return tuple([Tensor(0.0) if r is None else r for r in results])


def _shape_of(m: P2POp) -> tuple:
    return m.tensor if isinstance(m.tensor, tuple) else tuple(m.tensor.shape)


def _dtype_of(m: P2POp) -> dt.DType:
    if isinstance(m.tensor, tuple):
        if m.recv_dtype is None:
            raise complain(ValueError, "batch_isend_irecv: a shape without recv_dtype")
        return m.recv_dtype
    return m.tensor.dtype


__all__ = [
    "CommHandle",
    "P2POp",
    "ReduceOp",
    "all_gather_into_tensor",
    "all_reduce",
    "all_to_all_single_with_output_shape",
    "all_to_all_v_c",
    "all_to_all_with_output_shape",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "gather_into_tensor",
    "irecv",
    "isend",
    "recv",
    "reduce",
    "reduce_scatter_tensor",
    "scatter_tensor",
    "send",
]

_guard(__name__)
