"""Values of one form as rows of tensors: one tensor for each leaf."""

from __future__ import annotations

from ..base import dtype as dt
from ..ir.abstract import AbstractScalar, AbstractTensor
from ..ir.node import Node
from ..ops.define import P
from ..tensor import Tensor
from . import region
from .value_types import NUMBERS, Leaf, Rows
from .values import Mismatch, extract, join_all, leaf_abstracts, unflatten


def stack(ip, xs) -> Rows | None:
    """The elements of ``xs``, a sequence or a tensor; None where they are not alike."""
    if isinstance(xs, (Node, Tensor)):
        x = ip.node(xs)
        return Rows(ip, Leaf(AbstractTensor(x.shape[1:], x.dtype)), x.shape[0], [x])
    try:
        skeleton = join_all(xs)
    except Mismatch:
        return None
    wanted = leaf_abstracts(skeleton, [])
    if not all(isinstance(a, (AbstractTensor, AbstractScalar)) for a in wanted):
        return None
    leaves = [extract(skeleton, x, []) for x in xs]
    columns = [column(ip, [e[k] for e in leaves], a) for k, a in enumerate(wanted)]
    return Rows(ip, skeleton, len(xs), columns)


def tensor_of(ip, i):
    """An index as a tensor."""
    return (
        ip.native(P.scalar_to_tensor, i, dt.int64) if isinstance(i, Node) else Tensor(i, dt.int64)
    )


def leaves_at(ip, rows: Rows, i) -> list:
    """The leaves of the value at a place."""
    wanted, at = leaf_abstracts(rows.skeleton, []), tensor_of(ip, i)
    return [
        as_leaf(ip, ip.native(P.gather, ip.node(c), at, 0), a)
        for c, a in zip(rows.columns, wanted, strict=True)
    ]


def column(ip, leaves: list, a) -> Node:
    """Leaves of one type as rows of a tensor."""
    if all(type(v) in NUMBERS for v in leaves):
        return ip.node(Tensor(leaves, a.dtype))
    numbers = list(dict.fromkeys(_key(v) for v in leaves if type(v) in NUMBERS))
    others = {id(v): v for v in leaves if type(v) not in NUMBERS}
    rows = [ip.native(row, region.convert(ip, v, a)) for v in others.values()]
    if numbers:  # of one kind when they are rows
        rows.append(ip.node(Tensor([v for _, v in numbers], a.dtype)))
    found = ip.native(P.concat, tuple(rows), 0) if len(rows) > 1 else rows[0]
    at = {key: i for i, key in enumerate([*others, *numbers])}
    places = [at[_key(v) if type(v) in NUMBERS else id(v)] for v in leaves]
    whole = places == list(range(len(places)))
    return found if whole else ip.native(P.gather, found, ip.node(Tensor(places, dt.int64)), 0)


def _key(v) -> tuple:
    """What tells a number from others, zeros by their signs."""
    return repr(v), v


def row(node):
    """A tensor or number as a tensor of one row."""
    if isinstance(node.abstract, AbstractScalar):
        node = P.scalar_to_tensor(node, node.abstract.dtype)
    return P.reshape(node, (1, *node.shape))


def as_leaf(ip, node, a):
    """A row as the tensor or the number that it was."""
    return ip.native(P.item, node, a.kind.__name__) if isinstance(a, AbstractScalar) else node


def apart(ip, skeleton, columns: list, count: int) -> list:
    """The values whose leaves are the rows of ``columns``."""
    rows = []
    if not count:
        return rows
    for t, a in zip(columns, leaf_abstracts(skeleton, []), strict=True):
        parts = ip.native(P.split, t, (1,) * count, 0)
        rows.append([as_leaf(ip, ip.native(P.reshape, r, a.shape), a) for r in parts])
    return [unflatten(skeleton, iter([r[i] for r in rows])) for i in range(count)]
