"""Deep, long and endless programs: compiled, in time linear in their length, or refused in words;
never a hang.
"""

import signal
import sys
import threading

import numpy as np
import pytest
from agreement import agree
from random_programs import load

import minds as ms
from minds import Tensor, nn, ops
from minds.base import deep
from minds.base.errors import ParseError
from minds.frontend import interp

X = Tensor([1.0, 2.0])


def program(source: str, directory):
    return load(f"from minds import ops\n\n\n{source}", str(directory), "limits").f


def chain(n: int) -> str:
    return "def f(x, n):\n    return " + " + ".join(["x"] * n)


def many_elif(n: int) -> str:
    lines = [f"    elif n == {i}:\n        x = x + {i}\n" for i in range(1, n)]
    return "def f(x, n):\n    if n == 0:\n        pass\n" + "".join(lines) + "    return x"


def conditional_expressions(n: int) -> str:
    return (
        "def f(x, n):\n    return " + "".join(f"x * {i} if n == {i} else " for i in range(n)) + "x"
    )


def short_circuit(n: int) -> str:
    return "def f(x, n):\n    return " + " and ".join(f"n > -{i}" for i in range(n))


def nested_ifs(n: int) -> str:
    lines = [f"{'    ' * (i + 1)}if n > {i}:\n{'    ' * (i + 2)}x = x * 1.5\n" for i in range(n)]
    return "def f(x, n):\n" + "".join(lines) + "    return x"


def calls(n: int) -> str:
    fns = [f"def g{i}(x):\n    return g{i - 1}(x) + 1.0\n\n\n" for i in range(1, n)]
    return "def g0(x):\n    return x\n\n\n" + "".join(fns) + f"def f(x, n):\n    return g{n - 1}(x)"


@pytest.mark.parametrize(
    "source, n",
    [
        (chain, 1000),
        (many_elif, 400),
        (conditional_expressions, 150),
        (short_circuit, 300),
        (nested_ifs, 80),
        (calls, 1000),
    ],
)
def test_deeply_nested(source, n, tmp_path):
    fn = program(source(n), tmp_path)
    for k in (0, 3, n - 1):
        if source is not calls:
            agree(fn, X, k)
    if source is calls:
        assert float(ms.jit(fn)(X, 1)[0]) == n


def evaluations(monkeypatch, fn, *args) -> int:
    """How many expressions and statements a compilation interprets."""
    count = 0
    plain = interp.Interp.here

    def here(self):
        nonlocal count
        count += 1
        return plain(self)

    with monkeypatch.context() as m:
        m.setattr(interp.Interp, "here", here)
        ms.jit(fn)(*args)
    return count


@pytest.mark.parametrize(
    "line", ["    x = x * 0.5 + n\n", "    n = n + 1\n", "    if n > 3:\n        x = x + n\n"]
)
def test_long_functions_take_linear_time(line, tmp_path, monkeypatch):
    def source(n):
        return "def f(x, n):\n" + line * n + "    return x, n"

    short, long = [evaluations(monkeypatch, program(source(n), tmp_path), X, 1) for n in (100, 800)]
    assert long < 9 * short


class Layer(nn.Cell):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def construct(self, x):
        return ops.tanh(x * self.k)


def test_many_cells_take_linear_time(monkeypatch):
    def stack(n):
        cells = nn.CellList([Layer(i) for i in range(n)])

        def f(x):
            for c in cells:
                x = c(x)
            return x

        return f

    short, long = [evaluations(monkeypatch, stack(n), X) for n in (25, 200)]
    assert long < 9 * short


def test_mutual_recursion_takes_linear_time(monkeypatch, tmp_path):
    def ring(n):
        lines = ["def f(x, k):"]
        for i in range(n):
            a, b, c = [(i + j) % n for j in (1, 2, 3)]
            more = f"f{a}(ops.sin(v), k - 1) + f{b}(v, k - 2) - f{c}(v * x, k - 3)"
            lines.append(f"    def f{i}(v, k): return v * {i + 1} if k <= 0 else {more}")
        return program("\n".join([*lines, "    return f0(x, k)"]), tmp_path)

    short, long = [evaluations(monkeypatch, ring(n), X, 3) for n in (4, 16)]
    assert long < 6 * short


def test_known_depth_under_data_takes_linear_time(monkeypatch):
    def deep(n):
        def go(v, i):
            if i == 0:
                return v
            if v.sum() > 1.0:
                return go(v * 0.5, i - 1) + go(v * 0.25, i - 1)
            return go(ops.sin(v), i - 1)

        return lambda x: go(x, n)

    short, long = [evaluations(monkeypatch, deep(n), X) for n in (8, 32)]
    assert long < 6 * short


def test_loops_in_loops_are_not_multiplied(monkeypatch):
    def two(x):
        for _ in range(8):
            for _ in range(8):
                x = x * 0.5
        return x

    def five(x):
        for _ in range(8):
            for _ in range(8):
                for _ in range(8):
                    for _ in range(8):
                        for _ in range(8):
                            x = x * 0.5
        return x

    assert evaluations(monkeypatch, five, X) < 200 * evaluations(monkeypatch, two, X)


@pytest.mark.parametrize(
    "body, error, message",
    [
        ("while True:\n    x = x + 1", RuntimeError, "this loop never ends"),
        ("i = 0\nwhile i < 3:\n    x = x + 1", RuntimeError, "this loop never ends"),
        ("i = ()\nwhile len(i) >= 0:\n    i = i + (1,)", TypeError, "no common type"),
        ("i = 'a'\nwhile i:\n    i = i + 'a'", TypeError, "no common type"),
        ("def g(t):\n    return g((t,))\nx = g(x)", RecursionError, "nested more than"),
        ("def g(k):\n    return g(k + 'a')\nx = g('')", RecursionError, "nested more than"),
        ("def g(k):\n    return g(k + 1)\nx = g(0)", RecursionError, "every path calls it again"),
        (
            "def g(k):\n    return h(k)\ndef h(k):\n    return g(k)\nx = g(x)",
            RecursionError,
            "every path",
        ),
        ("g = lambda k: g(k)\nx = g(n)", RecursionError, "every path"),
        ("x = list(range(10 ** 9))", MemoryError, "at most 1000000"),
        ("x = [i for i in range(10 ** 7)]", MemoryError, "at most 1000000"),
        ("x = [0] * 10 ** 10", MemoryError, "at most 10000000"),
        ("x = 'a' * 10 ** 11", MemoryError, "at most 10000000"),
        ("x = 10 ** 10 ** 8", OverflowError, "more than 10000000 bits"),
        ("x = 1 << 10 ** 12", OverflowError, "more than 10000000 bits"),
    ],
)
def test_what_would_not_end_is_refused(body, error, message, tmp_path):
    source = (
        "def f(x, n):\n" + "".join(f"    {line}\n" for line in body.split("\n")) + "    return x"
    )
    with pytest.raises(error, match=message) as e:
        ms.jit(program(source, tmp_path))(X, 3)
    assert "limits.py" in str(e.value)


def test_an_object_of_a_class_made_inside_is_not_returned():
    @ms.jit
    def f(x):
        class A:
            def g(self):
                return x

        return A()

    with pytest.raises(TypeError, match="A, of a class made in compiled code, is returned"):
        f(Tensor([1.0]))


def test_a_cell_is_no_base_of_a_class_made_inside():
    @ms.jit
    def f(x):
        class Net(nn.Cell):
            def construct(self, v):
                return v

        return Net()(x)

    with pytest.raises(ParseError, match="a class derived from Cell cannot be made"):
        f(Tensor([1.0]))


def test_an_attribute_of_a_class_made_inside_is_known():
    @ms.jit
    def f(x, n):
        class A:
            k = int(n)

        return x * A.k

    with pytest.raises(ParseError, match="'k' of a class is int, which only the run knows"):
        f(Tensor([1.0]), Tensor(2))
    assert float(f(Tensor([1.0]), 2)) == 2.0


ENDLESS = """def f(x, n):
    def g(v, k):
        if v.sum() > -1.0:
            return CALL
        return v
    return g(x * x, n)
"""


@pytest.mark.parametrize("call", ["g(v * 0.5, k + 1)", "h(v * 0.5, k + 1)"])
def test_endless_calls_in_tail_position_end(call, tmp_path):
    body = ENDLESS.replace("CALL", call)
    body = body.replace(
        "    return g(x", "    def h(v, k):\n        return g(v, k)\n    return g(x"
    )
    f = ms.jit(program(body, tmp_path))
    before = ms.get_context("max_call_depth")
    ms.set_recursion_limit(2)
    try:
        with pytest.raises(RecursionError, match="nested more than 2000 deep") as e:
            f(X, 3)
        with pytest.raises(RecursionError, match="nested more than 2000 deep"):
            ms.jit(lambda x: ms.grad(lambda v: f(v, 3).sum())(x))(X)
    finally:
        ms.set_recursion_limit(before)
    assert "limits.py" in str(e.value)


def test_calls_may_nest_deep():
    @ms.jit
    def down(x, n):
        def g(v, k):
            if k <= 0:
                return v
            return g(v + 1.0, k - 1)

        return g(x, n)

    np.testing.assert_array_equal(down(X, 50_000).asnumpy(), X.asnumpy() + 50_000)


def test_an_interrupted_deep_compilation_ends_before_its_caller_goes_on():
    """Else the thread is deeper than the limit that is set again, which ends CPython."""
    states = []

    def nested(n):
        return 0 if n == 0 else 1 + nested(n - 1)

    def work():
        if not states:
            states.append(threading.main_thread())
            raise RecursionError
        for _ in range(10**6):
            nested(5000)

    def late(signum, frame):
        raise KeyboardInterrupt

    before, limit = signal.signal(signal.SIGALRM, late), sys.getrecursionlimit()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            deep.with_room(work, [])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert sys.getrecursionlimit() == limit and threading.active_count() == 1


CYCLE: list = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize("fn", [ops.abs, ops.zeros_like, ops.partial(ops.abs, 1)])
def test_what_holds_itself_needs_no_larger_stack(fn, monkeypatch):
    monkeypatch.setattr(deep, "LIMIT", 0)  # what is raised first is raised
    with pytest.raises((TypeError, RecursionError)) as e:
        ms.jit(lambda: fn(CYCLE))()
    assert "nested too deep" not in str(e.value) and "maximum recursion" not in str(e.value)
