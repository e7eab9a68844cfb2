"""A compiled program as bytes, for the call that made it and for calls that reach the same (`reach`).

Objects on which it depends are numbers of `Reach.objects`. What a program has read outside is written
with the values that it had, and becomes the same table of guards again, which must hold: whatever makes
a program in memory invalid makes a stored one so. The bytes are data; nothing in them is run but the
program, which the core checks as any other.
"""

from __future__ import annotations

import json
import struct
import types
from bisect import bisect_right

from ..base import dtype as dt
from ..base.loc import Loc
from ..frontend.imports import ABSENT, ATTRIBUTE, CELL, CLASS, ENTRY, ITEM, Read
from ..frontend.value_types import Leaf, LocalDict, LocalList
from ..ir.abstract import AbstractRef, AbstractScalar, AbstractTensor
from ..lower.program import Executable
from ..ops.define import LIBRARY, Op, P
from ..tensor import Parameter, Tensor
from .arguments import FIXED, RUN, Numbers
from .guards import Guards
from .program import Program
from .reach import Reach, Unknown, is_closed

_LARGEST = 64 << 20
"""Bytes of the constants of a program, and of what is compared with what it knew of tensors."""
_WORDS = (bool, int, float, str, type(None))
_PLACES = (ENTRY, CELL, CLASS, ATTRIBUTE, ITEM)


class Outdated(Exception):
    """Something that the program depends on is another one now."""


def write(program: Program, noted: tuple, reach: Reach, leaves: list) -> bytes:
    """The bytes of a program that was compiled for ``leaves`` of arguments; ``noted`` is what it read
    outside (`Read`), and its parameters.

    Raises:
        Unknown: it depends on what has no number, or holds what a file cannot hold.
    """
    executable, guards, (reads, parameters) = program.executable, program.guards, noted
    if program.given or program.stored or guards.hooks or executable.callbacks:
        raise Unknown("effects")
    writer = _EntryWriter(reach)
    given = {id(v) for v in leaves} | {id(r.value) for r in reads if r.leaf is not None}
    compared = [n for n in reach.contents if id(reach.objects[n]) not in given]
    constants = [Tensor._wrap(a) for a in executable.constants]
    sizes = [v.nbytes for v in (*constants, *(reach.objects[n] for n in compared))]
    if sum(sizes) > _LARGEST:
        raise Unknown("large constants")
    blobs = [executable.code, json.dumps(_described(executable.places)).encode()]
    blobs += [v.get_bytes() for v in constants]
    about = {
        "out": _skeleton(program.out),
        "inputs": [_type(a) for a in executable.inputs],
        "params": [_type(a.value) for a in executable.params],
        "results": [_type(a) for a in executable.results],
        "arena_bytes": executable.arena_bytes,
        "instructions": executable.instructions,
        "name": executable.name,
        "flops": list(executable.flops.items()),
        "constants": [[v.dtype.name, list(v.shape)] for v in constants],
        "parameters": [writer.number(p) for p in parameters],
        "writes": guards.writes,
        "reads": [writer.read(r) for r in reads if not _is_fixed(r)],
        "compared": [[n, reach.elements(n).hex()] for n in compared],
        "blobs": [len(b) for b in blobs],
    }
    head = json.dumps(about).encode()
    return b"".join([struct.pack("<Q", len(head)), head, *blobs])


def write_instead(taken: Numbers) -> bytes:
    """The bytes that say that the numbers among the arguments are to be taken in another way.

    Raises:
        Unknown: as open sizes.
    """
    head = json.dumps({"instead": of_numbers(taken)}).encode()
    return struct.pack("<Q", len(head)) + head


def read(data: bytes, reach: Reach) -> Program | Numbers:
    """The program for a call that reaches this, or how it is to take the numbers among the arguments.

    Raises:
        Outdated: what it depends on is not what it was.
        Exception: the bytes are damaged.
    """
    (size,) = struct.unpack_from("<Q", data)
    about, at, blobs = json.loads(data[8 : 8 + size]), 8 + size, []
    if "instead" in about:
        return _numbers(**about["instead"])
    for n in about["blobs"]:
        blobs.append(data[at : at + n])
        at += n
    if any(reach.elements(n).hex() != was for n, was in about["compared"]):
        raise Outdated
    reads: list[Read] = []
    for told in about["reads"]:
        reads.append(_read(reach, reads, *told))
    parameters = [reach.objects[n] for n in about["parameters"]]
    if not all(isinstance(p, Parameter) for p in parameters):
        raise TypeError("a parameter is none")
    guards = Guards(reads, parameters, about["writes"] is True)
    if guards.now() is None:
        raise Outdated
    code, places, *tensors = blobs
    constants = [
        Tensor.convert_bytes_to_tensor(b, tuple(shape), dt.of(name))._array
        for b, (name, shape) in zip(tensors, about["constants"], strict=True)
    ]
    results = [_abstract(*t) for t in about["results"]]
    executable = Executable.stored(
        constants,
        code=code,
        places=_Places(places),
        inputs=[_abstract(*t) for t in about["inputs"]],
        params=[AbstractRef(_abstract(*t)) for t in about["params"]],
        results=results,
        flops=dict(about["flops"]),
        **{name: about[name] for name in ("arena_bytes", "instructions", "name")},
    )
    return Program(executable, _made(about["out"], iter(results)), None, [], guards)


class _EntryWriter:
    """Writes what a program has read."""

    def __init__(self, reach: Reach):
        self.reach, self.order = reach, {}

    def number(self, v) -> int | list:
        """The number of an object, or the name of one of the library."""
        n = self.reach.numbers.get(id(v))
        n = _library_name(v) if n is None else n
        if n is None or type(n) is int and n in self.reach.opaque:
            raise Unknown(type(v).__name__)
        return n

    def read(self, r: Read) -> list:
        """A place, what has it, its name, what stood there and how that is taken."""
        self.order[id(r)] = len(self.order)
        of_container = type(r.holder) is Read
        holder = self.order[id(r.holder)] if of_container else self.number(r.holder)
        owner = self.reach.numbers.get(id(r.owner))
        name, value = self.value(r.name), self.value(r.value)
        return [r.place, of_container, holder, name, value, owner, r.leaf is not None, r.whole]

    def value(self, v) -> list:
        if v is ABSENT:
            return ["absent"]
        if type(v) in _WORDS:
            return ["is", v]
        if type(v) is bytes:
            return ["bytes", v.hex()]
        if type(v) is types.MethodType and id(v) not in self.reach.numbers:
            return ["method", self.number(v.__func__), self.number(v.__self__)]
        return ["object", self.number(v)]


def _is_fixed(r: Read) -> bool:
    """Whether what was read is of a function or class that is known by a version."""
    holder = r.holder
    if r.place == CLASS:
        holder = next((c for c in holder.__mro__ if r.name in c.__dict__), holder)
    return isinstance(holder, (type, types.FunctionType)) and is_closed(holder)


def _library_name(v) -> list | None:
    """How files name an op, and the tables of them; None for other objects."""
    for name, table in _OPS.items():
        if v is vars(table):
            return [name]
        if isinstance(v, Op) and vars(table).get(v.name) is v:
            return [name, v.name]
    return None


_OPS = {"P": P, "LIBRARY": LIBRARY}


def _object(reach: Reach, number):
    if type(number) is int:
        return reach.objects[number]
    table, *name = number
    return vars(_OPS[table])[name[0]] if name else vars(_OPS[table])


def _read(reach: Reach, before: list, place, of_container, holder, name, value, owner, leaf, whole):
    if place not in _PLACES:
        raise ValueError("no place")
    holder = before[holder] if of_container else _object(reach, holder)
    owner = None if owner is None else reach.objects[owner]
    r = Read(place, holder, _value(reach, *name), _value(reach, *value), owner)
    r.leaf, r.whole = (True if leaf else None), whole is True
    return r


def _value(reach: Reach, kind: str, *told):
    if kind == "absent":
        return ABSENT
    if kind == "is":
        return told[0]
    if kind == "bytes":
        return bytes.fromhex(told[0])
    if kind == "method":
        return types.MethodType(*[_object(reach, n) for n in told])
    return _object(reach, told[0])


def _skeleton(v):
    """The skeleton of a result as JSON."""
    kind = type(v)
    if kind is Leaf:
        return "leaf"
    if kind in _WORDS:
        return {"is": v}
    if kind is tuple or kind in (list, LocalList) and getattr(v, "kind", None) is None:
        return {"tuple" if kind is tuple else "list": [_skeleton(e) for e in v]}
    plain = kind in (dict, LocalDict) and getattr(v, "kind", None) is None
    if plain and all(type(k) in _WORDS for k in v):
        return {"dict": [[k, _skeleton(e)] for k, e in v.items()]}
    raise Unknown(f"a result with a {kind.__name__}")


def _made(told, types_):
    if told == "leaf":
        return Leaf(next(types_))
    ((kind, inner),) = told.items()
    if kind == "is":
        return inner
    if kind == "dict":
        return {k: _made(e, types_) for k, e in inner}
    return (tuple if kind == "tuple" else list)([_made(e, types_) for e in inner])


_KINDS = {"bool": bool, "int": int, "float": float}


def _type(a) -> list:
    if isinstance(a, AbstractScalar):
        return [a.kind.__name__, None]
    return [a.dtype.name, list(a.shape)]


def _abstract(name: str, shape):
    if shape is None:
        return AbstractScalar(_KINDS[name])
    return AbstractTensor(shape, dt.of(name))


_HOW = {"run": RUN, "fixed": FIXED}


def of_numbers(taken: Numbers) -> dict:
    words = {id(how): word for word, how in _HOW.items()}
    if not all(id(how) in words for how in (taken.rest, *taken.how.values())):
        raise Unknown("an open size")
    how = [[i, words[id(v)]] for i, v in taken.how.items()]
    how.sort()
    return {"how": how, "rest": words[id(taken.rest)], "counts": taken.counts}


def _numbers(how: list, rest: str, counts: bool) -> Numbers:
    return Numbers({i: _HOW[v] for i, v in how}, _HOW[rest], counts)


# ---- what errors tell


def _described(places: list) -> list:
    """A table of locations, and the number of each instruction of which errors tell something else than
    of the one before, with that.
    """
    table, rows, known = [], [], {None: None}

    def number(loc) -> int | None:
        if loc not in known:
            caller = number(loc.caller)
            span = [loc.line, loc.col, loc.end_line, loc.end_col]
            table.append([loc.file, *span, loc.function, caller, loc.backward])
            known[loc] = len(table) - 1
        return known[loc]

    for at, (loc, name, operands) in enumerate(places):
        row = [number(loc), name, [[n, _shown(a)] for n, a in operands]]
        if not rows or rows[-1][1] != row:
            rows.append([at, row])
    return [table, rows]


def _shown(a) -> list | None:
    """The type of an operand: a number, or the text of another."""
    if a is None:
        return None
    return [isinstance(a, AbstractScalar), a.kind.__name__ if hasattr(a, "kind") else repr(a)]


class _Shown(str):
    """The text of a type."""

    __slots__ = ()
    __repr__ = str.__str__


class _Places:
    """What errors tell of the instructions of a stored program, read when it is first asked."""

    def __init__(self, data: bytes):
        self.data: bytes | None = data
        self.locs: list[Loc] = []
        self.rows: list = []
        self.first: list[int] = []

    def __getitem__(self, at: int) -> tuple:
        if self.data is not None:
            self._read()
        loc, name, operands = self.rows[bisect_right(self.first, at) - 1]
        loc = None if loc is None else self.locs[loc]
        return loc, name, tuple([(n, _operand(*a) if a else None) for n, a in operands])

    def _read(self) -> None:
        table, rows = json.loads(self.data)
        for file, *span, function, caller, backward in table:
            caller = None if caller is None else self.locs[caller]
            self.locs.append(Loc(file, *span, function, caller, backward))
        self.first, self.rows = [first for first, _ in rows], [row for _, row in rows]
        self.data = None


def _operand(scalar: bool, told: str):
    return AbstractScalar(_KINDS[told]) if scalar else _Shown(told)


__all__ = ["Outdated", "of_numbers", "read", "write"]
