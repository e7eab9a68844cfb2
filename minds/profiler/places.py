"""How tables, traces and pictures name the places of kernels."""

from __future__ import annotations

from ..base.errors import is_library
from ..lower.watch import Work


def place_of(work: Work) -> str:
    """The user's line of a kernel."""
    at = work.line
    return "unknown" if at is None else f"{at} ({at.function})"


def stack_of(work: Work) -> list[str]:
    """The calls that led to a kernel, the outermost first, and the kernel: a program, the user's
    functions and lines, the op.
    """
    calls = [at for at in work.calls() if not is_library(at.file)][::-1]
    found = [] if work.program is None else [f"program {work.program}"]
    found += [f"{at.function}:{at.line}{' ◀' if at.backward else ''}" for at in calls]
    return [*found, work.op]
