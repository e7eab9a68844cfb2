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


class Activity:
    """What the graphs that J reaches have to care for, whoever calls them.

    Attributes:
        nodes: for each graph its active nodes, params included.
        params: for each graph the indices of its active params.
        summed: for each graph the indices of the params that may have a sum already when its ◀ is
            called.
    """

    def __init__(self, sites: list[tuple[Apply, Graph, set[int]]], values: list[Graph]):
        """
        Args:
            sites: the applies that call a graph that is differentiated, the graph, and the indices
                of its params that are wanted.
            values: the graphs that are passed to such a graph.
        """
        self.nodes: dict[Graph, set[Node]] = {}
        self.params: dict[Graph, set[int]] = {}
        self.summed: dict[Graph, set[int]] = {}
        self._calls: dict[Graph, dict[Apply, list[Graph]]] = {}
        self._callers: dict[Graph, set[Apply]] = {}
        self._values: set[Graph] = set()
        self._branches: dict[Graph, set[Graph]] = {}
        self._work: deque[Graph] = deque()
        for n, g, indices in sites:
            self._callers.setdefault(g, set()).add(n)
            self._grow(self.params, g, indices)
        for g in values:
            self._value(g)
        self._sweep(self._forward)
        for g in self._calls:
            self._grow(self.summed, g, set())
        self._sweep(self._backward)

    def is_shared(self, g: Graph) -> bool:
        """Whether ``g``, or a graph that stands in a switch with it, has several call sites or is a
        value.
        """
        group = (g, *self._branches.get(g, ()))
        return any(h in self._values or len(self._callers.get(h, ())) > 1 for h in group)

    def add_value(self, g: Graph) -> None:
        """Let all params of ``g``, a new function value that only calls one, be active."""
        self._value(g)
        self._sweep(self._forward)

    def _value(self, g: Graph) -> None:
        self._values.add(g)
        self._grow(self.params, g, set(range(len(g.params))))

    def _sweep(self, sweep) -> None:
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
            if walk.is_call(n):
                targets = walk.direct_targets(n.fn)
                if self.call_flows(n, targets, active):
                    active.add(n)
                    calls[n] = targets or []
                    self._call(n, calls[n], active)
            elif n.fn.__class__ is prim.Structural:
                if n.fn not in (prim.load, prim.assign) and not active.isdisjoint(n.args):
                    active.add(n)
            elif not n.fn.nondiff and not active.isdisjoint(n.args) and leaves(n.abstract):
                active.add(n)
            if not walk.is_called_switch(n):
                for h in map(walk.graph_of, n.args):
                    if h is not None:
                        self._value(h)

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
            self._callers.setdefault(h, set()).add(n)
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
                indices, given = set(), set()
                for i, a in enumerate(n.args):
                    bases = _bases(a)
                    if not (sums.isdisjoint(bases) and given.isdisjoint(bases)):
                        indices.add(i)
                    given |= bases
                for h in calls[n]:
                    self._grow(self.summed, h, indices)
            for a in n.operands:
                sums |= _bases(a)


def _bases(v: Node) -> set[Node]:
    """The nodes that hold the leaves of ``v``."""
    return {resolve(v, path)[0] for path, _ in leaves(v.abstract)} if v.abstract else set()
