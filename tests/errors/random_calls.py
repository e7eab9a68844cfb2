"""Random calls of public names, in a process of its own: ``python random_calls.py eager|graph COUNT
SEED JOURNAL [NAME ... | PART/PARTS]``.

A call is made from the example of its docstring, with an argument or two replaced, or altogether from
what the docstring says of the arguments; what replaces them is sensible or nonsense. It may return,
or raise one of `ALLOWED` that names what was called, within a second. The last line printed is a JSON
list of the faults; the file JOURNAL holds the call under way, for the case that the process dies.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import doctest
import enum
import fcntl
import importlib.util
import inspect
import io
import json
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
import types
import warnings
import zlib

import numpy as np
import scipy.linalg
import scipy.special

import minds as ms
import minds.scipy
from minds import Tensor, nn, ops
from minds.base import described
from minds.base.errors import InternalError
from minds.base.worded import WrongType, WrongValue
from minds.mindrecord.errors import MindRecordException
from minds.ops.define import Op
from minds.ops.primitive import Primitive

ALLOWED = (TypeError, ValueError, IndexError, RuntimeError)
SECONDS, HANGING, WAITING, MEMORY = 1.0, 10, 300, 1 << 30
"""A call may take a second, and is ended after so many of the processor, or of waiting for one."""
HERE = os.path.dirname(os.path.abspath(__file__))


def load_tool():
    """The list of public names that docstrings are counted by."""
    path = os.path.join(HERE, "..", "..", "tools", "docstrings.py")
    spec = importlib.util.spec_from_file_location("docstrings", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def T(shape, dtype="float32", fill=None):
    """A tensor whose elements count, or are all ``fill``."""
    size = int(np.prod(shape))
    data = np.arange(size).reshape(shape) % 5 if fill is None else np.full(shape, fill)
    return Tensor(data.astype(dtype))


CYCLE: list = []
CYCLE.append(CYCLE)
SCOPE = {
    "CYCLE": CYCLE,
    "T": T,
    "Tensor": Tensor,
    "inf": float("inf"),
    "ms": ms,
    "nan": float("nan"),
    "nn": nn,
    "np": np,
    "ops": ops,
    "types": types,
}
DTYPES = (
    "float32 float64 float16 int32 int64 int8 uint8 uint16 bool complex64 complex128 int16".split()
)
NONSENSE = """None | 'text' | '' | 2**70 | -2**70 | 2**31 | 2**31 - 1 | 2**40 | 2**62 | 10**9 | -1 | -7 |
    0 | 1 | 3 | 0.5 | -0.5 | nan | inf | -inf | 1j | True | False | () | [] | {} | {'a': 1} | {1: 2} |
    (2, 'a') | [None] | ((1, (2,)), 3) | (2**40,) | (2**40, 2**40) | (-1, 2) | (0, 0) | (1, 1, 1, 1, 1) |
    (lambda: 0) | (lambda x: x) | (lambda *a: a) | len | int | float | object() | ms.float32 | ms.bool_ |
    np.ones((2, 3)) | np.array('a') | np.float32(2) | np.int64(3) | slice(1) | ... | range(3) | b'x' |
    [T((2,)), 'a'] | [T((2, 3)), T((3, 2))] | (T((2,)), T((2,))) | nn.ReLU() | [1.5, 2.5] | set() |
    [object()] | T((2, 3), fill=nan) | T((2, 3), 'int64', 2**40) | T((2, 3), 'int32', -9) | T(()) |
    T((0,)) | T((0, 3)) | T((2, 3, 0)) | ms.Parameter(T((2, 3)), name='p') | np.float64('nan') |
    np.float64('inf') | np.bool_(True) | np.int8(-1) | np.uint64(2**64 - 1) | np.complex64(1j) |
    np.array(2) | np.zeros((0,)) | np.array([None]) | np.array([[1, 2], [3, 4]], 'int64') | np.str_('a') |
    np.datetime64('2000-01-01') | np.dtype('float32') | 10**400 | -10**400 | 2**63 | -2**63 | 2**64 |
    float(2**63) | -0.0 | 5e-324 | 1e400 | [[1, 2], [3]] | [[[[]]]] | [[], []] | [True, False] | (True,) |
    [0.0, nan] | (None, None) | ['a', 'b'] | [2**70] | (1.0, 2) | (0, 1, 2, 3) | (0, 0, 0) | [-2, -1] |
    iter((1, 2)) | (i for i in (1, 2)) | zip((1,), (2,)) | map(len, ()) | {1, 2} | frozenset((1,)) | ms |
    types.SimpleNamespace(shape=(2,)) | CYCLE | memoryview(b'ab') | bytearray(3) | complex('nan') |
    T((3, 2)).T | T((4, 6))[::2, ::-1] | T((2, 3), fill=inf) | T((2, 3), 'int64', -2**63) |
    T((2, 3), 'bool') | T((1,), 'int64') | T((2, 3), 'complex64') | T((1, 1, 1, 1, 1, 1, 1)) |
    T((1,)).expand((2**12,)) | ms.Parameter(T(()), name='q') | [ms.Parameter(T((2,)), name='r')] |
    [T(()), T((1,), 'int32')] | [T((0,)), T((2, 3))] | [[T((2,))], T((2,))] | {'x': T((2, 3))} |
    Tensor(shape=(None, 3), dtype=ms.float32) | (lambda x, y: x) | (lambda *a: None) |
    (lambda *a: a[99]) | ops.add | nn.Dense(3, 2) | nn.Dense | Tensor | ms.Parameter | Tensor.add |
    '\\x00' | 'é' | 'mean' | 'float32' | 'a' * 10**4 | ms.string""".replace("\n", " ")
NONSENSE = [e.strip() for e in NONSENSE.split(" | ")]


# ---- arguments


def a_tensor(rng, says: str = "") -> str:
    """A tensor, perhaps of the rank and dtype that a docstring says."""
    dims = re.search(r"Tensor\[\(([^)]*)\)", says)
    rank = rng.choice((0, 1, 1, 2, 2, 2, 3, 4, 5, 6))
    if dims and rng.random() < 0.7:
        rank = len([d for d in dims[1].split(",") if d.strip() and "..." not in d])
        rank += rng.randrange(3) * ("..." in dims[1])
    sizes = [rng.choice((1, 2, 2, 2, 3, 3, 4, 4, 0)) for _ in range(rank)]
    if rng.random() < 0.4:
        sizes = [sizes[0] or 2] * rank if rank else sizes
    kind = ("int32 int64" if " int" in says else "bool" if "bool" in says else "float32").split()
    dtype = rng.choice(kind) if rng.random() < 0.7 else rng.choice(DTYPES)
    return f"T({tuple(sizes)}, {dtype!r})"


def an_int(rng) -> str:
    return rng.choice("0 1 2 3 4 5 -1 -2 7 2**31 2**40 10**9 -5".split())


def some_ints(rng) -> str:
    many = rng.choice((0, 1, 2, 2, 3, 4))
    return "(" + "".join(an_int(rng) + ", " for _ in range(many)) + ")"


def fitting(rng, text: str) -> str:
    """A value of a type that a docstring gives."""
    options = re.split(r"\s*(?:\||, )\s*(?![^\[(]*[\])])", text)
    one = rng.choice(options)
    words = re.findall(r'``"(\w+)"``', text)
    many = re.match(r"(?:tuple|list)\[(.*)\]$", one)
    if many:
        if many[1].startswith("int"):
            return some_ints(rng)
        return "[" + ", ".join(fitting(rng, many[1]) for _ in range(rng.randrange(4))) + "]"
    if one.startswith(("Tensor", "object")):
        return a_tensor(rng, text)
    by_word = {
        "int": an_int,
        "bool": lambda r: r.choice(("True", "False")),
        "float": lambda r: r.choice("0.5 1.0 2.0 -1.0 0.0 1e30 1e-8".split()),
        "number": lambda r: r.choice("0 1 2 0.5 -1.5 True 3 2**40".split()),
        "str": lambda r: repr(r.choice(words or ["mean", "sum", "text", "same", "constant"])),
        "dtype": lambda r: "ms." + r.choice("float32 int32 bool_ float16 complex64 int64".split()),
        "Callable": lambda r: r.choice(("lambda x: x", "lambda *a: a[0]", "ops.sin", "len")),
        "Cell": lambda r: r.choice(("nn.ReLU()", "nn.Dense(3, 2)")),
        "Parameter": lambda r: f"ms.Parameter({a_tensor(r)}, name='w')",
        "dict": lambda r: r.choice(("{}", "{'a': 1}", "{'x': T((2,))}")),
        "tuple": some_ints,
        "list": some_ints,
        "None": lambda r: "None",
    }
    make = next((f for w, f in by_word.items() if one.startswith(w)), None)
    return make(rng) if make else rng.choice(NONSENSE)


def an_argument(rng, text: str) -> str:
    """A value for a parameter with that type."""
    draw = rng.random()
    if draw < 0.6:
        return fitting(rng, text)
    return rng.choice(NONSENSE) if draw < 0.9 else a_tensor(rng)


# ---- calls


class Target:
    """A public name, and what its docstring says of calls of it."""

    def __init__(self, path: str, value, method: bool):
        self.path, self.value, self.method = path, value, method
        self.name = path.rpartition(".")[2]
        self.doc = inspect.getdoc(value) or ""
        given = {s: described.types(self.doc, s) for s in ("Args", "Inputs")}
        self.types = {**given["Args"], **given["Inputs"]} if method else given["Args"]
        self.inputs = given["Inputs"]
        self.scope, self.examples = None, []

    def prepare(self) -> None:
        """Run the example and note its calls of the name."""
        self.scope = dict(SCOPE)
        sources = [e.source for e in doctest.DocTestParser().get_examples(self.doc)]
        for source in sources:
            with contextlib.suppress(Exception), quiet():
                exec(compile(source, "<example>", "single"), self.scope)
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Call):
                    called = getattr(node.func, "attr", getattr(node.func, "id", None))
                    starred = any(isinstance(a, ast.Starred) for a in node.args)
                    if called == self.name and not starred:
                        self.examples.append(node)

    def calls(self, rng):
        """The texts of a call: what is called, and its arguments."""
        owner = ""
        node = rng.choice(self.examples) if self.examples else None
        if node is not None and isinstance(node.func, ast.Attribute):
            owner = ast.unparse(node.func)
        elif node is not None:
            owner = ast.unparse(node.func)
        if self.path.startswith(("minds.Tensor.", "minds.Parameter.")) and rng.random() < 0.7:
            owner = f"{a_tensor(rng, next(iter(self.types.values()), ''))}.{self.name}"
        if not self.method:
            owner = "TARGET"
        if not owner:
            return None
        if node is not None and rng.random() < 0.6:
            args = [ast.unparse(a) for a in node.args]
            named = {k.arg: ast.unparse(k.value) for k in node.keywords if k.arg}
            for _ in range(rng.choice((1, 1, 2))):
                if args and (not named or rng.random() < 0.7):
                    i = rng.randrange(len(args))
                    says = list(self.types.values())[i : i + 1] or ["object"]
                    args[i] = an_argument(rng, says[0])
                elif named:
                    n = rng.choice(list(named))
                    named[n] = an_argument(rng, self.types.get(n, "object"))
            if rng.random() < 0.3 and self.types:
                n = rng.choice(list(self.types))
                named.setdefault(n, an_argument(rng, self.types[n]))
        else:
            args, named = self.random_arguments(rng, self.types)
        return owner, args, named

    def random_arguments(self, rng, says: dict):
        """Arguments as the docstring says, now and then too many, too few or unknown ones."""
        names = list(says)
        if self.method and names and names[0] in ("self", "input") and "Tensor" in self.path:
            names = names[1:]
        count = rng.randrange(len(names) + 1) if rng.random() < 0.5 else len(names)
        args = [an_argument(rng, says[n]) for n in names[:count]]
        named = {n: an_argument(rng, says[n]) for n in names[count:] if rng.random() < 0.3}
        draw = rng.random()
        if draw < 0.05:
            args.append(rng.choice(NONSENSE))
        elif draw < 0.1:
            named["unknown"] = rng.choice(NONSENSE)
        elif draw < 0.15 and args:
            args.pop(rng.randrange(len(args)))
        elif draw < 0.25 and args:  # all, or the last, by keyword; one of them twice
            first = rng.choice((0, len(args) - 1, len(args) - 1))
            named.update(zip(names[first:], args[first:]))
            del args[first + rng.choice((0, 0, 0, 1)) :]
        return args, named


@contextlib.contextmanager
def quiet():
    """Nothing of what a call prints or warns of is shown."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield


def shown(call) -> str:
    owner, args, named = call
    return f"{owner}({', '.join([*args, *[f'{k}={v}' for k, v in named.items()]])})"


SKIPPED = set(
    "Inspection WhileLoop fit fori_loop get_activation ms_function scalar_pow train while_loop".split()
)
"""A loop of the user's may be endless, and so many epochs, and a power of Python's ints; one says the
name that it is given; the others are another's.
"""


COMPILED = r"minds\.((ops|mint|numpy|scipy|nn)\..*|Parameter\..*|[a-z]\w*)"
"""What compiled code calls."""


def targets(mode: str, only: list[str]) -> list[Target]:
    """All public functions, classes and methods that may be called in a mode."""
    found = []
    for n in load_tool().public_names():
        if isinstance(n.value, property) or n.path.rpartition(".")[2] in SKIPPED:
            continue
        if isinstance(n.value, type) and issubclass(
            n.value, (BaseException, __import__("enum").Enum)
        ):
            continue
        if mode == "graph" and not re.fullmatch(COMPILED, n.path):
            continue
        if only and not any(is_chosen(n.path, o) for o in only):
            continue
        above = n.path.rpartition(".")[0].rpartition(".")[2]
        called = getattr(n.value, "__qualname__", "").rpartition("<locals>.")[2]
        of_class = isinstance(n.value, types.FunctionType) and "." in called
        method = (of_class or above[:1].isupper()) and not isinstance(n.value, type)
        found.append(Target(n.path, n.value, method))
    return found


def is_chosen(path: str, only: str) -> bool:
    """Whether a name is asked for: by a pattern, or as one of a part of all names."""
    part, _, parts = only.partition("/")
    if parts:
        return zlib.crc32(path.encode()) % int(parts) == int(part)
    return re.fullmatch(only, path) is not None


# ---- running


class Late(BaseException):
    """A call takes longer than any call may."""


def evaluate(target: Target, call):
    """What is called, and its arguments."""
    owner, args, named = call
    scope = dict(target.scope, TARGET=target.value)
    fn = eval(owner, scope)
    args = [eval(a, scope) for a in args]
    named = {n: eval(a, scope) for n, a in named.items()}
    return fn, args, named


def run(fn, args, named, mode):
    if mode == "eager" or isinstance(fn, type):
        return fn(*args, **named)

    def program():
        return fn(*args, **named)

    return ms.jit(program)()


def watch(began: float, began_cpu: float) -> None:
    """Raise `Late` when a call that began then hangs: on a busy machine it may only wait."""

    def late(signum, frame):
        if time.process_time() - began_cpu > HANGING / 2 or time.monotonic() - began > WAITING:
            raise Late
        signal.setitimer(signal.ITIMER_REAL, HANGING)

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, HANGING)


def judged(target, mode: str, fn, thunk):
    """Run a call; (fault or None, its result)."""
    began, began_cpu, result, fault = time.monotonic(), time.process_time(), None, None
    watch(began, began_cpu)
    try:
        try:
            with quiet():
                result = thunk()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Late:
        return f"more than {HANGING} s", None
    except OSError as e:
        fault = None if e.errno else judgement(target, mode, fn, e)
    except Exception as e:
        fault = judgement(target, mode, fn, e)
    fault = closed() or fault
    took = min(time.monotonic() - began, time.process_time() - began_cpu)
    if took > SECONDS:
        fault = f"{took:.1f} s ({fault})"
    return fault, result


SPARES: dict[int, int] = {}


def closed() -> str | None:
    """Which of the standard streams the call has closed, as `open` of a number does; they are opened
    again.
    """
    found = []
    for stream in (0, 1, 2):
        try:
            os.fstat(stream)
        except OSError:
            os.dup2(SPARES[stream], stream)
            found.append(stream)
        else:
            if stream not in SPARES:  # far from the small numbers that calls are made with
                SPARES[stream] = fcntl.fcntl(stream, fcntl.F_DUPFD, 200)
    return f"closed the standard streams {found}" if found else None


def judgement(target: Target, mode: str, fn, e: Exception) -> str | None:
    """What is wrong with an exception, or None."""
    said = str(e).splitlines()[0] if str(e) else ""
    what = f"{type(e).__name__}: {said}"
    if getattr(getattr(e, "complaint", None), "kernel", False) or is_of_example(e):
        return None
    documented = re.search(rf"\b{type(e).__name__}: ", target.doc.partition("Raises:")[2])
    if isinstance(e, SyntaxError) and (mode == "graph" or "cannot be read" in said):
        return None  # a lambda of an example; what compiled code does not do
    of_program = mode == "graph" and isinstance(
        e, ZeroDivisionError
    )  # what Python's operators raise
    if not isinstance(e, ALLOWED) and not documented and not of_program:
        return what
    if isinstance(e, InternalError) or not said:
        return what
    own = [getattr(v, "name", getattr(v, "__name__", "")) for v in (target.value, fn)]
    names = [
        target.name,
        target.path.split(".")[-2],
        *[str(n).rstrip("_") for n in own],
        "<lambda",
        "len",  # one of the functions that are called
        "int",
        r"object of type '\w+' has no len",  # what it says
    ]
    if mode == "graph":
        # A kernel says which op of the program it runs; what only compiled code can call is no
        # result; a list that holds itself is no value, a tensor that is declared has none.
        names += [
            r"[a-z]\w*(?=:)",
            "function",
            "Function in output",
            "values or calls are nested too deep",
            r"Tensor(?=\(shape=)",
        ]
    if target.method or isinstance(target.value, type):
        names.append(r"[A-Z]\w+")
    if isinstance(e, MindRecordException) and said.startswith(f"[{type(e).__name__}]: "):
        return None  # MindSpore's words and kinds, which programs look for: what could not be done
    worded = isinstance(e, (WrongType, WrongValue)) or target.path.startswith("minds.dataset.")
    if worded and names_an_argument(target, said):
        return None
    if not re.match(rf"(\w+\.)*({'|'.join(names)})\b", said):
        return f"not named: {what}"
    return None


def names_an_argument(target: Target, said: str) -> bool:
    """Whether an error in MindSpore's words, which programs look for, such as those of datasets and
    transforms, says which argument it is about (``img`` is an image that is transformed), or says the
    name as MindSpore writes it: EncodePng for encode_png.
    """
    words = set(re.findall(r"\w+", said))
    return not words.isdisjoint({*target.types, "img", target.name.title().replace("_", "")})


def is_of_example(e: Exception) -> bool:
    """Whether a function of the example, or one made here, has raised it."""
    at = e.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename in ("<example>", "<string>"):
            return True
        at = at.tb_next
    return False


def attempt(target: Target, mode: str, rng, log):
    """One random call; its text and its fault."""
    call = target.calls(rng)
    if call is None:
        return None, None
    text = shown(call)
    log.seek(0)
    log.write(f"{target.path}: {text:<400}"[:400])
    log.flush()
    try:
        fn, args, named = evaluate(target, call)
    except Exception:
        return None, None
    fault, result = judged(target, mode, fn, lambda: run(fn, args, named, mode))
    if fault is None and isinstance(target.value, type) and callable(result):
        args, named = target.random_arguments(rng, target.inputs)
        text += shown(("", args, named))
        values = (
            [eval(a, target.scope) for a in args],
            {n: eval(a, target.scope) for n, a in named.items()},
        )
        fault, _ = judged(target, mode, fn, lambda: run(result, *values, mode))
    return text, fault


def main(mode: str, count: int, seed: int, journal: str, only: list) -> list:
    """The faults found, as texts."""
    faults, number = [], 0
    closed()
    with (
        open(journal, "w") as log,
        os.fdopen(fcntl.fcntl(log.fileno(), fcntl.F_DUPFD, 200), "w") as log,
    ):
        for target in targets(mode, only):
            target.prepare()
            rng = random.Random(f"{target.path} {seed}")
            for _ in range(count):
                text, fault = attempt(target, mode, rng, log)
                number += text is not None
                if fault is not None:
                    faults.append(f"{target.path}: {text}: {fault}")
                ms.set_context(mode=ms.PYNATIVE_MODE)
    print(number, "calls")
    return faults


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.chdir(tempfile.mkdtemp())
    out = main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5:])
    print(json.dumps(out))
