"""Differentiated functions that change what is outside of them: of a tensor ``x`` and an int ``n``."""

import minds as ms
from minds import Tensor, nn, ops


def g_count(x, n):
    c = 0

    def loss(v):
        nonlocal c
        c += 1
        return (v * v).sum() * n

    a = ms.grad(loss)(x)
    v, b = ms.value_and_grad(loss)(x)
    return a, b, c, v


def g_log(x, n):
    log = []

    def loss(v):
        y = (v * v * n).sum()
        log.append(y)
        log.append((n, 1))
        return y

    g = ms.grad(loss)(x)
    return g, log


def g_dict(x, n):
    stats = {"k": 0}

    def loss(v):
        y = (v * 3.0).sum()
        stats["y"] = y
        stats["k"] += n
        return y * y

    g = ms.grad(loss)(x)
    return g, stats


class Obj:
    def __init__(self):
        self.calls = 0
        self.last = None
        self.hist = []

    def loss(self, v):
        self.calls += 1
        self.last = v * 2.0
        self.hist.append(v.sum())
        return (v * v).sum()


def g_obj(x, n):
    o = Obj()
    g = ms.grad(o.loss)(x)
    h = ms.grad(o.loss)(g)
    return g, h, o.calls, o.last, o.hist


def g_second(x, n):
    c = 0

    def f(v):
        nonlocal c
        c += 1
        return (v * v * v).sum()

    def g(v):
        return (ms.grad(f)(v) * n).sum()

    return ms.grad(g)(x), c


def g_loop(x, n):
    c = 0

    def loss(v):
        nonlocal c
        c = c + 1
        return (v * v).sum()

    for i in range(n):
        x = x - 0.1 * ms.grad(loss)(x)
    return x, c


def g_branch(x, n):
    hit = 0

    def loss(v):
        nonlocal hit
        if n > 2:
            hit = hit + 10
            return (v * 2.0).sum()
        hit = hit + 1
        return (v * v).sum()

    return ms.grad(loss)(x), hit


def g_state_grad(x, n):
    acc = [x * 0.0]

    def loss(v):
        acc[0] = acc[0] + v * v
        return (v * n).sum()

    g = ms.grad(loss)(x)
    return acc[0] + g


def g_nested_list(x, n):
    log = {"a": [], "b": []}

    def loss(v):
        log["a"].append(v.sum())
        log["b"].append([n, v])
        return v.sum() * n

    g = ms.grad(loss)(x)
    return g, log


def _set_first(v, z):
    z[0] = v[0] * 2
    return (z * z * v).sum()


def g_tensor(x, n):
    z = x * n
    g = ms.grad(_set_first, 0)(x, z)
    return g * z.sum(), z


def g_tensor_around(x, n):
    return ms.grad(lambda v: g_tensor(v, n)[0].sum())(x)


def g_tensor_by_name(x, n):
    z = x * 2.0

    def loss(v):
        for i in range(len(z)):
            z[i] = z[i] * v[0] + n
        return (z * v).sum()

    return ms.grad(loss)(x), z


def g_tensor_in_part(x, n):
    z = x * 1.0
    part, other = z[1:], z
    g = ms.grad(_set_first, 0)(x[1:], part)
    return g, z, part, other * n


def g_tensor_sometimes(x, n):
    z = x * 1.0

    def loss(v):
        if v[0] > n:
            z[0] = v[1]
        else:
            z[1] = v[0] * v[0]
        return (z * z * v).sum()

    return ms.grad(loss)(x), z


def g_tensor_in_loop(x, n):
    z, total = x * 1.0, x * 0.0
    for _ in range(12):
        total = total + ms.grad(_set_first, 0)(x * n, z)
        z = z * 0.9
    return total, z
