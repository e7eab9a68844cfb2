"""Functions of the standard library that compiled code may call: of `itertools`, `copy` and `collections`.

Those of `itertools` work on sequences whose length is known now; their elements may be run-time values.
"""
from __future__ import annotations

import collections
import copy
import itertools

import gast

from ..base.errors import ParseError, complain
from ..ir.node import Node
from ..tensor import Tensor
from .access import Iterated, sequence
from .registry import emits
from .scalars import binary
from .values import Choice, Closure, LocalDict, LocalList, describe, need_static

_BY_POSITION = [itertools.product, itertools.zip_longest, itertools.chain]
_OF_ONE = [itertools.permutations, itertools.combinations, itertools.combinations_with_replacement,
           itertools.islice]
if hasattr(itertools, "pairwise"):
    _OF_ONE.append(itertools.pairwise)


def _rearranges(fn, every: bool):
    """``fn``, which puts elements in another order: of all its arguments, or of its first."""
    def emit(ip, *args, **kwargs):
        taken = args if every else args[:1]
        numbers = [need_static(v, f"an argument of {fn.__name__}") for v in args[len(taken):]]
        return Iterated(fn(*[sequence(ip, a) for a in taken], *numbers, **kwargs))
    return emit


for _fns, _every in ((_BY_POSITION, True), (_OF_ONE, False)):
    for _fn in _fns:
        emits(_fn)(_rearranges(_fn, _every))


@emits(itertools.chain.from_iterable)
def _chained(ip, iterables):
    return Iterated([v for part in sequence(ip, iterables) for v in sequence(ip, part)])


@emits(itertools.starmap)
def _starmap(ip, fn, iterable):
    return Iterated([ip.call(fn, sequence(ip, args), {}) for args in sequence(ip, iterable)])


@emits(itertools.accumulate)
def _accumulate(ip, iterable, func=None, *, initial=None):
    items = sequence(ip, iterable)
    if initial is not None:
        items = [initial, *items]
    sums = items[:1]
    for v in items[1:]:
        sums.append(binary(ip, gast.Add, sums[-1], v) if func is None else ip.call(func, [sums[-1], v], {}))
    return Iterated(sums)


@emits(itertools.repeat)
def _repeat(ip, v, times=None):
    if times is None:
        raise complain(ParseError, "itertools.repeat without an end is not supported in compiled code",
                       cure="say how often")
    return Iterated([v] * need_static(times, "how often"))


@emits(collections.namedtuple)
def _namedtuple(ip, name, fields, **settings):
    module = ip.frames[-1].globals.get("__name__")
    names = fields if isinstance(fields, str) else list(fields)
    return ip.native(collections.namedtuple, name, names, **{"module": module, **settings})


@emits(copy.copy)
def _copied(ip, v):
    return _copy(ip, v, lambda e: e)


@emits(copy.deepcopy)
def _deeply_copied(ip, v):
    known: dict = {}

    def deep(e):
        if id(e) not in known:
            known[id(e)] = e, _copy(ip, e, deep)
        return known[id(e)][1]
    return deep(v)


def _copy(ip, v, inner):
    """A copy of ``v`` that holds ``inner`` of what it holds."""
    if isinstance(v, (Node, Tensor)):
        return ip.native(Tensor.copy, ip.node(v)) if getattr(v, "shape", None) is not None else v
    if isinstance(v, LocalList):
        return LocalList([inner(e) for e in v])
    if isinstance(v, LocalDict):
        return LocalDict((k, inner(e)) for k, e in v.items())
    if type(v) is tuple:
        return tuple([inner(e) for e in v])
    if v is None or isinstance(v, (bool, int, float, str, type, Closure, Choice)):
        return v
    raise complain(ParseError, f"a {describe(v)} cannot be copied in compiled code", cure="copy it outside")
