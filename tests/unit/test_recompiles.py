"""`ms.recompiles`: how often a function was compiled, and why."""

import re

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops


def reasons(fn):
    return [c.reason for c in ms.recompiles(fn)]


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_numbers_are_values_of_the_run():
    @ms.jit
    def f(x, n, pair, table):
        return x * n + pair[0] - table["k"][1]

    for i in range(5):
        got = f(Tensor([1.0]), i, (i + 1, [2.5]), {"k": [i, i * 0.5]})
        assert got.asnumpy().tolist() == [i + i + 1 - i * 0.5]
    f(Tensor([1.0]), ms.mutable(7), (1, [2.0]), {"k": [1, 0.0]})
    assert reasons(f) == ["the first call"]
    f(Tensor([1.0]), 7, ms.mutable((1, [2.0])), {"k": ms.mutable([1, 0.0])})
    assert reasons(f) == ["the first call", "other containers are `mutable`"]


def test_kinds_of_numbers():
    @ms.jit
    def f(x, n):
        return x * n

    for n in (3, 4, 2.5, 3.5, True, False, 9):
        f(Tensor([1.0]), n)
    assert reasons(f) == [
        "the first call",
        "argument `n` changed from int 3 to float 2.5",
        "argument `n` changed from float 2.5 to bool True",
        "argument `n` changed from bool True to bool False",
    ]


def test_numbers_that_are_needed_to_compile():
    @ms.jit
    def f(x, axis):
        return ops.split(x, 1, axis)

    x = Tensor(np.ones((2, 3), np.float32))
    f(x, 0), f(x, 1), f(x, 0)
    assert reasons(f) == ["the first call", "argument `axis` changed from int 0 to int 1"]


def test_shapes_and_dtypes():
    @ms.jit
    def f(x, y):
        return x.sum() + y[0].sum()

    a = Tensor(np.ones((2, 3), np.float32))
    f(a, [a])
    f(Tensor(np.ones((4, 3), np.float32)), [a])
    f(a, [Tensor(np.ones((2, 3), np.int32))])
    f(a, [a, a])
    assert reasons(f) == [
        "the first call",
        "argument `x` changed from Tensor[(2, 3), float32] to Tensor[(4, 3), float32]; "
        "declare the dimension dynamic: "
        "Tensor(shape=[None, 3], dtype=ms.float32)",
        "argument `y[0]` changed from Tensor[(2, 3), float32] to Tensor[(2, 3), int32]",
        "argument `y[1]` is new: Tensor[(2, 3), float32]",
    ]


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.k = 1

    def construct(self, x):
        return x * self.k


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.block, self.k = Block(), 1
        self.w = ms.Parameter(Tensor([1.0]), name="w")

    def construct(self, x):
        return self.block(x) + self.k + self.w

    @ms.jit
    def step(self, x):
        return x + self.k


def test_attributes(graph_mode):
    net, x = Net(), Tensor([1.0])
    net(x)
    net.k = 2
    net(x)
    net.block.k = 5
    net(x)
    net(x)
    net.step(x)
    assert reasons(net) == [
        "the first call",
        "attribute `self.k` changed from 1 to 2",
        "attribute `self.block.k` changed from 1 to 5",
        "the first call",
    ]
    assert reasons(net.step) == ["the first call"]
    assert len(ms.recompiles(ms.grad(net))) == 0
    ms.grad(net)(x)
    assert reasons(ms.grad(net)) == ["the first call"]


def test_printed():
    @ms.jit
    def double(x):
        return x * 2

    double(Tensor([1.0]))
    assert re.fullmatch(
        r"double: compiled 1 time\n  1\. test_recompiles\.py:\d+: the first call",
        str(ms.recompiles(double)),
    )
    found = ms.recompiles(double)[0]
    assert (found.name, found.sizes) == ("double", 1)
    with pytest.raises(TypeError, match="recompiles: fn is a int that is not compiled"):
        ms.recompiles(3)


def test_sizes_that_are_fixed_tell_why():
    @ms.jit(input_signature=(Tensor(shape=[None, 3], dtype=ms.float32),))
    def f(x):
        return ops.unstack(x, 0)

    f(ops.ones((2, 3))), f(ops.ones((4, 3)))
    assert re.fullmatch(
        r"argument `x` changed from Tensor\[\(2, 3\), float32\] to Tensor\[\(4, 3\), float32\]; "
        r"sizes that are declared open "
        r"are fixed: the number `x\.shape\[0\]` is needed to compile \(at test_recompiles\.py:\d+\)",
        reasons(f)[1],
    )


def test_sizes_beyond_an_assumption():
    @ms.jit(input_signature=(Tensor(shape=[ms.Dim("n")], dtype=ms.float32),))
    def f(x):
        return x[1:]

    f(ops.ones(4)), f(ops.ones(2)), f(ops.ones(0))
    assert reasons(f) == ["the first call", "the program for other sizes holds only where n >= 1"]
