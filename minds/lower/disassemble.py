"""Disassembly: the bytes of a program as text, exactly as the runtime decodes them.

``w`` is a word, ``o`` an object slot (``o1!`` is emptied, ``o1 from x`` takes the buffer of x where
it can), ``a`` an offset in the arena, ``c`` a constant, ``@`` a function, ``new o`` a slot that
gets a buffer from the pool, ``*o`` the parameter that a slot refers to, ``e`` an event. A type that
is ``away`` is of values in memory that the device does not share with the host.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from ..base import dtype as dt
from .format import AWAY, OPCODES, SCALAR, SCALAR_TEXT, UNIT, WORD_BYTES

_PLACES = ("w{0}", "o{0}", "o{0}!", "a{1}", "c{0}", "@{0}", "new o{0}", "*o{0}")

_LANES = ("", "  ; copy lane", "  ; communication lane")


def disassemble(code: bytes) -> Iterator[str]:
    """The lines of a program's text."""
    return _Disassembler(code[12:]).lines()


class _Disassembler:
    """Reads the format that `encode.py` describes. The bytes are ours: nothing is checked."""

    def __init__(self, code: bytes):
        self.code, self.at = code, 0
        self.instruction = 0

    # ---- parts of the format

    def u32(self) -> int:
        self.at += 4
        return struct.unpack_from("<I", self.code, self.at - 4)[0]

    def unpack(self, kind: str):
        self.at += 8
        return struct.unpack_from("<" + kind, self.code, self.at - 8)[0]

    def text(self) -> str:
        n = self.u32()
        s = self.code[self.at : self.at + n].decode()
        self.at += -(-n // 4) * 4
        return s

    def list(self) -> list[int]:
        return [self.u32() for _ in range(self.u32())]

    def type(self) -> tuple[str, bool]:
        """A type's text, and whether its values are words."""
        word = self.u32()
        kind, away = word & ~AWAY, bool(word & AWAY)
        if kind == 1:
            return "function", False
        t, rank = dt.from_code(self.u32()), self.u32()
        where = " away" if away else ""
        if kind == 3:
            return f"{t.name}[{', '.join('?' * rank)}]{where}", False
        shape = [0] * rank
        shape = [self.unpack("q") for _ in shape]
        text = f"{t.name}[{', '.join(map(str, shape))}]{where}"
        if kind == 2:
            return "ref " + text, False
        return text, not (shape or away) and t.itemsize <= WORD_BYTES

    def attribute(self) -> str:
        tag = self.u32()
        if tag == 0:
            return "None"
        if tag == 1:
            return str(bool(self.u32()))
        if tag in (2, 3):
            return repr(self.unpack("q" if tag == 2 else "d"))
        if tag == 4:
            return repr(self.text())
        if tag == 5:
            return dt.from_code(self.u32()).name
        return repr(tuple(self.unpack("q" if tag == 6 else "d") for _ in range(self.u32())))

    def kernel(self) -> tuple[str, str, list, list]:
        name = self.text()
        attrs = [f"{self.text()}={self.attribute()}" for _ in range(self.u32())]
        return name, ", ".join(attrs), self.list(), self.list()

    def function(self) -> tuple:
        name = self.text()
        params = [(self.u32(), self.u32()) for _ in range(self.u32())]
        results = self.list()
        objects, words = self.u32(), self.u32()
        constants = [self.unpack("Q") for _ in range(self.u32())]
        return name, params, results, objects, words, constants, self.u32() * UNIT

    def operand(self) -> str:
        place, index = self.u32(), self.u32()
        return _PLACES[place].format(index, index * UNIT)

    def operands(self, n: int) -> list[str]:
        return [self.operand() for _ in range(n)]

    def names(self, types: list[int]) -> str:
        return ", ".join(self.types[t][0] for t in types)

    # ---- the whole

    def lines(self) -> Iterator[str]:
        yield f"program for {self.text()}"
        self.types = [self.type() for _ in range(self.u32())]
        for k, t in enumerate(self.list()):
            yield f"constant c{k}: {self.types[t][0]}"
        callbacks = self.u32()
        if callbacks:
            yield f"callbacks: {callbacks}"
        self.kernels = [self.kernel() for _ in range(self.u32())]
        self.functions = [self.function() for _ in range(self.u32())]
        for k, f in enumerate(self.functions):
            yield from self.header(k, f)
            for _ in range(self.u32()):
                yield f"  {self.instruction:5} {self.line(f)}"
                self.instruction += 1

    def header(self, k: int, f: tuple) -> Iterator[str]:
        name, params, results, objects, words, constants, arena = f
        shown, counts = [], {"w": 0, "o": 0}
        for t, keeps in params:
            text, word = self.types[t]
            slot = "w" if word else "o"
            shown.append(f"{slot}{counts[slot]}: {text}{' kept' if keeps and not word else ''}")
            counts[slot] += 1
        yield ""
        yield f"@{k} {name}({', '.join(shown)}) -> {self.names(results) or 'nothing'}"
        yield f"  frame: {objects} objects, {words} words, arena {arena} bytes"
        if constants:
            first = counts["w"]
            yield "  " + ", ".join(f"w{first + i} = {c:#x}" for i, c in enumerate(constants))

    def line(self, f: tuple) -> str:
        op = self.u32()
        if op >= SCALAR:
            (name, operands), a, b, out = SCALAR_TEXT[op - SCALAR], *[self.u32() for _ in range(3)]
            return f"w{out} = {name} w{a}" + (f" w{b}" if operands == 2 else "")
        return getattr(self, "_" + OPCODES[op].lower())(OPCODES[op], f)

    def call(self, head: str, args: list[str]) -> str:
        drops = self.list()
        return f"{head}({', '.join(args)})" + (
            f" drop {', '.join(f'o{d}' for d in drops)}" if drops else ""
        )

    def direct(self) -> tuple[str, list[int]]:
        k = self.u32()
        f = self.functions[k]
        return self.call(f"@{k} {f[0]}", self.operands(len(f[1]))), f[2]

    def results(self, types: list[int], what: str) -> str:
        outs = [f"{'w' if self.types[t][1] else 'o'}{self.u32()}" for t in types]
        keep = self.u32() * UNIT
        return (
            (f"{', '.join(outs)} = " if outs else "")
            + what
            + (f"  ; keeps {keep} bytes" if keep else "")
        )

    def outs(self, ins: list[str], n: int) -> str:
        shown = []
        for _ in range(n):
            out, donor = self.operand(), self.u32()
            shown.append(f"{out} from {ins[donor - 1].rstrip('!')}" if donor else out)
        return ", ".join(shown) + (" = " if n else "")

    # ---- one instruction each

    def _run(self, name, f):
        kernel, attrs, in_types, out_types = self.kernels[self.u32()]
        ins = self.operands(len(in_types))
        args = ", ".join(ins + ([attrs] if attrs else []))
        return f"{self.outs(ins, len(out_types))}RUN {kernel}({args}) : {self.names(out_types)}"

    def _host(self, name, f):
        k, in_types, out_types = self.u32(), self.list(), self.list()
        ins = self.operands(len(in_types))
        return f"{self.outs(ins, len(out_types))}HOST {k}({', '.join(ins)})"

    def _copy(self, name, f):
        t = self.types[self.u32()][0]
        source, out = self.operands(2)
        return f"{out} = COPY {source} : {t}"

    def _transfer(self, name, f):
        lane = self.u32()
        t = self.types[self.u32()][0]
        source, out = self.operands(2)
        return f"{out} = {name} {source} : {t}{_LANES[lane]}"

    _upload = _download = _save = _transfer

    def _wait(self, name, f):
        lane, event = self.u32(), self.u32()
        return f"{name} e{event}{_LANES[lane]}"

    _signal = _arrive = _wait

    def _call(self, name, f):
        what, types = self.direct()
        return self.results(types, f"CALL {what}")

    def _tail(self, name, f):
        return f"TAIL {self.direct()[0]}"

    def _switch(self, name, f):
        cond = self.operand()
        (yes, types), (no, _) = self.direct(), self.direct()
        what = f"{name} {cond} ? {yes} : {no}"
        return what if name == "SWITCH_TAIL" else self.results(types, what)

    _switch_tail = _switch

    def _call_value(self, name, f):
        callee = self.operand()
        what = f"{name} {self.call(callee, self.operands(len(self.list())))}"
        return what if name == "TAIL_VALUE" else self.results(self.list(), what)

    _tail_value = _call_value

    def _select(self, name, f):
        cond, yes, no = self.operands(3)
        return f"o{self.u32()} = SELECT {cond} ? {yes} : {no}"

    def _closure(self, name, f):
        out, k = self.u32(), self.u32()
        return (
            f"o{out} = CLOSURE @{k} {self.functions[k][0]}({', '.join(self.operands(self.u32()))})"
        )

    def _partial(self, name, f):
        out, callee = self.u32(), self.operand()
        return f"o{out} = PARTIAL {callee}({', '.join(self.operands(len(self.list())))})"

    def _load(self, name, f):
        t = self.types[self.u32()][0]
        source, out = self.operands(2)
        return f"{out.removeprefix('new ')} = LOAD {source} : {t}"

    def _assign(self, name, f):
        t = self.types[self.u32()][0]
        ref, value = self.operands(2)
        return f"ASSIGN *{ref} = {value} : {t}"

    def _drop(self, name, f):
        return "DROP " + ", ".join(f"o{k}" for k in self.list())

    def _return(self, name, f):
        return "RETURN " + ", ".join(self.operands(len(f[2])))
