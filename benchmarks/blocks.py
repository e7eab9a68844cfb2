"""Training steps of small networks: minds in graph mode, torch eager, torch.compile and jax.

    python benchmarks/blocks.py [--peer PYTHON] [--threads 1] [--rounds 9] [CASE ...]

    mlp          three layers of 256 units, batch 32, Adam
    resnet       one basic block with 64 channels on 28x28, batch 8, batch norm, momentum
    transformer  one block: 8 heads, width 256, 64 tokens, batch 8, gelu, layer norm, Adam
    elementwise  a chain of twelve functions on a million numbers and its gradient

A step is forward, backward and update. Each framework runs in a process of its own, rounds are
interleaved.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from peer import Worker, compare, limit_threads, serve

CASES = ("mlp", "resnet", "transformer", "elementwise")
FRAMEWORKS = ("minds", "torch", "torch.compile", "jax")
REPEAT = {"mlp": 40, "resnet": 8, "transformer": 4, "elementwise": 6}
WIDTH, HEADS, TOKENS = 256, 8, 64


def data(case: str) -> tuple:
    """Input and labels, or the input alone."""
    rng = np.random.default_rng(0)
    shape = {
        "mlp": (32, 256),
        "resnet": (8, 64, 28, 28),
        "transformer": (8, TOKENS, WIDTH),
        "elementwise": (1000, 1000),
    }[case]
    x = rng.standard_normal(shape).astype(np.float32)
    return (x, rng.integers(0, 10, 32).astype(np.int32)) if case == "mlp" else (x,)


# ---- minds


def minds_step(case: str):
    """The training step of a case."""
    import minds as ms
    from minds import nn, ops

    ms.set_context(mode=ms.GRAPH_MODE)

    class Block(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(64, 64, 3, pad_mode="same")
            self.conv2 = nn.Conv2d(64, 64, 3, pad_mode="same")
            self.bn1, self.bn2 = nn.BatchNorm2d(64), nn.BatchNorm2d(64)

        def construct(self, x):
            y = ops.relu(self.bn1(self.conv1(x)))
            return ops.mean(ops.relu(self.bn2(self.conv2(y)) + x) ** 2)

    class Transformer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm((WIDTH,)), nn.LayerNorm((WIDTH,))
            self.qkv, self.out = nn.Dense(WIDTH, 3 * WIDTH), nn.Dense(WIDTH, WIDTH)
            self.up, self.down = nn.Dense(WIDTH, 4 * WIDTH), nn.Dense(4 * WIDTH, WIDTH)

        def construct(self, x):
            n, t, w = x.shape
            heads = (
                self.qkv(self.norm1(x)).reshape(n, t, 3, HEADS, w // HEADS).transpose(2, 0, 3, 1, 4)
            )
            q, k, v = heads[0], heads[1], heads[2]
            a = ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * (w // HEADS) ** -0.5, -1)
            x = x + self.out(ops.matmul(a, v).transpose(0, 2, 1, 3).reshape(n, t, w))
            x = x + self.down(ops.gelu(self.up(self.norm2(x))))
            return ops.mean(x * x)

    x, *rest = map(ms.Tensor, data(case))
    if case == "elementwise":

        def chain(x):
            y = ops.tanh(x * 0.5 + 1.0) * ops.sigmoid(x) - ops.exp(-x * x)
            return ops.sum(y * y / (1.0 + ops.abs(x)) + ops.relu(y) * 0.1)

        gradient = ms.jit(ms.grad(chain))
        return lambda: gradient(x)
    if case == "mlp":
        net = nn.SequentialCell(
            nn.Dense(256, 256), nn.ReLU(), nn.Dense(256, 256), nn.ReLU(), nn.Dense(256, 10)
        )
        loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
    else:
        net = loss = Block() if case == "resnet" else Transformer()
    weights = net.trainable_params()
    update = nn.Momentum(weights, 0.01, 0.9) if case == "resnet" else nn.Adam(weights, 1e-3)
    step = nn.TrainOneStepCell(loss, update).set_train()
    return lambda: step(x, *rest)


# ---- torch


def torch_step(case: str, compiled: bool):
    """The same, eager or compiled; the optimiser is torch's fastest for many small tensors."""
    import torch
    from torch import nn
    from torch.nn import functional as F

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.conv2 = (nn.Conv2d(64, 64, 3, padding=1, bias=False) for _ in range(2))
            self.bn1, self.bn2 = nn.BatchNorm2d(64), nn.BatchNorm2d(64)

        def forward(self, x):
            y = F.relu(self.bn1(self.conv1(x)))
            return (F.relu(self.bn2(self.conv2(y)) + x) ** 2).mean()

    class Transformer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x):
            n, t, w = x.shape
            q, k, v = (
                self.qkv(self.norm1(x)).reshape(n, t, 3, HEADS, w // HEADS).permute(2, 0, 3, 1, 4)
            )
            a = F.softmax(q @ k.transpose(-1, -2) * (w // HEADS) ** -0.5, -1)
            x = x + self.out((a @ v).transpose(1, 2).reshape(n, t, w))
            x = x + self.down(F.gelu(self.up(self.norm2(x))))
            return (x * x).mean()

    class Classify(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(
                nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)
            )

        def forward(self, x, y):
            return F.cross_entropy(self.net(x), y)

    x, *rest = map(torch.from_numpy, data(case))
    rest = [y.long() for y in rest]
    if case == "elementwise":
        x.requires_grad_()

        def chain(x):
            y = torch.tanh(x * 0.5 + 1.0) * torch.sigmoid(x) - torch.exp(-x * x)
            return (y * y / (1.0 + torch.abs(x)) + F.relu(y) * 0.1).sum()

        fn = torch.compile(chain) if compiled else chain

        def run():
            x.grad = None
            fn(x).backward()

        return run
    net = {"mlp": Classify, "resnet": Block, "transformer": Transformer}[case]()
    fn = torch.compile(net) if compiled else net
    weights = net.parameters()
    optimiser = (
        torch.optim.SGD(weights, 0.01, 0.9)
        if case == "resnet"
        else torch.optim.Adam(weights, 1e-3, fused=True)
    )

    def step():
        optimiser.zero_grad()
        loss = fn(x, *rest)
        loss.backward()
        optimiser.step()
        return loss

    return step


# ---- jax


def jax_step(case: str):
    """The same, jitted as a whole."""
    import jax
    from jax import numpy as jnp

    if case in ("resnet", "transformer"):
        raise NotImplementedError("has no layers")
    x, *rest = map(jnp.asarray, data(case))
    if case == "elementwise":

        def chain(x):
            y = jnp.tanh(x * 0.5 + 1.0) * jax.nn.sigmoid(x) - jnp.exp(-x * x)
            return jnp.sum(y * y / (1.0 + jnp.abs(x)) + jax.nn.relu(y) * 0.1)

        gradient = jax.jit(jax.grad(chain))
        return lambda: gradient(x).block_until_ready()
    rng = np.random.default_rng(1)
    weights = [
        jnp.asarray(0.06 * rng.standard_normal(s).astype(np.float32))
        for s in ((256, 256), (256,), (256, 256), (256,), (256, 10), (10,))
    ]

    def loss(weights, x, y):
        w1, b1, w2, b2, w3, b3 = weights
        h = jax.nn.relu(jax.nn.relu(x @ w1 + b1) @ w2 + b2) @ w3 + b3
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(h), y[:, None], 1))

    @jax.jit
    def step(state, x, y):
        weights, first, second, t = state
        value, grads = jax.value_and_grad(loss)(weights, x, y)
        t = t + 1
        first = [0.9 * m + 0.1 * g for m, g in zip(first, grads)]
        second = [0.999 * v + 0.001 * g * g for v, g in zip(second, grads)]
        scale = 1e-3 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        weights = [w - scale * m / (jnp.sqrt(v) + 1e-8) for w, m, v in zip(weights, first, second)]
        return value, (weights, first, second, t)

    zeros = [jnp.zeros_like(w) for w in weights]
    held = [(weights, zeros, zeros, jnp.float32(0))]

    def run():
        value, held[0] = step(held[0], x, *rest)
        return value.block_until_ready()

    return run


def make(framework: str, case: str):
    """A call that does one step."""
    if framework == "minds":
        return minds_step(case)
    if framework == "jax":
        return jax_step(case)
    return torch_step(case, framework == "torch.compile")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", default=CASES)
    parser.add_argument("--peer", help="a Python with torch and jax; what is missing is left out")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument(
        "--cpu", action="store_true", help="the processes' CPU time: right on a busy machine"
    )
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        case, framework = args.worker.split()
        limit_threads(framework, args.threads)
        serve(make(framework, case), REPEAT[case], args.cpu)
        return
    for case in args.cases:
        print(f"-- {case}")
        compare(
            [
                Worker(
                    sys.executable if f == "minds" else args.peer,
                    __file__,
                    f"{case} {f}",
                    args.threads,
                    *["--cpu"] * args.cpu,
                )
                for f in FRAMEWORKS
                if f == "minds" or args.peer
            ],
            args.rounds,
        )


if __name__ == "__main__":
    main()
