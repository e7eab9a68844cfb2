"""Recomputation: the same gradients to the bit, less memory, in both modes."""

import subprocess
import sys

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, _core, nn, ops

X = Tensor(np.linspace(-1.0, 1.0, 12, dtype=np.float32).reshape(3, 4))


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Block(nn.Cell):
    """A layer with parameters, random numbers, statistics that it writes, and a branch on data."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(
            4,
            4,
            weight_init=Tensor(np.sin(np.arange(16.0)).reshape(4, 4), ms.float32),
            bias_init="zeros",
        )
        self.norm = nn.BatchNorm1d(4)
        self.dropout = nn.Dropout(p=0.5)
        self.count = Parameter(Tensor([0.0]), name="count", requires_grad=False)

    def construct(self, x):
        y = self.dropout(self.norm(self.dense(x)))
        self.count += 1.0
        if y.sum() > 0.0:
            return ops.sin(y) * x, y
        return ops.cos(y) * x, x * self.count


class Net(nn.Cell):
    def __init__(self, recomputed: bool, blocks: int = 3):
        super().__init__()
        self.blocks = nn.CellList([Block() for _ in range(blocks)])
        if recomputed:
            for b in self.blocks:
                assert b.recompute() is b
        self.set_train()

    def construct(self, x):
        for b in self.blocks:
            first, second = b(x)
            x = first * second + x
        return (x * x).sum()


def trained(net):
    """Values, gradients, and what the parameters and the random state are afterwards."""
    ms.set_seed(3)
    step = ms.value_and_grad(net, 0, net.trainable_params())
    found = []
    for _ in range(2):
        value, (dx, dw) = step(X)
        found += [value, dx, *dw]
    return [t.asnumpy() for t in (*found, *net.get_parameters())] + [np.array(_core.random_state())]


def test_a_cell_with_everything_in_it_gives_the_same_bits():
    plain, again = trained(Net(False)), trained(Net(True))
    assert len(plain) == len(again)
    for a, b in zip(plain, again):
        np.testing.assert_array_equal(a, b)


def test_the_other_mode_gives_the_same(mode):
    found = trained(Net(True))
    ms.set_context(mode=ms.GRAPH_MODE if mode == ms.PYNATIVE_MODE else ms.PYNATIVE_MODE)
    for a, b in zip(found, trained(Net(True))):
        np.testing.assert_array_equal(a, b)


PEAK = """
import numpy as np, minds as ms
from minds import Tensor, ops
from minds import _core

def block(v):
    for _ in range(6):
        v = ops.sin(v) * 1.01
    return v

def deep(x):
    for _ in range(8):
        x = {call}
    return x.sum()

ms.set_context(mode={mode})
x = Tensor(np.full((1 << 18,), 0.5, np.float32))
g = ms.grad(deep)(x)
print(_core.memory()["peak"], float(g[0]).hex())
"""


def peak(script, call: str, mode) -> tuple:
    """Bytes in use at most while the gradient of 48 layers is taken in a process of its own, and
    the gradient.
    """
    script.write_text(PEAK.format(call=call, mode=mode))
    found = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    size, value = found.stdout.split()
    return int(size), value


def test_memory_is_saved(mode, tmp_path):
    (plain, one), (again, other) = (
        peak(tmp_path / "deep.py", call, mode) for call in ("block(x)", "ms.recompute(block, x)")
    )
    assert one == other
    assert again < 0.5 * plain, (again, plain)


def total(f):
    return lambda *args: f(*args).sum()


def test_what_passes_through_and_what_is_captured():
    w = Parameter(Tensor([2.0, 3.0, 5.0, 7.0]), name="w")

    def f(x, recompute):
        y = x * 3.0

        def block(v, k=1.0):
            return v, y * w * k, ops.exp(v) * y

        a, b, c = ms.recompute(block, x, k=2.0) if recompute else block(x, k=2.0)
        return (a * b + c * y * w + a * y).sum()

    plain, again = (ms.grad(lambda x: f(x, r), 0, [w])(X) for r in (False, True))
    np.testing.assert_array_equal(plain[0].asnumpy(), again[0].asnumpy())
    np.testing.assert_array_equal(plain[1][0].asnumpy(), again[1][0].asnumpy())


def test_second_order_nesting_and_loops():
    def f(x, recompute):
        run = ms.recompute if recompute else lambda fn, *args: fn(*args)

        def inner(v):
            return ops.tanh(v) * v

        def block(v):
            while v.sum() < 9.0:
                v = run(inner, v) + v + 0.5
            return v

        return run(block, x).sum()

    point = X + 1.0
    for r in range(1, 3):
        results = []
        for recompute in (False, True):

            def g(x, recompute=recompute):
                return f(x, recompute)

            for _ in range(r - 1):
                g = total(ms.grad(g))
            results.append(ms.grad(g)(point).asnumpy())
        np.testing.assert_array_equal(*results)


def test_a_block_made_before_and_inside():
    outside = ops.recompute_block(lambda v, k=2.0: ops.sin(v) * k)

    def f(x):
        inside = ops.recompute_block(lambda v: v * x)
        return (outside(x, k=3.0) * inside(x)).sum()

    plain = ms.grad(lambda x: (ops.sin(x) * 3.0 * (x * x)).sum())(X)
    np.testing.assert_allclose(ms.grad(f)(X).asnumpy(), plain.asnumpy(), rtol=1e-6)
    with pytest.raises(TypeError, match="recompute_block: block is int"):
        ops.recompute_block(3)


def test_refusals(mode):
    with pytest.raises(TypeError, match="block is Tensor"):
        ms.recompute(X)
    with pytest.raises(TypeError, match="mode has type int"):
        nn.ReLU().recompute(1)
    if mode == ms.PYNATIVE_MODE:

        def f(x):
            y = x * 1.0

            def block():
                y[0] = 0.0
                return y

            return ms.recompute(block).sum()

        with pytest.raises(TypeError, match="changes a tensor of its caller"):
            ms.grad(f)(X)
