"""Endings: which normalisations do what follows them, and that the bits stay."""

from __future__ import annotations

import numpy as np
import pytest
from program_graphs import P, tensor, traced

import minds as ms
from minds import Tensor, nn, ops
from minds.lower.endings import add_endings
from minds.lower.format import RUN
from minds.lower.fuse import fuse
from minds.lower.legalise import legalise
from minds.lower.linearize import LinearIR
from minds.lower.memory import plan

X, C = tensor(2, 3, 4, 4), tensor(3)


def known(x, c):
    return P.batch_norm_infer(x, c, c, c, c, 1e-5)


def own(x, c):
    return P.batch_norm(x, c, c, 1e-5)[0]


def kernels(f, has_kernel=lambda name, t: True) -> list:
    """The kernel of each instruction, and what is in it."""
    p = LinearIR(legalise(traced(f, X, C)))
    add_endings(p, has_kernel)
    fuse(p)
    plan(p, 64)
    found = [p.tables.kernel_list[i.target] for i in p.functions[0].code if i.op == RUN]
    return [(attrs.get("ops", name), attrs.get("relu"), len(ins)) for name, attrs, ins, _ in found]


KNOWN, OWN = "batch_norm_infer_ending", "batch_norm_ending"


@pytest.mark.parametrize(
    "f, wanted",
    [
        (lambda x, c: P.relu(known(x, c)), [(KNOWN, True, 5)]),
        (lambda x, c: P.add(known(x, c), x), [(KNOWN, False, 6)]),
        (lambda x, c: P.relu(P.add(x, known(x, c))), [(KNOWN, True, 6)]),
        (lambda x, c: P.relu(own(x, c)), [(OWN, True, 3)]),
        (lambda x, c: P.relu(P.add(own(x, c), x)), [(OWN, True, 4)]),
        (lambda x, c: P.tanh(P.relu(known(x, c))), [(KNOWN, True, 5), ("tanh", None, 1)]),
        (lambda x, c: P.tanh(known(x, c)), [("batch_norm_infer", None, 5), ("tanh", None, 1)]),
        (
            lambda x, c: P.add(P.add(known(x, c), x), x),
            [(KNOWN, False, 6), ("add", None, 2)],
        ),
        (
            lambda x, c: P.relu(P.add(known(x, c), own(x, c))),
            [("batch_norm_infer", None, 5), (OWN, True, 4)],
        ),
    ],
)
def test_what_follows_is_done_at_once(f, wanted):
    assert kernels(f) == wanted


def test_what_comes_later_is_added_later():
    def f(x, c):
        y = known(x, c)
        return P.relu(P.add(y, P.tanh(x)))

    assert kernels(f) == [("batch_norm_infer", None, 5), ("tanh add relu", None, 2)]


def test_what_is_read_twice_stays():
    def f(x, c):
        y = known(x, c)
        return P.relu(y), y

    assert kernels(f) == [("batch_norm_infer", None, 5), ("relu", None, 1)]


def test_other_shapes_stay():
    found = kernels(lambda x, c: P.add(known(x, c), P.reshape(c, (1, 3, 1, 1))))
    assert found == [("batch_norm_infer", None, 5), ("add", None, 2)]


def test_a_device_without_the_kernel():
    found = kernels(lambda x, c: P.relu(known(x, c)), lambda name, t: False)
    assert found == [("batch_norm_infer", None, 5), ("relu", None, 1)]


class Block(nn.Cell):
    """Two convolutions, of which the input goes around."""

    def __init__(self, shortcut):
        super().__init__()
        self.one, self.two = (nn.Conv2d(3, 3, 3, has_bias=False) for _ in range(2))
        self.norms = nn.CellList([nn.BatchNorm2d(3) for _ in range(3)])
        self.shortcut = nn.Conv2d(3, 3, 1) if shortcut else None

    def construct(self, x):
        y = ops.relu(self.norms[0](self.one(x)))
        y = self.norms[1](self.two(y))
        around = x if self.shortcut is None else self.norms[2](self.shortcut(x))
        return ops.relu(y + around)


@pytest.mark.parametrize("shortcut", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_a_network_has_the_bits_of_eager_mode(shortcut, training):
    ms.set_seed(3)
    x = np.random.RandomState(1).randn(2, 3, 7, 5).astype("f4")
    x[0, 1, 2, 3], x[1, 2, 0, 0] = np.nan, -np.inf
    if training:
        x = np.nan_to_num(x, neginf=-2.0)
    net = Block(shortcut).set_train(training)
    start = {p.name: p.asnumpy().copy() for p in net.get_parameters()}
    found = []
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        for p in net.get_parameters():
            p.set_data(Tensor(start[p.name]))
        ms.set_context(mode=mode)
        found.append([net(Tensor(x)).asnumpy(), *[p.asnumpy() for p in net.get_parameters()]])
    for a, b in zip(*found, strict=True):
        assert a.tobytes() == b.tobytes()


def test_gradients_are_those_of_eager_mode():
    ms.set_seed(3)
    x = Tensor(np.random.RandomState(1).randn(2, 3, 7, 5).astype("f4"))
    net = Block(True).set_train()
    found = []
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        step = ms.value_and_grad(lambda x: (net(x) ** 2).sum(), None, net.trainable_params())
        found.append([g.asnumpy() for g in step(x)[1]])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)
