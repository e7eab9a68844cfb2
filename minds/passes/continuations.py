"""Continuations become data (defunctionalization: Reynolds, 1972).

A value of a type that `abstract.continuation` made is a closure of one of the graphs of which the
program makes such values. Where this is one graph, the value becomes the tuple of what it captured, and a
call of it a call of the graph. Else it becomes (the number of the graph, a stack), where what was
captured is a record (`ir.stack`); a call becomes one of a graph that decides by the number, takes the
record, and calls. A record stands on the first stack among what was captured: where continuations
capture one another, as those of a loop do, that is a stack with a record for each iteration.

So no function values are left of closures. The program must be closed, and stays so.
"""

from __future__ import annotations

from ..ir import prim, walk
from ..ir.abstract import BOOL, INT, STACK, AbstractFunction, AbstractTuple, is_continuation
from ..ir.build import Builder, building
from ..ir.node import Apply, Graph, Node, replace, set_args, set_fn
from ..ir.stack import empty, new_key, pop, push
from ..ops.define import P


def continuations(graph: Graph) -> Graph:
    """Make data of all continuations."""
    calls = walk.call_map(graph)
    nodes = [n for g in calls for n in (*g, g.ret)]
    called = [n for n in nodes if isinstance(n.fn, Node) and is_continuation(n.fn.abstract)]
    made = [p for n in nodes for p in _made(n)]
    kinds = {a: _Kind() for a in [n.fn.abstract for n in called] + [n.abstract for n in made]}
    if not kinds:
        return graph
    called = [(n, kinds[n.fn.abstract]) for n in called]
    made = [(n, kinds[n.abstract]) for n in made]
    for n, kind in made:
        types = [a.abstract for a in n.args[1:]]
        kind.targets.setdefault(walk.graph_of(n.args[0]), types)
    for kind in kinds.values():
        kind.targets = {g: [_type(t, kinds) for t in ts] for g, ts in kind.targets.items()}
    for g in calls:
        for n in (*g.params, *g, g.ret):
            n.abstract = _type(n.abstract, kinds)
    for n, kind in made:
        replace(n, kind.value(n))
        n.graph.remove(n)
    for n, kind in called:
        kind.call(n)
    return graph


def _made(n: Apply) -> list[Apply]:
    """The continuations that ``n`` makes: itself, and constants among its operands, which it gets as
    applies.
    """
    found = [n] if n.fn is prim.partial and is_continuation(n.abstract) else []
    args, first = list(n.args), len(found)
    before = n if n.fn is not prim.return_ else None
    for i, a in enumerate(args[first:], first):
        if walk.graph_of(a) is not None and is_continuation(a.abstract):
            args[i] = n.graph.insert(Apply(prim.partial, (a,), a.abstract, n.loc), before)
            found.append(args[i])
    if len(found) > first:
        set_args(n, args)
    return found


def _type(a, kinds: dict):
    """What type ``a`` becomes."""
    if isinstance(a, AbstractTuple) and a.has_function:
        return AbstractTuple([_type(t, kinds) for t in a.items])
    kind = kinds.get(a) if isinstance(a, AbstractFunction) else None
    if kind is None:
        return a
    if kind.type is None and (len(kind.targets) != 1 or kind.open):
        kind.box()
    if kind.type is None:
        kind.open = True
        (types,) = kind.targets.values()
        found = AbstractTuple([_type(t, kinds) for t in types])
        kind.type = kind.type or found
    return kind.type


class _Kind:
    """The continuations of one type.

    Attributes:
        targets: the graphs that they may be, with the types of what they capture.
        keys: the keys of their records; empty where there are none.
        type: what the type becomes; None while that is not known.
        open: whether that is being found.
    """

    def __init__(self):
        self.targets: dict[Graph, list] = {}
        self.keys: dict[Graph, int] = {}
        self.type, self.open, self._decides = None, False, None

    def box(self) -> None:
        """Let there be records."""
        numbers = [BOOL if len(self.targets) == 2 else INT] if len(self.targets) > 1 else []
        self.type = AbstractTuple([*numbers, STACK])
        self.keys = {g: new_key() for g in self.targets}

    def value(self, n: Apply) -> Node:
        """What stands for ``n``, which makes one."""
        b, g, captured = Builder(n.graph, n, n.loc), walk.graph_of(n.args[0]), n.args[1:]
        if not self.keys:
            return b.make_tuple(captured)
        values = [leaf for v in captured for leaf in _leaves(b, v)]
        below = next((v for v in values if v.abstract is STACK), None)
        values = [v for v in values if v is not below]
        below = empty() if below is None else below
        top = push(b, below, values, self.keys[g]) if values else below
        i = list(self.targets).index(g)
        numbers = {BOOL: [bool(i)], INT: [i]}.get(self.type.items[0], [])
        return b.make_tuple([*numbers, top])

    def call(self, n: Apply) -> None:
        """Let ``n`` call the graph."""
        b, f = Builder(n.graph, n, n.loc), n.fn
        args = [*[b.getitem(f, i) for i in range(len(self.type.items))], *n.args]
        if not self.targets:  # the program never makes one
            t = pop(b, empty(), n.abstract.items, 0)
            items = [b.getitem(t, i + 1) for i in range(len(n.abstract.items))]
            replace(n, b.make_tuple(items))
            n.graph.remove(n)
            return
        if self._decides is None:
            graphs = list(self.targets)
            if self.keys:
                graphs = [self._taking(g, n.abstract) for g in graphs]
            self._decides = graphs[0]
            if len(graphs) > 1:
                number, *types = [a.abstract for a in args]
                self._decides = _deciding(graphs, number, types, n.abstract)
        set_fn(n, self._decides)
        set_args(n, args)

    def _taking(self, target: Graph, result) -> Graph:
        """The graph that takes the record of ``target`` from a stack, and calls it."""
        types = self.targets[target]
        given = target.params[len(types) :]
        g = Graph(target.name, target.loc)
        stack = g.add_param("stack", STACK)
        args = [g.add_param(p.name, p.abstract) for p in given]
        b, kinds = Builder(g), [t for a in types for t in _leaf_types(a)]
        below = kinds.index(STACK) if STACK in kinds else None
        values = [t for i, t in enumerate(kinds) if i != below]
        if values:
            t = pop(b, stack, values, self.keys[target])
            stack, *values = [b.getitem(t, i) for i in range(len(values) + 1)]
        if below is not None:
            values.insert(below, stack)
        found = iter(values)
        g.output = b.emit(target, [*[_packed(b, a, found) for a in types], *args], result)
        return g


def _leaves(b: Builder, v: Node) -> list[Node]:
    """The elements of a nested tuple that are none."""
    if not isinstance(v.abstract, AbstractTuple):
        return [v]
    return [leaf for i in range(len(v.abstract.items)) for leaf in _leaves(b, b.getitem(v, i))]


def _leaf_types(a) -> list:
    return [t for i in a.items for t in _leaf_types(i)] if isinstance(a, AbstractTuple) else [a]


def _packed(b: Builder, a, leaves) -> Node:
    """The nested tuple of type ``a`` of ``leaves``."""
    if isinstance(a, AbstractTuple):
        return b.make_tuple([_packed(b, i, leaves) for i in a.items])
    return next(leaves)


def _deciding(graphs: list[Graph], number, types: list, result, first: int = 0) -> Graph:
    """The graph that takes a number of type ``number``, and calls that of the graphs which has it."""
    g = Graph(graphs[0].name)
    i, *args = [g.add_param("x", t) for t in (number, *types)]
    with building(Builder(g)) as b:
        if len(graphs) == 1:
            g.output = b.emit(graphs[0], args, result)
        elif number is BOOL:
            g.output = b.emit(b.switch(i, graphs[1], graphs[0]), args, result)
        else:
            half = len(graphs) // 2
            below = _deciding(graphs[:half], number, types, result, first)
            above = _deciding(graphs[half:], number, types, result, first + half)
            chosen = b.switch(P.less(i, first + half), below, above)
            g.output = b.emit(chosen, [i, *args], result)
    return g
