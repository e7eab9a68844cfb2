"""Messages between two processes, and objects of any type that pickle knows."""

from __future__ import annotations

from ...base.boundary import guard as _guard
from ...base.world import world
from ...communication import comm_func, handles
from ...ops.operations.comm import (
    index_in,
)
from ...tensor import Tensor
from .shared import expect_count, objects, ranks_for


def all_gather_object(object_list, obj, group=None):
    """What all processes of a group have, of any type that pickle knows.

    Args:
        object_list (list): is given what each has.
        obj (Any): what this process has.
        group (str): the group. Default: None, all processes.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import all_gather_object
        >>> x = [None]
        >>> all_gather_object(x, {"a": 1})
        >>> x
        [{'a': 1}]
    """
    ranks = ranks_for("all_gather_object", group)
    expect_count("all_gather_object", object_list, ranks)
    object_list[:] = objects([obj] * len(ranks), ranks, ranks, ranks)


def broadcast_object_list(object_list, src=0, group=None, device=None):
    """The objects that one process of a group has.

    Args:
        object_list (list): in the one that has them, the objects; in the others, as many places.
        src (int): which process has them. Default: 0.
        group (str): the group. Default: None, all processes.
        device (str): accepted.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import broadcast_object_list
        >>> x = ["a", 1]
        >>> broadcast_object_list(x)
        >>> x
        ['a', 1]
    """
    ranks = ranks_for("broadcast_object_list", group)
    index_in(ranks, src, "broadcast_object_list")
    has = src == world.rank
    sent = [list(object_list)] * len(ranks) if has else []
    object_list[:] = objects(sent, ranks if has else (), (src,), ranks)[0]


def gather_object(obj, object_gather_list=None, dst=0, group=None):
    """What all processes of a group have, of any type that pickle knows, in one of them.

    Args:
        obj (Any): what this process has.
        object_gather_list (list): in the one that gets it, is given what each has. Default: None.
        dst (int): which process gets it. Default: 0.
        group (str): the group. Default: None, all processes.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import gather_object
        >>> x = [None]
        >>> gather_object("a", x)
        >>> x
        ['a']
    """
    ranks = ranks_for("gather_object", group)
    index_in(ranks, dst, "gather_object")
    gets = dst == world.rank
    if gets:
        expect_count("gather_object", object_gather_list or [], ranks)
    got = objects([obj], (dst,), ranks if gets else (), ranks)
    if gets:
        object_gather_list[:] = got


def scatter_object_list(
    scatter_object_output_list, scatter_object_input_list=None, src=0, group=None
):
    """One of the objects that one process of a group has for each.

    Args:
        scatter_object_output_list (list): its first place is given what is for this process.
        scatter_object_input_list (list): in the one that has them, one for each. Default: None.
        src (int): which process has them. Default: 0.
        group (str): the group. Default: None, all processes.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import scatter_object_list
        >>> x = [None]
        >>> scatter_object_list(x, ["a"])
        >>> x
        ['a']
    """
    ranks = ranks_for("scatter_object_list", group)
    index_in(ranks, src, "scatter_object_list")
    sent, to = [], ()
    if src == world.rank:
        sent, to = scatter_object_input_list or [], ranks
        expect_count("scatter_object_list", sent, ranks)
    scatter_object_output_list[0] = objects(sent, to, (src,), ranks)[0]


def send_object_list(object_list, dst=0, group=None, device=None):
    """Send objects to another process.

    Args:
        object_list (list): objects that pickle knows.
        dst (int): which process gets them. Default: 0.
        group (str): the group. Default: None, all processes.
        device (str): accepted.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import send_object_list
        >>> send_object_list([1], 1)  # doctest: +SKIP
    """
    ranks = ranks_for("send_object_list", group)
    index_in(ranks, dst, "send_object_list")
    objects([list(object_list)], (dst,), (), ())


def recv_object_list(object_list, src=0, group=None, device=None):
    """Receive objects from another process.

    Args:
        object_list (list): is given them.
        src (int): which process sends them. Default: 0.
        group (str): the group. Default: None, all processes.
        device (str): accepted.

    Returns:
        int: who sent them.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import recv_object_list
        >>> recv_object_list([None], 1)  # doctest: +SKIP
    """
    ranks = ranks_for("recv_object_list", group)
    index_in(ranks, src, "recv_object_list")
    object_list[:] = objects([], (), (src,), ())[0]
    return src


def send(tensor, dst=0, group=None, tag=0):
    """Send a tensor to another process.

    Args:
        tensor (Tensor): what is sent.
        dst (int): which process gets it. Default: 0.
        group (str): the group. Default: None, all processes.
        tag (int): goes with the message. Default: 0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import send
        >>> send(Tensor([1.0]), 1)  # doctest: +SKIP
    """
    ranks_for("send", group, tensor)
    comm_func.send(tensor, dst, group, tag)


def recv(tensor, src=0, group=None, tag=0):
    """Receive a tensor from another process.

    Args:
        tensor (Tensor): is given what comes.
        src (int): which process sends it. Default: 0.
        group (str): the group. Default: None, all processes.
        tag (int): goes with the message. Default: 0.

    Returns:
        int: 0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import recv
        >>> recv(Tensor([0.0]), 1)  # doctest: +SKIP
    """
    ranks_for("recv", group, tensor)
    tensor.copy_(comm_func.recv(tensor, src, group, tag))
    return 0


def isend(tensor, dst=0, group=None, tag=0):
    """Send a tensor to another process and go on meanwhile.

    Args:
        tensor (Tensor): what is sent.
        dst (int): which process gets it. Default: 0.
        group (str): the group. Default: None, all processes.
        tag (int): goes with the message. Default: 0.

    Returns:
        CommHandle: to wait for it.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import isend
        >>> isend(Tensor([1.0]), 1).wait()  # doctest: +SKIP
    """
    ranks_for("isend", group, tensor)
    return comm_func.isend(tensor, dst, group, tag)


def irecv(tensor, src=0, group=None, tag=0):
    """Receive a tensor from another process and go on meanwhile.

    Args:
        tensor (Tensor): is given what comes.
        src (int): which process sends it. Default: 0.
        group (str): the group. Default: None, all processes.
        tag (int): goes with the message. Default: 0.

    Returns:
        CommHandle: to wait for it.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import irecv
        >>> irecv(Tensor([0.0]), 1).wait()  # doctest: +SKIP
    """
    ranks_for("irecv", group, tensor)
    return comm_func.received(tensor, src, group, tag, tensor.copy_)


def batch_isend_irecv(p2p_op_list):
    """Send and receive several tensors at once.

    Args:
        p2p_op_list (list[P2POp]): the messages; tensors that are to come are given them.

    Returns:
        list[CommHandle]: one, which is over.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import batch_isend_irecv
        >>> from minds.mint.distributed import P2POp
        >>> x = Tensor([0.0])
        >>> done = batch_isend_irecv([P2POp("isend", Tensor([1.0]), 0), P2POp("irecv", x, 0)])
        >>> print(x)
        [1.]
    """
    for m, value in zip(p2p_op_list, comm_func.batch_isend_irecv(p2p_op_list)):
        if m.op == "irecv" and isinstance(m.tensor, Tensor):
            m.tensor.copy_(value)
    over = handles.CommHandle()
    over._run(lambda: None)
    return [over]


__all__ = [
    "all_gather_object",
    "batch_isend_irecv",
    "broadcast_object_list",
    "gather_object",
    "irecv",
    "isend",
    "recv",
    "recv_object_list",
    "scatter_object_list",
    "send",
    "send_object_list",
]

_guard(__name__)
