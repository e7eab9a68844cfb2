"""The instructions of a function whose values are evicted: kernels that run again, copies to the
host behind what made a value (SAVE), and back before its use (UPLOAD), early enough to be over then.

A device's copy lane runs both copies beside the kernels (`lanes.py`).
"""

from __future__ import annotations

from bisect import insort

from .evict import AGAIN, CALLING, Eviction, Value
from .format import RUN, SAVE, UNIT, UPLOAD
from .linearize import TEMP, TENSOR, Instr, Storage


def write(eviction: Eviction) -> None:
    """Rewrite the function with the moves that were chosen."""
    _Rewriting(eviction).run()


class _Rewriting:
    """Writes a function's instructions with the moves that were chosen."""

    def __init__(self, eviction: Eviction):
        self.eviction, self.f, self.tables = eviction, eviction.f, eviction.tables
        self.now: dict[Storage, Storage] = {}  # what stands for a storage by now
        self.saved: dict[Storage, tuple] = {}  # the host's copy of one
        self.operands = {i: i.ins for i in self.f.code}
        self.code: list[Instr] = []

    def run(self) -> None:
        again: dict[int, list[Value]] = {}
        back: dict[int, list[tuple[int, Value]]] = {}
        save = set()
        for v in self.eviction.values.values():
            for at, how in v.makes.items():
                if how == AGAIN:
                    insort(again.setdefault(at, []), v, key=lambda w: w.at)
                else:
                    save.add(v.s)
                    back.setdefault(self._begin(v, at), []).append((at, v))
        for k, i in enumerate(self.f.code):
            for _, v in sorted(back.get(k, ()), key=lambda row: row[0]):
                self.upload(v, i)
            made: set[Instr] = set()
            for v in again.get(k, ()):
                if v.maker not in made:
                    made.add(v.maker)
                    self.repeat(v.maker, {w.s for w in again[k]})
            self.take(i)
            self.code.append(i)
            for s, t in i.outs:
                if s in save:
                    self.save(s, t, i)
        self.f.code = self._read()

    def _begin(self, v: Value, at: int) -> int:
        """Before which instruction the copy back for ``at`` begins: early enough to be over by then,
        if there is room and nothing is called meanwhile.
        """
        eviction, seconds = self.eviction, v.bytes * UNIT / self.eviction.costs.link
        before = max((k for k in (v.at, *v.reads, *v.makes) if k < at), default=v.at)
        start = at
        while start - 1 > before + 1 and seconds > 0:
            i = self.f.code[start - 1]
            if i.op in CALLING or eviction.live[start - 1] + v.bytes > eviction.budget:
                break
            start -= 1
            seconds -= eviction.costs.seconds(i)
        eviction.live[start:at] += v.bytes
        return start

    def _read(self) -> list[Instr]:
        """The instructions without the kernels whose results are all made again before they are
        read.
        """
        makers = {v.maker for v in self.eviction.values.values() if v.makes}
        code, read = [], set()
        for i in reversed(self.code):
            if i in makers and not any(s in read for s, _ in i.outs):
                continue
            read.update(s for s, _ in i.reads())
            code.append(i)
        return code[::-1]

    def take(self, i: Instr) -> None:
        """Let an instruction read what stands for its operands."""
        i.ins = self._now(i.ins)
        if i.sides is not None:
            i.sides = [(target, self._now(args)) for target, args in i.sides]

    def _now(self, values) -> list:
        return [(self.now.get(s, s), t) for s, t in values]

    def repeat(self, maker: Instr, wanted: set[Storage]) -> None:
        """Run ``maker`` once more: of its results those of ``wanted`` are the ones that count."""
        ins = self._now(self.operands[maker])
        outs = [(_like(s), t) for s, t in maker.outs]
        i = Instr(RUN, maker.node, ins, outs, maker.target)
        i.donors, i.into = [list(d) for d in maker.donors], [None] * len(outs)
        self.code.append(i)
        for (s, _), (new, _) in zip(maker.outs, outs):
            if s in wanted:
                self.now[s] = new

    def save(self, s: Storage, t: int, i: Instr) -> None:
        there = _like(s)
        there.host = True
        here = self.tables.type(self.tables.type_list[t], False)
        self.code.append(Instr(SAVE, i.node, [(s, t)], [(there, here)], type=here))
        self.saved[s] = (there, here), t

    def upload(self, v: Value, user: Instr) -> None:
        value, t = self.saved[v.s]
        new = _like(v.s)
        self.code.append(Instr(UPLOAD, user.node, [value], [(new, t)], type=t))
        self.now[v.s] = new


def _like(s: Storage) -> Storage:
    return Storage(TENSOR, TEMP, s.bytes)
