"""Activity: which nodes of which graphs gradients flow to, and which params of graphs with several
callers may come with a sum of cotangents.

A node is active if a wanted value reaches it on a differentiable path. The sets of active params
grow from the J sites through calls until nothing changes; a graph is swept again only when one of
its params was added. A graph used as a value is taken to be active in all.
"""

from __future__ import annotations

from collections import deque

from ..ir import prim, walk
from ..ir.node import Apply, Graph, Node
from .cotangents import has_function, leaves, resolve


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


def is_call(n: Apply) -> bool:
    """Whether ``n`` calls a graph or a function value."""
    return n.fn.__class__ is Graph or isinstance(n.fn, Node)


class Activity:
    """What the graphs that J reaches have to care for, whoever calls them.

    Attributes:
        nodes: for each graph its active nodes, params included.
        params: for each graph the indices of its active params.
        summed: for each graph the indices of the params that may have a sum already when its ◀ is
            called.
    """

    def __init__(self, sites: list[tuple[Graph, set[int]]]):
        """``sites``: the graphs that are differentiated, with the indices of the params that are
        wanted.
        """
        self.nodes: dict[Graph, set[Node]] = {}
        self.params: dict[Graph, set[int]] = {}
        self.summed: dict[Graph, set[int]] = {}
        self._calls: dict[Graph, dict[Apply, list[Graph]]] = {}
        self._branches: dict[Graph, set[Graph]] = {}
        self._work: deque[Graph] = deque()
        self.add(sites)
        self._sweep(self.summed, [(g, set()) for g in self._calls], self._backward)

    def add(self, sites: list[tuple[Graph, set[int]]]) -> None:
        """Sweep these graphs, and what they call, with these active params."""
        self._sweep(self.params, sites, self._forward)

    def _sweep(self, grown: dict, sites, sweep) -> None:
        for g, indices in sites:
            self._grow(grown, g, indices)
        while self._work:
            g = self._work.popleft()
            if "bprop" in g.flags:
                self.nodes[g] = {g.params[i] for i in self.params[g]}
            else:
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
                stack += self._branches.get(h, ())

    def _forward(self, g: Graph) -> None:
        """Spread activity over the applies of ``g`` and into what it calls."""
        self.nodes[g] = active = {g.params[i] for i in self.params[g]}
        calls = self._calls[g] = {}
        for n in (*g, g.ret):
            if is_call(n):
                targets = direct_targets(n.fn)
                if self.call_flows(n, targets, active):
                    active.add(n)
                    calls[n] = targets or []
                    self._call(n, calls[n], active)
            elif n.fn.__class__ is prim.Structural:
                if n.fn not in (prim.load, prim.assign) and not active.isdisjoint(n.args):
                    active.add(n)
            elif not n.fn.nondiff and not active.isdisjoint(n.args) and leaves(n.abstract):
                active.add(n)
            if not is_called_switch(n):
                for h in filter(None, map(walk.graph_of, n.args)):
                    self._grow(self.params, h, set(range(len(h.params))))

    @staticmethod
    def call_flows(n: Apply, targets: list[Graph] | None, active: set) -> bool:
        """Whether the call ``n`` must be one of ▶: gradients flow, or functions pass, whose form is
        another there.
        """
        return (
            targets is None
            or has_function(n.abstract)
            or any(a in active or has_function(a.abstract) for a in n.args)
        )

    def _call(self, n: Apply, targets: list[Graph], active: set) -> None:
        if len(targets) == 2:
            for f, h in (targets, targets[::-1]):
                self._branches.setdefault(f, set()).add(h)
        indices = {i for i, a in enumerate(n.args) if a in active or has_function(a.abstract)}
        indices.update(*(self.params.get(h, ()) for h in targets))
        for h in targets:
            self._grow(self.params, h, indices)

    def _backward(self, g: Graph) -> None:
        """Walk as ◀g does, noting which values have a sum when ◀ of a call is called."""
        active, calls = self.nodes[g], self._calls[g]
        if not calls:
            return
        sums = {g.params[i] for i in self.summed[g]} | _bases(g.output)
        for n in g.reversed():
            if n not in active or n.fn in (prim.make_tuple, prim.tuple_getitem):
                continue
            if n in calls:
                indices, before = set(), set(sums)
                for i, a in enumerate(n.args):
                    bases = _bases(a)
                    if not before.isdisjoint(bases):
                        indices.add(i)
                    before |= bases
                for h in calls[n]:
                    self._grow(self.summed, h, indices)
            for a in n.operands:
                sums |= _bases(a)


def _bases(v: Node) -> set[Node]:
    """The nodes that hold the leaves of ``v``."""
    return {resolve(v, path)[0] for path, _ in leaves(v.abstract)} if v.abstract else set()
