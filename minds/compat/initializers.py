"""What MindSpore's models import from inside its modules `common.initializer` and `common.seed`."""

from __future__ import annotations

import numpy as np

from ..base.errors import complain
from ..common.fans import fans
from ..common.seed import generator, get_seed

_calculate_fan_in_and_fan_out = fans


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


def _get_graph_seed(op_seed: int | None, kernel_name: str) -> tuple[int, int]:
    """The global seed and an op's own, as attributes of the op; 0 where there is none."""
    return get_seed() or 0, op_seed or 0


__all__ = []
