"""Bundles: what becomes one launch, and what must not."""

from __future__ import annotations

import numpy as np
import pytest
from program_graphs import P, tensor, traced

import minds as ms
from minds import nn, ops
from minds.base.options import freeze
from minds.ir.shape_env import ShapeEnv
from minds.jit.compile import uncompiled
from minds.jit.parsing import parse
from minds.jit.pipeline import STEPS, run_steps
from minds.lower.bundle import bundle
from minds.lower.format import RUN
from minds.lower.fuse import fuse
from minds.lower.legalise import legalise
from minds.lower.linearize import LinearIR
from minds.lower.memory import plan


def bundled(graph) -> LinearIR:
    p = LinearIR(legalise(graph))
    fuse(p)
    bundle(p)
    return p


def bundles(p: LinearIR) -> list:
    """(steps, parts, the numbers of inputs and results) of each bundle."""
    runs = [(i, p.tables.kernel_list[i.target]) for i in p.functions[0].code if i.op == RUN]
    return [
        (a["ops"], a["parts"], len(i.ins), len(i.outs)) for i, (n, a, _, _) in runs if n == "tiles"
    ]


def graph_of(fn, args: tuple):
    with ShapeEnv({}, True):
        ip, _ = parse(uncompiled(fn), args, {}, freeze())
        return run_steps(ip.root, STEPS, freeze())


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.CellList([nn.Dense(n, n + 1, activation="relu") for n in range(2, 6)])

    def construct(self, x):
        for d in self.dense:
            x = d(x)
        return x


def step_of(optimizer, **settings):
    net = Net()
    opt = optimizer(net.trainable_params(), **settings)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), opt)
    return graph_of(step, (ms.Tensor(np.ones((2, 2), "f")), ms.Tensor(np.ones((2, 6), "f"))))


@pytest.mark.parametrize(
    "optimizer, settings, tensors",
    [
        (nn.SGD, {"learning_rate": 0.1}, (2, 1)),
        (nn.Momentum, {"learning_rate": 0.1, "momentum": 0.9}, (3, 2)),
        (nn.Adam, {}, (4, 3)),
        (nn.AdamWeightDecay, {}, (4, 3)),
        (nn.RMSProp, {}, (4, 3)),
    ],
)
def test_an_optimiser_is_one_launch(optimizer, settings, tensors):
    p = bundled(step_of(optimizer, **settings))
    (_, parts, ins, outs) = max(bundles(p), key=lambda b: b[3])
    # Of Adam's first update a half is computed while the numbers that it shares are, and fusion puts
    # the other half together with the update of a parameter of that size.
    assert parts >= (6 if optimizer is nn.Adam else 8)
    assert outs == parts * tensors[1]
    assert parts * tensors[0] <= ins <= parts * tensors[0] + 8
    plan(p, 64)


def test_parts_share_their_numbers():
    def f(x, y, z, w):
        return P.add(P.exp(x), w), P.add(P.exp(y), w), P.add(P.exp(z), w)

    p = bundled(traced(f, tensor(4), tensor(5), tensor(2, 3), tensor()))
    assert bundles(p) == [("exp add", 3, 4, 3)]
    (i,) = [i for i in p.functions[0].code if i.op == RUN]
    assert [p.tables.type_list[t].shape for _, t in i.ins] == [(), (4,), (5,), (2, 3)]
    assert i.donors == [[1], [2], [3]]


def test_other_numbers_and_other_steps_stay_apart():
    def f(x, y, w, v):
        return P.add(P.exp(x), w), P.add(P.exp(y), v), P.exp(P.add(P.exp(x), w))

    assert bundles(bundled(traced(f, tensor(4), tensor(5), tensor(), tensor()))) == []


def test_chains_that_fusion_put_together_are_parts():
    def f(x, y, z, w):
        return P.neg(P.exp(x)), P.neg(P.exp(y)), P.neg(P.exp(z)), P.tanh(P.exp(w))

    p = bundled(traced(f, tensor(4), tensor(2, 2), tensor(5), tensor(2, 2)))
    assert bundles(p) == [("exp neg", 3, 3, 3), ("exp tanh", 1, 1, 1)]


def test_a_reader_is_not_bundled_with_what_it_reads():
    def f(x, y):
        a = P.neg(P.exp(x))
        b = P.neg(P.exp(P.reshape(P.concat((a, y), 0), (2, 3))))
        return a, b, P.neg(P.exp(y))

    p = bundled(traced(f, tensor(4), tensor(2)))
    assert [b[:2] for b in bundles(p)] in ([], [("exp neg", 2)])


def test_what_runs_between_parts_does_not_part_them():
    def f(x, w):
        a = P.neg(P.exp(x))
        return a, P.neg(P.exp(P.matmul(w, P.matmul(w, w))))

    p = bundled(traced(f, tensor(4), tensor(3, 3)))
    assert bundles(p) == [("exp neg", 2, 2, 2)]
    names = [p.tables.kernel_list[i.target][0] for i in p.functions[0].code if i.op == RUN]
    assert names == ["matmul", "matmul", "tiles"]


class Assigning(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = ms.Parameter(np.ones(3, "f"))
        self.b = ms.Parameter(np.ones(4, "f"))
        self.c = ms.Parameter(np.ones(4, "f"))

    def construct(self, x, y):
        ops.assign(self.a, x * 2 - self.a)
        ops.assign(self.b, y * 2 - self.c)
        ops.assign(self.c, y * 3)
        return x


def test_what_is_read_and_then_written_stays_together():
    args = ms.Tensor(np.ones(3, "f")), ms.Tensor(np.ones(4, "f"))
    assert bundles(bundled(graph_of(Assigning(), args))) == []
