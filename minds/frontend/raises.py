"""Where exceptions of the program go.

What would raise in CPython raises when the program gets there. At a place that the program reaches
for certain that is now: an error while compiling. On a path that data choose, the path ends in a
`raise` of the program. What only minds cannot do (`CompileTimeError`, `ParseError`, whatever
`errors.refuse` made) is an error while compiling, wherever it stands.
"""

from __future__ import annotations

from ..base.errors import (
    BackendError,
    CompileTimeError,
    InternalError,
    NoGradient,
    ParseError,
    complain,
)
from ..ir.dim import current
from .emit import Control, Raised
from .flow import die
from .text import holds_runtime, raising

_REFUSALS = (
    BackendError,
    CompileTimeError,
    InternalError,
    MemoryError,
    NoGradient,
    NotImplementedError,
    ParseError,
    RecursionError,
)


def is_certain(ip) -> bool:
    """Whether the program gets here, whatever the data."""
    flow = ip.flow
    return (flow.builder.graph, flow.nested) == flow.trunk


def is_of_program(error: Exception) -> bool:
    """Whether CPython would raise ``error``, as far as minds knows."""
    complaint = getattr(error, "complaint", None)
    if isinstance(error, _REFUSALS) or complaint is not None and complaint.refused:
        return False
    scope = current()  # sizes that the run finds may turn out to fit
    return scope is None or scope.doubted() is None


def diverted(ip, error: Exception) -> bool:
    """Whether ``error`` is one of the run: then this path of the program has ended with it."""
    for catcher in reversed(ip.activations.catches):
        if isinstance(error, catcher.kind):
            if catcher.take(ip, error):
                return True
            break
    if is_certain(ip) and not holds_runtime(error.args):
        return False
    raising(ip, error)
    die(ip)
    return True


def awaited(ip, kind: type) -> bool:
    """Whether something waits for an exception of this kind."""
    return any(issubclass(kind, catcher.kind) for catcher in ip.activations.catches)


def attempted(ip, run):
    """``run()``, where what it raises may be an exception of the program at the present place."""
    try:
        return run()
    except Control:
        raise
    except Exception as e:
        raise ip.failed(e) from e.__cause__


class Catching:
    """Within, an exception of ``kind`` that the source raises for certain is raised as what it
    is.
    """

    def __init__(self, ip, kind: type):
        self.ip, self.kind, self.state = ip, kind, (ip.flow.unrolled, ip.live)

    def __enter__(self):
        self.place = (self.ip.flow.nested, self.ip.builder.graph)
        self.ip.activations.catches.append(self)

    def __exit__(self, kind, e, trace):
        self.ip.activations.catches.pop()
        if isinstance(e, Raised) and isinstance(e.error, self.kind):
            self.ip.flow.unrolled, self.ip.flow.live = self.state
            raise e.error from None

    def take(self, ip, error: Exception) -> bool:
        """Whether it stops ``error`` on the way to others.

        Raises:
            Raised: it does, for certain.
            CompileTimeError: it does, but only run-time data decides whether it is raised.
        """
        if self.place == (ip.flow.nested, ip.builder.graph):
            raise Raised(error)
        if isinstance(error, StopIteration):
            raise complain(
                CompileTimeError,
                "where this iterator ends depends on run-time data",
                cure="give it a length that is known, or loop with while",
            )
        return False


__all__ = ["Catching", "attempted", "awaited", "diverted", "is_certain", "is_of_program"]
