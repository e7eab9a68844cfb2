"""Marks on the timeline of a profile: stretches of time with a name, that any module may note."""

from __future__ import annotations

import threading
from typing import NamedTuple


class Mark(NamedTuple):
    """A stretch of time; nanoseconds as `time.perf_counter_ns` counts them. It is a moment where
    ``end`` is ``begin``.
    """

    name: str
    begin: int
    end: int
    thread: str


_kept: list[Mark] = []
_on = False


def switch(on: bool) -> None:
    """Whether marks are kept from now on."""
    global _on
    _on = on


def mark(name: str, begin: int, end: int) -> None:
    """Note a stretch of time of this thread, if somebody profiles."""
    if _on:
        _kept.append(Mark(name, begin, end, threading.current_thread().name))


def taken() -> list[Mark]:
    """What was noted and not taken yet."""
    found = _kept[:]
    del _kept[: len(found)]
    return found
