"""Training on parts of the rows, in both modes, against one process that has all: it prints what rank 0
learnt.
"""

import os
import sys

import numpy as np

import minds as ms
from minds import dataset, nn, ops, train
from minds.communication import get_group_size, get_rank, init

if "DEVICE" in os.environ:
    ms.set_context(device_target=os.environ["DEVICE"])
init()
R, N = get_rank(), get_group_size()
STEPS, BATCH = int(os.environ.get("STEPS", 20)), 8
if N > 1:
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    assert ms.get_auto_parallel_context("device_num") == N
    assert ms.get_auto_parallel_context("global_rank") == R


class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = (
            nn.Conv2d(1, 6, 5, pad_mode="valid"),
            nn.Conv2d(6, 16, 5, pad_mode="valid"),
        )
        self.norm = nn.SyncBatchNorm(6)
        self.pool, self.flatten = nn.MaxPool2d(2, 2), nn.Flatten()
        self.fc1, self.fc2, self.fc3 = nn.Dense(256, 120), nn.Dense(120, 84), nn.Dense(84, 10)

    def construct(self, x):
        x = self.pool(ops.relu(self.norm(self.conv1(x))))
        x = self.flatten(self.pool(ops.relu(self.conv2(x))))
        return self.fc3(ops.relu(self.fc2(ops.relu(self.fc1(x)))))


def made():
    ms.set_seed(1 + (R if N > 1 else 0))  # other first values in each process: rank 0's are taken
    net = LeNet()
    return net, nn.Momentum(net.trainable_params(), 0.05, 0.9)


def batches():
    """Of each global batch, this process's rows."""
    rng = np.random.default_rng(3)
    for _ in range(STEPS):
        x = rng.normal(size=(BATCH, 1, 28, 28)).astype(np.float32)
        y = rng.integers(0, 10, BATCH).astype(np.int32)
        yield ms.Tensor(x[R::N]), ms.Tensor(y[R::N])


def by_cell():
    net, optimizer = made()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
    for x, y in batches():
        step(x, y)
    return net


def by_hand():
    net, optimizer = made()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    reducer = nn.DistributedGradReducer(optimizer.parameters)
    forward = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
    net.set_train()
    for x, y in batches():
        _, grads = forward(x, y)
        optimizer(reducer(grads))
    return net


def by_model():
    net, optimizer = made()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    rng = np.random.default_rng(3)
    x = rng.normal(size=(STEPS * BATCH, 1, 28, 28)).astype(np.float32)
    y = rng.integers(0, 10, STEPS * BATCH).astype(np.int32)
    rows = dataset.NumpySlicesDataset({"x": x, "y": y}, shuffle=False).batch(BATCH // N)
    assert rows.get_dataset_size() == STEPS
    train.Model(net, loss, optimizer).train(1, rows)
    return net


for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
    ms.set_context(mode=mode)
    for how in map(globals().get, os.environ.get("WAYS", "by_cell by_hand by_model").split()):
        values = {p.name: p.value() for p in how().get_parameters()}
        for name, v in values.items():
            first = ops.Broadcast(0)((v,))[0]
            assert np.array_equal(first.asnumpy(), v.asnumpy()), (name, how)
        if R == 0:
            np.savez(
                f"{sys.argv[1]}/{how.__name__}-{mode}.npz",
                **{k: v.asnumpy() for k, v in values.items()},
            )
