"""What MindSpore's models import from inside its modules `common.initializer` and `common.seed`."""

from __future__ import annotations

import numpy as np

from ..base.errors import complain
from ..common.fans import calculate_gain, fans
from ..common.initializer_base import ALIASES, draw_truncated
from ..common.seed import generator, get_seed

_INITIALIZER_ALIAS = ALIASES
_calculate_fan_in_and_fan_out = fans
_calculate_gain = calculate_gain


def _register(*aliases: str):
    """A decorator that lets a class of initialisers be asked for by its name and others; a name that is
    taken stays what it was.
    """

    def known(cls: type) -> type:
        for name in (cls.__name__.lower(), *aliases):
            ALIASES.setdefault(name, cls)
        return cls

    return known


def _calculate_in_and_out(arr: np.ndarray) -> tuple[int, int]:
    """The two fans of an array."""
    return fans(arr.shape)


def _calculate_correct_fan(shape, mode: str) -> int:
    """One of the two fans of a weight, by ``mode``: "fan_in" or "fan_out"."""
    places = {"fan_in": 0, "fan_out": 1}
    if mode.lower() not in places:
        raise complain(ValueError, f"mode is {mode!r}", expected="'fan_in' or 'fan_out'")
    return fans(shape)[places[mode.lower()]]


def _assignment(arr: np.ndarray, num) -> np.ndarray:
    """The array with ``num`` written into it."""
    arr[...] = num
    return arr


def _init_random_normal(mean: float, sigma: float, shape) -> np.ndarray:
    """Numbers of a normal distribution, float32."""
    if sigma < 0:
        raise complain(ValueError, f"sigma is {sigma}", expected="a number of at least 0")
    return generator().normal(mean, sigma, shape).astype(np.float32)


def _init_random_uniform(a: float, b: float, shape) -> np.ndarray:
    """Numbers between two bounds, float32."""
    return generator().uniform(a, b, shape).astype(np.float32)


def _init_truncated_normal(a: float, b: float, mean: float, sigma: float, shape) -> np.ndarray:
    """Numbers of a normal distribution that is cut at ``a`` and ``b``, float32; the cut is in units of
    sigma.
    """
    if sigma < 0:
        raise complain(ValueError, f"sigma is {sigma}", expected="a number of at least 0")
    drawn = np.empty(shape, np.float32)
    draw_truncated(drawn, mean, sigma, a, b)
    return drawn


def _get_graph_seed(op_seed: int | None, kernel_name: str) -> tuple[int, int]:
    """The global seed and an op's own, as attributes of the op; 0 where there is none."""
    return get_seed() or 0, op_seed or 0


__all__ = []
