"""What is kept for an object while it lives: compiled programs, traces.

A function or a cell holds it itself, so that both are freed together even where what is kept leads
back to the object. For other objects it stands in a table; what leads back to them keeps them.
"""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable

_NAME = "<kept by minds>"
_known: dict[int, weakref.ref[Kept]] = {}
"""By the identity of the object, while it lives."""
_others: dict[int, Kept] = {}


class Kept(dict):
    """What is kept for one object, by names. A copy of the object starts with nothing."""

    __slots__ = ("__weakref__", "owner")

    def __deepcopy__(self, memo) -> Kept:
        return Kept()

    def __reduce__(self):
        return (Kept, ())


def can_keep(owner) -> bool:
    """Whether something can be kept for an object."""
    return type(owner).__weakrefoffset__ != 0


def kept(owner) -> Kept:
    """What is kept for ``owner``.

    Raises:
        TypeError: nothing can be (`can_keep`).
    """
    known = _known.get(id(owner))
    found = known() if known is not None else None
    # An interrupt may have ended what forgets a dead object, whose identity this one has now.
    return found if found is not None and found.owner() is owner else _make(owner)


def _make(owner) -> Kept:
    key, new = id(owner), Kept()

    def forget(_):
        _known.pop(key, None)
        _others.pop(key, None)

    # `functools.wraps` hands the attributes of one function to another: either may live longer.
    new.owner = weakref.ref(owner, forget)
    _known[key] = weakref.ref(new, forget)
    if type(owner) is types.FunctionType or hasattr(type(owner), "construct"):
        owner.__dict__[_NAME] = new
    else:
        _others[key] = new
    return new


def remembered(fn: Callable) -> Callable:
    """``fn``, a function of one object, computed once while that lives; what it gives must not lead
    back to the object.
    """
    known: dict[int, tuple] = {}

    @functools.wraps(fn)
    def found(of):
        key = id(of)
        entry = known.get(key)
        if entry is None or entry[1]() is not of:
            entry = fn(of), weakref.ref(of, lambda _: known.pop(key, None))
            known[key] = entry
        return entry[0]

    return found


__all__ = ["Kept", "can_keep", "kept", "remembered"]
