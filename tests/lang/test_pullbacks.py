"""Pullbacks inside of what is differentiated, called more than once: compiled code agrees with eager
code, which agrees with finite differences.
"""

from __future__ import annotations

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops

X = np.array([0.61, -0.37, 0.92, 0.23])
V = np.array([0.3, -1.1, 0.7, 0.2])


def in_a_loop(x):
    y = x
    for i in range(20):
        y = ops.sin(y) * x + 0.01 * i
    return y


def until(x):
    while x.sum() < 20.0:
        x = x * 1.5 + ops.sin(x)
    return x


def branching(x):
    if x.sum() > 0:
        return ops.sin(x) * x
    return x * x * x


def recursive(x, n=4):
    return x if n == 0 else recursive(x, n - 1) * ops.sin(x + n)


def chained(x):
    def go(v, k):
        if v.sum() > 8.0:
            return k(v)
        return go(v * 1.5 + 0.5, lambda u: k(ops.sin(u) * v))

    return go(x, lambda u: u)


def pulled_twice(f):
    def g(x):
        out, back = ms.vjp(f, x)
        return (back(out)[0] * back(out * x)[0]).sum()

    return g


def rows(f):
    def g(x):
        _, back = ms.vjp(f, x)
        j = ops.stack([back(Tensor(unit))[0] for unit in np.eye(4)])
        return ops.matmul(j, j.T).sum()

    return g


def pushed_twice(f):
    def g(x):
        return (ms.jvp(f, x, x)[1] * ms.jvp(f, x, x * 0.5)[1]).sum()

    return g


def gauss_newton(f):
    def g(x):
        _, back = ms.vjp(f, x)
        return (back(ms.jvp(f, x, x * 0.3)[1])[0] ** 2).sum()

    return g


def directional(f):
    def g(x):
        return ms.jvp(f, x, Tensor(V))[1].sum()

    return g


def slope(g, h=1e-5):
    """Central differences of what ``g`` gives in PyNative mode."""
    return [
        (g(Tensor(X + e)).item() - g(Tensor(X - e)).item()) / (2 * h) for e in h * np.eye(len(X))
    ]


@pytest.mark.parametrize(
    "again", [pulled_twice, rows, pushed_twice, gauss_newton, directional], ids=lambda f: f.__name__
)
@pytest.mark.parametrize(
    "f", [in_a_loop, until, branching, recursive, chained], ids=lambda f: f.__name__
)
def test_gradient(f, again):
    g = again(f)
    want = slope(g)
    np.testing.assert_allclose(ms.grad(g)(Tensor(X)), want, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ms.jit(ms.grad(g))(Tensor(X)), want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("f", [in_a_loop, branching, recursive], ids=lambda f: f.__name__)
def test_second_order(f):
    def g(x):
        return (ms.grad(pulled_twice(f))(x) * x).sum()

    want = ms.grad(g)(Tensor(X))
    np.testing.assert_allclose(ms.jit(ms.grad(g))(Tensor(X)), want, rtol=1e-9)


def test_a_pullback_of_a_loop_that_a_loop_calls_is_refused_at_its_line():
    def g(x):
        out, back = ms.vjp(in_a_loop, x)
        s = x * 0
        for i in range(12):
            s = s + back(out * i)[0]
        return s.sum()

    np.testing.assert_allclose(ms.jit(g)(Tensor(X)), g(Tensor(X)), rtol=1e-12)
    with pytest.raises(RuntimeError, match="calls a pullback again\n.*test_pullbacks"):
        ms.jit(ms.grad(g))(Tensor(X))
