"""Iterators of compiled code, as lazy as CPython's: an element is computed when it is taken.

What an iterator draws from never changes; how far it is, is kept in a dict of compiled code, so
that branches and loops treat it like any other state. An iterator that has been taken from
differently on two paths knows its place only at run time, and cannot be used any more.
"""

from __future__ import annotations

import gast

from ..base.errors import complain
from ..ir.abstract import AbstractScalar
from ..ir.node import Node
from ..tensor import Tensor
from . import special
from .access import END, SPENT, ByIndex, Iterated, sequence, subscript
from .compare import equal
from .emit import Catching
from .kinds import View, need_static
from .scalars import binary, truth
from .values import LocalDict, LocalList


def iterator(ip, v) -> Iterated:
    """``iter(v)``."""
    if isinstance(v, Iterated):
        return v
    if (
        isinstance(v, (Node, Tensor))
        and isinstance(v.abstract, AbstractScalar)
        or isinstance(v, ByIndex)
    ):
        return Items(sequence(ip, v))
    if (
        isinstance(v, (Node, Tensor))
        and v.shape
        or isinstance(v, (LocalList, list, tuple, range, str))
    ):
        return Items(v)
    if isinstance(v, (dict, View)):
        return Entries(v)
    made = special.call(ip, v, "__iter__")
    if made is NotImplemented:
        return Items(sequence(ip, v))
    return Stepped((made,)) if special.has(made, "__next__") else iterator(ip, made)


class Items(Iterated):
    """Over what has a length and is indexed: a list is read as it is when its turn comes."""

    __slots__ = ()

    def __init__(self, of):
        super().__init__((of,), at=0)

    def advance(self, ip):
        at, (of,) = self.place(ip), self.of
        if at < 0 or at >= self._size():
            self.move(ip, SPENT)
            return END
        self.move(ip, at + 1)
        return subscript(ip, of, at) if isinstance(of, (Node, Tensor)) else of[at]

    def _size(self) -> int:
        of = self.of[0]
        return of.shape[0] if isinstance(of, (Node, Tensor)) else len(of)

    def count(self, ip) -> int | None:
        at = self.state["at"]
        return None if isinstance(at, Node) else 0 if at < 0 else max(0, self._size() - at)


class Entries(Iterated):
    """Over a dict or a view of one, which must keep its size."""

    __slots__ = ()

    def __init__(self, of):
        super().__init__((of,), at=0, size=len(of))

    def advance(self, ip):
        at, (of,) = self.place(ip), self.of
        if at < 0:
            return END
        if len(of) != self.state["size"]:
            raise complain(
                RuntimeError,
                "dictionary changed size during iteration",
                cure="iterate over a copy: list(…)",
            )
        items = of.items() if isinstance(of, View) else list(of)
        self.move(ip, at + 1 if at < len(items) else SPENT)
        return items[at] if at < len(items) else END

    def count(self, ip):
        at = self.state["at"]
        return None if isinstance(at, Node) else 0 if at < 0 else len(self.of[0]) - at


class Count(Iterated):
    """``itertools.count(start, step)``."""

    __slots__ = ()

    def __init__(self, start=0, step=1):
        super().__init__((step,), at=start)

    def advance(self, ip):
        at = self.state["at"]
        self.move(ip, binary(ip, gast.Add, at, self.of[0]))
        return at


class Mapped(Iterated):
    """``map(fn, *iterators)``: drawn from are the function and the iterators."""

    __slots__ = ()

    def advance(self, ip):
        fn, *sources = self.of
        args = _each(ip, sources)
        return END if args is END else ip.call(fn, args, {})

    def count(self, ip):
        return _shortest(ip, self.of[1:])


class Starred(Iterated):
    """``itertools.starmap(fn, iterator)``."""

    __slots__ = ()

    def advance(self, ip):
        fn, source = self.of
        args = source.advance(ip)
        return END if args is END else ip.call(fn, sequence(ip, args), {})


class Filtered(Iterated):
    """``filter(fn, iterator)``; ``fn`` may be None."""

    __slots__ = ()
    wanted = True

    def advance(self, ip):
        (fn, source), wanted = self.of, self.wanted
        while True:
            v = source.advance(ip)
            if v is END or holds(ip, fn, v, "the condition of filter") is wanted:
                return v


class Rejected(Filtered):
    """``itertools.filterfalse(fn, iterator)``."""

    __slots__ = ()
    wanted = False


def holds(ip, fn, v, what: str) -> bool:
    """The truth of ``fn(v)``, which must be known now."""
    return need_static(truth(ip, v if fn is None else ip.call(fn, [v], {})), what)


class Zipped(Iterated):
    """``zip(*iterators)``."""

    __slots__ = ()
    strict = False

    def advance(self, ip):
        strict, sources = self.strict, self.of
        values: list = []
        for source in sources:
            v = source.advance(ip)
            if v is END:
                if strict and values:
                    raise _uneven(len(values) + 1, "shorter")
                for k, s in enumerate(sources[1:] if strict else (), 2):
                    if s.advance(ip) is not END:
                        raise _uneven(k, "longer")
                return END
            values.append(v)
        return tuple(values) if sources else END

    def count(self, ip):
        return _shortest(ip, self.of) if self.of else 0


class StrictlyZipped(Zipped):
    """``zip(*iterators, strict=True)``: it fails where one ends before the others."""

    __slots__ = ()
    strict = True


def _uneven(k: int, how: str) -> Exception:
    """The error of iterators of which the ``k``-th is shorter or longer than those before."""
    before = "argument 1" if k == 2 else f"arguments 1-{k - 1}"
    return complain(
        ValueError,
        f"zip() argument {k} is {how} than {before}",
        cure="zip without strict=True ends with the shortest",
    )


class Stepped(Iterated):
    """Over a user's object with ``__next__``, until that raises StopIteration."""

    __slots__ = ()

    def advance(self, ip):
        return step(ip, self.of[0])


def step(ip, source):
    """The next element of a user's iterator, or `END`."""
    try:
        with Catching(ip, StopIteration):
            return special.call(ip, source, "__next__")
    except StopIteration:
        return END


class Padded(Iterated):
    """``itertools.zip_longest(*iterators, fillvalue=…)``."""

    __slots__ = ()

    def advance(self, ip):
        fill, *sources = self.of
        values = [s.advance(ip) for s in sources]
        if all(v is END for v in values):
            return END
        return tuple([fill if v is END else v for v in values])


class Numbered(Iterated):
    """``enumerate(iterator, start)``."""

    __slots__ = ()

    def __init__(self, source, start):
        super().__init__((source,), at=start)

    def advance(self, ip):
        v = self.of[0].advance(ip)
        if v is END:
            return END
        at = self.state["at"]
        self.move(ip, binary(ip, gast.Add, at, 1))
        return at, v

    def count(self, ip):
        return self.of[0].count(ip)


class Chained(Iterated):
    """The elements of the elements of an iterator: ``itertools.chain.from_iterable``."""

    __slots__ = ()

    def __init__(self, source):
        super().__init__((source,), at=None)

    def advance(self, ip):
        while True:
            inner = self.state["at"]
            if inner is not None:
                v = inner.advance(ip)
                if v is not END:
                    return v
            outer = self.of[0].advance(ip)
            if outer is END:
                self.move(ip, None)
                return END
            self.move(ip, iterator(ip, outer))


class Calls(Iterated):
    """``iter(fn, sentinel)``."""

    __slots__ = ()

    def __init__(self, fn, sentinel):
        super().__init__((fn, sentinel), at=0)

    def advance(self, ip):
        fn, sentinel = self.of
        if self.place(ip) < 0:
            return END
        v = ip.call(fn, [], {})
        if need_static(equal(ip, v, sentinel), "whether the iterator ends here"):
            self.move(ip, SPENT)
            return END
        return v


def _each(ip, sources: list):
    """One element of each iterator, or END where one has none."""
    values: list = []
    for s in sources:
        v = s.advance(ip)
        if v is END:
            return END
        values.append(v)
    return values


def _shortest(ip, sources) -> int | None:
    known = [c for c in (s.count(ip) for s in sources) if c is not None]
    return min(known) if known else None


def turns(ip, iterable):
    """The elements of what a loop iterates over, one after the other, for a loop that is unrolled:
    each is computed, and a list is read, when its turn comes.
    """
    if isinstance(iterable, (LocalList, LocalDict, View)):
        iterable = iterator(ip, iterable)
    if not isinstance(iterable, Iterated):
        yield from sequence(ip, iterable)
        return
    while (v := iterable.advance(ip)) is not END:
        yield v


__all__ = [
    "Calls",
    "Chained",
    "Count",
    "Entries",
    "Filtered",
    "Items",
    "Mapped",
    "Numbered",
    "Padded",
    "Rejected",
    "StrictlyZipped",
    "Starred",
    "Zipped",
    "holds",
    "iterator",
    "turns",
]
