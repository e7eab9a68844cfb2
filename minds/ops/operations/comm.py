"""Primitive classes of the collectives. A group is a name (`communication.create_group`); ranks are of
the world, unless said otherwise.
"""

from __future__ import annotations

from ...base.errors import complain, expect
from ...base.world import place_in, ranks_of
from ...tensor import Tensor
from ..define import P
from ..faces import primitive

_WORLD = "hccl_world_group"


class ReduceOp:
    """How collectives reduce.

    Examples:
        >>> from minds import ops
        >>> ops.ReduceOp.SUM
        'sum'
    """

    SUM, MAX, MIN, PROD = "sum", "max", "min", "prod"


@primitive(inner=True)
def _VirtualDataset():
    """What arguments are, which lie as ``dataset_strategy`` says in any case."""
    return lambda *x: x if len(x) > 1 else x[0]


@primitive(inner=True)
def _VirtualOutput():
    """What a result is."""
    return lambda x: x


def expect_reduction(op, what: str) -> None:
    """Raise TypeError or ValueError unless ``op`` is one of `ReduceOp`."""
    if not isinstance(op, str):
        raise complain(TypeError, f"{what}: op has type {type(op).__name__}", expected="a str")
    if op not in ("sum", "max", "min", "prod"):
        expected = "'sum', 'max', 'min' or 'prod'"
        raise complain(ValueError, f"{what}: op is {op!r}", expected=expected)


def expect_tensor(x, what: str) -> None:
    """Raise TypeError unless ``x`` is a tensor."""
    if not hasattr(x, "dtype") and not hasattr(getattr(x, "abstract", None), "dtype"):
        raise complain(
            TypeError, f"{what}: the operand has type {type(x).__name__}", expected="a Tensor"
        )


def index_in(ranks: tuple, rank, what: str) -> int:
    """Where a rank of the world is in a group."""
    if isinstance(rank, bool) or not isinstance(rank, int):
        raise complain(
            TypeError, f"{what}: the rank has type {type(rank).__name__}", expected="an int"
        )
    if rank not in ranks:
        raise complain(ValueError, f"{what}: rank {rank} is not in the group {list(ranks)}")
    return ranks.index(rank)


def exchanged(pieces, shapes, dtype, ranks: tuple):
    """The i-th piece goes to the i-th of the group; what they send comes in that order."""
    return P.exchange(tuple(pieces), ranks, ranks, tuple(map(tuple, shapes)), dtype, 0, ranks)


def listed(values, count: int) -> list:
    """Several results as a list, eager or not."""
    return [values[i] for i in range(count)]


def messages(values, to, source, shapes, dtype, ranks) -> list:
    """`P.exchange`, where there is something to exchange."""
    if not to and not source:
        return []
    got = P.exchange(tuple(values), tuple(to), tuple(source), tuple(shapes), dtype, 0, ranks)
    return listed(got, len(source))


def scattered(x, root: int, ranks: tuple):
    """The root's ``x`` in equal parts along dimension 0, one for each. The root gets no rows of the
    others, so that all of them take part in the gradient too.
    """
    n, here = len(ranks), place_in(ranks, "CollectiveScatter")
    fits = x.shape and x.shape[0] % n == 0
    expect(fits, "input_x", f"a tensor whose dimension 0 is a multiple of {n}", got=x)
    part = (x.shape[0] // n, *x.shape[1:])
    if here != root:
        return messages((x[:0],), (ranks[root],), (ranks[root],), (part,), x.dtype, ranks)[0]
    pieces = listed(P.split(x, (part[0],) * n, 0), n)
    shapes = [part if i == root else (0, *x.shape[1:]) for i in range(n)]
    return messages(pieces, ranks, ranks, shapes, x.dtype, ranks)[root]


def gathered(x, root: int, ranks: tuple):
    """What all have, one after the other, for the root; the others get zeros, behind no rows of the
    root's, so that all of them take part in the gradient too.
    """
    n, here = len(ranks), place_in(ranks, "CollectiveGather")
    if here == root:
        values = [x if i == root else x[:0] for i in range(n)]
        return P.concat(tuple(messages(values, ranks, ranks, (x.shape,) * n, x.dtype, ranks)), 0)
    none = messages((x,), (ranks[root],), (ranks[root],), ((0, *x.shape[1:]),), x.dtype, ranks)[0]
    return P.concat((none, P.full((n * x.shape[0], *x.shape[1:]), 0, x.dtype)), 0)


@primitive
def AllReduce(op="sum", group=_WORLD):
    """The sum (product, maximum, minimum) of what all processes of a group have.

    Args:
        op (str): ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``. Default: ``"sum"``.
        group (str): the group. Default: all processes.
        input_x (Tensor): of the same shape in all.

    Returns:
        Tensor: the same in all.

    Raises:
        TypeError: ``op`` or ``group`` is no str, or the tensor is bool.

    Examples:
        >>> print(ops.AllReduce()(Tensor([1.0, 2.0])))
        [1. 2.]
    """
    expect_reduction(op, "AllReduce")
    ranks = ranks_of(group, "AllReduce")
    return lambda input_x: P.all_reduce(input_x, op, ranks)


@primitive
def AllGather(group=_WORLD):
    """What all processes of a group have, one after the other along dimension 0.

    Args:
        group (str): the group. Default: all processes.
        input_x (Tensor[(N, ...)]): of the same shape in all.

    Returns:
        Tensor: the same in all.

    Raises:
        TypeError: ``group`` is no str.

    Examples:
        >>> print(ops.AllGather()(Tensor([1.0, 2.0])))
        [1. 2.]
    """
    ranks = ranks_of(group, "AllGather")
    return lambda input_x: P.all_gather(input_x, ranks)


@primitive
def ReduceScatter(op="sum", group=_WORLD):
    """The sum of what all processes of a group have, of which each gets its part along dimension 0.

    Args:
        op (str): ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``. Default: ``"sum"``.
        group (str): the group. Default: all processes.
        input_x (Tensor[(N, ...)]): of the same shape in all; their number divides N.

    Returns:
        Tensor: this process's part.

    Raises:
        TypeError: ``op`` or ``group`` is no str.
        ValueError: N is no multiple of the number of processes.

    Examples:
        >>> print(ops.ReduceScatter()(Tensor([1.0, 2.0])))
        [1. 2.]
    """
    expect_reduction(op, "ReduceScatter")
    ranks = ranks_of(group, "ReduceScatter")
    return lambda input_x: P.reduce_scatter(input_x, op, ranks)


@primitive
def Broadcast(root_rank, group=_WORLD):
    """What one process of a group has.

    Args:
        root_rank (int): which, of the group.
        group (str): the group. Default: all processes.
        input_x (Tensor, tuple[Tensor]): of the same shapes in all.

    Returns:
        Tensor, tuple[Tensor]: the same in all.

    Raises:
        TypeError: ``root_rank`` is no int, or ``group`` no str.
        ValueError: the group has no such process.

    Examples:
        >>> print(ops.Broadcast(0)((Tensor([1.0, 2.0]),))[0])
        [1. 2.]
    """
    ranks = ranks_of(group, "Broadcast")
    root = index_in(tuple(range(len(ranks))), root_rank, "Broadcast")

    def broadcast(input_x):
        if isinstance(input_x, (tuple, list)):
            return tuple([P.broadcast_from(x, root, ranks) for x in input_x])
        return P.broadcast_from(input_x, root, ranks)

    return broadcast


@primitive
def Reduce(dest_rank, op="sum", group=_WORLD):
    """The sum (product, maximum, minimum) of what all processes of a group have, in one of them.

    Args:
        dest_rank (int): which, of the group.
        op (str): ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``. Default: ``"sum"``.
        group (str): the group. Default: all processes.
        input_x (Tensor): of the same shape in all.

    Returns:
        Tensor: zeros in the others.

    Raises:
        TypeError: ``op`` or ``group`` is no str.
        ValueError: the group has no such process.

    Examples:
        >>> print(ops.Reduce(0)(Tensor([1.0, 2.0])))
        [1. 2.]
    """
    expect_reduction(op, "Reduce")
    ranks = ranks_of(group, "Reduce")
    root = index_in(tuple(range(len(ranks))), dest_rank, "Reduce")
    return lambda input_x: P.reduce_to(input_x, op, root, ranks)


@primitive
def AlltoAll(split_count, split_dim, concat_dim, group=_WORLD):
    """Split along a dimension, one part for each process of a group; join what comes along another.

    Args:
        split_count (int): the number of parts, which is that of the processes.
        split_dim (int): the dimension that is split.
        concat_dim (int): the dimension along which the parts are joined.
        group (str): the group. Default: all processes.
        input_x (Tensor): of the same shape in all.

    Returns:
        Tensor: the parts for this process.

    Raises:
        TypeError: ``group`` is no str, or a number no int.
        ValueError: the dimension cannot be split so.

    Examples:
        >>> print(ops.AlltoAll(1, 0, 0)(Tensor([1.0, 2.0])))
        [1. 2.]
    """
    ranks = ranks_of(group, "AlltoAll")
    n = len(ranks)
    given = {"split_count": split_count, "split_dim": split_dim, "concat_dim": concat_dim}
    for name, value in given.items():
        expect(type(value) is int, name, "an int", TypeError, got=value)
    expect(split_count == n, "split_count", f"the number of processes, {n}", got=split_count)

    def all_to_all(input_x):
        size = input_x.shape[split_dim]
        fits = size % n == 0
        expect(
            fits,
            "input_x",
            f"a tensor whose dimension {split_dim} is a multiple of {n}",
            got=input_x,
        )
        axis = split_dim % len(input_x.shape)
        pieces = listed(P.split(input_x, (size // n,) * n, axis), n)
        got = exchanged(pieces, [pieces[0].shape] * n, input_x.dtype, ranks)
        return P.concat(tuple(listed(got, n)), concat_dim % len(input_x.shape))

    return all_to_all


@primitive
def AlltoAllV(group=_WORLD, block_size=1):
    """Parts of a flat tensor, of any sizes, to all processes of a group.

    Args:
        group (str): the group. Default: all processes.
        block_size (int): how many elements a unit of the sizes is. Default: 1.
        input_x (Tensor[(N,)]): the parts, one after the other.
        send_numel_list (tuple[int]): the size of each.
        recv_numel_list (tuple[int]): the sizes of those that come.

    Returns:
        Tensor: what comes, one after the other.

    Raises:
        TypeError: ``group`` is no str.
        ValueError: the sizes do not fit the tensor or the group.

    Examples:
        >>> print(ops.AlltoAllV()(Tensor([1.0, 2.0]), (2,), (2,)))
        [1. 2.]
    """
    ranks = ranks_of(group, "AlltoAllV")

    def all_to_all_v(input_x, send_numel_list, recv_numel_list):
        send = [block_size * s for s in _sizes(send_numel_list)]
        receive = [block_size * s for s in _sizes(recv_numel_list)]
        return by_rows(input_x, send, receive, ranks, "AlltoAllV")

    return all_to_all_v


def _sizes(given) -> list:
    return [int(s) for s in (given.asnumpy() if isinstance(given, Tensor) else given)]


def by_rows(x, send: list, receive: list, ranks: tuple, what: str):
    """Rows of ``x``, so many to each of the group; so many come from each."""
    n = len(ranks)
    if len(send) != n or len(receive) != n or sum(send) != x.shape[0]:
        raise complain(
            ValueError,
            f"{what}: sizes {send} and {receive} of {x.shape[0]} rows",
            expected=f"{n} sizes each, of all rows",
        )
    pieces = listed(P.split(x, tuple(send), 0), n)
    shapes = [(r, *x.shape[1:]) for r in receive]
    got = exchanged(pieces, shapes, x.dtype, ranks)
    return P.concat(tuple(listed(got, n)), 0)


def _check_tag(name: str, tag) -> None:
    if isinstance(tag, bool) or not isinstance(tag, int):
        what = f"{name}: sr_tag has type {type(tag).__name__}"
        raise complain(TypeError, what, expected="an int")


@primitive
def Send(sr_tag, dest_rank, group=_WORLD, group_back=_WORLD):
    """Send a tensor to another process.

    Args:
        sr_tag (int): goes with the message.
        dest_rank (int): which, of the group.
        group (str): the group. Default: all processes.
        group_back (str): accepted.
        input_x (Tensor): what is sent.

    Returns:
        Tensor: ``input_x``.

    Raises:
        TypeError: ``group`` is no str.
        ValueError: the group has no such process.

    Examples:
        >>> ops.Send(0, 0).dest_rank
        0
    """
    ranks = ranks_of(group, "Send")
    _check_tag("Send", sr_tag)
    to = ranks[index_in(tuple(range(len(ranks))), dest_rank, "Send")]

    def send(input_x):
        P.exchange((input_x,), (to,), (), (), input_x.dtype, sr_tag)
        return input_x

    return send


@primitive
def Receive(sr_tag, src_rank, shape, dtype, group=_WORLD, group_back=_WORLD):
    """Receive a tensor from another process.

    Args:
        sr_tag (int): that of the message.
        src_rank (int): from which, of the group.
        shape (list[int], tuple[int]): the tensor's.
        dtype (dtype): the tensor's.
        group (str): the group. Default: all processes.
        group_back (str): accepted.

    Returns:
        Tensor: what was sent.

    Raises:
        TypeError: ``group`` is no str.
        ValueError: the group has no such process.

    Examples:
        >>> ops.Receive(0, 0, (2,), ms.float32).src_rank
        0
    """
    ranks = ranks_of(group, "Receive")
    _check_tag("Receive", sr_tag)
    source = ranks[index_in(tuple(range(len(ranks))), src_rank, "Receive")]
    return lambda: P.exchange((), (), (source,), (tuple(shape),), dtype, sr_tag)[0]


@primitive
def Barrier(group=_WORLD):
    """Wait until all processes of a group are here.

    Args:
        group (str): the group. Default: all processes.

    Returns:
        None.

    Raises:
        TypeError: ``group`` is no str.

    Examples:
        >>> ops.Barrier()()
    """
    ranks = ranks_of(group, "Barrier")

    def barrier():
        P.barrier(Tensor(0), ranks)

    return barrier


@primitive
def NeighborExchange(
    send_rank_ids, recv_rank_ids, recv_shapes, send_shapes, recv_type, group=_WORLD
):
    """Send tensors to some processes and receive some from others.

    Args:
        send_rank_ids (list[int]): who gets each operand.
        recv_rank_ids (list[int]): who sends each result.
        recv_shapes (list[list[int]]): the results' shapes.
        send_shapes (list[list[int]]): the operands' shapes.
        recv_type (dtype): the results' dtype.
        group (str): the group. Default: all processes.
        input_x (tuple[Tensor]): what is sent.

    Returns:
        tuple[Tensor]: what came.

    Raises:
        TypeError: ``group`` is no str.
        ValueError: the operands are not of these shapes.

    Examples:
        >>> ops.NeighborExchange([0], [0], [[1]], [[1]], ms.float32)((Tensor([2.0]),))[0].shape
        (1,)
    """
    ranks = ranks_of(group, "NeighborExchange")
    to, source = tuple(send_rank_ids), tuple(recv_rank_ids)
    shapes = tuple([tuple(s) for s in recv_shapes])
    sent = [tuple(s) for s in send_shapes]

    def exchange(input_x):
        fits = [tuple(x.shape) for x in input_x] == sent
        expect(fits, "input_x", f"tensors of the shapes {sent}")
        return tuple(messages(input_x, to, source, shapes, recv_type, ranks))

    return exchange


def _borders(lens: list, height: int, width: int) -> list:
    """The places (rows, columns) of the eight borders of an image, clockwise from the top."""
    top, bottom, left, right = lens
    rows = {"t": (0, top), "b": (height - bottom, height), "": (0, height)}
    columns = {"l": (0, left), "r": (width - right, width), "": (0, width)}
    order = [
        ("t", ""),
        ("t", "r"),
        ("", "r"),
        ("b", "r"),
        ("b", ""),
        ("b", "l"),
        ("", "l"),
        ("t", "l"),
    ]
    return [(rows[r], columns[c]) for r, c in order]


@primitive
def NeighborExchangeV2(
    send_rank_ids, send_lens, recv_rank_ids, recv_lens, data_format="NCHW", group=_WORLD
):
    """An image with the borders of its neighbours around it, which other processes have.

    Args:
        send_rank_ids (list[int]): who gets this image's borders, of eight directions clockwise from the
            top; -1 for nobody.
        send_lens (list[int]): how many rows or columns: top, bottom, left, right.
        recv_rank_ids (list[int]): who sends in these directions.
        recv_lens (list[int]): how many rows or columns come.
        data_format (str): ``"NCHW"``.
        group (str): the group. Default: all processes.
        input_x (Tensor[(N, C, H, W)]): the image.

    Returns:
        Tensor: with the rows and columns that came; where nobody sends, zeros.

    Raises:
        TypeError: ``group`` is no str.
        ValueError: ``data_format`` is another, or there are not eight ranks.

    Examples:
        >>> none = [-1] * 8
        >>> exchange = ops.NeighborExchangeV2(none, [0, 0, 0, 0], none, [0, 0, 0, 0])
        >>> exchange(ops.ones((1, 1, 2, 2))).shape
        (1, 1, 2, 2)
    """
    ranks = ranks_of(group, "NeighborExchangeV2")
    expect(data_format == "NCHW", "data_format", "'NCHW'", got=repr(data_format))
    for ids in (send_rank_ids, recv_rank_ids):
        expect(len(ids) == 8, "send_rank_ids", "eight ranks", got=ids)

    def exchange(input_x):
        n, c, height, width = input_x.shape
        places = _borders(send_lens, height, width)
        sent = [
            (input_x[:, :, r0:r1, c0:c1], rank)
            for rank, ((r0, r1), (c0, c1)) in zip(send_rank_ids, places)
            if rank >= 0
        ]
        top, bottom, left, right = recv_lens
        sizes = [
            (top, width), (top, right), (height, right), (bottom, right),
            (bottom, width), (bottom, left), (height, left), (top, left),
        ]  # fmt: skip
        shapes = [(n, c, *s) for rank, s in zip(recv_rank_ids, sizes) if rank >= 0]
        source = tuple([rank for rank in recv_rank_ids if rank >= 0])
        to = [rank for _, rank in sent]
        came = iter(messages([x for x, _ in sent], to, source, shapes, input_x.dtype, ranks))
        parts = [
            next(came) if rank >= 0 else P.full((n, c, *s), 0, input_x.dtype)
            for rank, s in zip(recv_rank_ids, sizes)
        ]
        t, tr, r, br, b, bl, l_, tl = parts
        rows = [(tl, t, tr), (l_, input_x, r), (bl, b, br)]
        return P.concat(tuple([P.concat(row, 3) for row in rows]), 2)

    return exchange


@primitive
def CollectiveScatter(src_rank=0, group=_WORLD):
    """Equal parts along dimension 0 of what one process of a group has.

    Args:
        src_rank (int): which, of the group. Default: 0.
        group (str): the group. Default: all processes.
        input_x (Tensor[(N, ...)]): of the same shape in all; their number divides N.

    Returns:
        Tensor: this process's part.

    Raises:
        TypeError: ``group`` is no str.
        ValueError: the group has no such process, or N is no multiple of the number of processes.

    Examples:
        >>> print(ops.CollectiveScatter(0)(Tensor([1.0, 2.0])))
        [1. 2.]
    """
    ranks = ranks_of(group, "CollectiveScatter")
    root = index_in(tuple(range(len(ranks))), src_rank, "CollectiveScatter")
    return lambda input_x: scattered(input_x, root, ranks)


@primitive
def CollectiveGather(dest_rank, group=_WORLD):
    """What all processes of a group have, one after the other along dimension 0, in one of them.

    Args:
        dest_rank (int): which, of the group.
        group (str): the group. Default: all processes.
        input_x (Tensor[(N, ...)]): of the same shape in all.

    Returns:
        Tensor: zeros in the others.

    Raises:
        TypeError: ``group`` is no str.
        ValueError: the group has no such process.

    Examples:
        >>> print(ops.CollectiveGather(0)(Tensor([1.0, 2.0])))
        [1. 2.]
    """
    ranks = ranks_of(group, "CollectiveGather")
    root = index_in(tuple(range(len(ranks))), dest_rank, "CollectiveGather")
    return lambda input_x: gathered(input_x, root, ranks)
