"""``sorted`` and ``list.sort``: by keys that are known now, or by a permutation that the run finds."""

from __future__ import annotations

import functools

import gast

from ..base.errors import ParseError, ambiguous, complain, performed
from ..ir.abstract import AbstractScalar
from ..ir.node import Node
from ..ops.define import P
from ..tensor import Parameter, Tensor
from . import special
from .compare import compared
from .describe import describe, need_static
from .iterators import sequence
from .registry import emits
from .rows import apart, stack
from .scalars import truth
from .structure import parts
from .text import holds_runtime
from .value_types import LOCAL, LocalList, is_made


@emits(sorted)
def _sorted(ip, iterable, /, *, key=None, reverse=False):
    items = sequence(ip, iterable)
    reverse = bool(need_static(truth(ip, reverse), "the direction of sorted()"))
    keys = deciding(items if key is None else [ip.call(key, [v], {}) for v in items])
    if len(items) > 1 and any(map(_is_data, keys)):
        return LocalList(_by_data(ip, items, keys, reverse))
    if any(map(_asks, keys)):

        def order(i: int, j: int) -> int:
            less = truth(ip, compared(ip, gast.Lt(), keys[i], keys[j]))
            if need_static(less, "the order of two elements"):
                return -1
            return int(
                need_static(truth(ip, compared(ip, gast.Lt(), keys[j], keys[i])), "their order")
            )

        by = functools.cmp_to_key(order)
    else:
        by = keys.__getitem__
    places = performed(sorted, range(len(items)), key=by, reverse=reverse)
    return LocalList([items[i] for i in places])


_KNOWN = (bool, int, float, str, bytes)


def deciding(keys: list) -> list:
    """The keys; only the beginnings of tuples where these are known and tell them apart, as
    comparing looks no further.
    """
    if not all(type(k) is tuple for k in keys):
        return keys
    for n in range(1, min(map(len, keys), default=0) + 1):
        if any(type(k[n - 1]) not in _KNOWN for k in keys):
            break
        beginnings = [k[:n] for k in keys]
        if len(set(beginnings)) == len(keys):
            return beginnings
    return keys


def _is_data(key) -> bool:
    """Whether a key is known only to the run."""
    return holds_runtime(key) or isinstance(key, Tensor)


def _asks(key) -> bool:
    """Whether the order of a key is that of a user's class."""
    if isinstance(key, (tuple, list)):
        return any(map(_asks, key))
    return (
        special.has(key, "__lt__")
        or special.has(key, "__gt__")
        or hasattr(key, "__dataclass_fields__")
    )


def _by_data(ip, items: list, keys: list, reverse: bool) -> list:
    """The items in an order that the run finds: rows of tensors, gathered."""
    if any(map(_has_identity, items)):
        what = "lists, dicts and objects cannot be sorted by what only the run knows"
        raise complain(ParseError, what, cure="sort tuples of numbers and tensors")
    rows = stack(ip, items)
    if rows is None:
        what = "elements of different types or shapes cannot be sorted by what only the run knows"
        first, other = _different(items)
        operands = [("an element", describe(first)), ("another", describe(other))]
        cure = "give them one type and shape"
        raise complain(ParseError, what, operands=operands, cure=cure)
    order = None
    for column in reversed(_columns(keys)):
        numbers = _numbers(ip, column)
        if order is not None:
            numbers = ip.native(P.gather, numbers, order, 0)
        _, places = ip.native(P.sort, numbers, 0, reverse)
        order = places if order is None else ip.native(P.gather, order, places, 0)
    columns = [ip.native(P.gather, c, order, 0) for c in rows.columns]
    return apart(ip, rows.skeleton, columns, len(items))


def _has_identity(v) -> bool:
    if isinstance(v, LOCAL) or is_made(v):
        return True
    p = parts(v)
    return p is not None and any(map(_has_identity, p.items))


def _different(items: list) -> tuple:
    """Two elements that are described differently."""
    return items[0], next((v for v in items if describe(v) != describe(items[0])), items[-1])


def _columns(keys: list) -> list:
    """The keys as columns of single values: of tuples, the first ones, the second ones, …"""
    if not any(isinstance(k, (tuple, list)) for k in keys):
        return [keys]
    lengths = {len(k) if isinstance(k, (tuple, list)) else -1 for k in keys}
    if len(lengths) > 1:
        what = "keys that only the run knows must be numbers, or tuples of one length"
        raise complain(ParseError, what)
    return [c for column in zip(*keys) for c in _columns(list(column))]


def _numbers(ip, column: list) -> Node:
    """One value of each key, as the elements of a tensor. Where all are known, their ranks."""
    if not any(map(_is_data, column)):
        ranks = {v: i for i, v in enumerate(sorted(set(column)))}
        return ip.node(Tensor([ranks[v] for v in column]))
    for v in column:
        if (
            isinstance(v, (Node, Tensor))
            and not isinstance(v.abstract, AbstractScalar)
            and v.size > 1
        ):
            raise ambiguous(v.abstract)
    flat = [ip.native(P.reshape, ip.node(v), ()) if _is_tensor(v) else v for v in column]
    rows = stack(ip, flat)
    if rows is None:
        kinds = " and ".join(sorted({describe(v) for v in column}))
        what = f"'<' is not supported between the sort keys {kinds}"
        raise complain(TypeError, what, expected="numbers")
    return rows.columns[0]


def _is_tensor(v) -> bool:
    return isinstance(v, Parameter) or isinstance(v, (Node, Tensor)) and bool(v.abstract.shape)
