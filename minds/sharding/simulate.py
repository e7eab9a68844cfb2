"""A step of a cluster as events: what each group of devices does when, and how long it waits.

Without a pipeline a device does one thing after the other. With one, each group follows its order of passes
(`schedule`); a pass begins when the group is free and what it takes has come from the other groups.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..ir.abstract import AbstractTensor
from ..ir.node import Apply, Graph
from .cluster import Cluster, Link
from .propagate import Shardings
from .schedule import BACKWARD, FORWARD, WEIGHTS
from .stages import REST, Pass, StageMap, taken

COMPUTE, SEND = "compute", "communication"


@dataclass(frozen=True)
class Span:
    """What a group of devices does for a while.

    Attributes:
        group: which one.
        what: ``forward``, ``backward``, ``weights``, ``rest``; in a pipeline with stage and micro-batch.
        kind: ``compute`` or ``communication``; a pass of a pipeline, which has both, is ``compute``.
        start, end: seconds.
    """

    group: int
    what: str
    kind: str
    start: float
    end: float


def one_by_one(graph: Graph, times: dict) -> list[Span]:
    """The step of a device without a pipeline; what follows one another and is alike is one span."""
    found, now = [], 0.0
    for n in graph:
        compute, sent = times.get(n, (0.0, 0.0))
        loc = n.loc
        what = "backward" if loc is not None and loc.backward else "forward"
        for kind, seconds in ((SEND, sent), (COMPUTE, compute)):
            if seconds > 0:
                last = found[-1] if found else None
                if last is not None and (last.what, last.kind) == (what, kind):
                    found[-1] = Span(0, what, kind, last.start, now + seconds)
                else:
                    found.append(Span(0, what, kind, now, now + seconds))
                now += seconds
    return found


_NAMES = {FORWARD: "forward", BACKWARD: "backward", WEIGHTS: "weights", REST: "rest"}


class Simulation:
    """The passes of a pipeline in time.

    Attributes:
        spans: of all groups.
        traffic: bytes that the busiest group sends to others.
    """

    def __init__(
        self, graph: Graph, stages: StageMap, shardings: Shardings, times: dict, link: Link
    ):
        self.stages, self.shardings, self.link = stages, shardings, link
        self.work: dict[Pass, float] = {}
        self.after: dict[Pass, dict[Pass, int]] = {}
        for n in graph:
            at = stages.where.get(n)
            if at is None:
                continue
            self.work[at] = self.work.get(at, 0.0) + sum(times.get(n, (0.0,)))
            for a in taken(n):
                before = stages.where.get(a)
                if before is not None and before != at:
                    needs = self.after.setdefault(at, {})
                    needs[before] = needs.get(before, 0) + self._bytes(a, before, at)
        self.spans: list[Span] = []
        self.ends: dict[tuple[Pass, int], float] = {}
        self._run()
        self.traffic = max(self._sent(), default=0)

    def _bytes(self, a: Apply, before: Pass, at: Pass) -> int:
        """What of a value travels between two groups."""
        if before.stage % self.stages.groups == at.stage % self.stages.groups:
            return 0
        if not isinstance(a.abstract, AbstractTensor):
            return 0
        shape = self.shardings.of(a).local(self.shardings.mesh, a.abstract.shape)
        return math.prod(shape) * a.abstract.dtype.itemsize

    def _run(self) -> None:
        orders = [[(Pass(e.stage, e.phase), e.micro) for e in o] for o in self.stages.orders]
        for p in [p for p in self.work if p.phase == REST]:
            orders[p.stage % self.stages.groups].append((p, 0))
        free, at = [0.0] * len(orders), [0] * len(orders)
        moved = True
        while moved:
            moved = False
            for g, order in enumerate(orders):
                while at[g] < len(order) and self._is_ready(*order[at[g]]):
                    self._place(g, *order[at[g]], free)
                    at[g] += 1
                    moved = True

    def _before(self, p: Pass, micro: int) -> dict[tuple[Pass, int], int]:
        """What a pass of a micro-batch waits for, and the bytes that come from there."""
        last = self.stages.micros - 1
        return {
            (q, 0 if q.phase == REST else last if p.phase == REST else micro): sent
            for q, sent in self.after.get(p, {}).items()
        }

    def _is_ready(self, p: Pass, micro: int) -> bool:
        return all(q in self.ends or q[0] not in self.work for q in self._before(p, micro))

    def _place(self, g: int, p: Pass, micro: int, free: list) -> None:
        begin = free[g]
        for q, sent in self._before(p, micro).items():
            travel = sent / self.link.bandwidth + self.link.latency if sent else 0.0
            begin = max(begin, self.ends.get(q, 0.0) + travel)
        self.ends[p, micro] = free[g] = begin + self.work.get(p, 0.0)
        what = _NAMES[p.phase] + ("" if p.phase == REST else f" {micro} of stage {p.stage}")
        if free[g] > begin:
            self.spans.append(Span(g, what, COMPUTE, begin, free[g]))

    def _sent(self) -> list[int]:
        found = [0] * self.stages.groups
        for p, needs in self.after.items():
            for q, sent in needs.items():
                times = 1 if REST in (p.phase, q.phase) else self.stages.micros
                found[q.stage % self.stages.groups] += sent * times
        return found


def bubble(spans: list[Span]) -> float:
    """How long the group that waits longest waits, as a part of how long it works."""
    end = max((s.end for s in spans), default=0.0)
    work: dict[int, float] = {}
    for s in spans:
        work[s.group] = work.get(s.group, 0.0) + s.end - s.start
    return max(((end - w) / w for w in work.values() if w), default=0.0)


def between(cluster: Cluster, width: int) -> Link:
    """The link between groups of ``width`` devices."""
    return next((link for link in cluster.links if link.devices > width), cluster.links[-1])


__all__ = ["COMPUTE", "SEND", "Simulation", "Span", "between", "bubble", "one_by_one"]
