"""From one layout to another by the cheapest sequence of moves: a shortest path over layouts.

The moves are the collectives along one axis of the mesh, and the cut, by which a device keeps its
part of what it has. The search is Dijkstra's, with the bytes that a device receives (and a constant
for each collective) as lengths, so its result is the best there is in these moves. Axes that stand next to
each other in both layouts are moved together, as one axis.
"""

from __future__ import annotations

import functools
import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from .layout import Mesh, Sharding

LATENCY = 4096
"""What starting a collective costs, in bytes that could have been received meanwhile."""


@dataclass(frozen=True)
class Move:
    """One step.

    Attributes:
        kind: ``cut``, ``all_gather``, ``all_to_all``, ``all_reduce``, ``reduce_scatter``, or ``term``, by
            which the first device keeps the value and the others have zeros.
        axes: along which axes of the mesh, the major one first.
        dim: the dimension that is divided less (all_gather, all_to_all).
        to: the dimension that is divided more (cut, all_to_all, reduce_scatter).
        how: the reduction.
    """

    kind: str
    axes: tuple[str, ...]
    dim: int = -1
    to: int = -1
    how: str = ""


@functools.lru_cache(maxsize=65536)
def path(mesh: Mesh, shape: tuple, itemsize: int, start: Sharding, end: Sharding) -> tuple:
    """The moves that lead from ``start`` to ``end`` for a tensor of ``shape``, the cheapest first
    found among equals.

    Raises:
        ValueError: ``end`` holds terms of another reduction than a sum where ``start`` does not.
    """
    groups = _together(mesh, start, end)
    if any(len(axes) > 1 for axes in groups):
        joined = {axes[0]: axes for axes in groups}
        few = Mesh(tuple(joined), tuple([mesh.parts(axes) for axes in groups]))
        found = path(few, shape, itemsize, _kept(start, joined), _kept(end, joined))
        return tuple([replace(m, axes=joined[m.axes[0]]) for m in found])
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


def _together(mesh: Mesh, start: Sharding, end: Sharding) -> list[tuple[str, ...]]:
    """The axes of a mesh, those together that are next to each other wherever they are."""
    places: dict[str, list] = {a: [] for a in mesh.names}
    for s in (start, end):
        for d, axes in enumerate(s.dims):
            for at, a in enumerate(axes):
                places[a].append((d, at))
        for a, how in s.partial:
            places[a].append((how, 0))
        for a in mesh.names:
            if a not in s.axes:
                places[a].append(None)
    found: list[tuple[str, ...]] = []
    for a in sorted(mesh.names, key=lambda a: [str(p) for p in places[a]]):
        if found and all(map(_follows, places[found[-1][-1]], places[a])):
            found[-1] = (*found[-1], a)
        else:
            found.append((a,))
    return found


def _follows(one, other) -> bool:
    if one is None or other is None or isinstance(one[0], str) or isinstance(other[0], str):
        return one == other
    return one[0] == other[0] and one[1] + 1 == other[1]


def _kept(s: Sharding, joined: dict) -> Sharding:
    """A layout with the first axes of groups alone."""
    dims = tuple([tuple([a for a in axes if a in joined]) for axes in s.dims])
    return Sharding(dims, tuple([(a, how) for a, how in s.partial if a in joined]))


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
        dims[move.dim] = dims[move.dim][: -len(move.axes)]
    if move.kind in ("cut", "all_to_all", "reduce_scatter"):
        dims[move.to] = (*dims[move.to], *move.axes)
    if move.kind in ("all_reduce", "reduce_scatter"):
        partial = tuple([p for p in partial if p[0] not in move.axes])
    if move.kind == "term":
        partial = (*partial, *[(a, "sum") for a in move.axes])
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
        yield from _with(s, Move("all_reduce", (axis,), how=how))
        for d in range(len(s.dims)):
            if axis in wanted and takes(d, axis):
                yield from _with(s, Move("reduce_scatter", (axis,), to=d, how=how))
    for d, axes in enumerate(s.dims):
        if axes:
            yield from _with(s, Move("all_gather", axes[-1:], dim=d))
            for e in range(len(s.dims)):
                if e != d and takes(e, axes[-1]):
                    yield from _with(s, Move("all_to_all", axes[-1:], dim=d, to=e))
    for axis in mesh.names:
        if axis not in s.axes and (axis, "sum") in end.partial:
            yield from _with(s, Move("term", (axis,)))
        if axis in wanted and axis not in s.axes:
            for d in range(len(s.dims)):
                if takes(d, axis):
                    yield from _with(s, Move("cut", (axis,), to=d))


def _with(s: Sharding, move: Move) -> Iterator[tuple]:
    yield move, moved(s, move)


def _cost(mesh: Mesh, shape: tuple, itemsize: int, here: Sharding, there: Sharding, move) -> int:
    """Bytes that a device receives, as rings and pairwise exchanges do it."""
    if move.kind in ("cut", "term"):
        return 1  # no bytes travel, but it is not for nothing
    n = mesh.parts(move.axes)
    size = itemsize * math.prod(
        max(here.local(mesh, shape), there.local(mesh, shape), key=math.prod)
    )
    share = size * (n - 1) // n
    return LATENCY + {"all_reduce": 2 * share, "all_to_all": share}.get(move.kind, share)


__all__ = ["LATENCY", "Move", "cost", "moved", "path"]
