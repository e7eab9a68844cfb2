"""Watching what runs: each kernel with its line, each run of a program; and the search for NaN."""

from __future__ import annotations

import threading
import weakref
from typing import NamedTuple

from .. import _core
from ..base import marks
from ..base.errors import is_library
from ..base.loc import Loc

ALIVE: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
"""The `Executable` of each program, by its number in the core."""

_lock = threading.Lock()
_users = {"times": 0, "nan": 0}


class Work(NamedTuple):
    """A kernel that ran, or a whole run of a program, whose ``op`` is "".

    Attributes:
        op: the kernel's name.
        program: the name of the program; None for an eager call.
        loc: where it comes from; None where that is not known.
        operands: (name, abstract value) of each; empty where they are not known.
        begin, end: nanoseconds, as `time.perf_counter_ns` counts them.
        thread: a number for the thread that ran it.
        in_use: bytes of the device's memory that were in use at the end.
    """

    op: str
    program: str | None
    loc: Loc | None
    operands: tuple
    begin: int
    end: int
    thread: int
    in_use: int

    @property
    def line(self) -> Loc | None:
        """The user's line: the innermost place outside minds that led here."""
        return next((at for at in self.calls() if not is_library(at.file)), self.loc)

    def calls(self) -> list[Loc]:
        """The place and the calls that led there, innermost first."""
        found, at = [], self.loc
        while at is not None:
            found.append(at)
            at = at.caller
        return found


def _set(kind: str, by: int) -> None:
    with _lock:
        _users[kind] += by
        _core.watch(_users["times"] > 0, _users["nan"] > 0)
        marks.switch(_users["times"] > 0)


def begin(kind: str = "times") -> None:
    """Watch from now on; ``kind`` is "times", or "nan" to fail at the first NaN."""
    _set(kind, 1)


def end(kind: str = "times") -> None:
    """End one `begin`."""
    _set(kind, -1)


def taken() -> list[Work]:
    """What ran while times were watched, and was not taken yet, in the order in which it ended."""
    return [_resolved(*span) for span in _core.take_spans()]


def _resolved(op, program, where, begin, end, thread, in_use) -> Work:
    name, loc, operands = None, None, ()
    if program == 0:
        if where is not None:
            file, line, function = where
            loc = Loc(file, line, 0, line, 0, function)
    else:
        found = ALIVE.get(program)
        name = "a program" if found is None else found.name
        if found is not None and op:
            loc, _, operands = found.places[where]
    return Work(op, name, loc, operands, begin, end, thread, in_use)
