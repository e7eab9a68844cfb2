"""Batching rules: what an op is on operands that carry one example per row.

A batched operand has the examples along a new dimension 0; an operand that is not batched is the
same for all examples. A rule computes all examples at once and returns results that are batched.
Most ops declare a family (the option ``batch`` of `op`) and get their rule from it:

leading    dimensions in front broadcast: elementwise ops, and ops on matrices in the last two
dimensions axis       attributes that name dimensions (``axis``, ``dim``) count from the front: they
move up by one fold       dimension 0 of every operand counts samples, which do not see each other:
examples are more samples

The others register a rule beside their gradient: ``@gather.batch``. It takes a `Batch` and the op's
parameters. An op with neither, or whose rule returns None, is computed row by row
(`minds.batch.rows`).
"""

from __future__ import annotations

from ..base import dtype as dt
from ..ir.abstract import AbstractScalar, AbstractTuple
from .define import ATTR, TENSORS, Op, P


class Batch:
    """One application under batching.

    Attributes:
        n: the number of examples.
        out: the abstract value of the result for one example.
        mask: for each Tensor parameter whether it is batched; a tuple of bools for a variadic one.
    """

    __slots__ = ("n", "out", "mask")

    def __init__(self, n: int, out, mask: tuple):
        self.n, self.out, self.mask = n, out, mask

    def every(self, *operands) -> list:
        """The Tensor operands with all of them batched."""
        return [x if m else widened(x, self.n) for x, m in zip(operands, self.mask)]

    def rank(self, i: int, x) -> int:
        """The rank of Tensor operand ``i`` for one example."""
        return len(x.shape) - bool(self.mask[i])


def apply_rule(op: Op, params: list, batch: Batch):
    """The batched results of ``op``, by its rule; None where it has none for these operands."""
    rule = op.batch_rule or FAMILIES.get(op.batch_family)
    if rule is None:
        return None
    params = [
        _as_tensor(p)
        if k != ATTR and k != TENSORS and p is not None
        else tuple(map(_as_tensor, p))
        if k == TENSORS
        else p
        for p, k in zip(params, op.kinds)
    ]
    result = rule(batch, *params) if op.batch_rule is not None else rule(op, batch, params)
    if result is None:
        return None
    if isinstance(batch.out, AbstractTuple):
        return [_shaped(result[i], (batch.n, *a.shape)) for i, a in enumerate(batch.out.items)]
    return _shaped(result, (batch.n, *batch.out.shape))


def _as_tensor(x):
    """A run-time number as a tensor of rank 0."""
    return P.scalar_to_tensor(x, x.dtype) if isinstance(x.abstract, AbstractScalar) else x


def _shaped(x, shape: tuple):
    return x if x.shape == shape else P.reshape(x, shape)


def widened(x, n: int):
    """``x``, the same for all, as a batch."""
    x = _as_tensor(x)
    return P.broadcast_to(P.reshape(x, (1, *x.shape)), (n, *x.shape))


def moved(x, source: int, target: int):
    """``x`` with dimension ``source`` at ``target``."""
    if source == target:
        return x
    order = [d for d in range(len(x.shape)) if d != source]
    order.insert(target, source)
    return P.transpose(x, tuple(order))


def merged(x, axis: int):
    """Dimensions ``axis`` and ``axis + 1`` as one."""
    s = x.shape
    return P.reshape(x, (*s[:axis], s[axis] * s[axis + 1], *s[axis + 2 :]))


def beside(x):
    """Examples (n, N, C, ...) as more channels (N, n C, ...)."""
    return merged(moved(x, 0, 1), 1)


def apart(x, n: int):
    """The inverse of `beside`."""
    return moved(P.reshape(x, (x.shape[0], n, x.shape[1] // n, *x.shape[2:])), 1, 0)


def raised(x, rank: int):
    """A batched ``x`` whose examples get dimensions of size 1 in front, up to ``rank``."""
    return P.reshape(x, (x.shape[0], *(1,) * (rank - len(x.shape) + 1), *x.shape[1:]))


def leading(op: Op, b: Batch, params: list):
    """Align the ranks; what is not batched broadcasts."""
    at = op.tensor_at
    rank = max(b.rank(k, params[i]) for k, i in enumerate(at))
    changed = list(params)
    for k, i in enumerate(at):
        if b.mask[k] and b.rank(k, params[i]) < rank:
            changed[i] = raised(params[i], rank)
    return op(*changed)


def axis(op: Op, b: Batch, params: list):
    """Move the axes up. Examples of rank 0 get a dimension first, so that there is one to name."""
    changed, deep = list(params), True
    for k, i in enumerate(op.tensor_at):
        if op.kinds[i] == TENSORS:
            changed[i] = tuple([x if m else widened(x, b.n) for x, m in zip(params[i], b.mask[k])])
        else:
            changed[i] = x = params[i] if b.mask[k] else widened(params[i], b.n)
            if len(x.shape) == 1:
                changed[i], deep = P.reshape(x, (b.n, 1)), False
    for i, (name, kind) in enumerate(zip(op.names, op.kinds)):
        if kind == ATTR and name in ("axis", "dim"):
            a = params[i]
            changed[i] = (
                a + 1 if isinstance(a, int) else tuple([d + 1 for d in a]) if deep else (1,)
            )
    return op(*changed)


def fold(op: Op, b: Batch, params: list):
    """Examples as more samples; ``in_shape``, the shape of an operand that is made, has more
    too.
    """
    changed = list(params)
    for i, x in zip(op.tensor_at, b.every(*[params[i] for i in op.tensor_at])):
        changed[i] = merged(x, 0)
    if "in_shape" in op.names:
        i = op.names.index("in_shape")
        changed[i] = (b.n * params[i][0], *params[i][1:])
    return op(*changed)


def rows_of(indices, n: int):
    """``indices`` (n, ..., depth) with the number of its row in front of each index: (n, ..., 1 +
    depth).
    """
    row = P.reshape(P.arange(0, n, 1, dt.int64), (n,) + (1,) * (len(indices.shape) - 1))
    row = P.broadcast_to(P.cast(row, indices.dtype), (*indices.shape[:-1], 1))
    return P.concat((row, indices), len(indices.shape) - 1)


FAMILIES = {"leading": leading, "axis": axis, "fold": fold}
