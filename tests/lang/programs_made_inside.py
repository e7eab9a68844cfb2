"""Objects and functions that data choose, of which one was made under conditions of its own: what it
holds is what it held at the end of its path.
"""

import math

import minds as ms
from minds import Tensor


class Box:
    def __init__(self, v, n):
        if n > 4:
            raise ValueError("n")
        self.v, self.n = v, n


class Other:
    def __init__(self, v, n):
        self.v = v * 3.0
        if n > 1:
            self.v = v - n
        self.n = n


OUT, OTHER = Box(Tensor([1.0, 2.0, -0.5]), 2), Other(Tensor([1.0, 0.5, 2.0]), 3)


def replaced_then_made_of(x, n):
    out = OUT
    if x[0] < n:
        out = Box(x, 1)
    out = Box(out.v + out.v, out.n)
    return out.v * out.n


def replaced_and_passed(x, n):
    def again(b):
        return Box(b.v * x, b.n)

    out = OUT
    if x[0] < n:
        out = Box(x, n % 3)
    return again(out).v


def replaced_in_while(x, n):
    out, y = OUT, x
    while y[0] < n:
        out = Box(y, out.n)
        y = y + 1.0
    return out.v * out.n


def replaced_in_for(x, n):
    out = OUT
    for i in range(n + 9):
        if x[i % 3] > 0.25:
            out = Box(out.v + x, i % 3)
    return out.v * out.n


def replaced_in_try(x, n):
    out = OUT
    for i in range(n):
        try:
            out = Box(x * out.n, i + 2)
        except ValueError:
            out = Box(x + out.v, 1)
    return out.v * out.n


def in_a_tuple(x, n):
    pair = (OUT, x)
    if x[0] < n:
        pair = (Box(x, n % 3), x * 2.0)
    return pair[0].v * pair[0].n + pair[1]


def in_a_list(x, n):
    boxes = [OUT, OUT]
    if x[0] < n:
        boxes[n % 2] = Box(x, n % 3)
    return boxes[0].v.sum() * boxes[0].n + boxes[1].v.sum()


def returned_on_one_way(x, n):
    def made():
        if x[0] < n:
            return Box(x, n % 3)
        return OUT

    out = made()
    return out.v * out.n


def of_two_classes(x, n):
    def made(k):
        if x[0] < k:
            return Box(x, k % 3)
        return Other(x, k)

    out = made(n)
    return out.v * out.n


def of_two_classes_in_a_loop(x, n):
    out = Box(x, 1)
    for i in range(n):
        out = Other(out.v, out.n) if x[i % 3] > 0.25 else Box(out.v * 0.5, i % 3)
    return out.v * out.n


def functions_that_see_lists(x, n):
    def one():
        held = [x]
        if n > 2:
            held[0] = x * 2.0
        return lambda v: v * held[0]

    def two():
        held = [x]
        if n > 1:
            held[0] = x - 1.0
        return lambda v: v + held[0]

    f = one() if x[0] < n - 1 else two()
    return f(x)


def functions_in_a_loop(x, n):
    def one(k):
        held = [x]
        if k > 2:
            held[0] = x * 2.0
        return lambda v: v * held[0]

    f = lambda v: v + 1.0
    for i in range(n):
        if x[i % 3] > 0.25:
            f = one(i)
    return f(x)


def methods_of_two(x, n):
    class Twice:
        def __init__(self, k):
            self.k = x
            if k > 2:
                self.k = x * k

        def low(self, v):
            return v - self.k

        def high(self, v):
            return v * self.k

    f = Twice(n).low if x[0] < n - 1 else Twice(n + 1).high
    return f(x)


class Asked:
    def __init__(self, v, k):
        self.v, self.k = v, k

    def __bool__(self):
        return bool(self.v.sum() > self.k)

    def __int__(self):
        return self.k + 1

    def __float__(self):
        return self.k * 0.5

    def __round__(self, digits=0):
        return self.v * digits

    def __reversed__(self):
        return iter([self.v, self.v * 2.0])

    def __divmod__(self, other):
        return self.v, other

    def __floor__(self):
        return self.k - 1

    def __iter__(self):
        return iter([self.v * 3.0, self.v])

    def __enter__(self):
        return self.v * 2.0

    def __exit__(self, kind, value, trace):
        return self.k > 2


class Another(Asked):
    def __bool__(self):
        return self.k > 2

    def __enter__(self):
        return self.v - 1.0

    def __exit__(self, kind, value, trace):
        return kind is ValueError


def builtins_ask_a_chosen_object(x, n):
    o = Asked(x, n) if x[0] < n else Another(x * 0.5, n + 1)
    y, k = divmod(o, 3)
    y = y * k + round(o, 2) + sum(reversed(o)) + sum([v * 0.5 for v in o])
    if bool(o):
        y = y * 2.0
    return y * (int(o) + float(o)) + math.floor(o)


def with_a_chosen_object(x, n):
    o = Asked(x, n) if x[0] < n - 1 else Another(x * 0.5, n + 1)
    y = x
    with o as v:
        y = y * v
        if n > 2:
            raise ValueError("n")
        y = y + 1.0
    return y


def item_and_attribute_of_a_chosen_object_of_outside(x, n):
    o = OUT if x[0] < n else OTHER
    before = o.n
    o.n = 5
    y = x * (OUT.n * 2 + OTHER.n)
    o.n = before
    return y


class Scaled:
    def __init__(self, v):
        self.v = v

    def __call__(self, v):
        return self.v * v

    def __len__(self):
        return 3


class Moved(Scaled):
    def __call__(self, v):
        return self.v + v * v


def a_chosen_object_is_called_and_more(x, n):
    o = Scaled(x) if x[0] < n else Moved(x * 2.0)
    y = ms.grad(o)(x) + o(x) + ms.vmap(o)(x)
    return y * len(o) + type(o)(x * 0.5)(x) * isinstance(o, Moved)
