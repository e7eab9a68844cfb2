"""Function values under J: the triple (▶f, zero, add) for graphs, partial applications and
switches.

▶f(args) -> (out, ◀f); ◀f(dout leaves..., own accumulator, accumulators of args...) -> (own, of
args...). The own accumulator boxes the cotangents of what f captured; ``zero()`` is such a box with
neutral contents, ``add(p, q)`` adds two of them. All are closures in the graph where the value is
made.

``zero`` and ``add`` capture only their like of other functions: no gradient flows to them. Their
types say so (`AbstractFunction.constant`), and under the next J they have no cotangent and no
triple, only ▶. If they had, each order would give three chains of cotangents for each chain of
closures, added up at every link, and derivatives of third order through a loop would take time
exponential in its length.

Boxes of closures that captured closures form chains as long as the loop. So the box of ``zero``
asks for the boxes in it only when it is opened; and a box that holds boxes says whether all its
contents are zero, since ``add`` must not walk down a chain to add nothing.
"""

from __future__ import annotations

from ..ir.abstract import BOOL, AbstractFunction, AbstractTuple
from ..ir.build import Builder, as_node, building, current
from ..ir.node import Constant, Graph, Node
from ..ir.sizes import is_unbacked
from ..ops.define import P
from ..ops.found import filled_like
from .pairs import Pair, Transform, at_path
from .zeros import dual_abstract, leaves, neutral


def dual_of_graph(transform: Transform, a: Constant) -> Node:
    """The triple of a graph used as a value."""
    g = a.value
    return Captured(
        transform.pair(g), [], [p.abstract for p in g.params], a.abstract, g.name
    ).triple()


def contents(types: list) -> AbstractTuple:
    """What opening a box of cotangents of ``types`` gives: these, after whether all are zero if
    there are boxes among them.
    """
    return AbstractTuple(
        [BOOL, *types] if any(isinstance(t, AbstractFunction) for t in types) else types
    )


def opened(b: Builder, box: Node, types: list) -> tuple:
    """(whether all that is in the box is zero, or None where it does not say; the cotangents in
    it).
    """
    inside = contents(types)
    t, first = b.emit(box, (), inside), len(inside.items) - len(types)
    return b.getitem(t, 0) if first else None, [b.getitem(t, first + i) for i in range(len(types))]


class Captured:
    """A function value: a callee with first arguments given.

    Args:
        callee: a `Pair`, or the triple (a node of ▶) of a function value.
        given: for each captured argument its dual and its primal type.
        rest: primal types of the arguments still to come.
        kind: the primal type of this function value.
        of: of a callee that is a triple, its primal function type; ``result`` then is the primal
            type of its result.
    """

    def __init__(
        self, callee, given: list[tuple], rest: list, kind, name: str, of=None, result=None
    ):
        self.callee, self.given, self.rest, self.name = callee, given, rest, name
        self.constant, self.types = kind.constant, dual_abstract(kind).items
        self.result = (
            callee.result
            if isinstance(callee, Pair)
            else AbstractTuple((dual_abstract(result), AbstractFunction(("back", of.key))))
        )
        self.out = callee.out if isinstance(callee, Pair) else leaves(result)
        own = [] if isinstance(callee, Pair) else [(callee, path, t) for path, t in leaves(of)]
        self.own = own + [(v, path, t) for v, a in given for path, t in leaves(a)]
        self.own_types = [t for _, _, t in self.own]
        assert not (self.constant and self.own), f"{name}: a constant function captured {self.own}"

    def triple(self) -> Node:
        """Emit the value into the current builder's graph."""
        b = current()
        # Taken here, so that `zero` and `add` capture nothing but these; of a tensor only its size
        # counts.
        self.sized = [at_path(b, v, path) if is_unbacked(t) else None for v, path, t in self.own]
        self.zeros, self.adds = (
            [
                at_path(b, v, (*path, i)) if isinstance(t, AbstractFunction) else None
                for v, path, t in self.own
            ]
            for i in (1, 2)
        )
        graphs = (
            [self._forward()] if self.constant else [self._forward(), self._zero(), self._add()]
        )
        return b.make_tuple([Constant(g, t) for g, t in zip(graphs, self.types)])

    def _box(self, b: Builder, values: list, zero: bool = False) -> Node:
        """A box of cotangents: a closure that returns them."""
        g = Graph(f"{self.name}:cotangent", b.graph.loc)
        flags = [zero] * (len(contents(self.own_types).items) - len(values))
        g.output = Builder(g, loc=b.loc).make_tuple([*flags, *values])
        return as_node(g)

    def _zero(self) -> Graph:
        g = Graph(f"{self.name}:zero")
        box = Constant(Graph(f"{self.name}:cotangent"), AbstractFunction(("cotangent", self.name)))
        b = Builder(box.value)
        with building(b):
            values = [
                b.emit(filled_like, (like, -0.0), t)
                if like is not None
                else neutral(t)
                if zero is None
                else b.emit(zero, (), t)
                for like, zero, t in zip(self.sized, self.zeros, self.own_types)
            ]
            flags = [True] * (len(contents(self.own_types).items) - len(values))
            box.value.output = b.make_tuple([*flags, *values])
        g.output = box
        return g

    def _add(self) -> Graph:
        g, more = Graph(f"{self.name}:add"), Graph(f"{self.name}:add:both")
        kind = AbstractFunction(("cotangent", self.name))
        p, q = g.add_param("p", kind), g.add_param("q", kind)
        b, inner = Builder(g), Builder(more)
        is_zero, first = opened(b, p, self.own_types)
        _, second = opened(inner, q, self.own_types)
        with building(inner):
            more.output = self._box(
                inner,
                [
                    P.add(x, y) if add is None else inner.emit(add, (x, y), t)
                    for add, t, x, y in zip(self.adds, self.own_types, first, second)
                ],
            )
        if is_zero is None:
            g.output = b.emit(more, (), kind)
        else:
            only = Graph(f"{self.name}:add:second")
            only.output = q
            g.output = b.emit(b.switch(is_zero, only, more), (), kind)
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
        own = (
            None
            if self.constant
            else g.add_param("own", AbstractFunction(("cotangent", self.name)))
        )
        acc = [g.add_param("acc", t) for _, t in rest]
        b = Builder(g)
        with building(b):
            types = self.own_types + [t for _, t in rest]
            inner = [] if own is None else opened(b, own, self.own_types)[1]
            r = b.emit(back, [*dout, *inner, *acc], AbstractTuple(types))
            parts = [b.getitem(r, i) for i in range(len(types))]
            k = len(self.own)
            boxed = [] if own is None else [self._box(b, parts[:k])]
            g.output = b.make_tuple([*boxed, *parts[k:]])
        return g
