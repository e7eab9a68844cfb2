"""▶g and ◀g of one graph: a forward sweep that copies it, and a backward sweep that runs gradient
rules.

A sum of cotangents belongs to a *leaf*: a node and a path of indices into it. Tuples are seen
through (`resolve`), so an element has one sum however it is packed and unpacked, as a tensor has on
the eager tape.
"""

from __future__ import annotations

from ..base.errors import complain, locate
from ..ir import prim, walk
from ..ir.abstract import NONE, AbstractFunction, AbstractTuple
from ..ir.build import Builder, as_node, building, current
from ..ir.check import compatible, known_params
from ..ir.node import Apply, Constant, Graph, Node
from ..ir.sizes import is_unbacked
from ..ops.define import ATTR, TENSORS, P
from ..ops.found import filled_like, sized_by
from .activity import call_flows, direct_targets, is_called_switch, op_flows
from .functions import Captured, dual_of_graph, opened
from .leaf import Items, packed, resolve, type_at
from .pairs import Pair, Shape, Transform, at_path, start
from .zeros import Cotangents, cotangent_abstract, dual_abstract, has_function, leaves, zeros


def expand_graph(transform: Transform, pair: Pair) -> None:
    """Fill ▶g and make ◀g."""
    if pair.shape is None:  # nobody calls ◀g
        pair.shape = Shape(
            [False] * len(pair.out), [False] * len(pair.params), [False] * len(pair.params)
        )
    body = _Body(transform, pair)
    if "bprop" in pair.graph.flags:
        body.custom(pair.graph.flags["bprop"])
    elif pair.graph.flags.get("recompute") and not pair.again and not _takes_functions(pair.graph):
        body.recompute()
    else:
        with building(body.front):
            body.forward()
        with building(body.rear):
            body.backward()
    body.finish()


class _Call:
    """A call in ▶ that ◀ will answer: callees, arguments of the primal, the call's
    backpropagator.
    """

    __slots__ = ("pairs", "function", "args", "back")

    def __init__(self, pairs: list[Pair], function: Node | None, args: tuple, back: Node):
        self.pairs, self.function, self.args, self.back = pairs, function, args, back


class _Body:
    def __init__(self, transform: Transform, pair: Pair):
        self.transform, self.pair, self.graph = transform, pair, pair.graph
        g = pair.graph
        self.front, self.rear = Builder(pair.forward), Builder(Graph("◀" + g.name, g.loc))
        self.dual: dict[Node, Node] = dict(zip(g.params, pair.forward.params))
        self.sums: dict = {}
        self.calls: dict[Apply, _Call] = {}
        self.active: set[Node] = set()
        self.output: Node | None = None
        self.owners = [
            ((p, path) if path else p, p, path, t)
            for p in g.params
            for path, t in leaves(p.abstract)
        ]
        for (_, p, _, _), want in zip(self.owners, pair.shape.want):
            if want:
                self.active.add(p)
        rear = self.rear.graph
        self.douts = [
            rear.add_param("dout", t) if present else None
            for present, (_, t) in zip(pair.shape.dout, pair.out)
        ]
        for (key, p, _, t), present in zip(self.owners, pair.shape.acc):
            if present:
                self.sums[key] = rear.add_param("d" + p.name, t)

    # ---- forward

    def forward(self) -> None:
        """Copy every apply into ▶, calls of graphs becoming calls of their ▶."""
        dual, insert, loc = self.dual, self.pair.forward.insert, self.front
        n = self.graph.head
        while n is not None:
            fn = n.fn
            loc.loc = n.loc
            if fn.__class__ is Graph or isinstance(fn, Node):
                self._forward_call(n)
            elif fn.__class__ is prim.Structural:
                self._forward_structural(n)
            else:
                if op_flows(n, self.active):
                    if fn.bprop_rule is None and fn.decompose_rule is not None:
                        self._forward_decomposed(n)
                        n = n.next
                        continue
                    self.active.add(n)
                dual[n] = insert(Apply(fn, [dual.get(a, a) for a in n.args], n.abstract, n.loc))
            n = n.next

    def value(self, a: Node) -> Node:
        """What stands in ▶ for an operand."""
        v = self.dual.get(a)
        if v is None:
            g = walk.graph_of(a)
            v = self.dual[a] = a if g is None else dual_of_graph(self.transform, a)
        return v

    def _forward_structural(self, n: Apply) -> None:
        fn, args = n.fn, n.args
        if any(a in self.active for a in args) and fn not in (prim.load, prim.assign):
            self.active.add(n)
        if fn is prim.switch:
            if is_called_switch(n):
                return  # its calls emit it
            cond, f, h = map(self.value, args)
            out = [
                self.front.emit(
                    prim.switch, (cond, self.front.getitem(f, i), self.front.getitem(h, i)), t
                )
                for i, t in enumerate(dual_abstract(n.abstract).items)
            ]
            self.dual[n] = self.front.make_tuple(out)
        elif fn is prim.partial:
            self.dual[n] = self._partial(n)
        else:
            assert fn is not prim.J, f"{n!r} in {self.graph!r}: J inside J"
            self.dual[n] = self.front.emit(
                fn, [self.value(a) for a in args], dual_abstract(n.abstract)
            )

    def _partial(self, n: Apply) -> Node:
        f, *given = n.args
        given = [(self.value(a), a.abstract) for a in given]
        g = walk.graph_of(f)
        rest = known_params(n)
        result = _result_of(n)
        if rest is None or result is None:
            raise complain(
                TypeError,
                "grad: a partial application of a function known only at run time",
                loc=n.loc,
            )
        if g is not None:
            return Captured(self.transform.pair(g), given, rest, n.abstract, g.name).triple()
        return Captured(
            self.value(f), given, rest, n.abstract, "partial", f.abstract, result
        ).triple()

    def _forward_call(self, n: Apply) -> None:
        targets = direct_targets(n.fn)
        args = [self.value(a) for a in n.args]
        if not call_flows(n, targets, self.active):
            callee = targets[0] if len(targets) == 1 else self._switch(n.fn, targets)
            self.dual[n] = self.front.emit(callee, args, n.abstract)
            return
        self.active.add(n)
        if targets is None:
            function = self.front.getitem(self.value(n.fn), 0)
            back_type = AbstractFunction(("back", n.fn.abstract.key))
            t = self.front.emit(
                function, args, AbstractTuple((dual_abstract(n.abstract), back_type))
            )
            self._record(n, _Call([], n.fn, n.args, self.front.getitem(t, 1)), t)
            return
        pairs = [self.transform.pair(h) for h in targets]
        if any(p.shape is not None for p in pairs):
            for p in pairs:
                p.settle(self.transform.activity)
        callee = (
            pairs[0].forward if len(pairs) == 1 else self._switch(n.fn, [p.forward for p in pairs])
        )
        result = pairs[0].result
        if is_unbacked(
            n.abstract
        ):  # what a recursive function returns has other sizes in each call
            result = AbstractTuple((dual_abstract(n.abstract), pairs[0].back_type))
        t = self.front.emit(callee, args, result)
        self._record(n, _Call(pairs, None, n.args, self.front.getitem(t, 1)), t)

    def _leaf(self, v: Node, path: tuple) -> tuple:
        """The node where a leaf really is, and the key of its sum."""
        v, path = resolve(v, path)
        return v, (v, path) if path else v

    def _record(self, n: Apply, call: _Call, t: Node) -> None:
        self.dual[n] = self.front.getitem(t, 0)
        self.calls[n] = call

    def _switch(self, n: Apply, graphs: list[Graph]) -> Node:
        return self.front.emit(
            prim.switch, (self.value(n.args[0]), *graphs), AbstractFunction(tuple(graphs))
        )

    def _forward_decomposed(self, n: Apply) -> None:
        """An op without a rule is a call of the graph of its decomposition."""
        op, d = n.fn, Graph(n.fn.name, n.loc)
        inner, params, args = Builder(d, loc=n.loc), [], []
        for a, kind in zip(n.args, op.kinds):
            if kind == ATTR or a.__class__ is Constant:
                params.append(a.value if kind == ATTR or a.value is None else a)
                continue
            p = d.add_param(f"x{len(args)}", a.abstract)
            args.append(a)
            params.append(
                [inner.getitem(p, i) for i in range(len(a.abstract.items))]
                if kind == TENSORS
                else p
            )
        with building(inner):
            out = op.decompose_rule(*params)
            d.output = inner.make_tuple(out) if isinstance(out, (tuple, list)) else as_node(out)
        self.active.add(n)
        pair = self.transform.pair(d)
        t = self.front.emit(pair.forward, [self.value(a) for a in args], pair.result)
        self._record(n, _Call([pair], None, tuple(args), self.front.getitem(t, 1)), t)

    # ---- backward

    def backward(self) -> None:
        """Run the rules, last apply first."""
        g, rear, calls, active = self.graph, self.rear, self.calls, self.active
        for (path, _), d in zip(self.pair.out, self.douts):
            if d is not None:
                self._add(g.output, path, d)
        n = g.tail
        while n is not None:
            fn = n.fn
            if n in active and fn is not prim.make_tuple and fn is not prim.tuple_getitem:
                rear.loc = n.loc.as_backward() if n.loc is not None else None
                if n in calls:
                    self._backward_call(n, calls[n])
                elif fn is prim.partial:
                    self._backward_partial(n)
                elif fn is prim.switch:
                    self._backward_switch(n)
                elif fn.__class__ is not prim.Structural:
                    self._backward_op(n)
            n = n.prev

    def _add(self, v: Node, path: tuple, d: Node) -> None:
        """Add ``d`` to the sum of a leaf."""
        base, key = self._leaf(v, path)
        if base not in self.active:
            return
        old = self.sums.get(key)
        if old is not None:
            if isinstance(d.abstract, AbstractFunction):
                at = key[1] if key.__class__ is tuple else ()
                d = current().emit(
                    at_path(self.front, self.dual[base], (*at, 2)), (old, d), d.abstract
                )
            else:
                d = P.add(old, d)
        self.sums[key] = d

    def _take(self, n: Apply) -> list:
        """The cotangents of the leaves of ``n``, None where none came; they are not needed
        again.
        """
        return [self.sums.pop((n, path) if path else n, None) for path, _ in leaves(n.abstract)]

    def _backward_op(self, n: Apply) -> None:
        op, dual, active = n.fn, self.dual, self.active
        many = isinstance(n.abstract, AbstractTuple)
        if many:
            items = n.abstract.items
            parts = [self.sums.pop((n, (i,)), None) for i in range(len(items))]
            if not any(p is not None for p in parts):
                return
            out, dout = Items(self.front, dual[n], len(items)), Cotangents(parts, items)
        else:
            out, dout = dual[n], self.sums.pop(n, None)
            if dout is None:
                return
        params, need, operands = [], [], []
        for a, kind in zip(n.args, op.kinds):
            if kind == ATTR or a.__class__ is Constant and a.value is None:
                params.append(a.value)
                if kind != ATTR:
                    operands.append(())
                continue
            if kind == TENSORS:
                params.append(tuple(Items(self.front, self.value(a), len(a.abstract.items))))
                operands.append([(a, (i,)) for i in range(len(a.abstract.items))])
            else:
                params.append(dual.get(a, a))
                operands.append(a)
            for v, path in operands[-1] if kind == TENSORS else ((a, ()),):
                need.append(
                    resolve(v, path)[0] in active and bool(leaves(type_at(v.abstract, path)))
                )
        try:
            grads = op.run_bprop(params, out, dout, tuple(need))
        except (TypeError, ValueError) as e:
            raise locate(e, n.loc) from None
        if grads.__class__ is not tuple and grads.__class__ is not list:
            grads = (grads,)
        for i, (a, d) in enumerate(zip(operands, grads)):
            if d is None or a == ():
                continue
            if a.__class__ is list:
                for (v, path), e in zip(a, d):
                    if e is not None:
                        self._contribute(n, i, v, path, e)
            else:
                self._contribute(n, i, a, (), d)

    def _contribute(self, n: Apply, i: int, v: Node, path: tuple, d) -> None:
        wanted = cotangent_abstract(type_at(v.abstract, path))
        if wanted is NONE or resolve(v, path)[0] not in self.active:
            return
        d = as_node(d)
        if wanted.dtype.is_int and d.abstract is not wanted:
            d = P.cast(d, wanted.dtype)  # rules divide: what ints get back are ints all the same
        assert d.abstract is wanted, (
            f"{n.fn!r}: gradient {i} is {d.abstract!r}, the operand is {wanted!r}"
        )
        if is_unbacked(wanted):
            d = sized_by(d, at_path(self.front, self.value(v), path))
        self._add(v, path, d)

    def _backward_call(self, n: Apply, call: _Call) -> None:
        douts = self._take(n)
        if all(d is None for d in douts):
            return
        rear, slots, taken = self.rear, [], set()
        for a in (*([call.function] if call.function is not None else ()), *call.args):
            for path, t in leaves(a.abstract):
                base, key = self._leaf(a, path)
                live = base in self.active
                now = self.sums.get(key) if live and key not in taken else None
                if now is not None:
                    taken.add(key)
                slots.append((a, path, t, live, now, key))
        first = call.pairs[0] if call.pairs else None
        if first is not None and first.shape is None:
            shape = Shape(
                [d is not None for d in douts],
                [s[4] is not None for s in slots],
                [s[3] for s in slots],
            )
            for p in call.pairs:
                p.shape = shape
        shape = (
            first.shape
            if first is not None
            else Shape([True] * len(douts), [True] * len(slots), [True] * len(slots))
        )
        inputs = [
            d if d is not None else self._start(n, path, t, zeros)
            for present, d, (path, t) in zip(shape.dout, douts, leaves(n.abstract))
            if present
        ]
        inputs += [
            now if now is not None else self._start(a, path, t)
            for present, (a, path, t, _, now, _) in zip(shape.acc, slots)
            if present
        ]
        kinds = [s[2] for want, s in zip(shape.want, slots) if want]
        if not any(s[3] for s in slots):
            return
        result, i = rear.emit(call.back, inputs, AbstractTuple(kinds)), 0
        for present, want, (a, path, _, live, now, key) in zip(shape.acc, shape.want, slots):
            if want:
                if live:
                    d = rear.getitem(result, i)
                    if present and now is not None:
                        self.sums[key] = d
                    else:
                        self._add(a, path, d)
                i += 1

    def _start(self, a: Node, path: tuple, t, make=None) -> Node:
        if isinstance(t, AbstractFunction):
            return self.rear.emit(at_path(self.front, self.value(a), (*path, 1)), (), t)
        if is_unbacked(t):
            like = at_path(self.front, self.value(a), path)
            return self.rear.emit(filled_like, (like, 0.0 if make is zeros else -0.0), t)
        return start(self.rear, None, path, t, make) if make else start(self.rear, None, path, t)

    def _backward_partial(self, n: Apply) -> None:
        box = self.sums.pop(n, None)
        if box is None:
            return
        f, *given = n.args
        captured = given if walk.graph_of(f) else n.args
        slots = [((a, path), t) for a in captured for path, t in leaves(a.abstract)]
        if not slots:
            return
        _, parts = opened(self.rear, box, [t for _, t in slots])
        for ((a, path), _), d in zip(slots, parts):
            self._add(a, path, d)

    def _backward_switch(self, n: Apply) -> None:
        """The cotangent of the chosen function is that of the switch, the other's is zero."""
        box = self.sums.pop(n, None)
        if box is None:
            return
        cond, f, h = n.args
        for a, order in ((f, (0, 1)), (h, (1, 0))):
            if a in self.active:
                pick = (box, self._start(a, (), box.abstract))
                self._add(
                    a,
                    (),
                    self.rear.emit(
                        prim.switch, (self.value(cond), *(pick[i] for i in order)), box.abstract
                    ),
                )

    # ---- results

    def custom(self, b: Graph) -> None:
        """The body where the user gives the gradient."""
        g, front, rear = self.graph, self.front, self.rear
        if _takes_functions(g):
            raise complain(
                TypeError, "bprop: functions as arguments or results are not supported", loc=g.loc
            )
        out = front.emit(g, pair_params := self.pair.forward.params, g.ret.abstract)
        if any(d is not None for d in self.douts):
            with building(rear):
                parts = {path: d for (path, _), d in zip(self.pair.out, self.douts)}
                dout = packed(rear, g.ret.abstract, (), parts)
                grads = rear.emit(b, [*pair_params, out, dout], b.ret.abstract)
                many = isinstance(b.ret.abstract, AbstractTuple)
                given = g.params[len(g.params) - (len(b.ret.abstract.items) if many else 1) :]
                for i, p in enumerate(given):
                    d = rear.getitem(grads, i) if many else grads
                    for path, t in leaves(p.abstract):
                        part = at_path(rear, d, path)
                        if compatible(part.abstract, t):
                            self._add(p, path, part)
        self.output = out

    def recompute(self) -> None:
        """The body that keeps its params only: ◀ runs ▶ again. It stays a graph of its own, lest
        what it computes be found to be known.
        """
        rear, params = self.rear, self.pair.forward.params
        self.output = self.front.emit(self.graph, params, self.graph.ret.abstract)
        again = self.transform.again(self.pair)
        t = rear.emit(again.forward, params, again.result)
        kinds = [kind for want, (_, kind) in zip(self.pair.shape.want, self.pair.params) if want]
        rear.graph.output = rear.emit(rear.getitem(t, 1), rear.graph.params, AbstractTuple(kinds))
        rear.graph.flags["apart"] = True

    def finish(self) -> None:
        """The results of ◀ and ▶."""
        rear, front = self.rear, self.front
        rear.loc = front.loc = self.graph.loc
        if rear.graph.ret is None:
            self._results()
        with building(front):
            out = self.value(self.graph.output) if self.output is None else self.output
        back = Constant(rear.graph, self.pair.back_type)
        front.graph.output = front.make_tuple((out, back))

    def _results(self) -> None:
        rear = self.rear
        with building(rear):
            results = []
            for (key, p, path, t), want in zip(self.owners, self.pair.shape.want):
                if want:
                    d = self.sums.get(key)
                    results.append(self._start(p, path, t, zeros) if d is None else d)
            rear.graph.output = rear.make_tuple(results)


def _takes_functions(g: Graph) -> bool:
    return any(has_function(p.abstract) for p in g.params) or has_function(g.ret.abstract)


def _result_of(fn: Node):
    """The type that a function value returns, where that can be seen."""
    targets = walk.targets(fn)
    if targets and targets[0].ret is not None:
        return targets[0].ret.abstract
    return fn.abstract.signature[1] if isinstance(fn.abstract, AbstractFunction) else None
