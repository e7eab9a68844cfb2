"""Function values under J: the triple (▶f, zero, add) for graphs, partial applications and switches.

▶f(args) -> (out, ◀f); ◀f(dout leaves..., own accumulator, accumulators of args...) -> (own, of args...). The
own accumulator boxes the cotangents of what f captured; ``zero`` is such a box with neutral contents,
``add(p, q)`` adds two of them. All are closures in the graph where the value is made.
"""
from __future__ import annotations

from ..ir.abstract import AbstractFunction, AbstractTuple
from ..ir.build import Builder, as_node, building, current
from ..ir.node import Graph, Node
from ..ops.define import P
from .pairs import Pair, Transform, at_path, start
from .zeros import dual_abstract, leaves


def dual_of_graph(transform: Transform, g: Graph) -> Node:
    """The triple of a graph used as a value."""
    return Captured(transform.pair(g), [], [p.abstract for p in g.params], g.name).triple()


class Captured:
    """A function value: a callee with first arguments given.

    Args:
        callee: a `Pair`, or the triple (a node of ▶) of a function value.
        given: for each captured argument its dual and its primal type.
        rest: primal types of the arguments still to come.
        kind: of a callee that is a triple, its primal function type; ``result`` then is the primal type of
            its result.
    """

    def __init__(self, callee, given: list[tuple], rest: list, name: str, kind=None, result=None):
        self.callee, self.given, self.rest, self.name, self.kind = callee, given, rest, name, kind
        self.result = callee.result if isinstance(callee, Pair) else AbstractTuple(
            (dual_abstract(result), AbstractFunction(("back", kind.key))))
        self.out = callee.out if isinstance(callee, Pair) else leaves(result)
        own = [] if isinstance(callee, Pair) else [(callee, (), leaves(kind)[0][1])]
        self.own = own + [(v, path, t) for v, a in given for path, t in leaves(a)]

    def triple(self) -> Node:
        """Emit the value into the current builder's graph."""
        return current().make_tuple([as_node(g) for g in (self._forward(), self._zero(), self._add())])

    def _box(self, b: Builder, values: list) -> Node:
        """A box of cotangents: a closure that returns them."""
        g = Graph(f"{self.name}:cotangent", b.graph.loc)
        g.output = Builder(g, loc=b.loc).make_tuple(values)
        return as_node(g)

    def _open(self, b: Builder, box: Node) -> list[Node]:
        types = [t for _, _, t in self.own]
        opened = b.emit(box, (), AbstractTuple(types))
        return [b.getitem(opened, i) for i in range(len(types))]

    def _zero(self) -> Graph:
        g = Graph(f"{self.name}:zero")
        b = Builder(g)
        with building(b):
            g.output = b.make_tuple([start(b, v, path, t) for v, path, t in self.own])
        return g

    def _add(self) -> Graph:
        g = Graph(f"{self.name}:add")
        box = AbstractFunction(("cotangent", self.name))
        p, q = g.add_param("p", box), g.add_param("q", box)
        b = Builder(g)
        with building(b):
            sums = [
                b.emit(at_path(b, v, (*path, 2)), (x, y), t)
                if isinstance(t, AbstractFunction)
                else P.add(x, y)
                for (v, path, t), x, y in zip(self.own, self._open(b, p), self._open(b, q))
            ]
            g.output = self._box(b, sums)
        return g

    def _forward(self) -> Graph:
        f = Graph(f"▶{self.name}")
        b = Builder(f)
        rest = [f.add_param(f"x{i}", dual_abstract(a)) for i, a in enumerate(self.rest)]
        callee = self.callee.forward if isinstance(self.callee, Pair) else b.getitem(self.callee, 0)
        with building(b):
            t = b.emit(callee, [*(v for v, _ in self.given), *rest], self.result)
            back = b.getitem(t, 1)
            f.output = b.make_tuple([b.getitem(t, 0), as_node(self._backward(back))])
        return f

    def _backward(self, back: Node) -> Graph:
        g = Graph(f"◀{self.name}")
        rest = [leaf for a in self.rest for leaf in leaves(a)]
        dout = [g.add_param("dout", t) for _, t in self.out]
        own = g.add_param("own", AbstractFunction(("cotangent", self.name)))
        acc = [g.add_param("acc", t) for _, t in rest]
        b = Builder(g)
        with building(b):
            types = [t for _, _, t in self.own] + [t for _, t in rest]
            r = b.emit(back, [*dout, *self._open(b, own), *acc], AbstractTuple(types))
            parts = [b.getitem(r, i) for i in range(len(types))]
            k = len(self.own)
            g.output = b.make_tuple([self._box(b, parts[:k]), *parts[k:]])
        return g
