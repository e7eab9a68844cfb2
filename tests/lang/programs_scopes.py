"""`nonlocal`, and `import` inside of a function: functions of a tensor ``x`` and an int ``n``."""

import minds as ms
from minds import Tensor, ops


def nl_counter(x, n):
    c = 0

    def inc():
        nonlocal c
        c += 1
        return c

    inc()
    inc()
    return c, x * c


def nl_factory(x, n):
    def make(start):
        c = start

        def inc(by=1):
            nonlocal c
            c = c + by
            return c

        def get():
            return c

        return inc, get

    i1, g1 = make(0)
    i2, g2 = make(n)
    i1()
    i1(n)
    i2()
    return g1(), g2(), x


def nl_if(x, n):
    t = x

    def f():
        nonlocal t
        if n > 2:
            t = t * 2.0
        else:
            t = t + 1.0

    f()
    f()
    return t


def nl_loop(x, n):
    total = x * 0.0

    def add(v):
        nonlocal total
        total = total + v

    for i in range(n):
        add(x * i)
    return total


def nl_loop_int(x, n):
    total = 0

    def add(v):
        nonlocal total
        total += v

    for i in range(n):
        add(i)
    return total, x


def nl_while(x, n):
    k = n

    def dec():
        nonlocal k, x
        k -= 1
        x = x * 0.5

    while k > 0:
        dec()
    return x, k


def nl_param(x, n):
    def f():
        nonlocal x, n
        x = x * n
        n = n + 1

    f()
    f()
    return x, n


def nl_deep(x, n):
    a = 1

    def f():
        def g():
            nonlocal a
            a = a + n

        g()
        g()

    f()
    return a, x * a


def nl_rec(x, n):
    count = 0

    def fact(k):
        nonlocal count
        count += 1
        return 1 if k <= 1 else k * fact(k - 1)

    r = fact(4)
    return r, count, x


def nl_rec_run(x, n):
    count = 0

    def go(k, v):
        nonlocal count
        count = count + 1
        if k <= 0:
            return v
        return go(k - 1, v * 0.5)

    r = go(n, x)
    return r, count


def nl_return_in_branch(x, n):
    t = x

    def f():
        nonlocal t
        if n > 2:
            t = t * 3.0
            return 1
        t = t - 1.0
        return 0

    a = f()
    return t, a


def nl_read_before(x, n):
    v = 1

    def show():
        return v

    def setv(k):
        nonlocal v
        v = k

    a = show()
    setv(n)
    b = show()
    v = 7
    return a, b, show(), x


def nl_unset(x, n):
    def setv():
        nonlocal v
        v = x * n

    setv()
    return v
    v = 1


def nl_first_in_branch(x, n):
    def setv():
        nonlocal v
        v = x * n

    if n > 2:
        setv()
    else:
        v = x
    return v


def nl_list(x, n):
    xs = []

    def reset():
        nonlocal xs
        xs = [x]

    xs.append(1)
    reset()
    xs.append(n)
    return xs


def nl_lambda(x, n):
    k = n
    f = lambda: k * 2

    def g():
        nonlocal k
        k = k + 1

    g()
    return f(), x


def nl_for_target(x, n):
    i = 0

    def get():
        return i

    def up():
        nonlocal i
        i = i + 100

    out = []
    for i in range(3):
        out.append(get())
        up()
        out.append(i)
    return out, x


def nl_walrus(x, n):
    w = 0

    def f():
        nonlocal w
        return (w := w + n)

    f()
    f()
    return w, x


def nl_aug_tensor(x, n):
    y = x

    def f():
        nonlocal y
        y = y * y

    for _ in range(2):
        f()
    return y


def nl_comp(x, n):
    c = 0

    def nxt():
        nonlocal c
        c += 1
        return c * n

    return [nxt() for _ in range(3)], c, x


def nl_del(x, n):
    a = 1

    def f():
        nonlocal a
        a = 2

    f()
    del a
    a = x
    f()
    return a


def nl_memo(x, n):
    calls = 0

    def memo(fn):
        cache = {}

        def wrapped(k):
            nonlocal calls
            if k not in cache:
                calls += 1
                cache[k] = fn(k)
            return cache[k]

        return wrapped

    @memo
    def f(k):
        return x * k

    return f(1) + f(2) + f(1), calls


def nl_grad(x, n):
    c = 0

    def loss(v):
        return (v * v).sum() * n

    def step(v):
        nonlocal c
        c += 1
        return v - 0.1 * ms.grad(loss)(v)

    x = step(step(x))
    return x, c


def nl_and(x, n):
    hits = 0

    def test(v):
        nonlocal hits
        hits = hits + 1
        return v

    r = test(n > 1) and test(n > 2) or test(n == 0)
    return hits, r, x


def nl_break(x, n):
    k = 0

    def step():
        nonlocal k
        k = k + 1
        return k > n

    while True:
        if step():
            break
    return k, x


def nl_match(x, n):
    a = 0

    def f():
        nonlocal a
        a = a + 1

    match (n, x):
        case (3, _):
            f()
        case (a, _):
            f()
    return a, x


def nl_two_levels_same_name(x, n):
    a = 1

    def f():
        a = 10

        def g():
            nonlocal a
            a = a + n

        g()
        return a

    return f(), a, x


def imp(x, n):
    import math
    import os.path as p
    import xml.dom
    from collections import namedtuple
    from math import pi
    from math import sqrt as root

    from minds import ops as o

    P = namedtuple("P", "a b")
    return o.sin(x) * pi + root(4.0), math.floor(2.5), p.sep, xml.dom.__name__, P(1, n).b
