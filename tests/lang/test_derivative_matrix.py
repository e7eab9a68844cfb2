"""Each derivative of each other one, over programs of every kind: compiled = eager, to the bit in the
first order and but for the order of sums in the second, and as differences say.

All transformations here map functions of a vector to functions of a vector, so that any of them can
stand on any other. One that is applied to a gradient is checked against differences of that
gradient as PyNative mode gives it.
"""

import itertools

import numpy as np
import pytest
from agreement import Sums

import minds as ms
from minds import Parameter, Tensor, nn, ops

X = np.array([0.7, 1.2])
STEP = 1e-5


def straight(x):
    return ops.sin(x) * x.sum() + x * x


def branch(x):
    if x.sum() > 1.0:
        return x * x * x + x[0]
    return ops.exp(x)


def loop(x):
    s = x
    while s.sum() < 6.0:
        s = s * x + 0.8
    return s


def power(x, n):
    if n == 0:
        return ops.ones_like(x)
    return x * power(x, n - 1) + x


def recursion(x):
    return power(x, 3)


def closure(x):
    def scaled(v):
        return v * x * 0.5

    def shifted(v):
        return ops.tanh(v) + x

    f = scaled if x[0] > 0.1 else shifted
    return f(x * 2.0) * f(x)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.array([[0.5, -1.0], [2.0, 0.3]])), name="w")

    def construct(self, x):
        for _ in range(2):
            x = ops.tanh(ops.matmul(self.w, x)) + x
        return x


NET = Net()


def cell(x):
    return NET(x)


PROGRAMS = [straight, branch, loop, recursion, closure, cell]


def by_grad(f):
    return lambda x: ms.grad(f)(x)


def by_value_and_grad(f):
    def both(x):
        value, gradient = ms.value_and_grad(f)(x)
        return value + gradient

    return both


def by_grad_operation(f):
    return lambda x: ops.GradOperation(sens_param=True)(f)(x, x)


def by_vjp(f):
    return lambda x: ms.vjp(f, x)[1](x)[0]


def by_jvp(f):
    return lambda x: ms.jvp(f, x, x)[1]


def by_linearize(f):
    return lambda x: ms.linearize(f, x)[1](x)


def by_jacrev(f):
    return lambda x: ms.jacrev(f)(x).sum(0)


def by_jacfwd(f):
    return lambda x: ms.jacfwd(f)(x).sum(1)


def by_hessian(f):
    return lambda x: ms.hessian(lambda v: f(v).sum())(x).sum(1)


def by_vmap(f):
    return lambda x: ms.vmap(f)(ops.stack((x, x * 0.9))).sum(0)


def by_recompute(f):
    return lambda x: ms.recompute(f, x)


def by_jit(f):
    return ms.jit(f)


# How often each one runs J.
ORDER = {
    by_jvp: 2,
    by_linearize: 2,
    by_jacfwd: 2,
    by_hessian: 2,
    by_vmap: 0,
    by_recompute: 0,
    by_jit: 0,
}

# What each one is, given the function and its Jacobian in NumPy.
TRANSFORMS = {
    by_grad: lambda g, j, x: j(x).sum(0),
    by_value_and_grad: lambda g, j, x: g(x) + j(x).sum(0),
    by_grad_operation: lambda g, j, x: j(x).T @ x,
    by_vjp: lambda g, j, x: j(x).T @ x,
    by_jvp: lambda g, j, x: j(x) @ x,
    by_linearize: lambda g, j, x: j(x) @ x,
    by_jacrev: lambda g, j, x: j(x).sum(0),
    by_jacfwd: lambda g, j, x: j(x).sum(1),
    by_hessian: None,
    by_vmap: lambda g, j, x: g(x) + g(x * 0.9),
    by_recompute: lambda g, j, x: g(x),
    by_jit: lambda g, j, x: g(x),
}


def at(f):
    """``f`` in PyNative mode, as a function of arrays."""
    return lambda x: f(Tensor(x)).asnumpy()


def jacobian(g):
    """By central differences."""
    return lambda x: np.stack(
        [(g(x + STEP * e) - g(x - STEP * e)) / (2 * STEP) for e in np.eye(2)], 1
    )


def expected(outer, f):
    if outer is by_hessian:
        return jacobian(at(by_grad(f)))(X).sum(1)
    return TRANSFORMS[outer](at(f), jacobian(at(f)), X)


def check(fn, reference, order=1, chosen=False):
    with Sums() as sums:
        eager = fn(Tensor(X)).asnumpy()
    rtol = 1e-13 if order > 2 or chosen else 0
    atol = sums.tolerance(eager) if order == 2 else 0
    np.testing.assert_allclose(ms.jit(fn)(Tensor(X)).asnumpy(), eager, rtol=rtol, atol=atol)
    np.testing.assert_allclose(eager, reference, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("outer", TRANSFORMS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_one(program, outer):
    check(outer(program), expected(outer, program))


PAIRS = list(itertools.product(TRANSFORMS, TRANSFORMS))


@pytest.mark.parametrize(
    ("outer", "inner"), PAIRS, ids=[f"{a.__name__[3:]}-of-{b.__name__[3:]}" for a, b in PAIRS]
)
def test_two(outer, inner):
    """One of the programs for each pair, so that every one meets every transformation outside and
    inside; from the third order on those that take no long time to compile. From the second order
    on the last bits may differ, as they may where a function is chosen at run time
    (docs/architecture.md).
    """
    number = PAIRS.index((outer, inner))
    order = ORDER.get(outer, 1) + ORDER.get(inner, 1)
    choice = PROGRAMS if order < 3 else [straight, branch]
    program = choice[(number + number // len(TRANSFORMS)) % len(choice)] if order < 4 else straight
    f = inner(program)
    check(outer(f), expected(outer, f), order, chosen=program is closure)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
@pytest.mark.parametrize("outer", TRANSFORMS)
def test_the_outermost_by_itself(outer, mode):
    program = loop if ORDER.get(outer, 1) < 2 else branch
    wanted = outer(program)(Tensor(X)).asnumpy()
    ms.set_context(mode=mode)
    try:
        np.testing.assert_array_equal(outer(program)(Tensor(X)).asnumpy(), wanted)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
