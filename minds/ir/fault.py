"""Faults of minds in a step over graphs: reported with the program that the step was given."""

from __future__ import annotations

from contextlib import contextmanager

from ..base.errors import InternalError, is_fault
from . import text
from .node import Graph


@contextmanager
def attributed(step: str, graph: Graph):
    """Inside, an exception of ours that says nothing to the user becomes an `InternalError` with
    ``graph`` attached. Users' own exceptions, and what minds says to the user, pass unchanged.
    """
    try:
        yield
    except Exception as e:
        if not is_fault(e):
            raise
        raise InternalError(e, step, printed(graph)) from e


def printed(graph: Graph) -> str:
    """A program as text, as far as it can be printed: a fault may have left it in pieces."""
    try:
        return text.dump(graph)
    except Exception as e:
        return f"{graph!r} cannot be printed: {type(e).__name__}: {e}\n"


__all__ = ["attributed", "printed"]
