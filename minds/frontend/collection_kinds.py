"""`collections`: a deque is a list of compiled code, the others are dicts, each with its `CollectionKind`."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque

import gast

from ..base.errors import complain, performed
from .compare import as_key
from .describe import describe, need_static, no_key
from .iterators import sequence
from .polyfills.counters import add, both, either, subtract
from .registry import EMITTERS, emits, method
from .scalars import OPERATORS, binary
from .value_types import CollectionKind, LocalDict, LocalList


@emits(deque)
def _deque(ip, iterable=(), maxlen=None):
    performed(deque, (), need_static(maxlen, "the length of a deque"))
    new = LocalList((), CollectionKind(deque, maxlen))
    _extend(ip, new, iterable)
    return new


@emits(defaultdict)
def _defaultdict(ip, default_factory=None, /, *args, **kwargs):
    if default_factory is not None and not ip.call(callable, [default_factory], {}):
        raise complain(TypeError, f"defaultdict(): {describe(default_factory)} cannot be called")
    return _dict_of(ip, CollectionKind(defaultdict, default_factory), args, kwargs)


def _dict_of(ip, kind: CollectionKind, args: tuple, kwargs: dict) -> LocalDict:
    new = ip.call(dict, list(args), kwargs)
    new.kind = kind
    return new


@emits(Counter)
def _counter(ip, iterable=None, /, **kwargs):
    new = LocalDict((), CollectionKind(Counter))
    EMITTERS[Counter, "update"](ip, new, iterable, **kwargs)
    return new


# ---- deque


def _trim(owner: LocalList, at: int) -> None:
    """Drop from an end what is too much."""
    most = owner.kind.given
    while most is not None and len(owner) > most:
        del owner[at]


@method("extend", deque)
def _extend(ip, owner, iterable):
    items = sequence(ip, iterable)
    ip.touch(owner)
    owner += items
    _trim(owner, 0)


@method("extendleft", deque)
def _extendleft(ip, owner, iterable):
    items = sequence(ip, iterable)
    ip.touch(owner)
    owner[:0] = items[::-1]
    _trim(owner, -1)


@method("insert", deque)
def _insert(ip, owner, index, value):
    if len(owner) == owner.kind.given:
        raise complain(IndexError, "deque already at its maximum size")
    ip.touch(owner)
    owner.insert(need_static(index, "the index"), value)


def _popped(ip, owner, at: int):
    if not owner:
        raise complain(IndexError, "pop from an empty deque")
    ip.touch(owner)
    return owner.pop(at)


@method("rotate", deque)
def _rotate(ip, owner, n=1):
    ip.touch(owner)
    turned = deque(owner)
    performed(turned.rotate, need_static(n, "the number of steps"))
    owner[:] = turned


# ---- dicts


@method("__missing__", defaultdict)
def _made(ip, owner, key):
    if owner.kind.given is None:
        raise no_key(key, owner)
    value = ip.call(owner.kind.given, [], {})
    ip.touch(owner)
    owner[key] = value
    return value


@method("move_to_end", OrderedDict)
def _move_to_end(ip, owner, key, last=True):
    key = as_key(ip, key)
    if key not in owner:
        raise complain(KeyError, f"move_to_end: {key!r}", expected=f"one of {list(owner)}")
    ip.touch(owner)
    items = [(key, owner.pop(key))]
    if not last:
        items += list(owner.items())
        owner.clear()
    owner.update(items)


@method("popitem", OrderedDict)
def _popitem(ip, owner, last=True):
    if not owner:
        raise complain(KeyError, "popitem: dictionary is empty")
    ip.touch(owner)
    key = list(owner)[-1 if last else 0]
    return key, owner.pop(key)


def _counting(sign: type):
    def emit(ip, owner, iterable=None, /, **kwargs):
        """Add what ``iterable``, a dict of numbers or elements to be counted, says, or take it away."""
        ip.touch(owner)
        given = [] if iterable is None else sequence(ip, iterable)
        pairs = iterable.items() if isinstance(iterable, dict) else [(v, 1) for v in given]
        for k, v in (*pairs, *kwargs.items()):
            k = as_key(ip, k)
            owner[k] = binary(ip, sign, owner.get(k, 0), v)

    return emit


EMITTERS.update(
    {
        OrderedDict: lambda ip, *args, **given: _dict_of(
            ip, CollectionKind(OrderedDict), args, given
        ),
        (deque, "append"): lambda ip, owner, value: _extend(ip, owner, (value,)),
        (deque, "appendleft"): lambda ip, owner, value: _extendleft(ip, owner, (value,)),
        (deque, "pop"): lambda ip, owner: _popped(ip, owner, -1),
        (deque, "popleft"): lambda ip, owner: _popped(ip, owner, 0),
        (Counter, "__missing__"): lambda ip, owner, key: 0,
        (Counter, "update"): _counting(gast.Add),
        (Counter, "subtract"): _counting(gast.Sub),
    }
)
for _cls in (deque, defaultdict, OrderedDict, Counter):
    EMITTERS[_cls, "copy"] = lambda ip, owner: type(owner)(owner, owner.kind)
for _op, _fn in ((gast.Add, add), (gast.Sub, subtract), (gast.BitAnd, both), (gast.BitOr, either)):
    OPERATORS[Counter, _op] = _fn
