"""What an initialiser is, and how it draws."""

from __future__ import annotations

import math

import numpy as np

from ..base.errors import complain
from .seed import generator

ALIASES: dict[str, type[Initializer]] = {}
_PACKAGE = __name__.partition(".")[0]


class Initializer:
    """Base of the initialisers; a subclass defines ``_initialize(arr)``, which fills ``arr`` in
    place.

    Args:
        kwargs (Any): kept as attributes.

    Examples:
        >>> import numpy as np
        >>> from minds.common.initializer import Initializer, initializer
        >>> class Ramp(Initializer):
        ...     def _initialize(self, arr):
        ...         arr[...] = np.arange(arr.size).reshape(arr.shape)
        >>> initializer(Ramp(), [2, 2]).asnumpy().tolist()
        [[0.0, 1.0], [2.0, 3.0]]
    """

    def __init__(self, **kwargs):
        self._kwargs = kwargs
        self.__dict__.update(kwargs)

    def __init_subclass__(cls, alias: tuple[str, ...] = (), **kwargs):
        super().__init_subclass__(**kwargs)
        if cls.__name__.startswith("_"):
            return
        for name in (cls.__name__.lower(), *alias):
            known = ALIASES.get(name)
            if known is None or known.__module__.partition(".")[0] != _PACKAGE:
                ALIASES[name] = cls  # a class of the user's takes no name from those here

    def _initialize(self, arr: np.ndarray) -> None:
        raise NotImplementedError(f"{type(self).__name__}._initialize is not defined")

    def __call__(self, arr: np.ndarray) -> None:
        self._initialize(arr)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._kwargs.items())})"


def draw_normal(arr: np.ndarray, mean: float, sigma: float) -> None:
    drawn = generator().standard_normal(arr.shape, dtype=np.float32)
    # In place: fresh memory for each step costs more than the steps.
    drawn *= np.float32(sigma)
    drawn += np.float32(mean)
    arr[...] = drawn


def draw_uniform(arr: np.ndarray, bound: float) -> None:
    drawn = generator().random(arr.shape, dtype=np.float32)
    drawn *= np.float32(2)
    drawn -= np.float32(1)
    drawn *= np.float32(bound)
    arr[...] = drawn


def draw_truncated(arr: np.ndarray, mean: float, sigma: float, a: float, b: float) -> None:
    """A normal distribution cut to ``[a, b]`` in units of sigma.

    Raises:
        ValueError: nothing lies between ``a`` and ``b``.
    """
    if not a < b:
        raise complain(
            ValueError, f"TruncatedNormal: a is {a!r} and b {b!r}", expected="a less than b"
        )
    mass = (math.erf(b / math.sqrt(2)) - math.erf(a / math.sqrt(2))) / 2
    draw = _rejected(arr.size, a, b) if mass > 0.1 else _inverted(arr.size, a, b)
    arr[...] = draw.reshape(arr.shape) * np.float32(sigma) + np.float32(mean)


def _rejected(count: int, a: float, b: float) -> np.ndarray:
    """What is outside is drawn again."""
    draw = generator().standard_normal(count, dtype=np.float32)
    outside = np.flatnonzero((draw < a) | (draw > b))
    while outside.size:
        again = generator().standard_normal(outside.size, dtype=np.float32)
        draw[outside] = again
        outside = outside[(again < a) | (again > b)]
    return draw


def _inverted(count: int, a: float, b: float) -> np.ndarray:
    """By the inverse of the distribution function, in logarithms so that it holds far from 0."""
    from scipy import special  # rarely needed, and slow to import

    low, high = (-b, -a) if a > 0 else (a, b)
    of_low, of_high = special.log_ndtr([low, high])
    least = np.exp(of_low - of_high)
    draw = special.ndtri_exp(of_high + np.log(least + (1 - least) * generator().random(count)))
    return np.clip(-draw if a > 0 else draw, a, b).astype(np.float32)
