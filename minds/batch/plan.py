"""Which values of which graphs are batched: a fixpoint over the calls of a closed program.

A graph has one mask per parameter and one for its result, whoever calls it; they grow until nothing
changes. The two graphs of a switch on a condition that is the same for all examples agree in both.
Where the condition is batched both branches are computed, unless that decides whether a loop goes
on: then the loop is one that each example leaves at its own time (`loops`), and the plan is made
again with it.
"""

from __future__ import annotations

from ..ad.cotangents import cotangent_abstract
from ..ir import prim, walk
from ..ir.abstract import NONE
from ..ir.node import Apply, Constant, Graph, Node
from ..ops.define import Op, P
from .loops import make_loop
from .mask import Unbatchable, either, full_mask, has_function, some

_DEPTH = 100  # so many graphs are swept within each other


class Diverges(Exception):
    """A condition that differs between examples decides whether the loop of ``graph`` goes on."""

    def __init__(self, graph: Graph):
        self.graph = graph


class Callee:
    """What a call calls.

    Attributes:
        kind: "graph", "switch", "J" (gives value and backpropagator), "back" (the backpropagator of
            ``of``).
        graphs: the graphs it may be; of a switch two.
        given: arguments before those of the call.
        of: the condition of a switch; the call of J that a backpropagator comes from.
    """

    __slots__ = ("kind", "graphs", "given", "of")

    def __init__(self, kind: str, graphs: tuple, given: tuple = (), of: Node | None = None):
        self.kind, self.graphs, self.given, self.of = kind, graphs, given, of


def callee_of(fn) -> Callee:
    """What ``fn``, the callee of an apply, stands for.

    Raises:
        Unbatchable: it is a function value that is known only at run time.
    """
    given: tuple = ()
    while True:
        g = fn if fn.__class__ is Graph else walk.graph_of(fn)
        if g is not None:
            return Callee("graph", (g,), given)
        if fn.__class__ is not Apply:
            break
        if fn.fn is prim.partial:
            fn, given = fn.args[0], (*fn.args[1:], *given)
        elif fn.fn is prim.switch and all(map(walk.graph_of, fn.args[1:])):
            return Callee("switch", tuple(map(walk.graph_of, fn.args[1:])), given, fn.args[0])
        elif fn.fn is prim.J and not given:
            inner = callee_of(fn.args[0])
            if inner.kind == "graph":
                return Callee("J", inner.graphs, inner.given)
            break
        elif fn.fn is prim.tuple_getitem and fn.args[1].value == 1 and not given:
            t = fn.args[0]
            if t.__class__ is Apply and isinstance(t.fn, Apply) and t.fn.fn is prim.J:
                inner = callee_of(t.fn)
                return Callee("back", inner.graphs, inner.given, t)
            break
        else:
            break
    raise Unbatchable("a function that is known only at run time")


class Plan:
    """The masks of everything reachable from ``root``.

    Attributes:
        params, out: the masks of each graph that is called.
        nodes: the masks of the nodes of each graph.
        loops: the loops that examples leave at their own times, by their headers.
        backward: the gradients of graphs that have their own.
    """

    def __init__(self, root: Graph, n: int, masks: list):
        self.root, self.n, self.loops = root, n, {}
        _refuse_effects(root)
        while True:
            self.params, self.out, self.nodes = {}, {}, {}
            self._users: dict[Graph, set[Graph]] = {}
            self._linked: dict[Graph, set[Graph]] = {}
            self._work: dict[Graph, None] = {}
            self._open: set[Graph] = set()
            self._components()
            self._grow(root, masks)
            try:
                while self._work:
                    self._settle(next(iter(self._work)))
                return
            except Diverges as d:
                members = self.component[d.graph]
                loop = make_loop(members, self.calls)
                self.loops[loop.header] = loop

    def _components(self) -> None:
        self.calls = walk.call_map(self.root)
        for loop in self.loops.values():
            self.calls.update(walk.call_map(loop.step))
        self.component = {g: c for c in walk.components(self.calls) for g in c}

    def recursive(self, g: Graph) -> bool:
        """Whether ``g`` can reach itself."""
        return len(self.component[g]) > 1 or g in self.calls[g]

    def mask(self, g: Graph, a: Node):
        """The mask of an operand in ``g``."""
        if a.__class__ is Constant:
            return full_mask(a.abstract, False)
        return self.nodes[g][a]

    def _grow(self, g: Graph, masks: list) -> None:
        old = self.params.get(g)
        new = masks if old is None else [either(m, k) for m, k in zip(old, masks)]
        if new != old:
            self.params[g] = new
            self.out.setdefault(g, full_mask(g.ret.abstract, False))
            self._work[g] = None
            for h in self._linked.get(g, ()):
                self._grow(h, new)

    def _raise_out(self, g: Graph, m) -> None:
        new = either(self.out[g], m)
        if new != self.out[g]:
            self.out[g] = new
            self._work.update(dict.fromkeys(self._users.get(g, ())))
            for h in self._linked.get(g, ()):
                self._raise_out(h, new)

    def _settle(self, g: Graph) -> None:
        """Sweep ``g`` if it has to be: a callee before its caller goes on, so that few sweeps are
        in vain.
        """
        if g in self._work and g not in self._open and len(self._open) < _DEPTH:
            del self._work[g]
            self._open.add(g)
            try:
                self._sweep(g)
            finally:
                self._open.discard(g)

    def _sweep(self, g: Graph) -> None:
        loop = self.loops.get(g)
        if loop is not None:
            self._grow(
                loop.step,
                [
                    either(m, full_mask(p.abstract, i in loop.changed))
                    for i, (m, p) in enumerate(zip(self.params[g], g.params))
                ],
            )
            self._raise_out(g, full_mask(g.ret.abstract, True))
            return
        masks = self.nodes[g] = dict(zip(g.params, self.params[g]))
        for n in g:
            masks[n] = self._node(g, n)
        self._raise_out(g, self._operand(g, g.output))
        if "bprop" in g.flags:
            self._custom(g)

    def _operand(self, g: Graph, a: Node):
        if has_function(a.abstract) or walk.graph_of(a) is not None:
            raise Unbatchable("a function as a value")
        return self.mask(g, a)

    def _node(self, g: Graph, n: Apply):
        fn = n.fn
        if fn.__class__ is Graph or isinstance(fn, Node):
            return self._call(g, n)
        if fn is prim.make_tuple:
            return tuple([self._operand(g, a) for a in n.args])
        if fn is prim.tuple_getitem:
            return self.mask(g, n.args[0])[n.args[1].value]
        if fn.__class__ is prim.Structural:
            return False
        operands = [a for a in n.args if a.abstract is not None]
        return full_mask(
            n.abstract, fn is P.random_key or any(some(self._operand(g, a)) for a in operands)
        )

    def _call(self, g: Graph, n: Apply):
        c = callee_of(n.fn)
        if c.kind == "back":
            return tuple([full_mask(a, True) for a in gradient_types(self, c, len(c.of.args))])
        args = [self._operand(g, a) if not _is_reference(a) else False for a in (*c.given, *n.args)]
        if c.kind == "J":
            return self._differentiated(g, n, c, args)
        for h in c.graphs:
            self._users.setdefault(h, set()).add(g)
        if c.kind == "graph":
            self._grow(c.graphs[0], args)
            self._settle(c.graphs[0])
            return self.out[c.graphs[0]]
        f, h = c.graphs
        if not some(self.mask(g, c.of)):
            if f is not h:
                self._linked.setdefault(f, set()).add(h)
                self._linked.setdefault(h, set()).add(f)
            for k, other in ((f, h), (h, f)):
                self._grow(k, args)
                self._raise_out(k, self.out.get(other, self.out[k]))
                self._grow(k, self.params.get(other, args))
            self._settle(f)
            self._settle(h)
            return self.out[f]
        if self.recursive(g) and any(k in self.component[g] for k in c.graphs):
            raise Diverges(g)
        if has_function(n.abstract):
            raise Unbatchable("a function that is chosen for each example")
        for k in c.graphs:
            self._grow(k, args)
        return full_mask(n.abstract, True)

    def _differentiated(self, g: Graph, n: Apply, c: Callee, args: list):
        """Examples have gradients of their own, so what is differentiated by is batched, and the
        result.
        """
        h, first = c.graphs[0], len(c.given)
        args = [
            m
            if i < first or cotangent_abstract(p.abstract) is NONE
            else full_mask(p.abstract, True)
            for i, (m, p) in enumerate(zip(args, h.params))
        ]
        self._users.setdefault(h, set()).add(g)
        self._grow(h, args)
        self._settle(h)
        self._raise_out(h, full_mask(h.ret.abstract, True))
        return (self.out[h], False)

    def _custom(self, g: Graph) -> None:
        """A graph with its own gradient: the cotangents, and so the result, are batched."""
        whole = full_mask(g.ret.abstract, True)
        self._raise_out(g, whole)
        self._grow(g.flags["bprop"], [*self.params[g], *_spread(g, whole), *_spread(g, whole)])


def _spread(g: Graph, mask) -> list:
    """The masks of the parameters in which a custom gradient takes the result of ``g``."""
    b = g.flags["bprop"]
    count = (len(b.params) - len(g.params)) // 2
    return [mask] if count == 1 else list(mask)


def gradient_types(plan: Plan, c: Callee, count: int) -> list:
    """The types for one example of what a backpropagator returns, one per argument of the call of
    J.
    """
    h = c.graphs[0]
    return [p.abstract for p in h.params[len(h.params) - count :]]


def _is_reference(a: Node) -> bool:
    return full_mask(a.abstract, True) is False and not has_function(a.abstract)


def _refuse_effects(root: Graph) -> None:
    """Effects happen in the order of the examples, so what has some is computed row by row."""
    for g in walk.call_map(root):
        for n in g:
            if (
                n.fn is prim.assign
                or n.fn.__class__ not in (Graph, prim.Structural)
                and not isinstance(n.fn, Node)
                and n.fn.has_effect
                and n.fn is not P.random_key
            ):
                raise Unbatchable(f"{n.fn!r} has an effect")
            if isinstance(n.fn, Op) and n.fn.finds:
                raise Unbatchable(f"each example has a size of its own that {n.fn!r} finds")
