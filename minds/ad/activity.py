"""Which params of which graphs gradients flow to, and which of them come with a sum: what ◀ of a
graph with several callers, or of a loop, has to care for.

A node is active if a wanted value reaches it on a differentiable path. The sets of params grow from
the J sites through calls until nothing changes; a graph is swept again only when one of its params
was added. A graph used as a value is taken to be active in all.
"""

from __future__ import annotations

from collections import deque

from ..ir import prim, walk
from ..ir.node import Apply, Constant, Graph, Node
from .leaf import resolve
from .zeros import has_function, leaves


def is_called_switch(n: Node) -> bool:
    """Whether ``n`` is a switch of graphs that is only called."""
    return (
        n.__class__ is Apply
        and n.fn is prim.switch
        and all(map(walk.graph_of, n.args[1:]))
        and all(u.fn is n and n not in u.args for u in n.uses)
    )


def direct_targets(fn) -> list[Graph] | None:
    """The graphs that a callee is known to be: itself, or the branches of a switch that is only
    called.
    """
    if fn.__class__ is Graph:
        return [fn]
    if is_called_switch(fn):
        return [walk.graph_of(a) for a in fn.args[1:]]
    g = walk.graph_of(fn)
    return None if g is None else [g]


def op_flows(n: Apply, active: set) -> bool:
    """Whether the op ``n`` passes gradients from its results to an operand."""
    return not n.fn.nondiff and any(a in active for a in n.args) and bool(leaves(n.abstract))


def call_flows(n: Apply, targets: list[Graph] | None, active: set) -> bool:
    """Whether the call ``n`` must be one of ▶: gradients flow, or functions pass, whose form is
    another there.
    """
    return (
        targets is None
        or has_function(n.abstract)
        or any(a in active or has_function(a.abstract) for a in n.args)
    )


class Activity:
    """What the graphs that J reaches have to care for, whoever calls them.

    Attributes:
        params: for each graph the indices of its active params.
        summed: for each graph the indices of the params that may have a sum already when its ◀ is
            called; the others need no accumulator.
    """

    def __init__(self, sites: list[tuple[Graph, set[int]]]):
        """``sites``: the graphs that are differentiated, with the indices of the params that are
        wanted.
        """
        self.params: dict[Graph, set[int]] = {}
        self.summed: dict[Graph, set[int]] = {}
        self._linked: dict[Graph, set[Graph]] = {}
        self._nodes: dict[Graph, set[Node]] = {}
        self._calling: set[Graph] = set()
        for grown, sweep in ((self.params, self._forward), (self.summed, self._backward)):
            self._work: deque[Graph] = deque()
            for g, indices in sites:
                self._grow(grown, g, indices if grown is self.params else set())
            while self._work:
                g = self._work.popleft()
                if "bprop" not in g.flags:
                    sweep(g)

    def _grow(self, grown: dict, g: Graph, indices: set[int]) -> None:
        """Add params of ``g``, and of the graphs that stand in a switch with it; what grew is swept
        again.
        """
        stack = [g]
        while stack:
            h = stack.pop()
            have = grown.get(h)
            if have is None or not indices <= have:
                grown[h] = indices | (have or set())
                self._work.append(h)
                stack += self._linked.get(h, ())

    def _forward(self, g: Graph) -> None:
        """Spread activity over the applies of ``g`` and into what it calls."""
        self._nodes[g] = active = {g.params[i] for i in self.params[g]}
        for n in (*g, g.ret):
            called = n.fn.__class__ is Graph or isinstance(n.fn, Node)
            targets = direct_targets(n.fn) if called else None
            if called and call_flows(n, targets, active):
                active.add(n)
                self._call(n, targets or ())
            elif n.fn.__class__ is prim.Structural:
                if n.fn not in (prim.load, prim.assign) and any(a in active for a in n.args):
                    active.add(n)
            elif not called and op_flows(n, active):
                active.add(n)
            if called:
                self._calling.add(g)
            for h in _values(n):
                self._calling.add(g)
                self._grow(self.params, h, set(range(len(h.params))))

    def _call(self, n: Apply, targets) -> None:
        if len(targets) == 2:
            f, h = targets
            self._linked.setdefault(f, set()).add(h)
            self._linked.setdefault(h, set()).add(f)
        active = self._nodes[n.graph]
        indices = {i for i, a in enumerate(n.args) if a in active or has_function(a.abstract)}
        indices.update(*(self.params.get(h, ()) for h in targets))
        for h in targets:
            self._grow(self.params, h, indices)

    def _backward(self, g: Graph) -> None:
        """Walk as ◀g does, noting which values have a sum, and which of them calls of graphs are
        given.
        """
        if g not in self._calling:
            return
        active = self._nodes[g]
        sums = {g.params[i] for i in self.summed[g]} | _bases(g.output)
        for n in (g.ret, *g.reversed()):
            targets = (
                direct_targets(n.fn) if n.fn.__class__ is Graph or isinstance(n.fn, Node) else None
            )
            if targets is not None and n in active:
                indices, seen = set(), set()
                for i, a in enumerate(n.args):
                    bases = _bases(a)
                    if not (bases.isdisjoint(sums) and bases.isdisjoint(seen)) or has_function(
                        a.abstract
                    ):
                        indices.add(i)
                    seen |= bases
                for h in targets:
                    self._grow(self.summed, h, indices)
            if n in active and n.fn not in (prim.make_tuple, prim.tuple_getitem):
                for a in n.operands:
                    sums |= _bases(a)
            for h in _values(n):
                self._grow(self.summed, h, set(range(len(h.params))))


def _values(n: Apply) -> list[Graph]:
    """The graphs that ``n`` uses as values."""
    return [] if is_called_switch(n) else [g for g in map(walk.graph_of, n.args) if g is not None]


def _bases(v: Node) -> set[Node]:
    """The nodes that hold the leaves of ``v``, which may be a tuple that is made here."""
    found, stack = set(), [v]
    while stack:
        v, path = resolve(stack.pop(), ())
        if v.__class__ is Apply and v.fn is prim.make_tuple:
            stack += v.args
        elif v.__class__ is not Constant:
            found.add(v)
    return found
