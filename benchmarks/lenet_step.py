"""One training step of LeNet-5 at batch 32 (Momentum), graph mode, against eager torch.

python benchmarks/lenet_step.py [--peer PYTHON_WITH_TORCH] [--threads 2] [--rounds 15]
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from peer import Worker, compare, serve

BATCH = 32


def data() -> tuple:
    """One batch of images and labels."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((BATCH, 1, 32, 32)).astype(np.float32), rng.integers(0, 10, BATCH)


def minds_step(graph: bool):
    """The step in minds."""
    import minds as ms
    from minds import nn

    ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
    net = nn.SequentialCell(
        nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Flatten(),
        nn.Dense(400, 120),
        nn.ReLU(),
        nn.Dense(120, 84),
        nn.ReLU(),
        nn.Dense(84, 10),
    )
    loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
    step = nn.TrainOneStepCell(loss, nn.Momentum(net.trainable_params(), 0.01, 0.9)).set_train()
    x, y = data()
    x, y = ms.Tensor(x), ms.Tensor(y.astype(np.int32))
    return lambda: float(step(x, y))


def torch_step():
    """The step in eager torch."""
    import torch
    from torch import nn

    net = nn.Sequential(
        nn.Conv2d(1, 6, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(400, 120),
        nn.ReLU(),
        nn.Linear(120, 84),
        nn.ReLU(),
        nn.Linear(84, 10),
    )
    optimiser = torch.optim.SGD(net.parameters(), 0.01, 0.9)
    loss = nn.CrossEntropyLoss()
    x, y = map(torch.from_numpy, data())

    def step():
        optimiser.zero_grad()
        value = loss(net(x), y)
        value.backward()
        optimiser.step()
        return value.item()

    return step


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", default=sys.executable, help="a Python with torch")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--worker")
    args = parser.parse_args()
    if args.worker == "torch":
        serve(torch_step(), 30)
    elif args.worker:
        serve(minds_step(args.worker == "minds graph"), 30)
    else:
        names = (
            ("minds graph", sys.executable),
            ("minds pynative", sys.executable),
            ("torch", args.peer),
        )
        compare(
            [Worker(python, __file__, name, args.threads) for name, python in names], args.rounds
        )


if __name__ == "__main__":
    main()
