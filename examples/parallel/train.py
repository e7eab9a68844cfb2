"""Train ResNet-18 or GPT-2, as they are, on several processes in one of five ways, which learn what one
process does; only that data parallel training normalises with the batch statistics of each process's rows,
and a pipeline with those of its micro-batches.

python train.py                                            data parallel, 2 processes, half a minute
python train.py --network gpt --way tensor                 layers divided among the processes
python train.py --network gpt --way pipeline --processes 4 layers in turn, on different micro-batches
python train.py --way optimizer                            weights and states of the optimiser divided
python train.py --way auto                                 layouts that are searched
python train.py --way one --processes 1                    one process
"""

import argparse
import os
import pydoc_data.topics
import subprocess
import sys
import time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import digits

import minds as ms
from minds import models, nn, ops
from minds.communication import get_group_size, get_rank, init

BATCH, LENGTH, MICROS = 16, 32, 4
WAYS = ("data", "tensor", "pipeline", "optimizer", "auto", "one")
COLUMNS, ROWS = ("c_attn", "c_fc"), ("c_proj",)


class Loss(nn.Cell):
    """The mean cross entropy of a network's answers."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x, y):
        logits = self.net(x)
        return ops.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))


def images():
    """ResNet-18, its parts, and scikit-learn's digits with their numbers."""
    from sklearn.datasets import load_digits

    x = np.kron(digits(), np.ones((1, 4, 4), np.float32))[:, None]
    net = models.resnet18(num_classes=10, in_channels=1, width=16)
    return net, [net.layer1, net.layer2, net.layer3, net.layer4], x, load_digits().target


def texts():
    """A small GPT-2, its parts, and pieces of Python's documentation with the letters that follow."""
    text = "\n".join(pydoc_data.topics.topics.values())
    letters = sorted(set(text))
    number = {c: i for i, c in enumerate(letters)}
    ids = np.array([number[c] for c in text], np.int32)
    pieces = np.stack([ids[s : s + LENGTH + 1] for s in range(0, len(ids) - LENGTH, LENGTH)])
    net = models.gpt2(
        layers=4, width=64, heads=4, vocabulary=len(letters), longest=LENGTH, dropout=0.0
    )
    return net, list(net.h), pieces[:, :-1], pieces[:, 1:]


def tensor_parallel(net, count: int) -> None:
    """Of each pair of products or convolutions the first is divided by what it makes, the second by what it
    takes, so that one sum for each pair is all that processes exchange.
    """
    layout = ms.Layout((count,), ("mp",))
    for name, p in net.parameters_and_names():
        cell = name.rpartition(".")[0]
        first, second = cell.endswith(COLUMNS), cell.endswith(ROWS)
        makes = 1  # of a weight (inputs, outputs)
        if len(p.shape) == 4 and cell.startswith("layer") and "downsample" not in cell:
            first, second, makes = cell.endswith("conv1"), cell.endswith("conv2"), 0
        if len(p.shape) > 1 and (first or second):
            dims = ["None"] * len(p.shape)
            dims[makes if first else 1 - makes] = "mp"
            net.shard((None,), parameter_plan={p.name: layout(*dims)})


def divide(way: str, net, parts: list, count: int) -> nn.Cell:
    """Say how processes share a network; its loss."""
    settings: dict = {"parallel_mode": "semi_auto_parallel"}
    if way == "data":
        settings = {"parallel_mode": "data_parallel", "gradients_mean": True}
    elif way == "auto":
        settings = {"parallel_mode": "auto_parallel", "full_batch": True}
    elif way == "tensor":
        tensor_parallel(net, count)
        settings["full_batch"] = True
    elif way == "optimizer":
        settings["enable_parallel_optimizer"] = True
        settings["parallel_optimizer_config"] = {"optimizer_level": "level3"}
    elif way == "pipeline":
        for i, part in enumerate(parts):
            part.pipeline_stage = i * count // len(parts)
        for name in ("ln_f", "fc"):
            if hasattr(net, name):
                getattr(net, name).pipeline_stage = count - 1
        settings.update(pipeline_stages=count, full_batch=True)
    if way != "one":
        ms.set_auto_parallel_context(**settings)
    return nn.PipelineCell(Loss(net), MICROS) if way == "pipeline" else Loss(net)


def train(args) -> None:
    if args.processes > 1:
        init()
    rank, count = (get_rank(), get_group_size()) if args.processes > 1 else (0, 1)
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(1)
    net, parts, x, y = images() if args.network == "resnet" else texts()
    loss = divide(args.way, net, parts, count)
    scale = MICROS if args.way == "pipeline" else 1  # it adds up the losses of its micro-batches
    step = nn.TrainOneStepCell(loss, nn.Momentum(net.trainable_params(), args.rate / scale, 0.9))
    step.set_train()
    mine = slice(None)
    if args.way in ("data", "optimizer"):  # each process has rows of its own
        size = BATCH // count
        mine = slice(rank * size, (rank + 1) * size)
    rng, losses, begin = np.random.default_rng(1), [], 0.0
    for i in range(args.steps):
        rows = rng.integers(0, len(x), BATCH)[mine]
        found = step(ms.Tensor(x[rows]), ms.Tensor(y[rows].astype(np.int32)))
        if args.way == "data":
            found = ops.AllReduce()(found) / count
        losses.append(float(found) / scale)
        if i == 0:
            begin = time.perf_counter()
    ms_of_step = (time.perf_counter() - begin) / max(args.steps - 1, 1) * 1e3
    held = sum(p.nbytes if p.lies is None else p.lies.array.nbytes for p in step.get_parameters())
    if rank == 0:
        print(
            f"{args.network}, {args.way}, {count} processes: {args.steps} steps of {ms_of_step:.1f} ms"
        )
        print(
            f"loss {losses[0]:.6f} to {np.mean(losses[-10:]):.6f}; {held / 1e6:.2f} MB of parameters each"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--network", choices=("resnet", "gpt"), default="resnet")
    parser.add_argument("--way", choices=WAYS, default="data")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rate", type=float, default=0.02, help="of learning")
    args = parser.parse_args()
    if args.way == "one":
        args.processes = 1
    if args.processes > 1 and "MINDS_NOTES" not in os.environ:  # the launcher sets it
        command = [sys.executable, "-m", "minds.launch", "-n", str(args.processes)]
        sys.exit(subprocess.run([*command, os.path.abspath(__file__), *sys.argv[1:]]).returncode)
    train(args)


if __name__ == "__main__":
    main()
