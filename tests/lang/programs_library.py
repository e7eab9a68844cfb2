"""`heapq`, `bisect`, `functools`: functions of a tensor ``x`` and an int ``n``."""

import bisect
import collections
import collections.abc
import functools
import heapq
import itertools
import numbers
import operator
import types

import minds as ms
from minds import Tensor, ops


def h_static(x, n):
    h = []
    for v in (5, 1, 4, 1, 3, 9, 2):
        heapq.heappush(h, v)
    a = list(h)
    out = [heapq.heappop(h) for _ in range(4)]
    g = [3, 1, 2, 7, 0]
    heapq.heapify(g)
    b = heapq.heapreplace(g, 5)
    c = heapq.heappushpop(g, 0)
    return a, out, h, g, b, c, x


def h_payload(x, n):
    h = []
    heapq.heappush(h, (2, x))
    heapq.heappush(h, (1, x * n))
    heapq.heappush(h, (3, x * 2.0))
    k, v = heapq.heappop(h)
    return k, v, h[0][0]


def h_run(x, n):
    h = [3, n, 2]
    heapq.heapify(h)
    heapq.heappush(h, 4 - n)
    return [heapq.heappop(h) for _ in range(4)], x


def h_run_tensor(x, n):
    h = []
    for v in x:
        heapq.heappush(h, v * n)
    a = heapq.heappop(h)
    b = heapq.heappop(h)
    return a, b, h[0]


def h_run_pairs(x, n):
    h = []
    for i in range(3):
        heapq.heappush(h, (x[i], i))
    a, i = heapq.heappop(h)
    b, j = heapq.heappop(h)
    return a, i, b, j, n


def h_n(x, n):
    return (
        heapq.nsmallest(2, [3, n, 1]),
        heapq.nlargest(2, x),
        heapq.nlargest(2, [(1, "a"), (3, "b"), (2, "c")], key=lambda p: p[0]),
        list(heapq.merge([1, 4], [2, 3])),
        x,
    )


def h_dijkstra(x, n):
    graph = {0: {1: 4, 2: 1}, 2: {1: 2, 3: 7}, 1: {3: 1}, 3: {}}
    dist = {0: 0}
    h = [(0, 0)]
    for _ in range(8):
        if not h:
            break
        d, u = heapq.heappop(h)
        if d > dist.get(u, 99):
            continue
        for v, w in graph[u].items():
            if d + w < dist.get(v, 99):
                dist[v] = d + w
                heapq.heappush(h, (d + w, v))
    return dist, x * dist[3], n


def b_static(x, n):
    a = [1, 3, 3, 5]
    bisect.insort(a, 4)
    bisect.insort_left(a, 3)
    return (
        bisect.bisect(a, 3),
        bisect.bisect_left(a, 3),
        bisect.bisect_right([1, 2, 3], 2, 0, 2),
        a,
        x,
    )


def b_run(x, n):
    a = [0.5, 1.5, 3.0]
    i = bisect.bisect(a, n)
    j = bisect.bisect_left([1, 2, 3], n)
    return i, j, x


def b_insort(x, n):
    a = [1, 2, 4]
    bisect.insort(a, n)
    return a, x


def b_key(x, n):
    ps = [("a", 1), ("b", 3)]
    return bisect.bisect_left(ps, 2, key=lambda p: p[1]), x


def f_cmp(x, n):
    return (
        sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a)),
        sorted([(1, x), (0, x * 2.0)], key=functools.cmp_to_key(lambda a, b: a[0] - b[0])),
        n,
    )


@functools.singledispatch
def show(v):
    return "other"


@show.register(int)
def _(v):
    return v * 2


@show.register
def _(v: list):
    return [show(e) for e in v]


@show.register(Tensor)
def _(v):
    return v * 3.0


@show.register(float)
@show.register(str)
def _(v):
    return v * 1 if isinstance(v, str) else v + 0.5


def f_single(x, n):
    return show(x), show(n), show([1, x, "s"]), show("t"), show(None), show(1.5)


@functools.lru_cache(maxsize=None)
def cached(k):
    return k * 2


def f_cache(x, n):
    @functools.lru_cache
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    @functools.cache
    def sq(k):
        return k * k

    return cached(3), fib(8), sq(n), sq(2), x


def f_partial(x, n):
    f = functools.partial(lambda a, b, c=1: a * b + c, x, c=n)
    g = functools.partial(f, 2.0)
    return (
        f(2.0),
        g(),
        functools.reduce(lambda a, b: a * b, [x, x, n]),
        functools.reduce(operator.add, [1, 2], 10),
    )


def f_wraps(x, n):
    def deco(k):
        def inner(fn):
            @functools.wraps(fn)
            def wrapped(*a, **kw):
                return fn(*a, **kw) * k

            return wrapped

        return inner

    @deco(2.0)
    @deco(3.0)
    def f(v, w=1):
        return v * w

    return f(x), f(x, w=n), f.__name__


def m_of_tensors(x, n):
    y = x.__add__(1.0)
    y.__setitem__(0, 5.0)
    signs = x.__neg__(), x.__abs__(), x.__gt__(0.0), x.__eq__(x)
    both = x.__mul__(y), x.__truediv__(2.0), x.__pow__(2), x.__matmul__(y), Tensor.__sub__(x, y)
    turned = x.__rsub__(1.0), x.__rtruediv__(2.0), x.__radd__(n)
    return y, signs, both, turned, x.__getitem__(1), x.__len__(), [v * n for v in x.__iter__()]


def m_of_containers(x, n):
    xs, d = [x, n], {"a": x}
    xs.__setitem__(0, x * 2.0)
    d.__setitem__("b", n)
    d.__delitem__("a")
    xs.__iadd__([3])
    return xs, d, xs.__len__(), d.__contains__("b"), (n, 2).__getitem__(1), xs.__add__([x])


def m_of_numbers(x, n):
    return (
        n.__add__(2),
        n.__rsub__(2),
        n.__floordiv__(2),
        n.__lt__(3),
        n.__neg__(),
        x * n.__mul__(2),
    )


def singledispatch_made_inside(x, n):
    @functools.singledispatch
    def scaled(v):
        return x

    @scaled.register(int)
    @scaled.register(Tensor)
    def by_number(v):
        return x * v

    @scaled.register
    def _(v: str):
        return x * len(v)

    @scaled.register(numbers.Number)
    def _(v):
        return x * 100.0

    return scaled(n), scaled("abc"), scaled(2.0), scaled([]), scaled(x), by_number(2)


def simple_namespace(x, n):
    t = types.SimpleNamespace(a=x, b=n)
    t.c = t.a * t.b
    if ops.sum(x) > 1.0:
        t.c = t.c + 1.0
    same = types.SimpleNamespace(b=n) == types.SimpleNamespace(b=n)
    text = repr(types.SimpleNamespace(k=3, v="w"))
    return t.c, same, text, isinstance(t, types.SimpleNamespace), hasattr(t, "q"), sorted(vars(t))


class Table(collections.abc.Mapping):
    def __init__(self, held):
        self.held = held

    def __getitem__(self, key):
        return self.held[key]

    def __iter__(self):
        return iter(self.held)

    def __len__(self):
        return len(self.held)


class Doubled(collections.UserDict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


class Row(collections.abc.Sequence):
    def __init__(self, *held):
        self.held = held

    def __getitem__(self, at):
        return self.held[at]

    def __len__(self):
        return len(self.held)


def _named(**given):
    return sorted(given.items())


def u_mappings(x, n):
    t = Table({"a": x, "b": n})
    own = t.get("z", 7), "a" in t, len(t), list(t.keys()), t["a"] * n
    return own, dict(t), {**t, "c": 1}, _named(**Table({"k": n}))


def u_user_dict(x, n):
    d = Doubled(a=x)
    d["b"] = n
    d.update(c=1)
    return dict(d), d.pop("a"), d.setdefault("b", 5), len(d), list(d)


def u_chain_and_lists(x, n):
    c = collections.ChainMap({"a": n}, {"a": 2, "b": x})
    u = collections.UserList([1, n])
    u.append(3)
    r = Row(1, n, x)
    return c["a"], c["b"], len(c), list(u), u.index(3), list(reversed(r))[0], r[1:], list(r)[1]
