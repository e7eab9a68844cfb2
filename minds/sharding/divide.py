"""The program of one device: each op on the device's part, and the moves between layouts.

Where the parts go is a `Target`: a graph (`partition`), or their sizes (`cost`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Protocol

from ..ir import prim, walk
from ..ir.abstract import AbstractRef, AbstractTensor, AbstractTuple
from ..ir.build import as_node
from ..ir.node import Apply, Constant, Graph, Node
from ..ops.define import ATTR, TENSORS, Op, P
from ..ops.sharding import Rule
from .callees import popped, pushed
from .choice import is_absent
from .layout import Sharding
from .propagate import MARKS, Shardings, divided, micro_layout, whole
from .redistribute import Move, moved, path


class Target(Protocol):
    """What takes the parts."""

    def constant(self, n: Constant):
        """A constant, which every device has."""

    def apply(self, n: Apply, args: list, local: Callable | None = None):
        """``n`` on other operands; attributes are in place. ``local`` gives for a rank what it computes
        instead.
        """

    def load(self, p: Node):
        """What a parameter holds."""

    def assign(self, p: Node, value) -> None:
        """Let a parameter hold a value."""

    def call(self, n: Apply, fn, args: list, condition=None):
        """``n``, which is no op but a call, or makes a function. What is called is ``fn``, a switch if there
        is a condition. Operands and results are whole.
        """

    def enter(self, n: Apply, graphs: list[Graph], condition, args: list):
        """``n``, a call of a graph that is divided; of one of two where there is a condition."""

    def push(self, n: Apply, values: list):
        """``n``, which pushes a record; the stack below it is the first of ``values``."""

    def pop(self, n: Apply, value, layouts: tuple) -> tuple:
        """``n``, which pops a record from a stack: the stack below it and values that lie so."""

    def reach(self, value, dtype, dim: int, axes: tuple, spans: Callable):
        """The elements of a dimension from and to where ``spans(part, parts)`` says; the device has its part
        of it, along ``axes``.
        """

    def move(self, value, move: Move, spec: AbstractTensor):
        """One move of a tensor; ``spec`` is a device's part of it behind the move."""


class Divided:
    """The walk over a graph."""

    def __init__(self, shardings: Shardings, target: Target, params: dict[Node, object]):
        self.shardings, self.target = shardings, target
        self.values: dict[tuple[Node, Sharding | tuple], object] = {}
        for p, value in params.items():
            self.values[p, shardings.of(p)] = value

    def run(self, graph: Graph):
        """The result of the graph, whole on every device."""
        for n in graph:
            self.values[n, self.shardings.of(n)] = self._apply(n)
        return self.get(graph.output, whole(graph.output.abstract))

    def returned(self, graph: Graph):
        """The result of a graph that is called, as all its calls get it."""
        for n in graph:
            self.values[n, self.shardings.of(n)] = self._apply(n)
        return self.get(graph.output, self.shardings.passing.result(graph))

    def get(self, n: Node, layout: Sharding | tuple):
        """A value as it is to lie; each layout of a value is made once."""
        found = self.values.get((n, layout))
        if found is None:
            found = self._moved(n, layout)
            self.values[n, layout] = found
        return found

    def _moved(self, n: Node, layout: Sharding | tuple):
        if isinstance(n, Constant):
            if isinstance(n.abstract, AbstractTuple):
                return tuple([self.get(as_node(v), part) for v, part in zip(n.value, layout)])
            return self._walk(self.target.constant(n), n.abstract, whole(n.abstract), layout)
        start = self.shardings.of(n)
        return self._walk(self.values[n, start], n.abstract, start, layout)

    def _walk(self, value, abstract, start, end):
        if start == end:
            return value
        if isinstance(abstract, AbstractTuple):
            parts = zip(value, abstract.items, start, end)
            return tuple([self._walk(*part) for part in parts])
        if not isinstance(abstract, AbstractTensor):
            return value
        shape, here = abstract.shape, start
        for move in path(self.shardings.mesh, shape, abstract.dtype.itemsize, start, end):
            here = moved(here, move)
            part = AbstractTensor(here.local(self.shardings.mesh, shape), abstract.dtype)
            value = self.target.move(value, move, part)
        return value

    def _apply(self, n: Apply):
        fn, shardings = n.fn, self.shardings
        if fn is prim.load:
            return self.target.load(n.args[0])
        if fn is prim.assign:
            value = self.get(n.args[1], shardings.of(n.args[0]))
            self.target.assign(n.args[0], value)
            return value
        if fn is prim.make_tuple:
            return tuple([self.get(a, shardings.of(a)) for a in n.args])
        if fn is prim.tuple_getitem:
            return self.get(n.args[0], shardings.of(n.args[0]))[n.args[1].value]
        if fn is P.placed or fn in MARKS:
            return self.get(n.args[0], shardings.of(n))
        if fn is P.micro_part or fn is P.micro_joined:
            return self.target.apply(n, [self._micro_operand(n), n.args[1].value])
        if not isinstance(fn, Op):
            return self._call(n)
        if n in shardings.sums:
            lies = shardings.sums[n]
            return self.target.apply(n, [self.get(a, lies) for a in n.args])
        if n not in shardings.rules:
            return self.target.apply(n, [self._whole(a, i, n) for i, a in enumerate(n.args)])
        return self._part(n)

    def _call(self, n: Apply):
        fn, passing = n.fn, self.shardings.passing
        callees = passing.callees
        if walk.is_called_switch(n):
            return None  # its calls choose
        choice = fn.args[0] if walk.is_called_switch(fn) else None
        condition = None if choice is None else self.get(choice, whole(choice.abstract))
        if n in callees.targets:
            graphs = callees.targets[n]
            lies = passing.params(graphs[0])
            return self.target.enter(n, graphs, condition, list(map(self._passed, n.args, lies)))
        types = pushed(n)
        if types is not None:
            return self.target.push(n, list(map(self.get, n.args[1:], passing.record(types))))
        types = popped(n)
        if types is not None:
            below = fn if isinstance(fn, Node) else n.args[0]
            lies = passing.record(types)
            return self.target.pop(n, self.get(below, whole(below.abstract)), lies)
        args = [self._whole(a, i, n) for i, a in enumerate(n.args)]
        if isinstance(fn, Node) and choice is None:
            fn = self.get(fn, whole(fn.abstract))
        return self.target.call(n, fn, args, condition)

    def _passed(self, a: Node, layout: Sharding | tuple):
        """What a call passes: a reference as it is."""
        is_held = isinstance(a.abstract, AbstractRef)
        return self.get(a, self.shardings.of(a) if is_held else layout)

    def _micro_operand(self, n: Apply):
        """What `micro_part` and `micro_joined` take: whole along dimension 1, of micro-batches."""
        layout = self.shardings.of(n.args[0])
        if n.fn is P.micro_part:
            layout = micro_layout(micro_layout(layout, False), True)
        return self.get(n.args[0], layout)

    def _whole(self, a: Node, i: int, n: Apply):
        if isinstance(n.fn, Op) and n.fn.kinds[i] == ATTR:
            return a.value
        return self.get(a, whole(getattr(a.abstract, "value", a.abstract)))

    def _part(self, n: Apply):
        rule, axes = self.shardings.rules[n]
        operands, args = iter(rule.operands), []
        for name, kind, a in zip(n.fn.names, n.fn.kinds, n.args):
            if kind == ATTR:
                letters = rule.attrs.get(name)
                args.append(a.value if letters is None else self._shape(a.value, letters, axes))
            elif kind == TENSORS:
                wanted = tuple([divided(next(operands), axes) for _ in a.abstract.items])
                args.append(self.get(a, wanted))
            elif is_absent(a):
                args.append(None)
            else:
                args.append(self.get(a, divided(next(operands), axes)))
        if not rule.reaches.keys().isdisjoint(axes):
            return self.target.apply(n, self._reached(n, args), self._computed(rule, axes))
        return self.target.apply(n, args, self._local(rule, axes))

    def _reached(self, n: Apply, args: list) -> list:
        """The operands with what a part takes of its neighbours'."""
        rule, axes = self.shardings.rules[n]
        places = [i for i, k in enumerate(n.fn.kinds) if k != ATTR and not is_absent(n.args[i])]
        for letter, reaches in rule.reaches.items():
            for k, dim, spans in reaches if letter in axes else ():
                i = places[k]
                args[i] = self.target.reach(args[i], n.args[i].dtype, dim, axes[letter], spans)
        return args

    def _computed(self, rule: Rule, axes: dict):
        """For each rank what computes its part where it takes something of its neighbours'."""
        mesh = self.shardings.mesh
        letters = [c for c in rule.reaches if c in axes]

        def of(rank: int):
            places = {c: mesh.place_along(rank, axes[c]) for c in letters}
            return functools.partial(rule.compute, places=places)

        return of

    def _local(self, rule: Rule, axes: dict):
        """For each rank what computes its part, where that is not the op."""
        letter = next((c for c in rule.local if axes.get(c)), None)
        if letter is None:
            return None
        mesh = self.shardings.mesh

        def of(rank: int):
            at, parts = mesh.place_along(rank, axes[letter])
            return functools.partial(rule.local[letter], part=at, parts=parts)

        return of

    def _shape(self, shape: tuple, letters: tuple, axes: dict) -> tuple:
        """An attribute that is a shape, for a part."""
        return divided(letters, axes).local(self.shardings.mesh, shape)


__all__ = ["Divided", "Target"]
