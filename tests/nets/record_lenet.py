"""Train LeNet-5 in torch from `first_values` and write the losses of 200 steps to
``lenet_torch.json``.

Needs torch: ``python tests/nets/record_lenet.py``.
"""

from __future__ import annotations

import json
import os
import sys

import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from data import batches, first_values


def main() -> None:
    """Train and record."""
    torch.set_num_threads(1)
    net = nn.Sequential(
        nn.Conv2d(1, 6, 5, bias=False),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5, bias=False),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(400, 120),
        nn.ReLU(),
        nn.Linear(120, 84),
        nn.ReLU(),
        nn.Linear(84, 10),
    )
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(torch.from_numpy(first_values(i, tuple(p.shape))))
    opt = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)
    losses = []
    for x, y in batches(200, 32, (1, 32, 32), 10):
        loss = nn.functional.cross_entropy(net(torch.from_numpy(x)), torch.from_numpy(y).long())
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(round(loss.item(), 7))
    with open(os.path.join(HERE, "lenet_torch.json"), "w") as f:
        json.dump(losses, f)
    print(losses[::25], losses[-1])


if __name__ == "__main__":
    main()
