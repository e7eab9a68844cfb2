"""Recursive functions that change lists, dicts and objects made outside of them."""

from minds import ops


def changes_a_list_of_an_outer_scope(x, n):
    out = [x, 0]

    def walk(k):
        if k <= 0:
            return x
        out[0] = out[0] * x
        out[1] += 1
        return walk(k - 1)

    y = walk(n)
    return out[0] * out[1] + y


def changes_an_argument(x, n):
    def walk(k, out):
        if k > 0:
            out[0] = out[0] * x
            walk(k - 1, out)
            out[1] = out[1] + out[0]

    out = [x, x]
    walk(n, out)
    return out[0] + out[1]


def changes_a_dict_in_a_tree(x, n):
    d = {"sum": x, "count": 0}

    def walk(k):
        if k > 0:
            d["sum"] = d["sum"] + k
            d["count"] += 1
            walk(k - 1)
            walk(k - 2)

    walk(n)
    return d["sum"] * d["count"], d


class _State:
    def __init__(self, x):
        self.h, self.steps = x, 0

    def step(self, v):
        self.h = ops.tanh(self.h + v)
        self.steps += 1


def changes_an_object(x, n):
    s = _State(x)

    def go(k):
        if k > 0:
            s.step(x)
            go(k - 1)

    go(n)
    return s.h * s.steps


def changes_an_object_passed_down(x, n):
    def go(s, k):
        if k > 0:
            go(s, k - 1)
            s.step(x * k)
        return s

    return go(_State(x), n).h


class _Walker:
    def __init__(self, x):
        self.total, self.x = x, x

    def walk(self, k):
        if k > 0:
            self.walk(k - 1)
            self.total = self.total + ops.sin(self.x) * k


def method_that_changes_its_object(x, n):
    w = _Walker(x)
    w.walk(n)
    return w.total


def nested_lists(x, n):
    rows = [[x, 1.0], [x * 2.0, 2.0]]

    def go(k):
        if k > 0:
            rows[0][0] = rows[0][0] + rows[1][0]
            rows[1][1] = rows[1][1] * 0.5
            go(k - 1)

    go(n)
    return rows[0][0] * rows[1][1], rows


def two_names_of_the_list(x, n):
    out = [x]
    again = out

    def go(k):
        if k > 0:
            again[0] = again[0] * 0.5
            go(k - 1)
            out[0] = again[0] + x

    go(n)
    return again[0], out


def counter_made_by_a_function(x, n):
    def counter():
        c = [0]

        def inc():
            c[0] += 1
            return c[0]

        return inc

    inc = counter()

    def go(k, y):
        if k <= 0:
            return y
        return go(k - 1, y * inc())

    y = go(n, x)
    return y, inc()


def the_list_is_returned(x, n):
    def go(k, out):
        if k <= 0:
            return out
        out[0] = out[0] * x
        return go(k - 1, out)

    out = [x, x]
    back = go(n, out)
    back[1] = back[0] + out[0]
    return out[1], back[1]


def two_that_call_each_other(x, n):
    seen = [x, x]

    def even(k):
        if k > 0:
            seen[0] = seen[0] * 0.5
            odd(k - 1)

    def odd(k):
        if k > 0:
            even(k - 1)
            seen[1] = seen[1] + seen[0] * k

    even(n + 2)
    return seen[0] * seen[1]


def loop_around_a_change(x, n):
    best = [x.sum()]

    def search(k, y):
        for i in range(2):
            if k > 0:
                v = ops.sum(y * (i + 1.0))
                if v > best[0]:
                    best[0] = v
                search(k - 1, y * (0.5 + i))

    search(n, x)
    return x * best[0]


def read_between_two_calls(x, n):
    c = [x]

    def go(k):
        if k <= 0:
            return c[0]
        c[0] = c[0] * 1.5
        return go(k - 1) + c[0]

    a = go(n)
    c[0] = c[0] + 1.0
    b = go(n)
    return a * b, c[0]


def a_tree_of_decisions(x, n):
    def grown(depth, i):
        if depth == 0:
            return ("leaf", i * 0.1)
        return ("node", i % 3, i * 0.05 - 0.4, grown(depth - 1, 2 * i), grown(depth - 1, 2 * i + 1))

    def walk(tree, v):
        if tree[0] == "leaf":
            return v * tree[1]
        if v[tree[1]] < tree[2]:
            return walk(tree[3], v * 1.1)
        return walk(tree[4], v + 0.1)

    return walk(grown(7, 1), x) * n


def branches_that_meet_at_each_depth(x, n):
    weights = [x * (i + 1) for i in range(12)]

    def go(v, i):
        if i == 12:
            return v
        if v.sum() > 0:
            return go(ops.tanh(v * weights[i]), i + 1)
        return go(v + weights[i], i + 1)

    return go(x, 0) * n
