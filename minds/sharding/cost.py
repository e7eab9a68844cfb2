"""What a step costs on a cluster, from how its values lie: time, traffic and memory of a device.

The program is walked as a device runs it (`divide`), with shapes in place of values. An op takes as long
as its arithmetic or its memory traffic, whichever is longer (the roofline model); a collective as long as a
ring takes for it on the slowest link that it crosses. Nothing overlaps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from ..ir.abstract import AbstractRef, AbstractTensor, AbstractTuple
from ..ir.node import Apply, Constant, Graph, Node
from .cluster import Cluster
from .divide import Divided
from .propagate import Shardings, shape_of
from .redistribute import Move
from .stages import in_each, micro_count
from .trips import counted

PRODUCTS = {"matmul", "conv2d", "conv2d_dx", "conv2d_dw", "attention", "attention_dx"}


@dataclass
class StepCost:
    """What one device does in a step.

    Attributes:
        compute, communication: seconds.
        flops: of products, per device.
        traffic: bytes received along each axis of the mesh, or along several together.
        held: bytes of parameters and states.
        temporary: bytes of what lives at the worst moment besides.
        worst: the application at which that is.
    """

    compute: float = 0.0
    communication: float = 0.0
    flops: float = 0.0
    traffic: dict[str, int] = field(default_factory=dict)
    held: int = 0
    temporary: int = 0
    worst: Apply | None = None

    def add(self, other: StepCost, times: int) -> None:
        """Do besides, so often, what another one is the cost of."""
        self.compute += times * other.compute
        self.communication += times * other.communication
        self.flops += times * other.flops
        for along, size in other.traffic.items():
            self.traffic[along] = self.traffic.get(along, 0) + times * size

    @property
    def time(self) -> float:
        """Seconds of a step."""
        return self.compute + self.communication

    @property
    def memory(self) -> int:
        """Bytes at the worst moment."""
        return self.held + self.temporary


def step_cost(graph: Graph, shardings: Shardings, cluster: Cluster) -> StepCost:
    """What a step of a program costs.

    Args:
        graph (Graph): the program behind J.
        shardings (Shardings): how its values lie.
        cluster (Cluster): the machines.

    Returns:
        StepCost: of each device; they all do the same.
    """
    found, _ = spent(graph, shardings, cluster)
    target = _Shapes(shardings, cluster)
    for p in graph.params:
        if isinstance(p.abstract, AbstractRef):
            found.held += _size(target.of(p), p.abstract.value.dtype)
    _lifetimes(graph, shardings, found)
    return found


def spent(graph: Graph, shardings: Shardings, cluster: Cluster) -> tuple:
    """The time and traffic of a step, and for each application how long a device computes, and how long it
    sends and receives before that (for a micro-batch, where it is done for each of them).

    Args:
        graph (Graph): the program behind J.
        shardings (Shardings): how its values lie.
        cluster (Cluster): the machines.

    Returns:
        tuple: a `StepCost`, which knows of no memory yet, and a dict of pairs of seconds.
    """
    target = _Shapes(shardings, cluster)
    walk = _Timed(shardings, target, {p: target.of(p) for p in graph.params})
    walk.run(graph)
    return target.cost, walk.times


class _Timed(Divided):
    """The walk over a graph that notes what each application takes."""

    def __init__(self, shardings: Shardings, target: _Shapes, params: dict):
        super().__init__(shardings, target, params)
        self.times: dict[Apply, tuple[float, float]] = {}
        self.each, self.micros = {}, 1

    def run(self, graph: Graph):
        self.each, self.micros = in_each(graph), max(micro_count(graph), 1)
        return super().run(graph)

    def _apply(self, n: Apply):
        cost = self.target.cost
        compute, communication = cost.compute, cost.communication
        self.target.times = self.micros if n in self.each else 1
        found = super()._apply(n)
        each = 1 / self.target.times
        self.times[n] = (cost.compute - compute) * each, (cost.communication - communication) * each
        return found


class _Shapes:
    """The `divide.Target` of local shapes."""

    def __init__(self, shardings: Shardings, cluster: Cluster):
        self.shardings, self.mesh, self.cluster = shardings, shardings.mesh, cluster
        self.cost = StepCost()
        self.times = 1  # how often what comes next is done
        self.callees: dict[Graph, StepCost] = {}  # of one call
        self.trips: dict[str, int] = {}  # of loops, by their names behind the sign of ▶ or ◀

    def of(self, p: Node) -> tuple:
        """The local shape of a parameter."""
        if not hasattr(getattr(p.abstract, "value", p.abstract), "shape"):
            return ()
        return self.shardings.of(p).local(self.mesh, shape_of(p))

    def constant(self, n: Constant) -> tuple:
        return getattr(n.abstract, "shape", None) or ()

    def load(self, p: Node) -> tuple:
        return self.of(p)

    def assign(self, p: Node, value: tuple) -> None:
        pass

    def apply(self, n: Apply, args: list, local: Callable | None = None):
        results = _results(n, self.shardings, self.mesh)
        self._run(n, args, results)
        return results if isinstance(n.abstract, AbstractTuple) else results[0]

    def _run(self, n: Apply, args: list, results: tuple) -> None:
        if getattr(n.fn, "kernel", "") == "view":
            return
        outs = n.abstract.items if isinstance(n.abstract, AbstractTuple) else (n.abstract,)
        bytes_ = sum(_size(s, getattr(a, "dtype", None)) for s, a in zip(results, outs))
        for a, value in zip(n.args, args):
            if isinstance(a.abstract, AbstractTensor) and isinstance(value, tuple):
                bytes_ += _size(value, a.abstract.dtype)
        seconds = bytes_ / self.cluster.bandwidth
        if n.fn.name in PRODUCTS:
            flops = _flops(n, args, results)
            self.cost.flops += flops * self.times
            seconds = max(seconds, flops / self.cluster.flops)
        self.cost.compute += seconds * self.times

    def call(self, n: Apply, fn, args: list, condition=None):
        return _shapes(n.abstract)

    def enter(self, n: Apply, graphs: list[Graph], condition, args: list):
        trips = counted(self.shardings.callees, n)
        if trips is not None:
            self.trips[graphs[0].name[1:]] = trips
        elif condition is None:  # back as often as there
            trips = self.trips.get(graphs[0].name[1:])
        for g in graphs:
            if g not in self.callees:
                self.callees[g] = StepCost()  # a loop is gone through once
                self.callees[g] = self._inside(g, 1 if trips is None else trips)
            self.cost.add(self.callees[g], self.times)
        return self.parts(self.shardings.of(n), n.abstract)

    def _inside(self, g: Graph, trips: int) -> StepCost:
        """What a graph costs that loops so often."""
        inside = _Shapes(self.shardings, self.cluster)
        inside.callees, inside.trips, inside.times = self.callees, self.trips, trips
        given = {p: inside.parts(self.shardings.of(p), p.abstract) for p in g.params}
        Divided(self.shardings, inside, given).returned(g)
        return inside.cost

    def push(self, n: Apply, values: list) -> tuple:
        return ()

    def pop(self, n: Apply, value, layouts: tuple) -> tuple:
        return self.parts(layouts, n.abstract)

    def parts(self, layout, abstract):
        """The local shapes of a value."""
        if isinstance(abstract, AbstractTuple):
            return tuple(map(self.parts, layout, abstract.items))
        shape = getattr(getattr(abstract, "value", abstract), "shape", None)
        return layout.local(self.mesh, shape) if shape else ()

    def reach(self, value: tuple, dtype, dim: int, axes: tuple, spans: Callable) -> tuple:
        parts = self.mesh.parts(axes)
        begin, end = spans(parts // 2, parts)  # of one with two neighbours, where there is one
        after = (*value[:dim], end - begin, *value[dim + 1 :])
        size, link = _size(after, dtype) - _size(value, dtype), self.cluster.link(self.mesh, *axes)
        if size > 0:
            self._sent(axes, size, size / link.bandwidth + link.latency)
        return after

    def _sent(self, axes: tuple, size: int, seconds: float) -> None:
        self.cost.communication += self.times * seconds
        along = " ".join(axes)
        self.cost.traffic[along] = self.cost.traffic.get(along, 0) + self.times * size

    def move(self, value: tuple, move: Move, spec: AbstractTensor) -> tuple:
        after = spec.shape
        if move.kind not in ("cut", "term"):
            n = self.mesh.parts(move.axes)
            size = max(_size(value, spec.dtype), _size(after, spec.dtype)) * (n - 1) // n
            size *= 2 if move.kind == "all_reduce" else 1
            link = self.cluster.link(self.mesh, *move.axes)
            rounds = 2 * (n - 1) if move.kind == "all_reduce" else n - 1
            self._sent(move.axes, size, size / link.bandwidth + rounds * link.latency)
        return after


def _shapes(abstract):
    """The shapes of a value that every device has."""
    if isinstance(abstract, AbstractTuple):
        return tuple(map(_shapes, abstract.items))
    return getattr(abstract, "shape", None) or ()


def _results(n: Apply, shardings: Shardings, mesh) -> tuple:
    layouts = shardings.of(n)
    if not isinstance(n.abstract, AbstractTuple):
        layouts, outs = (layouts,), (n.abstract,)
    else:
        outs = n.abstract.items
    return tuple(
        [s.local(mesh, a.shape) if hasattr(a, "shape") else () for s, a in zip(layouts, outs)]
    )


def _flops(n: Apply, args: list, results: tuple) -> float:
    """Multiplications and additions of a product."""
    name = n.fn.name
    if name == "matmul":
        inner = args[0][-2] if n.args[2].value else args[0][-1]
        return 2.0 * math.prod(results[0]) * inner
    if name.startswith("conv2d"):
        # Every element of the output meets every element of a filter.
        w = {"conv2d": args[1], "conv2d_dx": args[1], "conv2d_dw": results[0]}[name]
        out = {"conv2d": results[0], "conv2d_dx": args[0], "conv2d_dw": args[1]}[name]
        return 2.0 * math.prod(out) * math.prod(w[1:])
    length, passes = args[1 if name == "attention" else 2][-2], 4.0 if name == "attention" else 10.0
    return passes * math.prod(args[0]) * length


def _size(shape: tuple, dtype) -> int:
    return math.prod(shape) * (dtype.itemsize if dtype is not None else 0)


def _lifetimes(graph: Graph, shardings: Shardings, found: StepCost) -> None:
    """The most that lives at once, of what applications make."""
    alive = alive_at_worst(graph, shardings)
    found.temporary = sum(alive.values())
    found.worst = next(reversed(alive), None)


def alive_at_worst(graph: Graph, shardings: Shardings) -> dict[Apply, int]:
    """The bytes of what lives when most does, of what applications make, in program order.

    Args:
        graph (Graph): the program behind J.
        shardings (Shardings): how its values lie.

    Returns:
        dict[Apply, int]: for each application what a device holds of its results.
    """
    place = {n: i for i, n in enumerate(graph)}
    lives: dict[Apply, tuple[int, int, int]] = {}
    ends: dict[int, list[int]] = {}
    live = worst = at = 0
    for n, i in place.items():
        size = 0
        if getattr(n.fn, "kernel", None) not in (None, "view"):
            outs = n.abstract.items if isinstance(n.abstract, AbstractTuple) else (n.abstract,)
            shapes = _results(n, shardings, shardings.mesh)
            size = sum(_size(s, getattr(a, "dtype", None)) for s, a in zip(shapes, outs))
        live += size
        if live > worst:
            worst, at = live, i
        last = max([place.get(m, len(place)) for m in _readers(n)], default=i)
        lives[n] = i, last, size
        ends.setdefault(last, []).append(size)
        live -= sum(ends.pop(i, []))
    return {n: size for n, (i, last, size) in lives.items() if i <= at <= last and size}


def _readers(n: Apply) -> list[Apply]:
    """What reads a value, through what only shows it."""
    readers, stack = [], [n]
    while stack:
        for m in stack.pop().uses:
            readers.append(m)
            if (
                getattr(m.fn, "kernel", "") == "view"
                or getattr(m.fn, "name", "") == "tuple_getitem"
            ):
                stack.append(m)
    return readers


__all__ = ["PRODUCTS", "StepCost", "alive_at_worst", "spent", "step_cost"]
