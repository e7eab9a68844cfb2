"""Classes with ``__slots__``: compiled code makes objects of a subclass whose attributes are in a
dict, as those of all objects that it makes.
"""

from __future__ import annotations

import functools
import types

_closed: dict[type, type] = {}


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


@functools.cache
def open_class(cls: type) -> type:
    """``cls``, or where it has slots the subclass of which objects are made."""
    names = slots_of(cls) if cls not in _closed else ()
    if not names:
        return cls
    namespace = {"__module__": cls.__module__, "__qualname__": cls.__qualname__}
    made = type(cls)(cls.__name__, (cls,), {**namespace, **{n: _Slot(n) for n in names}})
    _closed[made] = cls
    return made


def closed_class(cls: type) -> type:
    """The inverse of `open_class`."""
    return _closed.get(cls, cls)


__all__ = ["closed_class", "open_class", "slots_of"]
