"""What the order of rows is drawn from: MindSpore's generators, so a seed gives the rows that it gives.

MindSpore's samplers, files and buffers each begin at the seed that was set, and count it up by epoch.
Their numbers are those of the Mersenne twisters of C++'s standard, those of MindRecord's files of its
smallest generator, `minstd_rand0`. How numbers become positions is left
to C++'s libraries, so that is written out here, as GCC's does it before its version 11.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

UNSEEDED = 5489  # stands for no seed, as in MindSpore and C++
_LENGTH, _MIDDLE = 312, 156  # of the state of the twister of 64 bits
_HIGH, _LOW, _ONE = np.uint64(0xFFFFFFFF80000000), np.uint64(0x7FFFFFFF), np.uint64(1)
_TWIST = np.uint64(0xB5026F5AA96619E9)
_TEMPER = (
    (np.right_shift, 29, 0x5555555555555555),
    (np.left_shift, 17, 0x71D67FFFEDA60000),
    (np.left_shift, 37, 0xFFF7EEE000000000),
    (np.right_shift, 43, 0xFFFFFFFFFFFFFFFF),
)


def words(seed: int, count: int) -> np.ndarray:
    """The first ``count`` numbers of 32 bits of the twister of 32 bits."""
    return np.random.RandomState(seed).randint(0, 2**32, count, np.uint32).astype(np.int64)


def first_words(seeds: np.ndarray) -> np.ndarray:
    """The first number of the twister of 32 bits for each of many seeds."""
    state = first = seeds.astype(np.uint32)
    following = state
    for i in range(1, 398):
        state = (state ^ (state >> 30)) * np.uint32(1812433253) + np.uint32(i)
        following = state if i == 1 else following
    y = first & np.uint32(0x80000000) | following & np.uint32(0x7FFFFFFF)
    x = state ^ (y >> 1) ^ np.where(y & 1, np.uint32(0x9908B0DF), np.uint32(0))
    x ^= x >> 11
    x ^= x << 7 & np.uint32(0x9D2C5680)
    x ^= x << 15 & np.uint32(0xEFC60000)
    return (x ^ x >> 18).astype(np.int64)


def linear_words(seed: int, count: int) -> np.ndarray:
    """The first ``count`` numbers of C++'s ``minstd_rand0``, less the smallest, which is 1.

    Source: Lewis, Goodman, Miller, A pseudo-random number generator for the System/360, 1969.
    """
    made, factor = np.array([seed % _PRIME or 1]), 16807
    while len(made) <= count:
        made = np.concatenate([made, made * factor % _PRIME])
        factor = factor * factor % _PRIME
    return made[1 : count + 1] - 1


@dataclass(frozen=True)
class Engine:
    """One of C++'s generators: ``words(seed, n)`` are its first numbers, from 0 to ``most``."""

    words: Callable[[int, int], np.ndarray]
    most: int


_PRIME = 2**31 - 1
TWISTER, LINEAR = Engine(words, 2**32 - 1), Engine(linear_words, _PRIME - 2)


def wide_words(seed: int) -> Iterator[np.ndarray]:
    """The numbers of the twister of 64 bits, in blocks."""
    state, x = [seed], seed
    for i in range(1, _LENGTH):
        x = (6364136223846793005 * (x ^ (x >> 62)) + i) % 2**64
        state.append(x)
    state = np.array(state, np.uint64)
    while True:
        after = np.empty_like(state)
        for begin, end in ((0, _MIDDLE), (_MIDDLE, _LENGTH)):
            following = np.append(state[begin + 1 : end + 1], after[:1])[: end - begin]
            y = state[begin:end] & _HIGH | following & _LOW
            far = state[_MIDDLE:] if not begin else after[:_MIDDLE]
            after[begin:end] = far ^ (y >> _ONE) ^ np.where(y & _ONE, _TWIST, np.uint64(0))
        state, z = after, after.copy()
        for shift, by, mask in _TEMPER:
            z ^= shift(z, np.uint64(by)) & np.uint64(mask)
        yield z


def _drawn_again(draws: np.ndarray, limits: np.ndarray, most: int, more) -> np.ndarray:
    """A number below each of ``limits``; what is at the end of the range, which would make some likelier,
    is skipped. ``more(n)`` gives all of the first n numbers.
    """
    each = most // limits
    ends = each * limits
    if (draws < ends).all():
        return draws // each
    found, at, all_draws = [], 0, draws.tolist()
    for end in ends.tolist():
        while True:
            if at == len(all_draws):
                all_draws = more(2 * len(all_draws)).tolist()
            at += 1
            if all_draws[at - 1] < end:
                break
        found.append(all_draws[at - 1])
    return np.array(found) // each


def _below(limits: np.ndarray, seed: int, engine: Engine = TWISTER) -> np.ndarray:
    """Numbers below ``limits``, drawn one after the other."""
    first = engine.words(seed, len(limits))
    return _drawn_again(first, limits, engine.most, lambda n: engine.words(seed, n))


def _places(n: int, seed: int, engine: Engine) -> np.ndarray:
    """For each of ``n`` elements, in order, the one of those up to it with which a shuffle swaps it."""
    if n > engine.most // n:
        return np.append(0, _below(np.arange(2, n + 1), seed, engine))
    even = 1 - n % 2  # one number is enough for two places
    later = np.arange(1 + even, n, 2)
    limits = np.append(np.full(even, 2), (later + 1) * (later + 2))
    drawn = _below(limits.astype(np.int64), seed, engine)
    both = np.stack(np.divmod(drawn[even:], later + 2), 1).ravel()
    return np.concatenate([[0], drawn[:even], both])


def shuffle(ids: np.ndarray, seed: int, engine: Engine = TWISTER) -> np.ndarray:
    """``ids`` shuffled: element after element changes places with one of those up to it.

    Instead of one swap after the other, what happens to each element is followed: swap i puts it at
    ``places[i]``; the next swap there moves it to its own number; from there the first swap with that place
    moves it on, and so forth.
    """
    n = len(ids)
    if n < 2:
        return ids
    places, numbers = _places(n, seed, engine), np.arange(n)
    by_place = np.argsort(places, kind="stable")
    same = np.diff(places[by_place]) == 0
    after = np.full(n, -1)  # the next swap with the same place
    after[by_place[:-1][same]] = by_place[1:][same]
    heads = by_place[np.append(True, ~same)]
    moved = np.full(n, -1)  # the first swap that takes what swap i has moved to i
    moved[places[heads]] = heads
    moved = np.where(moved == numbers, after, moved)
    last = np.where(moved < 0, numbers, moved)
    while (last != (further := last[last])).any():
        last = further
    made = np.empty_like(ids)
    made[np.where(after < 0, places, last[after])] = ids
    return made


class Draws:
    """The numbers that order one epoch of one node.

    Args:
        seed (int): where the first epoch begins.
        epoch (int): counted from 0. Default: 0.
        kept (dict, optional): what earlier epochs left, from which a later one goes on.

    Examples:
        >>> from minds.dataset.orders import Draws
        >>> Draws(58).permutation(6).tolist()
        [1, 5, 4, 2, 3, 0]
    """

    __slots__ = ("_calls", "_kept", "epoch", "seed")
    _engine = TWISTER

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
            >>> Draws(58, 1).permutation(6).tolist()
            [3, 2, 4, 5, 0, 1]
        """
        count = items if isinstance(items, (int, np.integer)) else len(items)
        self._calls += 1
        key = self._calls, int(count)
        epoch, ids = self._kept.get(key, (-1, None))
        if ids is None or epoch > self.epoch:
            epoch, ids = -1, np.arange(count)
        if epoch < self.epoch:
            for e in range(epoch + 1, self.epoch + 1):
                ids = shuffle(ids, self._at(ahead + (e if counts_up else 0)), self._engine)
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
            >>> Draws(58).integers(6, 4).tolist()
            [2, 5, 2, 5]
        """
        return _below(np.full(count, limit, np.int64), self._at(self.epoch))

    def uniform(self, count: int) -> np.ndarray:
        """Numbers in [0, 1).

        Args:
            count (int): how many.

        Returns:
            numpy.ndarray: float64.

        Examples:
            >>> from minds.dataset.orders import Draws
            >>> Draws(58).uniform(3).shape
            (3,)
        """
        drawn = words(self._at(self.epoch), 2 * count)
        made = (drawn[::2] + drawn[1::2] * 2.0**32) / 2.0**64
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
            >>> Draws(58).through(6, 3).tolist()
            [2, 3, 4, 1, 0, 5]
        """
        before, parts, found = self.epoch * count, [], 0
        for block in wide_words(self._at(0)):
            if found >= before + count:
                break
            parts.append(block[max(before - found, 0) :])
            found += len(block)
        left = np.minimum(room, np.arange(count, 0, -1)).astype(np.uint64)
        drawn = np.concatenate([*parts, np.empty(0, np.uint64)])[:count]
        return np.array(
            list(_given_out(range(count), room, iter((drawn % left).tolist()))), np.int64
        )

    def stream(self, items, room: int, count: int = 0) -> Iterator:
        """``items`` through such a buffer, one after the other.

        Args:
            items (Iterable): what is shuffled.
            room (int): how many of them the buffer holds.
            count (int): how many there are; where that is not known, each epoch has a seed of its own,
                which MindSpore's have not. Default: 0: not known.

        Returns:
            Iterator: as many.

        Examples:
            >>> from minds.dataset.orders import Draws
            >>> list(Draws(58).stream("abcdef", 3))
            ['c', 'd', 'e', 'b', 'a', 'f']
        """
        blocks = wide_words(self._at(0 if count else self.epoch))
        drawn = itertools.chain.from_iterable(block.tolist() for block in blocks)
        return _given_out(items, room, itertools.islice(drawn, self.epoch * count, None))


class RecordDraws(Draws):
    """The numbers that order the rows of MindRecord's files. They begin behind the seed; where rows are
    shared (``ahead``) an epoch does not go on from the one before.

    Args:
        seed (int): what the first epoch begins behind.
        epoch (int): counted from 0. Default: 0.
        kept (dict, optional): what earlier epochs left, from which a later one goes on.

    Examples:
        >>> from minds.dataset.orders import RecordDraws
        >>> RecordDraws(5).permutation(4).tolist()
        [1, 3, 2, 0]
    """

    __slots__ = ()
    _engine = LINEAR

    def permutation(self, items, counts_up: bool = True, ahead: int = 0) -> np.ndarray:
        """As `Draws.permutation`.

        Args:
            items (int, numpy.ndarray): what is shuffled.
            counts_up (bool): whether each epoch has a seed of its own. Default: True.
            ahead (int): whether an epoch begins anew. Default: 0.

        Returns:
            numpy.ndarray: as many.

        Examples:
            >>> from minds.dataset.orders import RecordDraws
            >>> RecordDraws(5).permutation(5).tolist()
            [4, 0, 1, 3, 2]
        """
        if not ahead:
            return super().permutation(items, counts_up, 1)
        ids = np.arange(items) if isinstance(items, (int, np.integer)) else np.asarray(items)
        return shuffle(ids, self._at(1 + self.epoch * counts_up), LINEAR)

    def integers(self, limit: int, count: int) -> np.ndarray:
        """Numbers below ``limit``, each the first of a twister with a seed of its own.

        Args:
            limit (int): at least 1.
            count (int): how many.

        Returns:
            numpy.ndarray: int64.

        Examples:
            >>> from minds.dataset.orders import RecordDraws
            >>> RecordDraws(0).integers(1000, 4).tolist()
            [417, 435, 550, 967]
        """
        begin = (
            self.seed + 1 + self.epoch * count
        )  # MindSpore counts up by one an epoch: rows recur
        drawn = first_words(np.arange(begin, begin + count) % 2**32)
        return np.minimum(drawn // (TWISTER.most // limit), limit - 1)


def _given_out(items, room: int, drawn: Iterator[int]) -> Iterator:
    """``items`` through a buffer of ``room``; ``drawn`` says which of those it holds."""
    items = iter(items)
    held = list(itertools.islice(items, room))
    for item in items:
        i = next(drawn) % len(held)
        yield held[i]
        held[i], held[-1] = held[-1], item
    while held:
        i = next(drawn) % len(held)
        yield held[i]
        held[i] = held[-1]
        held.pop()
