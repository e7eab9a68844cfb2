"""Dataclasses: the ``__init__`` that `dataclass` writes, which has no source, and the module's functions."""

from __future__ import annotations

import dataclasses
import inspect
import types

from ..base.errors import complain
from .access import getattr_
from .registry import EMITTERS, emits
from .slots import slots_of
from .value_types import LocalDict, LocalList


def is_init(fn) -> bool:
    """Whether ``fn`` is an ``__init__`` that `dataclass` has written."""
    return (
        isinstance(fn, types.FunctionType)
        and fn.__name__ == "__init__"
        and fn.__code__.co_filename == "<string>"
    )


def init(ip, fn, new, *args, **kwargs) -> None:
    """Set the fields of ``new``, in their order, then ``__post_init__``.

    Raises:
        TypeError: an argument is missing, surplus or given twice.
    """
    cls = next(c for c in type(new).__mro__ if c.__dict__.get("__init__") is fn)
    try:
        bound = inspect.signature(fn).bind(new, *args, **kwargs)
    except TypeError as e:
        raise complain(TypeError, f"{cls.__name__}(): {e}") from None
    bound.apply_defaults()
    passed_on = []
    for f in cls.__dataclass_fields__.values():
        # What is no parameter and has a value in the class is found there.
        default = f.default if slots_of(cls) else dataclasses.MISSING
        value = bound.arguments.get(f.name, default) if f.init else default
        if f._field_type is dataclasses._FIELD_CLASSVAR:
            continue
        if value is dataclasses.MISSING or value is dataclasses._HAS_DEFAULT_FACTORY:
            if f.default_factory is dataclasses.MISSING:
                continue
            value = ip.call(f.default_factory, [], {})
        if f._field_type is dataclasses._FIELD_INITVAR:
            passed_on.append(value)
        else:
            new.__dict__[f.name] = value
    if hasattr(cls, "__post_init__"):
        ip.call(type(new).__post_init__, [new, *passed_on], {})


# ---- the functions of the module


@emits(dataclasses.fields)
def _fields(ip, owner):
    return ip.native(dataclasses.fields, owner if isinstance(owner, type) else type(owner))


EMITTERS[dataclasses.asdict] = lambda ip, owner: _held(ip, owner, LocalDict)
EMITTERS[dataclasses.astuple] = lambda ip, owner: _held(
    ip, owner, lambda pairs: tuple([v for _, v in pairs])
)


def _held(ip, v, make):
    """What a dataclass holds, by ``make`` of its (name, value) pairs, inside of containers too."""
    if dataclasses.is_dataclass(v) and not isinstance(v, type):
        return make([(f.name, _held(ip, getattr_(ip, v, f.name), make)) for f in _fields(ip, v)])
    if isinstance(v, tuple):
        items = [_held(ip, e, make) for e in v]
        return type(v)(*items) if hasattr(v, "_fields") else tuple(items)
    if isinstance(v, list):
        return LocalList([_held(ip, e, make) for e in v])
    if isinstance(v, dict):
        return LocalDict((k, _held(ip, e, make)) for k, e in v.items())
    return v
