"""Which arguments an operation inside of minds failed on: those that the failing expression reads.

For messages alone, made when a call has failed already.
"""

from __future__ import annotations

import dis
import itertools
import os
import re
import types

from .errors import is_library

_READS = re.compile(r"LOAD_(FAST|DEREF)")
_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_COMMON = (int, type(None), type(...))
"""What is equal is often one object: not by that is an argument of these classes known again."""
_CALL = re.compile(r"[\w.<>]+\(\) (missing|got|takes) ")
_FORWARDS = 0x04 | 0x08  # the flags of code that takes *args or **kwargs


def culprits(error: Exception, arguments: dict) -> list[tuple[str, object]]:
    """The arguments, by name, that were read where ``error`` arose: in the innermost function of
    minds that holds any of them.
    """
    known = {n: v for n, v in arguments.items() if n != "self"}
    known.update(_kept(arguments.get("self")))
    for at in reversed(_frames(error)):
        found = [p for n, v in _read(at) if (p := _argument(n, v, known)) is not None]
        if found:
            return list(dict(found).items())
    return []


def misplaced(error: Exception) -> str | None:
    """What is wrong with the arguments as such (too few, too many, unknown), where a function has only
    handed them on to another one; None if that is not it.
    """
    frames = _frames(error)
    if not isinstance(error, TypeError) or not frames or error.__traceback__ is None:
        return None
    said = _CALL.match(str(error))
    forwards = frames[-1].tb_frame.f_code.co_flags & _FORWARDS
    return str(error)[said.start(1) :] if said and forwards else None


def is_ours(error: Exception, arguments: dict) -> bool:
    """Whether no argument can be the cause of an exception that code of minds has raised: a name that
    is not defined, an assertion, an attribute that a module lacks.
    """
    if isinstance(error, AttributeError):
        of = getattr(error, "obj", None)
        given = any(isinstance(v, types.ModuleType) for v in arguments.values())
        return isinstance(of, types.ModuleType) and not given
    return isinstance(error, (NameError, AssertionError, SystemError))


def _frames(error: Exception) -> list:
    """The traceback's entries in code of minds, from the outermost; not those of the boundary."""
    found, at = [], error.__traceback__
    while at is not None:
        file = at.tb_frame.f_code.co_filename
        if is_library(file) and not file.startswith(_HERE):
            found.append(at)
        at = at.tb_next
    return found


def _kept(self) -> dict:
    """What an object keeps of what it was made of."""
    kept = vars(self) if hasattr(self, "__dict__") else {}
    return {n: v for n, v in kept.items() if not n.startswith("_")}


def _argument(name: str, value, known: dict) -> tuple[str, object] | None:
    """The argument that a variable holds, or that it is made of."""
    if name in known and (known[name] is value or type(known[name]) is not type(value)):
        return name, known[name]
    if isinstance(value, _COMMON) or type(value) in (tuple, str) and not value:
        return None
    for n, v in known.items():
        if v is value:
            return n, v
        items = v.items() if type(v) is dict else enumerate(v) if type(v) in (tuple, list) else ()
        for i, e in itertools.islice(items, 100):
            if e is value:
                return f"{n}[{i!r}]", e
    return None


def _read(at) -> list[tuple[str, object]]:
    """The variables, and the attributes of ``self``, that the failing expression reads; where it reads
    none, those of its line.
    """
    code, held = at.tb_frame.f_code, at.tb_frame.f_locals
    instructions = list(dis.get_instructions(code))
    failing = next((i for i in instructions if i.offset == at.tb_lasti), None)
    span = _span(failing)
    inside = [i for i in instructions if span is not None and _within(_span(i), span)]
    parts = [(start, end) for start, end, line in code.co_lines() if line == at.tb_lineno]
    on_line = [i for i in instructions if any(a <= i.offset < b for a, b in parts)]
    return _values(inside, held) or _values(on_line, held)


def _values(instructions: list, held: dict) -> list[tuple[str, object]]:
    """The names that instructions read, with their values."""
    found = []
    kept = _kept(held.get("self"))
    for before, i in zip([None, *instructions], instructions):
        if _READS.match(i.opname):
            names = i.argval if isinstance(i.argval, tuple) else (i.argval,)
            found += [(n, held[n]) for n in names if n in held and n != "self"]
        elif i.opname == "LOAD_ATTR" and before is not None and before.argval == "self":
            found += [(i.argval, kept[i.argval])] if i.argval in kept else []
    return found


def _span(instruction):
    """Where an instruction stands in its source, from Python 3.11 on."""
    at = getattr(instruction, "positions", None)
    if at is None or None in (at.lineno, at.end_lineno, at.col_offset, at.end_col_offset):
        return None
    return (at.lineno, at.col_offset), (at.end_lineno, at.end_col_offset)


def _within(inner, outer) -> bool:
    return inner is not None and outer[0] <= inner[0] and inner[1] <= outer[1]


__all__ = ["culprits", "is_ours", "misplaced"]
