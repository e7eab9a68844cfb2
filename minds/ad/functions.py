"""Function values under J: the triple (▶f, zero, add) for graphs, partial applications and
switches.

▶f(args) -> (out, ◀f); ◀f(dout leaves...) -> (own, cotangents of the args' leaves...). The own
cotangent is a *box*: a closure that returns the cotangents of what f captured. ``zero()`` is such a
box of zeros, ``add(p, q)`` adds two of them. All are closures in the graph where the value is made.

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

from ..base.errors import complain
from ..ir.abstract import BOOL, STACK, AbstractFunction, AbstractTuple
from ..ir.build import Builder, as_node, building, current
from ..ir.node import Constant, Graph, Node
from ..ir.sizes import is_unbacked
from ..ir.stack import empty
from ..ops.define import P
from ..ops.unbacked import filled_like
from .cotangents import NEUTRAL, at_path, dual_abstract, leaves, zero, zeros
from .expansion import Expansion


def dual_of_graph(expansion: Expansion, a: Constant) -> Node:
    """The triple of a graph used as a value."""
    g = a.value
    if "record" in g.flags:
        return a
    types = [p.abstract for p in g.params]
    return FunctionDual(expansion, g, [], types, a.abstract).triple()


def opened(b: Builder, box: Node, types: list) -> tuple:
    """(whether all that is in the box is zero, or None where it does not say; the cotangents in it)."""
    inside = _contents(types)
    t, first = b.emit(box, (), inside), len(inside.items) - len(types)
    return b.getitem(t, 0) if first else None, [b.getitem(t, first + i) for i in range(len(types))]


def _contents(types: list) -> AbstractTuple:
    """What opening a box of cotangents of ``types`` gives: these, after whether all are zero if
    there are boxes among them.
    """
    boxes = any(isinstance(t, AbstractFunction) for t in types)
    return AbstractTuple([BOOL, *types] if boxes else types)


class FunctionDual:
    """The triple of a function value: a graph with first arguments given.

    Args:
        given: for each captured argument its dual and its primal type.
        rest: primal types of the arguments still to come.
        kind: the primal type of this function value.
    """

    def __init__(self, expansion: Expansion, g: Graph, given: list[tuple], rest: list, kind):
        self.expansion, self.callee, self.name = expansion, expansion.adjoint(g), g.name
        self.given, self.rest = given, rest
        self.constant, self.types = kind.constant, dual_abstract(kind).items
        self.own = [(v, path, t) for v, a in given for path, t in leaves(a)]
        self.own_types = [t for _, _, t in self.own]
        self.box_type = AbstractFunction(("cotangent", self.name))
        assert not (self.constant and self.own), f"{self.name}: a constant function captured"

    def triple(self) -> Node:
        """Emit the value into the current builder's graph."""
        b = current()
        # Taken here, so that `zero` and `add` capture nothing but these; of a tensor only its size
        # counts.
        self.sized = [at_path(b, v, path) if is_unbacked(t) else None for v, path, t in self.own]
        self.zeros, self.adds = (
            [at_path(b, v, (*path, i)) if _has_own(t) else None for v, path, t in self.own]
            for i in (1, 2)
        )
        graphs = (
            [self._forward()] if self.constant else [self._forward(), self._zero(), self._add()]
        )
        return b.make_tuple([Constant(g, t) for g, t in zip(graphs, self.types)])

    def _box(self, b: Builder, values: list) -> Node:
        """A box of cotangents, not all of which are zero."""
        g = Graph(f"{self.name}:cotangent", b.graph.loc)
        self._fill(Builder(g, loc=b.loc), values, False)
        return as_node(g)

    def _fill(self, b: Builder, values: list, zero: bool) -> None:
        flags = [zero] * (len(_contents(self.own_types).items) - len(values))
        b.graph.output = b.make_tuple([*flags, *values])

    def _zero(self) -> Graph:
        g, box = Graph(f"{self.name}:zero"), Graph(f"{self.name}:cotangent")
        b = Builder(box)
        with building(b):
            values = [
                b.emit(filled_like, (like, NEUTRAL), t)
                if like is not None
                else empty()
                if t is STACK
                else zeros(t, NEUTRAL)
                if inner is None
                else b.emit(inner, (), t)
                for like, inner, t in zip(self.sized, self.zeros, self.own_types)
            ]
            self._fill(b, values, True)
        g.output = Constant(box, self.box_type)
        return g

    def _add(self) -> Graph:
        g, more = Graph(f"{self.name}:add"), Graph(f"{self.name}:add:both")
        p, q = g.add_param("p", self.box_type), g.add_param("q", self.box_type)
        b, inner = Builder(g), Builder(more, loc=current().loc)
        is_zero, first = opened(b, p, self.own_types)
        also_zero, second = opened(inner, q, self.own_types)
        with building(inner):
            both = Graph(f"{self.name}:add:both")
            with building(Builder(both, loc=current().loc)) as last:
                sums = [
                    _no_sum(x)
                    if t is STACK
                    else P.add(x, y)
                    if add is None
                    else last.emit(add, (x, y), t)
                    for add, t, x, y in zip(self.adds, self.own_types, first, second)
                ]
                both.output = self._box(last, sums)
            more.output = self._unless(inner, also_zero, p, both)
        g.output = self._unless(b, is_zero, q, more)
        return g

    def _unless(self, b: Builder, is_zero: Node | None, other: Node, g: Graph) -> Node:
        """The other box if one is zero, else what ``g`` gives."""
        if is_zero is not None:
            only = Graph(f"{self.name}:add:only")
            only.output = other
            g = b.switch(is_zero, only, g)
        return b.emit(g, (), self.box_type)

    def _forward(self) -> Graph:
        f = Graph(f"▶{self.name}")
        b = Builder(f)
        rest = [f.add_param(f"x{i}", dual_abstract(a)) for i, a in enumerate(self.rest)]
        with building(b):
            args = [*(v for v, _ in self.given), *rest]
            t = b.emit(self.callee.forward, args, self.callee.convention.result)
            back = self._backward(b.getitem(t, 1), args)
            f.output = b.make_tuple([b.getitem(t, 0), as_node(back)])
        return f

    def _backward(self, back: Node, args: list) -> Graph:
        g, convention = Graph(f"◀{self.name}"), self.callee.convention
        b = Builder(g)
        dout = [g.add_param("dout", t) for _, t in convention.taken()]
        with building(b):
            sums = [zero(b, args[i], path, t, NEUTRAL) for i, path, t in convention.summed()]
            r = convention.call(b, back, [*dout, *sums], args)
            parts = [b.getitem(r, i) for i in range(len(convention.answer.items))]
            k = len(self.own)
            boxed = [] if self.constant else [self._box(b, parts[:k])]
            g.output = b.make_tuple([*boxed, *parts[k:]])
        return g


def read_again(kind: type, loc) -> Exception:
    """What is raised where stacks would have to be added up."""
    what = "grad: a loop or function in what is differentiated calls a pullback again"
    return complain(kind, what, loc=loc, cure="call vjp again, there")


def _no_sum(stack: Node) -> Node:
    """A sum of stacks, should the program ever make one."""
    getattr(P, "raise")((), read_again(RuntimeError, current().loc))
    return stack


def _has_own(t) -> bool:
    """Whether a function value brings the zero and the addition of cotangents of this type."""
    return isinstance(t, AbstractFunction) and t is not STACK
