"""Lists, dicts, sets and objects that were made outside of compiled code and are reached by name.

While compiling, each is one `LocalList`, `LocalDict` or `LocalSet`, whatever names lead to it; what
the source changes in that, the program changes in the original at its end. A program is made for
what they held, so it depends on their contents (`Watched`). An attribute that it sets is such a
dict.
"""

from __future__ import annotations

import itertools
import operator
from types import CellType

from .value_types import KINDS, LocalDict, LocalList, LocalSet

_ages = itertools.count(-1, -1)
_LOCAL = {list: LocalList, dict: LocalDict, set: LocalSet}


class Imports:
    """Those of one compilation.

    Attributes:
        pairs: (original, what stands for it while compiling), in the order in which they were
            found.
        names: variables of enclosing functions and modules, and attributes, that were read:
            (holder, name, value); `guards` the attributes of cells among them.
        given: (number, skeleton of what it holds at the end) of the lists and dicts that were
            changed, among those of the arguments and the imports behind them; None if there are no
            such.
        attributes: by the identity of an object and a name, what stands for an attribute that was
            set.
    """

    __slots__ = ("attributes", "given", "guards", "known", "names", "pairs")

    def __init__(self):
        self.guards: dict[tuple, tuple] = {}
        self.names: dict[tuple, tuple] = {}
        self.given: list[tuple] | None = None
        self.pairs: list[tuple] = []
        self.attributes: dict[tuple, LocalDict] = {}
        self.known: dict[int, tuple] = {}

    def of(self, value):
        """``value`` with what stands for lists and dicts, also inside of those and of tuples."""
        kind = type(value)
        if kind not in _LOCAL and kind not in KINDS and not isinstance(value, tuple):
            return value
        found = self.known.get(id(value))
        if found is not None:
            return found[1]
        if kind in _LOCAL or kind in KINDS:
            return self._container(value)
        held = [self.of(v) for v in value] if kind is tuple or hasattr(kind, "_fields") else ()
        new = (
            value
            if all(map(operator.is_, held, value))
            else (kind(held) if kind is tuple else kind(*held))
        )
        self.known[id(value)] = value, new
        return new

    def _container(self, value):
        if type(value) in KINDS:
            made, kind_of = KINDS[type(value)]
            new = made((), kind_of(value))
        else:
            new = _LOCAL[type(value)]()
        new.born = next(_ages)
        pair = self.known[id(value)] = value, new  # it may hold itself
        self.pairs.append(pair)
        if type(new) is LocalList:
            new.extend([self.of(v) for v in value])
        elif type(new) is LocalSet:
            new.update(value)
        else:
            new.update((k, self.of(v)) for k, v in value.items())
        return new

    def attribute(self, owner, name: str) -> tuple:
        """(`Attribute`, the dict that stands for it) of an object."""
        key = id(owner), name
        if key not in self.attributes:
            new = LocalDict()
            new.born = next(_ages)
            self.attributes[key] = new
            self.known[id(new)] = Attribute(owner, name), new
            self.pairs.append(self.known[id(new)])
        return self.known[id(self.attributes[key])]


class Attribute:
    """One attribute of an object, or global name of a module (``owner`` is its globals), as a dict
    of one item, which a program sets.

    Attributes:
        read: whether the program depends on what it was before.
    """

    __slots__ = ("name", "owner", "read")

    def __init__(self, owner, name: str):
        self.owner, self.name, self.read = owner, name, False

    def clear(self) -> None:
        """Nothing: a program deletes no attributes."""

    def update(self, now: dict) -> None:
        """Set it, unless it is so already."""
        value = now[self.name]
        if self._now(self) is value:
            return
        if type(self.owner) is dict:
            self.owner[self.name] = value
        else:
            setattr(self.owner, self.name, value)

    def held(self) -> tuple:
        """What it is, if that matters."""
        return (self._now(None),) if self.read else ()

    def _now(self, otherwise):
        owner = self.owner
        if type(owner) is CellType:
            return owner.cell_contents
        return (owner if type(owner) is dict else vars(owner)).get(self.name, otherwise)


def is_outside(container) -> bool:
    """Whether a list, dict or set of compiled code stands for one made outside."""
    return container.born < 0


class Watched:
    """A list, dict or set, and what it held when a program was made for it."""

    __slots__ = ("container", "held")

    def __init__(self, container):
        self.container, self.held = container, _held(container)

    def holds(self) -> bool:
        """Whether it still holds the same."""
        now = self.container if type(self.container) is list else _held(self.container)
        return len(now) == len(self.held) and all(map(operator.is_, now, self.held))


def _held(container) -> tuple:
    if type(container) is Attribute:
        return container.held()
    return (*container, *container.values()) if isinstance(container, dict) else tuple(container)


__all__ = ["Attribute", "Imports", "Watched", "is_outside"]
