"""Nets trained and run with open dimensions: the numbers of PyNative mode, to the bit, from one
compilation.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops

n, t = ms.Dim("n"), ms.Dim("t")


class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = (
            nn.Conv2d(1, 3, 3, pad_mode="valid"),
            nn.Conv2d(3, 4, 3, pad_mode="valid"),
        )
        self.norm, self.pool, self.flatten, self.relu = (
            nn.BatchNorm2d(3),
            nn.MaxPool2d(2, 2),
            nn.Flatten(),
            nn.ReLU(),
        )
        self.dense = nn.Dense(16, 5)

    def construct(self, x):
        x = self.pool(self.relu(self.norm(self.conv1(x))))
        return self.dense(self.flatten(self.pool(self.relu(self.conv2(x)))))


class Steps(nn.Cell):
    """An LSTM cell over a time axis of any length."""

    def __init__(self):
        super().__init__()
        self.cell, self.dense = nn.LSTMCell(3, 4), nn.Dense(4, 5)

    def construct(self, x):
        h, c = ops.zeros((x.shape[1], 4)), ops.zeros((x.shape[1], 4))
        for i in range(x.shape[0]):
            h, c = self.cell(x[i], (h, c))
        return self.dense(h)


def declared(*shape, dtype=ms.float32):
    return Tensor(shape=list(shape), dtype=dtype)


def images(count):
    return (count, 1, 14, 14)


TRAINED = [
    (LeNet, declared(n, 1, 14, 14), declared(n, dtype=ms.int32), [images(k) for k in (4, 7, 1, 4)]),
    (
        LeNet,
        declared(None, 1, 14, 14),
        declared(None, dtype=ms.int32),
        [images(k) for k in (4, 7, 1, 4)],
    ),
    (
        Steps,
        declared(t, n, 3),
        declared(n, dtype=ms.int32),
        [(4, 2, 3), (7, 5, 3), (3, 1, 3), (1, 6, 3)],
    ),
]


def filled(net):
    rng = np.random.default_rng(5)
    for p in net.get_parameters():
        p.set_data(Tensor((rng.standard_normal(p.shape) * 0.2 + 0.1).astype(np.float32)))
    return net


@pytest.mark.parametrize("case", TRAINED, ids=["LeNet", "LeNet with equal sizes found", "LSTM"])
@pytest.mark.parametrize(
    "optimizer", [lambda p: nn.Momentum(p, 0.05, 0.9), nn.Adam], ids=["Momentum", "Adam"]
)
def test_training(case, optimizer):
    make, x, y, shapes = case
    found = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        net = filled(make())
        loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
        step = nn.TrainOneStepCell(loss, optimizer(net.trainable_params())).set_train()
        step.set_inputs(x, y)
        rng, losses = np.random.default_rng(0), []
        for shape in shapes:
            count = shape[0] if make is LeNet else shape[1]
            losses.append(
                float(
                    step(
                        Tensor(rng.standard_normal(shape).astype(np.float32)),
                        Tensor(rng.integers(0, 5, count).astype(np.int32)),
                    )
                )
            )
        found.append((losses, [p.asnumpy().copy() for p in net.get_parameters()]))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    (losses, weights), (compiled, trained) = found
    assert losses == compiled and all(map(np.array_equal, weights, trained))
    assert len(ms.recompiles(step)) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0),
        lambda: nn.MultiheadAttention(8, 2),
    ],
    ids=["encoder layer", "attention"],
)
def test_attention_of_any_length(make):
    net = filled(make()).set_train(False)
    rng = np.random.default_rng(0)
    net.set_inputs(*[declared(t, n, 8)] * (3 if isinstance(net, nn.MultiheadAttention) else 1))
    for shape in ((3, 2, 8), (5, 1, 8), (1, 4, 8)):
        x = Tensor(rng.standard_normal(shape).astype(np.float32))
        args = (x,) * len(net.get_inputs())
        ms.set_context(mode=ms.PYNATIVE_MODE)
        want = net(*args)
        ms.set_context(mode=ms.GRAPH_MODE)
        got = net(*args)
        ms.set_context(mode=ms.PYNATIVE_MODE)
        for a, b in zip(
            want if isinstance(want, tuple) else (want,), got if isinstance(got, tuple) else (got,)
        ):
            np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())
    assert len(ms.recompiles(net)) == 1
