"""Training of a pipeline by each schedule, against the same of one process."""

import sys

import numpy as np

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.communication import get_group_size, get_rank, init

init()
ms.set_context(mode=ms.GRAPH_MODE)
R, N = get_rank(), get_group_size()
RNG = np.random.default_rng(0)
X = Tensor(RNG.standard_normal((8, 8)).astype(np.float32))
Y = Tensor(RNG.integers(0, 4, 8).astype(np.int32))
MICROS = 4


class Block(nn.Cell):
    def __init__(self, size):
        super().__init__()
        self.norm, self.up, self.down = (
            nn.LayerNorm((size,)),
            nn.Dense(size, 16),
            nn.Dense(16, size),
        )

    def construct(self, x):
        return x + self.down(ops.gelu(self.up(self.norm(x))))


class Net(nn.Cell):
    """Blocks, a head, and a table that the first stage and the last both use."""

    def __init__(self, stages):
        super().__init__()
        self.table = Parameter(Tensor(np.eye(8, dtype=np.float32)), name="table")
        self.blocks = nn.CellList([Block(8) for _ in range(4)])
        self.head = nn.Dense(8, 4)
        for i, b in enumerate(self.blocks):
            b.pipeline_stage = i * stages // 4
        self.head.pipeline_stage = stages - 1

    def construct(self, x):
        x = ops.matmul(x, self.table)
        for b in self.blocks:
            x = b(x)
        return self.head(ops.matmul(x, ops.transpose(self.table, (1, 0))))


class Clipped(nn.Cell):
    """A step that needs the norm of the gradients of all stages."""

    def __init__(self, net, optimizer):
        super().__init__()
        self.net, self.optimizer, self.weights = net, optimizer, optimizer.parameters
        self.gradient = ms.value_and_grad(net, None, self.weights)

    def construct(self, x, y):
        loss, grads = self.gradient(x, y)
        grads = ops.clip_by_global_norm(grads, 0.5)
        return ops.depend(loss, self.optimizer(grads))


def step_of(stages, clips=False):
    ms.set_seed(3)
    net = Net(stages)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    cell = nn.PipelineCell(nn.WithLossCell(net, loss), MICROS)
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    step = Clipped(cell, optimizer) if clips else nn.TrainOneStepCell(cell, optimizer)
    step.set_train()
    return net, step


def same(found, expected, what):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=3e-5, atol=2e-6, err_msg=what)


def trained(step, x=X, y=Y, steps=5):
    return [step(x, y).asnumpy() for _ in range(steps)]


references = {}
for clips in (False, True):
    net, step = step_of(1, clips)
    losses = trained(step)
    references[clips] = losses, [p.asnumpy().copy() for p in step.get_parameters()]
    references[clips, "out"] = net(X).asnumpy()

ways = [
    (2, {"pipeline_scheduler": "gpipe"}, False),
    (2, {}, False),
    (2, {"pipeline_scheduler": "zero_bubble_v"}, False),
    (4, {"pipeline_interleave": True}, False),
    (2, {}, True),
]
if N == 4:
    ways += [(4, {}, False), (4, {"pipeline_scheduler": "zero_bubble_v"}, True), (2, "parts", True)]
x, y = X, Y
for stages, config, clips in ways:
    parts, config = config == "parts", {} if config == "parts" else config
    if parts:  # each device of a stage has half of the samples, and half of the optimiser's states
        half = slice(R % 2 * 4, R % 2 * 4 + 4)
        x, y = Tensor(X.asnumpy()[half]), Tensor(Y.asnumpy()[half])
    groups = 2 if config.get("pipeline_interleave") else stages
    net, step = step_of(stages, clips)
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel",
        pipeline_stages=groups,
        pipeline_config=config,
        full_batch=not parts,
        enable_parallel_optimizer=parts,
        parallel_optimizer_config={"parallel_optimizer_threshold": 0} if parts else {},
    )
    what = f"{stages} stages, {config}, clips {clips}, parts {parts}"
    losses, values = references[clips]
    same(trained(step, x, y), losses, what)
    away = [p.name for p in net.trainable_params() if p.lies is not None and p.lies.array.size == 0]
    assert any("blocks" in n for n in away) and "table" not in away, away
    same([net(x).asnumpy()], [references[clips, "out"]], f"outputs, {what}")
    ms.reset_auto_parallel_context()
    same([p.asnumpy() for p in step.get_parameters()], values, f"parameters, {what}")
    print(what, flush=True)
print("all is well", flush=True)
sys.exit(0)
