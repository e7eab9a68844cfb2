"""A lookup in a table of which each process has half of the rows, with a position that is out of range: on
all ranks, which then go on; or, with an argument, among the samples of one rank, which ends all.
"""

import sys

import numpy as np

import minds as ms
from minds import Tensor, nn
from minds.communication import get_rank, init

init()
ms.set_context(mode=ms.GRAPH_MODE)
one = len(sys.argv) > 1
ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=not one)
net = nn.Embedding(12, 4)
if not one:
    net.embedding_table.strategy = (("a",), ()), (("a",), (2,))
step = nn.TrainOneStepCell(
    nn.SequentialCell(net, nn.Dense(4, 2)), nn.SGD(net.trainable_params(), 0.1)
)
step.set_train()
good, bad = Tensor(np.array([0, 11, 5, -1], np.int32)), Tensor(np.array([0, 11, 99, 1], np.int32))
step(good)
if one:
    step(bad if get_rank() == 1 else good)
for _ in range(2):
    try:
        step(bad)
    except IndexError as e:
        assert "index 99 at position 2 is out of range for an axis of size 12" in str(e), e
    else:
        raise AssertionError("nothing was raised")
step(good)
print("all is well", flush=True)
