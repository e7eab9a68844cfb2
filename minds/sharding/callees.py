"""What is divided of loops, branches and functions: the graphs that are called where they are known.

All calls of such a graph pass each of its parameters in one layout, and get its result in one. These are its
slots. The graphs of a switch have theirs in common, and so do graphs of which one calls the other in
tail position, so that loops stay loops. What a record on a stack holds (`ir.stack`) has slots in common with
all records of these types. A slot takes the first layout that comes and divides something; what is passed
otherwise is moved to it. So a slot changes once, and rounds over the program, each with the slots of the
last, come to an end.

Graphs that are values, which anybody may call, and what they call are computed whole.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from ..ir import prim, stack, walk
from ..ir.abstract import STACK, AbstractRef, AbstractTuple
from ..ir.node import Apply, Constant, Graph, Node, Param
from ..ops.define import Op, P
from ..tensor import Tensor
from .layout import Sharding


class Slot:
    """The layout of a tensor that is passed.

    Attributes:
        layout: None as long as nothing has come that is divided.
        adds: whether it starts as zeros: then the devices may have terms of a sum, which they add to.
    """

    __slots__ = ("adds", "layout")

    def __init__(self):
        self.layout: Sharding | None = None
        self.adds = False


Slots = Slot | tuple


def whole(abstract) -> Sharding | tuple:
    """The layout of what every device has."""
    if isinstance(abstract, AbstractTuple):
        return tuple(map(whole, abstract.items))
    return Sharding.whole(len(getattr(abstract, "shape", None) or ()))


class _Groups:
    """Disjoint sets."""

    def __init__(self):
        self.above: dict = {}

    def of(self, x: Hashable):
        """What stands for the set of ``x``."""
        while (above := self.above.get(x, x)) is not x:
            self.above[x] = self.above.get(above, above)
            x = above
        return x

    def join(self, first: Hashable, *others: Hashable) -> None:
        """Make one set of those of several."""
        for x in others:
            self.above[self.of(x)] = self.of(first)


class Callees:
    """The graphs of a program that are divided, whatever the layouts are.

    Attributes:
        graphs, inside: they, callers before callees where none calls itself.
        targets: for each call of them which it may be.
        taken: parameters whose references are passed to what is computed whole.
    """

    def __init__(self, root: Graph):
        calls = walk.call_map(root)
        apart = _apart(calls)
        self.root = root
        self.graphs = [g for g in calls if g is not root and g not in apart and not _of_stack(g)]
        self.inside = set(self.graphs)
        self.targets: dict[Apply, list[Graph]] = {}
        self.taken: set[Param] = set()
        self._params, self._results, self._references = _Groups(), _Groups(), _Groups()
        self.locked = {k for g in apart for n in g if (k := pushed(n) or popped(n)) is not None}
        for g in (root, *self.graphs):
            for n in g:
                self._see(n)
            tail = self.targets.get(g.output)
            if tail and g is not root:
                self._results.join(g, *tail)
        self._held = [p for p in root.params if isinstance(p.abstract, AbstractRef)]
        self._origins = {self._references.of(p): p for p in reversed(self._held)}

    def _see(self, n: Apply) -> None:
        fn = n.fn
        if isinstance(fn, Op) or fn is prim.load or fn is prim.assign:
            return
        found = walk.direct_targets(n if fn is prim.switch else fn) if _may_call(n) else None
        if not found or not self.inside.issuperset(found):
            self.taken.update(a for a in n.args if isinstance(a.abstract, AbstractRef))
            return
        self._params.join(*found)
        self._results.join(*found)
        if fn is prim.switch:
            return
        self.targets[n] = found
        for h in found:
            for p, a in zip(h.params, n.args, strict=True):
                if isinstance(p.abstract, AbstractRef):
                    self._references.join(a, p)

    def origin(self, p: Node) -> Node:
        """The first parameter of the program that a reference may be."""
        return self._origins.get(self._references.of(p), p)

    def alike(self) -> Iterator[list[Param]]:
        """Parameters of the program to which one place refers: they must lie alike."""
        found: dict = {}
        for p in self._held:
            found.setdefault(self._references.of(p), []).append(p)
        yield from (group for group in found.values() if len(group) > 1)

    def whole_references(self) -> set[Param]:
        """Parameters of the program that must be whole."""
        taken = {self._references.of(p) for p in self.taken}
        return {p for p in self._held if self._references.of(p) in taken}


def _may_call(n: Apply) -> bool:
    return walk.is_called_switch(n) if n.fn is prim.switch else walk.is_call(n)


def _of_stack(g: Graph) -> bool:
    return "record" in g.flags or "pop" in g.flags


def pushed(n: Apply) -> tuple | None:
    """The types of the record that ``n`` pushes, the stack below it first; None if it does not."""
    is_push = n.fn is prim.partial and n.abstract is STACK
    return tuple([a.abstract for a in n.args[1:]]) if is_push else None


def popped(n: Apply) -> tuple | None:
    """The types of the record that ``n`` pops, the stack below it first; None if it does not."""
    is_pop = isinstance(n.fn, Node) and n.fn.abstract is STACK or stack.popped(n) is not None
    return n.abstract.items if is_pop else None


def _apart(calls: dict) -> set[Graph]:
    """Graphs that are values, those that share a switch with one, and what all these reach."""
    switches = [
        [walk.graph_of(a) for a in n.args[1:]] for g in calls for n in g if walk.is_called_switch(n)
    ]
    found: set[Graph] = set()
    work = [h for g in calls for n in (*g, g.ret) for h in _values(n)]
    while work:
        while work:
            g = work.pop()
            if g not in found and not _of_stack(g):
                found.add(g)
                work += calls[g]
        for pair in switches:
            if not found.isdisjoint(pair):
                work += [g for g in pair if g not in found]
    return found


def _values(n: Apply) -> list[Graph]:
    """The graphs that ``n`` has as values."""
    if walk.is_called_switch(n):
        return []
    return [a.value for a in n.args if isinstance(a, Constant) and isinstance(a.value, Graph)]


class Passing:
    """The slots of a program, for one round after the other.

    Attributes:
        callees: the graphs.
        changed: whether a slot has got a layout in this round.
    """

    def __init__(self, callees: Callees):
        self.callees, self.changed = callees, False
        self._params: dict[Graph, tuple] = {}
        self._results: dict[Graph, Slots] = {}
        self._records: dict[tuple, tuple] = {}

    def params(self, g: Graph) -> list:
        """The layouts of the parameters of a graph; of references, none."""
        slots = self._params_of(g)
        return [_layout(s, p.abstract) for s, p in zip(slots, g.params, strict=True)]

    def slot(self, p: Param) -> Slots:
        """The slots of a parameter."""
        return self._params_of(p.graph)[p.graph.params.index(p)]

    def result(self, g: Graph) -> Sharding | tuple:
        """The layout of the result of a graph."""
        return _layout(self._result_of(g), g.ret.abstract)

    def record(self, types: tuple) -> tuple:
        """The layouts of what a record holds, the stack below it first."""
        return tuple(map(_layout, self._record_of(types), types))

    def call(self, n: Apply, layouts: list) -> Sharding | tuple:
        """Take what a call passes. Returns the layout of its result."""
        g = self.callees.targets[n][0]
        for slots, a, layout in zip(self._params_of(g), n.args, layouts, strict=True):
            if isinstance(slots, Slot):
                slots.adds = slots.adds or is_zero(a) or self._adds(a)
            self._take(slots, layout)
        return self.result(g)

    def _adds(self, a: Node) -> bool:
        """Whether a value is a parameter that starts as zeros."""
        slots = self.slot(a) if isinstance(a, Param) and a.graph is not self.callees.root else None
        return isinstance(slots, Slot) and slots.adds

    def is_open(self, a: Node) -> bool:
        """Whether a value is a parameter that starts as zeros, of which no layout is known yet."""
        return self._adds(a) and self.slot(a).layout is None

    def returned(self, g: Graph, layout: Sharding | tuple) -> None:
        """Take what a graph returns, if it does not get it from a call."""
        if g.output not in self.callees.targets:
            self._take(self._result_of(g), layout, adds=True)

    def pushed(self, types: tuple, layouts: list) -> None:
        """Take what a record holds."""
        for slots, layout in zip(self._record_of(types), layouts, strict=True):
            self._take(slots, layout)

    def _take(self, slots: Slots, layout, adds: bool = False) -> None:
        if isinstance(slots, tuple):
            for s, part in zip(slots, layout, strict=True):
                self._take(s, part, adds)
        elif slots.layout is None and layout.axes:
            sums = (adds or slots.adds) and all(how == "sum" for _, how in layout.partial)
            kept = layout if sums else Sharding(layout.dims)
            if kept.axes:
                slots.layout, self.changed = kept, True

    def _params_of(self, g: Graph) -> tuple:
        g = self.callees._params.of(g)
        if g not in self._params:
            self._params[g] = tuple([_slots(p.abstract) for p in g.params])
        return self._params[g]

    def _result_of(self, g: Graph) -> Slots:
        g = self.callees._results.of(g)
        if g not in self._results:
            self._results[g] = _slots(g.ret.abstract)
        return self._results[g]

    def _record_of(self, types: tuple) -> tuple:
        if types in self.callees.locked:
            return tuple(map(_slots, types))  # of which nobody keeps a layout
        if types not in self._records:
            self._records[types] = tuple(map(_slots, types))
        return self._records[types]


def _slots(abstract) -> Slots:
    if isinstance(abstract, AbstractTuple):
        return tuple(map(_slots, abstract.items))
    return Slot()


def _layout(slots: Slots, abstract) -> Sharding | tuple:
    if isinstance(slots, tuple):
        return tuple([_layout(s, a) for s, a in zip(slots, abstract.items, strict=True)])
    return whole(abstract) if slots.layout is None else slots.layout


def is_zero(a: Node) -> bool:
    """Whether a value is known to be zeros."""
    while isinstance(a, Apply) and a.fn in (P.broadcast_to, P.reshape):
        a = a.args[0]
    if isinstance(a, Apply) and a.fn is P.full:
        a = a.args[1]
    if not isinstance(a, Constant):
        return False
    value = a.value.item() if isinstance(a.value, Tensor) and a.value.size == 1 else a.value
    return type(value) in (int, float) and value == 0


__all__ = ["Callees", "Passing", "Slot", "is_zero", "popped", "pushed", "whole"]
