"""Training in which one rank of several fails after a while: ``faults.py WAY HOW SECONDS``. It says when it
does, by the clock that all processes share.
"""

import os
import signal
import sys
import threading
import time

import numpy as np

import minds as ms
from minds import Tensor, nn, ops
from minds.communication import get_group_size, get_rank, init

WAYS = {
    "data": {"parallel_mode": "data_parallel", "gradients_mean": True},
    "rows": {"parallel_mode": "semi_auto_parallel"},
    "zero": {
        "parallel_mode": "semi_auto_parallel",
        "enable_parallel_optimizer": True,
        "parallel_optimizer_config": {
            "optimizer_level": "level3",
            "parallel_optimizer_threshold": 0,
        },
    },
    "pipeline": {"parallel_mode": "semi_auto_parallel", "pipeline_stages": 2, "full_batch": True},
}
way, how, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
if "DEVICE" in os.environ:
    ms.set_context(device_target=os.environ["DEVICE"])
init()
ms.set_context(mode=ms.GRAPH_MODE)
last = get_rank() == get_group_size() - 1


def fail():
    time.sleep(seconds)
    print(f"at {time.time()}", flush=True)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGSTOP if how == "stop" else signal.SIGINT)


ms.set_auto_parallel_context(**WAYS[way])
ms.set_seed(1)
net = nn.SequentialCell([nn.Dense(256, 256), nn.ReLU(), nn.Dense(256, 256), nn.Dense(256, 4)])
if way == "pipeline":
    net[0].pipeline_stage, net[2].pipeline_stage, net[3].pipeline_stage = 0, 1, 1
loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
loss = nn.PipelineCell(loss, 4) if way == "pipeline" else loss
step = nn.TrainOneStepCell(loss, nn.Momentum(net.trainable_params(), 0.01, 0.9)).set_train()
x = Tensor(np.random.default_rng(0).standard_normal((8, 256)).astype(np.float32))
y = Tensor(np.zeros(8, np.int32))
if last and how != "differ":
    threading.Thread(target=fail, daemon=True).start()
until = time.monotonic() + seconds
while True:
    step(x, y)
    if how == "differ" and last and time.monotonic() > until:
        print(f"at {time.time()}", flush=True)
        ops.AllGather()(x)
