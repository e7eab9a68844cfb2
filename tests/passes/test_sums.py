"""Gradients of compiled programs agree with those of the eager tape where one value goes several
ways into a loop.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "lang"))

from agreement import Sums, assert_same

import minds as ms
from minds import Tensor, ops


def starts_as_argument(x, w):
    y, i = x, 0
    while i < 4:
        y = y * y + x * w
        i = i + 1
    return y


def unrolled(x, w):
    y = x
    for _ in range(20):
        y = ops.sin(y * y) + x * y * w
    return y


def the_same_twice(x, w):
    def rec(n, p, q):
        if n < 1:
            return p * q
        return rec(n - 1, q, p * q + ops.sin(p)) + p

    return rec(5, x, x) * w


def swapped_states(x, w):
    y, z, i = x, x, 0
    while (z * z).sum() < 50.0 and i < 7:
        y, z = z, ops.tanh(y * z) + y
        i += 1
    return y * z


@pytest.mark.parametrize("fn", [starts_as_argument, unrolled, the_same_twice, swapped_states])
@pytest.mark.parametrize("order", [1, 2])
def test_modes_agree(fn, order):
    rng = np.random.default_rng(0)
    gradient = ms.grad(fn, (0, 1)) if order == 1 else ms.grad(ms.grad(fn), (0, 1))
    mode = ms.get_context("mode")
    try:
        for _ in range(10):
            x, w = (Tensor(rng.uniform(-1, 1, 3).astype(np.float32)) for _ in range(2))
            ms.set_context(mode=ms.PYNATIVE_MODE)
            with Sums() as sums:
                eager = gradient(x, w)
            ms.set_context(mode=ms.GRAPH_MODE)
            assert_same(gradient(x, w), eager, sums)
    finally:
        ms.set_context(mode=mode)
