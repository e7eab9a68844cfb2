"""Memory: who owns what, when it dies, and where it lives.

A tensor that may outlive its frame (returned, captured, passed on by a tail call, kept by a callee)
gets a counted buffer in an object slot; every other temporary gets an offset in the frame's arena.
An offset is chosen best-fit among what is free; what lives across a call lies at the bottom, so
that a call needs to keep little. An operand that dies gives its place to a result where the op
allows that. Cost: O(n log n).
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right, insort
from collections import Counter

from .format import (
    ASSIGN,
    CALL,
    CALL_VALUE,
    CLOSURE,
    COPY,
    DOWNLOAD,
    DROP,
    HOST,
    LEAVING,
    LOAD,
    PARTIAL,
    RETURN,
    RUN,
    SAVE,
    SELECT,
    SWITCH,
    SWITCH_TAIL,
    TAIL,
    TAIL_VALUE,
    UNIT,
    UPLOAD,
)
from .linearize import CONST, PARAM, RESULT, TEMP, TENSOR, WORD, Function, Instr, LinearIR, Storage

_KEEPING = frozenset((RETURN, CLOSURE, PARTIAL, CALL_VALUE, TAIL_VALUE))
_CALLS = frozenset((CALL, SWITCH, CALL_VALUE))
_COPIES = frozenset((COPY, UPLOAD, DOWNLOAD, SAVE))
_MAKING = _COPIES | {RUN, HOST}
_MOVING = _MAKING | {CALL, TAIL, CALL_VALUE, TAIL_VALUE, SELECT, CLOSURE, PARTIAL, ASSIGN, RETURN}


class ArenaBlock:
    """A piece of the arena from instruction ``start`` to ``end``; in-place results share it."""

    __slots__ = ("size", "start", "end", "offset")

    def __init__(self, size: int, start: int, end: int):
        self.size, self.start, self.end, self.offset = size, start, end, 0


def plan(program: LinearIR, alignment: int = UNIT) -> None:
    """Decide the place of every storage of every function; what is in the arena is aligned to
    ``alignment`` bytes.
    """
    ownership(program)
    for f in program.functions:
        _plan(f, max(alignment // UNIT, 1))


def ownership(program: LinearIR) -> None:
    """Set ``owned`` and ``keeps``: a fixpoint over what callees do with their parameters."""
    fed: dict[Storage, list[Storage]] = {}
    work: list[Storage] = []

    def keep(s: Storage) -> None:
        if s.kind == TENSOR and not s.keeps:
            s.owned = s.keeps = True
            if s.origin == PARAM:
                work.append(s)

    for s, _ in program.functions[0].params:
        keep(s)  # an input of the program lives until the program ends
    for f in program.functions:
        for i in f.code:
            if i.op in _KEEPING:
                for s, _ in i.ins:
                    keep(s)
            elif i.op in (CALL, TAIL):
                _feed(fed, program, i.target, i.ins, i.op == TAIL)
            elif i.op in (SWITCH, SWITCH_TAIL):
                for target, args in i.sides:
                    _feed(fed, program, target, args, i.op == SWITCH_TAIL)
    while work:
        for s in fed.get(work.pop(), ()):
            keep(s)


def _feed(fed: dict, program: LinearIR, target: int, args, tail: bool) -> None:
    for (p, _), (s, _) in zip(program.functions[target].params, args, strict=True):
        if p.kind == TENSOR:
            fed.setdefault(p, []).append(s)
            s.owned |= tail


def _plan(f: Function, step: int) -> None:
    storages = _liveness(f)
    _own_in_place(f)
    blocks = _blocks(f, step)
    calls = [k for k, i in enumerate(f.code) if i.op in _CALLS]
    crossing, rest = [], []
    for b in blocks:
        at = bisect_right(calls, b.start)
        (crossing if at < len(calls) and calls[at] <= b.end else rest).append(b)
    bottom = _best_fit(crossing, 0)
    f.arena = max(bottom, _best_fit(rest, bottom))
    _keep(f, calls, crossing)
    _slots(f, storages)


# ---- liveness


def _liveness(f: Function) -> list[Storage]:
    """Set ``start`` and ``end`` of every storage; returns them in order of definition, parameters
    first.
    """
    storages = [s for s, _ in f.params]
    for k, i in enumerate(f.code):
        for s, _ in i.reads():
            s.end = k
        for s, _ in i.outs:
            s.start = k
            storages.append(s)
    return storages


def _own_in_place(f: Function) -> None:
    """Where a kernel writes some elements into the place of an operand that dies, both are buffers
    if one
    is: between a buffer and the arena all other elements would be copied.
    """
    pairs = [
        (i.ins[i.donors[0][0]][0], i.outs[0][0])
        for k, i in enumerate(f.code)
        if i.op == RUN
        and i.donors
        and i.donors[0]
        and not i.node.fn.elementwise
        and i.ins[i.donors[0][0]][0].end == k
    ]
    for x, s in pairs:
        s.owned |= x.owned or x.origin in (PARAM, RESULT)
    for x, s in reversed(pairs):
        x.owned |= s.owned and x.origin == TEMP


def _blocks(f: Function, step: int) -> list[ArenaBlock]:
    """Give arena storages their blocks, and results the operands that they may replace. Sizes are
    multiples of ``step`` units, hence offsets are.
    """
    blocks, loaded = [], {}  # from which parameter a value was loaded
    for k, i in enumerate(f.code):
        if i.op == LOAD:
            loaded[i.outs[0][0]] = i.ins[0][0]
        if i.op not in _MAKING:
            continue
        given = _repeated(i) if i.donors is not None else set()
        for n, (s, _) in enumerate(i.outs):
            into = i.into is not None and i.into[n] is not None
            if into:
                i.donors[n] = _own(i, n, loaded)
            donor = _donor(i, n, k, s, into, given)
            in_arena = s.kind == TENSOR and not (s.owned or s.host or into)
            if donor >= 0 and in_arena:
                s.block = i.ins[donor][0].block
                s.block.end = max(s.end, k)
                donor = -1
            elif in_arena:
                size = -(-s.bytes // (UNIT * step)) * step
                s.block = ArenaBlock(size, k, max(s.end, k))
                blocks.append(s.block)
            if i.donors is not None:
                i.donors[n] = donor
    return blocks


def _own(i: Instr, n: int, loaded: dict[Storage, Storage]) -> list[int]:
    """Of the donors of result ``n``, which is written into a parameter, those that have what this
    holds: only with them it can be written in place.
    """
    ref = i.into[n][0]
    return [d for d in i.donors[n] if loaded.get(i.ins[d][0]) is ref]


def _repeated(i: Instr) -> set[Storage]:
    """The operands that ``i`` reads more than once."""
    operands = [x for x, _ in i.ins]
    if len(set(operands)) == len(operands):
        return set()
    return {x for x, times in Counter(operands).items() if times > 1}


def _donor(i: Instr, n: int, k: int, s: Storage, into: bool, given: set) -> int:
    """The operand that dies at ``k`` and whose place result ``n`` takes; -1 if there is none. ``given``
    are those that cannot give theirs.
    """
    if i.donors is None:
        return -1
    for d in i.donors[n]:
        x = i.ins[d][0]
        fits = (x.block is not None) == (not s.owned and not into)
        if fits and x.end == k and x.origin != CONST and x not in given:
            given.add(x)
            return d
    return -1


# ---- arena


def _best_fit(blocks: list[ArenaBlock], base: int) -> int:
    """Offsets from ``base`` on for blocks in the order of their starts. Returns the end of what is
    used.
    """
    top = base
    active: list[tuple[int, int, int]] = []  # (end, offset, size)
    sizes: list[tuple[int, int]] = []  # free pieces as (size, offset), sorted
    starts: dict[int, int] = {}  # free pieces: offset to size
    ends: dict[int, int] = {}  # free pieces: end to offset

    def take(offset: int, size: int) -> None:
        del starts[offset], ends[offset + size]
        del sizes[bisect_left(sizes, (size, offset))]

    def give(offset: int, size: int) -> None:
        before = ends.get(offset)
        if before is not None:
            take(before, offset - before)
            offset, size = before, size + offset - before
        after = starts.get(offset + size)
        if after is not None:
            take(offset + size, after)
            size += after
        starts[offset], ends[offset + size] = size, offset
        insort(sizes, (size, offset))

    for b in blocks:
        while active and active[0][0] < b.start:
            give(*heapq.heappop(active)[1:])
        if b.size == 0:
            continue
        at = bisect_left(sizes, (b.size, 0))
        if at < len(sizes):
            size, b.offset = sizes[at]
            take(b.offset, size)
            if size > b.size:
                give(b.offset + b.size, size - b.size)
        else:
            before = ends.get(top)  # grow the last piece if it is free
            if before is not None:
                take(before, top - before)
                b.offset = before
            else:
                b.offset = top
            top = b.offset + b.size
        heapq.heappush(active, (b.end, b.offset, b.size))
    return top


def _keep(f: Function, calls: list[int], crossing: list[ArenaBlock]) -> None:
    """Per call, how much of the arena it must leave alone: the highest end of blocks that live
    across it.
    """
    live: list[tuple[int, int]] = []  # (-top, end)
    at = 0
    for c in calls:
        while at < len(crossing) and crossing[at].start < c:
            heapq.heappush(live, (-crossing[at].offset - crossing[at].size, crossing[at].end))
            at += 1
        while live and live[0][1] < c:
            heapq.heappop(live)
        f.code[c].keep = -live[0][0] if live else 0


# ---- slots


class _Slots:
    """Numbers of slots; what is freed is used again, the lowest first."""

    def __init__(self, taken: int):
        self.size, self.free = taken, []

    def take(self) -> int:
        if self.free:
            return heapq.heappop(self.free)
        self.size += 1
        return self.size - 1


def _slots(f: Function, storages: list[Storage]) -> None:
    """Number words and object slots, mark what an instruction empties, put drops where nothing else
    does.
    """
    n_words = n_objects = 0
    for s, _ in f.params:
        if s.kind == WORD:
            s.slot, n_words = n_words, n_words + 1
        else:
            s.slot, n_objects = n_objects, n_objects + 1
    for i in f.code:
        for s, _ in i.reads():
            if s.kind == WORD and s.origin == CONST and s.slot < 0:
                s.slot = n_words + len(f.constants)
                f.constants.append(s.const)
    words, objects = _Slots(n_words + len(f.constants)), _Slots(n_objects)
    dying: dict[int, list[Storage]] = {}
    for s in storages:
        if s.kind == WORD or s.in_slot:
            dying.setdefault(max(s.end, s.start), []).append(s)
    unused = [s for s in dying.pop(-1, ()) if s.kind != WORD]
    code = []
    if unused and len(f.code) > 1:
        code.append(_drop(unused, f.code[0].node))
        for s in unused:
            heapq.heappush(objects.free, s.slot)
    for k, i in enumerate(f.code):
        code.append(i)
        for n, (s, _) in enumerate(i.outs):
            if s.kind == WORD:
                s.slot = words.take()
            elif s.block is None and not (i.into is not None and i.into[n] is not None):
                s.slot = objects.take()
        dead = [s for s in dying.get(k, ()) if s.slot >= 0]
        left = _moves(i, [s for s in dead if s.kind != WORD and s.end == k])
        left += [s for s in dead if s.kind != WORD and s.end != k]  # results that nothing reads
        if left and i.op not in LEAVING:
            code.append(_drop(left, i.node))
        for s in dead:
            heapq.heappush(words.free if s.kind == WORD else objects.free, s.slot)
    f.code, f.words, f.objects = code, words.size, objects.size


def _drop(storages: list[Storage], node) -> Instr:
    return Instr(DROP, node, [(s, 0) for s in storages])


def _moves(i: Instr, dead: list[Storage]) -> list[Storage]:
    """Let the last operand of each dying storage empty its slot; returns those that no operand can
    empty.
    """
    if i.op in (SWITCH, SWITCH_TAIL):
        i.moves, i.drops = [], []
        for _, args in i.sides:
            last = _last(args, dead)
            i.moves.append(set(last.values()))
            i.drops.append([s for s in dead if s not in last] if i.op == SWITCH else [])
        return []
    if i.op not in _MOVING or not dead:
        i.moves = ()
        return dead
    first = 1 if i.op == SELECT else 0
    last = _last(i.ins[first:], dead)
    i.moves = {k + first for k in last.values()}
    return [s for s in dead if s not in last]


def _last(args, dead: list[Storage]) -> dict[Storage, int]:
    if not dead:
        return {}
    wanted = set(dead)
    return {s: k for k, (s, _) in enumerate(args) if s in wanted}
