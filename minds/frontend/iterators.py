"""Iterators of compiled code, as lazy as CPython's: an element is computed when it is taken.

What an iterator draws from never changes; how far it is, is kept in a dict of compiled code, so
that branches and loops treat it like any other state. An iterator that has been taken from
differently on two paths knows its place only at run time, and cannot be used any more.
"""

from __future__ import annotations

from operator import index

import gast

from ..base.errors import complain
from ..ir.abstract import AbstractScalar
from ..ir.node import Node
from ..ir.sizes import is_unbacked
from ..tensor import Tensor
from . import run_arrays, special
from .access import plain_name, subscript
from .conditions import of_choice
from .function_types import UnionValue
from .iterated import END, ITEMS, SPENT, ByIndex, Iterated
from .raises import Catching
from .scalars import binary
from .value_types import LocalDict, LocalList, RunArray, View


def iterator(ip, v) -> Iterated:
    """``iter(v)``.

    Raises:
        TypeError: there is none.
    """
    if isinstance(v, Iterated):
        return v
    if type(v) is RunArray:
        return Items(tuple(run_arrays.elements(ip, v)))
    if isinstance(v, (Node, Tensor)):
        if isinstance(v.abstract, AbstractScalar):
            raise complain(TypeError, f"a run-time {v.abstract!r} object is not iterable")
        if not v.shape:
            raise complain(TypeError, "Cannot iterate over a scalar tensor.")
        return Items(v)
    if type(v) is UnionValue:
        return Items(tuple(sequence(ip, v)))
    if isinstance(v, (list, tuple, range, str)):
        return Items(v)
    if isinstance(v, (dict, View)):
        return Entries(v)
    if isinstance(v, ByIndex):
        return Items(tuple(v.elements(ip)))
    if isinstance(v, (type(iter([])), map, filter, zip, enumerate)):
        what = f"a {type(v).__name__} made outside of compiled code cannot be used in it"
        raise complain(TypeError, what)
    made = special.call(ip, v, "__iter__")
    written = special.has(made, "__iter__") and not special.has(made, "__next__")
    if written or isinstance(made, (list, tuple, dict, str, set)):
        what = f"iter() returned non-iterator of type '{plain_name(made)}'"
        raise complain(TypeError, what)
    if made is not NotImplemented:
        return Stepped(made) if special.has(made, "__next__") else iterator(ip, made)
    if not hasattr(type(v), "__iter__") and special.has(v, "__getitem__"):
        return Indexed({"of": v, "<at>": 0})
    if not hasattr(type(v), "__iter__") and not hasattr(type(v), "__getitem__"):
        raise complain(TypeError, f"'{plain_name(v)}' object is not iterable")
    try:
        return Items(tuple(v))
    except TypeError as e:
        raise complain(TypeError, str(e)) from None


def sequence(ip, v) -> list:
    """The elements of what has a known length: for unpacking, stars and unrolled loops."""
    if type(v) is UnionValue:
        v = of_choice(ip, v, lambda option: tuple(sequence(ip, option)))
    if isinstance(v, (Node, Tensor)) and not isinstance(v.abstract, AbstractScalar) and v.shape:
        return [subscript(ip, v, i) for i in range(v.shape[0])]
    if type(v) is RunArray:
        return run_arrays.elements(ip, v)
    if isinstance(v, range) and len(v) > ITEMS:
        raise complain(
            MemoryError,
            f"{v} would be taken apart into {len(v)} elements while compiling",
            expected=f"at most {ITEMS}",
            cure="loop over the range, or use ops.arange",
        )
    if isinstance(v, (tuple, list, str, range, dict, set, frozenset)):
        return list(v)
    return v.elements(ip) if isinstance(v, ByIndex) else iterator(ip, v).take_all(ip)


class Items(Iterated):
    """Over what has a length and is indexed: a list is read as it is when its turn comes."""

    def __init__(self, of):
        super().__init__({"of": of, "<at>": 0})

    def advance(self, ip):
        at, of = self.place(ip), self.state["of"]
        if at < 0 or at >= self._size():
            self.move(ip, SPENT)
            return END
        self.move(ip, at + 1)
        return subscript(ip, of, at) if isinstance(of, (Node, Tensor)) else of[at]

    def _size(self) -> int:
        of = self.state["of"]
        if not isinstance(of, (Node, Tensor)):
            return len(of)
        return index(of.shape[0]) if is_unbacked(of.shape[0]) else of.shape[0]

    def count(self, ip) -> int | None:
        at = self.state["<at>"]
        return None if isinstance(at, Node) else 0 if at < 0 else max(0, self._size() - at)


class Entries(Iterated):
    """Over a dict or a view of one, which must keep its size."""

    def __init__(self, of):
        super().__init__({"of": of, "<at>": 0, "size": len(of)})

    def advance(self, ip):
        at, of = self.place(ip), self.state["of"]
        if at < 0:
            return END
        if len(of) != self.state["size"]:
            what = "dictionary changed size during iteration"
            raise complain(RuntimeError, what, cure="iterate over a copy: list(…)")
        items = of.items() if isinstance(of, View) else list(of)
        self.move(ip, at + 1 if at < len(items) else SPENT)
        return items[at] if at < len(items) else END

    def count(self, ip):
        at = self.state["<at>"]
        return None if isinstance(at, Node) else 0 if at < 0 else len(self.state["of"]) - at


class Count(Iterated):
    """``itertools.count(start, step)``."""

    def __init__(self, start=0, step=1):
        super().__init__({"<at>": start, "step": step})

    def advance(self, ip):
        at = self.state["<at>"]
        self.move(ip, binary(ip, gast.Add, at, self.state["step"]))
        return at


class Zipped(Iterated):
    """``zip(*iterators)``."""

    def __init__(self, *iterators):
        super().__init__({"iterators": iterators})

    def advance(self, ip):
        values: list = []
        for source in self.state["iterators"]:
            v = source.advance(ip)
            if v is END:
                return END
            values.append(v)
        return tuple(values) if values else END

    def count(self, ip):
        counts = [s.count(ip) for s in self.state["iterators"]]
        known = [c for c in counts if c is not None]
        return min(known) if known else None if counts else 0


class Mapped(Zipped):
    """``map(function, *iterators)``."""

    def __init__(self, function, *iterators):
        super().__init__(*iterators)
        self.state["function"] = function

    def advance(self, ip):
        args = super().advance(ip)
        return END if args is END else ip.call(self.state["function"], list(args), {})


class Stepped(Iterated):
    """Over a user's object with ``__next__``, until that raises StopIteration."""

    def __init__(self, source):
        super().__init__({"source": source})

    def advance(self, ip):
        return step(ip, self.state["source"])


class Indexed(Iterated):
    """Over a user's object that only has ``__getitem__``, until that raises IndexError."""

    def advance(self, ip):
        at = self.place(ip)
        if at < 0:
            return END
        try:
            with Catching(ip, IndexError):
                item = subscript(ip, self.state["of"], at)
        except IndexError:
            self.move(ip, SPENT)
            return END
        self.move(ip, at + 1)
        return item


def step(ip, source):
    """The next element of a user's iterator, or `END`."""
    try:
        with Catching(ip, StopIteration):
            return special.call(ip, source, "__next__")
    except StopIteration:
        return END


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
