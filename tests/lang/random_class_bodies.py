"""The classes of random programs (`random_classes`) and the expressions in these: inheritance,
properties, items, iterators, contexts. One object, ``OUT``, is made outside; `reset` of the module
makes it what it was.
"""

from __future__ import annotations

import random
import re

HEAD = """import contextlib
import functools
import heapq
from collections import deque

import minds as ms
from minds import Tensor, ops


class Odd(Exception):
    pass


class Large(Odd, ValueError):
    def __init__(self, v, k=1):
        super().__init__(k)
        self.v = v


class Steps:
    def __init__(self, v, n):
        self.v, self.n, self.at = v, n, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= self.n:
            raise StopIteration
        self.at += 1
        self.v = self.v * 0.5 + 0.25
        return self.v


"""

HOLE = re.compile(r"\$(\w+|\{[^}]*\})")

TENSORS = (
    ("$T", 4),
    ("ops.${tanh~sin~cos}($t)", 3),
    ("($t * ${0.5~1.25~-0.75} ${+~-} $t)", 3),
    ("($t * $f)", 1),
    ("($t + $i)", 1),
    ("($t if $c else $t)", 2),
    ("$O.value($t)", 3),
    ("$O.a", 3),
    ("$O.half", 2),
    ("$O[$i % 3]", 2),
    ("$O[${0~1~-1}]", 1),
    ("$O($t)", 1),
    ("($O + $O).a", 1),
    ("(-$O).a", 1),
    ("sum($O, $t)", 1),
    ("next(iter($O))", 1),
    ("$O.xs[${0~1~-1}]", 1),
    ("$O.xs[$i % 2]", 1),
    ("max($O.xs, key=lambda v: v.sum())", 1),
    ("[*$O][${0~-1}]", 1),
    ("$L[$i % len($L)]", 2),
    ("$L[${0~-1}]", 2),
    ('$O.d["${u~w}"]', 1),
    ("type($O)($t, $i).value($t)", 1),
    ("$O.scaled($t).a", 1),
    ("ops.stack(list($O)).sum(0)", 1),
    ("functools.reduce(lambda a, b: a * 0.5 + b, $O)", 1),
    ("sorted($O.xs, key=lambda v: v.sum())[0]", 1),
    ("$G($t)", 2),
    ("(lambda v, k=$i: v * k)($t)", 1),
    ("OUT.value($t)", 1),
    ("OUT.a", 1),
    ("ops.tanh(ms.grad(lambda v: $O.value(v).sum())($t))", 1),
    ("ms.jvp($O.value, $x, $x)[1].clip(-3.0, 3.0)", 1),
)
INTS = (
    ("$I", 4),
    ("${0~1~2~3~-1}", 3),
    ("($i ${+~-} $i)", 2),
    ("($i % ${2~3~5})", 2),
    ("$O.k", 3),
    ("len($O)", 1),
    ("len($O.xs)", 1),
    ("len($L)", 1),
    ("int($c)", 1),
    ("${max~min}($i, $i)", 1),
    ("getattr($O, 'k')", 1),
)
FLOATS = (("$F", 3), ("${0.5~-1.5~2.0}", 3), ("float($i)", 1), ("($f * $f)", 1))
CONDITIONS = (
    ("$i ${==~!=~<~>} $i", 4),
    ("$t.sum() > $f", 3),
    ("not ($c)", 1),
    ("$c ${and~or} $c", 1),
    ("$O.k > $i", 2),
    ("bool($O)", 1),
    ("$i in $O", 1),
    ("$O == $O", 1),
    ("$O is $O", 1),
    ("isinstance($O, ${C0~C1~C2~C3})", 1),
    ("any(v.sum() > $f for v in $O)", 1),
)
TABLES = {"t": TENSORS, "i": INTS, "f": FLOATS, "c": CONDITIONS}
SIMPLE = {"t": "$T", "i": "$I", "f": "$F", "c": "$I > ${0~1~2}"}

METHODS = {
    "value": ("def value(self, v):", "t"),
    "step": ("def step(self, v):", "t"),
    "half": ("@property\ndef half(self):", "t"),
    "__getitem__": ("def __getitem__(self, i):", "t"),
    "__call__": ("def __call__(self, v):", "t"),
}
KINDS = ("Odd", "Large", "ValueError", "(Large, KeyError)", "KeyError", "Exception")


class Scope:
    """Names that a place sees, by their kind; ``own`` are those that it may bind anew."""

    def __init__(self, t, i, o, lists, g, own=()):
        self.T, self.I, self.O, self.L, self.G = list(t), list(i), list(o), list(lists), list(g)
        self.own, self.F = set(own), ["0.25", "1.5"]

    def inner(self):
        new = Scope(self.T, self.I, self.O, self.L, self.G, self.own)
        new.F = self.F
        return new


class Classes:
    """Writes expressions, and four classes."""

    def __init__(self, seed: int, size: int = 1):
        self.r, self.lines, self.count, self.size = random.Random(f"classes {seed}"), [], 0, size
        self.loop = self.caught = False

    def chance(self, p):
        return self.r.random() < p

    def new(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def put(self, depth, text):
        for line in text.split("\n"):
            self.lines.append("    " * depth + line)

    # ---- expressions

    def pick(self, s, table):
        fit = [
            (t, w)
            for t, w in table
            if (not ("$O" in t or "OUT" in t) or s.O)
            and ("$L" not in t or s.L)
            and ("$G" not in t or s.G)
        ]
        return self.r.choices([t for t, _ in fit], [w for _, w in fit])[0]

    def fill(self, text, s, deep=2):
        def hole(match):
            name = match[1]
            if name[0] == "{":
                return self.r.choice(name[1:-1].split("~"))
            if name in "TIOLGF":
                return self.r.choice(getattr(s, name))
            if name == "x":
                return f"({self.fill('$T', s)} * 1.0)"
            return self.expr(s, name, deep - 1)

        return HOLE.sub(hole, text)

    def expr(self, s, kind, deep=2):
        text = SIMPLE[kind] if deep <= 0 else self.pick(s, TABLES[kind])
        return self.fill(text, s, deep)

    # ---- classes

    def classes(self):
        bases = {"C0": (), "C1": ("C0",), "C2": ("C0",), "C3": ("C1", "C2")}
        for name, of in bases.items():
            self.put(0, f"class {name}({', '.join(of)}):" if of else f"class {name}:")
            if not of:
                self.base()
            else:
                self.derived(name)
            self.put(0, "\n")
        k = self.r.choice(("C0", "C1", "C2", "C3"))
        self.put(
            0,
            f"OUT = {k}.__new__({k})\n\n\ndef reset():\n    OUT.__dict__.clear()\n"
            "    OUT.__init__(Tensor([0.5, -0.25, 1.0]), 2)\n\n\nreset()\n\n",
        )

    def scope(self, *t):
        return Scope(["self.a", *t], ["self.k"], [], [], [])

    def base(self):
        p = self.put
        p(1, "def __init__(self, a, k):")
        if self.chance(0.4):
            p(2, f"if k > {self.r.choice((4, 9))}:")
            p(3, "raise Large(a, k)" if self.chance(0.5) else "k = k % 5")
        p(2, "self.a, self.k = a, k")
        p(2, "self.xs = [a, a * 0.5]")
        p(2, 'self.d = {"u": a * 2.0, "w": a}')
        for name, (head, _) in METHODS.items():
            self.method(name, head, self.chance(0.5), False)
        if self.chance(0.6):
            p(1, "@half.setter\ndef half(self, v):")
            self.body(
                self.scope("v"), 2, ("self.a = $t", "self.k += 1", "self.a = self.a * 0.5 + v")
            )
            p(2, "self.a = v * 2.0")
        else:
            p(1, "@half.setter\ndef half(self, v):")
            p(2, "self.a = v + self.a")
        p(1, "def __setitem__(self, i, v):")
        self.body(
            self.scope("v"),
            2,
            ("self.k = i", "self.a = v", "self.xs[i % 2] = v", "self.d['u'] = v"),
        )
        p(2, "self.xs[i % 2] = v * 1.0")
        p(1, "def __len__(self):")
        p(2, self.r.choice(("return 2", "return len(self.xs)", "return 3")))
        p(1, "def __bool__(self):")
        p(
            2,
            self.r.choice(
                ("return self.k % 2 == 0", "return bool(self.a.sum() > 0.0)", "return self.k > 1")
            ),
        )
        p(1, "def __contains__(self, i):")
        p(
            2,
            self.r.choice(
                (
                    "return i == self.k",
                    "return i in (1, self.k)",
                    "return any(i == j for j in (0, self.k))",
                )
            ),
        )
        p(1, "def __eq__(self, other):")
        p(2, self.r.choice(("return self.k == other.k", "return bool((self.a == other.a).all())")))
        p(1, "__hash__ = None")
        p(1, "def __neg__(self):")
        p(2, self.r.choice(("return type(self)(-self.a, self.k)", "return C0(-self.a, 1)")))
        p(1, "def __add__(self, other):")
        p(
            2,
            self.r.choice(
                (
                    "return type(self)(self.a + other.a, self.k)",
                    "return C0(self.a + other.a, other.k % 4)",
                )
            ),
        )
        p(1, "def __iadd__(self, v):")
        p(
            2,
            self.r.choice(
                (
                    "self.a = self.a + v\nreturn self",
                    "return type(self)(self.a + v, self.k)",
                    "self.xs[0] = self.xs[0] + v\nreturn self",
                )
            ),
        )
        p(1, "@classmethod\ndef scaled(cls, v):")
        p(2, self.r.choice(("return cls(v * 0.5, 1)", "o = cls(v, 2)\no.k = 1\nreturn o")))
        p(1, "def __iter__(self):")
        self.iteration()
        p(1, "def __enter__(self):")
        self.body(self.scope(), 2, ("self.k += 1", "self.a = ops.tanh($t)"))
        p(2, self.r.choice(("return self", "return self.a", "return self.a * 2.0")))
        p(1, "def __exit__(self, kind, value, trace):")
        self.body(self.scope(), 2, ("self.k -= 1", "self.a = self.a * 0.5"))
        p(
            2,
            self.r.choice(
                (
                    "return False",
                    "return kind is not None and issubclass(kind, Odd)",
                    "return self.k > 1",
                    "pass",
                )
            ),
        )
        p(1, "@contextlib.contextmanager\ndef held(self, v):")
        p(2, "old = self.a")
        p(2, "self.a = v")
        if self.chance(0.6):
            p(2, "try:\n    yield old * 0.5\nfinally:\n    self.a = old")
        else:
            p(2, "yield old + v\nself.k += 1")

    def iteration(self):
        pick = self.r.randrange(5)
        if pick == 0:
            self.put(2, "return iter(self.xs)")
        elif pick == 1:
            self.put(2, f"return Steps(self.a, {self.r.choice(('2', '3', 'self.k % 3 + 1'))})")
        elif pick == 2:
            self.put(2, "yield self.a\nyield from self.xs")
        elif pick == 3:
            self.put(2, "v = self.a\nfor i in range(3):\n    yield v\n    v = v * 0.5 + i")
        else:
            # Without an effect in `finally`: CPython's collector ends what zip or next leaves open.
            self.put(
                2, "try:\n    for v in self.xs:\n        yield v * 2.0\nfinally:\n    v = self.a"
            )

    def method(self, name, head, branch, derived):
        self.put(1, head)
        names = ["v"] if "v" in head.split("(")[-1] else []
        s = self.scope(*names)
        if name == "__getitem__":
            s.I.append("i")
        if derived:
            sup = {
                "half": "super().half",
                "__getitem__": "super().__getitem__(i)",
                "__call__": "super().__call__(v)",
            }.get(name, f"super().{name}(v)")
            t = self.new("t")
            self.put(2, f"{t} = {sup}")
            s.T.append(t)
        if branch:
            changes = (
                "self.k = (self.k + 1) % 7",
                "self.a = $t",
                "self.xs[0] = $x",
                'self.d["w"] = $x',
                "self.a = self.xs[$i % 2]",
            )
            if name in ("step", "__call__") or self.chance(0.2):
                self.body(s, 2, changes)
            if self.chance(0.6):
                self.put(2, f"if {self.expr(s, 'c')}:")
                if self.chance(0.25) and name in ("step", "value"):
                    self.put(3, f"raise {self.raised(s)}")
                else:
                    self.put(3, f"return {self.expr(s, 't')}")
        self.put(2, f"return {self.expr(s, 't')}")

    def derived(self, name):
        if self.chance(0.4):
            self.put(1, "def __init__(self, a, k, more=1):")
            self.put(
                2, self.r.choice(("super().__init__(a * 0.5, k)", "super().__init__(a, k % 4)"))
            )
            self.put(
                2,
                self.r.choice(
                    ("self.k += more", "self.xs.append(a * 0.25)", "self.a = self.a + more")
                ),
            )
        done = False
        for m, (head, _) in METHODS.items():
            if self.chance(0.4) and m != "half":
                self.method(m, head, self.chance(0.5), self.chance(0.7))
                done = True
        if self.chance(0.3):
            self.put(1, "def __iter__(self):")
            self.iteration()
            done = True
        if not done:
            self.put(1, "def value(self, v):\n    return super().value(v) * 0.5")

    def body(self, s, depth, changes):
        for _ in range(self.r.choice((1, 1, 2))):
            change = self.fill(self.r.choice(changes), s)
            if self.chance(0.35):
                self.put(depth, f"if {self.expr(s, 'c')}:")
                self.put(depth + 1, change)
            else:
                self.put(depth, change)

    def raised(self, s):
        return self.fill(
            self.r.choice(
                ('Odd("odd")', "Large($t, $i)", 'ValueError("v")', "KeyError($i)", "Large($t)")
            ),
            s,
        )
