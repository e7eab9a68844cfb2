"""Networks that processes train together in every way, against the same steps of one process: the losses of
20 steps, and all parameters behind them; and the same bits as virtual ranks. ``networks.py NETWORK:WAY ...``

In float64: what rounding makes of 20 steps of ResNet in float32 is no small number.
"""

import sys

import numpy as np

import minds as ms
from minds import Tensor, models, nn, ops
from minds.base.options import freeze
from minds.communication import get_group_size, get_rank, init
from minds.models.parts.experts import Experts
from minds.parallel.plan import graph_of
from minds.sharding.step import laid_out
from minds.sharding.virtual import run

STEPS, LENGTH, CLASSES, MICROS = 20, 8, 4, 4
RATE = {"lenet": 0.05, "resnet18": 0.002, "bert": 0.05, "gpt": 0.1, "experts": 0.1}
SMALL = {"layers": 4, "width": 16, "heads": 4, "longest": LENGTH}


class WithLoss(nn.Cell):
    """The mean loss of each place of a sequence, or of each sample."""

    def __init__(self, net):
        super().__init__()
        self.net, self.loss = net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    def construct(self, x, y):
        return self.loss(ops.reshape(self.net(x), (-1, CLASSES)), ops.reshape(y, (-1,)))


class Mixture(nn.Cell):
    """An embedding, experts behind a norm, and a head."""

    def __init__(self):
        super().__init__()
        self.embed, self.norm = nn.Embedding(32, 16), nn.LayerNorm((16,))
        self.experts = Experts(16, 24, 4, 2, capacity=1.5, groups=4)
        self.head = nn.Dense(16, CLASSES)

    def construct(self, x):
        x = self.embed(x)
        return self.head(x + self.experts(self.norm(x)))


NETS = {
    "lenet": (lambda drop: models.lenet5(num_classes=CLASSES), (1, 32, 32)),
    "resnet18": (lambda drop: models.resnet18(num_classes=CLASSES, width=16), (3, 32, 32)),
    "bert": (
        lambda drop: models.bert_base_classifier(
            num_classes=CLASSES, vocabulary=32, dropout=drop, **SMALL
        ),
        None,
    ),
    "gpt": (lambda drop: models.gpt2(vocabulary=CLASSES, dropout=drop, **SMALL), None),
    "experts": (lambda drop: Mixture(), None),
}

ROWS, MOST = {"resnet18": 16}, {"resnet18": 2}
"""Samples of a step, 8 of others; and micro-batches. The statistics of two or four rows make rounding errors
ten times as large or more in each step, and programs that are divided add up in another order.
"""


def batches(name):
    """The arguments of each step: four batches in turn."""
    rng, shape, rows = np.random.default_rng(3), NETS[name][1], ROWS.get(name, 8)
    found = []
    for _ in range(4):
        if shape is None:
            x = rng.integers(0, CLASSES if name == "gpt" else 32, (rows, LENGTH)).astype(np.int32)
        else:
            x = rng.standard_normal((rows, *shape))
        each = (rows, LENGTH) if name in ("gpt", "experts") else (rows,)
        found.append((x, rng.integers(0, CLASSES, each).astype(np.int32)))
    return [found[i % 4] for i in range(STEPS)]


def step_of(name, way):
    ms.set_seed(3)
    net = NETS[name][0](way.drop)
    if way.change is not None:
        way.change(net)
    for p in net.get_parameters():
        p.set_dtype(ms.float64)
    net = WithLoss(net)
    if way.micros > 1:
        net = nn.PipelineCell(net, min(way.micros, MOST.get(name, way.micros)))
    return nn.TrainOneStepCell(
        net, nn.Momentum(net.trainable_params(), RATE[name], 0.9)
    ).set_train()


def trained(name, way, rows=slice(None)):
    step = step_of(name, way)
    ms.set_seed(5)
    losses = [step(Tensor(x[rows]), Tensor(y[rows])).asnumpy() for x, y in batches(name)]
    return losses, {p.name: p.asnumpy().copy() for p in step.get_parameters()}


def simulated(name, way):
    """`trained` by virtual ranks of this process, op by op; their losses and parameters."""
    step, data = step_of(name, way), [[Tensor(v) for v in batch] for batch in batches(name)]
    graph = graph_of(step, tuple(data[0]))
    shardings, stages = laid_out(graph, freeze().division)
    held = {p.name: p for p in step.get_parameters()}
    names = [p.name for p in graph.params][2:]
    values, losses = [held[n].copy() for n in names], []
    ms.set_seed(5)
    for batch in data:
        (loss,), after = run(graph, shardings, [*batch, *values], stages)
        values = after[2:]
        losses.append(loss[0].asnumpy())
    return losses, {n: v.asnumpy() for n, v in zip(names, values)}


# ---- how networks are divided, which do not know of it

COLUMNS = ("c_fc", "query", "key", "value", "intermediate.dense", "fc1", "c_attn")
ROWWISE = ("c_proj", "output.dense", "fc2")


def tensor_parallel(layout, sequence=False):
    """Of each pair of products or convolutions the first is divided by what it makes, the second by what it
    takes (Shoeybi et al., Megatron-LM, 2019); with ``sequence`` what is between the pairs by places
    (Korthikanti et al., Reducing Activation Recomputation, 2022).
    """

    def change(net):
        for name, p in net.parameters_and_names():
            cell, _, kind = name.rpartition(".")
            if kind != "weight" or len(p.shape) < 2:
                continue
            first, second = cell.endswith(COLUMNS), cell.endswith(ROWWISE)
            if len(p.shape) == 4 and ".layer" in f".{cell}" and "downsample" not in cell:
                first, second = cell.endswith("conv1"), cell.endswith("conv2")
            outs = 1 if cell.endswith(("c_fc", "c_attn", "c_proj")) else 0
            if first or second:
                dims = ["None"] * len(p.shape)
                dims[outs if first else 1 - outs] = "mp"
                net.shard((None,), parameter_plan={p.name: layout(*dims)})
        for name, cell in net.cells_and_names() if sequence else ():
            if isinstance(cell, nn.LayerNorm):
                whole = () if name.endswith("ln_f") else (layout("dp", "None", "None"),)
                cell.shard((layout("dp", "mp", "None"),), whole)

    return change


def by_experts(layout):
    def change(net):
        net.experts.experts.shard((layout("mp", "None", "None"),))

    return change


def all_to_all(layout, tokens):
    """Experts on the axis ``mp``, to which the devices send their tokens."""

    def change(net):
        others = tuple([a for a in tokens if a != "mp"]) or "None"
        taken, given = layout("mp", others, "None"), layout("None", tokens, "None")
        net.experts.experts.shard((taken,), (given,))

    return change


def staged(stages):
    """Parts of a network in turn to the stages."""

    def change(net):
        parts = [
            c for _, c in net.cells_and_names() if isinstance(c, (nn.CellList, nn.SequentialCell))
        ]
        if hasattr(net, "fc1"):  # LeNet
            parts = [net.conv1, net.conv2, net.fc1, net.fc2]
        elif hasattr(net, "layer1"):
            parts = [net.layer1, net.layer2, net.layer3, net.layer4]
        else:
            parts = list(parts[0])
        for i, part in enumerate(parts):
            part.pipeline_stage = i * stages // len(parts)
        for name in ("fc3", "fc", "ln_f", "classifier"):
            if hasattr(net, name):
                getattr(net, name).pipeline_stage = stages - 1

    return change


def synchronised(net):
    """BatchNorm of all processes' rows; tokens in as many groups as all have together."""
    if isinstance(net, Mixture):
        net.experts.groups //= get_group_size()
    for _, cell in list(net.cells_and_names()):
        for name, part in list(cell.name_cells().items()):
            if type(part) is nn.BatchNorm2d:
                made = nn.SyncBatchNorm(part.num_features)
                for key, p in made.parameters_dict().items():
                    p.name = f"{part.gamma.name.rpartition('.')[0]}.{key}"
                setattr(cell, name, made)


class Way:
    """How processes share a network.

    Attributes:
        settings: of the context.
        change: what is said of the network, or None.
        parts: whether each process has rows of its own; or in how many parts they are.
        micros: of a pipeline.
        drop: of dropout.
    """

    def __init__(self, settings, change=None, parts=0, micros=1, drop=0.1):
        self.settings, self.change, self.parts = settings, change, parts
        self.micros, self.drop = micros, drop


def zero(level):
    config = {"optimizer_level": f"level{level}", "parallel_optimizer_threshold": 0}
    return {
        "parallel_mode": "semi_auto_parallel",
        "enable_parallel_optimizer": True,
        "parallel_optimizer_config": config,
    }


def pipeline(stages, **config):
    return {
        "parallel_mode": "semi_auto_parallel",
        "pipeline_stages": stages,
        "pipeline_config": config,
    }


def ways(n):
    semi = {"parallel_mode": "semi_auto_parallel"}
    line, grid = ms.Layout((1, n), ("dp", "mp")), ms.Layout((2, n // 2), ("dp", "mp"))
    full = {"full_batch": True}
    data = {"parallel_mode": "data_parallel", "gradients_mean": True}
    return {
        "data": Way(data, synchronised, n, drop=0.0),
        "rows": Way(semi, None, n),
        "zero1": Way(zero(1), None, n),
        "zero2": Way(zero(2), None, n),
        "zero3": Way(zero(3), None, n),
        "tensor": Way(semi | full, tensor_parallel(line)),
        "sequence": Way(semi | full, tensor_parallel(line, True)),
        "experts": Way(semi | full, by_experts(line)),
        "hybrid-experts": Way(semi | full, by_experts(grid)),
        "exchanged": Way(semi, all_to_all(line, ("mp",)), n),
        "hybrid-exchanged": Way(semi, all_to_all(grid, ("dp", "mp")), n),
        "auto": Way({"parallel_mode": "auto_parallel"} | full),
        "gpipe": Way(pipeline(n, pipeline_scheduler="gpipe") | full, staged(n), micros=MICROS),
        "1f1b": Way(pipeline(n) | full, staged(n), micros=MICROS),
        "zb": Way(pipeline(n, pipeline_scheduler="zero_bubble_v") | full, staged(n), micros=MICROS),
        "interleaved": Way(pipeline(2, pipeline_interleave=True) | full, staged(4), micros=MICROS),
        "hybrid": Way(semi | full, tensor_parallel(grid)),
        "hybrid-sequence": Way(semi | full, tensor_parallel(grid, True)),
        "hybrid-pipeline": Way(pipeline(2) | zero(1), staged(2), n // 2, micros=2),
    }


def rows_of(name, rank, way):
    """The samples of a process."""
    if not way.parts:
        return slice(None)
    size, at = ROWS.get(name, 8) // way.parts, rank % way.parts
    return slice(at * size, (at + 1) * size)


def check_bits(case, found, virtual):
    np.testing.assert_array_equal(found[0], virtual[0], f"{case}: losses of virtual ranks")
    for name, value in virtual[1].items():
        np.testing.assert_array_equal(found[1][name], value, f"{case}: {name} of virtual ranks")


def main(cases):
    init()
    ms.set_context(mode=ms.GRAPH_MODE)
    rank, count = get_rank(), get_group_size()
    known = ways(count)
    references = {}
    for case in cases:
        name, _, kind = case.partition(":")
        way = known[kind]
        key = name, way.drop, way.micros
        if key not in references:
            references[key] = trained(name, Way({}, None, 0, way.micros, way.drop))
        losses, values = references[key]
        ms.set_auto_parallel_context(**way.settings)
        found, held = trained(name, way, rows_of(name, rank, way))
        if rank == 0 and kind != "data":
            check_bits(case, (found, held), simulated(name, way))
        ms.reset_auto_parallel_context()
        if kind == "data":  # each has the loss of its rows
            found = [ops.AllReduce()(Tensor(v)).asnumpy() / count for v in found]
        np.testing.assert_allclose(found, losses, rtol=1e-8, atol=1e-9, err_msg=case)
        assert held.keys() == values.keys()
        for p, v in values.items():
            np.testing.assert_allclose(held[p], v, rtol=1e-7, atol=1e-8, err_msg=f"{case} {p}")
        print(f"{case} is well", flush=True)
    print("all is well", flush=True)
    sys.exit(0)


main(sys.argv[1:])
