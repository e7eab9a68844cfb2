"""Regions: the graphs that tail calls reach from one, such as a loop or the ways out of a function,
and the walk back through them.

    ▶g(params, [from], stack) -> (out, stack)               tail-calls the next
    ◀g(cotangents, sums, saved..., stack) -> ...            tail-calls ◀ of the one before

A graph of the region that several others call gets a param ``from``, the number of its caller. Before
a call of such a graph, and at its end, ▶ pushes a record: what the ◀ since the last such graph use of
▶, ``from`` included. So a loop leaves one record for each iteration, of what its gradient needs, and
nothing else: neither forward nor backward does it nest calls.

Params of the first graph that all others only hand on are *constant*. The caller gives them to ◀ once
more, and the sums of their cotangents go all the way back.
"""

from __future__ import annotations

from ..ir.abstract import BOOL, INT, STACK, AbstractTuple
from ..ir.build import Builder
from ..ir.node import Graph, Param
from .activity import Activity
from .adjoint import Convention, dual_graph
from .cotangents import dual_abstract, leaves_of


def tail_call(g: Graph, activity: Activity) -> tuple | None:
    """The call in tail position through which gradients flow, and what it may call."""
    n = g.tail
    if n is None or g.output is not n or "recompute" in g.flags:
        return None
    targets = activity.calls[g].get(n)
    return (n, targets) if targets else None


def members(entry: Graph, activity: Activity) -> dict[Graph, tuple | None]:
    """The graphs that tail calls reach from ``entry``, with these calls and what they call."""
    found: dict[Graph, tuple | None] = {}
    stack = [entry]
    while stack:
        g = stack.pop()
        if g not in found:
            found[g] = tail_call(g, activity)
            if found[g] is not None:
                stack += reversed(found[g][1])
    return found


class RegionAdjoint(Convention):
    """The region of a graph: its ▶ and ◀ are called where the graph is.

    Attributes:
        again: whether this is what ◀ of a recomputed graph runs.
        sums: for each leaf of the params, whether ◀ takes the sum to which it adds; None while
            nobody called it.
        tails: for each graph its tail call, if it has one, and what that calls.
        before: for each graph those that call it; None stands for whoever calls the region.
        constant: for params of the graphs the index of the constant param that they are.
        fronts, rears: ▶ and ◀ of each graph.
        needed: the indices of the constant params that ◀ takes.
    """

    def __init__(self, g: Graph, activity: Activity, shared: bool, summed, again: bool):
        super().__init__(g, activity, shared)
        self.activity, self.again, self.sums = activity, again, None
        if shared:
            places = [i for i, p in enumerate(g.params) for _ in range(self._count(p))]
            self.sums = [
                w and i in summed and t is not STACK
                for w, i, (_, _, t) in zip(self.wanted, places, self.params)
            ]
        self.tails = members(g, activity)
        self.before: dict[Graph, list] = {m: [] for m in self.tails}
        self.before[g].append(None)
        for m, tail in self.tails.items():
            for h in dict.fromkeys(tail[1] if tail else ()):
                self.before[h].append(m)
        self.constant = self._constants()
        self.fronts = {m: dual_graph(m) for m in self.tails}
        self.rears = {m: Graph("◀" + m.name, m.loc) for m in self.tails}
        for m, front in self.fronts.items():
            if len(self.before[m]) > 1:
                front.add_param("from", BOOL if len(self.before[m]) == 2 else INT)
            front.add_param("stack", STACK)
        self.result = AbstractTuple((dual_abstract(g.ret.abstract), STACK))
        self.needed: set[int] = set()
        self.forward, self.backward = self._entry(), Graph("◀" + g.name, g.loc)
        kinds = [t for _, _, t in self.wanted_leaves()]
        self.back_result = AbstractTuple([*kinds, STACK])

    @staticmethod
    def _count(p: Param) -> int:
        return len(leaves_of([p]))

    def _constants(self) -> dict[Param, int | None]:
        found: dict = {
            p: i if all(t is not STACK for _, _, t in leaves_of([p])) else None
            for i, p in enumerate(self.graph.params)
        }
        changed = True
        while changed:
            changed = False
            for tail in self.tails.values():
                for i, a in enumerate(tail[0].args if tail else ()):
                    params = [h.params[i] for h in tail[1]]
                    same = {found.get(a), *[found[p] for p in params if p in found]}
                    value = same.pop() if len(same) == 1 else None
                    for p in params:
                        changed = changed or p not in found or found[p] != value
                        found[p] = value
        return {p: i for p, i in found.items() if i is not None}

    def _entry(self) -> Graph:
        """▶ as others call it."""
        front = self.fronts[self.graph]
        if len(self.before[self.graph]) == 1:
            return front
        g, params, stack = self.before_front(self.graph)
        args = [*params, self.number(self.graph, None), stack]
        g.output = Builder(g, loc=g.loc).emit(front, args, self.result)
        return g

    def before_front(self, m: Graph) -> tuple:
        """A graph that is to call ▶m and say from where, its params for those of ``m``, and its
        stack.
        """
        g = dual_graph(m)
        return g, list(g.params), g.add_param("stack", STACK)

    def number(self, m: Graph, caller: Graph | None):
        """``from``, where ``caller`` calls ``m``."""
        i = self.before[m].index(caller)
        return bool(i) if len(self.before[m]) == 2 else i

    exits = property(lambda self: [m for m, tail in self.tails.items() if tail is None])

    def parent(self, m: Graph) -> Graph | None:
        """The only graph that calls ``m``, if there is one."""
        return self.before[m][0] if len(self.before[m]) == 1 else None

    def pops(self, m: Graph) -> bool:
        """Whether ◀m takes the record of ``m``: all that ``m`` calls has other callers too."""
        tail = self.tails[m]
        return tail is None or all(self.parent(h) is not m for h in tail[1])

    # ---- the conventions of the graphs inside

    def carried(self, m: Graph) -> list[tuple]:
        """The leaves of the params of ``m`` whose cotangents ◀m hands on."""
        active, sums = (
            self.activity.params[m],
            {(self.constant[p], path) for p, path, _ in self.summed()},
        )
        return [
            (p, path, t)
            for p, path, t in leaves_of([p for i, p in enumerate(m.params) if i in active])
            if (self.constant.get(p), path) not in sums
        ]

    def summed(self) -> list[tuple]:
        """The leaves of the constant params whose sums are handed on: all in a loop, else those that
        have a sum already.
        """
        given = self.sums or [False] * len(self.params)
        take = self.wanted if len(self.tails) > 1 else given
        return [q for q, t in zip(self.params, take) if t and q[0] in self.constant]
