"""Loops that examples leave at their own times.

A loop is a component of graphs that call each other in tail position, entered at one header. It is
turned into ``step``: one iteration as a function, header parameters ↦ (whether to go on, the new
values of those parameters that change, the loop's result). `body` batches the step like any other
graph and calls it until no row goes on; a row that has ended keeps what it has.
"""

from __future__ import annotations

from ..ir import prim, walk
from ..ir.abstract import BOOL, AbstractFunction, AbstractTuple
from ..ir.build import Builder
from ..ir.node import Apply, Constant, Graph, Node, is_apply
from .mask import Unbatchable, zeros


class LoopGraphs:
    """A loop as its header and one iteration.

    Attributes:
        changed: the indices of the header's parameters that iterations change.
    """

    __slots__ = ("header", "step", "changed")

    def __init__(self, header: Graph, step: Graph, changed: list[int]):
        self.header, self.step, self.changed = header, step, changed


def make_loop(members: list[Graph], calls: dict) -> LoopGraphs:
    """The loop of a component.

    Raises:
        Unbatchable: it is another kind of recursion.
    """
    inside = set(members)
    entries = {h for g, below in calls.items() if g not in inside for h in below if h in inside}
    if len(entries) != 1:
        raise Unbatchable("a recursion with several entries")
    (header,) = entries
    inner = inside - {header}
    rest = {g: {h: None for h in calls[g] if h in inner} for g in members if g in inner}
    if any(len(c) > 1 or c[0] in rest[c[0]] for c in walk.components(rest)):
        raise Unbatchable("loops that are left together")
    tails = {g: _tail(g, inside) for g in members}
    return _Step(header, inside, tails).loop


def _tail(g: Graph, inside: set) -> Apply | None:
    """The tail call of ``g`` into the loop, or None; there must be no other one."""
    out = g.output
    call = out if out.__class__ is Apply and any(h in inside for h in _targets(out)) else None
    switch = call.fn if call is not None and isinstance(call.fn, Apply) else None
    for n in g:
        if any(h in inside for h in walk.referred(n)) and n is not call and n is not switch:
            raise Unbatchable("a recursion that is no loop")
    if call is not None and len(call.uses) != 1 or switch is not None and len(switch.uses) != 1:
        raise Unbatchable("a recursion that is no loop")
    if any(
        h in inside
        for a in (call.args if call is not None else ())
        for h in (walk.graph_of(a),)
        if h
    ):
        raise Unbatchable("a loop passed to itself")
    return call


def _targets(n: Apply) -> list[Graph]:
    return walk.targets(n.fn) or [] if n.fn.__class__ is Graph or isinstance(n.fn, Node) else []


class _Step:
    """Makes the step from copies of the loop's graphs, in which tail calls become results."""

    def __init__(self, header: Graph, inside: set, tails: dict):
        self.header, self.inside, self.tails = header, inside, tails
        self.sites: dict[Graph, list] = {}
        for call in tails.values():
            for h in _targets(call) if call is not None else ():
                self.sites.setdefault(h, []).append(call)
        self.origins: dict[Node, Node] = {}
        changed = [
            i
            for i, p in enumerate(header.params)
            if any(self._origin(c.args[i]) is not p for c in self.sites[header])
        ]
        self.types = [header.params[i].abstract for i in changed]
        self.changed, self.out = changed, header.ret.abstract
        self.result = AbstractTuple((BOOL, *self.types, self.out))
        self.graphs = {g: Graph(f"{g.name}:step", g.loc) for g in inside}
        for g in inside:
            self._fill(g)
        self.loop = LoopGraphs(header, self.graphs[header], changed)

    def _origin(self, a: Node) -> Node:
        """The header's parameter that an operand always is, or the operand itself."""
        path = []
        inner = self.inside - {self.header}
        while a.graph in inner and a in a.graph.params and a not in self.origins:
            i = a.graph.params.index(a)
            path.append(a)
            found = {c.args[i] for c in self.sites[a.graph]}
            if len(found) != 1:
                break
            (a,) = found
        a = self.origins.get(a, a)
        for p in path:
            self.origins[p] = a
        return a

    def _fill(self, g: Graph) -> None:
        made, call = self.graphs[g], self.tails[g]
        new: dict[Node, Node] = {p: made.add_param(p.name, p.abstract, p.loc) for p in g.params}
        b = Builder(made)
        for n in g:
            if n is call or call is not None and n is call.fn:
                continue
            new[n] = made.insert(
                Apply(
                    n.fn if not isinstance(n.fn, Node) else new.get(n.fn, n.fn),
                    [new.get(a, a) for a in n.args],
                    n.abstract,
                    n.loc,
                )
            )
        b.loc = g.ret.loc or g.loc
        if call is None:
            made.output = self._left(b, new.get(g.output, g.output))
            return
        b.loc, args = call.loc, [new.get(a, a) for a in call.args]
        if call.fn.__class__ is Graph:
            made.output = (
                self._again(b, args)
                if call.fn is self.header
                else b.emit(self.graphs[call.fn], args, self.result)
            )
        elif is_apply(call.fn, prim.switch) and all(map(walk.graph_of, call.fn.args[1:])):
            cond, f, h = call.fn.args
            f, h = [self._branch(walk.graph_of(a)) for a in (f, h)]
            choice = b.emit(prim.switch, (new.get(cond, cond), f, h), AbstractFunction((f, h)))
            made.output = b.emit(choice, args, self.result)
        else:
            raise Unbatchable("a loop through a function value")

    def _branch(self, f: Graph) -> Graph:
        """What stands for a branch of a tail call: an inner graph's step, or what ends the
        iteration.
        """
        if f in self.inside and f is not self.header:
            return self.graphs[f]
        end = Graph(f"{f.name}:end", f.loc)
        b = Builder(end, loc=f.loc)
        params = [end.add_param(p.name, p.abstract, p.loc) for p in f.params]
        if f is self.header:
            end.output = self._again(b, params)
        else:
            end.output = self._left(b, b.emit(f, params, f.ret.abstract))
        return end

    def _again(self, b: Builder, args: list) -> Node:
        return b.make_tuple(
            [Constant(True, BOOL), *[args[i] for i in self.changed], zeros(b, self.out)]
        )

    def _left(self, b: Builder, value: Node) -> Node:
        return b.make_tuple([Constant(False, BOOL), *[zeros(b, a) for a in self.types], value])
