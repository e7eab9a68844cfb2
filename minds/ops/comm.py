"""Collectives: what the processes of a group compute together.

Each is an effect: all ranks run it, in program order. ``ranks`` are the group's, of the world; the
kernels are in csrc/comm. A result is the same on every run, since sums are made in the order of the
ranks, and the gradient of a collective is a collective: of the sum over all ranks of their losses.
"""

from __future__ import annotations

from ..base import dtype as dt
from ..base.errors import complain, expect
from ..ir.abstract import AbstractTensor, AbstractTuple
from ..tensor import Tensor
from .define import P, op
from .rules import same

REDUCTIONS = ("sum", "prod", "max", "min")


def _reduction(name: str, x) -> None:
    expect(name in REDUCTIONS, "op", "one of 'sum', 'prod', 'max', 'min'", got=repr(name))
    expect(x.dtype is not dt.bool_, "x", "a tensor of numbers", TypeError, got=x)
    ordered = name in ("sum", "prod") or not x.dtype.is_complex
    expect(ordered, "x", "a tensor of real numbers", TypeError, got=x)


@op(effect=True, batch="leading")
def all_reduce(x: Tensor, op: str, ranks: tuple) -> Tensor:
    """The sum (product, maximum, minimum) of what the ranks have.

    Args:
        x (Tensor): of the same shape on all ranks.
        op (str): ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``.
        ranks (tuple[int]): the group.

    Returns:
        Tensor: the same on all ranks.
    """
    _reduction(op, x)
    return same(x)


def _chosen(x, out, dout):
    """What of ``dout`` goes to the elements that are the result."""
    return P.select(P.equal(x, out), dout, 0)


@all_reduce.bprop
def _(x, op, ranks, out, dout):
    total = P.all_reduce(dout, "sum", ranks)
    if op == "sum":
        return (total,)
    if op == "prod":
        return (P.div(P.mul(out, total), x),)
    return (_chosen(x, out, total),)


@op(effect=True)
def all_reduce_bucket(values: tuple[Tensor, ...], op: str, ranks: tuple) -> tuple[Tensor, ...]:
    """`all_reduce` of several tensors of a dtype at once.

    Args:
        values (tuple[Tensor]): of the same shapes on all ranks.
        op (str), ranks (tuple[int]): as for `all_reduce`.

    Returns:
        tuple[Tensor]: one for each.
    """
    expect(len(values) > 0, "values", "at least one tensor")
    for v in values:
        _reduction(op, v)
        expect(v.dtype is values[0].dtype, "values", "tensors of one dtype", TypeError)
    return AbstractTuple(tuple([same(v) for v in values]))


@all_reduce_bucket.bprop
def _(values, op, ranks, out, dout):
    douts = [dout[i] for i in range(len(values))]
    totals = P.all_reduce_bucket(tuple(douts), "sum", ranks)
    if op == "sum":
        return (tuple([totals[i] for i in range(len(values))]),)
    raise complain(TypeError, f"all_reduce_bucket: {op} has no gradient", cure="use all_reduce")


@op(effect=True, nondiff=True)
def reduction_begin(
    values: tuple[Tensor, ...], op: str, ranks: tuple, scatters: bool = False
) -> Tensor:
    """Begin an `all_reduce` of several tensors of a dtype, or a `reduce_scatter` of one, which goes on while
    the program does. Reductions run in the order in which they begin, before all collectives that come then.

    Args:
        values (tuple[Tensor]): of the same shapes on all ranks; they are copied.
        op (str), ranks (tuple[int]): as for `all_reduce`.
        scatters (bool): whether each rank gets its part alone. Default: False.

    Returns:
        Tensor[(1,), int64]: a number, for `reduction_end`.
    """
    expect(len(values) > 0, "values", "at least one tensor")
    for v in values:
        _reduction(op, v)
        expect(v.dtype is values[0].dtype, "values", "tensors of one dtype", TypeError)
    return AbstractTensor((1,), dt.int64)


@op(effect=True, nondiff=True)
def reduction_end(begun: Tensor, shapes: tuple, dtype: dt.DType) -> tuple[Tensor, ...]:
    """Wait for what was begun.

    Args:
        begun (Tensor[(1,), int64]): of `reduction_begin`, whose results are taken once.
        shapes (tuple[tuple[int]]), dtype (dtype): of the results.

    Returns:
        tuple[Tensor]: one for each operand.
    """
    fits = begun.dtype is dt.int64 and begun.shape == (1,)
    expect(fits, "begun", "the result of reduction_begin", TypeError, got=begun)
    return AbstractTuple(tuple([AbstractTensor(tuple(s), dtype) for s in shapes]))


@op(effect=True)
def reduce_to(x: Tensor, op: str, root: int, ranks: tuple) -> Tensor:
    """The sum (product, maximum, minimum) of what the ranks have, on one of them.

    Args:
        x (Tensor): of the same shape on all ranks.
        op (str), ranks (tuple[int]): as for `all_reduce`.
        root (int): which of the group gets it, as an index into ``ranks``.

    Returns:
        Tensor: zeros on the others.
    """
    _reduction(op, x)
    return same(x)


@reduce_to.bprop
def _(x, op, root, ranks, out, dout):
    given = P.broadcast_from(dout, root, ranks)
    if op == "sum":
        return (given,)
    whole = P.broadcast_from(out, root, ranks)
    if op == "prod":
        return (P.div(P.mul(whole, given), x),)
    return (_chosen(x, whole, given),)


@op(effect=True)
def broadcast_from(x: Tensor, root: int, ranks: tuple) -> Tensor:
    """What one of the ranks has.

    Args:
        x (Tensor): of the same shape on all ranks.
        root (int): whose, as an index into ``ranks``.
        ranks (tuple[int]): the group.

    Returns:
        Tensor: the same on all ranks.
    """
    return same(x)


@broadcast_from.bprop
def _(x, root, ranks, out, dout):
    return (P.reduce_to(dout, "sum", root, ranks),)


def _with_rows(x, rows) -> AbstractTensor:
    return AbstractTensor((rows, *x.shape[1:]), x.dtype)


@op(effect=True)
def all_gather(x: Tensor, ranks: tuple) -> Tensor:
    """What all ranks have, one after the other along dimension 0.

    Args:
        x (Tensor[(N, ...)]): of the same shape on all ranks.
        ranks (tuple[int]): the group.

    Returns:
        Tensor[(N * ranks, ...)]: the same on all ranks.
    """
    expect(len(x.shape) > 0, "x", "a tensor of at least one dimension", got=x)
    return _with_rows(x, x.shape[0] * len(ranks))


@all_gather.bprop
def _(x, ranks, out, dout):
    return (P.reduce_scatter(dout, "sum", ranks),)


@op(effect=True)
def reduce_scatter(x: Tensor, op: str, ranks: tuple) -> Tensor:
    """`all_reduce`, of which each rank gets its part along dimension 0.

    Args:
        x (Tensor[(N, ...)]): of the same shape on all ranks; they divide N.
        op (str), ranks (tuple[int]): as for `all_reduce`.

    Returns:
        Tensor[(N / ranks, ...)]: this rank's part.
    """
    _reduction(op, x)
    expect(len(x.shape) > 0, "x", "a tensor of at least one dimension", got=x)
    fits = x.shape[0] % len(ranks) == 0
    expect(fits, "x", f"a tensor whose dimension 0 is a multiple of {len(ranks)}", got=x)
    return _with_rows(x, x.shape[0] // len(ranks))


@reduce_scatter.bprop
def _(x, op, ranks, out, dout):
    whole = P.all_gather(dout, ranks)
    if op == "sum":
        return (whole,)
    result = P.all_gather(out, ranks)
    if op == "prod":
        return (P.div(P.mul(result, whole), x),)
    return (_chosen(x, result, whole),)


@op(effect=True)
def exchange(
    values: tuple[Tensor, ...],
    to: tuple,
    source: tuple,
    shapes: tuple,
    dtype: dt.DType,
    tag: int = 0,
    ranks: tuple = (),
    begins: bool = False,
) -> tuple[Tensor, ...]:
    """Send a tensor to each of some ranks, and receive one from each of some.

    Args:
        values (tuple[Tensor]): what is sent.
        to (tuple[int]): the rank of the world that gets each.
        source (tuple[int]): the rank of the world that each result comes from.
        shapes (tuple[tuple[int]]): the results' shapes.
        dtype (dtype): of all.
        tag (int): messages of another tag are not taken for these. Default: 0.
        ranks (tuple[int]): the group, if all of its ranks do this at this point, or the two ranks of a single
            message. Default: ``()``.
        begins (bool): whether sending only begins, and goes on while the program does; if something is
            received, this waits first for all that was begun. Default: False.

    Returns:
        tuple[Tensor]: what came, one for each of ``source``.
    """
    expect(len(values) == len(to), "to", "one rank for each tensor")
    expect(len(source) == len(shapes), "shapes", "one shape for each rank of source")
    for v in values:
        expect(v.dtype is dtype, "values", f"tensors of dtype {dtype.name}", TypeError, got=v)
    return AbstractTuple(tuple([AbstractTensor(tuple(s), dtype) for s in shapes]))


@exchange.bprop
def _(values, to, source, shapes, dtype, tag, ranks, begins, out, dout):
    back = tuple([dout[i] for i in range(len(source))])
    wanted = tuple([v.shape for v in values])
    got = P.exchange(back, source, to, wanted, dtype, tag, ranks)
    return (tuple([got[i] for i in range(len(to))]),)


@op(effect=True, nondiff=True)
def barrier(token: Tensor, ranks: tuple) -> Tensor:
    """Wait until all ranks are here.

    Args:
        token (Tensor): any tensor.
        ranks (tuple[int]): the group.

    Returns:
        Tensor: ``token``.
    """
    return same(token)
