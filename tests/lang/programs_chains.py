"""Functions that are wrapped anew in each call of a recursion or iteration of a loop:
continuations, those composed in a loop, thunks, Church numerals, difference lists.
"""

import minds as ms
from minds import Tensor, ops


def times(x, n, _=None):
    """``n`` as data: no program can be made for one number of it."""
    return int(ops.floor(ops.sum(x * 0.0)) + n)


def continuation(x, n):
    def f(k, done):
        return done(x * 0.5) if k == 0 else f(k - 1, lambda v: done(ops.sin(v) * k))

    return f(times(x, n), lambda v: v)


def continuation_of_a_number(x, n):
    def factorial(k, done):
        if k == 0:
            return done(1)
        return factorial(k - 1, lambda v: done(v * k))

    return x * factorial(times(x, n), lambda v: v + n)


def continuation_by_position_and_name(x, n):
    def f(k, done, scale=1.0):
        if k <= 0:
            return done(x * 0.5, shift=scale)
        return f(k - 1, lambda v, shift: done(v * 0.5, shift=shift + k), scale=scale * 0.5)

    return f(times(x, n), lambda v, shift=0.0: v + shift)


def continuations_of_a_tree(x, n):
    def walk(k, done):
        if k <= 0:
            return done(0.25)
        return walk(k - 1, lambda left: walk(k - 2, lambda right: done(left * 0.5 + right * k)))

    return x * walk(times(x, n), lambda v: v)


def continuations_of_two_functions(x, n):
    def even(k, done):
        return done(x * 0.5) if k <= 0 else odd(k - 1, lambda v: done(ops.tanh(v)))

    def odd(k, done):
        return done(x * 1.5) if k <= 0 else even(k - 1, lambda v: done(v * k))

    return even(times(x, n), lambda v: v + 1.0)


def success_and_failure(x, n):
    def search(k, found, lost):
        if k == 0:
            return lost()
        if ops.sum(x) * k > 4.0:
            return found(k)
        return search(k - 1, lambda i: found(i + 1), lambda: lost() * 0.5)

    return search(times(x, n), lambda i: x * i, lambda: x * 2.0)


def composed_in_a_loop(x, n):
    g = lambda v: v
    for i in range(times(x, n)):
        a = x * (i + 1)
        g = lambda v, g=g, a=a: g(ops.sin(v)) * a
    return g(x * 0.5)


def composed_in_a_while(x, n):
    g, i = ops.tanh, times(x, n)
    while i > 0:
        g = lambda v, g=g, i=i: g(v) * 0.5 + i
        i = i - 1
    return g(x)


def seen_variables_are_read_late(x, n):
    g = lambda v: v
    a = x * 7.0
    for i in range(times(x, n)):
        a = x * (i + 1)
        g = lambda v, g=g: ops.sin(g(v) * a)
    a = x * 3.0
    return g(x * 0.5)


def called_while_it_grows(x, n):
    g = lambda v: v * x
    y = x * 0.5
    for _ in range(times(x, n)):
        y = y + g(x * 0.25)
        g = lambda v, g=g: g(v) * 0.5 + v
    return y


def composed_by_a_function(x, n):
    def compose(f, g):
        return lambda v: f(g(v))

    h = lambda v: v
    for i in range(times(x, n)):
        h = compose(h, lambda v: ops.tanh(v) * x) if i % 2 == 0 else compose(lambda v: v + 1.0, h)
    return h(x * 0.5)


def two_that_hold_each_other(x, n):
    p, q = (lambda v: v), (lambda v: v * 2.0)
    for _ in range(times(x, n)):
        p, q = (lambda v, q=q: q(v) + 1.0), (lambda v, p=p: p(v) * x)
    return p(x * 0.5) + q(x * 0.25)


def church_numerals(x, n):
    def number(k):
        c = lambda f: lambda v: v
        for _ in range(k):
            c = (lambda c: lambda f: lambda v: f(c(f)(v)))(c)
        return c

    return number(times(x, n))(lambda v: v * 1.5)(x)


def difference_list(x, n):
    d = lambda rest: rest
    for i in range(times(x, n)):
        d = (lambda d, i: lambda rest: d(rest * 0.5 + i))(d, i)
    return d(x)


def thunks(x, n):
    t = lambda: x * 0.5
    for _ in range(times(x, n)):
        t = lambda t=t: ops.sin(t()) * 1.5
    return t()


def streams(x, n):
    def tail_of(k):
        return lambda: (x * k, tail_of(k + 1))

    total, rest = x * 0.0, tail_of(1)
    for _ in range(times(x, n)):
        head, rest = rest()
        total = total * 0.5 + head
    return total


def trampoline(x, n):
    def fact(k, acc):
        if k == 0:
            return True, acc, None
        return False, acc, lambda: fact(k - 1, acc * 1.5)

    done, v, more = fact(times(x, n), x)
    while not done:
        done, v, more = more()
    return v


def made_by_recursion(x, n):
    def power(k):
        if k == 0:
            return lambda v: v * 0.5
        inner = power(k - 1)
        return lambda v: ops.sin(inner(v)) * k

    return power(times(x, n))(x)


def returned_by_a_function(x, n):
    def build(k):
        a = x * 2.0
        g = lambda v: v
        for i in range(k):
            a = a + i
            g = lambda v, g=g: g(v) * 0.5 + a
        return g

    return build(times(x, n))(x)


def returned_on_two_paths(x, n):
    def build(k):
        a = x * 2.0
        g = lambda v: v
        for i in range(k):
            a = a + i
            g = lambda v, g=g: g(v) * 0.5 + a
        if k > 2:
            a = a * 3.0
            return g
        return lambda v: g(v) + 1.0

    f = build(times(x, n)) if n > 1 else ops.sin
    return f(x)


def chosen_beside_another(x, n):
    g = lambda v: v * 0.5
    for i in range(times(x, n)):
        g = lambda v, g=g, i=i: g(v) + i
    h = g if n > 2 else ops.tanh
    return h(x) * (g if n > 1 else h)(x)


def in_a_tuple_that_a_loop_carries(x, n):
    state = (lambda v: v, x)
    for _ in range(times(x, n)):
        g, y = state
        state = (lambda v, g=g: g(v) * 0.5 + x, g(y))
    return state[0](state[1])


def with_parameters(x, n):
    g = lambda v: v
    for _ in range(times(x, n)):
        g = lambda v, g=g: g(v * WEIGHT)
    return g(x)


WEIGHT = ms.Parameter(Tensor(1.5), name="weight")


def methods_are_wrapped(x, n):
    class_ = _Scaled(x)
    g = class_.run
    for _ in range(times(x, n)):
        g = lambda v, g=g: class_.run(g(v))
    return g(x * 0.5)


class _Scaled:
    def __init__(self, k):
        self.k = k

    def run(self, v):
        return ops.sin(v) * self.k


def loop_in_a_recursion(x, n):
    def go(k, f):
        if k == 0:
            return f(x * 0.5)
        g = f
        for i in range(k):
            g = lambda v, g=g, i=i: g(v) * 0.5 + i
        return go(k - 1, lambda v: g(v) * 0.5)

    return go(times(x, n), lambda v: v)


def a_fold_by_functions(x, n):
    def foldr(k, acc):
        return (
            (lambda rest: rest)
            if k == 0
            else (lambda rest: foldr(k - 1, acc)(rest * 0.5 + acc * k))
        )

    return foldr(times(x, n), x)(x * 2.0)


def prints_and_raises_stay_in_order(x, n):
    def check(v):
        if ops.sum(v) > 1e6:
            raise ValueError("too large")
        return v

    g = check
    for _ in range(times(x, n)):
        g = lambda v, g=g: check(g(v) * 0.5)
    return g(x)
