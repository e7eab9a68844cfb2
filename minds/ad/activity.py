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
        sites: list[tuple[Graph, set[int]]],
        values: list[Graph],
        reached: list[Graph],
    ):
        """
        Args:
            sites: the graphs that are differentiated, and the indices of their params that are wanted.
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
        self._together: dict[Graph, list[Graph]] = {}
        self._work: deque[Graph] = deque()
        for g, indices in sites:
            self._grow(g, indices)
        for g in values:
            self._value(g)
        while self._work:
            g = self._work.popleft()
            if "bprop" in g.flags:
                self.nodes[g], self.calls[g] = {g.params[i] for i in self.params[g]}, {}
            else:
                self._forward(g)

    def _value(self, g: Graph) -> None:
        self.values.add(g)
        self._grow(g, set(range(len(g.params))))

    def alternatives(self, g: Graph) -> list[Graph]:
        """``g`` and the graphs that stand in a switch with it, or with one of these."""
        return self._together.setdefault(g, [g])

    def _unite(self, f: Graph, h: Graph) -> None:
        first, second = self.alternatives(f), self.alternatives(h)
        if first is not second:
            first += second
            self._together.update(dict.fromkeys(second, first))

    def _grow(self, g: Graph, indices: set[int]) -> None:
        """Let params of ``g`` and its alternatives be active; what grew is swept again."""
        for h in self.alternatives(g):
            have = self.params.get(h)
            if have is None or not indices <= have:
                self.params[h] = indices | (have or set())
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
            self._unite(*targets)
        stacks = self.keep_functions
        indices = {
            i for i, a in enumerate(n.args) if a in active or has_function(a.abstract, stacks)
        }
        indices.update(*(self.params.get(h, ()) for h in targets))
        for h in targets:
            self._grow(h, indices)
