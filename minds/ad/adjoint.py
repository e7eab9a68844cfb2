"""What J keeps of a graph: its ▶ and the calling convention of its ◀, which `j` describes."""

from __future__ import annotations

from itertools import count

from ..ir.abstract import AbstractFunction, AbstractTuple
from ..ir.build import Builder
from ..ir.node import Graph
from .activity import Activity
from .cotangents import dual_abstract, leaves, leaves_of

_serial = count()


class Convention:
    """Which cotangents ◀g takes and gives.

    Attributes:
        graph: g.
        out: the leaves of the result of g.
        params: the leaves of the params of g.
        wanted: for each of ``params``, whether ◀g returns its cotangent.
        dout: for each of ``out``, whether ◀g takes its cotangent; None while nobody called ◀g.
    """

    def __init__(self, g: Graph, activity: Activity, shared: bool):
        self.graph, self.out, self.params = g, leaves(g.ret.abstract), leaves_of(g.params)
        places = [i for i, p in enumerate(g.params) for _ in leaves(p.abstract)]
        self.wanted = [i in activity.params[g] for i in places]
        self.dout = [True] * len(self.out) if shared else None

    def wanted_leaves(self) -> list[tuple]:
        """The leaves of the params whose cotangents ◀g returns."""
        return [place for place, w in zip(self.params, self.wanted) if w]

    def taken(self) -> list[tuple]:
        """The leaves of the result whose cotangents ◀g takes."""
        if self.dout is None:  # nobody calls ◀g
            self.dout = [False] * len(self.out)
        return [place for place, d in zip(self.out, self.dout) if d]


class Adjoint(Convention):
    """▶g that returns ◀g as a function value, which closes over what ▶g computed.

    Attributes:
        forward: ▶g.
        result: the type of what ▶g returns: (out, ◀g).
    """

    def __init__(self, g: Graph, activity: Activity, shared: bool):
        super().__init__(g, activity, shared)
        self.forward = dual_graph(g)
        self.back_type = AbstractFunction(("back", g.name, next(_serial)))
        self.result = AbstractTuple((dual_abstract(g.ret.abstract), self.back_type))

    def wanted_types(self) -> AbstractTuple:
        """The type of what ◀g returns."""
        return AbstractTuple([t for _, _, t in self.wanted_leaves()])


def dual_graph(g: Graph) -> Graph:
    """▶g without a body."""
    forward = Graph("▶" + g.name, g.loc)
    forward.has_effect = g.has_effect
    for p in g.params:
        forward.add_param(p.name, dual_abstract(p.abstract), p.loc)
    return forward


def calling(g: Graph) -> Graph:
    """A graph that only calls ``g``."""
    w = Graph(g.name, g.loc)
    w.has_effect = g.has_effect
    args = [w.add_param(p.name, p.abstract, p.loc) for p in g.params]
    w.output = Builder(w, loc=g.loc).emit(g, args, g.ret.abstract)
    return w
