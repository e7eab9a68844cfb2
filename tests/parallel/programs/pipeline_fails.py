"""A pipeline of which one rank does something else than the others: rank, and what."""

import os
import signal
import sys

import numpy as np

import minds as ms
from minds import Tensor, nn
from minds.communication import get_rank, init

init()
ms.set_context(mode=ms.GRAPH_MODE)
X = Tensor(np.ones((64, 256), np.float32))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(256, 256), nn.Dense(256, 256)
        self.a.pipeline_stage, self.b.pipeline_stage = 0, 1

    def construct(self, x):
        return (self.b(self.a(x)) ** 2).mean()


net = Net()
step = nn.TrainOneStepCell(nn.PipelineCell(net, 4), nn.Adam(net.trainable_params(), 0.01))
step.set_train()
ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", pipeline_stages=2, full_batch=True)
who, what = int(sys.argv[1]), sys.argv[2]
for i in range(100_000):
    step(X)
    if i == 20 and get_rank() == who:
        if what == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if what == "reads":  # all of what lies in parts, which the other does not ask for
            net.a.weight.asnumpy()
