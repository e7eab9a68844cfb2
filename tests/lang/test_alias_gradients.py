"""Values with two names: where a condition, a loop or a function may return what its caller uses
too, compiled and eager gradients agree but for the order of sums, and each repeats its bits.
"""

import numpy as np
import pytest
from agreement import Sums, assert_same, gradients_agree

import minds as ms
from minds import Tensor, ops
from minds.base.options import freeze
from minds.ir import walk
from minds.jit.parsing import parse
from minds.jit.pipeline import STEPS

X = Tensor(np.random.default_rng(0).standard_normal(64).astype(np.float32))


def mixed(a, b):
    """Uses of both in turn."""
    return ops.sin(a) * b + ops.cos(b) * a + ops.tanh(a) * ops.exp(b)


def branch(x, n):
    return mixed(x if n > 2 else x * 2.0, x)


def branch_of_three(x, n):
    if n == 0:
        y = x
    elif n == 1:
        y = x * 0.5
    else:
        y = ops.sin(x)
    return mixed(y, x) * y


def two_results(x, n):
    if n > 2:
        a = b = x * 2.0
    else:
        a, b = x * 3.0, x * 1.5
    return mixed(a, b)


def loop_of_no_iteration(x, n):
    y = x
    for _ in range(n):
        y = ops.sin(y) * x
    return mixed(y, x)


def loop_that_keeps(x, n):
    y, k = x, 0
    while k < 5:
        k += 1
        if k > n:
            y = ops.sin(y) * x
    return mixed(y, x)


def branch_in_a_loop(x, n):
    y = x
    for i in range(6):
        z = y if i % 2 == n % 2 else y * 0.5
        y = ops.tanh(mixed(z, y) * z)
    return y


def loop_in_a_loop(x, n):
    y = x
    k = 0
    while k < n:
        k += 1
        z = y
        for _ in range(k % 3):
            z = ops.cos(z) * y
        y = ops.tanh(mixed(z, y))
    return mixed(y, x)


def early_return(x, n):
    def f(v):
        if n > 2:
            return v
        return v * 2.0

    return mixed(f(x), x) * f(x)


def recursion(x, n):
    def f(v, k):
        if k <= 0:
            return v
        return f(v * 0.5, k - 1)

    return mixed(f(x, n), x)


def recursion_behind_which_is_more(x, n):
    def f(k):
        if k <= 0:
            return x
        return f(k - 1) * 0.5 + f(k - 2)

    return mixed(f(n), x)


def swapped(x, n):
    a, b = ops.sin(x), ops.cos(x)
    for i in range(n):
        if i % 2:
            a, b = b, a
        else:
            b = a
        a = ops.tanh(mixed(a, b))
    return mixed(a, b)


def in_a_list(x, n):
    xs = [x, x * 2.0]
    if n % 2:
        xs[1] = xs[0]
    return mixed(xs[1], xs[0])


def chosen_by_number(x, n):
    y = (x, ops.sin(x), ops.cos(x))[n % 3]
    return mixed(y, x)


PROGRAMS = [
    branch,
    branch_of_three,
    two_results,
    loop_of_no_iteration,
    loop_that_keeps,
    branch_in_a_loop,
    loop_in_a_loop,
    early_return,
    recursion,
    recursion_behind_which_is_more,
    swapped,
    in_a_list,
    chosen_by_number,
]


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(fn):
    for n in range(5):
        gradients_agree(lambda x, n: fn(x, n).sum(), X, n, joins=True)


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_repeat_their_bits(fn):
    """From run to run in each mode, and from compilation to compilation."""

    def gradient(x, n):
        return ms.value_and_grad(lambda v: fn(v, n).sum())(x)

    def compiled():
        return ms.jit(lambda x, n: gradient(x, n))

    once, again = compiled(), compiled()
    for n in (1, 3):
        eager, found = gradient(X, n), once(X, n)
        for _ in range(3):
            assert_same(gradient(X, n), eager)
            assert_same(once(X, n), found)
        assert_same(again(X, n), found)


@pytest.mark.parametrize(
    "fn", [branch, two_results, early_return, in_a_list], ids=lambda f: f.__name__
)
def test_second_order(fn):
    def second(x, n):
        return ms.grad(lambda v: (ms.grad(lambda u: fn(u, n).sum())(v) * v).sum())(x)

    ms.set_context(mode=ms.PYNATIVE_MODE)
    compiled = ms.jit(second)
    for n in range(4):
        with Sums() as sums:
            expected = second(X, n)
        assert_same(compiled(X, n), expected, sums)


def merged(count: int):
    """A function with ``count`` conditions, each of which may keep a value that is used too."""

    def f(x, n):
        y = x * 1.0
        for i in range(count):
            w = y if n > i else ops.sin(y)
            y = ops.cos(w) * y + w * ops.tanh(y)
        return y.sum()

    return f


def many_names(count: int):
    """A function with ``count`` names that may all be one tensor."""

    def f(x, n):
        ys = [x if n > i else ops.sin(x) for i in range(count)]
        for y in ys:
            x = x * ops.sin(y) + y * x
        return x.sum()

    return f


def nodes(fn) -> int:
    """How many nodes the compiled gradient has."""
    ip, _ = parse(ms.grad(fn), (X, 3), {}, freeze())
    graph = ip.root
    for _, step in STEPS:
        graph = step(graph, freeze())
    return sum(1 for g in walk.graphs(graph) for _ in g)


def test_the_gradient_of_many_names_has_linear_size():
    few, many = nodes(many_names(48)), nodes(many_names(96))
    assert many < 2.2 * few, (few, many)


def test_the_gradient_of_many_conditions_has_linear_size():
    few, many = nodes(merged(4)), nodes(merged(8))
    assert many < 2.2 * few, (few, many)
