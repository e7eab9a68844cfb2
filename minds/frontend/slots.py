"""Classes with ``__slots__``: compiled code makes objects of a subclass whose attributes are in a dict."""

from __future__ import annotations

import types
import weakref

from ..base.kept import remembered

_OPEN = "<open class>"
_opened: weakref.WeakSet = weakref.WeakSet()
HEAP_TYPE = 1 << 9
"""The flag of classes that Python code has made."""


class _Slot:
    """An attribute that has a slot in the class, and stands in the dict of an object here."""

    def __init__(self, name: str):
        self.name = name

    def __get__(self, owner, cls=None):
        if owner is None:
            return self
        try:
            return owner.__dict__[self.name]
        except KeyError:
            what = f"{type(owner).__name__!r} object has no attribute {self.name!r}"
            raise AttributeError(what) from None

    def __set__(self, owner, value):
        owner.__dict__[self.name] = value


def slots_of(cls: type) -> list:
    """The names of the slots of a class and its bases."""
    return [
        name
        for base in cls.__mro__
        for name, v in vars(base).items()
        if isinstance(v, types.MemberDescriptorType)
    ]


@remembered
def _has_slots(cls: type) -> bool:
    closed = bool(slots_of(cls)) or cls.__dictoffset__ == 0
    return bool(cls.__flags__ & HEAP_TYPE) and cls not in _opened and closed


def open_class(cls: type) -> type:
    """``cls``, or where it has slots the subclass of which objects are made, and which it keeps."""
    if not _has_slots(cls):
        return cls
    made = vars(cls).get(_OPEN)
    if made is None:
        namespace = {"__module__": cls.__module__, "__qualname__": cls.__qualname__}
        slots = {n: _Slot(n) for n in slots_of(cls)}
        made = type(cls)(cls.__name__, (cls,), {**namespace, **slots})
        _opened.add(made)
        type.__setattr__(cls, _OPEN, made)
    return made


def has_place(cls: type, name: str) -> bool:
    """Whether objects that are made of ``cls`` can have an attribute ``name``."""
    given = closed_class(cls)
    return given is cls or given.__dictoffset__ != 0 or name in slots_of(given)


def closed_class(cls: type) -> type:
    """The inverse of `open_class`."""
    return cls.__base__ if cls in _opened else cls
