"""Fusion: what becomes one kernel, what must not, and that numbers stay equal to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from program_graphs import P, run, tensor, traced

import minds as ms
from minds import Tensor, nn, ops
from minds.base import dtype as dt
from minds.jit.compile import stages
from minds.lower.format import COPY, RUN
from minds.lower.fuse import fuse
from minds.lower.legalise import legalise
from minds.lower.linearize import LinearIR


def fused(graph) -> Program:
    p = LinearIR(legalise(graph))
    fuse(p)
    return p


def kernels(p: Program, k: int = 0) -> list:
    """The kernels that a function runs: names, or the steps of fused ones."""
    found = [p.tables.kernel_list[i.target] for i in p.functions[k].code if i.op == RUN]
    return [attrs["ops"] if name == "tile" else name for name, attrs, _, _ in found]


def test_a_chain_is_one_kernel():
    p = fused(traced(lambda x, y: P.exp(P.mul(P.add(x, y), x)), tensor(4, 5), tensor(5)))
    assert kernels(p) == ["add mul exp"]
    assert len(p.tables.kernel_list) == 1  # nothing is prepared in vain


def test_one_kernel_alone_stays_what_it_is():
    assert kernels(fused(traced(lambda x: P.sum(P.exp(x), (0,), False), tensor(4)))) == [
        "exp",
        "sum",
    ]


def test_a_group_ends_before_another_reader():
    def f(x, w):
        y = P.tanh(P.add(x, x))
        return P.mul(P.neg(P.matmul(y, w)), y)

    assert kernels(fused(traced(f, tensor(4, 4), tensor(4, 4)))) == [
        "add tanh",
        "matmul",
        "neg mul",
    ]


def test_independent_chains_of_one_size_share_a_kernel():
    def f(x, y):
        return P.add(P.exp(x), 1.0), P.mul(P.tanh(y), 2.0)

    assert kernels(fused(traced(f, tensor(6), tensor(2, 3)))) == ["exp add tanh mul"]


def test_broadcasts_are_read_through():
    def f(x, b):
        return P.mul(x, P.broadcast_to(P.reshape(b, (1, 5)), (4, 5)))

    p = fused(traced(f, tensor(4, 5), tensor(5)))
    assert kernels(p) == ["mul"] and not any(i.op == COPY for i in p.functions[0].code)


def test_numbers_that_fill_tensors_are_computed_once():
    def f(x):
        return x * (ops.ones_like(x) * 0.5 + ops.full((4, 5), 2.0))

    x = ms.Tensor(np.random.default_rng(0).standard_normal((4, 5)).astype(np.float32))
    program = ms.inspect(f, x)["lower"].text()
    assert program.count("RUN") == 1 and "RUN mul(" in program
    np.testing.assert_array_equal(ms.jit(f)(x).asnumpy(), x.asnumpy() * np.float32(2.5))


def test_a_broadcast_with_other_readers_stays():
    def f(x, b):
        wide = P.broadcast_to(b, (4, 5))
        return P.mul(x, wide), P.transpose(wide, (1, 0))

    assert kernels(fused(traced(f, tensor(4, 5), tensor(5)))) == [
        "broadcast_to",
        "transpose",
        "mul",
    ]


def test_other_shapes_join_only_without_broadcasts():
    def f(x, row):
        return P.add(P.exp(x), row), P.mul(P.reshape(P.exp(x), (3, 2)), P.reshape(row, (3, 1)))

    p = fused(traced(f, tensor(2, 3), tensor(3)))
    assert kernels(p) == ["exp add exp", "mul"]
    x, row = (
        np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32),
        np.float32([3, 5, 7]),
    )
    a, b = run(traced(f, tensor(2, 3), tensor(3)), x, row)
    e = run(traced(P.exp, tensor(2, 3)), x)[0]
    np.testing.assert_array_equal(a, e + row)
    np.testing.assert_array_equal(b, e.reshape(3, 2) * row.reshape(3, 1))


def test_integer_division_keeps_its_line():
    def f(x, y):
        return P.add(P.floor_divide(P.add(x, y), y), x)

    names = kernels(fused(traced(f, tensor(4, dtype=dt.int32), tensor(4, dtype=dt.int32))))
    assert names == ["add", "floor_divide", "add"]


def test_many_steps_are_several_kernels():
    def f(x):
        for k in range(100):
            x = P.add(P.sin(x), float(k))
        return x

    p = fused(traced(f, tensor(4)))
    names = kernels(p)
    assert all(len(n.split()) <= 48 for n in names) and sum(len(n.split()) for n in names) == 200
    assert len(names) == 5


def test_parameters_are_written_in_order():
    """Two updates of one parameter, a read between them, and a read at the end."""

    class Twice(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(ms.Tensor(np.arange(8, dtype=np.float32)), name="w")

        def construct(self, x):
            self.w = ops.exp(self.w * 0.125) + x
            first = self.w * 2.0
            self.w = self.w - first * x
            return first, self.w + x

    x = ms.Tensor(np.linspace(-1, 1, 8).astype(np.float32))
    found = []
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        net = Twice()
        found.append([t.asnumpy().tobytes() for _ in range(3) for t in (*net(x), net.w)])
    ms.set_context(mode=ms.GRAPH_MODE)
    assert found[0] == found[1]


def test_an_update_is_one_kernel_per_parameter():
    """The optimiser reads the moment that it has just written: from the cache, not from the
    parameter.
    """
    net = nn.Dense(6, 4)
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9)
    )
    x, y = ms.Tensor(np.ones((2, 6), np.float32)), ms.Tensor(np.ones((2, 4), np.float32))
    program = stages(step, (x, y))["lower"].text()
    updates = [
        line for line in program.splitlines() if "RUN tile" in line and line.count("*o") == 2
    ]
    assert len(updates) == 2, program


@pytest.mark.parametrize("side,written", [(256, [3, 3]), (16, [6])])
def test_large_parameters_are_updated_one_by_one_in_one_kernel_each(side, written):
    """Adam's twelve steps, between which the rate of the step is computed."""
    zeros = np.zeros((side, side), np.float32)
    weights = [ms.Parameter(Tensor(zeros), name=name) for name in "ab"]
    optimizer = nn.Adam(weights, 0.1)
    program = stages(optimizer, ((Tensor(zeros), Tensor(zeros)),))["lower"].text()
    updates = [line for line in program.splitlines() if "RUN tile" in line]
    assert [line.count("*o") for line in updates] == written, program


@pytest.mark.parametrize("make", [nn.Momentum, nn.Adam, nn.SGD, nn.RMSProp, nn.AdamWeightDecay])
def test_training_equals_pynative_to_the_bit(make):
    x = ms.Tensor(np.random.default_rng(0).standard_normal((8, 6)).astype(np.float32))
    y = ms.Tensor(np.arange(8, dtype=np.int32) % 4)
    found = []
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        ms.set_seed(1)
        net = nn.SequentialCell(
            nn.Dense(6, 16, activation="tanh"), nn.LayerNorm((16,)), nn.Dense(16, 4), nn.Sigmoid()
        )
        options = {"momentum": 0.9} if make is nn.Momentum else {}
        step = nn.TrainOneStepCell(
            nn.WithLossCell(net, nn.CrossEntropyLoss()),
            make(net.trainable_params(), 0.05, **options),
        ).set_train()
        losses = [step(x, y).asnumpy().tobytes() for _ in range(4)]
        found.append((losses, [p.asnumpy().tobytes() for p in net.trainable_params()]))
    ms.set_context(mode=ms.GRAPH_MODE)
    assert found[0] == found[1]


def test_a_result_takes_an_operand_only_after_its_last_read():
    """x dies in the kernel but is read after the first result is made, so that may not take its
    place.
    """

    def f(x, y):
        z = P.add(x, y)
        first = P.mul(z, z)
        return first, P.sub(P.exp(first), z)

    p = fused(traced(lambda x, y: f(P.transpose(x, (1, 0)), y), tensor(3, 3), tensor(3, 3)))
    i = [i for i in p.functions[0].code if i.op == RUN][-1]
    assert i.donors == [[0, 1], [0, 1]]

    def g(x, y):
        first = P.add(x, y)
        return first, P.mul(first, x)

    p = fused(traced(lambda x, y: g(P.transpose(x, (1, 0)), y), tensor(3, 3), tensor(3, 3)))
    i = [i for i in p.functions[0].code if i.op == RUN][-1]
    assert i.donors == [[1], [0, 1]]
    x, y = np.random.default_rng(0).standard_normal((2, 3, 3)).astype(np.float32)
    a, b = run(
        traced(lambda x, y: g(P.transpose(x, (1, 0)), P.neg(y)), tensor(3, 3), tensor(3, 3)), x, y
    )
    np.testing.assert_array_equal(a, x.T + -y)
    np.testing.assert_array_equal(b, (x.T + -y) * x.T)


def test_one_element_of_more_dimensions_than_the_group():
    """It is broadcast to the step's shape, not to that of a group of as many elements and fewer
    dimensions.
    """
    graph = traced(
        lambda x, k: P.square(P.sub(P.reshape(P.mul(x, x), (1, 4)), k)), tensor(4), tensor(1, 1)
    )
    (out,) = run(graph, np.arange(4, dtype=np.float32), np.full((1, 1), 2.0, np.float32))
    np.testing.assert_array_equal(out, [[4.0, 1.0, 4.0, 49.0]])


@pytest.mark.parametrize("inside", [lambda y: y, ops.softmax, lambda y: ops.softmax(y) + 1])
def test_what_only_depend_reads_runs_before_the_end(inside):
    x, y = Tensor([[1.0, 2.0]]), Tensor([[3.0, 5.0]])
    compiled = ms.jit(lambda x, y: inside(ops.depend(y, x * y)))
    np.testing.assert_array_equal(compiled(x, y).asnumpy(), inside(y).asnumpy())
