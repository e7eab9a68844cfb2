"""Functions of the module `dataclasses` as compiled code sees them."""

from __future__ import annotations

import dataclasses

from .access import getattr_
from .registry import emits
from .value_types import LocalDict, LocalList


@emits(dataclasses.fields)
def _fields(ip, owner):
    return ip.native(dataclasses.fields, owner if isinstance(owner, type) else type(owner))


@emits(dataclasses.astuple)
def _astuple(ip, owner):
    return _held(ip, owner, lambda pairs: tuple([v for _, v in pairs]))


@emits(dataclasses.asdict)
def _asdict(ip, owner):
    return _held(ip, owner, LocalDict)


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
