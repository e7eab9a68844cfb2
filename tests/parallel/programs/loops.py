"""Loops and branches in divided programs, against the same of one process."""

import sys

import numpy as np

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.communication import get_group_size, get_rank, init

init()
ms.set_context(mode=ms.GRAPH_MODE)
R, N = get_rank(), get_group_size()
X = np.random.default_rng(0).standard_normal((8, 8)).astype(np.float32)
ROWS = slice(R * 8 // N, (R + 1) * 8 // N)


class Net(nn.Cell):
    """A product before, a loop and a branch on a value of the run, a recurrence, a product behind."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Dense(8, 8), nn.Dense(8, 4)
        self.w = Parameter(Tensor(np.eye(8, dtype=np.float32) * 0.9), name="w")
        self.steps = Parameter(Tensor(0, ms.int32), name="steps", requires_grad=False)

    def construct(self, x, n):
        x = self.first(x)
        i = 0
        while i < n:
            x = ops.tanh(ops.matmul(x, self.w))
            i = i + 1
        if n > 2:
            x = x * 2
            self.steps += 1
        else:
            x = ops.matmul(x, self.w)
        for _ in range(12):
            x = x + 0.1 * ops.sin(x)
        return self.last(x).sum()


def trained(x, counts):
    ms.set_seed(3)
    net = Net()
    step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.01, 0.9))
    step.set_train()
    losses = [step(Tensor(x), Tensor(n)).asnumpy() for n in counts]
    return losses, [p.asnumpy() for p in step.get_parameters()], step


COUNTS = (3, 1, 0, 4)
losses, values, _ = trained(X, COUNTS)
for level in (0, 3):
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel",
        dataset_strategy=((N, 1), ()),
        enable_parallel_optimizer=level > 0,
        parallel_optimizer_config={"optimizer_level": "level3", "parallel_optimizer_threshold": 0},
    )
    found, held, step = trained(X[ROWS], COUNTS)
    for a, b in zip([*found, *held], [*losses, *values], strict=True):
        np.testing.assert_allclose(a, b, rtol=3e-5, atol=2e-5)
    lies = {p.name for p in step.get_parameters() if p.lies is not None}
    assert ("first.weight" in lies) == (level > 0), lies
    ms.reset_auto_parallel_context()
print("all is well", flush=True)
sys.exit(0)
