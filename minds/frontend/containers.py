"""Methods of lists, tuples, dicts and strings."""
from __future__ import annotations

import gast

from ..base.errors import complain
from . import text
from .access import METHODS, NAMED_TUPLE, known_key, sequence
from .expr import equal
from .interp import EMITTERS
from .scalars import binary, to_kind
from .values import LocalDict, LocalList, need_static


def _changes(cls: type, name: str):
    def emit(ip, owner, *args, **kwargs):
        ip.touch(owner)
        if cls is dict and name in ("pop", "setdefault"):
            args = (known_key(args[0]), *args[1:])
        if name == "extend":
            args = (sequence(ip, args[0]),)
        elif name in ("pop", "insert", "setdefault"):
            need_static(args[0] if args else 0, "the index")
        try:
            return getattr(cls, name)(owner, *args, **kwargs)
        except IndexError:
            raise complain(IndexError, f"{name}: The {name} index out of range.",
                           expected=f"one of {len(owner)} elements" if owner else "an element") from None
        except KeyError as e:
            raise complain(KeyError, f"{name}: {e.args[0] if e.args else e}") from None
    return emit


def _reads(cls: type, name: str):
    def emit(ip, owner, *args, **kwargs):
        if cls is str:
            if name == "format":
                return text.formatted(ip, "format", owner, (args, kwargs))
            if name == "join":
                return text.formatted(ip, "join", owner, LocalList(sequence(ip, *args)))
            for v in (*args, *kwargs.values()):
                need_static(v, f"an argument of str.{name}()")
        if cls is dict and name == "get":
            args = (known_key(args[0]), *args[1:])
        result = getattr(cls, name)(owner, *args, **kwargs)
        if name == "copy":
            return (LocalList if cls is list else LocalDict)(result)
        if type(result) is list:
            return LocalList(result)
        return tuple(result) if name in ("items", "keys", "values") else result
    return emit


def _count(ip, owner, value):
    """How many elements are equal to ``value``: a run-time int where that depends on run-time values."""
    total = 0
    for v in owner:
        same = equal(ip, v, value)
        total = binary(ip, gast.Add, total, to_kind(ip, same, int))
    return total


def _register_methods() -> None:
    changing = {list: ("append", "extend", "insert", "pop", "clear", "reverse", "remove"),
                dict: ("update", "pop", "popitem", "clear", "setdefault")}
    reading = {
        list: ("copy", "index", "count"),
        tuple: ("index", "count"),
        dict: ("items", "keys", "values", "get", "copy"),
        str: (
            "format",
            "join",
            "split",
            "upper",
            "lower",
            "startswith",
            "endswith",
            "replace",
            "strip",
            "title",
            "find",
            "isdigit",
            "count",
        ),
    }
    for table, make in ((changing, _changes), (reading, _reads)):
        for cls, names in table.items():
            for name in names:
                marker = (cls, name)
                METHODS[marker] = marker
                EMITTERS[marker] = make(cls, name)


_register_methods()
METHODS[dict, "fromkeys"] = dict, "fromkeys"
METHODS[dict, "has_key"] = dict, "has_key"
EMITTERS[dict, "fromkeys"] = lambda ip, owner, *args: ip.call(dict.fromkeys, list(args), {})
EMITTERS[dict, "has_key"] = lambda ip, owner, key: known_key(key) in owner
for _cls in (list, tuple):
    EMITTERS[_cls, "count"] = _count


def _replace(owner, **changes):
    """``owner._replace(**changes)`` of a named tuple."""
    unknown = [n for n in changes if n not in owner._fields]
    if unknown:
        raise complain(
            ValueError, f"Got unexpected field names: {unknown!r}", expected=f"some of {owner._fields}"
        )
    return type(owner)(**{**dict(zip(owner._fields, owner)), **changes})


def _asdict(owner):
    """``owner._asdict()`` of a named tuple."""
    return LocalDict(zip(owner._fields, owner))


for _fn in (_replace, _asdict):
    NAMED_TUPLE[_fn.__name__] = _fn
    EMITTERS[_fn] = lambda ip, owner, _fn=_fn, **changes: _fn(owner, **changes)
