"""Methods of lists, tuples, dicts, sets and strings."""

from __future__ import annotations

import collections
import operator

import gast

from ..base.errors import complain, performed
from ..ir.node import Node
from . import list_places, run_lists, text
from .compare import as_key, equal
from .describe import describe, need_static
from .iterators import sequence
from .polyfills.functions import first_place
from .registry import EMITTERS, emits, method
from .scalars import binary, to_kind
from .value_types import CollectionKind, LocalDict, LocalList, RunList, View, local

CHANGING = {
    list: "append extend insert pop clear reverse",
    dict: "update pop popitem clear setdefault",
    set: "add discard remove pop clear update intersection_update difference_update "
    "symmetric_difference_update",
}
READING = {
    list: "copy",
    dict: "get copy",
    set: "copy union intersection difference symmetric_difference issubset issuperset isdisjoint",
    str: "split upper lower startswith endswith replace strip title find isdigit count",
}


def _method(cls: type, name: str, changes: bool):
    """The emitter of a method that does what Python's does, on arguments that it can take."""
    of_python, arguments = getattr(cls, name), _ARGUMENTS[cls]
    keeps = cls is dict and name != "copy"  # what is in a dict is given as it is

    def emit(ip, owner, *args, **kwargs):
        if type(owner) is RunList or name == "extend" and run_lists.is_one(owner, *args):
            done = run_lists.method(ip, owner, name, args)
            if done is not NotImplemented:
                return done
        if changes:
            run_lists.make_plain(ip, owner)
            ip.touch(owner)
        args = arguments(ip, name, args, kwargs)
        try:
            result = performed(of_python, owner, *args, **kwargs)
        except IndexError:
            held = f"one of {len(owner)} elements" if owner else "an element"
            what = f"{name}: The {name} index out of range."
            raise complain(IndexError, what, expected=held) from None
        except KeyError as e:
            raise complain(KeyError, f"{name}: {e.args[0] if e.args else e}") from None
        return result if changes or keeps else local(result)

    return emit


def _of_list(ip, name: str, args: tuple, kwargs: dict) -> tuple:
    if name == "extend":
        return tuple([sequence(ip, v) for v in args])
    if name in ("pop", "insert") and args:
        return (need_static(args[0], "the index"), *args[1:])
    return args


def _of_dict(ip, name: str, args: tuple, kwargs: dict) -> tuple:
    if name == "update" and args and not isinstance(args[0], dict):
        return tuple([[tuple(sequence(ip, pair)) for pair in sequence(ip, v)] for v in args])
    if name in ("get", "pop", "setdefault"):
        return (*[as_key(ip, key) for key in args[:1]], *args[1:])
    return args


def _of_set(ip, name: str, args: tuple, kwargs: dict) -> tuple:
    if name in ("add", "discard", "remove"):
        return tuple([as_key(ip, v, "an element of a set") for v in args])
    return tuple([[as_key(ip, v, "an element of a set") for v in sequence(ip, a)] for a in args])


def _of_string(ip, name: str, args: tuple, kwargs: dict) -> tuple:
    for v in (*args, *kwargs.values()):
        need_static(v, f"an argument of str.{name}()")
    return args


_ARGUMENTS = {list: _of_list, dict: _of_dict, set: _of_set, str: _of_string}

for _table, _changes in ((CHANGING, True), (READING, False)):
    for _cls, _names in _table.items():
        for _name in _names.split():
            method(_name, _cls)(_method(_cls, _name, _changes))
for _name in ("keys", "values", "items"):
    method(_name, dict)(lambda ip, owner, *, name=_name: View(owner, name))


@method("count", list, tuple)
def _count(ip, owner, value):
    """A run-time int where equality depends on run-time values."""
    if run_lists.is_open(owner):
        return list_places.count(ip, owner, value)
    total = 0
    for v in owner:
        total = binary(ip, gast.Add, total, to_kind(ip, equal(ip, v, value), int))
    return total


@method("index", list, tuple)
def _index(ip, owner, value, start=0, stop=None):
    """A run-time int where equality depends on run-time values."""
    if run_lists.is_open(owner) and (start, stop) == (0, None):
        return list_places.index_of(ip, owner, value)
    bounds = slice(*[need_static(b, "a bound of index") for b in (start, stop)])
    places, tests = performed(operator.getitem, range(len(owner)), bounds), []
    missing = f"{describe(value)} is not in the {'tuple' if isinstance(owner, tuple) else 'list'}"
    for k in places:
        tests.append(equal(ip, owner[k], value))
        if tests[-1] is True:
            break
    if any(isinstance(test, Node) for test in tests):
        return ip.call(first_place, [tuple(tests), tuple(places), missing], {})
    if True not in tests:
        raise complain(ValueError, missing)
    return places[len(tests) - 1]


@method("remove", list)
def _remove(ip, owner, value):
    what = "whether an element is the one that is looked for"
    at = next((k for k, v in enumerate(owner) if need_static(equal(ip, v, value), what)), None)
    if at is None:
        raise complain(ValueError, "list.remove(x): x not in list")
    run_lists.make_plain(ip, owner)
    ip.touch(owner)
    if at >= len(owner):
        raise complain(IndexError, "remove(): the list changed meanwhile")
    del owner[at]


@method("sort", list)
def _sort(ip, owner, *, key=None, reverse=False):
    run_lists.make_plain(ip, owner)
    ip.touch(owner)
    owner[:] = ip.call(sorted, [owner], {"key": key, "reverse": reverse})


@method("fromkeys", dict)
def _fromkeys(ip, owner, *args):
    made = ip.call(dict.fromkeys, list(args), {})
    made.kind = owner.kind and CollectionKind(owner.kind.cls)
    return made


# ---- named tuples


@method("_replace", collections.namedtuple)
def _replace(ip, owner, **changes):
    unknown = [n for n in changes if n not in owner._fields]
    if unknown:
        what = f"Got unexpected field names: {unknown!r}"
        raise complain(ValueError, what, expected=f"some of {owner._fields}")
    return type(owner)(**{**dict(zip(owner._fields, owner)), **changes})


@emits(collections.namedtuple)
def _namedtuple(ip, name, fields, **settings):
    module = ip.frames[-1].globals.get("__name__")
    names = fields if isinstance(fields, str) else sequence(ip, fields)
    return ip.native(collections.namedtuple, name, names, **{"module": module, **settings})


_MAKE = collections.namedtuple("_", "")._make.__func__.__code__
EMITTERS.update(
    {
        (str, "format"): lambda ip, owner, *args, **kwargs: text.formatted(
            ip, "format", owner, (args, kwargs)
        ),
        (str, "join"): lambda ip, owner, iterable: text.formatted(
            ip, "join", owner, LocalList(sequence(ip, iterable))
        ),
        (dict, "has_key"): lambda ip, owner, key: as_key(ip, key) in owner,
        (collections.namedtuple, "_asdict"): lambda ip, v: LocalDict(zip(v._fields, v)),
        _MAKE: lambda ip, fn, cls, iterable: ip.call(cls, sequence(ip, iterable), {}),
    }
)
