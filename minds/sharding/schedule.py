"""In which order the stages of a pipeline work: schedules as tables of events.

A stage does a forward and a backward pass of each micro-batch. With several chunks a group of devices has
several stages, those whose numbers are equal modulo the number of groups. An order is made by going through
time with unit costs: a group that is free begins what its schedule prefers of what is ready. Orders do not
depend on how long things really take, so that all processes know them.

gpipe         all forward passes, then all backward passes
1f1b          a backward pass as soon as there is one; a stage goes ahead no further than the stages behind it
interleaved   1f1b with several chunks for each group
zb            1f1b whose backward passes are cut in two: what the stage before waits for, and the rest, which
              are gradients of weights
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from ..base.errors import complain

FORWARD, BACKWARD, WEIGHTS = "F", "B", "W"
SCHEDULES = ("gpipe", "1f1b", "interleaved", "zb")


@dataclass(frozen=True)
class PassTime:
    """One pass of a stage.

    Attributes:
        stage, micro: of which stage and micro-batch.
        phase: ``F``, ``B``, or ``W`` for the gradients of weights alone.
        start, end: when, in units of time.
    """

    stage: int
    phase: str
    micro: int
    start: float
    end: float


def events(
    schedule: str, groups: int, micros: int, chunks: int = 1, costs: tuple = (1.0, 2.0, 0.0)
) -> list[list[PassTime]]:
    """What each group of devices does, in order.

    Args:
        schedule (str): one of `SCHEDULES`.
        groups (int): of devices.
        micros (int): micro-batches.
        chunks (int): stages of each group. Default: 1.
        costs (tuple[float]): how long a forward pass, a backward pass and the gradients of weights take for a
            whole stage; a chunk takes its share. For all but ``zb`` the last is part of the backward pass.
            Default: ``(1.0, 2.0, 0.0)``.

    Returns:
        list[list[PassTime]]: one list for each group.

    Raises:
        ValueError: there is no such schedule, or its numbers do not fit.

    Examples:
        >>> from minds.sharding.schedule import events
        >>> [f"{e.phase}{e.micro}" for e in events("1f1b", 2, 3)[0]]
        ['F0', 'F1', 'B0', 'F2', 'B1', 'B2']
    """
    if schedule not in SCHEDULES:
        expected = ", ".join(map(repr, SCHEDULES))
        raise complain(ValueError, f"pipeline: schedule is {schedule!r}", expected=expected)
    if schedule == "interleaved" and micros % groups:
        raise complain(
            ValueError,
            f"pipeline: {micros} micro-batches are interleaved on {groups} stages",
            expected=f"a multiple of {groups}",
        )
    return _Timeline(schedule, groups, micros, chunks, costs).run()


def bubble(timeline: list[list[PassTime]]) -> float:
    """How long groups wait, as a part of how long they work: of the group that waits longest."""
    end = max(e.end for group in timeline for e in group)
    work = [sum(e.end - e.start for e in group) for group in timeline]
    return max((end - w) / w for w in work)


class _Timeline:
    """The walk through time."""

    def __init__(self, schedule: str, groups: int, micros: int, chunks: int, costs: tuple):
        self.schedule, self.groups, self.micros, self.chunks = schedule, groups, micros, chunks
        self.stages = groups * chunks
        forward, backward, weights = (c / chunks for c in costs)
        splits = schedule == "zb"
        self.costs = {
            FORWARD: forward,
            BACKWARD: backward if splits else backward + weights,
            WEIGHTS: weights,
        }
        self.phases = (FORWARD, BACKWARD, WEIGHTS) if splits else (FORWARD, BACKWARD)
        self.ends: dict[tuple, float] = {}
        self.queues = [self._queue(g) for g in range(groups)]
        self.counts = [dict.fromkeys(self.phases, 0) for _ in range(groups)]  # of what is done

    def _queue(self, g: int) -> dict[str, deque[tuple]]:
        """For each phase what a group has to do, in order."""
        mine = range(g, self.stages, self.groups)
        step = self.groups if self.chunks > 1 else self.micros
        blocks = [range(b, min(b + step, self.micros)) for b in range(0, self.micros, step)]
        forth = [(s, m) for block in blocks for s in mine for m in block]
        back = [(s, m) for block in blocks for s in reversed(mine) for m in block]
        return {p: deque(forth if p == FORWARD else back) for p in self.phases}

    def run(self) -> list[list[PassTime]]:
        done: list[list[PassTime]] = [[] for _ in range(self.groups)]
        free = [0.0] * self.groups
        while any(any(q.values()) for q in self.queues):
            options = [self._next(g, free[g]) for g in range(self.groups)]
            # The earliest of all, so that what it gives is known to those that begin later.
            begin, g, phase = min((o[0], g, o[1]) for g, o in enumerate(options) if o is not None)
            stage, micro = self.queues[g][phase].popleft()
            self.counts[g][phase] += 1
            free[g] = self.ends[stage, phase, micro] = begin + self.costs[phase]
            done[g].append(PassTime(stage, phase, micro, begin, free[g]))
        return done

    def _next(self, g: int, free: float) -> tuple | None:
        """(when, phase) of what a group does next, if it can already be known."""
        found = []
        for rank, phase in enumerate(self._preferred(g)):
            queue = self.queues[g][phase]
            ready = self._ready(*queue[0], phase) if queue else None
            if ready is not None:
                found.append((max(free, ready), rank, phase))
        return None if not found else (min(found)[0], min(found)[2])

    def _preferred(self, g: int) -> list[str]:
        """The phases that may come next, the preferred one first."""
        count, total = self.counts[g], self.micros * self.chunks
        if self.schedule == "gpipe":
            return [FORWARD] if count[FORWARD] < total else [BACKWARD]
        if self.chunks > 1:
            ahead = (self.groups - g - 1) * 2 + (self.chunks - 1) * self.groups + 1
        else:
            ahead = self.groups - g
        ahead = min(ahead, total)
        if count[FORWARD] < total and count[FORWARD] - count[BACKWARD] < ahead:
            order = [FORWARD, BACKWARD] if self.chunks > 1 else [BACKWARD, FORWARD]
            if self.chunks > 1 or count[BACKWARD] == 0:
                order = [FORWARD]
        else:
            order = [BACKWARD]
        if self.schedule == "zb":
            # Gradients of weights fill what would be waited, and keep no more alive than 1f1b does at most.
            late = count[FORWARD] - count[WEIGHTS] >= self.groups
            order = [p for p in order if not (late and p == FORWARD)]
            return [*order, WEIGHTS]
        return order

    def _ready(self, stage: int, micro: int, phase: str) -> float | None:
        """When what a pass needs is there; None where that is not known yet."""
        needs = []
        if phase == FORWARD and stage:
            needs = [(stage - 1, FORWARD, micro)]
        elif phase == BACKWARD:
            needs = [(stage, FORWARD, micro)]
            if stage < self.stages - 1:
                needs.append((stage + 1, BACKWARD, micro))
        elif phase == WEIGHTS:
            needs = [(stage, BACKWARD, micro)]
        if any(n not in self.ends for n in needs):
            return None
        return max([self.ends[n] for n in needs], default=0.0)


__all__ = ["BACKWARD", "FORWARD", "SCHEDULES", "WEIGHTS", "PassTime", "bubble", "events"]
