"""What the devices of a mixture of experts send each other: the tokens that go to an expert elsewhere, there
and back, in both passes. ``experts.py FOLDER``
"""

import json
import math
import sys

import numpy as np

import minds as ms
from minds import Tensor, nn
from minds.communication import get_group_size, get_rank, init
from minds.models.parts.experts import Experts

init()
ms.set_context(mode=ms.GRAPH_MODE)
R, N = get_rank(), get_group_size()
WIDTH, NUMBER, CHOSEN, ROWS, LENGTH, CAPACITY = 64, 4, 2, 8, 32, 1.0


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Dense(WIDTH, WIDTH), nn.Dense(WIDTH, 1)
        self.experts = Experts(WIDTH, 2 * WIDTH, NUMBER, CHOSEN, CAPACITY, groups=N)

    def construct(self, x):
        return self.last(self.experts(self.first(x))).mean()


def step_of():
    ms.set_seed(1)
    net = Net()
    return net, nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.5)).set_train()


x = Tensor(np.random.default_rng(0).standard_normal((ROWS, LENGTH, WIDTH)).astype(np.float32))
_, step = step_of()
expected = [step(x).asnumpy() for _ in range(3)]
layout = ms.Layout((N,), ("mp",))
ms.set_auto_parallel_context(
    parallel_mode="semi_auto_parallel", dataset_strategy=(layout("mp", "None", "None"),)
)
net, step = step_of()
net.experts.experts.shard((layout("mp", "None", "None"),), (layout("None", "mp", "None"),))
mine = x[R * ROWS // N : (R + 1) * ROWS // N]
found = [step(mine).asnumpy() for _ in range(2)]
with ms.profile() as p:
    found.append(step(mine).asnumpy())
np.testing.assert_allclose(found, expected, rtol=1e-5)
weights = net.experts.experts.get_parameters()
assert all(p.lies.array.nbytes == p.nbytes // N for p in weights)
path = f"{sys.argv[1]}/experts{R}.json"
p.save_trace(path)
with open(path, encoding="utf-8") as f:
    events = [e for e in json.load(f)["traceEvents"] if e.get("cat") == "exchange"]
room = math.ceil(CAPACITY * ROWS * LENGTH // N * CHOSEN / NUMBER)
own = NUMBER * room * WIDTH * 4  # bytes of what a device's tokens are to the experts
sent = [e["args"]["bytes sent"] for e in events]
tokens = own * (N - 1) // N
assert sorted(sent)[-4:] == [tokens] * 4, (sent, tokens)
replicated = [p for p in net.get_parameters() if p.requires_grad and p.lies is None]
rest = sum(p.nbytes for p in replicated) * 2 * (N - 1) / N
assert rest <= sum(sent) - 4 * tokens <= 1.01 * rest, (sent, rest)
print("all is well", flush=True)
sys.exit(0)
