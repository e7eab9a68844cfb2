"""From one layout to another by the cheapest sequence of moves: a shortest path over layouts.

The moves are the collectives along one axis of the mesh, and the cut, by which a device keeps its
part of what it has. The search is Dijkstra's, with the bytes that a device receives (and a constant
for each collective) as lengths, so its result is the best there is in these moves.
"""

from __future__ import annotations

import functools
import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass

from .layout import Mesh, Sharding

LATENCY = 4096
"""What starting a collective costs, in bytes that could have been received meanwhile."""


@dataclass(frozen=True)
class Move:
    """One step.

    Attributes:
        kind: ``cut``, ``all_gather``, ``all_to_all``, ``all_reduce`` or ``reduce_scatter``.
        axis: along which axis of the mesh.
        dim: the dimension that is divided less (all_gather, all_to_all).
        to: the dimension that is divided more (cut, all_to_all, reduce_scatter).
        how: the reduction.
    """

    kind: str
    axis: str
    dim: int = -1
    to: int = -1
    how: str = ""


@functools.lru_cache(maxsize=65536)
def path(mesh: Mesh, shape: tuple, itemsize: int, start: Sharding, end: Sharding) -> tuple:
    """The moves that lead from ``start`` to ``end`` for a tensor of ``shape``, the cheapest first
    found among equals.

    Raises:
        ValueError: ``end`` holds terms where ``start`` does not.
    """
    best, queue, count = {start: 0}, [(0, 0, start, ())], 0
    while queue:
        cost, _, here, moves = heapq.heappop(queue)
        if here == end:
            return moves
        if cost > best[here]:
            continue
        for move, there in _moves(mesh, shape, here, end):
            more = cost + _cost(mesh, shape, itemsize, here, there, move)
            if more < best.get(there, math.inf):
                best[there] = more
                count += 1
                heapq.heappush(queue, (more, count, there, (*moves, move)))
    raise ValueError(f"no moves lead from {start} to {end}")


def cost(mesh: Mesh, shape: tuple, itemsize: int, start: Sharding, end: Sharding) -> int:
    """What `path` costs, in bytes received by a device."""
    total, here = 0, start
    for move in path(mesh, shape, itemsize, start, end):
        there = moved(here, move)
        total += _cost(mesh, shape, itemsize, here, there, move)
        here = there
    return total


def moved(s: Sharding, move: Move) -> Sharding:
    """The layout behind a move."""
    dims, partial = list(s.dims), s.partial
    if move.kind in ("all_gather", "all_to_all"):
        dims[move.dim] = dims[move.dim][:-1]
    if move.kind in ("cut", "all_to_all", "reduce_scatter"):
        dims[move.to] = (*dims[move.to], move.axis)
    if move.kind in ("all_reduce", "reduce_scatter"):
        partial = tuple([p for p in partial if p[0] != move.axis])
    return Sharding(tuple(dims), partial)


def _moves(mesh: Mesh, shape: tuple, s: Sharding, end: Sharding) -> Iterator[tuple]:
    """(move, layout behind it). Only the minor axis of a dimension can be gathered, and only along axes
    that ``end`` knows is anything cut.
    """

    def takes(d: int, axis: str) -> bool:
        return shape[d] % (s.parts(mesh, d) * mesh.length(axis)) == 0

    wanted = set(end.axes)
    for axis, how in s.partial:
        if (axis, how) in end.partial:
            continue
        yield from _with(s, Move("all_reduce", axis, how=how))
        for d in range(len(s.dims)):
            if axis in wanted and takes(d, axis):
                yield from _with(s, Move("reduce_scatter", axis, to=d, how=how))
    for d, axes in enumerate(s.dims):
        if axes:
            yield from _with(s, Move("all_gather", axes[-1], dim=d))
            for e in range(len(s.dims)):
                if e != d and takes(e, axes[-1]):
                    yield from _with(s, Move("all_to_all", axes[-1], dim=d, to=e))
    for axis in mesh.names:
        if axis in wanted and axis not in s.axes:
            for d in range(len(s.dims)):
                if takes(d, axis):
                    yield from _with(s, Move("cut", axis, to=d))


def _with(s: Sharding, move: Move) -> Iterator[tuple]:
    yield move, moved(s, move)


def _cost(mesh: Mesh, shape: tuple, itemsize: int, here: Sharding, there: Sharding, move) -> int:
    """Bytes that a device receives, as rings and pairwise exchanges do it."""
    if move.kind == "cut":
        return 1  # no bytes travel, but it is not for nothing
    n = mesh.length(move.axis)
    size = itemsize * math.prod(
        max(here.local(mesh, shape), there.local(mesh, shape), key=math.prod)
    )
    share = size * (n - 1) // n
    return LATENCY + {"all_reduce": 2 * share, "all_to_all": share}.get(move.kind, share)


__all__ = ["LATENCY", "Move", "cost", "moved", "path"]
