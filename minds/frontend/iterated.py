"""The protocols of what is iterated: iterators, and what has an item for each index."""

from __future__ import annotations

from ..base.errors import CompileTimeError, complain, needing
from ..ir.node import Node
from .value_types import LocalDict, LocalList

ITEMS = 1_000_000
"""The number of elements into which a range may be taken apart."""


class ByIndex:
    """What has ``length(ip)`` elements, perhaps known only to the run: ``item(ip, i)``."""

    def elements(self, ip) -> list:
        """The elements one by one: the program is made for this length.

        Raises:
            CompileTimeError: the length is a number of the run.
        """
        length = self.length(ip)
        if isinstance(length, Node):
            what = "the number of elements must be known when the program is compiled"
            error = complain(CompileTimeError, what, cure="iterate with a for loop")
            raise needing(error, [length])
        return [self.item(ip, i) for i in range(ip.native(int, length))]


END = object()
"""What an iterator gives where it has no more elements."""

SPENT = -1
"""The place of an iterator that has no more elements, whatever its list gets."""


class Iterated:
    """An iterator of compiled code (`zip`, `enumerate`, `map`, a generator expression, …): see
    `iterators`.

    Attributes:
        state: what it draws from and how far it is: a dict of compiled code, which tells an
            iterator from its copies.
        joined: where paths meet, what is in the state is joined each by itself.
        result: (what it has returned,), which generators do.
        finishes: whether it may have something to do where it is closed.
    """

    joined, finishes = True, False
    result: tuple = ()

    def __init__(self, state: dict):
        self.state = LocalDict(state)

    def copy_at(self, state) -> Iterated:
        """An iterator like this one in another state."""
        new = object.__new__(type(self))
        new.state = state
        return new

    @staticmethod
    def _parts(v) -> tuple:
        return (), [v.state], lambda items: v.copy_at(items[0])

    def is_new(self) -> bool:
        """Whether it is a generator of a function, which has not begun."""
        return False

    def as_left(self, frame) -> Iterated:
        """It where it leaves a call: one that sees variables of the call sees them as they are."""
        return self

    def advance(self, ip):
        """The next element, or `END`."""
        raise NotImplementedError

    def count(self, ip) -> int | None:
        """How many elements are left, where that is known without taking them."""
        return None

    def place(self, ip):
        """How far it is.

        Raises:
            CompileTimeError: that depends on run-time data.
        """
        at = self.state["<at>"]
        if isinstance(at, Node):
            what = "how many elements were taken from this iterator depends on run-time data"
            cure = "make the iterator anew, or loop over a list by index"
            raise needing(complain(CompileTimeError, what, cure=cure), [at])
        return at

    def move(self, ip, at) -> None:
        """It is at ``at`` from now on."""
        ip.touch(self.state)
        self.state["<at>"] = at

    def as_list(self, ip) -> LocalList:
        """A list of what is left, of which perhaps only the run knows the length."""
        return LocalList(self.take_all(ip))

    def take_all(self, ip) -> list:
        """What is left; nothing is left after it."""
        taken: list = []
        while (v := self.advance(ip)) is not END:
            taken.append(v)
            expect_few(taken)
        return taken


def expect_few(taken: list) -> None:
    """Raise where an iterator seems to have no end."""
    if len(taken) > ITEMS:
        what = f"the iterator has more than {ITEMS} elements"
        raise complain(MemoryError, what, cure="take as many as are needed: itertools.islice(…)")
