"""Layouts of arguments, weights and states that make a step fast: what the user does not say is searched.

Weights that differ only in the numbers in their names, as those of equal layers do, lie alike: one choice
for all of them. The states of optimisers lie as their weights, and are divided further along one axis or
not. Few combinations are all tried; else each choice is improved in turn, from every layout that has a
name (data parallel, tensor parallel, sharded states), until none improves. By `cost`, the result is never
worse than any of these.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator

from ..base.options import SearchLimits
from ..ir import prim
from ..ir.abstract import AbstractTensor
from ..ir.clone import copy_program
from ..ir.node import Graph, Param
from .callees import Callees
from .cluster import Cluster
from .cost import PRODUCTS, StepCost, step_cost
from .layout import Mesh, Sharding
from .propagate import Shardings, propagate, shape_of
from .states import further, states_of

ALL = 300
"""How many combinations are all tried."""
ROUNDS = 3
"""How often each choice is reconsidered."""

Layouts = dict[Param, Sharding]


class Search:
    """The layouts that are tried for one program on one mesh.

    Attributes:
        tried (int): for how many the cost was computed.
    """

    def __init__(
        self,
        graph: Graph,
        mesh: Mesh,
        cluster: Cluster,
        given: Layouts,
        limits: SearchLimits | None = None,
    ):
        self.limits = limits or SearchLimits()
        self.graph, self.mesh, self.cluster, self.given = graph, mesh, cluster, given
        self.tried, self.applied = 0, {}
        self.known: dict[tuple, float] = {}
        weights = _weights(graph)
        self.groups = _groups(graph, weights, given)
        self.states = {s: w for s, w in states_of(graph, weights).items() if s not in given}
        self.options = [self._allowed(group[0]) for group in self.groups]
        if self.states:
            self.options.append(["", *mesh.names])

    def run(self, most: int = 1 << 30) -> Layouts:
        """The best layouts that were found, by the costs of about ``most``."""
        starts = list({tuple(s): None for s in self._starts()})
        if most <= 1:
            return self._layouts(self._usual()[0])
        if len(starts) > most:
            return self._layouts(min(self._usual()[:most], key=self._time))
        if math.prod(map(len, self.options)) <= ALL:
            return self._layouts(min(itertools.product(*self.options), key=self._time))
        best, least = None, math.inf
        for start in sorted(starts, key=self._time)[:2]:
            found, time = self._improved(list(start), most)
            if time < least:
                best, least = found, time
        return self._layouts(best)

    def cost(self, layouts: Layouts) -> StepCost:
        """What a step costs with these layouts."""
        return step_cost(*self._tried(layouts), self.cluster)

    def _tried(self, layouts: Layouts) -> tuple[Graph, Shardings]:
        """The program, and how all values would lie: a copy where ops are then replaced by what they are made
        of, so that this costs nothing with other layouts.
        """
        given = {**self.given, **layouts}
        found = propagate(self.graph, self.mesh, given, self.applied, as_it_is=True)
        if found is not None:
            return self.graph, found
        graph = copy_program(self.graph)
        copied = dict(zip(self.graph.params, graph.params, strict=True))
        return graph, propagate(graph, self.mesh, {copied[p]: s for p, s in given.items()})

    def shardings(self, layouts: Layouts) -> Shardings:
        """How all values lie then."""
        return propagate(self.graph, self.mesh, {**self.given, **layouts}, self.applied)

    def _improved(self, choice: list, most: int) -> tuple[list, float]:
        least = self._time(choice)
        for _ in range(ROUNDS):
            before = least
            for i, mine in enumerate(self.options):
                for option in mine if self.tried < most else ():
                    other = [*choice[:i], option, *choice[i + 1 :]]
                    time = self._time(other)
                    if time < least:
                        choice, least = other, time
            if least == before:
                break
        return choice, least

    def _time(self, choice) -> float:
        """Seconds of a step; what does not fit into memory is worse, the more so the larger it is, and so is
        what leaves devices without work, where they are all to take part.
        """
        key = tuple(choice)
        if key not in self.known:
            self.tried += 1
            graph, shardings = self._tried(self._layouts(choice))
            found = step_cost(graph, shardings, self.cluster)
            over = found.memory / self.cluster.memory
            self.known[key] = found.time if over <= 1 else 1e6 * over
            if self.limits.fully_use_devices:
                self.known[key] += 1e3 * self._idle(graph, shardings)
        return self.known[key]

    def _idle(self, graph: Graph, shardings: Shardings) -> int:
        """How many products some axis of the mesh does not divide."""
        rules = [(n, shardings.rules.get(n)) for n in graph if _name(n) in PRODUCTS]
        used = [
            set() if r is None else {a for axes in r[1].values() for a in axes} for _, r in rules
        ]
        return sum(len(axes) < len(self.mesh.names) for axes in used)

    def _allowed(self, p: Param) -> list[Sharding]:
        """The layouts of a parameter that are tried."""
        shape, limits = shape_of(p), self.limits
        found = _options(self.mesh, shape)
        if limits.tensor_slice_align_enable and not isinstance(p.abstract, AbstractTensor):
            size = limits.tensor_slice_align_size
            last = [(s, s.local(self.mesh, shape)[-1:]) for s in found]
            found = [s for s, n in last if not s.dims[-1:] or not s.dims[-1] or n[0] % size == 0]
        if limits.enable_algo_approxi:
            found = found[: max(1, round(1 / limits.algo_approxi_epsilon))]
        return found

    def _layouts(self, choice) -> Layouts:
        found = {p: s for group, s in zip(self.groups, choice) for p in group}
        for state, weight in self.states.items():
            lies = (
                found.get(weight) or self.given.get(weight) or Sharding.whole(len(shape_of(weight)))
            )
            found[state] = further(self.mesh, shape_of(state), lies, choice[-1])
        return found

    def _usual(self) -> list[tuple]:
        """The layouts that large networks are trained with: samples along the first axis, weights along the
        last one or whole, states along the first too.
        """
        names = self.mesh.names
        if len(names) == 1:
            return [self._start(names, (), 0, names[0]), self._start(names, names, 0, names[0])]
        first = (
            (names[:1], names[-1:], 0),
            (names[:1], (), 0),
            (names, (), 0),
            (names[:1], names[-1:], -1),
        )
        return [self._start(*kind, names[0]) for kind in first]

    def _start(self, batch: tuple, axes: tuple, dim: int, states: str | None) -> tuple:
        found = [
            _named(group[0], mine, batch, axes, dim)
            for group, mine in zip(self.groups, self.options)
        ]
        return (*found, states) if self.states else tuple(found)

    def _starts(self) -> Iterator[tuple]:
        """The layouts that have names, on each axis and on all."""
        names = self.mesh.names
        for batch in (*[(a,) for a in names], names):
            for axes, dim in ((), 0), *itertools.product([(a,) for a in names], (0, 1, -1)):
                for states in ("", *names) if self.states else (None,):
                    yield self._start(batch, axes, dim, states)


def _name(n) -> str:
    return getattr(n.fn, "name", "")


def _named(p: Param, options: list, batch: tuple, weights: tuple, dim: int) -> Sharding:
    """An argument by samples, a weight along a dimension, where that is possible."""
    rank = len(shape_of(p))
    axes, at = (batch, 0) if isinstance(p.abstract, AbstractTensor) else (weights, dim % rank)
    wanted = Sharding(tuple([axes if d == at else () for d in range(rank)]))
    return wanted if wanted in options else options[0]


def _options(mesh: Mesh, shape: tuple) -> list[Sharding]:
    """Every layout of a shape whose dimensions divide."""
    found = []
    for places in itertools.product(range(-1, len(shape)), repeat=len(mesh.names)):
        dims = tuple(
            [tuple([a for a, d in zip(mesh.names, places) if d == e]) for e in range(len(shape))]
        )
        s = Sharding(dims)
        if all(n % s.parts(mesh, d) == 0 for d, n in enumerate(shape)):
            found.append(s)
    return found


def _groups(graph: Graph, weights: set[Param], given: Layouts) -> list[list[Param]]:
    """What is chosen together: arguments each by itself, and weights of equal layers."""
    found: dict[tuple, list[Param]] = {}
    for p in graph.params:
        if p in given:
            continue
        if isinstance(p.abstract, AbstractTensor) and p.abstract.shape:
            found[p.name, p.abstract.shape] = [p]
        elif p in weights:
            found.setdefault((re.sub(r"\d+", "#", p.name), shape_of(p)), []).append(p)
    return list(found.values())


def _weights(graph: Graph) -> set[Param]:
    """The parameters that products and lookups take, as they are or turned, in what the program calls too."""
    callees, found = Callees(graph), set()
    for p in graph.params:
        seen: set = set()
        stack = [n for n in p.uses if n.fn is prim.load]
        while stack:
            v = stack.pop()
            for m in v.uses:
                name = getattr(m.fn, "name", "")
                if name in _TAKING:
                    found.add(p)
                elif name == "transpose" or getattr(m.fn, "kernel", "") == "view":
                    stack.append(m)
                for g in callees.targets.get(m, ()):
                    inside = [q for q, a in zip(g.params, m.args) if a is v and q not in seen]
                    seen.update(inside)
                    stack += inside
    return found


_TAKING = {"matmul", "conv2d", "gather"}


__all__ = ["Search"]
