"""Conditionals and loops: CPython = graph, and gradients through them."""

import pytest
from agreement import agree, gradients_agree

from minds import Tensor, ops

X = Tensor([1.5, -2.0, 0.25])
NUMBERS = (0, 1, 2, 3, 5, 7, 12)


def if_else(n):
    if n > 2:
        a = n * 2
    else:
        a = -n
    return a


def if_without_else(n):
    a = 1
    if n > 2:
        a = n
    return a


def elif_chain(n):
    if n == 0:
        return 10
    elif n == 1:
        return 11
    elif n < 5:
        b = n
    else:
        b = n * n
    return b + 1


def early_returns(n):
    if n > 10:
        return n
    if n > 5:
        if n == 7:
            return -7
        n = n + 100
    elif n > 2:
        return n * 3
    n = n + 1
    return n


def many_sequential_ifs(n):
    s = 0
    if n > 0:
        s = s + 1
    if n > 1:
        return s
    if n > 2:
        s = s + 10
    if n == 1:
        s = s * 5
    return s


def nested_ifs(n):
    if n > 1:
        if n > 3:
            r = 1
        elif n == 3:
            r = 2
        else:
            r = 3
    elif n == 0:
        r = 4
    else:
        r = 5
    return r


def constant_condition(n):
    if True:
        n = n + 1
    if None:
        n = "never"
    return n


def conditional_expression(n):
    a = n if n > 3 and n < 10 else -n
    return a, (n or 7), 1 < n < 5, not n


def while_sum(n):
    i, s = 0, 0
    while i < n:
        s += i
        i += 1
    return s, i


def while_else(n):
    i = 0
    while i < n:
        if i == 5:
            break
        i += 1
    else:
        i += 1000
    return i


def while_true(n):
    while True:
        n = n - 1
        if n < 5:
            return n
        if n % 7 == 0:
            break
    return -n


def fibonacci(n):
    a, b = 0, 1
    while a < n:
        a, b = b, a + b
    return a, b


def collatz(n):
    n = n + 1
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def for_range(n):
    s = 0
    for i in range(n):
        s = s + i * i
    return s


def for_range_bounds(n):
    s = 0
    for i in range(2, n, 3):
        s = s * 2 + i
    for i in range(n, 0, -2):
        s = s + i
    return s


def for_static_range(n):
    s = 0
    for i in range(20):
        s = s + i * n
        last = s
    return s + last + i


def for_break_continue_else(n):
    s = 0
    for i in range(n):
        for j in range(i):
            if (i + j) % 3 == 0:
                continue
            if j > 7:
                break
            s += i * j
        else:
            s += 100
    return s


def return_in_nested_loop(n):
    for i in range(100):
        for j in range(50):
            if i * j > n:
                return i, j
    return -1, -1


def unrolled_with_break(n):
    s = 0
    for k in (1, 2, 3, 4):
        if k == n:
            break
        s += k
    else:
        s = s + 50
    return s


def unrolled_with_continue(n):
    s = 0
    for k in (1, 2, 3, 4):
        if k == n:
            continue
        s += k
    return s


def int_becomes_float(n):
    acc = 0
    i = 0
    while i < n:
        acc = acc + 0.5
        i = i + 1
    return acc + 0.0


def walrus_in_condition(n):
    total = 0
    while (m := n - total) > 0:
        total = total + m // 2 + 1
    return total, m


def raises_when_big(n):
    if n > 100:
        raise ValueError("too big")
    assert n >= 0, "negative"
    return n


@pytest.mark.parametrize("n", NUMBERS)
@pytest.mark.parametrize(
    "fn",
    [
        if_else,
        if_without_else,
        elif_chain,
        early_returns,
        many_sequential_ifs,
        nested_ifs,
        constant_condition,
        conditional_expression,
        while_sum,
        while_else,
        while_true,
        fibonacci,
        collatz,
        for_range,
        for_range_bounds,
        for_static_range,
        for_break_continue_else,
        return_in_nested_loop,
        unrolled_with_break,
        unrolled_with_continue,
        int_becomes_float,
        walrus_in_condition,
        raises_when_big,
    ],
)
def test_numbers(fn, n):
    agree(fn, n)


def straight(x, n):
    return (ops.exp(x) * x).sum()


def branch(x, n):
    y = x
    if n > 2:
        y = ops.exp(x) * x
    else:
        y = x * x
    return (y * x).sum()


def branch_on_data(x, n):
    if x.sum() > n:
        return (x * x).sum()
    return (ops.sin(x) * n).sum()


def data_dependent_while(x, n):
    while x.abs().sum() > 0.5:
        x = x * 0.5 + ops.sin(x) * 0.1
    return (x * x).sum()


def loop(x, n):
    i = 0
    while i < n:
        x = ops.tanh(x * x + x)
        i += 1
    return x.sum()


def loop_with_ways_out(x, n):
    w = x * 2.0
    s = x
    for i in range(n):
        if i == 2:
            continue
        s = ops.tanh(s * w + x)
        if i > 5:
            break
    return (s * w * x).sum()


def loop_in_loop(x, n):
    s = x
    for i in range(n):
        j = 0
        while j < i:
            s = ops.sin(s) * x
            j += 1
        s = s + x * i
    return s.sum()


def return_from_loop(x, n):
    for i in range(20):
        x = x * 1.1
        if i == n:
            return (x * x).sum()
    return x.sum()


def early_return(x, n):
    if n > 3:
        return (x * x).sum()
    if n > 1:
        x = x * 3.0
    return (ops.exp(x) * n).sum()


def recursion(x, n):
    def rec(y, k):
        if k == 0:
            return y
        return rec(ops.sin(y) * x, k - 1)

    return rec(x, n).sum()


def tree_recursion(x, n):
    def rec(y, k):
        if k < 2:
            return y * x
        return rec(y, k - 1) + ops.sin(rec(y * 0.5, k - 2))

    return rec(ops.cos(x), n).sum()


def two_outputs(x, n):
    a = x * n
    if n > 2:
        return a.sum(), (x * x).sum()
    return x.sum(), a.sum()


@pytest.mark.parametrize("n", (0, 1, 2, 3, 4, 9))
@pytest.mark.parametrize(
    "fn",
    [
        straight,
        branch,
        branch_on_data,
        data_dependent_while,
        loop,
        loop_with_ways_out,
        loop_in_loop,
        return_from_loop,
        early_return,
        recursion,
        tree_recursion,
        two_outputs,
    ],
)
def test_gradients(fn, n):
    agree(fn, X, n)
    gradients_agree(fn, X, n)


def test_a_run_time_raise_names_the_line():
    import minds as ms

    with pytest.raises(ValueError, match="too big") as e:
        ms.jit(raises_when_big)(1000)
    assert "test_control.py" in str(e.value) and "raise ValueError" in str(e.value)
    with pytest.raises(AssertionError, match="negative"):
        ms.jit(raises_when_big)(-1)


def test_iteration_counts_do_not_compile_more():
    import minds as ms
    from minds.jit.cache import cache_of

    compiled = ms.jit(while_sum)
    for n in NUMBERS:
        compiled(n)
    programs = cache_of(while_sum).programs
    assert sum(map(len, programs.values())) == 1
