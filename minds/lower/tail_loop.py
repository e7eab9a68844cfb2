"""Loops as graphs that call one another in tail position, from one header."""

from __future__ import annotations

from ..ir import walk
from ..ir.node import Apply, Constant, Graph, Node, Param


class TailLoop:
    """A group of graphs that call one another.

    Attributes:
        tails: for each graph the call in tail position, and what that may call.
        header: the one that others call.
        is_loop: whether the graphs go on in the group by tail calls only.
    """

    def __init__(self, group: list[Graph], calls: dict):
        self.tails = {g: walk.tail_call(g) for g in group}
        outside = {h for g in calls if g not in self.tails for h in calls[g] if h in self.tails}
        self.is_loop = len(outside) == 1 and all(map(self._goes_on, group))
        self.header = next(iter(outside), None)

    def _goes_on(self, g: Graph) -> bool:
        tail, targets = self.tails[g]
        return any(h in self.tails for h in targets) and not any(
            h in self.tails
            for n in (*g, g.ret)
            if n is not tail and n is not tail.fn
            for h in walk.referred(n)
        )

    def users(self) -> list[Apply]:
        """Where the loop is entered."""
        return [n for n in self.header.callers if n.graph not in self.tails]

    def constants(self) -> dict[Param, int]:
        """The params that in all iterations are what the header was given, by the index there."""
        order, found = [self.header], {p: i for i, p in enumerate(self.header.params)}
        for g in order:
            order += [h for h in self.tails[g][1] if h in self.tails and h not in order]
        changed = True
        while changed:
            changed = False
            for g in order:
                tail, targets = self.tails[g]
                for h in [h for h in targets if h in self.tails]:
                    for p, a in zip(h.params, tail.args, strict=True):
                        value = found.get(a)
                        value = value if found.get(p, value) == value else None
                        changed = changed or p not in found or found[p] != value
                        found[p] = value
        return {p: i for p, i in found.items() if i is not None}


def loops(graph: Graph, kind=TailLoop):
    """All loops of a program, inner ones first, as objects of a class."""
    calls = walk.call_map(graph)
    for group in walk.components(calls):
        if len(group) > 1 or group[0] in calls[group[0]]:
            loop = kind(group, calls)
            if loop.is_loop:
                yield loop


def like(g: Graph) -> Graph:
    """A graph without a body, with the params of another one."""
    h = Graph(g.name, g.loc)
    h.has_effect = g.has_effect
    for p in g.params:
        h.add_param(p.name, p.abstract, p.loc)
    return h


def renamed(a: Node, old: Graph, new: Graph) -> Node:
    """An operand, with one graph in place of another."""
    return Constant(new, a.abstract, a.loc) if walk.graph_of(a) is old else a
