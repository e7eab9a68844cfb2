"""The builder: puts typed applies into a graph at one place, and knows which builder is current.

Calling an op while a builder is current emits a node; that is how gradient rules and rewrites
"run".
"""

from __future__ import annotations

from .. import _core
from . import prim
from .abstract import NONE, AbstractFunction, AbstractRef, AbstractScalar, AbstractTuple
from .node import Apply, Constant, Graph, Node

current = _core.current_builder
"""The innermost builder of this thread, or None outside of graph construction."""


class Builder:
    """Emits into ``graph`` before ``before`` (None: at the end); new nodes get ``loc``.

    ``for_user``: what emits is an op or a library function that the user calls, so numbers alone
    become tensors, as in PyNative mode.
    """

    __slots__ = ("graph", "before", "loc", "for_user")

    def __init__(self, graph: Graph, before: Apply | None = None, loc=None):
        self.graph, self.before, self.loc, self.for_user = graph, before, loc, False

    def emit(self, fn, args, abstract) -> Apply:
        """A new apply of ``fn`` to ``args`` (nodes or constants) with a known abstract value."""
        return self.graph.insert(
            Apply(fn, [as_node(a) for a in args], abstract, self.loc), self.before
        )

    def constant(self, value) -> Node:
        """A node for a compile-time value."""
        return as_node(value)

    def may_be_parameter(self, node) -> bool:
        """Whether the run chooses a parameter as what ``node`` is."""
        return False

    def make_tuple(self, items) -> Node:
        items = [as_node(i) for i in items]
        return self.emit(prim.make_tuple, items, AbstractTuple(i.abstract for i in items))

    def getitem(self, t: Node, i: int) -> Node:
        if type(t) is Apply and t.fn is prim.make_tuple:
            return t.args[i]
        return self.emit(prim.tuple_getitem, (t, i), t.abstract.items[i])

    def call(self, fn: Graph | Node, args, result=None) -> Apply:
        """A call of a graph or of a function value; ``result`` is needed where the callee's is not
        known yet.
        """
        if result is None:
            result = fn.ret.abstract if isinstance(fn, Graph) else fn.abstract.signature[1]
        return self.emit(fn, args, result)

    def switch(self, cond: Node, f: Graph, g: Graph) -> Node:
        """A function value: ``f`` where ``cond`` holds, else ``g``."""
        function = AbstractFunction((f, g))
        function.signature[1] = f.ret.abstract if f.ret is not None else None
        return self.emit(prim.switch, (cond, f, g), function)

    def load(self, p: Node) -> Node:
        assert isinstance(p.abstract, AbstractRef), p
        return self.emit(prim.load, (p,), p.abstract.value)

    def assign(self, p: Node, value: Node) -> Node:
        assert isinstance(p.abstract, AbstractRef), p
        return self.emit(prim.assign, (p, value), p.abstract.value)


class building:
    """Makes ``builder`` current in a ``with`` statement; None suspends building, so that ops run
    eagerly.
    """

    __slots__ = ("builder",)

    def __init__(self, builder: Builder | None):
        self.builder = builder

    def __enter__(self) -> Builder | None:
        _core.push_builder(self.builder)
        return self.builder

    def __exit__(self, *_) -> None:
        _core.pop_builder()


def as_node(value) -> Node:
    """``value`` itself if it is a node, else a Constant of it."""
    return value if isinstance(value, Node) else Constant(value, abstract_of(value))


def abstract_of(value):
    """The abstract value of a Python value; None for one that is only ever an attribute (str,
    dtype, slice, …).
    """
    kind = type(value)
    if kind in (bool, int, float):
        return AbstractScalar(kind)
    if value is None:
        return NONE
    if kind in (tuple, list):
        items = [abstract_of(v) for v in value]
        return None if None in items else AbstractTuple(items)
    if kind is Graph:
        function = AbstractFunction(value)
        function.signature[1] = value.ret.abstract if value.ret is not None else None
        return function
    return getattr(value, "abstract", None)


def calling(g: Graph) -> Graph:
    """A graph that only calls ``g``."""
    w = Graph(g.name, g.loc)
    w.has_effect = g.has_effect
    args = [w.add_param(p.name, p.abstract, p.loc) for p in g.params]
    w.output = Builder(w, loc=g.loc).emit(g, args, g.ret.abstract)
    return w
