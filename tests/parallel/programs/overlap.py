"""Gradients travel while others are computed, and no more than they have to: what a trace of a step of
ResNet-18 tells, of data parallel training and of layouts. ``overlap.py FOLDER``
"""

import json
import sys

import numpy as np

import minds as ms
from minds import Tensor, models, nn
from minds.communication import get_group_size, get_rank, init

init()
ms.set_context(mode=ms.GRAPH_MODE)
R, N = get_rank(), get_group_size()
WAYS = {
    "data": {"parallel_mode": "data_parallel", "gradients_mean": True},
    "rows": {"parallel_mode": "semi_auto_parallel"},
}


def trace_of(step, x, y, path):
    """The events of one step, by kind."""
    step(x, y)
    with ms.profile() as p:
        step(x, y).asnumpy()
    p.save_trace(path)
    with open(path, encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    lanes = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
    found = {"kernel": [], "exchange": []}
    for e in events:
        if e.get("cat") in found:
            found[e["cat"]].append(e)
    assert {lanes[e["tid"]] for e in found["exchange"]} == {"communication"}
    return found["kernel"], found["exchange"]


for way, settings in WAYS.items():
    ms.set_seed(1)
    ms.set_auto_parallel_context(**settings)
    net = models.resnet18(num_classes=4, width=32)
    weights = sum(p.nbytes for p in net.trainable_params())
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, loss), nn.Momentum(net.trainable_params(), 0.01, 0.9)
    )
    rng = np.random.default_rng(R)
    x = Tensor(rng.standard_normal((4, 3, 64, 64)).astype(np.float32))
    y = Tensor(rng.integers(0, 4, 4).astype(np.int32))
    kernels, exchanges = trace_of(step.set_train(), x, y, f"{sys.argv[1]}/{way}-{R}.json")
    ms.reset_auto_parallel_context()

    computed = [e for e in kernels if not e["name"].startswith(("reduction", "all_reduce"))]
    backward = max(e["ts"] + e["dur"] for e in computed if e["name"].startswith("conv"))
    begun = [e for e in kernels if e["name"] == "reduction_begin"]
    early = [e for e in begun if e["ts"] < backward]  # one lane, hence the program's order
    waits = min(e["ts"] for e in kernels if e["name"] == "reduction_end")
    sent = sum(e["args"]["bytes sent"] for e in exchanges)
    least = 2 * weights * (N - 1) / N  # of a sum whose result all have
    print(f"{way}: {len(begun)} exchanges, {len(early)} begun in the backward pass", flush=True)
    assert len(early) >= len(begun) // 2 > 1, (len(early), len(begun))
    assert waits > backward  # nothing of the backward pass waits for them
    # Batch statistics of all rows are sums too.
    assert least <= sent <= least * (1 if way == "data" else 1.01), (sent, least)
print("all is well", flush=True)
sys.exit(0)
