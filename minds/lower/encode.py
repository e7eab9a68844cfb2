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

from .format import (
    ASSIGN,
    CALL,
    CALL_VALUE,
    CLOSURE,
    COPY,
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
    SCALAR,
    SELECT,
    SWITCH,
    SWITCH_TAIL,
    TAIL,
    TAIL_VALUE,
    VERSION,
)
from .linearize import CONST, FUNCTION, REF, WORD, Function, Instr, LinearIR, Storage
from .select import WordBuffer


def encode(program: LinearIR, device: str) -> bytes:
    """The bytes that `_core.Program` loads."""
    t, w = program.tables, WordBuffer()
    w.text(device)
    w.append(len(t.type_list))
    for a in t.type_list:
        w.type(a)
    w.list([t.type(c.abstract) for c in t.constants])
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
    w.append(f.arena)


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


def _instruction(w: WordBuffer, i: Instr) -> None:
    op, ins, outs, moves = i.op, i.ins, i.outs, i.moves or ()
    if op == SCALAR:
        a = ins[0][0].slot
        w.extend((SCALAR + i.target, a, ins[1][0].slot if len(ins) > 1 else a, outs[0][0].slot))
        return
    w.append(op)
    if op == RUN:
        w.append(i.target)
        _operands(w, ins, moves)
        _outs(w, i)
    elif op == COPY:
        w.append(i.type)
        _operands(w, ins, moves)
        w.extend(target(i, 0))
    elif op in (CALL, TAIL):
        w.append(i.target)
        _operands(w, ins, moves)
        w.append(0)
        if op == CALL:
            _results(w, i)
    elif op in (SWITCH, SWITCH_TAIL):
        _operands(w, ins)
        for (fn, args), side_moves, drops in zip(i.sides, i.moves, i.drops, strict=True):
            w.append(fn)
            _operands(w, args, side_moves)
            w.list([s.slot for s in drops])
        if op == SWITCH:
            _results(w, i)
    elif op in (CALL_VALUE, TAIL_VALUE):
        _operands(w, ins[:1], moves)
        w.list([t for _, t in ins[1:]])
        _operands(w, ins[1:], {m - 1 for m in moves})
        w.append(0)
        if op == CALL_VALUE:
            w.list([t for _, t in outs])
            _results(w, i)
    elif op == SELECT:
        _operands(w, ins, moves)
        w.append(outs[0][0].slot)
    elif op == CLOSURE:
        w.extend((outs[0][0].slot, i.target, len(ins)))
        _operands(w, ins, moves)
    elif op == PARTIAL:
        w.append(outs[0][0].slot)
        _operands(w, ins[:1], moves)
        w.list([t for _, t in ins[1:]])
        _operands(w, ins[1:], {m - 1 for m in moves})
    elif op == LOAD:
        w.append(i.type)
        _operands(w, ins)
        s = outs[0][0]
        w.extend((IN_WORD if s.kind == WORD else FROM_POOL, s.slot))
    elif op == ASSIGN:
        w.append(i.type)
        _operands(w, ins, moves)
    elif op == DROP:
        w.list([s.slot for s, _ in ins])
    elif op == HOST:
        w.append(i.target)
        w.list([t for _, t in ins])
        w.list([t for _, t in outs])
        _operands(w, ins, moves)
        _outs(w, i)
    else:
        assert op == RETURN, op
        _operands(w, ins, moves)
