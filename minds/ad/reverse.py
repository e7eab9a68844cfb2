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
from ..ir.stack import pop, popped, push, pushed
from ..ops.define import ATTR, TENSORS, P
from ..ops.rules import Cotangents
from ..ops.unbacked import sized_by
from .adjoint import Convention
from .cotangents import (
    NEUTRAL,
    at_path,
    cotangent_abstract,
    has_function,
    leaves,
    leaves_of,
    named,
    packed,
    part,
    resolve,
    type_at,
    zero,
    zeros,
)
from .functions import opened, read_again
from .primal import AugmentedPrimal, DualCall


class Backpropagator:
    """Makes ◀g.

    Attributes:
        sums: the sum of the cotangents so far of a leaf (node, path).
        more: what else came for stacks, which are not added up: it is passed on by itself.
        given: params of ◀ by the params of ▶ that they are.
    """

    def __init__(self, primal: AugmentedPrimal, rear: Graph):
        self.primal, self.graph, self.builder = primal, primal.graph, Builder(rear)
        self.sums: dict[tuple, Node] = {}
        self.more: dict[Node, list[tuple]] = {}
        self.given: dict[Node, Node] = {}
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
        for n in self.graph.reversed():
            if n in self.primal.active:
                self.builder.loc = n.loc.as_backward() if n.loc is not None else None
                self._rule(n)
                for path, d in self.more.pop(n, ()):
                    self.sums[n, path] = d
                    self._rule(n)

    def _rule(self, n: Apply) -> None:
        """Pass on what came for ``n``."""
        if n in self.primal.calls:
            self._call(n, self.primal.calls[n])
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

    def value(self, a: Node) -> Node:
        """What ◀ uses for an operand: a value of ▶, or its own param of the same value."""
        v = self.primal.value(a)
        return self.given.get(v, v)

    def _item(self, t: Node, i: int) -> Node:
        """An element of a value that ◀ uses, taken in ▶ where the value is there."""
        return (self.builder if t.graph is self.builder.graph else self.primal.builder).getitem(
            t, i
        )

    def result(self, p: Node, path: tuple, t, number: float = 0.0) -> Node:
        """The cotangent of a leaf; zero where none came."""
        d = self.sums.get((p, path))
        return self._zero(p, path, t, number) if d is None else d

    def _take(self, v: Node, path: tuple, t, number: float = 0.0) -> Node:
        """The cotangent of a leaf, of which there is no sum any more."""
        d = self.result(v, path, t, number)
        self.sums.pop((v, path), None)
        return d

    def add(self, v: Node, path: tuple, d: Node) -> None:
        """Add ``d`` to the sum of a leaf."""
        key = v, path = resolve(v, path)
        if v not in self.primal.active or path and not self.reaches(v, path[0]):
            return
        old = self.sums.get(key)
        if old is None:
            self.sums[key] = d
        elif d.abstract is STACK and v.__class__ is Apply:
            self.more.setdefault(v, []).append((path, d))
        elif d.abstract is STACK:
            raise read_again(TypeError, self.builder.loc)
        elif isinstance(d.abstract, AbstractFunction):
            add = part(current(), at_path(current(), self.value(v), path), 2)
            self.sums[key] = current().emit(add, (old, d), d.abstract)
        else:
            self.sums[key] = P.add(old, d)

    def _zero(self, v: Node, path: tuple, t, number: float = 0.0) -> Node:
        return zero(self.builder, self.value(v), path, t, number)

    def _op(self, n: Apply) -> None:
        """Run the rule of an op, and add what it gives to the sums of the operands."""
        op = n.fn
        dout = self._dout(n)
        if dout is None:
            return
        out, params, operands = self.primal.dual[n], [], []
        if dout.__class__ is Cotangents:
            out = [self._item(out, i) for i in range(len(dout))]
        for a, kind in zip(n.args, op.kinds):
            if kind == ATTR or a.__class__ is Constant and a.value is None:
                params.append(a.value)
                if kind != ATTR:
                    operands.append(())
            elif kind == TENSORS:
                at = range(len(a.abstract.items))
                params.append(tuple([self._item(self.value(a), i) for i in at]))
                operands.append([self._operand(a, (i,)) for i in at])
            else:
                params.append(self.value(a))
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
        """(node, path, type of its cotangent) of an operand; None for a type where none is needed."""
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
            v = self.value(v)
            for i in path:
                v = self._item(v, i)
            d = sized_by(d, v)
        return d

    def _call(self, n: Apply, call: DualCall) -> None:
        """Call the ◀ of what ``n`` calls."""
        out = leaves(n.abstract)
        douts = {path: self.sums.pop((n, path), None) for path, _ in out}
        if all(d is None for d in douts.values()):
            stacks = self.primal.expansion.activity.keep_functions
            if call.convention and not any(has_function(v.abstract, stacks) for v in (n, *n.args)):
                self.primal.forget(n)
        elif call.convention is not None:
            self._pull(call.convention, call.back, n.args, self.primal.dual[n], douts)
        else:
            inputs = [self._zero(n, *q) if douts[q[0]] is None else douts[q[0]] for q in out]
            self._give(leaves_of((n.fn, *n.args)), call.back, inputs)

    def _give(self, places: list[tuple], back: Node, inputs: list) -> None:
        """Add what a function returns to the sums of leaves."""
        if places:
            kind = AbstractTuple([t for _, _, t in places])
            result = self.builder.emit(back, inputs, kind)
            for i, (a, path, _) in enumerate(places):
                self.add(a, path, self.builder.getitem(result, i))

    def _pull(
        self, convention: Convention, back: Node, args: tuple, out: Node, douts: dict
    ) -> None:
        """Call the ◀ that came with ``out``, the result for ``args``. Sizes that the run finds have
        their names here, not those of the graph that was called.
        """
        b = self.builder
        have = [douts.get(path) is not None for path, _ in convention.out]
        convention.fix(have, self._sums_at_hand(convention, args))
        inputs = [
            zero(b, out, path, named(t, out, path)) if douts.get(path) is None else douts[path]
            for path, t in convention.taken()
        ]
        for i, path, t in convention.summed():
            t = named(t, args[i], path)
            inputs.append(self._take(*resolve(args[i], path), t, NEUTRAL))
        places = convention.returned()
        answer = AbstractTuple([named(t, args[i], path) for i, path, t in places])
        given = list(map(self.value, args))
        result = convention.call(b, back, inputs, given, answer)
        for k, (i, path, _) in enumerate(places):
            self.add(args[i], path, b.getitem(result, k))

    def _sums_at_hand(self, convention: Convention, args: tuple) -> list[bool]:
        """Which sums could be passed; that of a value that is passed twice is passed once."""
        found, seen = [], set()
        for can, (i, path, _) in zip(convention.can_sum, convention.places):
            key = resolve(args[i], path)
            found.append(can and key in self.sums and key not in seen)
            seen.add(key)
        return found

    def _record_leaves(self, values, key: int) -> list[tuple]:
        """(index, path, type) of the leaves in a record that have cotangents."""
        active = self.primal.expansion.activity.records.get(key, ())
        return [(i, path, t) for i in sorted(active) for path, t in leaves(values[i])]

    def _push(self, n: Apply) -> None:
        """What was pushed gets what ◀ of the pop has pushed."""
        d, key, values = self.sums.pop((n, ()), None), pushed(n), n.args[2:]
        if d is not None:
            places = self._record_leaves([v.abstract for v in values], key)
            t = pop(self.builder, d, [t for _, _, t in places], self.primal.expansion.key(key))
            self.add(n.args[1], (), self.builder.getitem(t, 0))
            for k, (i, path, _) in enumerate(places):
                self.add(values[i], path, self.builder.getitem(t, k + 1))

    def _pop(self, n: Apply) -> None:
        """◀ of a pop pushes, zeros where nothing came: ◀ of the push will pop."""
        key, stack = popped(n), self._take(n, (0,), STACK)
        places = self._record_leaves(n.abstract.items[1:], key)
        values = [self._take(n, (i + 1, *path), t) for i, path, t in places]
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
                args = (self.value(cond), *((box, none) if chosen else (none, box)))
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
            grads = rear.emit(rule, [*map(self.value, g.params), out, dout], kind)
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
        g, rear, params = self.graph, self.builder, list(map(self.value, self.graph.params))
        adjoint = self.primal.expansion.adjoint(g, again=True)
        t, kind = rear.emit(adjoint.forward, params, adjoint.convention.result), g.ret.abstract
        out, back = rear.getitem(t, 0), rear.getitem(t, 1)
        self._pull(adjoint.convention, back, tuple(g.params), out, douts)
        rear.graph.flags["apart"] = True
        return self.primal.builder.emit(g, self.primal.params, kind)


def _takes_functions(g: Graph) -> bool:
    return any(has_function(p.abstract) for p in g.params) or has_function(g.ret.abstract)
