"""Sorting, by what is known and by data: functions of a tensor ``x`` and an int ``n``."""

import bisect
import functools
import heapq
import itertools
import operator

import minds as ms
from minds import Tensor, ops


def s_rows(x, n):
    return sorted(x), sorted(x, reverse=True), n


def s_key(x, n):
    return (
        sorted(x, key=lambda v: -v),
        sorted(x, key=lambda v: (v - 0.6) * (v - 0.6)),
        sorted([x, x * 2.0, x - 3.0], key=lambda v: v.sum()),
    )


def s_scalars(x, n):
    return sorted([3, n, 1]), sorted([n * 1.0, 2.5, 1.0]), sorted((n, 4 - n, 2), reverse=True), x


def s_items(x, n):
    return sorted([float(v) for v in x]), x, sorted([x[0].item(), n * 1.0, 0.25])


def s_tuples(x, n):
    ps = [(n, 1), (2, 2), (1, 3), (n, 0)]
    return (
        sorted(ps),
        sorted(ps, key=lambda p: p[0]),
        sorted(ps, key=lambda p: p[0], reverse=True),
        x,
    )


def s_names(x, n):
    scores = {"a": x[0], "b": x[1] * n, "c": x[2]}
    best = sorted(scores.items(), key=lambda kv: kv[1])
    return [v for _, v in best], [k for k, _ in best]


def s_sort(x, n):
    xs = [v * n for v in x]
    xs.sort()
    ys = list(x)
    ys.sort(key=lambda v: -v)
    return xs, ys


def s_index(x, n):
    order = sorted(range(3), key=lambda i: x[i])
    return order, [x[i] for i in order], n


def s_ties(x, n):
    ps = [(1, x), (n, x * 2.0), (1, x * 3.0), (n, x * 4.0)]
    return [p[1] for p in sorted(ps, key=lambda p: p[0])], [
        p[1] for p in sorted(ps, key=lambda p: p[0], reverse=True)
    ]


def s_static(x, n):
    return (
        sorted("hello"),
        sorted([3, 1, 2], reverse=True),
        sorted({"b": 1, "a": 2}),
        sorted([("b", 1), ("a", 2)], key=lambda p: p[1]),
        x,
    )


class Item:
    def __init__(self, k, v):
        self.k = k
        self.v = v

    def __lt__(self, other):
        return self.k < other.k


def s_objects(x, n):
    items = [Item(3, x), Item(1, x * 2.0), Item(2, x * n)]
    return (
        [i.v for i in sorted(items)],
        [i.v for i in sorted(items, reverse=True)],
        min(items).v,
        max(items).v,
    )


def s_cmp(x, n):
    return sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a)), x


def s_minmax(x, n):
    ps = [(n, x), (2, x * 2.0), (3, x * 3.0)]
    return (
        min(ps, key=lambda p: p[0])[1],
        max(ps, key=lambda p: p[0])[1],
        min(x),
        max(x, key=lambda v: v * v),
        min(n, 2, 1),
        max([n, 2], default=3),
    )


def s_loop(x, n):
    for i in range(3):
        a, b, c = sorted([x[0], x[1], x[2]])
        x = ops.stack([b, c, a * 0.5])
    return x


def s_median(x, n):
    xs = sorted([float(n), 2.0, 1.0, 7.5])
    return (xs[1] + xs[2]) / 2, x


def s_argmin(x, n):
    vals = [x[0], x[1], x[2]]
    i = min(range(3), key=lambda k: vals[k])
    return i, n, max(range(3), key=vals.__getitem__), x


def s_zip(x, n):
    a, b = zip(*sorted(zip([n, 2, 4], [x, x * 2.0, x * 3.0]), key=lambda p: p[0]))
    return a, b


def s_lists_known(x, n):
    xs = [[3, x], [1, x * 2.0]]
    ys = sorted(xs, key=lambda p: p[0])
    ys[0].append(n)
    return xs, ys


def s_multi(x, n):
    ps = [(1, n, x), (1, 2, x * 2.0), (0, 9, x * 3.0), (n, 1, x * 4.0)]
    return [p[2] for p in sorted(ps, key=lambda p: (p[0], -p[1]))], [
        p[2] for p in sorted(ps, key=operator.itemgetter(1, 0))
    ]


def s_known_beginnings(x, n):
    groups = {"b": [x, x * 2.0], "a": [x * n], "c": [x[0]]}
    found = [(k, len(v), sum(v)) for k, v in sorted(groups.items())]
    pairs = sorted([(2, "q", [x]), (1, "z", [n]), (2, "p", [x * 2.0])], reverse=True)
    least, most = min(groups.items())[1], max(pairs)[2]
    return found, pairs, least, most, sorted([(1, x[0]), (1, x[1]), (0, x[2])])
