"""The peak: how many bytes a planned program holds at most while it runs, and what holds them.

Counted are its parameters and arguments, constants, the workspace of kernels, the arena with those
of the functions that are called, and the buffers that live outside of arenas. What only the run
knows is not: what function values and stacks of records keep, tensors whose sizes the run finds,
and how deep a recursion goes (a level or two of it are counted).
"""

from __future__ import annotations

import os
from typing import NamedTuple

from .. import _core
from ..ops.define import Op
from .format import (
    ARRIVE,
    CALL,
    CALL_VALUE,
    CLOSURE,
    DROP,
    LOAD,
    SIGNAL,
    SWITCH,
    SWITCH_TAIL,
    TAIL,
    TAIL_VALUE,
    UNIT,
    WAIT,
)
from .linearize import CONST, FUNCTION, TENSOR, Function, Instr, LinearIR
from .select import leaves

_TAILS = frozenset((TAIL, SWITCH_TAIL, TAIL_VALUE))
_BETWEEN = frozenset((DROP, WAIT, SIGNAL, ARRIVE))
_ROUNDS = 2  # over the functions, so that what calls back is seen


class Holder(NamedTuple):
    """What holds memory at the peak: bytes, what it is, and the line that made it."""

    bytes: int
    what: str
    loc: object


class Peak(NamedTuple):
    """Bytes in all, those of the arena, and what holds them, the largest first."""

    bytes: int
    arena: int
    holders: list[Holder]


def peak(program: LinearIR, workspace: int) -> Peak:
    """The peak of a program whose memory is planned; ``workspace`` is what its kernels share."""
    size, root, calls = _size(program), program.functions[0], CallTable(program)
    needs = arena_needs(program, calls)
    arena, buffers = size(needs[root] * UNIT), _buffers(program, calls, size)
    within = _at_the_top(calls, needs, root, set())
    rows = [
        *held(program),
        Holder(size(workspace), "workspace of kernels", None),
        Holder(buffers, "results, and what outlives the function that makes it", None),
        *within,
        Holder(max(arena - sum(h.bytes for h in within), 0), "free pieces between these", None),
    ]
    rows = sorted((h for h in rows if h.bytes), key=lambda h: -h.bytes)
    return Peak(
        sum(h.bytes for h in held(program)) + size(workspace) + arena + buffers, arena, rows
    )


def held(program: LinearIR) -> list[Holder]:
    """What is there before the program runs: parameters, arguments, constants."""
    size, root = _size(program), program.functions[0]
    given = [p for p in root.graph.params for _ in leaves(p.abstract)]
    found = [
        Holder(size(s.bytes), _named(p), None)
        for p, (s, _) in zip(given, root.params, strict=True)
        if s.bytes and not s.host
    ]
    found += [Holder(size(t._array.nbytes), "a constant", None) for t in program.tables.constants]
    return found


def _size(program: LinearIR):
    """What a buffer of so many bytes takes."""
    return pooled if program.placement is None else int


def pooled(nbytes: int) -> int:
    """What the host's pool takes for a buffer."""
    return _core.pooled_bytes(nbytes) if nbytes else 0


def _named(p) -> str:
    name = getattr(p.default, "name", None)
    return f"argument {p.name}" if name is None else f"Parameter '{name}'"


# ---- what is called


class CallTable:
    """The calls of each function: (number of the instruction, the instruction, what it may call).

    Instructions are numbered as when memory was planned: without what was put between then and later.
    """

    def __init__(self, program: LinearIR):
        self.functions, self.code, self.of = program.functions, {}, {}
        values = self._values()
        for f in program.functions:
            code = self.code[f] = [i for i in f.code if i.op not in _BETWEEN]
            self.of[f] = [
                (k, i, found) for k, i in enumerate(code) if (found := self._targets(i, values))
            ]

    def _values(self) -> list[Function]:
        """The functions that are values somewhere."""
        numbers: dict[int, None] = {}
        for i in (i for f in self.functions for i in f.code):
            if i.op == CLOSURE:
                numbers[i.target] = None
            for s, _ in i.reads():
                if s.kind == FUNCTION and s.origin == CONST:
                    numbers[s.const] = None
        return [self.functions[k] for k in numbers]

    def _targets(self, i: Instr, values: list[Function]) -> list[Function]:
        if i.op in (CALL, TAIL):
            return [self.functions[i.target]]
        if i.op in (SWITCH, SWITCH_TAIL):
            return [self.functions[k] for k, _ in i.sides]
        return values if i.op in (CALL_VALUE, TAIL_VALUE) else []


def arena_needs(program: LinearIR, calls: CallTable) -> dict[Function, int]:
    """Per function the units of its arena and of those that are above it in its calls."""
    need = {f: f.arena for f in program.functions}
    for _ in range(_ROUNDS):
        for f in reversed(program.functions):
            for _, i, targets in calls.of[f]:
                base = 0 if i.op in _TAILS else i.keep
                inner = max((need[g] for g in targets if g is not f), default=0)
                need[f] = max(need[f], base + inner)
    return need


def _buffers(program: LinearIR, calls: CallTable, size) -> int:
    """The most bytes of buffers outside of arenas that the root holds at one time, without its
    parameters.
    """
    live = {f: _live_buffers(calls.code[f], size) for f in program.functions}
    given = {
        f: sum(size(s.bytes) for s, _ in f.params if s.kind == TENSOR and not s.host)
        for f in program.functions
    }
    # Without the parameters, as a call finds them, and with them, as a tail call brings them.
    called = {f: max(live[f]) for f in program.functions}
    entered = {f: given[f] + called[f] for f in program.functions}
    for _ in range(_ROUNDS):
        for f in reversed(program.functions):
            local, tails = max(live[f]), 0
            for k, i, targets in calls.of[f]:
                if i.op in _TAILS:
                    tails = max(tails, *[entered[g] for g in targets])
                else:
                    inner = max((called[g] for g in targets if g is not f), default=0)
                    local = max(local, live[f][k] + inner)
            called[f] = max(called[f], local, tails)
            entered[f] = max(entered[f], given[f] + local, tails)
    return called[program.functions[0]]


def _live_buffers(code: list[Instr], size) -> list[int]:
    """At each instruction the bytes of buffers that this function has made."""
    change = [0] * (len(code) + 2)
    for i in code:
        for n, (s, _) in enumerate(i.outs):
            written = i.into is not None and i.into[n] is not None
            if s.kind == TENSOR and s.block is None and not (s.host or written or i.op == LOAD):
                change[s.start] += size(s.bytes)
                change[max(s.end, s.start) + 1] -= size(s.bytes)
    return _sums(change)


def _sums(change: list[int]) -> list[int]:
    found, now = [], 0
    for c in change:
        now += c
        found.append(now)
    return found


# ---- who holds the arena


def _at_the_top(calls: CallTable, needs: dict, f: Function, seen: set) -> list[Holder]:
    """What is in the arena when most of it is used, by line."""
    seen.add(f)
    blocks = {s.block: i for i in calls.code[f] for s, _ in i.outs if s.block is not None}
    change = [0] * (len(calls.code[f]) + 2)
    for b in dict.fromkeys(blocks):
        change[b.start] += b.size
        change[b.end + 1] -= b.size
    used, inner = _sums(change), {k: targets for k, _, targets in calls.of[f]}
    top = {k: n + max((needs[g] for g in inner.get(k, ())), default=0) for k, n in enumerate(used)}
    at = max(top, key=top.get)
    rows: dict[tuple, int] = {}
    for b, i in blocks.items():
        if b.start <= at <= b.end:
            what = f"what {i.node.fn.name} gives" if isinstance(i.node.fn, Op) else "a value"
            key = what, i.node.loc or f.graph.loc
            rows[key] = rows.get(key, 0) + b.size * UNIT
    found = [Holder(nbytes, what, loc) for (what, loc), nbytes in rows.items()]
    for g in inner.get(at, ()):
        if g not in seen:
            found += _at_the_top(calls, needs, g, seen)
    return found


def listed(holders: list[Holder], most: int = 5) -> list[str]:
    """The largest as lines of a message."""
    lines = [f"{h.bytes / 2**20:>10.2f} MiB  {h.what}{_at(h.loc)}" for h in holders[:most]]
    if len(holders) > most:
        rest = sum(h.bytes for h in holders[most:])
        lines.append(f"{rest / 2**20:>10.2f} MiB  {len(holders) - most} others")
    return lines


def _at(loc) -> str:
    if loc is None:
        return ""
    where = f" at {os.path.basename(loc.file)}:{loc.line}"
    return f", for the gradient,{where}" if loc.backward else where
