"""Continuations become data (defunctionalization: Reynolds, 1972).

A value of a type that `abstract.continuation` made is a closure of one of the graphs of which the
program makes such values. It becomes the tuple of what it captured; where these graphs are several,
after the number of the graph. A call of it becomes a call of the graph that has the number.

Where it may capture, through others, a continuation of its own type, as those of a loop do, or where the
graphs capture tensors that would stand for nothing in the others, the tuple is (number, stack). Then what was
captured is a record (`ir.stack`) on the first stack among it: in a loop that is a stack with a record
for each iteration, in which the number says what was before it.

So no function values are left of closures. The program must be closed, and stays so.
"""

from __future__ import annotations

from ..ir import prim, walk
from ..ir.abstract import (
    BOOL,
    INT,
    STACK,
    AbstractFunction,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
    is_continuation,
)
from ..ir.build import Builder, building
from ..ir.node import Apply, Graph, Node, Param, replace, set_args, set_fn
from ..ir.stack import empty, new_key, pop, push
from ..ops import define
from ..ops.define import P

MOST = 8
"""How many small values stand beside a number, some for nothing, before a record is made of them."""


def continuations(graph: Graph) -> Graph:
    """Make data of all continuations."""
    calls = walk.call_map(graph)
    nodes = [n for g in calls for n in (*g, g.ret) if n.fn.__class__ in walk.MENTIONING]
    called = [n for n in nodes if isinstance(n.fn, Node) and is_continuation(n.fn.abstract)]
    made = [p for n in nodes for p in _made(n)]
    kinds = {
        a: _Representation() for a in [n.fn.abstract for n in called] + [n.abstract for n in made]
    }
    if not kinds:
        return graph
    called = [(n, kinds[n.fn.abstract]) for n in called]
    made = [(n, kinds[n.abstract]) for n in made]
    for n, kind in made:
        kind.targets.setdefault(walk.graph_of(n.args[0]), [a.abstract for a in n.args[1:]])
    passing = [n for n in nodes if any(is_continuation(a.abstract) for a in n.args)]
    passing = [(n, [is_continuation(a.abstract) for a in n.args]) for n in passing if _passes(n)]
    for g in calls:
        _split_params(g, kinds)
        for n in (*g, g.ret):
            if n.abstract.__class__ in (AbstractFunction, AbstractTuple):
                n.abstract = _type(n.abstract, kinds)
    for n, kind in made:
        replace(n, kind.value(n))
        n.graph.remove(n)
    for n, split in passing:
        b = Builder(n.graph, n, n.loc)
        set_args(n, [v for a, s in zip(n.args, split) for v in (_leaves(b, a) if s else [a])])
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


def _passes(n: Apply) -> bool:
    """Whether what ``n`` takes are arguments of a graph."""
    return walk.is_call(n) or n.fn is prim.partial and not is_continuation(n.abstract)


def _split_params(g: Graph, kinds: dict) -> None:
    """Let ``g`` take what a continuation becomes as so many params."""
    params, first = [], g.head
    for p in g.params:
        if is_continuation(p.abstract):
            items = _type(p.abstract, kinds).items
            own = [Param(p.name, t, g, p.loc) for t in items]
            b = Builder(g, first, p.loc)
            replace(p, b.make_tuple(own))
            params += own
        else:
            p.abstract = _type(p.abstract, kinds)
            params.append(p)
    g.params[:] = params


def _type(a, kinds: dict):
    """What type ``a`` becomes."""
    if isinstance(a, AbstractTuple) and a.has_function:
        return AbstractTuple([_type(t, kinds) for t in a.items])
    kind = kinds.get(a) if isinstance(a, AbstractFunction) else None
    if kind is None:
        return a
    if kind.type is None and (kind.open or len(kind.targets) != 1 and kind.recurs(kinds)):
        kind.box()
    if kind.type is None:
        kind.open = True
        found = {
            g: [t for a in types for t in _leaf_types(_type(a, kinds))]
            for g, types in kind.targets.items()
        }
        if kind.type is None:
            kind.settle(found)
    return kind.type


class _Representation:
    """The continuations of one type.

    Attributes:
        targets: the graphs that they may be, with the types of what they capture.
        type: what the type becomes; None while that is not known.
        open: whether that is being found.
        keys: the keys of the records; empty where there are none.
        places: for each graph where in the tuple is what it captured; empty where that is a record.
    """

    def __init__(self):
        self.targets: dict[Graph, list] = {}
        self.keys: dict[Graph, int] = {}
        self.places: dict[Graph, list[int]] = {}
        self.type, self.open, self._called = None, False, None

    def recurs(self, kinds: dict) -> bool:
        """Whether these may capture others of this type, through others too."""
        seen, work = set(), [self]
        while work:
            types = [a for captured in work.pop().targets.values() for a in captured]
            found = {kinds[t] for a in types for t in _leaf_types(a) if t in kinds}
            work += found - seen
            seen |= found
        return self in seen

    def box(self) -> None:
        """Let there be records."""
        self.type = AbstractTuple([*self._number(), STACK])
        self.keys = {g: new_key() for g in self.targets}

    def settle(self, captured: dict[Graph, list]) -> None:
        """Find the type, given those of what is captured: values of one type share a place."""
        number, slots, places = self._number(), [], {}
        for g, types in captured.items():
            left, places[g] = list(range(len(slots))), []
            for t in types:
                i = next((i for i in left if slots[i] is t), len(slots))
                if i == len(slots):
                    slots.append(t)
                else:
                    left.remove(i)
                places[g].append(len(number) + i)
        if number and not (len(slots) <= MOST and all(map(_is_word, slots))):
            self.box()
        else:
            self.type, self.places = AbstractTuple([*number, *slots]), places

    def _number(self) -> list:
        return [BOOL if len(self.targets) == 2 else INT] if len(self.targets) > 1 else []

    def value(self, n: Apply) -> Node:
        """What stands for ``n``, which makes one."""
        b, g = Builder(n.graph, n, n.loc), walk.graph_of(n.args[0])
        values = [leaf for v in n.args[1:] for leaf in _leaves(b, v)]
        items = list(map(_nothing, self.type.items))
        if self._number():
            i = list(self.targets).index(g)
            items[0] = bool(i) if len(self.targets) == 2 else i
        if self.keys:
            below = _first_stack([v.abstract for v in values])
            items[-1] = empty() if below is None else values.pop(below)
            if values:
                items[-1] = push(b, items[-1], values, self.keys[g])
        else:
            for k, v in zip(self.places[g], values):
                items[k] = v
        return b.make_tuple(items)

    def call(self, n: Apply) -> None:
        """Let ``n`` call the graph."""
        b, f = Builder(n.graph, n, n.loc), n.fn
        if not self.targets:  # the program never makes one
            t = pop(b, empty(), n.abstract.items, 0)
            items = [b.getitem(t, i + 1) for i in range(len(n.abstract.items))]
            replace(n, b.make_tuple(items))
            n.graph.remove(n)
            return
        if self._called is None:
            graphs = [self._taking(g, len(n.args), n.abstract) for g in self.targets]
            number = self._number()
            self._called = _deciding(graphs, *number, n.abstract) if number else graphs[0]
        set_fn(n, self._called)
        set_args(n, [*_leaves(b, f), *n.args])

    def _taking(self, target: Graph, given: int, result) -> Graph:
        """The graph that takes what ``target`` captured from where it is, and calls it with the
        ``given`` last of its params.
        """
        g, params = Graph(target.name, target.loc), target.params
        types = [p.abstract for p in params[: len(params) - given]]
        b, number = Builder(g), len(self._number())
        slots = [g.add_param("saved", t) for t in self.type.items[number:]]
        if self.keys:
            kinds = [t for a in types for t in _leaf_types(a)]
            values = self._taken(b, *slots, kinds, self.keys[target])
        else:
            values = [slots[i - number] for i in self.places[target]]
        args = [g.add_param(p.name, p.abstract) for p in params[len(types) :]]
        leaves = iter(values)
        g.output = b.emit(target, [*[_packed(b, a, leaves) for a in types], *args], result)
        return g

    @staticmethod
    def _taken(b: Builder, stack: Node, kinds: list, key: int) -> list[Node]:
        """The values of a record, and the stack on which it stood among them."""
        below = _first_stack(kinds)
        values = [t for i, t in enumerate(kinds) if i != below]
        if values:
            t = pop(b, stack, values, key)
            stack, *values = [b.getitem(t, i) for i in range(len(values) + 1)]
        return values if below is None else [*values[:below], stack, *values[below:]]


def _first_stack(types: list) -> int | None:
    return types.index(STACK) if STACK in types else None


def _is_word(a) -> bool:
    """Whether values of type ``a`` are as small as a number."""
    return a is STACK or isinstance(a, (AbstractScalar, AbstractTensor)) and a.shape == ()


def _nothing(a):
    """A small value for a place that needs none."""
    if isinstance(a, AbstractScalar):
        return a.kind(0)
    return empty() if a is STACK else define.constant_hook(0, a.dtype) if _is_word(a) else None


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


def _deciding(graphs: list[Graph], number, result, first: int = 0) -> Graph:
    """The graph that takes a number of this type, and calls that of the graphs which has it."""
    g = Graph("|".join([h.name for h in graphs[:2]]))
    i = g.add_param("which", number)
    args = [g.add_param(p.name, p.abstract) for p in graphs[0].params]
    with building(Builder(g)) as b:
        if len(graphs) == 1:
            g.output = b.emit(graphs[0], args, result)
        elif i.abstract is BOOL:
            g.output = b.emit(b.switch(i, graphs[1], graphs[0]), args, result)
        else:
            half = len(graphs) // 2
            below = _deciding(graphs[:half], number, result, first)
            above = _deciding(graphs[half:], number, result, first + half)
            chosen = b.switch(P.less(i, first + half), below, above)
            g.output = b.emit(chosen, [i, *args], result)
    return g
