"""The augmented primal ▶g: a copy of g that also returns the backpropagator of what it computed."""

from __future__ import annotations

from typing import NamedTuple

from ..base.errors import complain
from ..ir import prim, walk
from ..ir.abstract import AbstractFunction, AbstractTuple
from ..ir.build import Builder, building
from ..ir.check import known_params
from ..ir.node import Apply, Graph, Node
from .activity import Activity
from .adjoint import Adjoint, Expansion
from .cotangents import dual_abstract
from .functions import FunctionDual, dual_of_graph


class DualCall(NamedTuple):
    """A call in ▶ that ◀ will answer.

    Attributes:
        adjoints: those of the graphs that may be called; none where a function value is.
        function: that function value, in the primal; else None.
        args: the arguments in the primal.
        back: the backpropagator that the call returned.
    """

    adjoints: list[Adjoint]
    function: Node | None
    args: tuple
    back: Node


class AugmentedPrimal:
    """Makes ▶g.

    Attributes:
        dual: what stands in ▶ for a node of g.
        active: the nodes of g that gradients flow to.
        calls: the calls that ◀ will answer.
    """

    def __init__(self, expansion: Expansion, adjoint: Adjoint):
        self.expansion, self.graph = expansion, adjoint.graph
        self.builder = Builder(adjoint.forward)
        self.dual: dict[Node, Node] = dict(zip(adjoint.graph.params, adjoint.forward.params))
        self.active = expansion.activity.nodes[adjoint.graph]
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

    def copy(self) -> None:
        """Copy every apply of g, calls of graphs becoming calls of their ▶."""
        dual, insert = self.dual, self.builder.graph.insert
        for n in self.graph:
            self.builder.loc = n.loc
            if walk.is_call(n):
                self._call(n)
            elif n.fn.__class__ is prim.Structural:
                self._structural(n)
            else:
                dual[n] = insert(Apply(n.fn, [dual.get(a, a) for a in n.args], n.abstract, n.loc))

    def _structural(self, n: Apply) -> None:
        emit, getitem = self.builder.emit, self.builder.getitem
        if n.fn is prim.partial:
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
        rest, g = known_params(n), walk.graph_of(f)
        if g is None:  # partial(f, a) as partial(h, f, a), where h(f, a, b) = f(a, b)
            result = _result_of(n)
            if rest is None or result is None:
                raise complain(
                    TypeError,
                    "grad: a partial application of a function known only at run time",
                    loc=n.loc,
                )
            g, given = Graph("partial", n.loc), n.args
            kinds = [a.abstract for a in given] + rest
            callee, *args = [g.add_param(f"x{i}", a) for i, a in enumerate(kinds)]
            g.output = Builder(g, loc=n.loc).call(callee, args, result)
            self.expansion.activity.add_value(g)
        given = [(self.value(a), a.abstract) for a in given]
        return FunctionDual(self.expansion.adjoint(g), given, rest, n.abstract).triple()

    def _call(self, n: Apply) -> None:
        targets = walk.direct_targets(n.fn)
        if not Activity.call_flows(n, targets, self.active):
            callee = targets[0] if len(targets) == 1 else self._switch(n.fn, targets)
            self.dual[n] = self.builder.emit(callee, map(self.value, n.args), n.abstract)
        elif targets is None:
            self._record(n, [], n.fn)
        else:
            self._record(n, [self.expansion.adjoint(h) for h in targets], None)

    def _record(self, n: Apply, adjoints: list[Adjoint], function: Node | None) -> None:
        """Call the ▶ that stands for ``n``, and note its backpropagator."""
        b, result = self.builder, dual_abstract(n.abstract)
        if function is not None:
            callee, back = b.getitem(self.value(function), 0), ("back", function.abstract.key)
            back_type = AbstractFunction(back)
        else:
            callees, back_type = [a.forward for a in adjoints], adjoints[0].back_type
            callee = callees[0] if len(callees) == 1 else self._switch(n.fn, callees)
        t = b.emit(callee, [self.value(a) for a in n.args], AbstractTuple((result, back_type)))
        self.dual[n] = b.getitem(t, 0)
        self.calls[n] = DualCall(adjoints, function, n.args, b.getitem(t, 1))

    def _switch(self, n: Apply, graphs: list[Graph]) -> Node:
        kind = AbstractFunction(tuple(graphs))
        return self.builder.emit(prim.switch, (self.value(n.args[0]), *graphs), kind)


def _result_of(fn: Node):
    """The type that a function value returns, where that can be seen."""
    targets = walk.targets(fn)
    if targets and targets[0].ret is not None:
        return targets[0].ret.abstract
    return fn.abstract.signature[1] if isinstance(fn.abstract, AbstractFunction) else None
