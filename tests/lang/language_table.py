"""The table of the language in docs/language.md: rows are the handlers of the frontend and its list of
refusals.

``python tests/lang/language_table.py`` writes the page anew. Each row has a program in ``EXAMPLES``, the
body of a function of a tensor ``x`` and an int ``n`` that are known only at run time; `test_language_table`
runs all of them.
"""

from __future__ import annotations

import bisect
import builtins
import contextlib
import copy
import functools
import heapq
import importlib
import itertools
import math
import operator
import os

from minds.frontend.desugar import REWRITES
from minds.frontend.registry import EMITTERS, EXPR, STMT
from minds.frontend.syntax import REFUSED
from minds.frontend.value_types import GIVEN

importlib.import_module("minds.jit.parsing")  # loads all that registers syntax and functions

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "language.md")

EXAMPLES = {
    "Assign": (
        "a, (b, *c) = n, (1, x, 2)\nreturn a, b, c",
        "names, tuples, starred; items of lists, dicts and tensors; attributes",
    ),
    "AugAssign": (
        "n += 2\nxs = [n]\nxs[0] *= 3\nreturn xs",
        "all operators; a list is extended in place",
    ),
    "AnnAssign": ("a: int = n + 1\nreturn a", "the annotation is ignored"),
    "Assert": (
        "assert n >= 0, 'negative'\nreturn x",
        "under a run-time condition it is checked at run time",
    ),
    "Raise": (
        "if n > 100:\n    raise ValueError(f'{n} is too large') from None\nreturn x",
        "under a run-time condition it is raised at run time, with this line; alone in a handler, it raises again",
    ),
    "Break": ("for i in range(n):\n    if i == 3:\n        break\n    x = x * 2.0\nreturn x", ""),
    "Continue": (
        "for i in range(n):\n    if i % 2:\n        continue\n    x = x * 2.0\nreturn x",
        "",
    ),
    "Delete": ("d = {'a': n, 'b': 1}\ndel d['a']\nreturn d", "names, items of lists and dicts"),
    "Expr": ("xs = []\nxs.append(n)\nreturn xs", ""),
    "For": (
        "s = x\nfor i, row in enumerate(x):\n    s = s + row * i\nelse:\n    s = s + n\nreturn s",
        "over `range`, rows of a tensor, tuples, lists, dicts, strings, `zip`, `enumerate`, `reversed`, `map`, `filter`. "
        "Only `range`, rows, and lists of which the run finds the length may be rolled: others are "
        "unrolled, as are short ones, and those of known length that cannot be rolled. What it sets may be "
        "read behind it; where it ran no time, that raises as in CPython",
    ),
    "FunctionDef": (
        "def f(v, k=2, *more, scale=1.0):\n    return v * k * scale + n\nreturn f(x), f(x, 3, scale=0.5)",
        "closures over anything, defaults, keyword-only, star parameters, decorators, recursion",
    ),
    "If": (
        "if n > 2:\n    y = x * 2.0\nelif n == 1:\n    return x\nelse:\n    y = x + 1.0\nreturn y",
        "a name has one type on all paths that meet, or is not used behind them; read where the way taken has not set it, it raises as in CPython; a tensor may have other sizes, another number of dimensions and another dtype, which each operation behind does in its own way",
    ),
    "Pass": ("if n > 2:\n    pass\nreturn x", ""),
    "Return": (
        "for i in range(n):\n    if i == 2:\n        return x * 2.0\nreturn x",
        "at any depth; the same structure everywhere",
    ),
    "While": (
        "while n > 0:\n    n = n - 1\n    x = x * 0.5\nelse:\n    x = x + 1.0\nreturn x",
        "compile time does not depend on the number of iterations; a tensor may change its number of dimensions, among three at most",
    ),
    "Attribute": (
        "return x.shape, x.ndim, x.sum()",
        "of tensors, cells, modules and plain objects",
    ),
    "BinOp": (
        "return x * n + 1.5, n // 2, n % 3, n << 1",
        "numbers known at run time follow CPython",
    ),
    "BoolOp": ("return (n > 1 and n < 4), n or 7", "short circuit"),
    "Call": (
        "return max(*(n, 2), 3), x.sum(axis=0)",
        "of ops, cells, Python functions, the builtins below",
    ),
    "Compare": ("return 1 < n <= 3, n in (1, 2), x is None, x > 0.0", "chained; `in` and `is` too"),
    "Constant": ("return 1, 2.5, True, None is None, 'text', ...  is ...", ""),
    "Dict": ("return {'a': n, **{'b': 1}}", "keys are known while compiling"),
    "DictComp": (
        "return {k: n * i for i, k in enumerate('ab')}",
        "of a length known while compiling",
    ),
    "FormattedValue": ("k = 3\nreturn f'{k:>3}', f'{n}'", ""),
    "GeneratorExp": (
        "return sum(i * n for i in range(3))",
        "an iterator: an element is computed when it is taken",
    ),
    "IfExp": ("return x * 2.0 if n > 2 else x", "both values of one type"),
    "JoinedStr": (
        "return f'{x.shape} {n}'",
        "a string of values of the run is printed, raised, returned or joined to others",
    ),
    "Lambda": ("f = lambda v, k=2: v * k + n\nreturn f(x)", ""),
    "List": (
        "xs = [n, 2]\nwhile xs[-1] < 9:\n    xs.append(xs[-1] + n + 1)\nreturn xs",
        "aliases behave as in CPython. Where data decide its length, its elements are tensors or numbers "
        "of one type; these cannot be changed in place, and `append`, `extend`, `+`, `pop`, `len`, "
        "items, `for`, `sum`, `max`, `ops.stack`, `ops.concat` are compiled",
    ),
    "ListComp": (
        "return [i * j + n for i in range(3) if i != 1 for j in (1, 2)]",
        "nested and filtered; where data decide the length, of tensors or numbers of one type",
    ),
    "Name": ("return n", ""),
    "NamedExpr": ("return (y := n + 1), y * 2", ""),
    "Set": (
        "s = {1, 2, 3}\ns.add(4)\nreturn len(s), n in s",
        "of values known while compiling: a number of the run that is asked for becomes part of the program",
    ),
    "SetComp": ("return len({i % 2 for i in range(5)})", "of values known while compiling"),
    "Slice": (
        "return (n, 1, 2)[n:], x[::-1]",
        "bounds of tensors are known while compiling; those of lists and tuples need not be, where the elements are tensors or numbers of one type",
    ),
    "Starred": (
        "a, *b = (n, 1, 2)\nreturn a, b, (*b, n), max(*b)",
        "in calls, displays and targets",
    ),
    "Subscript": (
        "return x[0], x[..., None], (10, 20, 30)[n % 3]",
        "a sequence of tensors or numbers of one type may be indexed by a run-time int",
    ),
    "Tuple": ("return n, (x, 2)", ""),
    "UnaryOp": ("return -x, not n, ~n, +n", "`~` of a tensor is its logical not"),
    "Try": (
        "try:\n    y = x * (6 // n)\nexcept ZeroDivisionError as e:\n    y = x\n"
        "else:\n    n = 1\nfinally:\n    y = y + n\nreturn y",
        "around what the program raises, see Errors below",
    ),
    "TryStar": ("try:\n    return x\nexcept* ValueError:\n    pass", ""),
    "With": ("with open('log'):\n    return x", ""),
    "AsyncFor": (
        "async def f():\n    async for i in x:\n        pass\nreturn f()",
        "inside of `async def`, refused as that",
    ),
    "AsyncWith": (
        "async def f():\n    async with x:\n        pass\nreturn f()",
        "inside of `async def`, refused as that",
    ),
    "AsyncFunctionDef": ("async def f():\n    return x\nreturn f()", ""),
    "Await": (
        "async def f():\n    return await x\nreturn f()",
        "inside of `async def`, refused as that",
    ),
    "Yield": (
        "def f(k):\n    for i in range(3):\n        got = yield x * i * k\nreturn list(f(n)), next(f(2))",
        "a generator runs when an element is taken; whether it yields somewhere is known while compiling. `send`, `next`, "
        "`close`; in methods (`__iter__`) and in `contextlib.contextmanager` too",
    ),
    "YieldFrom": (
        "def f(k):\n    got = yield from (x, k)\n    yield got\nreturn list(f(n))",
        "its value is what a generator returns",
    ),
    "Global": (
        "global SEEN\nSEEN = n\nreturn SEEN + 1",
        "the module's name is set when the program has run",
    ),
    "Nonlocal": (
        "k = 1\ndef f():\n    nonlocal k\n    k += n\nf()\nreturn k",
        "of functions inside, and of a function around the compiled one",
    ),
    "Import": ("import math\nreturn math.pi * x", "while compiling"),
    "ImportFrom": ("from math import pi\nreturn pi * x", "while compiling"),
    "ClassDef": (
        "class Scale:\n    def __init__(self, k):\n        self.k = k\n    def __call__(self, v):\n        return v * self.k\nreturn Scale(n)(x)",
        "with bases, decorators, `dataclass`, `Enum`, `NamedTuple`; its attributes are known while compiling; an object with methods of "
        "such a class is not returned, and no cells are derived",
    ),
    "Match": (
        "match (n, x):\n    case (0, y) | (1, y):\n        return y\n    case (k, _) if k > 3:\n        return x * k\nreturn x * 2.0",
        "all patterns; what a value consists of is known while compiling, numbers in it need not be",
    ),
}
"""Name of the syntax node → (program, note)."""

PREAMBLE = """import collections
import contextlib
import copy
import functools
import heapq
import itertools
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

import minds as ms
from minds import Tensor, nn, ops

Pair = namedtuple("Pair", "a b")
CELLS = nn.CellList([nn.ReLU(), nn.Tanh()])
sort = ms.host(lambda x: np.sort(x.asnumpy()), out=lambda x: (x.shape, x.dtype))


@dataclass
class State:
    x: Tensor
    count: int = 0

    def step(self, k):
        self.x = self.x * 0.5
        self.count += k
        return self


class Halved:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        return self.x * 0.5

    def __exit__(self, kind, value, traceback):
        self.x = None


double = ops.MultitypeFuncGraph("double")
double.register("Tensor")(lambda v: v * 2.0)
double.register("Number")(lambda v: v + v)
"""
"""What the programs of `FORMS` stand behind."""

FORMS = {
    "closures chosen by data": (
        "def scaled(k):\n    return lambda v: v * k\nf = scaled(x) if n > 2 else scaled(2.0)\nreturn f(x)",
        "what a function sees goes with it: as an argument, a result, an element, through branches, loops and "
        "recursion",
    ),
    "functions that hold one another without end": (
        "def f(k, done):\n    return done(x) if k == 0 else f(k - 1, lambda v: done(v * k))\n"
        "g = lambda v: v\nfor i in range(n):\n    g = lambda v, g=g: g(v) * 0.5\n"
        "return f(n, lambda v: v), g(x)",
        "continuations, functions composed in a loop, thunks, Church numerals: closures of the running program, which "
        "all take and return the same types. They do not change lists and dicts that they hold",
    ),
    "strings, None, dtypes chosen by data": (
        "mode = 'wave' if n > 2 else 'flat'\ny = x * n if mode == 'wave' else None\n"
        "return x if y is None else y * {'wave': 2.0, 'flat': 3.0}[mode]",
        "compared, keys, in f-strings, returned; what fails for the value that is chosen raises where the program gets "
        "there. Which of them it is need not be asked: an operation is done on each",
    ),
    "objects of different classes chosen by data": (
        "o = State(x) if n > 2 else Pair(x, n)\nreturn o.x if isinstance(o, State) else o.a * o.b",
        "a method or attribute of each; objects so chosen cannot be changed",
    ),
    "functions by index": (
        "return [ops.sin, lambda v: v * n][n % 2](x), CELLS[n % 2](x)",
        "an index out of range is an `IndexError` at run time",
    ),
    "`functools.partial`, `ops.partial`": (
        "f = functools.partial(ops.mul, x) if n > 2 else ops.partial(ops.add, x)\nreturn f(n)",
        "",
    ),
    "objects": (
        "s = State(x)\nfor i in range(n):\n    s.step(i)\nreturn s.x, s.count, s",
        "of classes and dataclasses whose `__init__` is written in Python: made, changed, passed on and returned. Those "
        "passed in are read only",
    ),
    "`with`": (
        "with Halved(x) as h:\n    x = h * n\nreturn x",
        "over objects whose `__enter__` and `__exit__` are written in Python. `__exit__` is called on every "
        "way out of the body, and sees the exceptions that `except` would; its traceback is None",
    ),
    "`collections`": (
        "d = collections.deque([n, 1], maxlen=2)\nd.append(x)\ngroups = collections.defaultdict(list)\n"
        "groups['a'].append(d[0])\nreturn d, groups, collections.Counter('aab')['a'] * n",
        "`deque`, `defaultdict`, `OrderedDict`, `Counter`, `namedtuple`; keys and lengths are known while compiling",
    ),
    "`sorted`, `list.sort`, `min`, `max`, `heapq`": (
        "rows = sorted([(n, x), (2, x * 2.0)], key=lambda r: r[0])\nreturn rows, sorted(x), heapq.nlargest(2, x)",
        "by keys that are known, or that the run finds: elements of one type then, no lists and objects",
    ),
    "`contextlib`": (
        "@contextlib.contextmanager\ndef half(v):\n    yield v * 0.5\nwith half(x) as y, contextlib.nullcontext(n) as k:\n    x = y * k\nreturn x",
        "`contextmanager`, `nullcontext`, `closing`, `ExitStack`",
    ),
    "`itertools`, `copy`": (
        "pairs = itertools.product((x, n), (1, 2))\nreturn [a * b for a, b in pairs], copy.deepcopy([x])",
        "`accumulate`, `chain`, `combinations`, `islice`, `pairwise`, `permutations`, `product`, `repeat`, `starmap`, "
        "`zip_longest`; over what has a length known while compiling",
    ),
    "named tuples": ("p = Pair(x, n)\nreturn p._replace(b=2.0), p.a * p.b", ""),
    "`ops.while_loop`": (
        "return ops.while_loop(lambda v: v[1] < n, lambda v: (v[0] * 0.5, v[1] + 1), (x, 0))",
        "",
    ),
    "`ops.fori_loop`": ("return ops.fori_loop(0, n, lambda i, v: v * 0.5 + i, x)", ""),
    "`ops.scan`": (
        "return ops.scan(lambda c, e: (c * 0.5 + e, c), x.sum(), x)",
        "over tuples, lists and the rows of a tensor; a long one is one loop",
    ),
    "`ops.cond`": (
        "return ops.cond(n > 2, lambda v: v * 2.0, ops.sin, x)",
        "of a matrix: its condition number",
    ),
    "`ops.switch`, `ops.switch_layer`": (
        "return ops.switch(n > 2, x, x * n), ops.switch_layer(n % 2, CELLS)(x)",
        "",
    ),
    "`ops.Map`, `ops.HyperMap`, `ops.MultitypeFuncGraph`": (
        "return ops.HyperMap(double)((x, [n, (2.5,)]))",
        "",
    ),
    "NumPy": (
        "a = np.abs(x.asnumpy()) * n\nreturn Tensor(a / a.sum()) * x, a",
        "of values known while compiling it is computed then. Of tensors, and of arrays made of them, it is called when the program runs, as `ms.host` calls; no gradient flows through it. The sizes of results must not depend on the items (`np.unique`); such arrays cannot be changed in place",
    ),
    "`ms.mutable`": (
        "t = ms.mutable((x, x * n), True)\nreturn len(t), t[1:], t + (x,), [v * 2.0 for v in t]",
        "with `dynamic_len` a list or tuple, also among the arguments, of which one program takes all lengths: of tensors of one shape and dtype, numbers of one kind, or tuples of such",
    ),
    "`ms.host`": (
        "return sort(x) * n",
        "calls CPython, with a result of a promised type; with `grad=` it has a gradient",
    ),
}
"""Values and calls → (program behind `PREAMBLE`, note)."""

INSIDE = {
    "AsyncFor": "AsyncFunctionDef",
    "AsyncWith": "AsyncFunctionDef",
    "Await": "AsyncFunctionDef",
}
"""What can only stand inside of something that is refused already."""

PART_OF = {"Starred": "Call"}
"""Supported syntax that the handler of another node reads."""

HEAD = """# The language

What compiled code (graph mode, `ms.jit`) accepts. Values known while compiling (constants, shapes, containers, cells, strings)
are computed then; what is known only at run time (tensors, numbers passed in) becomes part of the program,
and control flow
on it too. The examples are bodies of `def f(x, n)`, with a tensor `x` and an int `n` known only at run time.

This page is written by `tests/lang/language_table.py` from the tables of `minds/frontend`; a test keeps it current and runs
every example.
"""


RULES = """## Rules

**Numbers** known only at run time are ints of 64 bits, floats and bools. They fail where CPython fails, with its exception and
the user's line: division by zero, `math` outside of a function's domain or range, `int` of NaN or infinity, negative shifts.
What CPython gives and 64 bits cannot hold is an `OverflowError`, and a power that is complex is a `ValueError`. What nothing uses
is not computed, so it raises nothing. Where no program serves all numbers (a tuple that grows `n` times, a type that `n` decides),
the numbers among the arguments are constants of it, and there is a program for each. Tensors follow
IEEE 754 and wrap. An op of numbers alone (`ops.sin(n)`, `ops.mul(n, 2.0)`) gives a tensor, of float32 for floats.
A number that Python takes of a tensor (`float(x)`, `x.item()`, `x.tolist()`, `math.sin(x)`) passes no gradient on, in both modes; `Tensor(x)`,
`Tensor([x, y])` and `copy.copy(x)` of tensors do, and `ops.stop_gradient` is how to detach one.

**Kinds.** Where the kind of a number depends on data, it is the wider one: of an int and a float a float, of a bool and an
int an int, of a number and a rank-0 tensor a tensor. This holds for branches and conditional expressions, for `and` and `or`
(`n > 2 and n` is an int), for `min` and `max`, for loop variables. The value is CPython's, only `type` and `print` can tell.
`int ** n`, whose kind depends on the sign of `n`, is refused.

**Aliases** are CPython's. A list or dict has one identity on all paths: changes made in a branch, a loop or a called function
are seen through every name, lists and dicts among the arguments change for the caller, and so does a tensor argument whose
items are set. A recursive function may change lists, dicts and objects of an outer scope or passed down, not their number of
elements. A function that is differentiated may change them, tensors and names of others; one that is mapped by `vmap` may not. Where data decides which of several a name means (`zs = xs if n > 2 else ys`), all of them can be read; once one
of them is changed, reading one of the others is an error at that line, until it is assigned again. Copies (`list(xs)`, `xs[:]`,
`x.copy()`) have no aliases.

**Views** share their elements with the tensor that they were taken from, in both modes: `y = x[0]` with `y[1] = 9`, and `x[0][1] = 9`, change
`x`, and `x[0] = 5` changes `y`; gradients follow. Views are what indices of ints (of the run, too), slices, `None` and `...` give, rows that a loop
takes, and what is made of `reshape`, `view`, `transpose`, `T`, `swapaxes`, `permute`, `expand_dims`, `squeeze`, `narrow`, `split`, `chunk`,
`unbind`, `diagonal`, `flatten`, `broadcast_to`. What masks, lists and tensors of positions choose is a copy, and so is a `reshape` of what
does not lie apart evenly (`x.T.reshape(-1)`), as in PyTorch. A tensor that was broadcast to more elements cannot be changed in place.
Parameters have views too; `p.value()` is none, and after `p.set_data(…)` views keep the old value. Where data decide of which tensor something is a
view, changing it makes the others unreadable, as with aliases. What a compiled function returns shares its elements with nothing, and
arguments that share them are refused where it changes one.

**What is read outside** (global names, variables of enclosing functions, attributes of objects, cells, classes and modules,
items of lists, dicts and tuples, defaults, the code of functions) is at each call what CPython would see. Tensors are
arguments of the program: a new one of the same shape and dtype, or one with other items, needs no new compilation. A
number is a constant until it is seen to differ, then an argument too, unless it must be known while compiling (an axis, a
size). All else is a constant, for which the program is compiled again when it is another one: strings, bools, None, functions, classes
by what they are, small tensors of whole numbers and arrays of NumPy by their contents. Of each function 32 programs are kept for
such constants; `ms.recompiles` says what changed. Not seen: what code of other libraries reads, an attribute that a class of
C computes anew at each look, a `types.MappingProxyType` of a dict that is changed, what is in a list in one of `tuple`, `__bases__` of a class that are set; that an argument is a tensor that is read outside too (`x is W`).
`export` writes what is read outside as it is then.

Lists, dicts, tensors, attributes of objects and cells, and global names of outside that the program changes are changed when it has run;
with `jit_syntax_level` STRICT setting attributes and names is refused. An array of NumPy that was made outside cannot be changed, nor a
tensor of outside whose contents must be known.

**What leaves** a compiled function is what CPython would give, but for `map`, `zip` and `enumerate`: they leave as tuples of what
is left in them, as in MindSpore. Functions made inside do not leave.

**Masks** known only at run time choose (`x[mask]`: the run finds the size, see [dynamic_shapes.md](dynamic_shapes.md)) and
may be assigned through (`x[mask] = v`, `x[mask] += v`).

**Errors** happen when the program gets there, as in CPython: an index out of range, a missing key or attribute, shapes and
types that do not fit, `raise` and `assert`. What happens whatever the data is an error while compiling; and so is what
minds cannot compile, wherever it stands. `try` and `with` see what the program raises: these errors, also in functions called,
in loops and in recursion, divisions of numbers and indices that the run finds to be wrong, and what `ms.host` raises (without
`grad=`; its class is what a handler names, its text is known). Other errors that kernels find (`math` outside of a domain, a number
that 64 bits do not hold) end the program. The class of an exception is known while compiling; its arguments need not be. What a function raises that is differentiated or mapped is caught inside of it. The messages of
errors that minds finds are its own, with the user's line; tracebacks are None.

**Ends.** A loop whose condition always holds and that nothing leaves, recursion without an end, and sequences of more than a
million elements taken apart while compiling are refused. Nesting is limited by memory only.

**Refused besides**, since what they need is not there while compiling:

- of generators: `yield` in a handler, and in what may not be computed (`a or (yield)`); `break` out of a loop over a generator of which
  only the run knows where it yields, or `next` of it, since what the program has run cannot be stopped in the middle;
- of classes made inside: objects with methods that are returned, since only compiled code can call these; a `Cell` as a base, since cells
  are made by Python; attributes of a class that are set, or that only the run knows: an object's are not refused;
- lists, dicts and objects sorted by what data decide, since each must stay the object that it is: tuples of numbers and tensors are sorted;
- a list or dict that a function mapped by `vmap` changes: there would be one for each example;
- objects of classes that define `__getattribute__`, and a `mappingproxy`: what these read, a program cannot watch; `__getattr__`, properties
  and descriptors are interpreted;
- the time, random numbers of Python and NumPy, files: they would be taken once, when the program is compiled.
"""


def supported() -> list[str]:
    """The names of the syntax that is compiled: statements, then expressions."""
    statements = {c.__name__ for c in (*STMT, *REWRITES)} - {c.__name__ for c in REFUSED}
    return sorted(statements) + sorted({c.__name__ for c in EXPR} | set(PART_OF))


def refused() -> dict[str, tuple[str, str]]:
    """Name of the syntax node → what it is called, and the cure."""
    return {kind.__name__: entry for kind, entry in REFUSED.items()}


def _code(text: str) -> str:
    return "<br>".join(f"`{line}`" for line in text.replace("|", "\\|").split("\n"))


def _table(head: tuple, rows: list) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def page() -> str:
    """The text of docs/language.md."""
    rows = [(name, _code(EXAMPLES[name][0]), EXAMPLES[name][1]) for name in supported()]
    parts = [HEAD, "## Supported\n", _table(("syntax", "example", "note"), rows)]
    rows = [(name, _code(program), note) for name, (program, note) in FORMS.items()]
    parts += [
        "## Functions, objects and composite functions\n",
        "Over `State`, a dataclass; `Pair`, a named tuple; `Halved`, which can be entered; `CELLS`, a list of cells; `sort`, made by `ms.host`; `double`, "
        "a `MultitypeFuncGraph`.\n",
        _table(("what", "example", "note"), rows),
    ]
    rows = [
        (f"`{called}`", _code(EXAMPLES[name][0]), cure, EXAMPLES[name][1])
        for name, (called, cure) in refused().items()
    ]
    parts += [
        "## Refused\n",
        "Each is an error that names the construct at its line, with the cure. `ms.jit(fallback=True)` runs such a function\n"
        "eagerly instead, with a warning that names the line.\n",
        _table(("construct", "example", "instead", "note"), rows),
    ]
    parts += [
        RULES,
        "## Functions known to the compiler\n",
        _names("Builtins", builtins),
        *[
            _names(m.__name__, m)
            for m in (math, itertools, functools, operator, heapq, bisect, contextlib, copy)
        ],
    ]
    by_class: dict = {}
    methods = [
        k for k in EMITTERS if type(k) is tuple and isinstance(k[0], type) and k[1] != "__call__"
    ]
    for cls, name in (*methods, *GIVEN.items()):
        by_class.setdefault(cls.__name__, []).append(name)
    parts += [
        f"Methods of `{cls}`: {', '.join(f'`{n}`' for n in sorted(names))}.\n"
        for cls, names in by_class.items()
    ]
    parts.append(
        "Of values known while compiling, the other methods of `str`, and those of `int`, `float`, `complex`, "
        "`bytes`, `range`,\n`slice`, `frozenset` and classes too.\n"
    )
    return "\n".join(parts)


def _names(title: str, module) -> str:
    names = sorted(n for n in dir(module) if n[0].islower() and _known(getattr(module, n)))
    return f"{title}: {', '.join(f'`{n}`' for n in names)}.\n"


def _known(fn) -> bool:
    try:
        return fn in EMITTERS
    except TypeError:
        return False


if __name__ == "__main__":
    with open(PAGE, "w") as f:
        f.write(page())
