"""Comprehensions and generators whose elements data choose: of a tensor ``x`` and an int ``n``."""

import minds as ms
from minds import Tensor, nn, ops


def m_pos(x, n):
    ys = [v for v in x if v > 0]
    return ops.stack(ys).sum() if len(ys) > 0 else x.sum()


def m_sum(x, n):
    return sum(v * 2.0 for v in x if v > 0.0), sum([v for v in x if v > 0.1 * n], Tensor(0.0))


def m_list(x, n):
    return [v for v in x if v > 0]


def m_map(x, n):
    return [1.0 / v for v in x if v != 0.5]


def m_len(x, n):
    return len([v for v in x if v > n]), x


def m_nums(x, n):
    return [i for i in range(4) if i > n], x


def m_pairs(x, n):
    return sum(v * i for i, v in enumerate(x) if v > 0.0)


def m_max(x, n):
    return max([v for v in x if v > -9.0 + n * 0.0])


def m_loop(x, n):
    s = x.sum() * 0.0
    for v in [v for v in x if v > 0.0]:
        s = s + v * v
    return s


def m_index(x, n):
    ys = [v * n for v in x if v > 0.0]
    return ys[0], ys[-1]


def m_two(x, n):
    a = [v for v in x if v > 0.0]
    b = [v * 2.0 for v in a if v > 1.0]
    return sum(b, Tensor(0.0)), len(b)


def m_sum2(x, n):
    return (
        sum(v * i for i, v in enumerate(x) if v > 0.0),
        sum((v for v in x if v > 0.1), Tensor(0.0)),
        max(v * v for v in x if v > -5.0),
    )


def m_gen(x, n):
    def gen(k):
        for v in x:
            if v > 0:
                yield v * k

    return sum(gen(n), Tensor(0.0)), len(list(gen(2)))


def m_listgen(x, n):
    ys = list(v * 2.0 for v in x if v > 0.0)
    return len(ys), ys[0], n


def m_shared(x, n):
    v = 5

    def f():
        nonlocal v
        v += 1

    ys = [v for v in x if v > 0.0]
    f()
    return v, len(ys), n
