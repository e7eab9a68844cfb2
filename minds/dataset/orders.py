"""What the order of rows is drawn from: MindSpore's generators, so a seed gives the rows that it gives.

MindSpore's samplers, files and buffers each begin at the seed that was set, and count it up by epoch. The
numbers are those of C++'s Mersenne twisters (``csrc/data/order.h``).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from .. import _core

UNSEEDED = 5489  # stands for no seed, as in MindSpore and C++
_WORDS = 1024  # that a stream draws at first


class Draws:
    """The numbers that order one epoch of one node.

    Args:
        seed (int): where the first epoch begins.
        epoch (int): counted from 0. Default: 0.
        kept (dict, optional): what earlier epochs left, from which a later one goes on.

    Examples:
        >>> from minds.dataset.orders import Draws
        >>> Draws(1).permutation(4).tolist() == Draws(1).permutation(4).tolist()
        True
    """

    __slots__ = ("_calls", "_kept", "epoch", "seed")

    def __init__(self, seed: int, epoch: int = 0, kept: dict | None = None):
        self.seed, self.epoch = seed, epoch
        self._kept, self._calls = {} if kept is None else kept, 0

    def _at(self, epoch: int) -> int:
        return (self.seed + epoch) % 2**32

    def permutation(self, items, counts_up: bool = True, ahead: int = 0) -> np.ndarray:
        """``items``, or the numbers below it, in the order of this epoch: that of the epoch before,
        shuffled.

        Args:
            items (int, numpy.ndarray): what is shuffled.
            counts_up (bool): whether each epoch has a seed of its own. Default: True.
            ahead (int): how far these are from the seed. Default: 0.

        Returns:
            numpy.ndarray: as many.

        Examples:
            >>> from minds.dataset.orders import Draws
            >>> sorted(Draws(1).permutation(4).tolist())
            [0, 1, 2, 3]
        """
        count = items if isinstance(items, (int, np.integer)) else len(items)
        self._calls += 1
        key = self._calls, int(count)
        epoch, ids = self._kept.get(key, (-1, None))
        if ids is None or epoch > self.epoch:
            epoch, ids = -1, np.arange(count, dtype=np.int64)
        if epoch < self.epoch:
            ids = ids.copy()
            for e in range(epoch + 1, self.epoch + 1):
                _core.shuffle_ids(ids, self._at(ahead + (e if counts_up else 0)))
            self._kept[key] = self.epoch, ids
        return ids.copy() if count is items else np.asarray(items)[ids]

    def integers(self, limit: int, count: int) -> np.ndarray:
        """Numbers below ``limit``.

        Args:
            limit (int): at least 1.
            count (int): how many.

        Returns:
            numpy.ndarray: int64.

        Examples:
            >>> from minds.dataset.orders import Draws
            >>> Draws(1).integers(1, 3).tolist()
            [0, 0, 0]
        """
        return _core.draw_below(int(limit), int(count), self._at(self.epoch))

    def uniform(self, count: int) -> np.ndarray:
        """Numbers in [0, 1).

        Args:
            count (int): how many.

        Returns:
            numpy.ndarray: float64.

        Examples:
            >>> from minds.dataset.orders import Draws
            >>> Draws(1).uniform(3).shape
            (3,)
        """
        words = self.integers(2**32, 2 * count)
        made = (words[::2] + words[1::2] * 2.0**32) / 2.0**64
        return np.minimum(made, np.nextafter(1.0, 0.0))

    def through(self, count: int, room: int) -> np.ndarray:
        """The numbers below ``count`` as a buffer gives them out: each time one of those it holds.

        Args:
            count (int): how many rows there are.
            room (int): how many of them the buffer holds.

        Returns:
            numpy.ndarray: int64.

        Examples:
            >>> from minds.dataset.orders import Draws
            >>> Draws(1).through(3, 1).tolist()
            [0, 1, 2]
        """
        return _core.shuffle_through(int(count), int(room), self._at(0), self.epoch * int(count))

    def stream(self, items, room: int) -> Iterator:
        """``items``, whose number is not known, through such a buffer.

        Args:
            items (Iterable): what is shuffled.
            room (int): how many of them the buffer holds.

        Returns:
            Iterator: as many.

        Examples:
            >>> from minds.dataset.orders import Draws
            >>> sorted(Draws(1).stream("abc", 2))
            ['a', 'b', 'c']
        """
        items, words = iter(items), _words(self._at(self.epoch))
        held = list(itertools.islice(items, room))
        for item in items:
            i = next(words) % len(held)
            yield held[i]
            held[i], held[-1] = held[-1], item
        while held:
            i = next(words) % len(held)
            yield held[i]
            held[i] = held[-1]
            held.pop()


def _words(seed: int) -> Iterator[int]:
    given, count = 0, _WORDS
    while True:
        yield from _core.draw_words(count, seed, given).tolist()
        given, count = given + count, 2 * count
