"""Attributes of users' objects: properties, descriptors and ``__getattr__``."""

from __future__ import annotations

import functools
import sys
import types

from ..base.errors import complain
from ..ir.node import Node
from ..tensor import Tensor
from . import special
from .imports import ABSENT, ENTRY, of_class
from .raises import Catching
from .value_types import is_made


def stands(v) -> bool:
    """Whether ``v`` is an object whose class a user may have written in Python."""
    return not isinstance(
        v, (Node, Tensor, type, types.ModuleType, types.FunctionType, types.MethodType)
    )


def computed(ip, owner, name: str):
    """The value of an attribute that a user's code computes, else NotImplemented."""
    if type(owner) is super:
        return _of_bases(ip, owner, name)
    found = of_class(type(owner), name)
    ip.imports.class_read(type(owner), name, found)
    if isinstance(found, property):
        return (
            ip.call(found.fget, [owner], {}) if special.is_written(found.fget) else NotImplemented
        )
    own = getattr(owner, "__dict__", {})
    if type(own) is dict and name not in own:
        ip.imports.read(ENTRY, own, name, ABSENT, owner)
    if isinstance(found, functools.cached_property):
        if name in own:
            return NotImplemented
        value = ip.call(found.func, [owner], {})
        if is_made(owner):
            ip.touch(own)
            own[name] = value
        return value
    if isinstance(found, functools.partialmethod):
        return functools.partial(found.func, owner, *found.args, **found.keywords)
    if special.has(found, "__get__") and (name not in own or special.has(found, "__set__")):
        return ip.call(type(found).__get__, [found, owner, type(owner)], {})
    return fallback(ip, owner, name) if found is ABSENT and name not in own else NotImplemented


def of_type(ip, owner: type, name: str):
    """The value of an attribute of a class that a user's descriptor or metaclass computes, else
    NotImplemented.
    """
    found = of_class(owner, name)
    if special.has(found, "__get__"):
        ip.imports.class_read(owner, name, found)
        return ip.call(type(found).__get__, [found, None, owner], {})
    kind = type(owner)
    if kind is type or kind.__module__.partition(".")[0] in sys.stdlib_module_names:
        return NotImplemented
    found = of_class(kind, name)
    if isinstance(found, property) and special.is_written(found.fget):
        ip.imports.class_read(kind, name, found)
        return ip.call(found.fget, [owner], {})
    missing = found is ABSENT and all(name not in vars(c) for c in owner.__mro__)
    method = getattr(kind, "__getattr__", None)
    if not missing or not special.is_written(method):
        return NotImplemented
    ip.imports.class_read(owner, name, ABSENT)
    ip.imports.class_read(kind, "__getattr__", method)
    return ip.call(method, [owner, name], {})


def _of_bases(ip, owner: super, name: str):
    """The value of a property, ``super().name``, that a user's code computes, else NotImplemented."""
    order = owner.__self_class__.__mro__
    behind = order[order.index(owner.__thisclass__) + 1 :]
    found = next((vars(cls)[name] for cls in behind if name in vars(cls)), None)
    of_object = owner.__self__ is not owner.__self_class__
    if not (of_object and isinstance(found, property) and special.is_written(found.fget)):
        return NotImplemented
    ip.imports.attribute_read(owner, name, found)
    return ip.call(found.fget, [owner.__self__], {})


def fallback(ip, owner, name: str):
    """``owner.__getattr__(name)`` where its class has one; NotImplemented where it has none.

    Raises:
        AttributeError: it raises that.
    """
    method = getattr(type(owner), "__getattr__", None)
    if not special.is_written(method) or isinstance(owner, type):
        return NotImplemented
    with Catching(ip, AttributeError):
        return ip.call(method, [owner, name], {})


def assigned(ip, owner, name: str, value) -> bool:
    """Assign by a property or a descriptor of the owner's class; whether there is one."""
    found = of_class(type(owner), name)
    if isinstance(found, property):
        if found.fset is None:
            what = f"property {name!r} of a {type(owner).__name__} has no setter"
            raise complain(AttributeError, what)
        ip.call(found.fset, [owner, value], {})
        return True
    if not special.has(found, "__set__"):
        return False
    ip.call(type(found).__set__, [found, owner, value], {})
    return True
