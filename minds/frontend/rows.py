"""Values of one form as rows of tensors: one tensor for each leaf."""

from __future__ import annotations

from ..base import dtype as dt
from ..ir.abstract import AbstractScalar, AbstractTensor
from ..ir.node import Node
from ..ops.define import P
from ..tensor import Tensor
from . import region
from .values import NUMBERS, Leaf, Mismatch, extract, flatten, join, leaf_abstracts, unflatten


class StackedElements:
    """Elements of one skeleton, as rows of tensors: called with an index, it gives that element."""

    def __init__(self, skeleton, columns: list):
        self.skeleton, self.columns = skeleton, columns

    @staticmethod
    def of(ip, xs, count: int):
        """The elements of ``xs``, or None where they are not alike."""
        if xs is None:
            return StackedElements(None, [])
        if isinstance(xs, (Node, Tensor)):
            x = ip.node(xs)
            return StackedElements(Leaf(AbstractTensor(x.shape[1:], x.dtype)), [x])
        skeleton = flatten(xs[0], [])
        try:
            for x in xs[1:]:
                skeleton = join(skeleton, x)
        except Mismatch:
            return None
        wanted = leaf_abstracts(skeleton, [])
        if not all(isinstance(a, (AbstractTensor, AbstractScalar)) for a in wanted):
            return None
        elements = [extract(skeleton, x, []) for x in xs]
        return StackedElements(
            skeleton, [column(ip, [e[k] for e in elements], a) for k, a in enumerate(wanted)]
        )

    def _emit(self, ip, args, kwargs):
        (i,) = args
        at = (
            ip.native(P.scalar_to_tensor, i, dt.int64)
            if isinstance(i, Node)
            else Tensor(i, dt.int64)
        )
        return unflatten(self.skeleton, iter(leaves_at(ip, self.skeleton, self.columns, at)))


def leaves_at(ip, skeleton, columns: list, at) -> list:
    """The leaves of the element whose place is ``at``, a tensor."""
    wanted = leaf_abstracts(skeleton, [])
    return [
        as_leaf(ip, ip.native(P.gather, ip.node(c), at, 0), a)
        for c, a in zip(columns, wanted, strict=True)
    ]


def column(ip, leaves: list, a) -> Node:
    """Leaves of one type as rows of a tensor."""
    if all(type(v) in NUMBERS for v in leaves):
        return ip.node(Tensor(leaves, a.dtype))
    rows = [ip.native(row, region.convert(ip, v, a)) for v in leaves]
    return ip.native(P.concat, tuple(rows), 0)


def row(node):
    """A tensor or number as a tensor of one row."""
    if isinstance(node.abstract, AbstractScalar):
        node = P.scalar_to_tensor(node, node.abstract.dtype)
    return P.reshape(node, (1, *node.shape))


def as_leaf(ip, node, a):
    """A row as the tensor or the number that it was."""
    return ip.native(P.item, node, a.kind.__name__) if isinstance(a, AbstractScalar) else node


def elements(ip, skeleton, columns: list, count: int) -> list:
    """The values whose leaves are the rows of ``columns``."""
    rows = []
    for t, a in zip(columns, leaf_abstracts(skeleton, []), strict=True):
        parts = ip.native(P.split, t, (1,) * count, 0)
        rows.append([as_leaf(ip, ip.native(P.reshape, r, a.shape), a) for r in parts])
    return [unflatten(skeleton, iter([r[i] for r in rows])) for i in range(count)]
