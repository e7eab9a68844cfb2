"""Methods of lists, tuples, dicts, sets and strings."""

from __future__ import annotations

import collections

import gast

from ..base.errors import complain
from . import text
from .access import METHODS, NAMED_TUPLE, sequence
from .compare import as_key, equal
from .interp import EMITTERS
from .registry import emits
from .scalars import binary, to_kind
from .values import LocalDict, LocalList, LocalSet, View, describe, need_static


def _changes(cls: type, name: str):
    method = getattr(cls, name)

    def emit(ip, owner, *args, **kwargs):
        ip.touch(owner)
        try:
            return method(owner, *_ARGUMENTS[cls](ip, name, args), **kwargs)
        except IndexError:
            raise complain(
                IndexError,
                f"{name}: The {name} index out of range.",
                expected=f"one of {len(owner)} elements" if owner else "an element",
            ) from None
        except KeyError as e:
            raise complain(KeyError, f"{name}: {e.args[0] if e.args else e}") from None

    return emit


def _reads(cls: type, name: str):
    method = getattr(cls, name)

    def emit(ip, owner, *args, **kwargs):
        result = method(owner, *_ARGUMENTS[cls](ip, name, args), **kwargs)
        made = _MADE.get(type(result)) if name == "copy" or cls is set else None
        return result if made is None else made(result)

    return emit


_MADE = {
    list: LocalList,
    LocalList: LocalList,
    dict: LocalDict,
    LocalDict: LocalDict,
    set: LocalSet,
    LocalSet: LocalSet,
}


def _of_list(ip, name: str, args: tuple) -> tuple:
    if name == "extend":
        return (sequence(ip, *args),)
    if name in ("pop", "insert") and args:
        return (need_static(args[0], "the index"), *args[1:])
    return args


def _of_dict(ip, name: str, args: tuple) -> tuple:
    if name == "update" and args and not isinstance(args[0], dict):
        return ([tuple(sequence(ip, pair)) for pair in sequence(ip, *args)],)
    if name in ("get", "pop", "setdefault"):
        return (as_key(ip, args[0]), *args[1:])
    return args


def _of_set(ip, name: str, args: tuple) -> tuple:
    if name in ("add", "discard", "remove"):
        return tuple([as_key(ip, v, "an element of a set") for v in args])
    return tuple([[as_key(ip, v, "an element of a set") for v in sequence(ip, a)] for a in args])


_ARGUMENTS = {list: _of_list, dict: _of_dict, set: _of_set}


def _string(name: str):
    """A method of strings, computed now; `format` and `join` also of what only the run knows."""

    def emit(ip, owner, *args, **kwargs):
        if name == "format":
            return text.formatted(ip, "format", owner, (args, kwargs))
        if name == "join":
            return text.formatted(ip, "join", owner, LocalList(sequence(ip, *args)))
        for v in (*args, *kwargs.values()):
            need_static(v, f"an argument of str.{name}()")
        result = getattr(str, name)(owner, *args, **kwargs)
        return LocalList(result) if type(result) is list else result

    return emit


def _count(ip, owner, value):
    """How many elements are equal to ``value``: a run-time int where that depends on run-time
    values.
    """
    total = 0
    for v in owner:
        same = equal(ip, v, value)
        total = binary(ip, gast.Add, total, to_kind(ip, same, int))
    return total


def _index(ip, owner, value, start=0, stop=None):
    """Where ``value`` is first."""
    bounds = slice(*[need_static(b, "a bound of index") for b in (start, stop)])
    at = _find(ip, owner, value, range(len(owner))[bounds])
    if at is None:
        kind = "tuple" if isinstance(owner, tuple) else "list"
        raise complain(ValueError, f"{describe(value)} is not in the {kind}")
    return at


def _find(ip, owner, value, places) -> int | None:
    """The first of these places where ``owner`` holds ``value``."""
    for k in places:
        if need_static(
            equal(ip, owner[k], value), "whether an element is the one that is looked for"
        ):
            return k
    return None


def _remove(ip, owner, value):
    """``owner.remove(value)`` of a list."""
    at = _find(ip, owner, value, range(len(owner)))
    if at is None:
        raise complain(ValueError, "list.remove(x): x not in list")
    ip.touch(owner)
    del owner[at]


def _sort(ip, owner, *, key=None, reverse=False):
    """``owner.sort()`` of a list."""
    ip.touch(owner)
    owner[:] = ip.call(sorted, [owner], {"key": key, "reverse": reverse})


def _view(name: str):
    return lambda ip, owner: View(owner, name)


def _register(cls: type, name: str, emitter) -> None:
    marker = (cls, name)
    METHODS[marker] = marker
    EMITTERS[marker] = emitter


def _register_methods() -> None:
    changing = {
        list: ("append", "extend", "insert", "pop", "clear", "reverse"),
        dict: ("update", "pop", "popitem", "clear", "setdefault"),
        set: (
            "add",
            "discard",
            "remove",
            "pop",
            "clear",
            "update",
            "intersection_update",
            "difference_update",
            "symmetric_difference_update",
        ),
    }
    reading = {
        list: ("copy",),
        dict: ("get", "copy"),
        set: (
            "copy",
            "union",
            "intersection",
            "difference",
            "symmetric_difference",
            "issubset",
            "issuperset",
            "isdisjoint",
        ),
    }
    for table, make in ((changing, _changes), (reading, _reads)):
        for cls, names in table.items():
            for name in names:
                _register(cls, name, make(cls, name))
    for name in (
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
    ):
        _register(str, name, _string(name))
    for name in ("keys", "values", "items"):
        _register(dict, name, _view(name))
    for cls in (list, tuple):
        _register(cls, "count", _count)
        _register(cls, "index", _index)
    _register(list, "remove", _remove)
    _register(list, "sort", _sort)
    _register(dict, "fromkeys", lambda ip, owner, *args: ip.call(dict.fromkeys, list(args), {}))
    _register(dict, "has_key", lambda ip, owner, key: as_key(ip, key) in owner)


_register_methods()


def _replace(owner, **changes):
    """``owner._replace(**changes)`` of a named tuple."""
    unknown = [n for n in changes if n not in owner._fields]
    if unknown:
        raise complain(
            ValueError,
            f"Got unexpected field names: {unknown!r}",
            expected=f"some of {owner._fields}",
        )
    return type(owner)(**{**dict(zip(owner._fields, owner)), **changes})


def _asdict(owner):
    """``owner._asdict()`` of a named tuple."""
    return LocalDict(zip(owner._fields, owner))


for _fn in (_replace, _asdict):
    NAMED_TUPLE[_fn.__name__] = _fn
    EMITTERS[_fn] = lambda ip, owner, _fn=_fn, **changes: _fn(owner, **changes)


@emits(collections.namedtuple)
def _namedtuple(ip, name, fields, **settings):
    module = ip.frames[-1].globals.get("__name__")
    names = fields if isinstance(fields, str) else list(fields)
    return ip.native(collections.namedtuple, name, names, **{"module": module, **settings})
