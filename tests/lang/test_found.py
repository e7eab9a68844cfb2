"""What random programs found: each case is one fault of the compiler that was mended, in its
smallest form.
"""

import os

import numpy as np
import pytest
import random_programs
from agreement import agree, assert_same

import minds as ms
from minds import Tensor, nn, ops

X = Tensor([0.5, -1.25, 2.0])


def condition_in_a_lambda(x, n):
    f = lambda v: ops.sin(v) if n > 2 else v * 2.0
    return f(x) * f(x + 1.0)


def return_in_the_else_of_a_loop(x, n):
    for i in range(n):
        if i == 3:
            break
    else:
        if n > 1:
            return x * 3.0
    return x * 2.0


def break_in_the_else_of_a_loop(x, n):
    for _ in range(6):
        for j in range(n):
            x = x * 0.5
            if j == 3:
                break
        else:
            break
    return x


def branch_with_a_loop_that_returns_from_its_else(x, n):
    def f(k):
        for _ in range(k):
            pass
        else:
            for _ in range(3):
                x * 2.0
            if k:
                return x * 1.5
        return x * 0.5

    return f(n) * 2.0


def list_changed_on_one_way_to_continue(x, n):
    xs, i = [x * 2.0, x], 0
    while i < n:
        i += 1
        if i % 2:
            xs[0] = ops.cos(xs[0])
        else:
            continue
    return xs[0] * 2.0


def list_made_in_a_loop_and_changed_in_a_loop_in_it(x, n):
    i = 0
    while i < n:
        i += 1
        pair = [x * 0.5, x * 2.0]
        for _ in range(n):
            pair[0] = ops.tanh(pair[0] * pair[1])
        x = pair[0] + 1.0
    return x * 1.0


def list_changed_behind_a_break(x, n):
    xs = [x * 1.0]
    for k in (1, 2, 3):
        if n == k:
            break
        xs[0] = xs[0] * k
    return xs[0] * 1.0


def list_changed_behind_a_return(x, n):
    xs = [x * 1.0]
    if n > 2:
        return xs
    xs[0] = xs[0] * 2.0
    return xs


def callers_list_changed_by_a_function_with_two_returns(x, n):
    def change(xs):
        if n > 2:
            xs[0] = xs[0] * 2.0
            return 0
        xs[1] = xs[1] * 3.0
        return 1

    xs = [x * 1.0, x + 1.0]
    k = change(xs)
    return xs[0] * xs[1] + k


def list_that_is_the_same_on_both_ways_out_of_a_loop(x, n):
    pair = (x * 1.0, x + 1.0)
    while n > 0:
        n = n - 1
        pair = (pair[1] * 0.5, pair[0])
        if n == 2:
            break
    return pair[0] - pair[1]


def own_list_of_a_recursive_function(x, n):
    def go(v, k):
        pair = [v, v * 0.5]
        if k > 2:
            pair[0] = pair[1] * x
        if k == 0:
            return pair[0] * 1.0
        return go(pair[0] + pair[1], k - 1)

    return go(x * 1.0, n)


def item_of_a_tensor_set_in_a_loop(x, n):
    y = x * 1.0
    for _ in range(n):
        y[0] = y[0] * 0.5 + y[1]
    return y * 2.0


def truth_of_a_tensor_as_a_value(x, n):
    return not x.sum(), bool((x > 0).any()), n in Tensor([1, 2]), any(x > 0)


def two_names(x, n):
    y = x * 1.0
    z = y
    while y[1] < n:
        y[1] = y[1] + 1.0
    return z * 2.0


def name_of_the_caller(x, n):
    def fill(v):
        while v[0] < n:
            v[0] = v[0] + 1.0

    y = x * 1.0
    fill(y)
    return y


def fill(v, n):
    while v[0] < n:
        v[0] = v[0] + 1.0


def held_by_the_caller(x, n):
    y = x * 1.0
    held = y, n
    fill(y, n)
    return held


def read_through_the_caller(x, n):
    def fill(v):
        while v[0] < n:
            v[0] = y[0] + 1.0

    y = x * 1.0
    fill(y)
    return y


def under_a_condition(x, n):
    if n > 2:
        fill(x, n)
    return x


FOUND = [
    v
    for k, v in list(globals().items())
    if getattr(v, "__module__", "") == __name__
    and callable(v)
    and not k.startswith("test_")
    and v is not fill
]


@pytest.mark.parametrize("fn", FOUND, ids=lambda f: f.__name__)
def test_found(fn):
    for n in range(6):
        out = agree(fn, X, n)
        if isinstance(out, (Tensor, list)):

            def gradient(x, n):
                return ms.grad(lambda v: (r[0] if isinstance(r := fn(v, n), list) else r).sum())(x)

            assert_same(ms.jit(gradient)(X, n), gradient(X, n))


def a_function_defined_anew_in_each_iteration(x, n):
    k = 0
    while k < 9:
        k += 1
        for i in (1.0, 2.0):

            def shifted(t):
                return t + i * k

        if n > k:
            continue
        x = shifted(x) * 0.5
    return x


@pytest.mark.parametrize("n", (0, 4, 20))
def test_a_function_defined_anew_in_each_iteration(n):
    agree(a_function_defined_anew_in_each_iteration, Tensor([1.0, -2.0]), n)


@pytest.mark.parametrize("compiled", [False, True])
def test_assign_to_a_tensor(compiled):
    """What is no parameter is changed in place; every name of it names the new value."""

    def f(x):
        y = x * 1.0
        same = y
        ops.operations.Assign()(y, y * 2)
        ops.assign_add(y, x)
        last = ops.assign_sub(y, 1)
        return y, same, last

    for got in (ms.jit(f) if compiled else f)(Tensor([1.0, 2.0])):
        np.testing.assert_array_equal(got.asnumpy(), [2.0, 5.0])


HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "found")


@pytest.mark.parametrize("name", sorted(f for f in os.listdir(HERE) if f.endswith(".py")))
def test_found_whole(name, tmp_path):
    with open(os.path.join(HERE, name)) as f:
        assert random_programs.check_module(
            random_programs.load(f.read(), str(tmp_path), name[:-3]), 1
        )


class Counter:
    def __init__(self, x):
        self.x, self.count = x, 0

    def step(self, n):
        assert n >= 0
        self.x = self.x * 2.0
        self.count = self.count + n


def object_changed_behind_an_assert(x, n):
    c = Counter(x)
    c.step(n)
    c.step(n + 1)
    return c.x * c.count, c.count


def list_changed_behind_a_check(x, n):
    def fill(xs, k):
        row = xs[0][k % 3]
        xs[0] = xs[1] * row
        return row

    xs = [x, x * 3.0]
    return fill(xs, n) * xs[0], xs


def item_set_behind_an_assert(x, n):
    assert n >= 0
    x[0] = 7.0
    return x * 2.0


def item_set_by_a_function_behind_a_return(x, n):
    def put(t):
        if n > 3:
            return t * 3.0
        t[0] = n + 5.0
        return t * 2.0

    y = x * 1.0
    z = (y, 3)
    a = put(y)
    return a * y, z, put(a)


def list_changed_behind_an_unrolled_loop_that_returns(x, n):
    def change(xs):
        for k in (1, 2, 3):
            if n == k:
                return 0
            xs[0] = xs[0] * k
        xs[0] = xs[0] * 10.0
        return 1

    xs = [x * 1.0, x]
    return change(xs) + xs[0]


def items_set_behind_an_unrolled_loop_that_returns(x, n):
    def change(v):
        for k in (1, 2, 3):
            if n == k:
                return 0
            v[0] = v[0] * k
        v[1] = v[1] * 10.0
        return 1

    y = x * 1.0
    return change(y) + y


def name_of_an_argument_at_the_end_of_an_iteration(x, n):
    k = 0
    while k < 9:
        k += 1
        t = x * 2.0
        if n > 2:
            t[1:] *= 2.0
            return t
        else:
            t = x
    return x * 1.0


def put(t):
    t[0] = 5.0
    return t * 2.0


def operands_that_a_later_one_changes(x, n):
    a, b, c, d, e = (x * k for k in (1.0, 2.0, 3.0, 4.0, 5.0))
    c += put(c)
    some = [d, put(d), d * 3.0]
    return (
        a + put(a),
        ops.mul(b, put(b)),
        c,
        some,
        x.mul(put(x)),
        {"a": e, "b": put(e)},
        e < put(e * 2.0),
    )


DENSE = nn.Dense(3, 3, Tensor([[0.5, -0.25, 1.0], [0.0, 0.75, -0.5], [0.3, 0.1, -1.0]]))


def parameter_read_behind_a_way_out_and_again(x, n):
    def f(v):
        if n > 2:
            return v
        return DENSE(v)

    return f(x) + DENSE(x)


def rows_of_a_list_around_a_loop(x, n):
    s = x * 1.0
    for row in [v for v in x]:
        for _ in range(n):
            s = s * 0.5
        s = s + row
    return s


def iterator_moved_on_both_sides(x, n):
    s, rows = x * 1.0, iter([v for v in x])
    if n > 2:
        s = s + next(rows)
    else:
        s = s - next(rows)
    for row in rows:
        for _ in range(n):
            s = s * row
    return s


CHANGED = [
    parameter_read_behind_a_way_out_and_again,
    operands_that_a_later_one_changes,
    rows_of_a_list_around_a_loop,
    iterator_moved_on_both_sides,
    list_changed_behind_an_unrolled_loop_that_returns,
    items_set_behind_an_unrolled_loop_that_returns,
    name_of_an_argument_at_the_end_of_an_iteration,
    object_changed_behind_an_assert,
    list_changed_behind_a_check,
    item_set_behind_an_assert,
    item_set_by_a_function_behind_a_return,
]


def test_a_tensor_that_is_an_argument_in_the_first_iteration_only_is_refused():
    def f(x, n):
        t = x
        while n > 0:
            n -= 1
            t[0] *= 2.0
            t = ops.sin(t)
        return x * 1.0

    with pytest.raises(SyntaxError, match="has another name in some iterations"):
        ms.jit(f)(X, Tensor(3))
    for n in range(4):  # a number is a constant where no program serves all
        x, y = Tensor([0.5, -1.25, 2.0]), Tensor([0.5, -1.25, 2.0])
        assert_same((ms.jit(f)(x, n), x), (f(y, n), y))


@pytest.mark.parametrize("fn", CHANGED, ids=lambda f: f.__name__)
def test_changed_behind_a_way_out(fn):
    for n in range(6):
        x, y, z = (Tensor([0.5, -1.25, 2.0]) for _ in range(3))
        assert_same((ms.jit(fn)(x, n), x), (fn(y, n), y))

        def gradient(x, n):
            return ms.grad(lambda v: ops.stack(_tensors(fn(v * 1.0, n))).sum())(x)

        assert_same(ms.jit(gradient)(z, n), gradient(z, n))


def _tensors(v) -> list:
    """The tensors of three elements in a result."""
    if isinstance(v, (tuple, list)):
        return [e for u in v for e in _tensors(u)]
    return [v] if isinstance(v, Tensor) else []
