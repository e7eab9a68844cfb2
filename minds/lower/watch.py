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


class Work(NamedTuple):
    """A kernel that ran, or a whole run of a program, whose ``op`` is "".

    Attributes:
        op: the kernel's name.
        program: the name of the program; None for an eager call.
        loc: where it comes from; None where that is not known.
        operands: (name, abstract value) of each; empty where they are not known.
        flops: operations of floating point of a program's large products, else 0.
        begin, end: nanoseconds, as `time.perf_counter_ns` counts them.
        thread: a number for the thread that ran it.
        in_use: bytes of the device's memory that were in use at the end.
    """

    op: str
    program: str | None
    loc: Loc | None
    operands: tuple
    flops: int
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


class Exchange(NamedTuple):
    """Messages that this process exchanged with others, on the way of a collective.

    Attributes:
        what: the collective, such as ``all_reduce(sum) of float32[10] over 4 ranks``.
        line: the user's, ``file:line``; empty where it is not known.
        begin, end: nanoseconds, as of `Work`.
        sent: bytes.
    """

    what: str
    line: str
    begin: int
    end: int
    sent: int


class Recording:
    """What runs from `start` to `stop`.

    Attributes:
        work (list[Work]): kernels and runs, in the order in which they ended.
        exchanges (list[Exchange]): with other processes, in the order in which they ended.
        marks (list[Mark]): stretches and moments with a name.
        running (bool): whether it notes what runs.
    """

    def __init__(self):
        self.work: list[Work] = []
        self.exchanges: list[Exchange] = []
        self.marks: list[marks.Mark] = []
        self.running = False

    def start(self) -> None:
        """Note what runs from now on."""
        with _lock:
            _collect()
            _records.append(self)
            self.running = True
            _switch()

    def stop(self) -> None:
        """Note nothing any more."""
        with _lock:
            _collect()
            _records.remove(self)
            self.running = False
            _switch()


def expect_no_nan(by: int) -> None:
    """Whether the first kernel that gives a NaN fails: ``by`` is 1 to begin, -1 to end."""
    global _searches
    with _lock:
        _searches += by
        _switch()


_lock = threading.Lock()
_records: list[Recording] = []
_searches = 0


def _switch() -> None:
    _core.watch(bool(_records), _searches > 0)
    marks.switch(bool(_records))


def _collect() -> None:
    """What ran goes to all records that run."""
    work, noted = [_resolved(*span) for span in _core.take_spans()], marks.taken()
    exchanges = [Exchange(*e) for e in _core.take_exchanges()]
    for r in _records:
        r.work += work
        r.exchanges += exchanges
        r.marks += noted


def _resolved(op, program, where, begin, end, thread, in_use) -> Work:
    name, loc, operands, count = None, None, (), 0
    if program == 0:
        if where is not None:
            file, line, function = where
            loc = Loc(file, line, 0, line, 0, function)
    else:
        found = ALIVE.get(program)
        name = "a program" if found is None else found.name
        if found is not None and op:
            loc, _, operands = found.places[where]
            count = found.flops.get(where, 0)
    return Work(op, name, loc, operands, count, begin, end, thread, in_use)
