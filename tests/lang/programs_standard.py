"""Python's library on what is known: functions of a tensor ``x`` and an int ``n``."""

import cmath
import collections
import copy
import datetime
import decimal
import fractions
import functools
import inspect
import itertools
import json
import logging
import math
import numbers
import operator
import os
import os.path
import pprint
import random
import re
import statistics
import string
import sys
import textwrap
import time
import types
import typing
import warnings
from typing import Any, Dict, List, Optional, Tuple, cast

import numpy as np

import minds as ms
from minds import Tensor, nn, ops


def v_str(x, n):
    s = "Hello, World"
    return (
        s.upper(),
        s.lower(),
        s.split(", "),
        s.replace("l", "L", 1),
        s.find("o"),
        s.rfind("o"),
        s.index("W"),
        s.startswith(("He", "x")),
        s.endswith("d"),
        s.center(20, "*"),
        s.ljust(14, "."),
        s.rjust(14),
        s.zfill(14),
        s.partition(","),
        s.rpartition("o"),
        s.title(),
        s.swapcase(),
        s.count("l"),
        s[::-1],
        s[1:-1:2],
        "a,b,,c".split(","),
        " a b ".strip(),
        "xxaxx".lstrip("x"),
        "-".join(["a", "b"]),
        "abc".isalpha(),
        "12".isdigit(),
        "a1".isalnum(),
        "A".isupper(),
        "a\nb".splitlines(),
        "%s-%d-%.2f" % ("q", 3, 1.5),
        "{0} {1!r} {k:>4}".format(1, "z", k=2),
        "abc".translate(str.maketrans("a", "b")),
        s.encode(),
        "ab" * 2,
        "b" in s,
        ord("a"),
        chr(98),
        "é".casefold(),
        "abc".removeprefix("a"),
        "tab\tx".expandtabs(4),
    ), x


def v_fmt(x, n):
    k, f, name = 7, 3.14159, "w"
    return (
        f"{k:03d} {f:.2f} {name!r:>5} {k!s} {f:e} {k:x} {k:b} {1234567:,} {0.25:%} {k=}",
        f"{'nested' if k else ''} {[1, 2]} {f:{8}.{3}}",
        format(k, "05"),
        "%5.1f|%-4s|%+d" % (f, "a", 3),
        x,
    )


def v_star(x, n):
    a, *b, c = (1, n, 3, 4)
    (d, e), *f = [(1, 2), 3, 4]
    first, *_ = "abc"

    def g(*args, k=1, **kw):
        return len(args), k, sorted(kw)

    return (
        a,
        b,
        c,
        d,
        e,
        f,
        first,
        g(*b, *[1, 2], **{"k": 5, "z": 1}),
        [*b, *range(2)],
        {**{"a": 1}, "b": 2},
        (*b,),
        {*[1, 2], 3} == {1, 2, 3},
        x,
    )


def v_walrus(x, n):
    total = 0
    xs = [1, 2, 3]
    ys = [y for v in xs if (y := v * 2) > 2]
    while (k := len(xs)) > 1:
        xs.pop()
        total += k
    if (m := n + 1) > 2:
        total += m
    return ys, total, y, k, m, x, [(w := v) for v in (1, 2)], w


def v_lambda(x, n):
    fs = [lambda v, i=i: v * i for i in range(3)]
    gs = [lambda v: v * i for i in range(3)]
    h = lambda *a, **k: (a, k)
    compose = lambda *f: functools.reduce(lambda a, b: lambda v: b(a(v)), f)
    return (
        [f(x) for f in fs],
        [g(2) for g in gs],
        h(1, n, z=2),
        compose(lambda v: v + 1.0, lambda v: v * n)(x),
    )


def v_math(x, n):
    return (
        math.sqrt(16),
        math.floor(-2.5),
        math.comb(5, 2),
        math.pi,
        math.log2(8),
        math.isclose(0.1 + 0.2, 0.3),
        math.gcd(12, 18),
        math.prod([1, 2, 3]),
        math.hypot(3, 4),
        math.inf,
        math.factorial(5),
        math.dist((0, 0), (3, 4)),
        math.fmod(7, 3),
        math.copysign(1, -2),
        math.trunc(2.7),
        x,
    )


def v_stat(x, n):
    return (
        statistics.mean([1, 2, 3, 4]),
        statistics.median([3, 1, 2]),
        statistics.stdev([1, 2, 3, 4]),
        statistics.mode("aab"),
        statistics.pvariance([1, 2]),
        x,
    )


def v_json(x, n):
    d = json.loads('{"a": [1, 2], "b": null}')
    return json.dumps({"k": [1, 2.5, "s"]}), d["a"], d["b"], x * d["a"][1]


def v_path(x, n):
    return os.path.join("a", "b"), os.path.splitext("f.txt"), os.path.basename("/a/b"), os.sep, x


def v_re(x, n):
    m = re.match(r"(\w+)-(\d+)", "layer-12")
    return (
        m.group(1),
        int(m.group(2)) * n,
        re.sub(r"\d", "#", "a1b2"),
        re.findall(r"[a-z]+", "ab1cd"),
        re.split(r",\s*", "a, b,c"),
        bool(re.search("z", "abc")),
        x,
    )


def v_text(x, n):
    return (
        textwrap.dedent("  a\n  b"),
        string.ascii_lowercase[:3],
        textwrap.shorten("hello world foo", 11),
        string.Template("$a b").substitute(a=1),
        x,
    )


def v_frac(x, n):
    f = fractions.Fraction(1, 3) + fractions.Fraction(1, 6)
    d = decimal.Decimal("1.10") + decimal.Decimal("2.2")
    return float(f), f.numerator, str(d), x * float(f)


def v_typing(x, n):
    y: Optional[Tensor] = x
    zs: List[int] = [1, 2]
    d: Dict[str, Tuple[int, ...]] = {}
    w = cast(Tensor, x)
    return y, zs, d, w * n


def v_copy(x, n):
    a = [[1, x], {"k": n}]
    b, c = copy.copy(a), copy.deepcopy(a)
    b[0].append(5)
    return a, b, c


def v_dict(x, n):
    d = {"a": 1, "b": n, **{"c": 3}}
    d |= {"d": 4}
    e = d | {"a": 10}
    d.setdefault("z", []).append(x)
    inv = {v: k for k, v in {"p": 1, "q": 2}.items()}
    pops = d.pop("b"), d.pop("nope", None)
    return (
        d,
        e,
        inv,
        pops,
        list(d),
        max({"a": 3, "b": 5}.items(), key=lambda kv: kv[1]),
        dict(zip("ab", (x, n))),
        dict(sorted({"b": 1, "a": 2}.items())),
        {k: v for k, v in d.items() if k != "a"},
        any(d),
        len(d),
        "z" in d,
        d.get("q", 9),
        next(iter(d)),
        [*d.values()][0],
        dict.fromkeys("ab", 0),
        d == d.copy(),
    )


def v_set(x, n):
    a, b = {1, 2, 3}, {2, 3, 4}
    return (
        sorted(a & b),
        sorted(a | b),
        sorted(a - b),
        sorted(a ^ b),
        a <= b,
        a.isdisjoint({9}),
        2 in a,
        len(a),
        frozenset(a) == a,
        sorted({v % 2 for v in range(5)}),
        x,
    )


def v_list(x, n):
    ls = [3, 1, 2]
    ls.sort(reverse=True)
    ls[1:2] = [9, 8]
    del ls[0]
    ls.insert(1, n)
    ls.extend((4, 5))
    m = ls[:]
    m.reverse()
    return (
        ls,
        m,
        ls.index(8),
        ls.count(4),
        ls[-2:],
        ls[::2],
        ls * 2,
        ls + [1],
        [[0] * 2 for _ in range(2)],
        sum(ls, 10),
        min(ls),
        sorted(ls[2:]),
        list(map(str, [1, 2])),
        list(filter(None, [0, 1, 2])),
        all(ls[2:]),
        list(reversed(ls)),
        ls == m,
        [1, 2] < [1, 3],
        x,
    )


def v_nested_fn(x, n):
    def outer(a):
        def mid(b):
            def inner(c):
                return a * b + c

            return inner

        return mid

    return outer(x)(2.0)(n), outer(1)(2)(3)


def v_deco(x, n):
    def twice(fn):
        def w(*a):
            return fn(fn(*a))

        return w

    def scale(k):
        def d(fn):
            return lambda *a, **kw: fn(*a, **kw) * k

        return d

    @twice
    @scale(2.0)
    def f(v):
        return v + 1.0

    return f(x), n


def v_rec(x, n):
    def depth(t):
        return 1 + max(map(depth, t), default=0) if isinstance(t, list) else 0

    def flat(t):
        return [y for e in t for y in (flat(e) if isinstance(e, list) else [e])]

    def ack(a, b):
        return b + 1 if a == 0 else ack(a - 1, 1) if b == 0 else ack(a - 1, ack(a, b - 1))

    return depth([1, [2, [3]]]), flat([x, [n, [x * 2.0]]]), ack(1, 2)


def v_numpy(x, n):
    a = np.arange(6).reshape(2, 3)
    m = np.eye(2)
    return (
        Tensor(a.sum(0)) * n,
        a.shape,
        float(m.trace()),
        int(np.prod(a.shape)),
        x + Tensor(np.ones(3, np.float32)),
        np.sqrt(4.0) * x,
    )


def v_isinst(x, n):
    return (
        isinstance(x, Tensor),
        isinstance(n, int),
        isinstance([], (list, tuple)),
        isinstance(3.0, numbers.Number),
        callable(len),
        issubclass(bool, int),
        type(n) is int,
        type(x).__name__,
        isinstance(None, type(None)),
        hasattr(x, "shape"),
        x,
    )


def v_iter(x, n):
    it = iter([1, 2, 3])
    a = next(it)
    z = list(zip(range(3), "abc", strict=True))
    e = [(i, v) for i, v in enumerate("ab", 1)]
    return (
        a,
        list(it),
        next(it, None),
        z,
        e,
        list(itertools.chain([1], (2, n))),
        list(itertools.accumulate([1, 2, 3])),
        list(itertools.product("ab", [1])),
        [list(g) for _, g in itertools.groupby([1, 1, 2])],
        list(itertools.zip_longest([1], [2, 3])),
        list(itertools.combinations([1, 2, 3], 2)),
        list(itertools.starmap(pow, [(2, 3)])),
        list(itertools.takewhile(lambda v: v < 3, range(9))),
        list(itertools.batched([1, 2, 3], 2)) if hasattr(itertools, "batched") else 0,
        math.sumprod([x, 2.0], [3.0, x]) if hasattr(math, "sumprod") else 0,
        x,
    )


def v_op(x, n):
    return (
        operator.add(x, n),
        operator.itemgetter(1)([1, n]),
        operator.attrgetter("shape")(x),
        operator.methodcaller("sum")(x),
        functools.reduce(operator.mul, [x, x]),
        operator.neg(x),
    )


def v_cond(x, n):
    a = 1 if n > 2 else 2 if n > 0 else 3
    b = n > 1 and n < 4 or n == 5
    c = not n
    d = 0 < n <= 3 != 7
    e = None or x
    return a, b, c, d, e, n or 9, n and 4


def v_global_const(x, n):
    return x * SCALE + TABLE["k"][1] * n, [w for w in WORDS if len(w) > 1], CFG.lr * x


SCALE = 2.5
TABLE = {"k": (1, 2)}
WORDS = ["a", "bc"]


class CFG:
    lr = 0.1
    betas = (0.9, 0.99)


def v_complexn(x, n):
    z = 3 + 4j
    return abs(z), z.real, z.conjugate(), cmath.sqrt(-1), (z * 2).imag, x


def v_bytes(x, n):
    b = b"abc"
    return (
        b[0],
        b.decode(),
        bytes([1, 2]),
        int.from_bytes(b"\x01\x02", "big"),
        (5).bit_length(),
        hex(255),
        bin(5),
        int("11", 2),
        round(2.567, 2),
        divmod(7, 3),
        abs(-3),
        pow(2, 5, 7),
        x,
    )


def v_while_else(x, n):
    k = 3
    while k:
        k -= 1
        if k == n:
            break
    else:
        x = x * 10.0
    for i in range(2):
        if i == n:
            break
    else:
        x = x + 100.0
    return x


def v_match(x, n):
    def f(v):
        match v:
            case [a, *rest]:
                return a, len(rest)
            case {"k": k, **r}:
                return k, len(r)
            case str() as s:
                return s, 0
            case int(i) if i > 5:
                return i, 1
            case None | False:
                return "none", 0
            case _:
                return "other", -1

    return f([1, 2, 3]), f({"k": 3, "z": 1}), f("q"), f(7), f(None), f(2.5), x


def v_inspect(x, n):
    def f(a, b=2):
        return a

    return f.__name__, v_math.__name__, v_math.__doc__, len(inspect.signature(v_math).parameters), x


def v_date(x, n):
    return (
        (datetime.date(2020, 1, 2) - datetime.date(2020, 1, 1)).days,
        datetime.timedelta(hours=2).total_seconds(),
        x,
    )


def v_slices(x, n):
    s = slice(0, 2)
    return (
        [1, 2, 3][s],
        x[s],
        x[::-1],
        x[..., None],
        x[-1],
        x[n % 3],
        (1, 2, 3)[n % 3],
        x[[0, 2]],
        s.start,
    )


def v_assert(x, n):
    assert x.shape == (3,), f"bad {x.shape}"
    assert n >= 0
    return x


def v_del(x, n):
    a = [1, 2, 3]
    b = {"k": 1, "j": 2}
    c = x
    del a[0], b["k"], c
    return a, b, x


def v_chain_assign(x, n):
    a = b = [1]
    a.append(n)
    i = j = 0
    i += 1
    (p, q), r = (1, 2), 3
    p, q = q, p
    return a, b, i, j, p, q, r, x
