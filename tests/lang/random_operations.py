"""Random operations of Python on values of any kind, in compiled code and in CPython.

``python tests/lang/random_operations.py COUNT SEED`` prints where they differ: a value that is
another one, an `InternalError`, an exception that is not one for users.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib.util
import io
import itertools
import os
import random
import sys
import tempfile
import warnings
from collections import deque

import numpy as np

import minds as ms
from minds import Tensor
from minds.base.errors import InternalError, UserError

PRELUDE = """import bisect, copy, dataclasses, functools, heapq, itertools, math, operator
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from minds import Tensor
Pair = namedtuple("Pair", "u v")
@dataclasses.dataclass
class Data:
    u: int
    v: int = 3
class Plain:
    k = 4
    def __init__(self, a=1):
        self.a = a
    def m(self, b):
        return self.a + b
"""
VALUES = """None | 1 | 0 | -1 | 3 | 2.5 | -0.0 | True | 'abc' | '' | 'a,b' | [1, 2, 3] | [] | (1, 2) |
    () | {'a': 1} | {} | {1, 2} | set() | frozenset((1,)) | 1j | b'ab' | range(3) | slice(1) |
    [3, 1, 2] | [(1, 2), (3, 4)] | {'b': 2, 'a': 1} | ['x', 'y'] | [[1], [2]] | 2**70 |
    float('nan') | float('inf') | x | n | x[0] | [x, x] | {'k': x} | (x, 1) | len | int | str |
    (lambda: 0) | (lambda v: v) | (lambda a, b: a) | (lambda v: 1 / v) | (lambda v: v[0]) | ... |
    deque((1, 2)) | Counter('aab') | OrderedDict(a=1) | iter([1, 2]) | '{}' | '%s %d' |
    (i for i in (1, 2)) | enumerate(['a']) | zip((1,), (2,)) | Pair(1, 2) | [None] | ['a', 1] |
    Data(1, 2) | Plain()"""
VALUES = [v.strip() for v in VALUES.replace("\n", " ").split(" | ")]
FUNCTIONS = """abs all any ascii bin bool bytes chr complex dict divmod enumerate filter float frozenset
    getattr hasattr hex int isinstance issubclass iter len list map max min next oct ord pow
    range repr reversed round set slice sorted str sum tuple type zip itertools.accumulate
    itertools.combinations itertools.compress itertools.islice itertools.pairwise
    itertools.permutations itertools.product itertools.tee itertools.zip_longest functools.reduce
    math.sqrt math.log math.floor math.gcd math.factorial math.pow math.fsum math.isclose
    math.comb math.prod math.dist math.isqrt math.atan2 math.trunc deque Counter OrderedDict
    heapq.nlargest heapq.heappop bisect.bisect_left copy.copy copy.deepcopy operator.add
    operator.getitem operator.setitem operator.contains operator.countOf operator.neg
    operator.iadd operator.delitem Data Pair Plain dict.fromkeys object list.append str.join
    dict.get set.add str.format""".split()
OWNERS = """[3, 1, 2] | {'a': 1, 'b': 2} | {1, 2} | 'a,b' | (1, 2) | deque((1, 2), 5) | Counter('aab') |
    OrderedDict(a=1) | Pair(1, 2) | 2.5 | 7 | b'ab' | range(4) | frozenset((1,)) | 1j |
    slice(1) | Data(1, 2) | [x, x] | {'k': x}"""
OWNERS = [v.strip() for v in OWNERS.replace("\n", " ").split(" | ")]
OPERATORS = "+ - * / // % ** << >> & | ^ @ == != < <= > >= in and or".split() + ["not in"]
NAMES = "key default start reverse strict maxlen base sep u zz a".split()


class Maker:
    """Makes functions of ``x``, a tensor, and ``n``, an int."""

    def __init__(self, rng):
        self.rng, self.methods = rng, {}
        self.scope = {"x": Tensor([1.0, 2.0, 3.0]), "n": 2}
        exec(PRELUDE, self.scope)

    def value(self) -> str:
        return self.rng.choice(VALUES)

    def arguments(self) -> str:
        out = [self.value() for _ in range(self.rng.choice((0, 1, 1, 1, 2, 2, 3)))]
        if self.rng.random() < 0.12:
            out.append(f"{self.rng.choice(NAMES)}={self.value()}")
        if self.rng.random() < 0.06:
            out.insert(0, "*" + self.value())
        return ", ".join(out)

    def method(self) -> list:
        owner = self.rng.choice(OWNERS)
        if owner not in self.methods:
            names = dir(eval(owner, self.scope))
            self.methods[owner] = [n for n in names if not n.startswith("_")] + ["__contains__"]
        name = self.rng.choice(self.methods[owner])
        return [f"o = {owner}", f"r = o.{name}({self.arguments()})", "return r, o"]

    def place(self) -> str:
        return self.rng.choice((self.value(), f"{self.value()}:{self.value()}", "::-1", "1:", "n"))

    def change(self) -> list:
        v, at, op = self.value(), self.place(), self.rng.choice("+-*/&|")
        made = self.rng.choice((f"o[{at}] = {v}", f"del o[{at}]", f"o[{at}] {op}= {v}"))
        return [f"o = {self.value()}", made, "return o"]

    def body(self) -> list:
        choose, v = self.rng.choice, self.value
        kinds = {
            "call": lambda: [f"return {choose(FUNCTIONS)}({self.arguments()})"],
            "method": self.method,
            "binary": lambda: [f"return {v()} {choose(OPERATORS)} {v()}"],
            "item": lambda: [f"return ({v()})[{self.place()}]"],
            "change": self.change,
            "unpack": lambda: [
                f"{choose(('a, b', 'a, *b', '(a, b), c', '[a]'))} = {v()}",
                "return a",
            ],
            "update": lambda: [f"o = {v()}", f"o {choose('+-*/%&|^@')}= {v()}", "return o"],
            "attribute": lambda: [f"o = {v()}", f"return o.{choose(('shape', 'a', 'real', 'u'))}"],
            "each": lambda: [f"return [{choose(('v + 1', 'v[0]', 'float(v)'))} for v in {v()}]"],
            "unary": lambda: [f"return {choose('-~')}{v()}"],
        }
        weights = (9, 7, 4, 2, 3, 1, 2, 1, 1, 1)
        return self.rng.choices(list(kinds.values()), weights)[0]()


def plain(v, depth: int = 0):
    """What can be compared of a result: data, and of all else its class."""
    if isinstance(v, Tensor):
        return str(v.dtype), v.shape, v.asnumpy().tolist().__repr__()
    if isinstance(v, (list, tuple, deque)) and depth < 6:
        return type(v).__name__, [plain(e, depth + 1) for e in v]
    if isinstance(v, dict):
        return type(v).__name__, [(plain(k), plain(e, depth + 1)) for k, e in v.items()]
    if isinstance(v, (set, frozenset)):
        return type(v).__name__, sorted(repr(plain(e)) for e in v)
    if type(v).__name__ in ("Plain", "Data"):
        return type(v).__name__, [plain(e, depth + 1) for e in vars(v).values()]
    if isinstance(v, (int, float, complex, str, bytes, type(None))):
        return None if isinstance(v, str) and " at 0x" in v else repr(v)
    if hasattr(v, "__next__"):
        with contextlib.suppress(Exception):
            return [plain(e, depth + 1) for e in itertools.islice(v, 20)]
    return None


def outcome(fn, n: int = 2):
    """(the result, None) or (None, the exception)."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fn(Tensor(np.array([1, 2, 3], np.float32)), n), None
    except Exception as e:
        return None, e


def verdict(fn) -> str | None:
    """What is wrong with a function, compiled."""
    expected, error = outcome(fn)
    got, raised = outcome(ms.jit(fn))
    if isinstance(raised, InternalError):
        return str(raised)
    if raised is not None and not isinstance(raised, UserError) and type(raised) is not type(error):
        return f"{type(raised).__name__}: {raised}"
    if error is None and raised is None and plain(expected) != plain(got):
        return f"{plain(got)}, and not {plain(expected)}"
    return None


def functions(count: int, seed: int, folder: str):
    """(text, function) of so many."""
    maker, sources = Maker(random.Random(seed)), []
    while len(sources) < count:
        body = "\n    ".join(maker.body())
        source = f"def f{len(sources)}(x, n):\n    {body}\n"
        with warnings.catch_warnings(), contextlib.suppress(SyntaxError):
            warnings.simplefilter("ignore")
            builtins.compile(source, "f", "exec")
            sources.append(source)
    path = os.path.join(folder, "operations.py")
    with open(path, "w") as file:
        file.write(PRELUDE + "\n".join(sources))
    spec = importlib.util.spec_from_file_location("operations", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["operations"] = module
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec.loader.exec_module(module)
    return [(source, getattr(module, f"f{i}")) for i, source in enumerate(sources)]


def faults(count: int, seed: int, folder: str) -> list:
    """(text, what is wrong) of those among so many that are wrong."""
    found = [(text, verdict(fn)) for text, fn in functions(count, seed, folder)]
    return [(text, wrong) for text, wrong in found if wrong is not None]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        for one in faults(int(sys.argv[1]), int(sys.argv[2]), made):
            print(*one, sep="\n  ")
