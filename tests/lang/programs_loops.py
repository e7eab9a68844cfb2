"""Small programs: assignment, comprehensions, conditions, and what loops change. Each takes a tensor of
three floats and an int.
"""

# Written as people write, not as a linter would.
from minds import ops


def starred_first(x, n):
    *a, b = (n, 1, 2)
    return a, b


def starred_middle(x, n):
    a, *b, c = [x, n, 3, x * 2.0]
    return a, b, c


def starred_empty(x, n):
    a, *b = (n,)
    return a, b


def starred_in_display(x, n):
    t = (1, n)
    return (*t, 5, *t), [*t, *range(2)], {**{"a": n}, "b": 1}


def chained_assignment(x, n):
    a = b = n + 1
    a += 1
    return a, b


def swap(x, n):
    a, b, c = n, 2, 3
    a, b, c = c, a, b
    return a, b, c


def nested_unpacking(x, n):
    (a, (b, c)), d = (n, (2, x)), 4
    return a, b, c, d


def augmented(x, n):
    a = n
    a += 2
    a *= 3
    a -= 1
    a //= 2
    a %= 7
    f = a / 2
    f /= 4
    f **= 2
    a <<= 2
    a |= 1
    a &= 13
    a ^= 6
    a >>= 1
    return a, f


def augmented_item(x, n):
    d, xs = {"k": n}, [n, 2]
    d["k"] += 5
    xs[1] *= n
    xs[-2] -= 1
    return d, xs


def annotated(x, n):
    a: int = n + 1
    b: "float"
    b = 0.5
    return a, b


def deletes(x, n):
    a, d, xs = n, {"p": 1, "q": n}, [1, 2, n]
    del a
    del d["p"], xs[0]
    a = 5
    return a, d, xs


def walrus_in_if(x, n):
    if (half := n // 2) > 1:
        return half
    return -half


def walrus_in_comprehension(x, n):
    return [y := n, y * 2, (y := y + 1)], [last := k for k in (1, 2, 3)], last


def nested_comprehension(x, n):
    return [[i * j + n for j in range(3)] for i in range(2)]


def comprehension_with_conditions(x, n):
    return [i * n for i in range(10) if i % 2 if i > 2]


def comprehension_unpacking(x, n):
    return [a * b for a, b in [(1, n), (2, 3)]], {k: v * n for k, v in {"a": 1, "b": 2}.items()}


def comprehension_scope(x, n):
    i = 50
    ys = [i for i in range(3)]
    return i, ys


def comprehension_of_closures(x, n):
    fs = [lambda v, k=k: v * k for k in (1, 2, n)]
    return [f(x) for f in fs]


def generator_argument(x, n):
    return sum(i * n for i in range(4)), max(abs(i - n) for i in (1, 2)), tuple(i for i in (n, 2))


def set_of_constants(x, n):
    s = {1, 2, 3}
    return len(s), 2 in s, len({c for c in "aab"})


def conditional_expression_chain(x, n):
    return 1 if n < 2 else 2 if n < 5 else 3


def conditional_expression_tensor(x, n):
    return ops.sin(x) if n > 2 else x * 2.0


def conditional_lambda(x, n):
    f = lambda v: ops.sin(v) if n > 2 else v * 2.0
    return f(x) + f(x * 2.0)


def and_or_values(x, n):
    return n and 5, n or 5, (n > 2 and n < 5), not n, (n and n - 1) or 9


def chained_comparison(x, n):
    return 1 < n < 5, 0 <= n <= 3 != n, n == n == 3


def identity(x, n):
    a = None
    b = [n]
    c = b
    return a is None, n is not None, b is c, x is x, b is not [n]


def containment(x, n):
    return (
        n in (1, 3),
        n not in [0, 2],
        n in range(0, 10, 2) if False else True,
        "a" in {"a": n},
        "b" in "abc",
        5 in {5, 6},
    )


def equality_of_sequences(x, n):
    return (n, 2) == (3, 2), [n] != [3], (1, 2) < (1, 3), [1, 2] == [1, 2, 3]


def if_with_pass(x, n):
    if n > 2:
        pass
    else:
        n = -n
    return n


def if_on_none(x, n, k=None):
    if k is None:
        k = 4
    return n * k


def if_on_container(x, n):
    xs = []
    if xs:
        n = n + 100
    if {"a": 1}:
        n = n + 1
    if "":
        n = 0
    return n


def if_on_tensor(x, n):
    if x.sum() > 0:
        return x * n
    return -x


def unreachable_is_not_typed(x, n):
    if isinstance(n, str):
        return n.upper() + 5
    return n


def list_item_in_branch(x, n):
    xs = [1, 2, 3]
    if n > 2:
        xs[0] = n
    else:
        xs[2] = 9
    return xs


def append_in_both_branches(x, n):
    xs = [x]
    if n > 2:
        xs.append(x * 2.0)
    else:
        xs.append(x + 1.0)
    return xs


def list_changed_after_return(x, n):
    xs = [n]
    if n > 2:
        return xs
    xs[0] = n + 10
    return xs


def list_changed_after_break(x, n):
    xs = [0]
    for k in (1, 2, 3):
        if n == k:
            break
        xs[0] += k
    return xs


def list_changed_after_continue(x, n):
    xs = [0, n]
    for k in range(n):
        if k % 2:
            continue
        xs[0] = xs[0] + k
    return xs


def list_changed_in_called_function(x, n):
    def change(v):
        if n > 2:
            v[0] = n
            return 1
        v[1] = 5
        return 2

    xs = [0, 0]
    r = change(xs)
    return xs, r


def list_changed_in_while(x, n):
    xs = [x, x * 2.0]
    i = 0
    while i < n:
        xs[0] = ops.tanh(xs[0] + xs[1])
        i += 1
    return xs


def list_made_in_loop(x, n):
    s = x * 0.0
    for i in range(n):
        pair = [x * i, x]
        for j in range(i):
            pair[1] = pair[1] * 0.5
        s = s + pair[0] * pair[1]
    return s


def dict_changed_in_loop(x, n):
    d = {"s": x, "n": 0}
    for i in range(n):
        d["s"] = d["s"] * 0.5 + i
        d["n"] += 1
    return d


def dict_changed_in_branch(x, n):
    d = {"s": x}
    if n > 1:
        d["s"] = x * 2.0
    return d["s"]


def aliased_list_in_branch(x, n):
    xs = [n, 1]
    ys = xs
    if n > 2:
        ys[1] = 7
    return xs, ys is xs


def list_of_lists_in_loop(x, n):
    rows = [[0, 1], [2, 3]]
    for i in range(n):
        rows[0][1] = rows[0][1] + rows[1][0]
    return rows


def recursive_lambda(x, n):
    fact = lambda k: 1 if k <= 1 else k * fact(k - 1)
    return fact(n)


def recursive_function_with_a_list(x, n):
    def go(v, k):
        pair = [v, v * 0.5]
        if k > 2:
            pair[0] = pair[1] * x
        if k == 0:
            return pair[0]
        return go(pair[0] + pair[1], k - 1)

    return go(x, n)


def assert_holds(x, n):
    assert n >= 0, "negative"
    assert x.shape == (3,)
    return n


def rebound_then_changed(x, n):
    x = ops.abs(x) * 0.01
    while x[2] <= 0.3:
        x = x * 1.1
        x[0] *= 0.5
    return x


def rebound_beside_another_name(x, n):
    x = ops.abs(x) * 0.01
    y = x
    while x[2] <= 0.3:
        x = x * 1.1
        x[0] *= 0.5
    return x + y


def rebound_under_a_condition(x, n):
    x = ops.abs(x) * 0.01
    while x[2] <= 0.3:
        if x[1] > 0.1:
            x = x * 1.1
        x = x + 0.01
        x[0] *= 0.5
    return x


def rebound_in_loops_in_loops(x, n):
    x = ops.abs(x) * 0.01
    for i in range(n):
        while x[2] <= 0.3:
            x = x * 1.1
            x[0] *= 0.5
        x[1] = 0.2
    return x


def previous_of_a_changed(x, n):
    h = ops.abs(x) * 0.01
    y = h
    for i in range(n):
        y = h
        h = h * 1.1
        h[0] *= 0.5
    return h + y


def perhaps_rebound(x, n):
    h = ops.abs(x) * 0.01
    for i in range(n):
        if h[0] > 0.05:
            h = h * 1.1
        h[0] += 0.02
    return h


def best_of_a_changed(x, n):
    h = x * 1
    best = h
    for i in range(n):
        h = h + 0.1
        h[i % 3] *= 0.9
        if h.sum() > 1:
            best = h
    return best


def changed_pair(x, n):
    a, b = x * 1, x * 2
    for i in range(n):
        a, b = b, a + b
        a[0] += 1
    return a, b


def changed_in_a_list(x, n):
    st = [x * 1]
    for i in range(n):
        st[0] = st[0] * 1.1
        st[0][1] += 0.3
    return st[0]


def changed_with_break(x, n):
    y = x
    while True:
        y = y * 1.1 + 0.2
        y[0] -= 0.1
        if y.sum() > 12:
            break
        if y[0] > 2:
            y = y + 1
            continue
        y[1] += 1
    return y


def rebound_argument(x, n):
    left = 20
    while x[2] <= 20.3 and left > 0:
        x = x * 1.1
        x[0] *= 0.5
        left -= 1
    return x


def the_last_index_behind_a_loop(x, n):
    for i in range(n + 1):
        x = x * 1.1
    return x * i, i


def what_a_loop_left_sets(x, n):
    for i in range(n + 2):
        y = x * (i + 1)
        if y.sum() > 4.0:
            break
    else:
        y = y + i
    return y * i


def indices_of_two_loops_behind_them(x, n):
    for i in range(n + 1):
        for j in range(i + 1):
            y = x * j
        x = x + y
    return x * j + y * i


def nothing_set_by_a_loop_that_does_not_run(x, n):
    try:
        for i in range(n - 1):
            last = x * i
        return last + i
    except UnboundLocalError:
        return x * 2.0


def an_index_behind_a_loop_on_one_path(x, n):
    for i in range(n):
        x = x * 1.5
    if x.sum() > 100.0:
        return x * i
    return x


def a_function_of_the_last_iteration(x, n):
    for i in range(n + 1):

        def scaled(v):
            return v * i

        pair = i, x * i
    a, b = pair
    return scaled(x) + a * b
