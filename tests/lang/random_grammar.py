"""What random programs are made of: tables of templates, and the names that a place can see.

A template is text with holes. ``$t $i $f $b $c`` are expressions: a tensor, an int, a float, a
bool, a condition. ``$x`` is a tensor that is no plain name. Capitals are names that are there: ``$T
$I $F $B``, lists ``$LT $LI``, lists of lists ``$LL``, generator functions ``$Y`` of a tensor, a
dict ``$D``, an object ``$O``, a record ``$R``, functions ``$G`` from a tensor to a tensor. ``$fun``
is a function from a tensor to a tensor, ``$loss`` one to a number, ``$call`` a call of a function
of the program. ``${a~b}`` is one of the texts. A template is chosen only where there are such
names.
"""

from __future__ import annotations

import random
import re

HOLE = re.compile(r"\$(\w+|\{[^}]*\})")

NAMES = {k.upper(): k for k in ("t", "i", "f", "b", "lt", "li", "ll", "d", "o", "r", "g", "y")}
"""Hole of a name → its type."""

TENSORS = (
    ("ops.${tanh~sin~cos~sigmoid}($t)", 4),
    ("($t * $t)", 3),
    ("($t * ${0.5~1.25~-0.75} ${+~-} $t)", 3),
    ("($t - $t.mean())", 1),
    ("($t * $f)", 1),
    ("($t + $i)", 1),
    ("$call", 2),
    ("($x if $c else $x)", 2),
    ("($LT[${0~1~-1}] * $t)", 1),
    ('($D["t"] + $t)', 1),
    ("ops.maximum($t, $t)", 1),
    ("ops.stack([$t, $t]).sum(0)", 1),
    ("ops.tanh($t / (1.5 + $t ** 2))", 2),
    ("ops.concat(($T[${1:~2:~-1:}], $t))[:3]", 1),
    ("($t[::-1] * $t)", 1),
    ("($T[$I % 3] * $t)", 1),
    ("$T[[2, 0, 1]]", 1),
    ("ops.where($T > $f, $t, $t)", 1),
    ("$O.value($t)", 1),
    ("($O.x - $t)", 1),
    ("($R.t * $R.half)", 1),
    ("$fun($t)", 1),
    ("($G if $c else $G)($t)", 2),
    ("[$G, $G][$i % 2]($t)", 1),
    ("functools.partial(${ops.mul~ops.maximum}, $t)($t)", 1),
    ("sum([${v~v * 0.5~ops.sin(v)} for v in ($t, $t)], $t)", 1),
    ('{"a": $t, "b": $t}["${a~b}"].clip(-3.0, 3.0)', 1),
    ("DENSE($t)", 1),
    ("($LT[$i % 2] * $t)", 1),
    ("$LL[$i % 2][${0~1}]", 1),
    ("($LL[${0~-1}][$i % 2] - $LL[$i % 2][$i % 2])", 1),
    ("(($t if $c else $t.sum()) * $t)", 1),
    ("((ops.concat(($t, $t)) if $c else $t[1:]).sum() + $t)", 1),
    ("sum($Y($x), $t)", 1),
    ("next($Y($x))", 1),
    ("ops.cond($c, $fun, $fun, $t)", 1),
)

DERIVATIVES = (
    "ops.tanh(ms.grad($loss)($t))",
    "ops.tanh(ms.jvp($fun, $x, $x)[1])",
    "ops.tanh(ms.vjp($fun, $x)[1]($x)[0])",
    "ms.vmap($fun)(ops.stack([$t, $t])).mean(0)",
    "ms.value_and_grad($loss)($x)[0] * $t",
)
"""Tensors too; their gradients are of second order."""

INTS = (
    ("($i ${+~-~*} $i)", 4),
    ("($i // ${2~3~-2})", 1),
    ("($i // (1 + abs($i)))", 1),
    ("($i % ${2~5~-3})", 1),
    ("($i % (1 + abs($i)))", 1),
    ("($i ${&~^} $i)", 1),
    ("($i | 5)", 1),
    ("(~$i)", 1),
    ("($i ${<<~>>} 1)", 1),
    ("($i if $c else $i)", 1),
    ("${max~min}($i, $i)", 1),
    ("($i ${and~or} $i)", 1),
    ("${abs~-}($i)", 1),
    ("$LI[${0~1~-1}]", 1),
    ("$LI[$i % 2]", 1),
    ('$D["i"]', 1),
    ("len($T)", 1),
    ("(7, 1, 4)[$i % 3]", 1),
    ("int($i > $i)", 1),
    ("sum([$i, $i])", 1),
    ("$O.count", 1),
    ("$R.i", 1),
    ("divmod($i, 3)[${0~1}]", 1),
    ("sum(v * 2 for v in (1, $i) if True)", 1),
    ("$T.shape[0]", 1),
    ("int(math.floor($f))", 1),
)

FLOATS = (
    ("($f ${+~-~*} $f)", 4),
    ("float($i)", 1),
    ("($f / ${2.0~4~-8.0})", 1),
    ("($i / 8)", 1),
    ("($f if $c else $f)", 1),
    ("${max~min}($f, $f)", 1),
    ("($f ${and~or} $f)", 1),
    ("${abs~-}($f)", 1),
    ("math.${sin~atan~tanh}($f)", 1),
    ("float(round($f))", 1),
)

CONDITIONS = (
    ("($i ${==~!=~<~>=} $i)", 3),
    ("(not $c)", 1),
    ("($c ${and~or} $c)", 2),
    ("(${0~1~2~3} ${<~>} $i <= $i)", 1),
    ("bool($T.sum() ${<~>} $f)", 1),
    ("$B", 1),
    ("($i ${in~not in} (1, 2, $i))", 1),
    ("($f ${==~!=~<~>=} $f)", 1),
    ("(${2 > 1~3 < 2})", 1),
    ("($T.shape[0] > 5)", 1),
    ("($T is ${None~not None})", 1),
    ("${any~all}([$c, $c])", 1),
    ("isinstance($I, ${int~float})", 1),
    ("callable($G)", 1),
)

TABLES = {"t": TENSORS, "i": INTS, "f": FLOATS, "c": CONDITIONS}

CONSTANTS = {"i": [str(k) for k in range(-3, 8)], "f": ["0.5", "-1.5", "2.0", "0.125"]}


class Scope:
    """What a place can name.

    Attributes:
        names: type → names, as in `NAMES`.
        functions: name → the texts of its calls, templates.
        fresh: the names that this function may assign to.
        looped: whether a loop is around the place.
    """

    def __init__(self, names: dict, functions: dict, fresh):
        self.names = {k: list(v) for k, v in names.items()}
        self.functions, self.fresh, self.looped = dict(functions), set(fresh), False

    def inner(self) -> Scope:
        """A scope whose names end with the block."""
        new = Scope(self.names, self.functions, self.fresh)
        new.looped = self.looped
        return new

    def has(self, template: str) -> bool:
        """Whether there are the names that a template needs."""
        holes = HOLE.findall(template)
        return all(self.names[NAMES[h]] for h in holes if h in NAMES) and (
            "call" not in holes or bool(self.functions)
        )


class Expressions:
    """Writes random expressions. ``derived`` is how often one is a derivative, ``plain`` how often
    a tensor that is stored is just a name.
    """

    def __init__(self, seed: int):
        self.r = random.Random(seed)
        self.count = 0
        self.derived = 0.06 if self.chance(0.3) else 0.0
        self.plain = 0.25 if self.chance(0.5) else 0.0
        self.inside = 0  # derivatives around the place

    def chance(self, probability: float) -> bool:
        return self.r.random() < probability

    def new(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def pick(self, s: Scope, table) -> str:
        """One of the templates that ``s`` has names for."""
        fit = [(text, weight) for text, weight in table if s.has(text)]
        return self.r.choices([t for t, _ in fit], [w for _, w in fit])[0]

    def fill(self, template: str, s: Scope, deep: int = 1) -> str:
        """The template with its holes filled."""
        if "lambda $v" in template:
            v, s = self.new("t"), s.inner()
            s.names["t"] += [v] * 3
            template = template.replace("lambda $v", f"lambda {v}")
        return HOLE.sub(lambda m: self.hole(m.group(1), s, deep), template)

    def hole(self, hole: str, s: Scope, deep: int) -> str:
        if hole[0] == "{":
            return self.r.choice(hole[1:-1].split("~"))
        if hole in NAMES:
            return self.r.choice(s.names[NAMES[hole]])
        if hole == "x":
            return self.tensor(s, deep - 1)
        if hole == "fun":
            return self.mapping(s, deep)
        if hole == "loss":
            return self.fill("(lambda $v: ($x).sum())", s, deep)
        if hole == "call":
            return self.fill(self.r.choice(list(s.functions.values())), s, min(deep, 1))
        return self.value(s, hole, deep - 1)

    def value(self, s: Scope, kind: str, deep: int = 1) -> str:
        """An expression of a type."""
        if kind in "cb":
            return self.condition(s, deep)
        if deep <= 0 or self.chance(0.7 if kind == "t" else 0.25):
            if kind in CONSTANTS and self.chance(0.35):
                return self.r.choice(CONSTANTS[kind])
            return self.r.choice(s.names[kind])
        return (
            self.tensor(s, deep) if kind == "t" else self.fill(self.pick(s, TABLES[kind]), s, deep)
        )

    def tensor(self, s: Scope, deep: int = 2) -> str:
        """A tensor expression that is no plain name."""
        if deep < 0:
            return self.fill("($T * ${0.5~2.0})", s)
        if self.inside == 0 and self.chance(self.derived):
            self.inside += 1
            text = self.fill(self.r.choice(DERIVATIVES), s, deep)
            self.inside -= 1
            return text
        return self.fill(self.pick(s, TENSORS), s, deep)

    def stored(self, s: Scope, deep: int = 2) -> str:
        """A tensor to be stored, passed on or returned."""
        return self.r.choice(s.names["t"]) if self.chance(self.plain) else self.tensor(s, deep)

    def condition(self, s: Scope, deep: int = 1) -> str:
        return self.fill(
            self.pick(s, CONDITIONS if deep > 0 else CONDITIONS[:1] + CONDITIONS[5:6]), s, deep
        )

    def mapping(self, s: Scope, deep: int) -> str:
        """A function from a tensor to a tensor."""
        if s.names["g"] and self.chance(0.4):
            return self.r.choice(s.names["g"])
        return self.fill("(lambda $v: $x)", s, deep)

    def bounded(self, s: Scope, kind: str) -> str:
        """A value for a variable, cut so that loops cannot make it grow: what no longer matters has
        a gradient of zero in compiled code and none in eager code, and zero times infinity is NaN.
        """
        if kind == "t":
            value = self.stored(s)
            cut = s.looped and not value.isidentifier()
            return f"{value}.clip(-8.0, 8.0)" if cut else value
        value = self.value(s, kind, 2)
        if kind == "i":
            return f"{value} % {self.r.choice((7, 11))}"
        return f"max(-4.0, min(4.0, {value}))" if kind == "f" else value
