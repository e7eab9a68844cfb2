"""Recursion that goes through other functions: helpers, arguments, and functions that make
themselves.
"""

import pytest
from agreement import agree, gradients_agree

import minds as ms
from minds import Tensor

X = Tensor(2.5)


def through_a_helper(x):
    def f(n):
        if n <= 0:
            return x
        return g(n) * 1.1

    def g(n):
        return f(n - 1) + x

    return f(x)


def through_a_lambda(x):
    def f(n):
        if n <= 0:
            return x
        return (lambda k: f(k - 1))(n) * x

    return f(x)


def through_an_argument(x):
    def apply(fn, v):
        return fn(v)

    def f(n):
        if n <= 0:
            return x
        return n * apply(f, n - 1)

    return f(x)


def handed_to_itself(x):
    def f(self, n):
        if n <= 0:
            return x
        return n * self(self, n - 1)

    return f(f, x)


def fixed_point_combinator(x):
    fix = lambda f: (lambda v: v(v))(lambda v: f(lambda n: v(v)(n)))
    return fix(lambda self: lambda n: x if n <= 0 else n * self(n - 1))(x)


def tree(x):
    def walk(d):
        if d <= 0:
            return x
        left, right = walk(d - 1), walk(d - 2)
        return left * 0.5 + right

    return walk(x)


def base_case_in_the_third(x):
    def a(n):
        return b(n - 1)

    def b(n):
        return c(n - 0.5)

    def c(n):
        if n < 0:
            return n * x
        return a(n)

    return a(x)


def two_helpers_and_a_loop(x):
    def f(n, acc):
        if n <= 0:
            return acc
        return g(n, acc) + h(n, acc)

    def g(n, acc):
        for k in range(2):
            acc = acc * (k + 1)
        return f(n - 1, acc)

    def h(n, acc):
        return f(n - 2, acc + x)

    return f(x, x * 0 + 1)


@pytest.mark.parametrize(
    "fn",
    [
        through_a_helper,
        through_a_lambda,
        through_an_argument,
        handed_to_itself,
        fixed_point_combinator,
        tree,
        base_case_in_the_third,
        two_helpers_and_a_loop,
    ],
)
def test_as_cpython(fn):
    agree(fn, X)
    gradients_agree(fn, X)


def test_a_circle_without_an_end_is_refused():
    def f(n):
        return g(n) * 2

    def g(n):
        return f(n - 1)

    with pytest.raises(RecursionError, match="every path calls it again"):
        ms.jit(f)(X)


def test_a_helper_without_an_end_is_refused():
    def f(n):
        if n <= 0:
            return n
        return g(n)

    def g(n):
        return g(n - 1) + f(n)

    with pytest.raises(RecursionError, match="g: every path calls it again"):
        ms.jit(f)(X)
