"""Training steps that the processes share as layouts say, against the same steps of one process."""

import sys

import numpy as np

import minds as ms
from minds import Tensor, nn, ops
from minds.communication import get_group_size, get_rank, init

init()
ms.set_context(mode=ms.GRAPH_MODE)
R, N = get_rank(), get_group_size()
LAYOUT = ms.Layout((2, N // 2), ("dp", "mp"))
RNG = np.random.default_rng(0)
X = RNG.standard_normal((8, 8)).astype(np.float32)
Y = RNG.integers(0, 4, 8).astype(np.int32)


class Net(nn.Cell):
    """The activation between the products is divided by samples and by channels, where told so."""

    def __init__(self, told):
        super().__init__()
        self.up, self.down, self.told = nn.Dense(8, 16), nn.Dense(16, 4), told

    def construct(self, x):
        h = ops.relu(self.up(x))
        if self.told:
            h = ms.reshard(h, LAYOUT("dp", "mp"))
        return self.down(h)


def trained(net, x, y, steps=5):
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Adam(net.trainable_params(), 0.05))
    step.set_train()
    losses = [step(x, y).asnumpy() for _ in range(steps)]
    return losses, [p.asnumpy() for p in net.trainable_params()]


def same(found, expected, what):
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a, b, rtol=3e-5, atol=1e-6, err_msg=what)


ms.set_seed(3)
reference = Net(False)
first = [p.asnumpy() for p in reference.trainable_params()]
expected = trained(reference, Tensor(X), Tensor(Y))
rows = slice(R * 8 // N, (R + 1) * 8 // N)
ways = {
    "whole arguments": ({"full_batch": True}, Net(True), X, Y),
    "parts of arguments": ({}, Net(True), X[rows], Y[rows]),
    "by samples alone": ({}, Net(False), X[rows], Y[rows]),
    "searched": ({"parallel_mode": "auto_parallel", "full_batch": True}, Net(False), X, Y),
}
for what, (settings, net, x, y) in ways.items():
    ms.set_auto_parallel_context(**{"parallel_mode": "semi_auto_parallel"} | settings)
    for p, value in zip(net.trainable_params(), first):
        p.set_data(Tensor(value if R == 0 else np.zeros_like(value)))
    losses, weights = trained(net, Tensor(x), Tensor(y))
    ms.reset_auto_parallel_context()
    same(losses, expected[0], what)
    same(weights, expected[1], what)
    print(what, flush=True)
print("all is well", flush=True)
sys.exit(0)
