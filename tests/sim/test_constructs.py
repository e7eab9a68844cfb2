"""The language on a device: control flow that depends on data, recursion, closures, sizes that a run
finds, and errors that depend on data, with the CPU's values, bits and messages.
"""

import re
from functools import partial

import harness
import numpy as np
import pytest
import random_programs
from placed import MODES, assert_same, bits, on

import minds as ms
from minds import Tensor, ops

WRONG = harness.load()


def branch(x):
    return x * 2 if x.sum() > 0 else x - 1


def loop(x):
    i = 0
    while x.max() < 100:
        x = x * 2 + 1
        i += 1
        if x.min() > 50:
            break
    return x, i


def nested(x):
    total = ops.zeros_like(x)
    for i in range(4):
        for j in range(i):
            if x[j] > 0:
                total = total + x * j
            else:
                total = total - i
    return total


def recursion(x):
    def halve(v, depth):
        if v.sum() < 1 or depth > 20:
            return v, depth
        return halve(v / 2, depth + 1)

    return halve(ops.abs(x), 0)


def chosen_function(x):
    f = ops.sin if x[0] > 0 else ops.cos
    return f(x)


def number(x):
    n = int(x.sum().item())
    return x + n, float(x.mean())


def found_size(x):
    found = ops.nonzero(x > 0)
    return found, x[x > 0].sum()


def written(x):
    y = x + 0
    y[1] = 7
    y[x > 0] = 0
    return y


def stack_in_loop(x):
    rows = []
    for i in range(3):
        rows.append(x * i)
    return ops.stack(rows).sum(0)


PROGRAMS = [
    branch,
    loop,
    nested,
    recursion,
    chosen_function,
    number,
    found_size,
    written,
    stack_in_loop,
]
INPUTS = [[1.0, 2.0, -1.0, 0.5], [-3.0, 0.25, 1.0, -1.0]]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_values(program, mode, device):
    fn = ms.jit(program) if mode == "graph" else program
    assert_same(lambda: [fn(Tensor(x, ms.float32)) for x in INPUTS], device, places=False)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "program",
    [branch, loop, nested, recursion, chosen_function, stack_in_loop],
    ids=lambda f: f.__name__,
)
def test_gradients(program, mode, device):
    def loss(x):
        out = program(x)
        return ops.sum(ops.square(out[0] if isinstance(out, tuple) else out))

    fn = ms.jit(ms.grad(loss)) if mode == "graph" else ms.grad(loss)
    assert_same(lambda: [fn(Tensor(x, ms.float32)) for x in INPUTS], device)


@pytest.mark.parametrize(
    "name,mode",
    [(n, m) for n, w in WRONG.items() if "runtime" in w.target.__module__ for m in w.modes],
)
def test_errors(name, mode, device):
    """Of the data: they come out when somebody waits, with the text and the line of the CPU's. An
    eager launch notes its line, not the place in it.
    """
    wrong, texts = WRONG[name], []
    args = tuple(map(bits_of, wrong.args))
    for where in ("CPU", device):
        with on(where):
            fresh = harness.Wrong(wrong.target, tuple(map(made, args)), wrong.modes)
            with pytest.raises(Exception) as raised:
                bits(fresh.run(mode))
                ms.hal.synchronize()
            # How deep a recursion may go depends on the device's memory.
            text = re.sub(r"\d+ MiB", "some MiB", harness.message(raised.value))
            lines = text.split("\n")
            texts.append(lines if mode == "graph" else [s for s in lines if s.strip(" ^")])
    assert texts[0] == texts[1]


def bits_of(arg):
    return arg.asnumpy() if isinstance(arg, Tensor) else arg


def made(arg):
    return Tensor(arg) if isinstance(arg, np.ndarray) else arg


@pytest.mark.parametrize("seed", range(0, 2000, 100))
def test_random_programs(seed, device, tmp_path):
    """CPython over operations on the device = compiled for the device, and both as on the CPU."""
    for k in range(seed, seed + 2):
        with on(device):
            if not random_programs.check(k, str(tmp_path)):
                continue
        module = random_programs.load(random_programs.write(k), str(tmp_path), f"again_{k}")
        if hasattr(module, "change"):
            continue  # it depends on what ran before
        assert_same(partial(results, ms.jit(module.program), k), device, places=False)


def results(program, seed: int) -> list:
    return [program(*args) for args in random_programs.inputs(seed)]


@pytest.mark.parametrize("seed", range(0, 400, 100))
def test_random_programs_that_raise(seed, device, tmp_path):
    for k in range(seed, seed + 2):
        with on(device):
            random_programs.check(k, str(tmp_path), raising=True)
