"""Functions that hold one another without end (`programs_chains` has more of them): depth,
derivatives of every kind, one compilation, and what is refused.
"""

import numpy as np
import pytest
from agreement import assert_same

import minds as ms
from minds import Tensor, ops

X = Tensor([0.5, -1.25, 0.9])


def continued(x, t):
    def f(k, done):
        return done(x) if k == 0 else f(k - 1, lambda v: done(ops.sin(v) * x + k * 0.001))

    return f(int(t), lambda v: v).sum()


def composed(x, t):
    g = lambda v: v
    for i in range(int(t)):
        g = lambda v, g=g, i=i: g(ops.sin(v) * x + (i + 1) * 0.001)
    return g(x).sum()


def expected(x, n: int, rising: bool) -> tuple:
    """The value and its gradient in float64, by the chain rule."""
    v, d = x.copy(), np.ones_like(x)
    steps = range(1, n + 1)
    for k in steps if rising else reversed(steps):
        v, d = np.sin(v) * x + k * 0.001, np.cos(v) * d * x + np.sin(v)
    return v.sum(), d


@pytest.mark.parametrize("fn, rising", [(continued, True), (composed, False)])
def test_depth(fn, rising):
    """One program for every depth, 10,000 forward and in reverse."""
    x = np.array([0.5, -1.25, 0.9])
    compiled = ms.jit(lambda x, t: ms.value_and_grad(lambda x: fn(x, t))(x))
    for n in (0, 1, 7, 10_000):
        value, gradient = compiled(Tensor(x), Tensor(n))
        want = expected(x, n, rising)
        np.testing.assert_allclose(value.asnumpy(), want[0], rtol=1e-9)
        np.testing.assert_allclose(gradient.asnumpy(), want[1], rtol=1e-9)
    assert len(ms.recompiles(compiled)) == 1


@pytest.mark.parametrize("fn", [continued, composed])
def test_derivatives(fn):
    t, n = Tensor(4), 4
    hessian = ms.jit(lambda x, t: ms.grad(lambda x: ms.grad(lambda x: fn(x, t))(x).sum())(x))(X, t)
    want = ms.grad(lambda x: ms.grad(lambda x: fn(x, n))(x).sum())(X)
    np.testing.assert_allclose(hessian.asnumpy(), want.asnumpy(), rtol=1e-6)
    assert_same(
        ms.jit(lambda x, t: ms.jvp(lambda x: fn(x, t), x, x * 0.5))(X, t),
        ms.jvp(lambda x: fn(x, n), X, X * 0.5),
    )
    rows = Tensor(np.stack([X.asnumpy(), X.asnumpy() * 0.5]))
    found = ms.jit(lambda xs, t: ms.vmap(lambda x: fn(x, t))(xs))(rows, t)
    assert_same(found, ops.stack([fn(row, n) for row in rows]))


def branching(x, t):
    g = lambda v: v
    for i in range(int(t)):

        def f(v, g=g, i=i):
            if v.sum() > i:
                return g(v * 0.9) + 1.0
            return g(v + x)

        g = f
    return g(x).sum()


def test_members_that_branch_on_data():
    for n in (0, 1, 4, 9):
        assert_same(ms.jit(branching)(X, Tensor(n)), branching(X, n))
        got = ms.jit(lambda x, t: ms.grad(branching)(x, t))(X, Tensor(n))
        assert_same(got, ms.grad(lambda x, n=n: branching(x, n))(X))


def test_a_tensor_that_is_passed_and_seen_has_two_sums():
    """The compiled gradient may differ in the last bit: the function does not know that they are
    one.
    """

    def f(x, t):
        def walk(k, done):
            if k <= 0:
                return done(x)
            return walk(k - 1, lambda a: walk(k - 2, lambda b: done(ops.sin(a) + b * x)))

        return walk(int(t), lambda v: v).sum()

    found = ms.jit(lambda x, t: ms.grad(lambda x: f(x, t))(x))(X, Tensor(5))
    np.testing.assert_allclose(found.asnumpy(), ms.grad(lambda x: f(x, 5))(X).asnumpy(), rtol=1e-5)


def test_endless():
    def f(x, t):
        def go(k, done):
            return go(k - 1, lambda v: done(v * k))

        return go(int(t), lambda v: v)

    with pytest.raises(RecursionError, match="go: every path calls it again"):
        ms.jit(f)(X, Tensor(3))


def test_what_they_hold_is_not_changed():
    def captured(x, t):
        y = x * 1.0
        g = lambda v: v
        for _ in range(int(t)):
            g = lambda v, g=g, y=y: g(v) + y
        y[0] = 100.0
        return g(x)

    def passed(x, t):
        def more(done):
            def set_first(v):
                v[0] = 2.0
                return done(v)

            return set_first

        g = lambda v: v
        for _ in range(int(t)):
            g = more(g)
        return g(x * 1.0)

    for f in (captured, passed):
        with pytest.raises(SyntaxError, match="held by a function"):
            ms.jit(f)(X, Tensor(3))
