"""What J keeps of a graph: its ▶ and the calling convention of its ◀, which `j` describes."""

from __future__ import annotations

from collections import deque
from itertools import count

from ..ir import prim, walk
from ..ir.abstract import AbstractFunction, AbstractTuple
from ..ir.node import Graph
from .activity import Activity
from .cotangents import dual_abstract, leaves, leaves_of

_serial = count()


class Adjoint:
    """▶g, and which cotangents ◀g takes and gives.

    Attributes:
        graph, forward: g and ▶g.
        result: the type of what ▶g returns: (out, ◀g).
        out: the leaves of the result of g.
        params: the leaves of the params of g.
        wanted: for each of ``params``, whether ◀g returns its cotangent.
        dout: for each of ``out``, whether ◀g takes its cotangent; None while nobody called ◀g.
        sums: for each of ``params``, whether ◀g takes the sum to which it adds.
        again: whether this is what ◀ of a recomputed graph runs.
    """

    __slots__ = (
        "again",
        "back_type",
        "dout",
        "forward",
        "graph",
        "out",
        "params",
        "result",
        "sums",
        "wanted",
    )

    def __init__(self, g: Graph, active: set[int], again: bool = False):
        self.graph, self.again = g, again
        self.forward = Graph("▶" + g.name, g.loc)
        self.forward.has_effect = g.has_effect
        for p in g.params:
            self.forward.add_param(p.name, dual_abstract(p.abstract), p.loc)
        self.out = leaves(g.ret.abstract)
        self.params = leaves_of(g.params)
        self.wanted = [i in active for i, p in enumerate(g.params) for _ in leaves(p.abstract)]
        self.dout: list[bool] | None = None
        self.sums = [False] * len(self.params)
        self.back_type = AbstractFunction(("back", g.name, next(_serial)))
        self.result = AbstractTuple((dual_abstract(g.ret.abstract), self.back_type))

    def settle(self, summed) -> None:
        """Take what any caller may have: all of ``dout``, and sums for the params ``summed``."""
        if self.dout is None:
            places = [i for i, p in enumerate(self.graph.params) for _ in leaves(p.abstract)]
            self.dout = [True] * len(self.out)
            self.sums = [w and i in summed for w, i in zip(self.wanted, places)]

    def wanted_types(self) -> AbstractTuple:
        """The type of what ◀g returns."""
        return AbstractTuple([t for (_, _, t), w in zip(self.params, self.wanted) if w])


class Expansion:
    """One round of J: the graphs that it differentiates, each once."""

    def __init__(self, root: Graph, calls: dict, activity: Activity):
        self.recursive, self.activity = walk.recursive(root, calls), activity
        self.adjoints: dict[Graph, Adjoint] = {}
        self.work: deque[Adjoint] = deque()

    def adjoint(self, g: Graph) -> Adjoint:
        """The adjoint of ``g``, whose bodies are made later."""
        a = self.adjoints.get(g)
        if a is None:
            a = self.adjoints[g] = Adjoint(g, self.activity.params.get(g, set()))
            if g in self.recursive or not _has_one_site(g):
                self.settle(a)
            self.work.append(a)
        return a

    def settle(self, a: Adjoint) -> None:
        """Give ◀ the convention that serves all callers."""
        a.settle(self.activity.summed.get(a.graph, ()))

    def again(self, a: Adjoint) -> Adjoint:
        """The adjoint of the same graph with the same convention, to be run in its ◀."""
        other = Adjoint(a.graph, self.activity.params[a.graph], again=True)
        other.dout, other.sums = a.dout, a.sums
        self.work.append(other)
        return other


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
