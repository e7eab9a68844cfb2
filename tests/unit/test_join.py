"""Ops that are joined for devices with one kernel for several: which programs have them, and that these
compute what they did.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops
from minds.ad import tape
from minds.base.options import freeze
from minds.jit.parsing import parse
from minds.ops.define import P
from minds.passes import join
from minds.passes.simplify import simplify

r = np.random.RandomState(0)
LOGITS, CLASSES = Tensor(r.randn(6, 5).astype("f4")), Tensor(r.randint(0, 5, 6).astype("i4"))
IMAGES, MORE = (Tensor(r.randn(3, 2, 4, 4).astype("f4")) for _ in range(2))
GAMMA, BETA = Tensor(r.rand(2).astype("f4") + 0.5), Tensor(r.randn(2).astype("f4"))


def loss(x, t):
    return ops.cross_entropy(x, t)


def smoothed(x, t):
    return ops.cross_entropy(x, t, label_smoothing=0.1)


def norm(x, gamma, beta, more):
    return P.batch_norm(x, gamma, beta, 1e-5)


def rectified(*args):
    y = norm(*args)
    return ops.relu(y[0]), y[1], y[2]


def added(*args):
    y = norm(*args)
    return ops.relu(args[3] + y[0]), y[1]


def added_later(*args):
    y = norm(*args)
    return ops.relu(y[0] + args[3] * 2)


def read_twice(*args):
    y = norm(*args)
    return ops.relu(y[0]) + y[0]


def two(*args):
    y = ops.relu(norm(*args)[0])
    return ops.relu(norm(y, *args[1:])[0] + y)


NORMS = (IMAGES, GAMMA, BETA, MORE)
CASES = [
    (loss, (LOGITS, CLASSES), "softmax_nll", 1),
    (smoothed, (LOGITS, CLASSES), "softmax_nll", 0),
    (rectified, NORMS, "batch_norm_relu", 1),
    (added, NORMS, "batch_norm_relu", 1),
    (added_later, NORMS, "batch_norm_relu", 0),
    (read_twice, NORMS, "batch_norm_relu", 0),
    (two, NORMS, "batch_norm_relu", 2),
]


@pytest.fixture
def joins(monkeypatch):
    """Programs of the CPU have the joined ops, which it takes apart again."""
    monkeypatch.setattr(join, "has_kernel", lambda device, name: True)


def joined(fn, args, name) -> int:
    with tape.suspended():
        ip, _ = parse(fn, args, {}, freeze())
        graph = join.join(simplify(ip.root))
    return sum(n.fn is getattr(P, name) for n in graph)


@pytest.mark.parametrize("fn, args, name, count", CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_what_is_joined(fn, args, name, count, joins):
    assert joined(fn, args, name) == count


def results(fn, args):
    at = tuple(i for i, a in enumerate(args) if a.dtype is ms.float32)

    def total(*args):
        out = fn(*args)
        parts = out if isinstance(out, tuple) else (out,)
        return sum((p * p).sum() for p in parts)

    out = ms.jit(lambda *a: fn(*a))(*args)
    grads = ms.jit(ms.grad(lambda *a: total(*a), at))(*args)
    return [t.asnumpy() for t in (*(out if isinstance(out, tuple) else (out,)), *grads)]


@pytest.mark.parametrize(
    "fn, args", [c[:2] for c in CASES if c[3]], ids=lambda v: getattr(v, "__name__", "")
)
def test_the_numbers_are_the_same(fn, args, joins, monkeypatch):
    found = results(fn, args)
    monkeypatch.undo()
    for f, w in zip(found, results(fn, args), strict=True):
        np.testing.assert_allclose(f, w, rtol=1e-5, atol=1e-6)


def test_a_network_is_trained_as_before(joins, monkeypatch):
    """With the statistics that its norms keep."""

    def trained():
        ms.set_seed(1)
        net = nn.SequentialCell(
            [nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten(), nn.Dense(48, 5)]
        )
        whole = nn.WithLossCell(
            net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        )
        step = nn.TrainOneStepCell(whole, nn.Momentum(net.trainable_params(), 0.1, 0.9)).set_train()
        ms.set_context(mode=ms.GRAPH_MODE)
        for _ in range(3):
            step(IMAGES, CLASSES[:3])
        return {p.name: p.asnumpy() for p in net.get_parameters()}

    found = trained()
    monkeypatch.undo()
    for name, w in trained().items():
        np.testing.assert_allclose(found[name], w, rtol=1e-4, atol=1e-6, err_msg=name)
