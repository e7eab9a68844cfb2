"""The augmented primal ▶g: a copy of g that also returns the backpropagator of what it computed."""

from __future__ import annotations

from typing import NamedTuple

from ..base.errors import complain
from ..ir import prim, walk
from ..ir.abstract import AbstractFunction, AbstractTuple
from ..ir.build import Builder, building
from ..ir.node import Apply, Graph, Node, replace
from ..ir.sizes import is_unbacked
from ..ir.stack import pop, popped, push, pushed
from .adjoint import Convention
from .cotangents import dual_abstract
from .expansion import Expansion
from .functions import FunctionDual, dual_of_graph


class DualCall(NamedTuple):
    """A call in ▶ that ◀ will answer.

    Attributes:
        convention: of what is called; None for a function value.
        back: the ◀ that the call returned.
    """

    convention: Convention | None
    back: Node


class AugmentedPrimal:
    """Makes ▶g.

    Attributes:
        params: the params of ▶g that stand for those of g.
        dual: what stands in ▶ for a node of g.
        active: the nodes of g that gradients flow to.
        calls: the calls that ◀ will answer.
    """

    def __init__(self, expansion: Expansion, g: Graph, forward: Graph):
        self.expansion, self.graph = expansion, g
        self.builder = Builder(forward)
        self.params = forward.params[: len(g.params)]
        self.dual: dict[Node, Node] = dict(zip(g.params, self.params))
        self.active = expansion.activity.nodes[g]
        self.calls: dict[Apply, DualCall] = {}

    def value(self, a: Node) -> Node:
        """What stands in ▶ for an operand."""
        v = self.dual.get(a)
        if v is None and walk.graph_of(a) is None:
            return a
        if v is None:
            with building(self.builder):
                v = self.dual[a] = dual_of_graph(self.expansion, a)
        return v

    def copy(self, last: Apply | None) -> None:
        """Copy every apply of g, calls of graphs becoming calls of their ▶, but not ``last``."""
        dual, insert = self.dual, self.builder.graph.insert
        for n in self.graph:
            self.builder.loc = n.loc
            if n is last:
                break
            if popped(n) is not None:
                types = map(dual_abstract, n.abstract.items[1:])
                dual[n] = pop(self.builder, self.value(n.args[0]), list(types), popped(n))
            elif walk.is_call(n):
                self._call(n)
            elif n.fn.__class__ is prim.Structural:
                self._structural(n)
            else:
                dual[n] = insert(Apply(n.fn, [dual.get(a, a) for a in n.args], n.abstract, n.loc))

    def _structural(self, n: Apply) -> None:
        emit, getitem = self.builder.emit, self.builder.getitem
        if pushed(n) is not None:
            stack, *values = map(self.value, n.args[1:])
            self.dual[n] = push(self.builder, stack, values, pushed(n))
        elif n.fn is prim.partial:
            self.dual[n] = self._partial(n)
        elif n.fn is not prim.switch:
            assert n.fn is not prim.J, f"{n!r} in {self.graph!r}: J inside J"
            self.dual[n] = emit(n.fn, [self.value(a) for a in n.args], dual_abstract(n.abstract))
        elif not walk.is_called_switch(n):  # else its calls emit it
            cond, f, h = map(self.value, n.args)
            self.dual[n] = self.builder.make_tuple(
                [
                    emit(prim.switch, (cond, getitem(f, i), getitem(h, i)), t)
                    for i, t in enumerate(dual_abstract(n.abstract).items)
                ]
            )

    def _partial(self, n: Apply) -> Node:
        f, *given = n.args
        g = walk.graph_of(f)
        if g is None:
            what = "grad: a partial application of a function known only at run time"
            raise complain(TypeError, what, loc=n.loc)
        rest = [p.abstract for p in g.params[len(given) :]]
        given = [(self.value(a), a.abstract) for a in given]
        return FunctionDual(self.expansion, g, given, rest, n.abstract).triple()

    def _call(self, n: Apply) -> None:
        b, targets, args = self.builder, walk.direct_targets(n.fn), list(map(self.value, n.args))
        if not self.expansion.activity.call_flows(n, targets, self.active):
            self.dual[n] = b.emit(self.chosen(n, targets), args, n.abstract)
            return
        if targets is None:
            callee, convention = b.getitem(self.value(n.fn), 0), None
            back_type = AbstractFunction(("back", n.fn.abstract.key))
            kind = AbstractTuple((dual_abstract(n.abstract), back_type))
        else:
            adjoints = list(map(self.expansion.adjoint, targets))
            callee = self.chosen(n, [a.forward for a in adjoints])
            convention = adjoints[0].convention
            kind = convention.result
            if is_unbacked(n.abstract):  # its sizes have their names here
                kind = AbstractTuple((dual_abstract(n.abstract), convention.type))
        t = b.emit(callee, args, kind)
        self.dual[n], self.calls[n] = b.getitem(t, 0), DualCall(convention, b.getitem(t, 1))

    def forget(self, n: Apply) -> None:
        """Let a call of a graph be an ordinary one, since nothing flows back through it."""
        b, out, back = self.builder, self.dual[n], self.calls.pop(n).back
        t = back.args[0]
        b.before, b.loc = t, n.loc
        callee = self.chosen(n, walk.direct_targets(n.fn))
        self.dual[n] = b.emit(callee, t.args, n.abstract)
        b.before = None
        replace(out, self.dual[n])
        for call in (out, back, t):  # which may have effects
            b.graph.remove(call)

    def chosen(self, n: Apply, graphs: list[Graph]):
        """The callee that stands for that of ``n``: the graph, or a switch of both."""
        if len(graphs) == 1:
            return graphs[0]
        kind = AbstractFunction(tuple(graphs))
        return self.builder.emit(prim.switch, (self.value(n.fn.args[0]), *graphs), kind)
