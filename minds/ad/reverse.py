"""The backpropagator ◀g: a sweep over g, last apply first, that runs the ops' gradient rules (VJPs)
and sums the cotangents of each leaf.
"""

from __future__ import annotations

from ..base.errors import complain, locate
from ..ir import prim, walk
from ..ir.abstract import NONE, AbstractFunction, AbstractTuple
from ..ir.build import Builder, as_node, building, current
from ..ir.check import compatible
from ..ir.node import Apply, Constant, Graph, Node
from ..ir.sizes import is_unbacked
from ..ops.define import ATTR, TENSORS, P
from ..ops.found import sized_by
from ..ops.rules import Cotangents
from .adjoint import Adjoint, Expansion
from .cotangents import (
    NEUTRAL,
    at_path,
    cotangent_abstract,
    has_function,
    leaves,
    leaves_of,
    packed,
    resolve,
    type_at,
    zero,
    zeros,
)
from .functions import opened
from .primal import AugmentedPrimal, DualCall


def expand_graph(expansion: Expansion, adjoint: Adjoint) -> None:
    """Fill ▶g and make ◀g."""
    g = adjoint.graph
    if adjoint.dout is None:  # nobody calls ◀g
        adjoint.dout = [False] * len(adjoint.out)
    primal = AugmentedPrimal(expansion, adjoint)
    back = Backpropagator(primal, adjoint)
    front, rear = primal.builder, back.builder
    with building(rear):
        if "bprop" in g.flags:
            out = back.custom(g.flags["bprop"])
        elif g.flags.get("recompute") and not adjoint.again and not _takes_functions(g):
            out = back.recompute(expansion)
        else:
            with building(front):
                primal.copy()
            back.run()
            out = primal.value(g.output)
    rear.loc = front.loc = g.loc
    if rear.graph.ret is None:
        with building(rear):
            rear.graph.output = rear.make_tuple(back.results())
    front.graph.output = front.make_tuple((out, Constant(rear.graph, adjoint.back_type)))


class Backpropagator:
    """Makes ◀g.

    Attributes:
        sums: the sum of the cotangents so far of a leaf (node, path).
    """

    def __init__(self, primal: AugmentedPrimal, adjoint: Adjoint):
        self.primal, self.adjoint, self.graph = primal, adjoint, adjoint.graph
        self.builder = Builder(Graph("◀" + adjoint.graph.name, adjoint.graph.loc))
        self.sums: dict[tuple, Node] = {}
        back = self.builder.graph
        douts = zip(adjoint.dout, adjoint.out)
        self.douts = {path: back.add_param("dout", t) for taken, (path, t) in douts if taken}
        for taken, (p, path, t) in zip(adjoint.sums, adjoint.params):
            if taken:
                self.sums[p, path] = back.add_param("d" + p.name, t)

    def run(self) -> None:
        """Run the rules, last apply first."""
        calls, active = self.primal.calls, self.primal.active
        for path, d in self.douts.items():
            self.add(self.graph.output, path, d)
        for n in self.graph.reversed():
            if n not in active:
                continue
            self.builder.loc = n.loc.as_backward() if n.loc is not None else None
            if n in calls:
                self._call(n, calls[n])
            elif n.fn is prim.partial:
                self._partial(n)
            elif n.fn is prim.switch:
                self._switch(n)
            elif n.fn.__class__ is not prim.Structural:
                self._op(n)

    def results(self) -> list[Node]:
        """The cotangents that ◀g returns; zeros where none came."""
        found = []
        for wanted, (p, path, t) in zip(self.adjoint.wanted, self.adjoint.params):
            if wanted:
                d = self.sums.get((p, path))
                found.append(self._zero(p, path, t) if d is None else d)
        return found

    def add(self, v: Node, path: tuple, d: Node) -> None:
        """Add ``d`` to the sum of a leaf."""
        key = v, path = resolve(v, path)
        if v not in self.primal.active:
            return
        old = self.sums.get(key)
        if old is None:
            self.sums[key] = d
        elif isinstance(d.abstract, AbstractFunction):
            add = at_path(self.primal.builder, self.primal.dual[v], (*path, 2))
            self.sums[key] = current().emit(add, (old, d), d.abstract)
        else:
            self.sums[key] = P.add(old, d)

    def _zero(self, v: Node, path: tuple, t, number: float = 0.0) -> Node:
        return zero(self.builder, self.primal.value(v), path, t, number)

    def _op(self, n: Apply) -> None:
        """Run the rule of an op, and add what it gives to the sums of the operands."""
        op, dual, getitem = n.fn, self.primal.dual, self.primal.builder.getitem
        dout = self._dout(n)
        if dout is None:
            return
        out, params, operands = dual[n], [], []
        if dout.__class__ is Cotangents:
            out = [getitem(out, i) for i in range(len(dout))]
        for a, kind in zip(n.args, op.kinds):
            if kind == ATTR or a.__class__ is Constant and a.value is None:
                params.append(a.value)
                if kind != ATTR:
                    operands.append(())
            elif kind == TENSORS:
                at = range(len(a.abstract.items))
                params.append(tuple([getitem(dual.get(a, a), i) for i in at]))
                operands.append([self._operand(a, (i,)) for i in at])
            else:
                params.append(dual.get(a, a))
                operands.append((self._operand(a, ()),))
        need = tuple([t is not None for found in operands for _, _, t in found])
        try:
            grads = op.run_bprop(params, out, dout, need)
        except (TypeError, ValueError) as e:
            raise locate(e, n.loc) from None
        grads = grads if isinstance(grads, (tuple, list)) else (grads,)
        for found, d in zip(operands, grads):
            # Of a sequence of tensors a rule gives the sequence of their cotangents.
            for place, e in zip(found, d if found.__class__ is list and d is not None else (d,)):
                if e is not None and place[2] is not None:
                    self.add(*place[:2], self._fitting(n, place, as_node(e)))

    def _dout(self, n: Apply):
        """The cotangent of the result of an op as its rule takes it; None where none came."""
        if not isinstance(n.abstract, AbstractTuple):
            return self.sums.pop((n, ()), None)
        items = n.abstract.items
        parts = [self.sums.pop((n, (i,)), None) for i in range(len(items))]
        came = any(d is not None for d in parts)
        return Cotangents(parts, lambda i: zeros(items[i])) if came else None

    def _operand(self, v: Node, path: tuple) -> tuple:
        """(node, path, type of its cotangent) of an operand; None for a type where none is
        needed.
        """
        t = cotangent_abstract(type_at(v.abstract, path))
        needed = t is not NONE and resolve(v, path)[0] in self.primal.active
        return v, path, t if needed else None

    def _fitting(self, n: Apply, place: tuple, d: Node) -> Node:
        """The cotangent ``d`` of an operand of ``n`` in the operand's type."""
        v, path, t = place
        if t.dtype.is_int and d.abstract is not t:
            d = P.cast(d, t.dtype)  # rules divide: what ints get back are ints all the same
        assert d.abstract is t, f"{n.fn!r}: a gradient is {d.abstract!r}, the operand is {t!r}"
        if is_unbacked(t):
            d = sized_by(d, at_path(self.primal.builder, self.primal.value(v), path))
        return d

    def _call(self, n: Apply, call: DualCall) -> None:
        """Call the backpropagator that a call returned."""
        out = leaves(n.abstract)
        douts = [self.sums.pop((n, path), None) for path, _ in out]
        if all(d is None for d in douts):
            return
        taken = [True] * len(out)
        if call.function is not None:
            places, sums = leaves_of((call.function, *call.args)), []
        else:
            first = call.adjoints[0]
            wanted = zip(leaves_of(call.args), first.wanted)
            places = [place for place, w in wanted if w]
            sums = self._sums_to_pass(call.adjoints, call.args, douts)
            taken = first.dout
        inputs = [
            self._zero(n, path, t) if d is None else d
            for take, d, (path, t) in zip(taken, douts, out)
            if take
        ]
        if places:
            kind = AbstractTuple([t for _, _, t in places])
            result = self.builder.emit(call.back, [*inputs, *sums], kind)
            for i, (a, path, _) in enumerate(places):
                self.add(a, path, self.builder.getitem(result, i))

    def _sums_to_pass(self, adjoints: list[Adjoint], args: tuple, douts: list) -> list[Node]:
        """Take the sums that ◀ of these graphs adds to; the first caller says which these are."""
        first, places = adjoints[0], leaves_of(args)
        if first.dout is None:
            sums, given = [], set()  # a value that is passed twice gives its sum once
            for wanted, (a, path, _) in zip(first.wanted, places):
                key = resolve(a, path)
                sums.append(wanted and key in self.sums and key not in given)
                given.add(key)
            for a in adjoints:
                a.dout, a.sums = [d is not None for d in douts], sums
        found = []
        for takes, (a, path, t) in zip(first.sums, places):
            if takes:
                d = self.sums.pop(resolve(a, path), None)
                found.append(self._zero(a, path, t, NEUTRAL) if d is None else d)
        return found

    def _partial(self, n: Apply) -> None:
        """What a partial application captured gets what is in its box."""
        box = self.sums.pop((n, ()), None)
        if box is not None:
            given = n.args[1:] if walk.graph_of(n.args[0]) else n.args
            places = leaves_of(given)
            found = opened(self.builder, box, [t for _, _, t in places])[1] if places else ()
            for (a, path, _), d in zip(places, found):
                self.add(a, path, d)

    def _switch(self, n: Apply) -> None:
        """The cotangent of the chosen function is that of the switch, the other's is zero."""
        box = self.sums.pop((n, ()), None)
        if box is None:
            return
        cond, f, h = n.args
        for a, chosen in ((f, True), (h, False)):
            if a in self.primal.active:
                none = self._zero(a, (), box.abstract)
                args = (self.primal.value(cond), *((box, none) if chosen else (none, box)))
                self.add(a, (), self.builder.emit(prim.switch, args, box.abstract))

    # ---- graphs whose bodies J does not look into

    def custom(self, rule: Graph) -> Node:
        """◀g where the user gives the gradient: calls ``rule(*params, out, dout)``, which returns
        the cotangents of the last params; those before them are captured. Returns what ▶g does.
        """
        g, rear, params = self.graph, self.builder, self.primal.builder.graph.params
        if _takes_functions(g):
            raise complain(
                TypeError, "bprop: functions as arguments or results are not supported", loc=g.loc
            )
        out = self.primal.builder.emit(g, params, g.ret.abstract)
        if self.douts:
            dout, kind = packed(rear, g.ret.abstract, (), self.douts), rule.ret.abstract
            grads = rear.emit(rule, [*params, out, dout], kind)
            many = isinstance(kind, AbstractTuple)
            given = g.params[len(g.params) - (len(kind.items) if many else 1) :]
            for i, p in enumerate(given):
                d = rear.getitem(grads, i) if many else grads
                for path, t in leaves(p.abstract):
                    part = at_path(rear, d, path)
                    if compatible(part.abstract, t):
                        self.add(p, path, part)
        return out

    def recompute(self, expansion: Expansion) -> Node:
        """◀g that keeps the params of ▶g only: it runs ▶g again. It stays a graph of its own, lest
        what it computes be found to be known. Returns what ▶g does.
        """
        rear, front = self.builder, self.primal.builder
        again = expansion.again(self.adjoint)
        t = rear.emit(again.forward, front.graph.params, again.result)
        back, params = rear.getitem(t, 1), rear.graph.params
        rear.graph.output = rear.emit(back, params, self.adjoint.wanted_types())
        rear.graph.flags["apart"] = True
        return front.emit(self.graph, front.graph.params, self.graph.ret.abstract)


def _takes_functions(g: Graph) -> bool:
    return any(has_function(p.abstract) for p in g.params) or has_function(g.ret.abstract)
