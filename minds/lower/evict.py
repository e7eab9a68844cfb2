"""Eviction: which values of a function to give up between two uses, so that its arena fits.

A value of the arena is *evicted* between two of its uses: at the second it is made again by the same
kernel from the same operands, or copied back from the host. So the bits are those without a limit.

Moves are chosen greedily: where most is used, the eviction that costs least time for what it takes
off the excess over the budget, summed over all instructions. Each move makes this sum smaller, so
there is an end. A value that is made again may need operands that are gone: these are made again
first, stay for their own next use, and their own remaking behind it is dropped; so long chains cost
about one more forward run, as with checkpoints set by hand.
"""

from __future__ import annotations

import math
from bisect import bisect_right

import numpy as np

from ..ir import walk
from .costs import Costs
from .format import ASSIGN, CALL, CALL_VALUE, HOST, LOAD, RUN, SWITCH, UNIT
from .linearize import CONST, PARAM, TEMP, TENSOR, WORD, Function, Instr, LinearIR, Storage
from .select import is_word

AGAIN, BACK = "made again", "copied back"
CALLING = (CALL, SWITCH, CALL_VALUE)
_CHAIN = 64  # so many values are made again for one at most
_TRIED, _PLACES = 24, 6  # so many moves are compared, at so many places at most


class Value:
    """A tensor of the arena.

    Attributes:
        at: the instruction that makes it; maker: that instruction, None if it cannot run again.
        operands: the values that it is made of; fixed: other storages that are read then.
        reads: how often it is read, by instruction; makes: where it is made anew, and how.
        given: the instruction in which a result takes its place, if nothing reads it later; or -1.
        cost: seconds to make it.
    """

    __slots__ = (
        "_intervals",
        "at",
        "bytes",
        "cost",
        "fixed",
        "given",
        "maker",
        "makes",
        "operands",
        "reads",
        "s",
    )

    def __init__(self, s: Storage, at: int, nbytes: int):
        self.s, self.at, self.bytes = s, at, nbytes
        self.maker, self.operands, self.fixed = None, (), ()
        self.reads: dict[int, int] = {}
        self.makes: dict[int, str] = {}
        self.given, self.cost = -1, 0.0
        self._intervals: list | None = None

    def intervals(self) -> list[tuple[int, int]]:
        """From where to where it is in memory."""
        if self._intervals is None:
            self._intervals = self._find_intervals()
        return self._intervals

    def changed(self) -> None:
        """Its reads or makes have changed."""
        self._intervals = None

    def _find_intervals(self) -> list[tuple[int, int]]:
        starts = [self.at, *sorted(self.makes)]
        ends = [*starts[1:], math.inf]
        reads, found = sorted(self.reads), []
        for start, end in zip(starts, ends):
            last = bisect_right(reads, end - 1) - 1 if end < math.inf else len(reads) - 1
            stop = max(start, reads[last]) if last >= 0 else start
            found.append((start, stop - 1 if stop == self.given and stop > start else stop))
        return found

    def gap(self, at: int) -> tuple[int, int] | None:
        """The instructions around ``at`` that touch it, if it only waits there."""
        for start, stop in self.intervals():
            if start < at < stop and at not in self.reads:
                reads = sorted(self.reads)
                k = bisect_right(reads, at)
                return max(start, reads[k - 1] if k else start), reads[k]
        return None

    def is_at(self, at: int) -> bool:
        """Whether it is in memory at an instruction."""
        return any(start <= at <= stop for start, stop in self.intervals())


class _Move:
    """Values that are made again or copied back before an instruction.

    Attributes:
        seconds: what that takes.
        touched: copies of what it changes, to take it back.
    """

    def __init__(self, at: int, seconds: float):
        self.at, self.seconds = at, seconds
        self.makes: list[tuple[Value, str]] = []
        self.drops: list[tuple[Value, int]] = []


class Eviction:
    """Fits one function into ``budget`` units of arena; ``inner`` are what calls need above it, by
    instruction. ``step`` is the granularity of the arena, in units.
    """

    def __init__(self, program: LinearIR, f: Function, budget: int, inner: dict, traits: dict):
        self.tables, self.f, self.root = program.tables, f, f is program.functions[0]
        self.step = max(traits["alignment"] // UNIT, 1)
        self.costs = Costs(program.tables, traits["host_memory"])
        self.copies = traits["lanes"] > 1 and not traits["host_memory"]
        self.budget = budget
        self.values: dict[Storage, Value] = {}
        self.ends: dict[Storage, int] = {}
        self.writes: dict[Storage | None, list[int]] = {}  # of parameters; None: perhaps of all
        self.loaded: dict[Storage, tuple] = {}  # what a parameter held: (parameter, instruction)
        self._read()
        self.live = np.zeros(len(f.code) + 1, np.int64)
        for k, n in inner.items():
            self.live[k] += n
        for v in self.values.values():
            self._count(v, 1)

    # ---- what there is

    def _read(self) -> None:
        for k, i in enumerate(self.f.code):
            for s, _ in i.reads():
                self.ends[s] = k
                if s in self.values:
                    reads = self.values[s].reads
                    reads[k] = reads.get(k, 0) + 1
            self._note_writes(k, i)
            made = [self._value(i, n, k) for n in range(len(i.outs))]
            if i.op == RUN and any(made) and _repeats(i):
                self._give_maker(i, [v for v in made if v])
            if i.op == LOAD:
                self.loaded[i.outs[0][0]] = i.ins[0][0], k
        for k, i in enumerate(self.f.code):
            for d in (d for donors in i.donors or () for d in donors):
                v = self.values.get(i.ins[d][0])
                if v is not None and self.ends[v.s] == k and v.reads[k] == 1:
                    v.given = k
                    break  # of several results one takes it; the others are counted

    def _value(self, i: Instr, n: int, k: int) -> Value | None:
        s = i.outs[n][0]
        into = i.into is not None and i.into[n] is not None
        if s.kind != TENSOR or s.origin != TEMP or s.owned or s.host or into:
            return None
        units = -(-s.bytes // (UNIT * self.step)) * self.step
        found = self.values[s] = Value(s, k, units)
        return found

    def _give_maker(self, i: Instr, made: list[Value]) -> None:
        cost = self.costs.seconds(i)
        read = dict.fromkeys(s for s, _ in i.ins)
        for v in made:
            v.maker, v.cost = i, cost
            v.operands = [self.values[s] for s in read if s in self.values]
            v.fixed = [s for s in read if s not in self.values]

    def _note_writes(self, k: int, i: Instr) -> None:
        refs = [r[0] for r in i.into or () if r is not None]
        if i.op == ASSIGN:
            refs.append(i.ins[0][0])
        for r in refs:
            self.writes.setdefault(r if self.root else None, []).append(k)
        if i.op == HOST or i.op in CALLING and walk.effectful(i.node):
            self.writes.setdefault(None, []).append(k)

    def _there(self, s: Storage, at: int) -> bool:
        """Whether what is not of the arena can be read at an instruction as it is, without costs."""
        if s.origin == CONST or s.kind == WORD or s.origin == PARAM and self.root:
            return True
        if self.ends.get(s, -1) >= at:
            return True
        ref, since = self.loaded.get(s, (None, 0))
        if ref is None:
            return False
        writes = (*self.writes.get(ref, ()), *self.writes.get(None, ()))
        return not any(since < k <= at for k in writes)

    # ---- how much is used

    def _count(self, v: Value, sign: int) -> None:
        for start, stop in v.intervals():
            self.live[start : stop + 1] += sign * v.bytes

    def excess(self) -> int:
        """By how much the budget is exceeded, summed over the instructions."""
        over = self.live - self.budget
        return int(over[over > 0].sum())

    # ---- moves

    def choose(self) -> bool:
        """Choose moves until the function fits, or nothing helps. Returns whether there are any."""
        moved = False
        while (excess := self.excess()) > 0 and self._improve(excess):
            moved = True
        return moved

    def _improve(self, excess: int) -> bool:
        """Make the best move at the first place, of those that need most, where there is one."""
        peaks = np.flatnonzero(self.live > self.budget)
        for at in peaks[np.argsort(-self.live[peaks], kind="stable")][:_PLACES]:
            waiting = [(v, gap) for v in self.values.values() if (gap := v.gap(int(at)))]
            waiting.sort(key=lambda w: -w[0].bytes * (w[1][1] - w[1][0]) / (w[0].cost + 1e-9))
            for first in range(0, len(waiting), _TRIED):
                best = None
                for v, (_, use) in waiting[first : first + _TRIED]:
                    for move in self._moves(v, use):
                        score = self._score(move, excess)
                        if score is not None and (best is None or score < best[0]):
                            best = score, move
                if best is not None:
                    self._apply(best[1])
                    return True
        return False

    def _score(self, move: _Move, excess: int) -> float | None:
        """Seconds for what the move takes off the excess; None if that is nothing."""
        live, undo = self.live.copy(), self._apply(move)
        saved = excess - self.excess()
        for v, reads, makes in undo:
            v.reads, v.makes = reads, makes
            v.changed()
        self.live = live
        return max(move.seconds, 1e-9) / saved if saved > 0 else None

    def _moves(self, v: Value, at: int):
        """What can be done so that ``v`` is there at its use in ``at``, and not before."""
        if v.maker is not None:
            chain = self._chain(v, at)
            if chain is not None:
                for dropping in (True, False) if len(chain) > 1 else (True,):
                    yield self._again(chain, at, dropping)
        if self.copies and not is_word(self._type(v)):
            ways = 1 if BACK in v.makes.values() else 2
            move = _Move(at, ways * v.bytes * UNIT / self.costs.link)
            move.makes = [(v, BACK)]
            yield move

    def _type(self, v: Value):
        i = self.f.code[v.at]
        return self.tables.type_list[next(t for s, t in i.outs if s is v.s)]

    def _chain(self, v: Value, at: int) -> dict[Value, None] | None:
        """The values to make again at ``at`` for ``v``; None if one cannot be."""
        chain, stack = {v: None}, [v]
        while stack:
            w = stack.pop()
            if not all(self._there(s, at) for s in w.fixed):
                return None
            for x in w.operands:
                if x in chain or x.is_at(at) or 8 * x.bytes <= v.bytes:
                    continue  # what is small stays rather than be made again
                if x.maker is None:
                    return None
                chain[x] = None
                stack.append(x)
                if len(chain) > _CHAIN:
                    return None
        return chain

    def _again(self, chain: dict[Value, None], at: int, dropping: bool) -> _Move:
        move = _Move(at, 0.0)
        makers = {w.maker: w.cost for w in chain}
        move.seconds = sum(makers.values())
        move.makes = [(w, AGAIN) for w in chain]
        for w in chain if dropping else ():
            later = min((k for k in w.makes if k > at), default=None)
            if later is not None and w.makes[later] == AGAIN:
                move.drops.append((w, later))
                move.seconds -= w.cost
        return move

    def _apply(self, move: _Move) -> list[tuple]:
        """Make a move. Returns what there was."""
        changed = dict.fromkeys(w for w, _ in (*move.makes, *move.drops))
        for w, how in (*move.makes, *[(w, AGAIN) for w, _ in move.drops]):
            if how == AGAIN:
                changed.update(dict.fromkeys(w.operands))
        undo = [(w, dict(w.reads), dict(w.makes)) for w in changed]
        for w in changed:
            self._count(w, -1)
        for w, later in move.drops:
            del w.makes[later]
            for x in w.operands:
                x.reads[later] -= 1
                if not x.reads[later]:
                    del x.reads[later]
        for w, how in move.makes:
            w.makes[move.at] = how
            for x in w.operands if how == AGAIN else ():
                x.reads[move.at] = x.reads.get(move.at, 0) + 1
        for w in changed:
            w.changed()
            self._count(w, 1)
        return undo


def _repeats(i: Instr) -> bool:
    """Whether a kernel gives the same when it runs again, and changes nothing."""
    return not i.node.has_effect and not (i.into is not None and any(i.into))
