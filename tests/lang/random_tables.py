"""What random programs are made of: forms of statements, with places for expressions."""

from __future__ import annotations

ITEMS = (
    ("t in ($x, $x,)", "t"),
    ("t in ($x,)", "t"),
    ("i, t in enumerate(($x, $x,))", "ti"),
    ("t, i in zip(($x, $x, $x), (m, 2, n))", "ti"),
    ("i in reversed((1, m, $i))", "i"),
    ("t in ops.stack(($x, $x))", "t"),
    ("i, t in enumerate(ops.stack(($x, $x, $x, $x)))", "ti"),
    ("t in [v * $f for v in ($x, $x)]", "t"),
    ("t in map(lambda v: ops.sin(v) * $f, ($x, $x))", "t"),
    ("i in filter(lambda v: v > 1, (3, 1, 2))", "i"),
    ('_, t in {"a": $x, "b": $x}.items()', "t"),
    ("i in sorted((3, 1, 2), reverse=True)", "i"),
    ("t, i in [($x, $i), ($x, 1)]", "ti"),
    ("t in $LT", "t"),
    ("i, t in enumerate(reversed($LT))", "ti"),
    ("i in $LI", "i"),
    ("t in $O.rows($x)", "t"),
    ("t in $Y($x)", "t"),
    ("i, t in enumerate($Y($x))", "ti"),
    ("t in $LL[${0~1}]", "t"),
)
"""Heads of `for`, and the types of the names that they give."""


RANGES = ("3", "2, 5", "5, 0, -2", "n", "n % 3, m", "m, -2, -1", "12", "$i % 4", "len($T)")


INDEX = ("0", "-1", "1:", "::2", "$I % 3", "$T > $f", "[2, 0]", "1:2", "...")


STORES = (
    "= $f",
    "+= $f",
    "*= $f",
    "-= $f",
    "= $x.mean()",
    "+= $x.mean()",
    "*= $x.mean()",
    "*= $T.sum() / 8",
)


VIEWS = (
    "N[::-1]",
    "N[:]",
    "N.reshape(3, 1)[:, 0]",
    "ops.expand_dims(N, 0)[0]",
    "N.view(1, 3).T.squeeze(1)",
)
"""Of a tensor N: views of its length."""


PARTS = ("[::-1]", "[1:]", "[None, :2][0]", ".reshape(3, 1)[$i % 3]", "[...]", ".view(3)[::2]")
"""Views that have no name, of which the first element is changed."""


IN_PLACE = ("add_($x)", "mul_($f)", "copy_($x)", "zero_()", "masked_fill_($T > $f, 0.5)")


CHANGES = {
    "lt": (
        "[$i % 2] = $x",
        "[$i % 2] *= $x",
        "[${0~1~-1}] = $x",
        "[${0~1~-1}] *= $x",
        ".append($x)",
        ".insert(1, $x)",
        " += [$x]",
        ".extend(($x, $x))",
        ".reverse()",
        "[0], N[1] = N[1], N[0]",
    ),
    "li": (
        "[$i % 2] = $i % 7",
        "[$i % 2] += 1",
        "[${0~1~-1}] = $i % 7",
        "[${0~1~-1}] += 1",
        ".append($i % 7)",
        ".insert(1, 2)",
        " += [$I % 7]",
        ".pop(0)",
        "[0], N[1] = N[1], N[0]",
    ),
    "ll": (
        "[$i % 2][$i % 2] = $x",
        "[$i % 2][$i % 2] *= $x",
        "[${0~1}][$i % 2] += $x",
        "[$i % 2][0] = $x",
        "[${0~1}] = [$x, $x]",
    ),
    "d": ('["t"] = $x', '["i"] = $i % 7', '["t"] += $x', ".update(t=$x)", '.update({"i": $I % 7})'),
    "o": (
        ".x = $x",
        ".count = $i % 7",
        ".step($x)",
        ".step($x, by=$I % 5)",
        ".x *= $x",
        ".count += 1",
    ),
}
"""By type how a container or object is changed; N is its name. Those that change a length are
`LENGTHS`.
"""


GROWS = (".append", " += [", ".extend", ".reverse")
"""Those of them that are compiled where data decide the length."""


LENGTHS = (".append", ".insert", " += [", ".extend", ".pop", ".reverse", ".update(t")


MAKES = {
    "lt": (
        "[$x, $x]",
        "[$x, *($x, $x)]",
        "list(($x, $x))",
        "[ops.sin(v) for v in ($x, $x)]",
        "$LT[:2] + [$x]",
        "$LL[${0~1}]",
        "list($Y($x))[:1] + [$x]",
        "[$x for _ in range(2)]",
        "($LT[:2] if $c else [$x, $x])",
    ),
    "li": (
        "[$i % 7, $i % 7]",
        "[k * $I % 7 for k in range(3) if k != 1]",
        "list(range(3))",
        "($LI[:2] if $c else [1, $I % 7])",
    ),
    "ll": (
        "[[$x, $x], [$x, $x]]",
        "[[$x] * 2 for _ in range(3)]",
        "[[$x, $t * v] for v in (1, 2)]",
        "[[$x, $x]] * 2",
    ),
    "d": ('{"t": $x, "i": $i % 7}', "dict(t=$x, i=$i % 7)", '{**$D, "i": $i % 7}'),
    "o": ("State($x)", "State($x, $i % 7)", "State(x=$x, count=2)"),
    "r": ("Record($x, $i % 7)", "Record(i=$i % 7, t=$x)", "Record($x)"),
    "g": (
        "scaled($x)",
        "scaled($f)",
        "(lambda u: u * $x)",
        "ops.${sin~cos~tanh}",
        "($G if $c else $G)",
        "$O.value",
        "functools.partial(ops.mul, $x)",
        "($fun if $c else $fun)",
    ),
}


BINDINGS = (
    ("T, N = $x, $x", "t"),
    ("T, *LT = $x, $x, $x", "t"),
    ("(T, N), I = ($x, $x), $i % 7", "ti"),
    ("I = (N := $i % 7) + 1", "i"),
    ("I, *LI = $i % 7, $I, 3", "i"),
    ("T, I = $R", "ti"),
    ("*LT, I = [$x, $x, $i % 7]", "ti"),
    ("I, N = divmod($i, 3)", "i"),
)
"""Statements that bind several names: T, I and N (like the last type) are new ones, LT and LI new
lists.
"""


FAILURES = (
    'raise ValueError("a")',
    'raise KeyError("b")',
    "raise Refused(f'{$i}')",
    "T = [$x, $x][2]",
    'T = {"a": $x}["b"]',
    "T = $x.reshape(7)",
    "T = $x @ ops.ones((2, 2))",
    "T = $x.no_such_name",
    "assert not $c, f'{$i}'",
)
"""Statements of which most raise."""


SOMETIMES = ("I = 7 // ($I % 3)", "I = (1, 2, 3)[$i % 4]", "I = $I % ($I - 2)")
"""Statements that may raise."""


HANDLERS = (
    "except ValueError:",
    "except (KeyError, IndexError) as e:",
    "except LookupError:",
    "except ArithmeticError:",
    "except Refused as e:",
    "except Exception as e:",
    "except (AssertionError, AttributeError):",
)
