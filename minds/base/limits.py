"""What arguments may ask for: repetitions of a Python loop, and memory."""

from __future__ import annotations

import os

import numpy as np

from . import outlines
from .errors import complain

TIMES = 10_000
"""So often what an argument counts may be repeated."""

MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
"""Bytes of the machine's memory: no tensor is larger."""


def times(count, name: str, most: int = TIMES) -> range:
    """``range(count)`` for an argument ``name`` that says how often something is done.

    Raises:
        TypeError: it is no int.
        ValueError: it is more than ``most``.
    """
    if not hasattr(count, "__index__") or isinstance(count, bool):
        raise complain(TypeError, f"{name} has type {type(count).__name__}", expected="an int")
    if isinstance(count, (int, np.integer)) and count > most:
        raise complain(ValueError, f"{name} is {count}", expected=f"at most {most}")
    return range(count)


def check_memory(nbytes: int, what: str) -> None:
    """Raise MemoryError if ``what`` takes more bytes than the machine has."""
    if nbytes > MEMORY and not outlines.is_on():  # what is planned runs elsewhere
        gib = f"{nbytes / 2**30:.3g} GiB of memory, this machine has {MEMORY / 2**30:.3g} GiB"
        raise complain(MemoryError, f"{what} takes {gib}")


__all__ = ["MEMORY", "TIMES", "check_memory", "times"]
