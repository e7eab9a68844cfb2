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
from .stages import REST, Pass, StageMap

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
            for a in n.operands:
                before = stages.where.get(a)
                if before is not None and before != at:
                    needs = self.after.setdefault(at, {})
                    needs[before] = needs.get(before, 0) + self._bytes(a, before, at)
        self.spans: list[Span] = []
        self.ends: dict[Pass, float] = {}
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
        orders = [[self.stages.of_event(e) for e in order] for order in self.stages.orders]
        rest = [p for p in self.work if p.phase == REST]
        for g, order in enumerate(orders):
            order += [p for p in rest if p.stage % self.stages.groups == g]
        known, free, at = set(self.work), [0.0] * len(orders), [0] * len(orders)
        moved = True
        while moved:
            moved = False
            for g, order in enumerate(orders):
                while at[g] < len(order) and self._is_ready(order[at[g]], known):
                    self._place(g, order[at[g]], free)
                    at[g] += 1
                    moved = True

    def _is_ready(self, p: Pass, known: set) -> bool:
        return all(q in self.ends or q not in known for q in self.after.get(p, ()))

    def _place(self, g: int, p: Pass, free: list) -> None:
        begin = free[g]
        for q, sent in self.after.get(p, {}).items():
            travel = sent / self.link.bandwidth + self.link.latency if sent else 0.0
            begin = max(begin, self.ends.get(q, 0.0) + travel)
        self.ends[p] = free[g] = begin + self.work.get(p, 0.0)
        what = _NAMES[p.phase] + ("" if p.phase == REST else f" {p.micro} of stage {p.stage}")
        if self.ends[p] > begin:
            self.spans.append(Span(g, what, COMPUTE, begin, self.ends[p]))

    def _sent(self) -> list[int]:
        found = [0] * self.stages.groups
        for needs in self.after.values():
            for q, sent in needs.items():
                found[q.stage % self.stages.groups] += sent
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
