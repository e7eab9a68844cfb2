"""The builtins and `itertools` that make or use up iterators."""

from __future__ import annotations

import functools
import itertools

import gast

from ..base.errors import complain, performed
from ..ir.node import Node
from ..ops.define import P
from ..tensor import Tensor
from . import raises, special
from .compare import fold
from .conditions import runtime_if
from .counted import Lockstep, together
from .describe import describe, need_static
from .emit import Bottom
from .iterated import END, Iterated
from .iterators import Count, Items, Mapped, Zipped, iterator, sequence, step
from .polyfills.iterators import known, until, zip_strictly
from .registry import EMITTERS, asks, emits, method
from .scalars import binary, is_scalar, truth, truth_scalar


@emits(iter)
@method("__iter__", Iterated)
def _iter(ip, iterable, *sentinel):
    return ip.call(until, [iterable, *sentinel], {}) if sentinel else iterator(ip, iterable)


@emits(next)
@method("__next__", Iterated)
def _next(ip, iterator, *default):
    if isinstance(iterator, Iterated):
        v = iterator.advance(ip)
    elif special.has(iterator, "__next__"):
        v = step(ip, iterator)
    else:
        raise complain(TypeError, f"{describe(iterator)} is not an iterator")
    if v is END and default:
        return default[0]
    if v is END:
        raises.throw(
            ip, StopIteration(*(iterator.result if isinstance(iterator, Iterated) else ()))
        )
        raise Bottom
    return v


@emits(zip)
def _zip(ip, *iterables, strict=False):
    side_by_side = None if strict else together(ip, iterables)
    if side_by_side is not None:
        length, items = side_by_side
        return Lockstep(length, lambda i: tuple([item(i) for item in items]))
    if strict:
        return ip.call(zip_strictly, list(iterables), {})
    return Zipped(*[iterator(ip, v) for v in iterables])


@emits(enumerate)
def _enumerate(ip, iterable, start=0):
    of_run = isinstance(start, Node)
    if not (
        is_scalar(start) and start.abstract.kind is not float if of_run else isinstance(start, int)
    ):
        got = describe(start) if of_run else repr(start)
        what = f"For 'enumerate', the 'start' should be a const int number, but got {got}."
        raise complain(TypeError, what)
    by_index = together(ip, [iterable])
    if by_index is not None:
        length, (item,) = by_index
        return Lockstep(length, lambda i: (binary(ip, gast.Add, start, i), item(i)))
    return Zipped(Count(start), iterator(ip, iterable))


@emits(reversed)
@asks("__reversed__")
def _reversed(ip, iterable):
    if isinstance(iterable, range):
        return iterable[::-1]
    by_index = together(ip, [iterable])
    if by_index is not None:
        length, (item,) = by_index
        last = binary(ip, gast.Sub, length, 1)
        return Lockstep(length, lambda i: item(binary(ip, gast.Sub, last, i)))
    return Items(tuple(sequence(ip, iterable)[::-1]))


# ---- any and all


def _fold(ip, iterable, *, empty: bool):
    """`all` if ``empty``, else `any`."""
    if isinstance(iterable, (Node, Tensor)):
        op = P.all if empty else P.any
        return truth_scalar(ip, ip.native(op, ip.node(iterable), None, False))
    if not isinstance(iterable, Iterated):
        return fold(ip, (truth_scalar(ip, v) for v in sequence(ip, iterable)), empty)
    while (v := iterable.advance(ip)) is not END:
        test = truth_scalar(ip, v)
        if isinstance(test, Node):
            # The elements behind the one that decides are not computed.
            ways = [lambda: _fold(ip, iterable, empty=empty), lambda: not empty]
            return runtime_if(ip, test, *(ways if empty else ways[::-1]), "all" if empty else "any")
        if test is not empty:
            return not empty
    return empty


EMITTERS[all] = functools.partial(_fold, empty=True)
EMITTERS[any] = functools.partial(_fold, empty=False)
EMITTERS[map] = lambda ip, function, *iterables: Mapped(
    function, *[iterator(ip, v) for v in iterables]
)
EMITTERS[itertools.count] = lambda ip, start=0, step=1: Count(start, step)
EMITTERS[known] = lambda ip, v, what: need_static(truth(ip, v), what)


# ---- itertools, as far as `polyfills` does not have it


def _selections(fn):
    """The emitter of a function of `itertools` that arranges the elements of sequences."""

    def emit(ip, *iterables, **options):
        count = len(iterables) if fn is itertools.product else 1
        sequences = [sequence(ip, v) for v in iterables[:count]]
        lengths = [need_static(v, "the length") for v in iterables[count:]]
        return Items(tuple(performed(fn, *sequences, *lengths, **options)))

    return emit


for _fn in (
    itertools.product,
    itertools.combinations,
    itertools.permutations,
    itertools.combinations_with_replacement,
):
    emits(_fn)(_selections(_fn))
