"""Loops over generators of which only the run knows where they yield: of a tensor ``x`` and an int ``n``."""

import minds as ms
from minds import Tensor, nn, ops


def e_while(x, n):
    def gen():
        v = x
        while v.sum() > 0.3:
            yield v
            v = v * 0.5

    s = x * 0.0
    for v in gen():
        s = s + v
    return s


def e_cond(x, n):
    def gen():
        for v in x:
            if v > 0:
                yield v

    s, k = x.sum() * 0.0, 0
    for v in gen():
        s = s + v * v
        k += 1
    return s, k


def e_range(x, n):
    def gen(k):
        for i in range(k):
            yield x * i

    s = x
    for v in gen(n):
        s = s + v
    return s


def e_interleave(x, n):
    k = 0

    def gen():
        nonlocal k
        v = x
        while v.sum() > 0.3:
            k = k + 1
            yield v
            v = v * 0.5 - 0.01 * k

    s = x * 0.0
    for v in gen():
        s = s + v * k
        k += 10
    return s, k


def e_continue(x, n):
    def gen():
        i = 0
        while i < n:
            yield i
            i += 1

    t = 0
    for i in gen():
        if i == 1:
            continue
        t = t + i
    return t, x


def e_unset(x, n):
    def gen():
        for i in range(n):
            yield i

    last = -1
    for i in gen():
        last = i
        tmp = i * 2
    return last, x


def e_tuple(x, n):
    def gen():
        v = x
        while v.sum() > 0.3:
            yield v, v.sum()
            v = v * 0.5

    s, t = x, x.sum()
    for a, b in gen():
        s = s + a
        t = t * b
    return s, t


def e_break(x, n):
    def gen():
        i = 0
        while True:
            yield i
            i += 1

    t = 0
    for i in gen():
        if i > 4:
            break
        t = t + i * n
    return t, x


class Loader:
    def __init__(self, data):
        self.data = data

    def __iter__(self):
        for row in self.data:
            if row.sum() > 0:
                yield row


def e_loader(x, n):
    s = x.sum() * 0.0
    for row in Loader(x.reshape(3, 1)):
        s = s + row.sum() * n
    return s


def e_return_value(x, n):
    def gen():
        if n > 2:
            yield x
            return
        yield x * 2.0
        yield x * 3.0

    s = x * 0.0
    for v in gen():
        s = s + v
    return s


def _multiples(x, n):
    for i in range(n):
        yield x * i


def assigned_in_a_loop_within(x, n):
    s = x
    for a in _multiples(x, n):
        for b in _multiples(x, n + 1):
            if b.sum() > 2.0:
                a = a + b
            s = s + a * 0.1
    return s


def nonlocal_in_loops(x, n):
    c = x * 0.0

    def add():
        nonlocal c
        for a in _multiples(x, n):
            c = c + a
            for b in _multiples(a, n):
                c = c + b * 0.5

    add()
    return c
