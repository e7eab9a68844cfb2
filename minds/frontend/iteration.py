"""The builtins and `itertools` that make or use up iterators."""

from __future__ import annotations

import functools
import itertools
import operator

import gast

from ..base.errors import complain
from ..ir.node import Node
from ..ops.define import P
from ..tensor import Tensor
from . import special
from .access import END, SPENT, Iterated, sequence
from .compare import equal
from .counted import Lockstep, together
from .emit import Raised, is_caught
from .iterators import (
    Calls,
    Chained,
    Count,
    Filtered,
    Items,
    Mapped,
    Numbered,
    Padded,
    Rejected,
    Starred,
    StrictlyZipped,
    Zipped,
    holds,
    iterator,
    step,
)
from .region import runtime_if
from .registry import emits
from .scalars import binary, truth_scalar
from .values import describe, need_static


@emits(iter)
def _iter(ip, iterable, *sentinel):
    return Calls(iterable, *sentinel) if sentinel else iterator(ip, iterable)


@emits(next)
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
        if is_caught(ip, StopIteration()):
            raise Raised(StopIteration())
        raise complain(
            ValueError,
            "next() of an iterator that has no more elements",
            cure="give next() a default, or check the length first",
        )
    return v


@emits(zip)
def _zip(ip, *iterables, strict=False):
    side_by_side = None if strict else together(ip, iterables)
    if side_by_side is not None:
        length, items = side_by_side
        return Lockstep(length, lambda i: tuple([item(i) for item in items]))
    return (StrictlyZipped if strict else Zipped)(tuple([iterator(ip, v) for v in iterables]))


@emits(enumerate)
def _enumerate(ip, iterable, start=0):
    by_index = together(ip, [iterable])
    if by_index is not None:
        length, (item,) = by_index
        return Lockstep(length, lambda i: (binary(ip, gast.Add, start, i), item(i)))
    return Numbered(iterator(ip, iterable), start)


@emits(reversed)
def _reversed(ip, iterable):
    if isinstance(iterable, range):
        return iterable[::-1]
    by_index = together(ip, [iterable])
    if by_index is not None:
        length, (item,) = by_index
        return Lockstep(
            length, lambda i: item(binary(ip, gast.Sub, binary(ip, gast.Sub, length, 1), i))
        )
    return Items(tuple(sequence(ip, iterable)[::-1]))


@emits(map)
def _map(ip, fn, *iterables):
    return Mapped((fn, *[iterator(ip, v) for v in iterables]))


@emits(filter)
def _filter(ip, fn, iterable):
    return Filtered((fn, iterator(ip, iterable)))


@emits(functools.reduce)
def _reduce(ip, fn, iterable, *initial):
    items = [*initial, *sequence(ip, iterable)]
    if not items:
        raise complain(TypeError, "reduce() of an empty sequence with no initial value")
    return functools.reduce(lambda a, b: ip.call(fn, [a, b], {}), items)


# ---- any and all


def _fold(ip, iterable, op: str, empty: bool):
    if isinstance(iterable, (Node, Tensor)):
        return truth_scalar(
            ip, ip.native(getattr(P, "all" if empty else "any"), ip.node(iterable), None, False)
        )
    if isinstance(iterable, Iterated):
        return _fold_lazily(ip, iterable, empty)
    result = empty
    for v in sequence(ip, iterable):
        test = truth_scalar(ip, v)
        if not isinstance(test, Node):
            if test is not empty:
                return not empty
            continue
        result = test if not isinstance(result, Node) else ip.native(getattr(P, op), result, test)
    return result


def _fold_lazily(ip, source: Iterated, empty: bool):
    """The elements behind the one that decides are not computed."""
    while (v := source.advance(ip)) is not END:
        test = truth_scalar(ip, v)
        if isinstance(test, Node):

            def rest():
                return _fold_lazily(ip, source, empty)

            def decided():
                return not empty

            return (
                runtime_if(ip, test, rest, decided, "all")
                if empty
                else (runtime_if(ip, test, decided, rest, "any"))
            )
        if test is not empty:
            return not empty
    return empty


@emits(all)
def _all(ip, iterable):
    return _fold(ip, iterable, "logical_and", True)


@emits(any)
def _any(ip, iterable):
    return _fold(ip, iterable, "logical_or", False)


# ---- itertools


@emits(itertools.count)
def _count(ip, start=0, step=1):
    return Count(start, step)


@emits(itertools.chain)
def _chain(ip, *iterables):
    return Chained(iterator(ip, iterables))


@emits(itertools.chain.from_iterable)
def _from_iterable(ip, iterables):
    return Chained(iterator(ip, iterables))


@emits(itertools.starmap)
def _starmap(ip, fn, iterable):
    return Starred((fn, iterator(ip, iterable)))


@emits(itertools.filterfalse)
def _filterfalse(ip, fn, iterable):
    return Rejected((fn, iterator(ip, iterable)))


@emits(itertools.zip_longest)
def _zip_longest(ip, *iterables, fillvalue=None):
    return Padded((fillvalue, *[iterator(ip, v) for v in iterables]))


@emits(itertools.repeat)
def _repeat(ip, value, *times):
    if not times:
        return Cycled(((value,),), at=0)
    return Items((value,) * need_static(*times, "the number of repetitions"))


@emits(itertools.islice)
def _islice(ip, iterable, *bounds):
    start, stop, step = 0, None, 1
    if len(bounds) == 1:
        (stop,) = bounds
    else:
        start, stop, *more = bounds
        step = more[0] if more else 1
    start, stop, step = (need_static(b, "a bound of islice") for b in (start or 0, stop, step or 1))
    return Sliced((iterator(ip, iterable), stop, step), at=0, next=start)


class Sliced(Iterated):
    """``itertools.islice(iterator, start, stop, step)``; ``next`` is the number of the element that
    is next.
    """

    __slots__ = ()

    def advance(self, ip):
        at, (source, stop, step) = self.place(ip), self.of
        wanted = self.state["next"]
        wanted = wanted if stop is None else min(wanted, stop)
        for _ in range(at, wanted):
            if source.advance(ip) is END:
                return END
        v = END if wanted == stop else source.advance(ip)
        self.move(ip, wanted if v is END else wanted + 1)
        self.state["next"] = wanted if v is END else wanted + step
        return v


@emits(itertools.takewhile)
def _takewhile(ip, fn, iterable):
    return Leading((fn, iterator(ip, iterable)), at=0)


class Leading(Iterated):
    """``itertools.takewhile(fn, iterator)``."""

    __slots__ = ()

    def advance(self, ip):
        fn, source = self.of
        v = END if self.place(ip) < 0 else source.advance(ip)
        if v is not END and not holds(ip, fn, v, "the condition of takewhile"):
            v = END
        if v is END:
            self.move(ip, SPENT)
        return v


@emits(itertools.dropwhile)
def _dropwhile(ip, fn, iterable):
    source = iterator(ip, iterable)
    while (v := source.advance(ip)) is not END:
        if not holds(ip, fn, v, "the condition of dropwhile"):
            return Chained(Items(((v,), source)))
    return source


@emits(itertools.compress)
def _compress(ip, data, selectors):
    pairs = zip(sequence(ip, data), sequence(ip, selectors))
    return Items(tuple([v for v, s in pairs if holds(ip, None, s, "a selector")]))


@emits(itertools.accumulate)
def _accumulate(ip, iterable, func=operator.add, *, initial=None):
    items = [*([] if initial is None else [initial]), *sequence(ip, iterable)]
    return Items(tuple(itertools.accumulate(items, lambda a, b: ip.call(func, [a, b], {}))))


@emits(itertools.cycle)
def _cycle(ip, iterable):
    return Cycled((tuple(sequence(ip, iterable)),), at=0)


class Cycled(Iterated):
    """``itertools.cycle(iterable)``: its elements again and again."""

    __slots__ = ()

    def advance(self, ip):
        at, (items,) = self.place(ip), self.of
        if not items:
            return END
        self.move(ip, (at + 1) % len(items))
        return items[at]


@emits(itertools.tee)
def _tee(ip, iterable, n=2):
    items = tuple(sequence(ip, iterable))
    return tuple([Items(items) for _ in range(n)])


@emits(itertools.groupby)
def _groupby(ip, iterable, key=None):
    groups: list = []
    for v in sequence(ip, iterable):
        k = v if key is None else ip.call(key, [v], {})
        if groups and need_static(equal(ip, groups[-1][0], k), "whether a new group starts"):
            groups[-1][1].append(v)
        else:
            groups.append((k, [v]))
    return Items(tuple([(k, Items(tuple(g))) for k, g in groups]))


def _selections(fn):
    """The emitter of a function of `itertools` that arranges the elements of sequences."""

    def emit(ip, *iterables, **options):
        sequences = iterables if fn is itertools.product else iterables[:1]
        return Items(
            tuple(
                fn(
                    *[sequence(ip, v) for v in sequences],
                    *[need_static(v, "the length") for v in iterables[len(sequences) :]],
                    **options,
                )
            )
        )

    emits(fn)(emit)


for _fn in (
    itertools.product,
    itertools.combinations,
    itertools.permutations,
    itertools.combinations_with_replacement,
    itertools.pairwise,
):
    _selections(_fn)
