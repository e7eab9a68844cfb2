"""Random programs that read and write Parameters, known ones and such that data choose, under
conditions, in loops and in functions: PyNative mode and compiled code agree in values, in gradients
by the argument and by the weights, in derivatives of second order, and in what the parameters hold
then.

``MINDS_WRITES`` is how many (default 240), ``MINDS_SEED`` the first.
"""

import linecache
import os
import random

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops

COUNT, FIRST = int(os.environ.get("MINDS_WRITES", "240")), int(os.environ.get("MINDS_SEED", "0"))


class Base(nn.Cell):
    def __init__(self):
        super().__init__()
        values = [0.5, -1.0], [1.5, 0.25], [-0.75, 2.0]
        self.a, self.b, self.c = [Parameter(Tensor(v), name=n) for v, n in zip(values, "abc")]
        self.few = (self.a, self.b)
        self.many = tuple([Parameter(Tensor([k * 0.1, -k * 0.2]), name=f"m{k}") for k in range(10)])


class Writer:
    """Writes one program."""

    def __init__(self, seed: int):
        self.rng, self.lines, self.names = random.Random(seed), [], 0
        self.block(1, 0, False)
        self.block(1, 0, False)
        last = f"    return y * {self.parameter(False)} + {self.parameter(False)}"
        self.text = "\n".join(["def program(self, x, k):", "    y = x * 1.0", *self.lines, last])

    def new(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def parameter(self, p: bool) -> str:
        known = ["self.a", "self.b"] * 2 + ["self.c"] + ["p"] * (2 * p)
        chosen = ["self.few[k % 2]", "self.many[(k * 3) % 10]"]
        return self.rng.choice(chosen if self.rng.random() < 0.2 else known)

    def value(self, p: bool, depth: int = 0) -> str:
        rng, r = self.rng, self.rng.random()
        if depth > 2 or r < 0.25:
            return rng.choice(("x", "y", "0.5", "-1.5"))
        if r < 0.55:
            return self.parameter(p)
        if r < 0.8:
            left, right = self.value(p, depth + 1), self.value(p, depth + 1)
            return f"({left} {rng.choice('+-*')} {right})"
        return f"ops.{rng.choice(('sin', 'tanh'))}(x * {self.value(p, depth + 1)})"

    def test(self, p: bool) -> str:
        of_data = f"({self.value(p)} * x).sum() > 0", f"{self.parameter(p)}.sum() > 0"
        return self.rng.choice((*of_data, "y.sum() < 1", "x[0] > 0", "k % 2 == 0"))

    def block(self, level: int, depth: int, p: bool) -> None:
        for _ in range(self.rng.randint(1, 3)):
            p = self.statement(level, depth, p) or p

    def add(self, level: int, *lines: str) -> None:
        self.lines += ["    " * level + line for line in lines]

    def statement(self, level: int, depth: int, p: bool) -> bool:
        """Write one; whether ``p`` has a value behind it."""
        rng, r = self.rng, self.rng.random()
        place, value = self.parameter(p), self.value(p)
        if r < 0.2:
            self.add(level, f"y = y + {value}")
        elif r < 0.4:
            self.add(level, f"ops.assign({place}, x * 0.5 + ops.tanh({value} * x))")
        elif r < 0.48:
            self.add(level, f"ops.assign_add({place}, ops.tanh({value} + x))")
        elif r < 0.54:
            self.add(level, f"{place}[{rng.choice((0, 1))}] = ops.sin({value} * x).sum()")
        elif r < 0.58:
            self.add(level, f"q = {place}", "q.add_(ops.tanh(x * y))")
        elif r < 0.68:
            self.add(level, f"p = {place} if {self.test(p)} else {self.parameter(p)}")
            return True
        elif r < 0.8 and depth < 3:
            self.add(level, f"if {self.test(p)}:")
            self.block(level + 1, depth + 1, p)
            if rng.random() < 0.6:
                self.add(level, "else:")
                self.block(level + 1, depth + 1, p)
        elif r < 0.88 and depth < 2:
            i = self.new("i")
            self.add(level, f"{i} = 0", f"while {i} < {rng.choice('34')} and {self.test(p)}:")
            self.add(level + 1, f"{i} += 1")
            self.block(level + 1, depth + 1, p)
        elif r < 0.94 and depth < 2:
            self.add(level, f"for {self.new('j')} in range({rng.choice(('2', '10', 'k'))}):")
            self.block(level + 1, depth + 1, p)
            self.add(level + 1, "y = ops.tanh(y)")
        else:
            f = self.new("f")
            self.add(level, f"def {f}(v):", f"    ops.assign({place}, ops.tanh(v) * x)")
            self.add(level + 1, f"return v * {self.parameter(p)}")
            self.add(level, f"y = y + {f}({value} * x)")
        return False


def made(text: str, name: str):
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {"ops": ops}
    exec(compile(text, name, "exec"), space)
    return space["program"]


def numbers(v) -> list:
    if isinstance(v, (tuple, list)):
        return [n for e in v for n in numbers(e)]
    return [v.asnumpy().copy()]


def value(net, weights):
    return net


def first(net, weights):
    return ms.grad(lambda x, k: (net(x, k) ** 2).sum(), 0, weights)


def by_weights(net, weights):
    return ms.value_and_grad(lambda x, k: (net(x, k) ** 2).sum(), None, weights)


def second(net, weights):
    inner = ms.grad(lambda x, k: (net(x, k) ** 2).sum())
    return ms.grad(lambda x, k: (inner(x, k) * x).sum(), 0, weights)


def found(mode, program, kind) -> list:
    ms.set_context(mode=mode)
    try:
        net = type("Net", (Base,), {"construct": lambda self, x, k: program(self, x, k)})()
        held = (net.a, net.b, net.c, *net.many)
        run, out = kind(net, [net.a, net.b, net.many[0], net.many[3]]), []
        for x, k in ((Tensor([0.5, 1.0]), 1), (Tensor([-1.0, 0.3]), 2)):
            out += numbers(run(x, k)) + numbers(held)
        return out
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("kind", [value, first, by_weights, second], ids=lambda f: f.__name__)
@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_modes_agree(seed, kind):
    text = Writer(seed).text
    program = made(text, f"<writes {seed}>")
    want = found(ms.PYNATIVE_MODE, program, kind)
    for a, b in zip(found(ms.GRAPH_MODE, program, kind), want, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-3, atol=1e-4, err_msg=text)
