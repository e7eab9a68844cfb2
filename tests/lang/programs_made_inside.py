"""Objects and functions that data choose, of which one was made under conditions of its own: what it
holds is what it held at the end of its path.
"""

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


OUT = Box(Tensor([1.0, 2.0, -0.5]), 2)


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
    return boxes[0].v * boxes[0].n + boxes[1].v


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
