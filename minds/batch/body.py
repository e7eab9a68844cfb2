"""The batched copies of graphs, as a `Plan` says."""

from __future__ import annotations

from collections import deque

from ..ad.cotangents import cotangent_abstract
from ..ir import prim
from ..ir.abstract import AbstractFunction, AbstractScalar, AbstractTuple
from ..ir.build import Builder, as_node, building
from ..ir.node import Apply, Constant, Graph, Node
from ..ops.batching import Batch, apply_rule
from ..ops.define import ATTR, TENSORS, P
from . import rows
from .loops import LoopGraphs
from .mask import chosen, coerced, full_mask, lifted, populated, some, zeros
from .plan import Callee, Plan, callee_of


def batched(plan: Plan) -> Graph:
    """The copy of the plan's root: parameters and result are batched as the plan says."""
    return _Copies(plan).all()


class _Copies:
    def __init__(self, plan: Plan):
        self.plan, self.n = plan, plan.n
        self.made: dict[Graph, Graph] = {}
        self.work: deque[Graph] = deque()

    def all(self) -> Graph:
        root = self.of(self.plan.root)
        while self.work:
            g = self.work.popleft()
            loop = self.plan.loops.get(g)
            if loop is not None:
                self._loop(g, loop)
            else:
                _BatchedBody(self, g).fill()
        return root

    def of(self, g: Graph) -> Graph:
        """The copy of ``g``, which is filled later."""
        h = self.made.get(g)
        if h is None:
            h = self.made[g] = Graph(g.name, g.loc)
            h.has_effect = g.has_effect
            for p, m in zip(g.params, self.plan.params[g]):
                h.add_param(p.name, lifted(p.abstract, m, self.n), p.loc)
            if "bprop" in g.flags:
                h.flags["bprop"] = self._gradient(g)
            self.work.append(g)
        return h

    def result(self, g: Graph):
        """The type of what the copy of ``g`` returns."""
        return lifted(g.ret.abstract, self.plan.out[g], self.n)

    def _gradient(self, g: Graph) -> Graph:
        """The custom gradient of the copy of ``g``: what is not batched gets the sum over the
        examples.
        """
        b, plan, n = g.flags["bprop"], self.plan, self.n
        h = Graph(b.name, b.loc)
        out = Builder(h, loc=b.loc)
        params = [
            h.add_param(p.name, lifted(p.abstract, m, n), p.loc)
            for p, m in zip(b.params, plan.params[b])
        ]
        grads = out.emit(self.of(b), params, self.result(b))
        types, masks = b.ret.abstract.items, plan.out[b]
        given = plan.params[g][len(g.params) - len(types) :]
        found = []
        for i, (a, have, want) in enumerate(zip(types, masks, given)):
            d = out.getitem(grads, i)
            if want is True and not have:
                d = coerced(out, d, a, have, want, n)
            elif have is True and not want:
                with building(out):
                    d = P.sum(d, (0,), False)
            found.append(d)
        h.output = out.make_tuple(found)
        return h

    def _loop(self, g: Graph, loop: LoopGraphs) -> None:
        """The copy of a loop's header: the loop in which rows that have ended wait for the
        others.
        """
        n, plan = self.n, self.plan
        entry, masks = self.made[g], plan.params[loop.step]
        whole = full_mask(g.ret.abstract, True)
        header, body, after = [Graph(f"{g.name}{part}", g.loc) for part in ("", ":body", ":after")]
        types = [lifted(p.abstract, m, n) for p, m in zip(g.params, masks)]
        state = {}
        for k in (header, body, after):
            active = k.add_param("active", lifted(_BOOL, True, n))
            out = k.add_param("out", lifted(g.ret.abstract, whole, n))
            state[k] = [
                active,
                out,
                *[k.add_param(p.name, t, p.loc) for p, t in zip(g.params, types)],
            ]
        result = lifted(g.ret.abstract, whole, n)
        after.output = state[after][1]
        b = Builder(header, loc=g.loc)
        with building(b):
            test = P.any(state[header][0], None, False)
        choice = b.emit(prim.switch, (test, body, after), AbstractFunction((body, after)))
        header.output = b.emit(choice, state[header], result)

        b = Builder(body, loc=g.loc)
        active, out, *values = state[body]
        found = b.emit(
            self.of(loop.step), populated(b, active, values, masks), self.result(loop.step)
        )
        have, parts = plan.out[loop.step], loop.step.ret.abstract.items
        again, *changed, value = [
            coerced(b, b.getitem(found, i), a, have[i], full_mask(a, True), n)
            for i, a in enumerate(parts)
        ]
        with building(b):
            go, ends = P.logical_and(active, again), P.logical_and(active, P.logical_not(again))
        for i, x in zip(loop.changed, changed):
            values[i] = chosen(b, go, masks[i], x, values[i])
        body.output = b.emit(header, (go, chosen(b, ends, whole, value, out), *values), result)

        b = Builder(entry, loc=g.loc)
        with building(b):
            everyone = P.full((n,), True, "bool")
        none = full_mask(g.ret.abstract, False)
        start = coerced(b, zeros(b, g.ret.abstract), g.ret.abstract, none, whole, n)
        args = [
            coerced(b, p, q.abstract, h, m, n)
            for p, q, h, m in zip(entry.params, g.params, plan.params[g], masks)
        ]
        entry.output = b.emit(header, (everyone, start, *args), result)


class _BatchedBody:
    """The copy of the applies of one graph."""

    def __init__(self, copies: _Copies, g: Graph):
        self.copies, self.plan, self.n, self.graph = copies, copies.plan, copies.n, g
        self.made = copies.made[g]
        self.b = Builder(self.made)
        self.new: dict[Node, Node] = dict(zip(g.params, self.made.params))

    def fill(self) -> None:
        g = self.graph
        for n in g:
            self.b.loc = n.loc
            self._apply(n)
        self.b.loc = g.loc
        self.made.output = self._operand(g.output, self.plan.out[g])
        self.made.ret.loc = g.ret.loc

    def _operand(self, a: Node, want=None) -> Node:
        """What stands for an operand; with ``want`` it is batched like that."""
        x = self.new.get(a, a)
        if want is None:
            return x
        return coerced(self.b, x, a.abstract, self.plan.mask(self.graph, a), want, self.n)

    def _apply(self, n: Apply) -> None:
        fn, plan = n.fn, self.plan
        mask = plan.nodes[self.graph][n]
        if fn.__class__ is Graph or isinstance(fn, Node):
            self._call(n, callee_of(fn))
        elif (
            fn in (prim.switch, prim.partial, prim.J)
            or fn is prim.tuple_getitem
            and self._is_back(n)
        ):
            return  # the calls emit it
        elif fn is prim.make_tuple:
            self.new[n] = self.b.make_tuple([self._operand(a) for a in n.args])
        elif fn is prim.tuple_getitem:
            self.new[n] = self.b.getitem(self._operand(n.args[0]), n.args[1].value)
        elif fn.__class__ is prim.Structural or not some(mask):
            self.new[n] = self.b.emit(fn, [self._operand(a) for a in n.args], n.abstract)
        else:
            self.new[n] = self._op(n)

    @staticmethod
    def _is_back(n: Apply) -> bool:
        return isinstance(n.abstract, AbstractFunction)

    def _op(self, n: Apply) -> Node:
        """An op with a batched operand: by its rule, else row by row."""
        op, b, params, masks = n.fn, self.b, [], []
        for a, kind in zip(n.args, op.kinds):
            if kind == ATTR or a.__class__ is Constant and a.value is None:
                params.append(a.value)
                masks += [False] * (kind != ATTR)
                continue
            x, m = self._operand(a), self.plan.mask(self.graph, a)
            masks.append(m)
            params.append(tuple([b.getitem(x, i) for i in range(len(m))]) if kind == TENSORS else x)
        with building(b):
            found = apply_rule(op, params, Batch(self.n, n.abstract, tuple(masks)))
        if found is None:
            return self._rows(n)
        return b.make_tuple(found) if isinstance(n.abstract, AbstractTuple) else found

    def _rows(self, n: Apply) -> Node:
        """An op without a rule: a loop over a graph that only applies it."""
        one, given, masks = Graph(n.fn.name, n.loc), [], []
        args = []
        for a, kind in zip(n.args, n.fn.kinds):
            if kind == ATTR or a.__class__ is Constant:
                args.append(a)
                continue
            args.append(one.add_param(f"x{len(given)}", a.abstract))
            given.append(self._operand(a))
            masks.append(self.plan.mask(self.graph, a))
        one.output = Builder(one, loc=n.loc).emit(n.fn, args, n.abstract)
        return rows.loop(self.b, one, given, masks, self.n)

    # ---- calls

    def _call(self, n: Apply, c: Callee) -> None:
        if c.kind == "back":
            self.new[n] = self._pull(n, c)
            return
        args = (*c.given, *n.args)
        if c.kind == "J":
            self.new[n] = self._differentiated(n, c, args)
        elif c.kind == "graph":
            h = c.graphs[0]
            self.new[n] = self.b.emit(self.copies.of(h), self._args(args, h), self.copies.result(h))
        elif not some(self.plan.mask(self.graph, c.of)):
            f, h = map(self.copies.of, c.graphs)
            choice = self.b.emit(prim.switch, (self._operand(c.of), f, h), AbstractFunction((f, h)))
            first = c.graphs[0]
            self.new[n] = self.b.emit(choice, self._args(args, first), self.copies.result(first))
        else:
            self.new[n] = self._both(n, c, args)

    def _args(self, args, h: Graph) -> list:
        return [
            self._operand(a, m) if m is not False else self._operand(a)
            for a, m in zip(args, self.plan.params[h])
        ]

    def _both(self, n: Apply, c: Callee, args) -> Node:
        """Both branches of a batched condition, each for the rows that take it; of each row the
        right one.
        """
        condition, b = self._operand(c.of), self.b
        if len(condition.shape) > 1:
            with building(b):
                condition = P.reshape(condition, (self.n,))
        with building(b):
            opposite = P.logical_not(condition)
        whole = full_mask(n.abstract, True)
        found = [
            self._guarded(h, active, self._args(args, h), whole)
            for h, active in zip(c.graphs, (condition, opposite))
        ]
        return chosen(b, condition, whole, *found)

    def _guarded(self, h: Graph, active: Node, args: list, whole) -> Node:
        """A branch, computed if some row takes it; rows that do not get the arguments of one that
        does.
        """
        b, plan, made = self.b, self.plan, self.copies.of(h)
        have, result = plan.out[h], self.copies.result(h)
        if h.head is None:
            return coerced(b, b.emit(made, args, result), h.ret.abstract, have, whole, self.n)
        skip = Graph(f"{h.name}:skip", h.loc)
        for p in made.params:
            skip.add_param(p.name, p.abstract, p.loc)
        inner = Builder(skip, loc=h.loc)
        skip.output = coerced(
            inner,
            zeros(inner, h.ret.abstract),
            h.ret.abstract,
            full_mask(h.ret.abstract, False),
            have,
            self.n,
        )
        with building(b):
            test = P.any(active, None, False)
        choice = b.emit(prim.switch, (test, made, skip), AbstractFunction((made, skip)))
        call = b.emit(choice, populated(b, active, args, plan.params[h]), result)
        return coerced(b, call, h.ret.abstract, have, whole, self.n)

    def _differentiated(self, n: Apply, c: Callee, args) -> Node:
        h, b = c.graphs[0], self.b
        made, nodes, first = self.copies.of(h), self._args(args, h), len(c.given)
        f = as_node(made)
        if first:
            f = b.emit(prim.partial, (made, *nodes[:first]), f.abstract)
        jf = b.emit(prim.J, (f,), AbstractFunction(("J", made)))
        return b.emit(
            jf,
            nodes[first:],
            AbstractTuple((self.copies.result(h), AbstractFunction(("back", made)))),
        )

    def _pull(self, n: Apply, c: Callee) -> Node:
        """The call of a backpropagator."""
        h, b = c.graphs[0], self.b
        back = b.getitem(self.new[c.of], 1)
        dout = self._operand(n.args[0], full_mask(n.args[0].abstract, True))
        params = list(zip(h.params, self.plan.params[h]))[len(c.given) :]
        types = [cotangent_abstract(lifted(p.abstract, m, self.n)) for p, m in params]
        return b.emit(back, (dout,), AbstractTuple(types))


_BOOL = AbstractScalar(bool)
