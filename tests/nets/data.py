"""Data and first weights that every framework can be given; NumPy only."""

from __future__ import annotations

import math

import numpy as np


def batches(count: int, size: int, shape: tuple, classes: int, seed: int = 0):
    """Images near one of ``classes`` random prototypes, and its number, wrong for a tenth so that
    losses stay above 0.
    """
    rng = np.random.RandomState(seed)
    prototypes = rng.randn(classes, *shape).astype(np.float32)
    for _ in range(count):
        y = rng.randint(0, classes, size).astype(np.int32)
        shown = np.where(rng.rand(size) < 0.1, rng.randint(0, classes, size), y).astype(np.int32)
        yield prototypes[y] + 0.5 * rng.randn(size, *shape).astype(np.float32), shown


def first_values(i: int, shape: tuple) -> np.ndarray:
    """The first value of the i-th parameter of a network: uniform within 1/sqrt(fan in); for
    vectors within 0.05.
    """
    bound = 0.05 if len(shape) == 1 else 1 / math.sqrt(math.prod(shape[1:]))
    return np.random.RandomState(1000 + i).uniform(-bound, bound, shape).astype(np.float32)
