"""Errors in the words that programs written for MindSpore look for, alone on their line, as those of image
transforms; the traceback shows the place.
"""

from __future__ import annotations

from .errors import Complaint, UserError


class _Worded(UserError):
    def __str__(self) -> str:
        c = self.complaint
        hints = [f"expected {c.expected}"] * bool(c.expected) + [f"cure: {c.cure}"] * bool(c.cure)
        return "; ".join([c.head, *hints])


class WrongType(_Worded, TypeError):
    """A TypeError."""


class WrongValue(_Worded, ValueError):
    """A ValueError."""


class Unfit(_Worded, RuntimeError, ValueError):
    """An image that a transform does not take: a ValueError, and MindSpore's RuntimeError."""


_KINDS = {TypeError: WrongType, ValueError: WrongValue, RuntimeError: Unfit}


def complain(kind: type, head: str, *, expected: str | None = None, cure: str | None = None):
    """The exception for ``kind``."""
    error = _KINDS[kind](head)
    error.complaint = Complaint(head, None, [], expected, cure)
    return error
