"""`collections`: functions of a tensor ``x`` and an int ``n``."""

import bisect
import collections
import functools
import heapq
import itertools
import operator
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple

import minds as ms
from minds import Tensor, ops


def d_basic(x, n):
    d = deque([1, x, n])
    d.append(x * 2.0)
    d.appendleft(n + 1)
    a = d.popleft()
    b = d.pop()
    return a, b, d, len(d), d[0], d[-1]


def d_maxlen(x, n):
    d = deque(maxlen=2)
    for i in range(4):
        d.append(x * i + n)
    return sum(d), list(d), d.maxlen, d


def d_maxlen_roll(x, n):
    d = deque([x, x, x], maxlen=3)
    for i in range(n):
        d.append(d[0] * 0.5 + d[2])
    return d[0] + d[1] * 2.0 + d[2] * 3.0


def d_ops(x, n):
    d = deque(range(5))
    d.rotate(2)
    e = list(d)
    d.rotate(-1)
    d.extend([n, 7])
    d.extendleft([8, 9])
    d.remove(8)
    d.insert(1, 42)
    d.reverse()
    return (
        e,
        list(d),
        d.count(7),
        d.index(42),
        42 in d,
        bool(d),
        deque() == deque(),
        deque([1]) == [1],
        x,
    )


def d_bfs(x, n):
    graph = {0: [1, 2], 1: [3], 2: [3], 3: []}
    q = deque([0])
    seen = {0}
    order = []
    while q:
        u = q.popleft()
        order.append(u)
        for v in graph[u]:
            if v not in seen:
                seen.add(v)
                q.append(v)
    return order, x * n


def d_copy(x, n):
    d = deque([x], maxlen=3)
    e = d.copy()
    e.append(n)
    f = d + deque([1])
    d += [1, 2, 3]
    return d, e, f, type(d) is deque, isinstance(d, list), d.maxlen, f.maxlen


def d_branch(x, n):
    d = deque([x, x * 2.0])
    if n > 2:
        d.append(x * 3.0)
        d.popleft()
    else:
        d.appendleft(x)
        d.pop()
    return d, d[0] + d[1]


def d_iter(x, n):
    d = deque([x, x * n])
    return (
        [v for v in d],
        list(reversed(d)),
        [*d],
        {**{"a": 1}},
        max(deque([n, 2])),
        sorted(deque([3, 1])),
        str(deque([1, 2], 5)),
        f"{deque([1])}",
    )


def dd_basic(x, n):
    d = defaultdict(list)
    d["a"].append(x)
    d["a"].append(n)
    d["b"].append(1)
    e = defaultdict(int)
    for k in "hello":
        e[k] += 1
    f = defaultdict(lambda: x)
    y = f["z"] * 2.0
    return dict(d), e, y, len(d), "c" in d, d.get("c"), e["q"], len(e)


def dd_group(x, n):
    groups = defaultdict(list)
    for i in range(5):
        groups[i % 2].append(x * i)
    return {k: sum(v) for k, v in groups.items()}, n


def dd_nested(x, n):
    d = defaultdict(lambda: defaultdict(float))
    d["a"]["b"] += n
    d["a"]["b"] += 1.5
    d["c"]["d"] = 2.0
    return d["a"]["b"], sorted(d), d["c"]["d"], x


def dd_branch(x, n):
    d = defaultdict(lambda: 0.0)
    d["s"] = x
    if n > 2:
        d["s"] = d["s"] * 2.0
    return d["s"]


def dd_type(x, n):
    d = defaultdict(int, a=1)
    return (
        isinstance(d, dict),
        isinstance(d, defaultdict),
        type(d) is defaultdict,
        d,
        d.default_factory is int,
        x,
    )


def od(x, n):
    d = OrderedDict()
    d["b"] = n
    d["a"] = x
    d.move_to_end("b")
    e = OrderedDict([("x", 1), ("y", 2)])
    f = OrderedDict([("y", 2), ("x", 1)])
    k, v = e.popitem(last=False)
    return (
        d,
        list(d),
        k,
        v,
        e == f,
        OrderedDict(a=1, b=2) == OrderedDict(b=2, a=1),
        OrderedDict(a=1, b=2) == {"b": 2, "a": 1},
    )


def od_lru(x, n):
    cache = OrderedDict()

    def get(k):
        if k in cache:
            cache.move_to_end(k)
            return cache[k]
        if len(cache) >= 2:
            cache.popitem(last=False)
        cache[k] = x * k
        return cache[k]

    return get(1) + get(2) + get(1) + get(3), list(cache), n


def ct(x, n):
    c = Counter("abracadabra")
    c["z"] += n
    d = Counter(a=1, q=2)
    return (
        c.most_common(2) if False else sorted(c)[:3],
        c["a"],
        c["nope"],
        (Counter("aab") - Counter("ab")),
        Counter("aab") + d,
        Counter("aab") & d,
        Counter("aab") | d,
        c,
        x,
    )


def ct2(x, n):
    c = Counter([1, 2, 2, 3, 3, 3])
    c.update([1, 1])
    c.subtract({3: 1})
    return (
        c.most_common(),
        c.most_common(1),
        list(c.elements()),
        c.total() if hasattr(c, "total") else 6,
        sum(c.values()),
        dict(c),
        x * n,
    )


def ct_words(x, n):
    words = "the cat the dog the end".split()
    counts = Counter(words)
    top, k = counts.most_common(1)[0]
    return top, k * n, {w: counts[w] for w in sorted(set(words))}, x


P = namedtuple("P", ["a", "b"], defaults=[5])


def nt(x, n):
    p = P(x)
    q = p._replace(b=n)
    a, b = q
    return q, a * b, p.b, q._asdict(), P._fields, P._make([x, 1]), q[0], len(q), q == P(x, n)


STATE = deque([1, 2], maxlen=2)
TABLE = defaultdict(list)


def outside_read(x, n):
    return list(STATE), x * STATE[0], STATE.maxlen, len(TABLE)


def dd_kwargs(x, n):
    d = OrderedDict(a=n, b=2)

    def f(a, b):
        return a * b

    return f(**d), {**d, "c": 3}, [(k, v) for k, v in d.items()], x


def d_args_fn(x, n):
    def push(q, v):
        q.append(v)
        return q

    q = deque()
    push(push(q, x), n)
    return q, len(q)
