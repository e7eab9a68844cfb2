"""`filter` and `itertools`."""

from __future__ import annotations

import itertools
import operator

from ...base.errors import complain
from ..generators import generator
from ..registry import polyfill


def newer(name: str) -> tuple:
    """What `itertools` has of this name, which only newer Pythons have."""
    return tuple(vars(itertools)[n] for n in (name,) if n in vars(itertools))


class END:
    """What `next` gives at the end of an iterator."""


def known(condition, what: str) -> bool:
    """The truth of ``condition``, which must be known while compiling: ``what`` names it."""
    return bool(condition)


@generator(itertools.starmap)
def starmap(function, iterable):
    """``itertools.starmap``, and so on for the others."""
    for args in iterable:
        yield function(*args)


@generator(filter)
def filtered(function, iterable):
    """``filter``."""
    for item in iterable:
        if known(item if function is None else function(item), "the condition of filter"):
            yield item


@generator(itertools.filterfalse)
def filterfalse(function, iterable):
    for item in iterable:
        if not known(item if function is None else function(item), "the condition of filter"):
            yield item


@polyfill(itertools.chain)
def chain(*parts):
    return from_iterable(parts)


@generator(itertools.chain.from_iterable)
def from_iterable(iterable):
    for part in iterable:
        items = iter(part)
        while (item := next(items, END)) is not END:
            yield item


@generator(itertools.takewhile)
def takewhile(predicate, iterable):
    for item in iterable:
        if not known(predicate(item), "the condition of takewhile"):
            return
        yield item


@generator(itertools.dropwhile)
def dropwhile(predicate, iterable):
    for item in iterable:
        if not known(predicate(item), "the condition of dropwhile"):
            yield item
            break
    for item in iterable:
        yield item


@generator(itertools.compress)
def compress(data, selectors):
    for item, selected in zip(data, selectors):
        if known(selected, "a selector"):
            yield item


@generator(itertools.accumulate)
def accumulate(iterable, func=operator.add, *, initial=None):
    total = next(iterable, END) if initial is None else initial
    if total is END:
        return
    yield total
    for item in iterable:
        total = func(total, item)
        yield total


@generator(itertools.pairwise)
def pairwise(iterable):
    before = next(iterable, END)
    for item in iterable:
        yield before, item
        before = item


@polyfill(*newer("batched"))
def batched(iterable, n, *, strict=False):
    if n < 1:
        raise ValueError("n must be at least one")
    return batches(iterable, n, strict)


@generator()
def batches(iterable, n, strict):
    """``itertools.batched`` of a right ``n``."""
    while True:
        items = [next(iterable, END) for _ in range(n)]
        batch = tuple([item for item in items if item is not END])
        if not batch:
            return
        if strict and len(batch) < n:
            raise ValueError("batched(): incomplete batch")
        yield batch


@polyfill(itertools.cycle)
def cycle(iterable):
    items = tuple(iterable)
    return from_iterable(endless(items)) if items else iter(())


@polyfill(itertools.tee)
def tee(iterable, n=2):
    items = tuple(iterable)
    return tuple([iter(items) for _ in range(n)])


@polyfill(itertools.repeat)
def repeat(object, times=None):  # noqa: A002
    return endless(object) if times is None else iter((object,) * times)


@generator()
def endless(item):
    """``itertools.repeat(item)``."""
    while True:
        yield item


@generator(itertools.islice)
def islice(iterable, *bounds):
    limits = slice(*bounds)
    at, step = limits.start or 0, limits.step or 1
    places = itertools.count() if limits.stop is None else range(max(at, limits.stop))
    for place, item in zip(places, iterable):
        if place == at:
            yield item
            at += step


@generator(itertools.zip_longest)
def zip_longest(*iterables, fillvalue=None):
    while True:
        items = [next(iterator, END) for iterator in iterables]
        if all(item is END for item in items):
            return
        yield tuple([fillvalue if item is END else item for item in items])


@generator()
def zip_strictly(*iterables):
    """``zip(*iterables, strict=True)``."""
    while iterables:
        items = tuple([next(iterator, END) for iterator in iterables])
        ended = [item is END for item in items]
        if any(ended):
            if not all(ended):
                raise _uneven(ended.index(not ended[0]) + 1, "longer" if ended[0] else "shorter")
            return
        yield items


def _uneven(place: int, how: str) -> Exception:
    before = "argument 1" if place == 2 else f"arguments 1-{place - 1}"
    return complain(
        ValueError,
        f"zip() argument {place} is {how} than {before}",
        cure="zip without strict=True ends with the shortest",
    )


@generator(itertools.groupby)
def groupby(iterable, key=None):
    groups = []
    for item in iterable:
        value = item if key is None else key(item)
        if groups and known(groups[-1][0] == value, "whether a new group starts"):
            groups[-1][1].append(item)
        else:
            groups.append((value, [item]))
    for value, items in groups:
        yield value, iter(items)


@generator()
def until(function, sentinel):
    """``iter(function, sentinel)``."""
    while True:
        item = function()
        if known(item == sentinel, "whether the iterator ends here"):
            return
        yield item
