"""Recursion that goes through other functions: helpers, arguments, and functions that make
themselves.
"""

import sys

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


class Parser:
    """A combinator: `run(text, at)` gives (value, place behind it) or None."""

    def __init__(self, run):
        self.run = run

    def __call__(self, text, at):
        return self.run(text, at)

    def then(self, other):
        def run(text, at):
            first = self(text, at)
            if first is None:
                return None
            second = other(text, first[1])
            return None if second is None else ((first[0], second[0]), second[1])

        return Parser(run)

    def orelse(self, other):
        return Parser(lambda text, at: self(text, at) or other(text, at))

    def map(self, change):
        def run(text, at):
            found = self(text, at)
            return None if found is None else (change(found[0]), found[1])

        return Parser(run)


def parsed(x, text):
    def char(c):
        return Parser(lambda text, at: (c, at + 1) if at < len(text) and text[at] == c else None)

    number = char("1").orelse(char("2")).orelse(char("3")).map(lambda c: x * float(int(c)))
    expr = Parser(lambda text, at: total(text, at))
    atom = number.orelse(char("(").then(expr).then(char(")")).map(lambda p: p[0][1]))
    term = atom.then(char("*")).then(atom).map(lambda p: p[0][0] * p[1]).orelse(atom)
    total = term.then(char("+")).then(expr).map(lambda p: p[0][0] + p[1]).orelse(term)
    return expr(text, 0)[0]


def class_of_combinators(x):
    return parsed(x, "1*2+(3+1)*2")


@pytest.mark.parametrize(
    "fn",
    [
        class_of_combinators,
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


def calls_of(run) -> int:
    """How many Python functions ``run`` enters."""
    count = 0

    def profile(frame, event, arg):
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


def test_combinators_compile_in_the_time_of_their_calls():
    """What is known is run as CPython runs it: nested deeper, a call costs no more to compile."""
    texts = ["+".join(["1*2"] * n) for n in (2, 5)]
    ratios = [
        calls_of(lambda: ms.jit(lambda x: parsed(x, text))(X)) / calls_of(lambda: parsed(1.5, text))
        for text in texts
    ]
    assert ratios[1] < 1.5 * ratios[0]


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
