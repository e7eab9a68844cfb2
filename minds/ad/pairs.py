"""What J keeps of a graph: its ▶, and which leaves its ◀ takes and gives. The calling convention is
told in `j.py`.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import count

from ..ir import prim, walk
from ..ir.abstract import AbstractFunction, AbstractTuple
from ..ir.build import Builder
from ..ir.node import Graph, Node
from .activity import Activity
from .zeros import dual_abstract, leaves, neutral

_serial = count()


@dataclass
class Shape:
    """Which leaves a backpropagator has: of ``dout`` and the accumulators as parameters, of the
    params as results.
    """

    dout: list[bool]
    acc: list[bool]
    want: list[bool]


class Pair:
    """▶g and what is known of ◀g. ``again`` tells the pair that ◀ of a recomputed graph runs."""

    __slots__ = (
        "graph",
        "forward",
        "result",
        "out",
        "params",
        "shape",
        "back_type",
        "owners",
        "again",
    )

    def __init__(self, g: Graph, again: bool = False):
        self.again = again
        self.graph = g
        self.forward = Graph("▶" + g.name, g.loc)
        self.forward.has_effect = g.has_effect
        for p in g.params:
            self.forward.add_param(p.name, dual_abstract(p.abstract), p.loc)
        self.out = leaves(g.ret.abstract)
        self.owners = [i for i, p in enumerate(g.params) for _ in leaves(p.abstract)]
        self.params = [leaf for p in g.params for leaf in leaves(p.abstract)]
        self.shape: Shape | None = None
        self.back_type = AbstractFunction(("back", g.name, next(_serial)))
        self.result = AbstractTuple((dual_abstract(g.ret.abstract), self.back_type))

    def settle(self, activity: Activity) -> None:
        """Give ◀g every leaf of ``dout``, and of the params that matter at any of its call
        sites.
        """
        if self.shape is None:
            params, summed = activity.params[self.graph], activity.summed[self.graph]
            want = [i in params for i in self.owners]
            acc = [w and i in summed for i, w in zip(self.owners, want)]
            self.shape = Shape([True] * len(self.out), acc, want)


class Transform:
    """One round. A graph is expanded once."""

    def __init__(self, root: Graph, calls: dict, activity: Activity):
        self.recursive, self.activity = walk.recursive(root, calls), activity
        self.pairs: dict[Graph, Pair] = {}
        self.work: deque[Pair] = deque()

    def pair(self, g: Graph) -> Pair:
        """The pair of ``g``, whose body is made later."""
        p = self.pairs.get(g)
        if p is None:
            p = self.pairs[g] = Pair(g)
            if g in self.recursive or not _has_one_site(g):
                p.settle(self.activity)
            self.work.append(p)
        return p

    def again(self, pair: Pair) -> Pair:
        """The pair of the graph of ``pair`` with the same leaves, to be run in its ◀."""
        p = Pair(pair.graph, again=True)
        p.shape = pair.shape
        self.work.append(p)
        return p


def _has_one_site(g: Graph) -> bool:
    """Whether ``g`` is mentioned once, and there only to be called: directly, by a switch, or at a
    J site.
    """
    if len(g.callers) > 1 or any(c > 1 for c in g.callers.values()):
        return False
    for u in g.callers:
        if u.fn is g or walk.graph_of(u.fn) is g:
            return True
        while u.fn in (prim.switch, prim.partial, prim.J):
            if len(u.uses) != 1:
                return False
            (user,) = u.uses
            if user.fn is u and u.fn is not prim.partial:
                return user.uses is not None and u not in user.args
            if not (u.fn is prim.partial and user.fn is prim.J):
                return False
            u = user
        return False
    return True


def at_path(b: Builder, v: Node, path: tuple) -> Node:
    """The element of a nested tuple."""
    for i in path:
        v = b.getitem(v, i)
    return v


def start(b: Builder, dual: Node, path: tuple, kind, make=neutral) -> Node:
    """What the accumulator of a leaf of ``dual`` starts from; a function value brings its own
    zero.
    """
    if isinstance(kind, AbstractFunction):
        return b.emit(at_path(b, dual, (*path, 1)), (), kind)
    return make(kind)
