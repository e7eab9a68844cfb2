"""Lanes: which of a device's streams runs an instruction, and the events between them.

Copies run on a lane of their own, beside kernels that do not depend on them: a download waits for
what makes its operand, not for what was queued since; an upload into the arena starts before the
kernels that were queued earlier have run. Everything else is on the compute lane, which at calls
and at the end of a function waits for what the other lane still does, so that functions need to know
nothing of each other's lanes.

What is saved on the host is read there when the host has waited for it (ARRIVE), which is before the
copy back is queued, long after.

A lane that has waited for an instruction has waited for all that were before it on that one's lane:
most waits follow from others and are left out. Cost: O(n log n).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import count

from .format import (
    ARRIVE,
    CALL,
    CALL_VALUE,
    DOWNLOAD,
    DROP,
    LEAVING,
    SAVE,
    SCALAR,
    SIGNAL,
    SWITCH,
    UPLOAD,
    WAIT,
)
from .linearize import Function, Instr, LinearIR, Storage

COMPUTE, COPYING = 0, 1
_MEETING = LEAVING | {CALL, SWITCH, CALL_VALUE}


def schedule(program: LinearIR) -> None:
    """Give copies their lanes, and put waits and signals between; memory is planned."""
    events = count()
    for f in program.functions:
        if any(i.op in (UPLOAD, DOWNLOAD, SAVE) for i in f.code):
            _Lanes(f, events).run()


class _Touched:
    """Who used which part of the arena last: disjoint pieces, in order."""

    def __init__(self):
        self.starts: list[int] = []
        self.pieces: list[tuple[int, int]] = []  # (end, instruction)

    def use(self, start: int, end: int, k: int) -> list[int]:
        """Note that instruction ``k`` uses a piece. Returns the instructions that did before."""
        if start == end:
            return []
        first = max(bisect_right(self.starts, start) - 1, 0)
        last = bisect_left(self.starts, end)
        found, kept = [], []
        for s, (e, by) in zip(self.starts[first:last], self.pieces[first:last]):
            if e <= start:
                kept.append((s, (e, by)))
                continue
            found.append(by)
            if s < start:
                kept.append((s, (start, by)))
            if e > end:
                kept.append((end, (e, by)))
        kept = sorted([*kept, (start, (end, k))])
        self.starts[first:last] = [s for s, _ in kept]
        self.pieces[first:last] = [p for _, p in kept]
        return found


class _Lanes:
    """Schedules one function; ``events`` numbers those of all."""

    def __init__(self, f: Function, events: count):
        self.f, self.numbers = f, events
        self.made: dict[Storage, int] = {}  # the instruction that made it
        self.touched = _Touched()
        self.last = [-1, -1]  # per lane its last instruction
        # The first instruction of the compute lane, or the last call: what it stands behind has used
        # the same arena, by functions unknown here.
        self.since = -1
        self.waited = [-1, -1]  # per lane the last of the other's instructions that it waited for
        self.waits: dict[int, int] = {}  # the instruction that one waits for
        self.events: dict[int, int] = {}
        self.saved: dict[Storage, int] = {}  # what is on its way to the host, by whom
        self.arrived = [-1, -1]  # per lane the last copy to the host that this has waited for
        self.arrivals: dict[int, int] = {}  # the copy to the host that one waits for

    def run(self) -> None:
        for k, i in enumerate(self.f.code):
            if i.op not in (SCALAR, DROP):
                self.step(k, i)
        for other in (*self.waits.values(), *self.arrivals.values()):
            self.events.setdefault(other, next(self.numbers))
        code = []
        for k, i in enumerate(self.f.code):
            if k in self.arrivals:
                code.append(_mark(ARRIVE, i, COMPUTE, self.events[self.arrivals[k]]))
            if k in self.waits:
                code.append(_mark(WAIT, i, i.lane, self.events[self.waits[k]]))
            code.append(i)
            if k in self.events:
                code.append(_mark(SIGNAL, i, i.lane, self.events[k]))
        self.f.code = code

    def step(self, k: int, i: Instr) -> None:
        lane = i.lane = self.lane_of(i)
        before = {self.made[s] for s, _ in i.reads() if s in self.made and s not in self.saved}
        for s, _ in (*i.reads(), *i.outs) if i.op != DOWNLOAD else ():
            if s.block is not None:
                start = s.block.offset
                before.update(self.touched.use(start, start + s.block.size, k))
        if i.op in _MEETING:
            before.add(self.last[COPYING])
        if lane == COPYING:
            before.add(self.since)
        code = self.f.code
        need = max((b for b in before if b >= 0 and code[b].lane != lane), default=-1)
        if need > self.waited[lane]:
            self.waits[k] = self.waited[lane] = need
        if i.op == DOWNLOAD:
            return  # it is over when the host goes on
        self.last[lane] = k
        if self.since < 0 or i.op in _MEETING:
            self.since = self.last[COMPUTE]
        self.made.update((s, k) for s, _ in i.outs)
        if i.op == SAVE:
            self.saved[i.outs[0][0]] = k
        elif i.op == UPLOAD and i.ins[0][0] in self.saved:
            self.await_saved(k, self.saved.pop(i.ins[0][0]))

    def await_saved(self, k: int, save: int) -> None:
        """Let the host wait before ``k`` for what ``save`` copies, unless it has waited for more."""
        lane = self.f.code[save].lane
        if save > self.arrived[lane]:
            self.arrivals[k] = self.arrived[lane] = save

    def lane_of(self, i: Instr) -> int:
        """A download is beside the kernels if what makes its operand is known here. An upload is if
        it is into the arena, whose users are known here, and after a kernel, whose event tells that
        other functions have finished there.
        """
        if i.op in (DOWNLOAD, SAVE):
            return COPYING if i.ins[0][0] in self.made else COMPUTE
        beside = i.op == UPLOAD and self.since >= 0 and i.outs[0][0].block is not None
        return COPYING if beside else COMPUTE


def _mark(op: int, i: Instr, lane: int, event: int) -> Instr:
    made = Instr(op, i.node, target=event)
    made.lane = lane
    return made
