"""Narrow normalisations: which casts are left out, and that the bits stay."""

from __future__ import annotations

import numpy as np
import pytest
from program_graphs import P, tensor, traced

import minds as ms
from minds import Tensor, nn
from minds.base import dtype as dt
from minds.lower.endings import add_endings
from minds.lower.format import RUN
from minds.lower.legalise import legalise
from minds.lower.linearize import LinearIR
from minds.lower.narrow import narrow_norms

X, C = tensor(2, 3, 4, 4), tensor(3)


def kernels(f, has_kernel=lambda name, t: True) -> list[str]:
    p = LinearIR(legalise(traced(f, X, C)))
    narrow_norms(p, has_kernel)
    add_endings(p, has_kernel)
    return [p.tables.kernel_list[i.target][0] for i in p.functions[0].code if i.op == RUN]


def half(x):
    return P.cast(P.tanh(x), dt.bfloat16)


def norm(x, c, k=0):
    return P.batch_norm(P.cast(x, dt.float32), c, c, 1e-5)[k]


BEFORE = ["tanh", "cast"]


def test_casts_on_both_sides_are_left_out():
    def f(x, c):
        return P.cast(norm(half(x), c), dt.bfloat16)

    assert kernels(f) == [*BEFORE, "batch_norm_narrow"]
    assert kernels(f, lambda name, t: False) == [*BEFORE, "cast", "batch_norm", "cast"]


def test_what_follows_joins():
    def f(x, c):
        y = half(x)
        return P.relu(P.add(P.cast(norm(y, c), dt.bfloat16), y))

    assert kernels(f) == [*BEFORE, "batch_norm_narrow_ending"]


def test_the_gradient_is_narrow_too():
    def f(x, c):
        y = P.cast(half(x), dt.float32)
        return P.cast(P.batch_norm_dx(y, y, c, c, c, 1e-5)[0], dt.bfloat16)

    assert kernels(f) == [*BEFORE, "batch_norm_dx_narrow"]


@pytest.mark.parametrize(
    "end",
    [
        lambda y: y,
        lambda y: P.cast(y, dt.float16),
        lambda y: P.add(P.cast(P.cast(y, dt.bfloat16), dt.float32), y),
    ],
    ids=["float32", "another float", "both"],
)
def test_what_others_read_stays(end):
    found = kernels(lambda x, c: end(norm(half(x), c)))
    assert "batch_norm" in found and "batch_norm_narrow" not in found


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)
        self.c, self.d = nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8)
        self.relu, self.head = nn.ReLU(), nn.Dense(8, 5)

    def construct(self, x):
        y = self.relu(self.b(self.a(x)))
        y = self.relu(self.d(self.c(y)) + y)
        return self.head(self.d(self.c(y)).mean((2, 3)))


def trained(mode, dtype, size: int) -> list:
    """The loss, the gradients and the state after a step."""
    ms.set_seed(1)
    ms.set_context(mode=mode)
    net = Block()
    ms.amp.auto_mixed_precision(net, "auto", dtype)
    net.set_train()
    rng = np.random.default_rng(0)
    x = Tensor(rng.standard_normal((4, 3, size, size)).astype(np.float32))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    label = Tensor(np.arange(4, dtype=np.int32))
    step = ms.value_and_grad(lambda x: loss(net(x), label), None, net.trainable_params())
    value, grads = (ms.jit(step) if mode == ms.GRAPH_MODE else step)(x)
    return [v.asnumpy() for v in (value, *grads, *net.get_parameters())]


@pytest.mark.parametrize("dtype", [ms.bfloat16, ms.float16], ids=str)
@pytest.mark.parametrize("size", [9, 70])  # planes of less and more than a piece
def test_both_modes_have_the_same_bits(dtype, size):
    for a, b in zip(*(trained(m, dtype, size) for m in (ms.GRAPH_MODE, ms.PYNATIVE_MODE))):
        assert a.dtype == b.dtype and a.tobytes() == b.tobytes()
