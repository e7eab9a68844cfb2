"""The bytes of a program.

All numbers are 32-bit little-endian words; 64-bit ones take two, the low word first; strings are a
length and padded bytes.
    magic, version, CRC-32 of the rest, device
    types, types of the constants, number of callbacks
    kernels: name, attributes, input types, output types
    function headers: name, parameters with `keeps`, results, object slots, words, constants, arena
    the code of each function
csrc/runtime/load.cc reads it; an operand is a place and an index.
"""

from __future__ import annotations

import struct
import zlib

from ..base.errors import complain
from .format import (
    ARRIVE,
    ASSIGN,
    CALL,
    CALL_VALUE,
    CLOSURE,
    COPY,
    DOWNLOAD,
    DROP,
    FROM_POOL,
    HOST,
    IN_ARENA,
    IN_CONSTANT,
    IN_FUNCTION,
    IN_OBJECT,
    IN_PARAM,
    IN_WORD,
    LOAD,
    MAGIC,
    MOVED,
    PARTIAL,
    RETURN,
    RUN,
    SAVE,
    SCALAR,
    SELECT,
    SIGNAL,
    SWITCH,
    SWITCH_TAIL,
    TAIL,
    TAIL_VALUE,
    UNIT,
    UPLOAD,
    VERSION,
    WAIT,
)
from .linearize import CONST, FUNCTION, REF, WORD, Function, Instr, LinearIR, Storage
from .select import WordBuffer


def encode(program: LinearIR, device: str) -> bytes:
    """The bytes that `_core.Program` loads."""
    t, w = program.tables, WordBuffer()
    w.text(device)
    w.append(len(t.type_list))
    for a, away in zip(t.type_list, t.away, strict=True):
        w.type(a, away)
    w.list([t.type(c.abstract, program.placement is not None) for c in t.constants])
    w.append(len(t.callbacks))
    w.append(len(t.kernel_list))
    for name, attrs, ins, outs in t.kernel_list:
        w.text(name)
        w.append(len(attrs))
        for key, value in attrs.items():
            w.text(key)
            w.attribute(value)
        w.list(ins)
        w.list(outs)
    w.append(len(program.functions))
    for f in program.functions:
        _header(w, f)
    for f in program.functions:
        w.append(len(f.code))
        for i in f.code:
            _instruction(w, i)
    body = w.tobytes()
    return struct.pack("<III", MAGIC, VERSION, zlib.crc32(body)) + body


def _header(w: WordBuffer, f: Function) -> None:
    w.text(f.name)
    w.append(len(f.params))
    for s, t in f.params:
        w.extend((t, s.keeps))
    w.list([t for _, t in f.results])
    w.extend((f.objects, f.words, len(f.constants)))
    for bits in f.constants:
        w.u64(bits)
    if f.arena > _MOST_UNITS:
        gib = f"{f.arena * UNIT / 2**30:.3g} GiB"
        raise complain(MemoryError, f"{f.name}: its temporary tensors take {gib} of memory")
    w.append(f.arena)


_MOST_UNITS = 2**32 - 1
"""Of an arena, which a program says as a word: 256 GiB."""


def place(s: Storage, moved: bool = False) -> tuple[int, int]:
    """Where an operand is read from."""
    if s.kind == WORD:
        return IN_WORD, s.slot
    if s.origin == CONST:
        return (IN_FUNCTION if s.kind == FUNCTION else IN_CONSTANT), s.const
    if s.block is not None:
        return IN_ARENA, s.block.offset
    return (MOVED if moved and s.kind != REF else IN_OBJECT), s.slot


def target(i: Instr, n: int) -> tuple[int, int]:
    """Where the n-th result of a kernel is written."""
    s = i.outs[n][0]
    if i.into is not None and i.into[n] is not None:
        return IN_PARAM, i.into[n][0].slot
    if s.kind == WORD:
        return IN_WORD, s.slot
    return (IN_ARENA, s.block.offset) if s.block is not None else (FROM_POOL, s.slot)


def _operands(w: WordBuffer, values, moves=()) -> None:
    for k, (s, _) in enumerate(values):
        w.extend(place(s, k in moves))


def _results(w: WordBuffer, i: Instr) -> None:
    w.extend([s.slot for s, _ in i.outs])
    w.append(i.keep)


def _outs(w: WordBuffer, i: Instr) -> None:
    for n in range(len(i.outs)):
        w.extend(target(i, n))
        w.append(i.donors[n] + 1 if i.donors is not None else 0)


def _run(w: WordBuffer, i: Instr) -> None:
    w.append(i.target)
    _operands(w, i.ins, i.moves or ())
    _outs(w, i)


def _copy(w: WordBuffer, i: Instr) -> None:
    w.append(i.type)
    _operands(w, i.ins, i.moves or ())
    w.extend(target(i, 0))


def _call(w: WordBuffer, i: Instr) -> None:
    w.append(i.target)
    _operands(w, i.ins, i.moves or ())
    w.append(0)
    if i.op == CALL:
        _results(w, i)


def _switch(w: WordBuffer, i: Instr) -> None:
    _operands(w, i.ins)
    for (fn, args), moves, drops in zip(i.sides, i.moves, i.drops, strict=True):
        w.append(fn)
        _operands(w, args, moves)
        w.list([s.slot for s in drops])
    if i.op == SWITCH:
        _results(w, i)


def _typed(w: WordBuffer, i: Instr) -> None:
    """A function value, and arguments with their types."""
    moves = i.moves or ()
    _operands(w, i.ins[:1], moves)
    w.list([t for _, t in i.ins[1:]])
    _operands(w, i.ins[1:], {m - 1 for m in moves})


def _call_value(w: WordBuffer, i: Instr) -> None:
    _typed(w, i)
    w.append(0)
    if i.op == CALL_VALUE:
        w.list([t for _, t in i.outs])
        _results(w, i)


def _select(w: WordBuffer, i: Instr) -> None:
    _operands(w, i.ins, i.moves or ())
    w.append(i.outs[0][0].slot)


def _closure(w: WordBuffer, i: Instr) -> None:
    w.extend((i.outs[0][0].slot, i.target, len(i.ins)))
    _operands(w, i.ins, i.moves or ())


def _partial(w: WordBuffer, i: Instr) -> None:
    w.append(i.outs[0][0].slot)
    _typed(w, i)


def _load(w: WordBuffer, i: Instr) -> None:
    w.append(i.type)
    _operands(w, i.ins)
    s = i.outs[0][0]
    w.extend((IN_WORD if s.kind == WORD else FROM_POOL, s.slot))


def _assign(w: WordBuffer, i: Instr) -> None:
    w.append(i.type)
    _operands(w, i.ins, i.moves or ())


def _host(w: WordBuffer, i: Instr) -> None:
    w.append(i.target)
    w.list([t for _, t in i.ins])
    w.list([t for _, t in i.outs])
    _operands(w, i.ins, i.moves or ())
    _outs(w, i)


def _transfer(w: WordBuffer, i: Instr) -> None:
    w.append(i.lane)
    _copy(w, i)


_WRITERS = {
    RUN: _run,
    COPY: _copy,
    CALL: _call,
    TAIL: _call,
    SWITCH: _switch,
    SWITCH_TAIL: _switch,
    CALL_VALUE: _call_value,
    TAIL_VALUE: _call_value,
    SELECT: _select,
    CLOSURE: _closure,
    PARTIAL: _partial,
    LOAD: _load,
    ASSIGN: _assign,
    DROP: lambda w, i: w.list([s.slot for s, _ in i.ins]),
    HOST: _host,
    RETURN: lambda w, i: _operands(w, i.ins, i.moves or ()),
    UPLOAD: _transfer,
    DOWNLOAD: _transfer,
    SAVE: _transfer,
    WAIT: lambda w, i: w.extend((i.lane, i.target)),
    SIGNAL: lambda w, i: w.extend((i.lane, i.target)),
    ARRIVE: lambda w, i: w.extend((i.lane, i.target)),
}


def _instruction(w: WordBuffer, i: Instr) -> None:
    if i.op == SCALAR:
        a = i.ins[0][0].slot
        b = i.ins[1][0].slot if len(i.ins) > 1 else a
        w.extend((SCALAR + i.target, a, b, i.outs[0][0].slot))
        return
    w.append(i.op)
    _WRITERS[i.op](w, i)
