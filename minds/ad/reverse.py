"""The backpropagator ◀g: a sweep over g, last apply first, that runs the ops' gradient rules (VJPs)
and sums the cotangents of each leaf.
"""

from __future__ import annotations

from ..base.errors import complain, locate
from ..ir import prim, walk
from ..ir.abstract import NONE, STACK, AbstractFunction, AbstractTuple
from ..ir.build import Builder, as_node, building, current
from ..ir.check import compatible
from ..ir.node import Apply, Constant, Graph, Node
from ..ir.sizes import is_unbacked
from ..ops.define import ATTR, TENSORS, P
from ..ops.found import sized_by
from ..ops.rules import Cotangents
from .cotangents import (
    NEUTRAL,
    at_path,
    cotangent_abstract,
    has_function,
    leaves,
    leaves_of,
    packed,
    part,
    resolve,
    type_at,
    zero,
    zeros,
)
from .functions import opened
from .primal import AugmentedPrimal, DualCall
from .region import RegionAdjoint
from .stack import empty, pop, popped, push, pushed


class Backpropagator:
    """Makes ◀g.

    Attributes:
        sums: the sum of the cotangents so far of a leaf (node, path).
        stack: in a graph of a region the stack as ◀ has left it; else None.
        calls: the calls of ◀ of regions, the regions, and what ▶ was called with.
    """

    def __init__(self, primal: AugmentedPrimal, rear: Graph):
        self.primal, self.graph, self.builder = primal, primal.graph, Builder(rear)
        self.sums: dict[tuple, Node] = {}
        self.stack: Node | None = None
        self.calls: list[tuple] = []
        self.reaches = primal.expansion.activity.reaches

    def fill(self, douts: dict, last: Apply | None = None, again: bool = False) -> Node | None:
        """Fill ◀g, given the cotangents of the leaves of its result, and ▶g, save for ``last``, a
        call in tail position. Returns what ▶g does.
        """
        g, primal = self.graph, self.primal
        if "bprop" in g.flags:
            return self._custom(g.flags["bprop"], douts)
        if g.flags.get("recompute") and not again and not _takes_functions(g):
            return self._recompute(douts)
        with building(primal.builder):
            primal.copy(last)
        for path, d in douts.items():
            self.add(g.output, path, d)
        self.run()
        self.builder.loc = primal.builder.loc = g.loc
        return None if last is not None else primal.value(g.output)

    def run(self) -> None:
        """Run the rules, last apply first."""
        calls, active = self.primal.calls, self.primal.active
        for n in self.graph.reversed():
            if n not in active:
                continue
            self.builder.loc = n.loc.as_backward() if n.loc is not None else None
            if n in calls:
                self._call(n, calls[n])
            elif popped(n) is not None:
                self._pop(n)
            elif pushed(n) is not None:
                self._push(n)
            elif n.fn is prim.partial:
                self._partial(n)
            elif n.fn is prim.switch:
                self._switch(n)
            elif n.fn.__class__ is not prim.Structural:
                self._op(n)

    def result(self, p: Node, path: tuple, t) -> Node:
        """The cotangent of a leaf; zero where none came."""
        d = self.sums.get((p, path))
        return self._zero(p, path, t) if d is None else d

    def add(self, v: Node, path: tuple, d: Node) -> None:
        """Add ``d`` to the sum of a leaf."""
        key = v, path = resolve(v, path)
        if v not in self.primal.active or path and not self.reaches(v, path[0]):
            return
        old = self.sums.get(key)
        if old is None:
            self.sums[key] = d
        elif d.abstract is STACK:
            raise complain(
                TypeError,
                "grad: what is differentiated calls a pullback twice",
                loc=self.builder.loc,
                cure="call vjp again",
            )
        elif isinstance(d.abstract, AbstractFunction):
            add = part(current(), at_path(current(), self.primal.dual[v], path), 2)
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
        """Call the ◀ of what ``n`` calls."""
        out = leaves(n.abstract)
        douts = [self.sums.pop((n, path), None) for path, _ in out]
        if all(d is None for d in douts):
            if self.stack is None or call.function is not None:
                return
            if not has_function(n.abstract) and not any(has_function(a.abstract) for a in n.args):
                self.primal.forget(n)
                return
        if call.function is None:
            stack = call.back if self.stack is None else self.stack
            left = self._call_region(call, self.primal.dual[n], out, douts, stack)
            self.stack = None if self.stack is None else left
            return
        places = leaves_of((call.function, *call.args))
        inputs = [self._zero(n, path, t) if d is None else d for d, (path, t) in zip(douts, out)]
        if places:
            kind = AbstractTuple([t for _, _, t in places])
            result = self.builder.emit(call.back, inputs, kind)
            for i, (a, path, _) in enumerate(places):
                self.add(a, path, self.builder.getitem(result, i))

    def _call_region(self, call: DualCall, dual: Node, out, douts: list, stack: Node) -> Node:
        """Call ◀ of regions whose ▶ gave ``dual``. Returns the stack that is left."""
        b, first = self.builder, call.regions[0]
        sums = self._sums_to_pass(call.regions, call.args, douts)
        inputs = [
            zero(b, dual, path, t) if d is None else d
            for take, d, (path, t) in zip(first.dout, douts, out)
            if take
        ]
        callee = first.backward
        if len(call.regions) == 2:
            graphs = tuple(r.backward for r in call.regions)
            callee = b.emit(prim.switch, (call.cond, *graphs), AbstractFunction(graphs))
        wanted = [place for place, w in zip(leaves_of(call.args), first.wanted) if w]
        kind = AbstractTuple([*[t for _, _, t in wanted], STACK])
        result = b.emit(callee, [*inputs, *sums, stack], kind)
        self.calls.append((result, call.regions, [self.primal.value(a) for a in call.args]))
        for i, (a, path, _) in enumerate(wanted):
            self.add(a, path, b.getitem(result, i))
        return b.getitem(result, len(wanted))

    def _sums_to_pass(self, regions: list[RegionAdjoint], args: tuple, douts: list) -> list[Node]:
        """Take the sums that ◀ of these regions adds to; the first caller says which these are."""
        first, places = regions[0], leaves_of(args)
        if first.dout is None:
            sums, given = [], set()  # a value that is passed twice gives its sum once
            for wanted, (a, path, t) in zip(first.wanted, places):
                key = resolve(a, path)
                sums.append(wanted and t is not STACK and key in self.sums and key not in given)
                given.add(key)
            for r in regions:
                r.dout, r.sums = [d is not None for d in douts], sums
        found = []
        for takes, (a, path, t) in zip(first.sums, places):
            if takes:
                d = self.sums.pop(resolve(a, path), None)
                found.append(self._zero(a, path, t, NEUTRAL) if d is None else d)
        return found

    def _record_leaves(self, values, key: int) -> list[tuple]:
        """(index, path, type) of the leaves in a record that have cotangents."""
        active = self.primal.expansion.activity.records.get(key, ())
        return [(i, path, t) for i in sorted(active) for path, t in leaves(values[i])]

    def _push(self, n: Apply) -> None:
        """What was pushed gets what ◀ of the pop has pushed."""
        d, key, values = self.sums.pop((n, ()), None), pushed(n), n.args[2:]
        if d is None:
            return
        places = self._record_leaves([v.abstract for v in values], key)
        t = pop(self.builder, d, [t for _, _, t in places], self.primal.expansion.key(key))
        self.add(n.args[1], (), self.builder.getitem(t, 0))
        for k, (i, path, _) in enumerate(places):
            self.add(values[i], path, self.builder.getitem(t, k + 1))

    def _pop(self, n: Apply) -> None:
        """◀ of a pop pushes, zeros where nothing came: ◀ of the push will pop."""
        key, found = popped(n), [self.sums.pop((n, path), None) for path, _ in leaves(n.abstract)]
        given = dict(zip([path for path, _ in leaves(n.abstract)], found))
        places = self._record_leaves(n.abstract.items[1:], key)
        values = [
            self._zero(n, place, t) if given[place] is None else given[place]
            for place, t in [((i + 1, *path), t) for i, path, t in places]
        ]
        stack = empty() if given[(0,)] is None else given[(0,)]
        self.add(n.args[0], (), push(self.builder, stack, values, self.primal.expansion.key(key)))

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

    def _custom(self, rule: Graph, douts: dict) -> Node:
        """◀g where the user gives the gradient: calls ``rule(*params, out, dout)``, which returns
        the cotangents of the last params; those before them are captured.
        """
        g, rear, params = self.graph, self.builder, self.primal.params
        if _takes_functions(g):
            raise complain(
                TypeError, "bprop: functions as arguments or results are not supported", loc=g.loc
            )
        out = self.primal.builder.emit(g, params, g.ret.abstract)
        if douts:
            dout, kind = packed(rear, g.ret.abstract, (), douts), rule.ret.abstract
            grads = rear.emit(rule, [*params, out, dout], kind)
            many = isinstance(kind, AbstractTuple)
            given = g.params[len(g.params) - (len(kind.items) if many else 1) :]
            for i, p in enumerate(given):
                d = rear.getitem(grads, i) if many else grads
                for path, t in leaves(p.abstract):
                    found = at_path(rear, d, path)
                    if compatible(found.abstract, t):
                        self.add(p, path, found)
        return out

    def _recompute(self, douts: dict) -> Node:
        """◀g that keeps the params of ▶g only: it runs ▶g again. It stays a graph of its own, lest
        what it computes be found to be known.
        """
        g, rear, params = self.graph, self.builder, self.primal.params
        region = self.primal.expansion.region(g, again=True)
        t, kind = rear.emit(region.forward, [*params, empty()], region.result), g.ret.abstract
        stack, out = rear.getitem(t, 1), leaves(kind)
        call = DualCall([region], None, None, tuple(g.params), stack)
        given = [douts.get(path) for path, _ in out]
        self._call_region(call, rear.getitem(t, 0), out, given, stack)
        rear.graph.flags["apart"] = True
        return self.primal.builder.emit(g, params, kind)


def _takes_functions(g: Graph) -> bool:
    return any(has_function(p.abstract) for p in g.params) or has_function(g.ret.abstract)
