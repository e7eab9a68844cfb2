"""Reductions beside the program: each begins where the last of its operands is made, and is waited for where
its first result is used.

The order of collectives stays what it was, on which all ranks agree. In a divided program, which is the same
on all ranks of a group, they may change places, and reductions whose results are used late are put together
first: gradients of one group and dtype that are made one after the other share an exchange.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..ir import prim, walk
from ..ir.abstract import AbstractTuple
from ..ir.build import Builder, building
from ..ir.node import Apply, Graph, Node, move, replace
from ..lower.kernels import has_kernel
from ..ops.buckets import BYTES
from ..ops.define import Op, P

LEAST = 16 << 10
"""What has fewer bytes is over sooner than another thread begins with it."""
LATE = 16
"""A result that is used so many applications behind its operand is used late."""

_REDUCES = (P.all_reduce, P.all_reduce_bucket, P.reduce_scatter)
_MOVES = (P.reshape, P.transpose)
_CHEAP = (prim.load, prim.make_tuple, prim.tuple_getitem)


@dataclass
class _Reduction:
    """Reductions that are one exchange.

    Attributes:
        nodes: the applications, in the order of their operands.
        made: the place of the last operand in the program; -1, it is there from the start.
        used: the place of what takes a result first.
    """

    nodes: list[Apply]
    made: int
    used: int

    @property
    def values(self) -> list[Node]:
        """The operands."""
        return [v for n in self.nodes for v in _values(n)]

    @property
    def size(self) -> int:
        """Bytes of the operands."""
        return sum(v.abstract.size * v.abstract.dtype.itemsize for v in self.values)

    @property
    def key(self) -> tuple:
        """What those have in common that may be one exchange."""
        n = self.nodes[0]
        return n.fn is P.reduce_scatter, n.args[1].value, n.args[2].value, self.values[0].dtype


def overlap(graph: Graph, options) -> Graph:
    """The program whose reductions run beside it: on the CPU, and on devices that communicate."""
    for g in walk.graphs(graph):
        if g is graph or "pass" in g.flags:
            _overlap(g, options)
    return graph


def _overlap(graph: Graph, options) -> None:
    def can(n: Apply) -> bool:
        return has_kernel("reduction_begin", options.device, _values(n)[0].dtype)

    found = [n for n in graph if n.fn in _REDUCES and can(n)]
    if not found:
        return
    for n in found:
        _raise_moves(graph, n)
    order = list(graph)
    place = {n: i for i, n in enumerate(order)}
    reductions = [_reduction(n, place) for n in found]
    if options.division is not None:
        reductions = _buckets(reductions)
    else:
        _keep_order(order, place, reductions)
    gone = []
    for r in reductions:
        if len(r.nodes) > 1 or r.size >= LEAST and _has_work(order[r.made + 1 : r.used]):
            gone += _begin_and_end(graph, order, r)
    for n in gone:
        graph.remove(n)


def _values(n: Apply) -> list[Node]:
    if n.fn is not P.all_reduce_bucket:
        return [n.args[0]]
    given = n.args[0]
    return list(given.args) if isinstance(given, Apply) else [given]


def _raise_moves(graph: Graph, n: Apply) -> None:
    """Let what only moves the elements of an operand stand behind what makes it."""
    chain, v = [], n.args[0]
    while isinstance(v, Apply) and v.fn in _MOVES and len(v.uses) == 1:
        chain.append(v)
        v = v.args[0]
    before = v.next if isinstance(v, Apply) else graph.head
    for m in reversed(chain):
        if m is before:
            before = m.next
        else:
            move(m, graph, before)


def _reduction(n: Apply, place: dict[Node, int]) -> _Reduction:
    made = max([place.get(v, -1) for v in _values(n)])
    users = list(n.uses)
    if _is_tuple(n) and all(u.fn is prim.tuple_getitem for u in users):
        users = [u for m in users for u in m.uses]
    return _Reduction([n], made, min([place.get(u, len(place)) for u in users], default=len(place)))


def _buckets(reductions: list[_Reduction]) -> list[_Reduction]:
    """Late ones put together, in the order in which operands are made."""
    kept, last = [], {}
    for r in sorted(reductions, key=lambda r: r.made):
        bucket = last.get(r.key)
        joins = r.nodes[0].fn is P.all_reduce and r.used - r.made > LATE and r.size < BYTES
        if joins and bucket is not None and bucket.used > r.made and bucket.size + r.size <= BYTES:
            bucket.nodes += r.nodes
            bucket.made, bucket.used = r.made, min(bucket.used, r.used)
            continue
        kept.append(r)
        if joins:
            last[r.key] = r
    return sorted(kept, key=lambda r: r.made)


def _keep_order(order: list[Apply], place: dict, reductions: list[_Reduction]) -> None:
    """Let none begin before a collective that was before it."""
    of, last = {r.nodes[0]: r for r in reductions}, -1
    for n in order:
        r = of.get(n)
        if r is not None:
            last = r.made = max(last, r.made)
        elif not isinstance(n.fn, Op) and n.has_effect or "ranks" in getattr(n.fn, "names", ()):
            last = place[n]


def _has_work(between: list[Apply]) -> bool:
    """Whether anything is computed meanwhile."""
    return any(n.fn not in _CHEAP and n.fn not in _REDUCES for n in between)


def _begin_and_end(graph: Graph, order: list[Apply], r: _Reduction) -> list[Apply]:
    """Emit both. Returns the applications that nobody uses any more, users first."""
    scatters, how, ranks, dtype = r.key
    given = [n.abstract.items if _is_tuple(n) else (n.abstract,) for n in r.nodes]
    begin, end = (
        Builder(graph, order[i] if i < len(order) else None, r.nodes[-1].loc)
        for i in (r.made + 1, r.used)
    )
    with building(begin):
        begun = P.reduction_begin(tuple(r.values), how, ranks, scatters)
    with building(end):
        got = P.reduction_end(begun, tuple([t.shape for items in given for t in items]), dtype)
    parts = iter([end.getitem(got, i) for i in range(sum(map(len, given)))])
    gone = []
    for n, items in zip(r.nodes, given):
        mine = [next(parts) for _ in items]
        users = list(n.uses)
        if _is_tuple(n) and all(u.fn is prim.tuple_getitem for u in users):
            for u in users:
                replace(u, mine[u.args[1].value])
            gone += users
        elif users:
            replace(n, end.make_tuple(mine) if _is_tuple(n) else mine[0])
        gone.append(n)
    return gone


def _is_tuple(n: Apply) -> bool:
    return isinstance(n.abstract, AbstractTuple)


__all__ = ["overlap"]
