"""Dataclasses: the ``__init__`` that `dataclass` writes, which has no source, and the module's functions."""

from __future__ import annotations

import dataclasses
import types

from ..base.errors import complain
from .access import getattr_
from .registry import EMITTERS, emits
from .slots import slots_of
from .value_types import LocalDict, LocalList

_CLASS = dataclasses._FIELD_CLASSVAR


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
    fields = [f for f in cls.__dataclass_fields__.values() if f._field_type is not _CLASS]
    given = _bound(cls, [f for f in fields if f.init], args, dict(kwargs))
    passed_on = []
    for f in fields:
        if f.name in given:
            value = given[f.name]
        elif not f.init and f.default_factory is dataclasses.MISSING and not slots_of(cls):
            continue  # it is found in the class
        elif f.default_factory is not dataclasses.MISSING:
            value = ip.call(f.default_factory, [], {})
        elif f.default is not dataclasses.MISSING:
            value = f.default
        elif f.init:
            raise complain(TypeError, f"{cls.__name__}() misses the argument {f.name!r}")
        else:
            continue
        if f._field_type is dataclasses._FIELD_INITVAR:
            passed_on.append(value)
        else:
            new.__dict__[f.name] = value
    if hasattr(cls, "__post_init__"):
        ip.call(type(new).__post_init__, [new, *passed_on], {})


def _bound(cls: type, fields: list, args: tuple, kwargs: dict) -> dict:
    """The arguments by field."""
    places = [f.name for f in fields if not f.kw_only]
    if len(args) > len(places):
        what = f"{cls.__name__}() takes {len(places)} positional arguments"
        expected = f"{cls.__name__}({', '.join(places)})"
        raise complain(TypeError, f"{what} but {len(args)} were given", expected=expected)
    given = dict(zip(places, args))
    for name, value in kwargs.items():
        if name in given or not any(f.name == name for f in fields):
            why = "got multiple values for" if name in given else "got an unexpected keyword"
            raise complain(TypeError, f"{cls.__name__}() {why} argument {name!r}")
        given[name] = value
    return given


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
