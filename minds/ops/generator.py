"""Generators of random numbers with a state of their own, and the state of the default one.

A generator is a key (seed, number of draws); a draw gives the key and adds 1 to the number, as
`ops.random.random_key` does with the key of the process. So a Generator with the seed that
`set_seed` was given draws the same numbers.
"""

from __future__ import annotations

import numpy as np

from .. import _core
from ..base import dtype as dt
from ..base.errors import complain
from ..ir import build
from ..tensor import Parameter, Tensor
from .define import P

_ONE_DRAW = Tensor([0, 1], dt.int64)


def _checked_seed(name: str, seed) -> int:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise complain(TypeError, f"{name}: seed has type {type(seed).__name__}", expected="an int")
    if not -(2**63) <= seed < 2**64:
        raise complain(ValueError, f"{name}: seed is {seed}", expected="-2**63 <= seed < 2**64")
    return (int(seed) + 2**63) % 2**64 - 2**63


def _key(state) -> tuple[int, int]:
    """The key that a state, 16 bytes, stands for."""
    if not isinstance(state, Tensor) or state.dtype is not dt.uint8 or state.shape != (16,):
        raise complain(
            TypeError,
            "set_state: state is "
            + (
                f"{state.dtype.name} of shape {state.shape}"
                if isinstance(state, Tensor)
                else repr(state)
            ),
            expected="what get_state gave, a Tensor[(16,), uint8]",
        )
    seed, draws = state.asnumpy().view("<i8").tolist()
    return seed, draws


class Generator:
    """Random numbers with a state of its own, for arguments named ``generator``.

    Compiled code may draw from it too: its state is a parameter.

    Examples:
        >>> import minds as ms
        >>> from minds import mint
        >>> g = ms.Generator().manual_seed(5)
        >>> state = g.get_state()
        >>> a = mint.rand(3, generator=g)
        >>> g.set_state(state)
        >>> bool((a == mint.rand(3, generator=g)).all())
        True
    """

    def __init__(self):
        self._state = Parameter(Tensor([0, 0], dt.int64), name="generator", requires_grad=False)

    def next_key(self, draws=1):
        """The key of the next draw: `random_key` of this generator.

        Args:
            draws (int | Tensor[(), int]): how many draws the key is for. Default: 1.

        Returns:
            Tensor[(2,), int64]: the key.

        Examples:
            >>> import minds as ms
            >>> ms.Generator().manual_seed(5).next_key().asnumpy().tolist()
            [5, 0]
        """
        key, builder = P.add(self._state, 0), build.current()
        after = P.add(
            key, _ONE_DRAW if isinstance(draws, int) and draws == 1 else P.mul(_ONE_DRAW, draws)
        )
        if builder is None:
            self._state.copy_(after)
        else:
            builder.write(self._state, after)
        return key

    def _step(self, step) -> tuple[Tensor, Tensor]:
        """The seed and the number of draws so far, of which there are ``step`` more then: what
        MindSpore's random functions ask of a generator.
        """
        key = self.next_key(step)
        return key[0], key[1]

    def _read(self) -> tuple[int, int]:
        seed, draws = self._state.asnumpy().tolist()
        return seed, draws

    def _write(self, seed: int, draws: int) -> None:
        self._state.set_data(Tensor([seed, draws], dt.int64))

    def manual_seed(self, seed: int) -> Generator:
        """Start anew from a seed.

        Args:
            seed (int): of at most 64 bits.

        Returns:
            Generator: this one.

        Raises:
            TypeError: ``seed`` is no int.
            ValueError: it has more than 64 bits.

        Examples:
            >>> import minds as ms
            >>> ms.Generator().manual_seed(5).initial_seed()
            5
        """
        self._write(_checked_seed("manual_seed", seed), 0)
        return self

    def seed(self) -> int:
        """Start anew from a seed of the system's entropy.

        Returns:
            int: the seed.

        Examples:
            >>> import minds as ms
            >>> g = ms.Generator()
            >>> g.seed() == g.initial_seed()
            True
        """
        seed = int(np.random.SeedSequence().entropy % 2**63)
        self.manual_seed(seed)
        return seed

    def initial_seed(self) -> int:
        """The seed that it started from.

        Returns:
            int: the seed; 0 for a new generator.

        Examples:
            >>> import minds as ms
            >>> ms.Generator().initial_seed()
            0
        """
        return self._read()[0]

    def get_state(self) -> Tensor:
        """The seed and the number of draws.

        Returns:
            Tensor[(16,), uint8]: both as 8 bytes, little endian.

        Examples:
            >>> import minds as ms
            >>> ms.Generator().manual_seed(5).get_state().asnumpy()[:2].tolist()
            [5, 0]
        """
        return Tensor(np.array(self._read(), "<i8").view(np.uint8))

    def set_state(self, state: Tensor) -> None:
        """Go on from a state.

        Args:
            state (Tensor[(16,), uint8]): what `get_state` gave.

        Raises:
            TypeError: it is something else.

        Examples:
            >>> import minds as ms
            >>> a, b = ms.Generator().manual_seed(5), ms.Generator()
            >>> b.set_state(a.get_state())
            >>> b.initial_seed()
            5
        """
        self._write(*_key(state))


class _Default(Generator):
    """The generator of every draw that names no other: its state is the process's."""

    def __init__(self):
        """There is no state here."""

    def next_key(self, draws=1):
        key = P.random_key()
        if build.current() is None and int(draws) != 1:
            seed, drawn = self._read()
            self._write(seed, drawn + int(draws) - 1)
        return key

    def _read(self):
        return _core.random_state()

    def _write(self, seed, draws):
        _core.set_random_state(seed, draws)


default_generator = _Default()


def get_rng_state() -> Tensor:
    """The state of the default generator.

    Returns:
        Tensor[(16,), uint8]: seed and number of draws.

    Examples:
        >>> import minds as ms
        >>> state = ms.get_rng_state()
        >>> a = ms.ops.rand(3)
        >>> ms.set_rng_state(state)
        >>> bool((a == ms.ops.rand(3)).all())
        True
    """
    return default_generator.get_state()


def set_rng_state(state: Tensor) -> None:
    """Let the default generator go on from a state.

    Args:
        state (Tensor[(16,), uint8]): what `get_rng_state` gave.

    Raises:
        TypeError: it is something else.

    Examples:
        >>> import minds as ms
        >>> ms.set_rng_state(ms.get_rng_state())
    """
    default_generator.set_state(state)


def manual_seed(seed: int) -> Generator:
    """Start the default generator anew from a seed; unlike `set_seed`, nothing else.

    Args:
        seed (int): of at most 64 bits.

    Returns:
        Generator: the default one.

    Raises:
        TypeError: ``seed`` is no int.
        ValueError: it has more than 64 bits.

    Examples:
        >>> import minds as ms
        >>> ms.manual_seed(13).initial_seed()
        13
    """
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Start the default generator anew from a seed of the system's entropy.

    Returns:
        int: the seed.

    Examples:
        >>> import minds as ms
        >>> ms.seed() == ms.initial_seed()
        True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator started from.

    Returns:
        int: the seed.

    Examples:
        >>> import minds as ms
        >>> _ = ms.manual_seed(14)
        >>> ms.initial_seed()
        14
    """
    return default_generator.initial_seed()
