"""Gradients through loops: how much they keep, how programs grow with the order, loops that are
recomputed.
"""

from __future__ import annotations

import importlib.util
import os
import resource

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops
from minds.base.options import freeze
from minds.ir import prim, walk
from minds.jit.parsing import parse
from minds.jit.pipeline import STEPS
from minds.passes.driver import run_steps


def grows(x, n):
    for _ in range(n):
        x = ops.sin(x) * 1.5 + x * 0.1
    return x


def branches(x, n):
    y = x
    for _ in range(n):
        if y > 1.0:
            y = y * 0.5 + ops.tanh(x)
        else:
            y = y * x * 1.5
    return y


def until(x, limit):
    y, i = x, 0
    while y.sum() < limit:
        y = y + x * ops.exp(-y * y) + 0.1 * i
        i = i + 1
        if y.max() > 7.0:
            break
    return (y * x).sum()


def nested(x, n):
    for i in range(n):
        y = x
        for _ in range(i % 3):
            y = ops.sin(y) * x
        x = x * 0.9 + y * 0.2
    return x.sum()


def compiled_graph(fn, *args):
    options = freeze()
    graph = parse(fn, args, {}, options)[0].root
    return run_steps(graph, STEPS, options)


def test_programs_grow_little_with_the_order():
    """By less than three for each order; each kept value would have made it five."""
    sizes, fn = [], branches
    for _ in range(5):
        fn = ms.grad(fn)
        found = walk.graphs(compiled_graph(fn, Tensor(1.1), Tensor(7)))
        sizes.append(sum(1 for g in found for _ in g))
    ratios = np.divide(sizes[1:], sizes[:-1])
    assert sizes[-1] < 5000 and max(ratios) < 3, sizes


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_high_orders_of_a_loop_with_branches(order):
    def power(x, n):
        y = x
        for _ in range(n):
            if y > 100.0:
                y = y * x * 0.5
            else:
                y = x * y
        return y

    fn = power
    for _ in range(order):
        fn = ms.grad(fn)
    x = 1.5
    found = ms.jit(fn)(Tensor(x, ms.float64), Tensor(9)).item()
    want = np.prod(range(11 - order, 11)) * x ** (10 - order)
    np.testing.assert_allclose(found, want, rtol=1e-12)


def records(graph) -> list[int]:
    """How many values each record holds."""
    found = walk.graphs(graph)
    kept = [n for g in found for n in g if n.fn is prim.partial]
    return sorted(len(n.args) - 2 for n in kept)


def test_what_an_iteration_keeps():
    """Which way led to it, and what the gradient multiplies with: not the counter, nor what is the
    same in all iterations, nor what a number that is kept determines.
    """

    def linear(x, n):
        y = x
        for i in range(n):
            y = y * 0.5 + x * (i * 0.25)
        return y

    graph = compiled_graph(ms.grad(linear), Tensor(1.0), Tensor(5))
    assert max(records(graph)) <= 2  # the way, and the counter
    graph = compiled_graph(ms.grad(grows), Tensor(1.0), Tensor(5))
    assert records(graph) == [2]  # the way, and x; at the end nothing


def bytes_per_iteration(fn, *given) -> float:
    """How much a long run takes more than a short one, in a process of its own."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        gradient = ms.jit(ms.grad(fn))
        gradient(*given, Tensor(1000))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        gradient(*given, Tensor(401_000))
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        os.write(write, str((after - before) * 1024 / 400_000).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(write)
    with os.fdopen(read) as f:
        return float(f.read())


@pytest.mark.parametrize("fn, most", [(grows, 80), (branches, 100)])
def test_a_long_loop_keeps_little(fn, most):
    """The way, and a number; that a branch keeps one does not make a second record."""
    assert bytes_per_iteration(fn, Tensor(1.0)) < most


def test_small_tensors_are_kept_in_place():
    def f(x, n):
        y = x
        for _ in range(n):
            y = ops.sin(y) * x
        return y.sum()

    assert bytes_per_iteration(f, Tensor(np.ones(4, np.float32))) < 100 + 2 * 16


# ---- recomputed loops


@pytest.mark.parametrize("every", [None, 1, 7])
@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 40, 300])
def test_recomputed_for(n, every):
    x = Tensor(0.7, ms.float64)
    for fn in (grows, branches):
        want = ms.jit(ms.value_and_grad(fn))(x, Tensor(n))
        found = ms.jit(ms.value_and_grad(ms.recompute_loops(fn, every)))(x, Tensor(n))
        assert [v.item() for v in found] == [v.item() for v in want]


@pytest.mark.parametrize("limit", [-5.0, 1.0, 4.0, 50.0])
def test_recomputed_while_that_may_break(limit):
    x = Tensor([0.5, -0.25, 0.3], ms.float64)
    want = ms.jit(ms.grad(until))(x, Tensor(limit, ms.float64))
    found = ms.jit(ms.grad(ms.recompute_loops(until, 3)))(x, Tensor(limit, ms.float64))
    assert found.tolist() == want.tolist()
    eager = ms.grad(ms.recompute_loops(until))(x, Tensor(limit, ms.float64))
    np.testing.assert_allclose(eager, want, rtol=1e-14)


def test_recomputed_loops_in_loops_and_of_second_order():
    x, n = Tensor([0.4, 0.9], ms.float64), Tensor(40)
    again = ms.recompute_loops(nested)
    assert ms.jit(ms.grad(again))(x, n).tolist() == ms.jit(ms.grad(nested))(x, n).tolist()

    def second(fn):
        return ms.jit(ms.grad(lambda x, n: ms.grad(fn)(x, n).sum()))(x, n).asnumpy()

    np.testing.assert_allclose(second(again), second(nested), rtol=1e-13)


def test_a_loop_with_effects_keeps_its_values():
    class Counts(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.steps = ms.Parameter(Tensor(0.0), name="steps")

        def construct(self, x, n):
            for _ in range(n):
                self.steps += 1.0
                x = ops.sin(x)
            return x

    cell = Counts()
    ms.jit(ms.grad(ms.recompute_loops(cell)))(Tensor(0.5), Tensor(20))
    assert cell.steps.item() == 20


def test_recomputed_loops_keep_the_square_root():
    kept = bytes_per_iteration(ms.recompute_loops(grows), Tensor(1.0))
    assert kept < 5


def test_wrong_arguments_of_recompute_loops():
    with pytest.raises(TypeError, match="fn is"):
        ms.recompute_loops(3)
    with pytest.raises(TypeError, match="every is 'a'"):
        ms.recompute_loops(grows, "a")
    with pytest.raises(ValueError, match="every is 0"):
        ms.recompute_loops(grows, 0)


def calling_each_other(folder, count: int):
    """The first of ``count`` functions, each of which ends with a call of one of four."""
    lines = []
    for i in range(count):
        lines += [f"def f{i}(x, n):", "    if n <= 0:", f"        return x * {i + 1}.0"]
        for j in range(3):
            after = (i + 1 + j * (count // 4)) % count
            lines += [f"    if n % 4 == {j}:", f"        return f{after}(x * 0.9 + {j}.0, n - 1)"]
        lines.append(f"    return f{(i + 4) % count}(x * x, n - 1)")
    file = folder / f"calling{count}.py"
    file.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f0


def test_gradients_of_functions_that_call_each_other_grow_with_their_source(tmp_path):
    sizes, x = [], Tensor([0.5, 1.0])
    for count in (4, 8):
        f = calling_each_other(tmp_path, count)
        gradient = ms.grad(f)
        found = walk.graphs(compiled_graph(gradient, x, Tensor(9)))
        sizes.append(sum(1 for g in found for _ in g))
        for n in (3, 9):
            want = gradient(x, n).asnumpy()
            np.testing.assert_allclose(ms.jit(gradient)(x, n).asnumpy(), want, rtol=1e-5)
    assert sizes[1] < 2.3 * sizes[0], sizes
