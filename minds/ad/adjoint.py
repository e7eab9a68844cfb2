"""What J keeps of a graph: its ▶ and the calling convention of its ◀, which `j` describes."""

from __future__ import annotations

from collections import deque
from itertools import count

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

    def __init__(self, g: Graph, activity: Activity, again: bool = False):
        self.graph, self.again = g, again
        self.forward = Graph("▶" + g.name, g.loc)
        self.forward.has_effect = g.has_effect
        for p in g.params:
            self.forward.add_param(p.name, dual_abstract(p.abstract), p.loc)
        self.out, self.params = leaves(g.ret.abstract), leaves_of(g.params)
        places = [i for i, p in enumerate(g.params) for _ in leaves(p.abstract)]
        active, summed = activity.params[g], activity.summed.get(g, ())
        self.wanted = [i in active for i in places]
        self.dout, self.sums = None, [False] * len(places)
        if activity.is_shared(g):
            self.dout = [True] * len(self.out)
            self.sums = [w and i in summed for w, i in zip(self.wanted, places)]
        self.back_type = AbstractFunction(("back", g.name, next(_serial)))
        self.result = AbstractTuple((dual_abstract(g.ret.abstract), self.back_type))

    def wanted_types(self) -> AbstractTuple:
        """The type of what ◀g returns."""
        return AbstractTuple([t for (_, _, t), w in zip(self.params, self.wanted) if w])


class Expansion:
    """One round of J: the graphs that it differentiates, each once."""

    def __init__(self, activity: Activity):
        self.activity = activity
        self.adjoints: dict[Graph, Adjoint] = {}
        self.work: deque[Adjoint] = deque()

    def adjoint(self, g: Graph) -> Adjoint:
        """The adjoint of ``g``, whose bodies are made later."""
        if g not in self.adjoints:
            self.adjoints[g] = Adjoint(g, self.activity)
            self.work.append(self.adjoints[g])
        return self.adjoints[g]

    def again(self, a: Adjoint) -> Adjoint:
        """The adjoint of the same graph with the same convention, to be run in its ◀."""
        other = Adjoint(a.graph, self.activity, again=True)
        other.dout, other.sums = a.dout, a.sums
        self.work.append(other)
        return other
