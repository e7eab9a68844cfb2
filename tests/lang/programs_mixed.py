"""Constructs together, as programs have them: functions of a tensor ``x`` and an int ``n``."""

import contextlib
import dataclasses
import enum
import functools
import heapq
import itertools
import typing
from collections import Counter, OrderedDict, defaultdict, deque

import minds as ms
from minds import Tensor, nn, ops


# ---- variations: nonlocal with loops, recursion, generators, closures in data
def w_gen_runtime_loop(x, n):
    def gen():
        v = x
        while v.sum() > 0.3:
            yield v
            v = v * 0.5

    s = x * 0.0
    for v in gen():
        s = s + v
    return s


def w_deque_runtime(x, n):
    d = deque()
    for i in range(n):
        d.append(x * i)
    return len(d)


def w_nl_while_runtime(x, n):
    def make():
        state = {"v": x, "k": 0}

        def step():
            state["v"] = state["v"] * 0.5
            state["k"] += 1
            return state["v"].sum() > 0.2

        return step, state

    step, state = make()
    while step():
        pass
    return state["v"], state["k"]


def w_nl_in_gen(x, n):
    total = 0

    def gen():
        nonlocal total
        for i in range(4):
            total += i * n
            yield total

    a, b, *c = gen()
    return a, b, c, total, x


def w_counter_obj(x, n):
    class Counter_:
        def __init__(self):
            self.n = 0

        def __call__(self):
            self.n += 1
            return self.n

    c = Counter_()
    return [c() for _ in range(3)], c.n * n, x


def w_nl_cell_after(x, n):
    fs = []
    for i in range(3):

        def f():
            nonlocal_sum = i * n
            return nonlocal_sum

        fs.append(f)
    return [f() for f in fs], x


def w_nl_many(x, n):
    a, b = 1, x

    def f():
        nonlocal a, b
        a, b = a + n, b * 2.0

        def g():
            nonlocal a
            a *= 2

        g()

    f()
    f()
    return a, b


def w_nl_del_readd(x, n):
    v = [x]

    def f():
        nonlocal v
        v = v + [n]

    f()
    f()
    return v, len(v)


def w_nl_grad_closure(x, n):
    w = x * 2.0

    def upd(g):
        nonlocal w
        w = w - g

    for _ in range(2):
        upd(ms.grad(lambda v: (v * v).sum())(w))
    return w


def w_gen_pipeline(x, n):
    def nums():
        i = 0
        while True:
            yield i
            i += 1

    def sq(it):
        for v in it:
            yield v * v

    def even(it):
        return (v for v in it if v % 2 == 0)

    return list(itertools.islice(even(sq(nums())), 3)), x * n


def w_gen_class_state(x, n):
    class G:
        def __init__(self):
            self.calls = 0

        def items(self):
            for i in range(3):
                self.calls += 1
                yield i

    g = G()
    for v in g.items():
        if v == 1:
            break
    return g.calls, list(g.items()), g.calls, x


def w_batches(x, n):
    def batches(data, size):
        for i in range(0, len(data), size):
            yield data[i : i + size]

    s = 0.0
    for b in batches(ops.concat([x, x, x]), 2):
        s = s + b.sum() * n
    return s


def w_dfs(x, n):
    graph = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}

    def dfs(node, seen=None):
        seen = seen if seen is not None else set()
        if node in seen:
            return
        seen.add(node)
        yield node
        for k in graph[node]:
            yield from dfs(k, seen)

    return list(dfs("a")), x * n


def w_perm(x, n):
    def perms(xs):
        if not xs:
            yield []
        for i in range(len(xs)):
            for p in perms(xs[:i] + xs[i + 1 :]):
                yield [xs[i]] + p

    return list(perms([1, 2, n])), x


def w_ema(x, n):
    class EMA:
        def __init__(self, d):
            self.d, self.v = d, None

        def update(self, v):
            self.v = v if self.v is None else self.d * self.v + (1 - self.d) * v
            return self.v

    e = EMA(0.9)
    for i in range(3):
        e.update(x * (i + n))
    return e.v


def w_dispatch(x, n):
    ops_table = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b}
    out = x
    for name in ("add", "mul"):
        out = ops_table[name](out, n)
    return out


def w_config(x, n):
    @dataclasses.dataclass
    class Config:
        lr: float = 0.1
        layers: typing.List[int] = dataclasses.field(default_factory=lambda: [1, 2])

        def replace(self, **kw):
            return dataclasses.replace(self, **kw)

    c = Config()
    d = c.replace(lr=0.5)
    return x * d.lr, sum(c.layers) * n, c.lr


def w_match_enum(x, n):
    class Op(enum.Enum):
        ADD = "+"
        MUL = "*"

    def apply(op, a, b):
        match op:
            case Op.ADD:
                return a + b
            case Op.MUL:
                return a * b

    return apply(Op.ADD, x, n), apply(Op.MUL, x, n)


def w_memo_fib(x, n):
    memo = {}

    def fib(k):
        if k in memo:
            return memo[k]
        memo[k] = k if k < 2 else fib(k - 1) + fib(k - 2)
        return memo[k]

    return fib(10) * n, len(memo), x


def w_timer(x, n):
    class Timer:
        def __enter__(self):
            self.t = 0
            return self

        def __exit__(self, *exc):
            self.t = 5

    with Timer() as t:
        x = x * n
    return x, t.t


def w_topk(x, n):
    pairs = sorted(enumerate(x), key=lambda p: p[1], reverse=True)[:2]
    return [i for i, _ in pairs], [v for _, v in pairs], n


def w_group(x, n):
    data = [("a", x), ("b", x * 2.0), ("a", x * n)]
    out = {}
    for k, v in data:
        out.setdefault(k, []).append(v)
    return {k: sum(v) for k, v in out.items()}


def w_zip_dict(x, n):
    return {k: v * n for k, v in zip("abc", x)}, dict(enumerate("ab")), x


def w_sorted_objs(x, n):
    class P:
        def __init__(self, k, v):
            self.k, self.v = k, v

        def __repr__(self):
            return f"P({self.k})"

    ps = sorted([P(3, x), P(1, x * n)], key=lambda p: p.k)
    return [p.v for p in ps], repr(ps[0]), max(ps, key=lambda p: p.k).k


def w_property_chain(x, n):
    class M:
        def __init__(self, v):
            self._v = v

        @property
        def T(self):
            return M(self._v * 2.0)

        @property
        def v(self):
            return self._v

    return M(x).T.T.v * n


def w_kwonly(x, n):
    def f(a, /, b, *, c=2, **kw):
        return a * b + c + sum(kw.values())

    return f(x, 2.0), f(x, b=n, c=1, d=3), f(x, **{"b": 1})


def w_default_mut(x, n):
    def f(v, acc=[]):
        acc.append(v)
        return acc

    a = f(1)
    b = f(n)
    return a, b, a is b, x


def w_late(x, n):
    def f():
        return g() * 2.0

    def g():
        return x + n

    return f()


def w_is_even(x, n):
    def even(k):
        return True if k == 0 else odd(k - 1)

    def odd(k):
        return False if k == 0 else even(k - 1)

    return even(4), odd(3), x * n


def w_try_nl(x, n):
    log = []

    def f(k):
        try:
            if k == 1:
                raise ValueError("one")
            log.append(k)
        except ValueError as e:
            log.append(str(e))
        finally:
            log.append("f")

    for k in range(3):
        f(k)
    return log, x * n
