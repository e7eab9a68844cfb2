"""Lists, dicts and sets that were made outside of compiled code and are reached by name.

While compiling, each is one `LocalList`, `LocalDict` or `LocalSet`, whatever names lead to it; what the
source changes in that, the program changes in the original at its end. A program is made for what they held,
so it depends on their contents (`Watched`).
"""
from __future__ import annotations

import itertools
import operator

from .kinds import LocalDict, LocalList, LocalSet

_ages = itertools.count(-1, -1)
_LOCAL = {list: LocalList, dict: LocalDict, set: LocalSet}


class Imports:
    """Those of one compilation.

    Attributes:
        pairs: (original, what stands for it while compiling), in the order in which they were found.
    """

    __slots__ = ("known", "pairs")

    def __init__(self):
        self.pairs: list[tuple] = []
        self.known: dict[int, tuple] = {}

    def of(self, value):
        """``value`` with what stands for lists and dicts, also inside of those and of tuples."""
        kind = type(value)
        if kind not in _LOCAL and not isinstance(value, tuple):
            return value
        found = self.known.get(id(value))
        if found is not None:
            return found[1]
        if kind in _LOCAL:
            return self._container(value)
        held = [self.of(v) for v in value] if kind is tuple or hasattr(kind, "_fields") else ()
        new = value if all(map(operator.is_, held, value)) else (
            kind(held) if kind is tuple else kind(*held))
        self.known[id(value)] = value, new
        return new

    def _container(self, value):
        new = _LOCAL[type(value)]()
        new.born = next(_ages)
        pair = self.known[id(value)] = value, new     # it may hold itself
        self.pairs.append(pair)
        if type(value) is list:
            new.extend([self.of(v) for v in value])
        elif type(value) is set:
            new.update(value)
        else:
            new.update((k, self.of(v)) for k, v in value.items())
        return new


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
    return (*container, *container.values()) if type(container) is dict else tuple(container)


__all__ = ["Imports", "Watched", "is_outside"]
