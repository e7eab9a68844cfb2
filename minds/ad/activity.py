"""Activity: which nodes of which graphs gradients flow to.

A node is active if a wanted value reaches it on a differentiable path. The sets of active params
grow from the J sites through calls until nothing changes; a graph is swept again only when one of
its params, or a value in a record that it pops, was added. A graph used as a value is taken to be
active in all.
"""

from __future__ import annotations

from collections import deque

from ..ir import prim, walk
from ..ir.node import Apply, Graph, Node
from ..ir.stack import popped, pushed
from .cotangents import has_function, leaves


class Activity:
    """What the graphs that J reaches have to care for, whoever calls them.

    Attributes:
        nodes: for each graph its active nodes, params included.
        params: for each graph the indices of its active params.
        calls: for each graph its calls that gradients flow through, and what they may call.
        records: for each key of records the indices of the active values.
        values: the graphs that are function values.
        keep_functions: whether there are functions in records.
    """

    def __init__(
        self,
        sites: list[tuple[Apply, Graph, set[int]]],
        values: list[Graph],
        reached: list[Graph],
    ):
        """
        Args:
            sites: the applies that call a graph that is differentiated, the graph, and the indices
                of its params that are wanted.
            values: the graphs that are passed to such a graph.
            reached: the graphs that such a graph may call.
        """
        self.nodes: dict[Graph, set[Node]] = {}
        self.params: dict[Graph, set[int]] = {}
        self.calls: dict[Graph, dict[Apply, list[Graph]]] = {}
        self.records: dict[int, set[int]] = {}
        self.values: set[Graph] = set()
        records = [n.args[2:] for g in reached for n in g if pushed(n) is not None]
        self.keep_functions = any(has_function(v.abstract) for values in records for v in values)
        self._users: dict[int, set[Graph]] = {}
        self._branches: dict[Graph, set[Graph]] = {}
        self._work: deque[Graph] = deque()
        for _, g, indices in sites:
            self.grow(self.params, g, indices)
        for g in values:
            self._value(g)
        self._sweep()

    def add_value(self, g: Graph) -> None:
        """Let all params of ``g``, a new function value that only calls one, be active."""
        self._value(g)
        self._sweep()

    def _value(self, g: Graph) -> None:
        self.values.add(g)
        self.grow(self.params, g, set(range(len(g.params))))

    def _sweep(self) -> None:
        while self._work:
            g = self._work.popleft()
            if "bprop" in g.flags:
                self.nodes[g], self.calls[g] = {g.params[i] for i in self.params[g]}, {}
            else:
                self._forward(g)

    def alternatives(self, g: Graph) -> list[Graph]:
        """``g`` and the graphs that stand in a switch with it, or with one of these."""
        found = {g: None}
        stack = [g]
        while stack:
            new = [h for h in self._branches.get(stack.pop(), ()) if h not in found]
            found.update(dict.fromkeys(new))
            stack += new
        return list(found)

    def grow(self, grown: dict, g: Graph, indices: set[int]) -> None:
        """Add params of ``g`` and its alternatives; what grew is swept again."""
        for h in self.alternatives(g):
            have = grown.get(h)
            if have is None or not indices <= have:
                grown[h] = indices | (have or set())
                self._work.append(h)

    def _forward(self, g: Graph) -> None:
        """Spread activity over the applies of ``g`` and into what it calls."""
        self.nodes[g] = active = {g.params[i] for i in self.params[g]}
        calls = self.calls[g] = {}
        for n in (*g, g.ret):
            if popped(n) is not None:
                self._users.setdefault(popped(n), set()).add(g)
                if n.args[0] in active:
                    active.add(n)
            elif pushed(n) is not None:
                self._push(g, n, active)
            elif walk.is_call(n):
                targets = walk.direct_targets(n.fn)
                if self.call_flows(n, targets, active):
                    active.add(n)
                    calls[n] = targets or []
                    self._call(n, calls[n], active)
            elif n.fn.__class__ is prim.Structural:
                passes = n.fn not in (prim.load, prim.assign) and not active.isdisjoint(n.args)
                if passes and (
                    n.fn is not prim.tuple_getitem or self.reaches(n.args[0], n.args[1].value)
                ):
                    active.add(n)
            elif not n.fn.nondiff and not active.isdisjoint(n.args) and leaves(n.abstract):
                active.add(n)
            if not walk.is_called_switch(n):
                for h in map(walk.graph_of, n.args):
                    if h is not None and "record" not in h.flags:
                        self._value(h)

    def reaches(self, t: Node, i: int) -> bool:
        """Whether gradients flow to the element of an active tuple, as far as it is popped."""
        return popped(t) is None or i == 0 or i - 1 in self.records.get(popped(t), ())

    def _push(self, g: Graph, n: Apply, active: set) -> None:
        key, values = pushed(n), n.args[2:]
        users = self._users.setdefault(key, set())
        users.add(g)
        have = self.records.setdefault(key, set())
        indices = {i for i, v in enumerate(values) if v in active and leaves(v.abstract)}
        if not indices <= have:
            have |= indices
            self._work += users
        if have or n.args[1] in active:
            active.add(n)

    def call_flows(self, n: Apply, targets: list[Graph] | None, active: set) -> bool:
        """Whether the call ``n`` must be one of ▶: gradients flow, or functions pass, whose form is
        another there.
        """
        stacks = self.keep_functions
        return (
            targets is None
            or has_function(n.abstract, stacks)
            or any(a in active or has_function(a.abstract, stacks) for a in n.args)
        )

    def _call(self, n: Apply, targets: list[Graph], active: set) -> None:
        if len(targets) == 2:
            for f, h in (targets, targets[::-1]):
                self._branches.setdefault(f, set()).add(h)
        stacks = self.keep_functions
        indices = {
            i for i, a in enumerate(n.args) if a in active or has_function(a.abstract, stacks)
        }
        indices.update(*(self.params.get(h, ()) for h in targets))
        for h in targets:
            self.grow(self.params, h, indices)
