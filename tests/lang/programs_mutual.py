"""Functions that call one another, and functions chosen anew in each call: their types are found
together, and their graphs serve later calls while what they read stands as it did.
"""

from minds import ops


def three_that_call_one_another(x, n):
    def a(v, k):
        return v if k <= 0 else b(ops.sin(v), k - 1) + c(v * 0.5, k - 2)

    def b(v, k):
        return v * 2.0 if k <= 0 else c(v + x, k - 1) * 0.5

    def c(v, k):
        return v + 1.0 if k <= 0 else a(v * x, k - 1) + b(v, k - 2) * 0.1

    return a(x, n)


def one_reads_what_another_changes(x, n):
    box = [x, 0]

    def a(k):
        if k <= 0:
            return box[0]
        box[0] = box[0] * 0.5 + k
        return b(k - 1)

    def b(k):
        r = box[0] * 2.0
        if k <= 0:
            return r
        box[1] += 1
        return r + a(k - 1) + c(k - 2)

    def c(k):
        return box[0] + box[1] if k <= 0 else b(k - 1)

    return a(n), box


def a_variable_changes_between_calls(x, n):
    k = 1.0

    def f(v, d):
        return v * k if d <= 0 else f(ops.sin(v), d - 1) + k

    a = f(x, n)
    k = x.sum()
    b = f(x, n)
    k = 3.0
    return a + b + f(x, n)


def a_list_changes_between_calls(x, n):
    w = [x, x * 2.0]

    def f(v, d):
        return v * w[0] if d <= 0 else f(ops.sin(v) + w[1], d - 1)

    a = f(x, n)
    w[0] = w[0] + 1.0
    b = f(x, n)
    w[1] = 0.5
    return a + b + f(x, n)


def called_in_branches_and_loops(x, n):
    def f(v, d):
        return v * x if d <= 0 else f(ops.sin(v), d - 1)

    a = f(x, n) + f(x * 2.0, n - 1) if x.sum() > 0.2 else f(x, n + 1)
    for i in range(n):
        a = a + f(a, i)
    return a + f(a, n)


def caught_by_the_other(x, n):
    def a(v, k):
        if k <= 0:
            if v.sum() > 6.0:
                raise ValueError("big")
            return v
        try:
            return b(v * 1.7, k - 1)
        except ValueError:
            return v * 0.1

    def b(v, k):
        return v if k <= 0 else a(v + 0.3, k - 1) + a(v, k - 2)

    return a(x, n)


def recursive_descent(x, n):
    tokens, at = "a * ( b + 3 ) - b * ( a - ( b + 1 ) )".split(), 0
    names = {"a": x[0], "b": x[1] * n}

    def take():
        nonlocal at
        at += 1
        return tokens[at - 1]

    def sees(those):
        return at < len(tokens) and tokens[at] in those

    def atom():
        t = take()
        if t == "(":
            v = total()
            take()
            return v
        v = names[t] if t in names else float(t)
        return ops.sin(v) if t == "a" and v > 0 else v

    def product():
        v = atom()
        while sees("*/"):
            v = v * atom() if take() == "*" else v / atom()
        return v

    def total():
        v = product()
        while sees("+-"):
            v = v + product() if take() == "+" else v - product()
        return v

    return total()


def tokens_of_an_iterator(x, n):
    tokens = iter("2 * ( a + 3 ) - b * ( a - ( b + 1 ) )".split())
    now, names = next(tokens), {"a": x[0], "b": x[1] * n}

    def take():
        nonlocal now
        t, now = now, next(tokens, None)
        return t

    def atom():
        t = take()
        if t == "(":
            v = total()
            take()
            return v
        return names[t] if t in names else float(t)

    def product():
        v = atom()
        while now == "*":
            take()
            v = v * atom()
        return v

    def total():
        v = product()
        while now in ("+", "-"):
            v = v + product() if take() == "+" else v - product()
        return v

    return total()


def one_of_two_continuations(x, n):
    def go(v, k, done):
        if k <= 0:
            return done(v)
        if v.sum() > 0.5:
            more = lambda u: done(u) * 2.0
        else:
            more = lambda u: ops.sin(done(u)) + v
        return go(v * 0.9, k - 1, more)

    return go(x, n, lambda u: u * x)


def continuations_in_a_tuple_and_a_dict(x, n):
    def go(v, k, pair, named):
        if k <= 0:
            return pair[0](v) + pair[1](v) * named["last"](v)
        a, b = pair
        c = named["last"]
        new = (lambda u: a(u) * 0.5), (lambda u: b(ops.sin(u)) + a(u))
        return go(v * 0.9, k - 1, new, {"last": lambda u: c(u) + v})

    return go(x, n, ((lambda u: u), (lambda u: u * 2.0)), {"last": lambda u: u})


def success_and_failure_of_a_search(x, n):
    def search(k, s, found, lost):
        if k <= 0:
            return found(s) if s.sum() > 1.0 else lost()
        return search(k - 1, s + x * k, found, lambda: search(k - 1, s, found, lost))

    return search(n, x * 0.0, lambda s: s * 2.0, lambda: x * 0.5)


def a_reader(x, n):
    unit = lambda a: lambda env: a
    bind = lambda m, f: lambda env: f(m(env))(env)
    m = unit(x)
    for _ in range(n):
        m = bind(m, lambda a: bind(lambda env: env, lambda e: unit(ops.sin(a) + e)))
    return m(x * 0.5)


def a_state_passed_on(x, n):
    unit = lambda a: lambda s: (a, s)
    bind = lambda m, f: lambda s: (lambda r: f(r[0])(r[1]))(m(s))

    def loop(k, a):
        if k <= 0:
            return unit(a)
        return bind(lambda s: (a * s, s * 0.9), lambda b: loop(k - 1, ops.sin(b) + x))

    a, s = loop(n, x)(x + 1.0)
    return a + s


def known_depth_under_data(x, n):
    rows = [x * (i + 1) for i in range(7)]

    def go(v, i):
        if i == len(rows):
            return v
        if v.sum() > 0:
            return go(ops.tanh(v * rows[i]), i + 1) + go(v * 0.5, i + 1)
        return go(v + rows[i], i + 1)

    return go(x, 0) * n


def decisions(x, n):
    def tree(d, i):
        if d == 0:
            return i * 0.1
        return i % 3, i * 0.05 - 0.4, tree(d - 1, 2 * i), tree(d - 1, 2 * i + 1)

    def walk(t, v):
        if isinstance(t, float):
            return v * t
        return walk(t[2], v * 1.1) if v[t[0]] < t[1] else walk(t[3], v + 0.1)

    return walk(tree(4, 1), x) * n
