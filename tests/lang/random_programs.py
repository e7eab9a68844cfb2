"""Writes random Python functions over numbers and small tensors, and runs each in every way.

In every fourth, what the program reads outside changes between its calls (`random_captures`).

A program of a seed is a module with ``program(x, y, n, m, p, q)``: two tensors, two ints, a float and a
bool, all known only at run time. Its grammar stands in `random_grammar` and `random_statements`.

    python tests/lang/random_programs.py 2000 [first seed] [raising]

From the command line the gradients are compared with differences, too.
"""

from __future__ import annotations

import importlib.util
import os
import random
import sys
import tempfile
import traceback

import random_captures
from random_grammar import Scope
from random_statements import Statements

REFUSALS = (
    "differentiated, mapped or recursive changes a list or dict made outside of it",
    "differentiated, mapped or recursive changes a tensor made outside of it",
    "cannot be used any more",
    "is changed in a loop, and",
    "under a run-time condition",
    "may be an argument of the compiled function",
    "only the run knows how many elements",
    "is changed in a loop, and in a list",
)
"""Documented refusals that a program may meet."""

RAISED = ("is caught outside of it", "raises on every path", "have no common type")
"""Those of programs that raise."""

OF_KERNELS = ("ZeroDivisionError", "IndexError: tuple index")

HEAD = """import dataclasses
import functools
import math

import numpy as np

import minds as ms
from minds import Tensor, nn, ops

DENSE = nn.Dense(
    3,
    3,
    Tensor([[0.5, -0.25, 1.0], [0.0, 0.75, -0.5], [0.3, 0.1, -1.0]]),
    Tensor([0.25, -0.5, 0.125]),
)


class Refused(Exception):
    pass


class State:
    def __init__(self, x, count=0):
        self.x = x
        self.count = count

    def step(self, v, by=1):
        if by > 2:
            self.x = self.x * 0.5 + v
        self.count = (self.count + by) % 7

    def value(self, v):
        return ops.tanh(self.x * v) + self.count

    @staticmethod
    def rows(v):
        return [v, v * 0.5]


@dataclasses.dataclass
class Record:
    t: Tensor
    i: int = 2

    @property
    def half(self):
        return self.t * 0.5 + self.i

    def __iter__(self):
        return iter((self.t, self.i))


def scaled(k):
    return lambda v: v * k


"""
LENGTH = 3


def write(seed: int, raising: bool = False) -> str:
    """The source of the program of a seed."""
    w = Statements(seed, raising=raising)
    result = w.r.choice(("t", "ti", "tf", "tib", "tt"))
    w.put(0, "def program(x, y, n, m, p, q):")
    names = {"t": ["x", "y"], "i": ["n", "m"], "f": ["p"], "b": ["q"]}
    s = Scope(names | {k: [] for k in ("lt", "li", "ll", "d", "o", "r", "g", "y")}, {}, ())
    w.put(1, "q = q and m % 2 == 1")  # a bool among the arguments is known while compiling
    if not w.block(s, 1, False, True, result, least=4):
        w.leave(s, 1, result)
    w.lines += ["", "", "def loss(x, y, n, m, p, q):"]
    w.put(1, "out = program(x, y, n, m, p, q)")
    first = "out" if result == "t" else "out[0]"
    w.put(1, f"return ({first} * ops.cos(x)).sum(){' + out[1].mean()' if result == 'tt' else ''}")
    body = "\n".join(w.lines) + "\n"
    if seed % 4 != 3:
        return HEAD + body
    return (
        HEAD + random_captures.FROZEN + random_captures.HEAD + random_captures.capture(body, seed)
    )


def load(source: str, directory: str, name: str):
    """The module of a source, written to a file: compiled code needs to read it."""
    path = os.path.join(directory, f"{name}.py")
    with open(path, "w") as f:
        f.write(source)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def inputs(seed: int, dtype: str = "float32") -> list[tuple]:
    """Arguments to call a program with: one compile, several ways through it."""
    import numpy as np

    from minds import Tensor

    rng = np.random.default_rng(seed)
    x, y = (Tensor(rng.standard_normal(LENGTH).astype(dtype)) for _ in range(2))
    return [(x, y, 2, 5, 0.75, True), (x, y, 0, 2, -1.25, True), (x, y, 4, 3, 2.5, True)]


def check(seed: int, directory: str, numeric: bool = False, raising: bool = False) -> bool:
    """CPython = compiled to the bit, and tape = compiled gradient but for the order of sums, of the
    program of a seed; False if it is refused.

    Raises:
        AssertionError: they differ.
    """
    module = load(write(seed, raising), directory, f"program_{seed}")
    return check_raising(module, seed) if raising else check_module(module, seed, numeric)


def check_raising(module, seed: int) -> bool:
    """What `check` does, for a program that may raise; and where it raises, the same."""
    from agreement import Sums, assert_same

    import minds as ms

    def gradient(x, y, n, m, p, q):
        return ms.value_and_grad(module.loss, (0, 1))(x, y, n, m, p, q)

    for eager in (module.program, gradient):
        compiled = ms.jit(eager)
        for k in range(3):
            args, same = inputs(seed)[k], inputs(seed)[k]
            found, raised = outcome(compiled, same)
            if any(text in raised for text in (*REFUSALS, *RAISED)):
                return False
            with Sums() as sums:
                value, error = outcome(eager, args)
            if error.startswith(OF_KERNELS) and not raised.startswith(OF_KERNELS):
                continue  # of a number that nothing uses, which is not computed
            both = bool(error and raised)  # a derivative may find another error of several first
            same_kind = error.split(":")[0] == raised.split(":")[0]
            assert same_kind or both and eager is gradient, (error, raised)
            if not error:  # else eager code may have changed its arguments
                assert_same((found, same), (value, args), sums)
    return True


def outcome(fn, args: tuple) -> tuple:
    """(what ``fn`` returns, the class and text of what it raises)."""
    try:
        return fn(*args), ""
    except Exception as e:
        return None, f"{type(e).__name__}: {e}"


def check_module(module, seed: int, numeric: bool = False) -> bool:
    """What `check` does, for a program that is there."""
    from agreement import Sums, assert_same

    import minds as ms

    program, loss = ms.jit(module.program), module.loss

    def gradient(x, y, n, m, p, q):
        return ms.value_and_grad(loss, (0, 1))(x, y, n, m, p, q)

    compiled = ms.jit(gradient)
    fresh = [inputs(seed) for _ in range(4)]  # a program may set items of its arguments
    for turn, (args, same, twin, last) in enumerate(zip(*fresh)):
        if turn and hasattr(module, "change"):
            module.change(random.Random(3 * seed + turn))
        try:
            got, slope = program(*same), compiled(*twin)
        except (TypeError, SyntaxError) as e:
            if any(text in str(e) for text in REFUSALS):
                return False
            raise
        with Sums() as sums:  # there are some if the program takes gradients itself
            value = module.program(*args)
        assert_same((got, same), (value, args), sums)
        with Sums() as sums:
            value = gradient(*last)
        assert_same((slope, twin), (value, last), sums)
    if numeric:
        check_differences(module, seed)
    return True


def check_second_order(seed: int, directory: str) -> bool:
    """The compiled derivative of the gradient along a direction is the tape's, for the program of a
    seed; False if it is refused.

    Raises:
        AssertionError: they differ.
    """
    import numpy as np

    import minds as ms

    module = load(write(seed), directory, f"second_{seed}")

    def slope(x, y, n, m, p, q):
        dx, dy = ms.grad(module.loss, (0, 1))(x, y, n, m, p, q)
        return (dx * 0.75 - dy * 0.5).sum()

    compiled = ms.jit(ms.grad(slope, (0, 1)))
    for args, same in zip(inputs(seed, "float64"), inputs(seed, "float64")):
        try:
            found = compiled(*same)
        except (TypeError, SyntaxError) as e:
            if any(text in str(e) for text in REFUSALS):
                return False
            raise
        for a, b in zip(found, ms.grad(slope, (0, 1))(*args)):
            a, b = a.asnumpy(), b.asnumpy()
            scale = max(1.0, np.abs(b[np.isfinite(b)]).max(initial=0))
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-9 * scale)
    return True


def check_differences(module, seed: int) -> None:
    """The tape's gradient, where differences of two sizes agree on one.

    Raises:
        AssertionError: it is another.
    """
    import numpy as np

    import minds as ms
    from minds import Tensor

    with open(module.__file__) as f:
        if "DENSE(" in f.read():  # its weights are of single precision
            return
    rng = np.random.default_rng(seed)
    for x, y, *rest in inputs(seed, "float64"):
        direction = rng.standard_normal((2, LENGTH))

        def along(t):
            moved = [Tensor(v.asnumpy() + t * d) for v, d in zip((x, y), direction)]
            return float(module.loss(*moved, *rest))

        sizes = (1e-4, 1e-5)
        slopes = [(along(h) - along(-h)) / (2 * h) for h in sizes]
        sides = [(along(h) - along(0.0)) / h for h in (-1e-6, 1e-6)]
        scale = max(1.0, *map(abs, slopes))
        if max(abs(s - slopes[1]) for s in (slopes[0], *sides)) < 1e-4 * scale:
            grads = ms.grad(module.loss, (0, 1))(x, y, *rest)
            found = sum(float((g.asnumpy() * d).sum()) for g, d in zip(grads, direction))
            assert abs(found - slopes[1]) < 1e-3 * scale, f"gradient {found}, differences {slopes}"


def main(count: int, first: int, raising: bool = False) -> int:
    """Check many programs; prints and keeps those that fail, returns how many."""
    failed: dict = {}
    refused = 0
    directory = tempfile.mkdtemp(prefix="programs-")
    for seed in range(first, first + count):
        try:
            refused += not check(seed, directory, numeric=True, raising=raising)
            os.remove(os.path.join(directory, f"program_{seed}.py"))
        except Exception as e:
            text = (str(e) or traceback.format_exc()).strip().splitlines()
            failed[seed] = f"{type(e).__name__}: {text[0] if text else ''}"
            print(f"seed {seed}: {failed[seed]}", flush=True)
    print(
        f"{count} programs from seed {first}: {refused} refused, {len(failed)} failed; "
        f"their sources are in {directory}"
    )
    return len(failed)


if __name__ == "__main__":
    sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
    numbers = [int(a) for a in sys.argv[1:] if a != "raising"]
    sys.exit(bool(main(*(numbers + [100, 0][len(numbers) :]), "raising" in sys.argv)))
