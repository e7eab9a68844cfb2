"""Loops, recursion and recurrent networks: what the runtime costs, and the same programs in other
frameworks.

    python benchmarks/loops.py [--peer PYTHON] [--threads 1] [--rounds 9] [CASE ...]

The peer's Python may have torch (eager), mindspore (graph mode) and jax (jit); each runs in a
process of its own, and rounds are interleaved, so that a busy machine disturbs all alike. Cases:
    while     the gradient of a loop whose end depends on data, with a small tensor body
    lstm      a training step of an LSTM written as a loop over time, its length known when
    compiling lstm_run  the same with a length that is known at run time only
    overhead  nanoseconds per iteration of a loop on numbers, forward and in reverse, and per level
    of a
              recursion
    compile   compile times that must not depend on trip counts, or be linear in the program
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
from peer import Worker, answers, compare, limit_threads, serve, warm

STEPS, BATCH, INPUTS, UNITS = 50, 16, 32, 64
LIMIT = 1e4
REPEAT = {"while": 30, "lstm": 10, "lstm_run": 10}
SLOW = {"mindspore": 2}  # repetitions where one takes very long


def state() -> tuple:
    """What the `while` case starts from: a state and a matrix."""
    rng = np.random.default_rng(0)
    return (
        rng.standard_normal((4, 16)).astype(np.float32),
        0.1 * rng.standard_normal((16, 16)).astype(np.float32),
    )


def sequence() -> tuple:
    """The LSTM's inputs, then its weights and bias."""
    rng = np.random.default_rng(0)
    shapes = (STEPS, BATCH, INPUTS), (INPUTS, 4 * UNITS), (UNITS, 4 * UNITS), (4 * UNITS,)
    return tuple(0.1 * rng.standard_normal(s).astype(np.float32) for s in shapes)


# ---- the programs, as each framework's user writes them


def minds_while():
    import minds as ms
    from minds import ops

    def grow(x, w):
        s = ops.sum(x * x)
        while s < LIMIT:
            x = x + ops.tanh(ops.matmul(x, w)) * 0.5 + 0.01
            s = ops.sum(x * x)
        return s

    gradient = ms.jit(ms.grad(grow, (0, 1)))
    x, w = map(ms.Tensor, state())
    return lambda: gradient(x, w)


def mindspore_while():
    import mindspore as ms
    from mindspore import ops

    ms.set_context(mode=ms.GRAPH_MODE)

    def grow(x, w, limit):
        s = ops.sum(x * x)
        while s < limit:
            x = x + ops.tanh(ops.matmul(x, w)) * 0.5 + 0.01
            s = ops.sum(x * x)
        return s

    gradient = ms.jit(ms.grad(grow, (0, 1)))
    x, w = map(ms.Tensor, state())
    limit = ms.Tensor(LIMIT, ms.float32)
    return lambda: gradient(x, w, limit)[0].asnumpy()


def torch_while():
    import torch

    x0, w = map(torch.from_numpy, state())
    w.requires_grad_()

    def step():
        w.grad = None
        x = first = x0.clone().requires_grad_()
        s = (x * x).sum()
        while s < LIMIT:
            x = x + torch.tanh(x @ w) * 0.5 + 0.01
            s = (x * x).sum()
        s.backward()
        return first.grad

    return step


def minds_lstm(run_time: bool):
    import minds as ms
    from minds import nn, ops

    class Lstm(nn.Cell):
        def __init__(self, wx, wh, b):
            super().__init__()
            self.wx, self.wh, self.b = (
                ms.Parameter(ms.Tensor(p), name=n) for p, n in ((wx, "wx"), (wh, "wh"), (b, "b"))
            )

        def construct(self, x, steps=STEPS):
            h = c = ops.zeros((BATCH, UNITS), ms.float32)
            for t in range(steps):
                gates = ops.matmul(x[t], self.wx) + ops.matmul(h, self.wh) + self.b
                i, f, g, o = ops.split(gates, UNITS, axis=1)
                c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
                h = ops.sigmoid(o) * ops.tanh(c)
            return ops.mean(h * h)

    ms.set_context(mode=ms.GRAPH_MODE)
    x, *weights = sequence()
    net = Lstm(*weights)
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.01)).set_train()
    x = ms.Tensor(x)
    return (lambda: step(x, STEPS)) if run_time else (lambda: step(x))


def torch_lstm(run_time: bool):
    import torch

    x, *weights = map(torch.from_numpy, sequence())
    wx, wh, b = (w.requires_grad_() for w in weights)
    optimiser = torch.optim.SGD([wx, wh, b], 0.01)

    def step():
        optimiser.zero_grad()
        h = c = torch.zeros(BATCH, UNITS)
        for t in range(STEPS):
            gates = x[t] @ wx + h @ wh + b
            i, f, g, o = gates.split(UNITS, dim=1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        loss = (h * h).mean()
        loss.backward()
        optimiser.step()
        return loss

    return step


def jax_lstm(run_time: bool):
    import jax
    from jax import numpy as jnp

    x, *weights = map(jnp.asarray, sequence())

    def loss(weights, x):
        wx, wh, b = weights

        def one(carry, x):
            h, c = carry
            i, f, g, o = jnp.split(x @ wx + h @ wh + b, 4, axis=1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        zero = jnp.zeros((BATCH, UNITS), jnp.float32)
        (h, _), _ = jax.lax.scan(one, (zero, zero), x)
        return jnp.mean(h * h)

    @jax.jit
    def step(weights, x):
        value, grads = jax.value_and_grad(loss)(weights, x)
        return value, [w - 0.01 * g for w, g in zip(weights, grads)]

    held = [weights]

    def run():
        value, held[0] = step(held[0], x)
        return value.block_until_ready()

    return run


PROGRAMS = {
    "while": {"minds": minds_while, "torch": torch_while, "mindspore": mindspore_while},
    "lstm": {
        "minds": lambda: minds_lstm(False),
        "torch": lambda: torch_lstm(False),
        "jax": lambda: jax_lstm(False),
    },
    "lstm_run": {"minds": lambda: minds_lstm(True), "torch": lambda: torch_lstm(True)},
}


def work(case: str, framework: str, threads: int, cpu: bool) -> None:
    """The worker's side of one case in one framework."""
    say = answers()
    limit_threads(framework, threads)
    serve(say, warm(PROGRAMS[case][framework]()), SLOW.get(framework, REPEAT[case]), cpu)


# ---- what only minds is asked


def _best(run, n: int, times: int = 5) -> float:
    """Nanoseconds of CPU time per unit, of the fastest of ``times`` calls that do ``n`` units
    each.
    """
    run()
    found = float("inf")
    for _ in range(times):
        start = time.thread_time()
        run()
        found = min(found, time.thread_time() - start)
    return 1e9 * found / n


def overhead() -> None:
    """The runtime's own cost: scalar bodies."""
    import minds as ms

    def loop(x, n):
        i = 0
        while i < n:
            x = x * 0.999 + 0.5
            i = i + 1
        return x

    def count(n):
        total = 0
        for i in range(n):
            if i % 3 == 0:
                total = total + i // 2
        return total

    def deep(x, n):
        if n == 0:
            return x
        return deep(x * 0.999, n - 1) + 0.5

    for name, fn, args, n in (
        ("while, forward", ms.jit(loop), (1.0, 1_000_000), 1_000_000),
        ("while, reverse", ms.jit(ms.grad(loop)), (1.0, 100_000), 100_000),
        ("for, % and // and a branch", ms.jit(count), (1_000_000,), 1_000_000),
        ("recursion, forward", ms.jit(deep), (1.0, 10_000), 10_000),
        ("recursion, reverse", ms.jit(ms.grad(deep)), (1.0, 10_000), 10_000),
    ):
        print(f"{name:<28}{_best(lambda fn=fn, args=args: fn(*args), n):8.1f} ns each, {n} of them")
    gradient, peak = ms.jit(ms.grad(loop)), []
    for n in (100_000, 200_000, 400_000):
        before = _resident()
        gradient(1.0, n)
        peak.append(f"{(_resident() - before) / 1024:.1f} MB at {n}")
    print("growth of the process in reverse:", ", ".join(peak))


def _resident() -> int:
    """The largest resident size of this process so far, in KiB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def compile_times() -> None:
    """Compile times, where they must be the same or grow linearly."""
    import minds as ms
    from minds import nn, ops
    from minds.jit.pipeline import build

    x = ms.Tensor(np.ones((4, 8), np.float32))

    def counted(n):
        def loop(x):
            for _ in range(n):
                x = ops.tanh(x) * 0.9
            return ops.sum(x)

        return loop

    def conditional(n):
        def loop(x):
            i = 0
            while i < n:
                x = ops.tanh(x) * 0.9
                i = i + 1
            return ops.sum(x)

        return loop

    class Four(nn.Cell):
        def construct(self, x):
            return ops.tanh(x * 0.5) + x * x

    for name, make in (("for i in range", counted), ("while", conditional)):
        for n in (10, 10_000):
            fn = make(n)
            spent = _best(lambda fn=fn: build(ms.grad(fn), (x,), {}), 1)
            print(f"gradient of {n} times {name:<16}{spent / 1e6:8.1f} ms")
    for n in (100, 200, 400):
        net = nn.SequentialCell(*[nn.Dense(8, 8, activation="tanh") for _ in range(n)])
        fn = ms.value_and_grad(lambda x, net=net: ops.sum(net(x)), None, net.trainable_params())
        spent = _best(lambda fn=fn: build(fn, (x,), {}), 1, 3)
        print(
            f"gradient of a loop over {n} cells {spent / 1e6:8.1f} ms, {spent / 1e6 / n:.2f} each"
        )
    wide = nn.SequentialCell(*[Four() for _ in range(5000)])
    spent = _best(lambda: build(wide, (x,), {}), 1, 1)
    print(f"a program of 20,000 nodes       {spent / 1e9:8.2f} s")


ALONE = {"overhead": overhead, "compile": compile_times}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", default=[*PROGRAMS, *ALONE])
    parser.add_argument(
        "--peer", help="a Python with torch, mindspore, jax; those that are missing are left out"
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument(
        "--cpu", action="store_true", help="the processes' CPU time: right on a busy machine"
    )
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        return work(*args.worker.split(), args.threads, args.cpu)
    for case in args.cases:
        print(f"-- {case}")
        if case in ALONE:
            ALONE[case]()
            continue
        workers = [
            Worker(
                sys.executable if framework == "minds" else args.peer,
                __file__,
                *("--worker", f"{case} {framework}"),
                *["--cpu"] * args.cpu,
                threads=args.threads,
                name=framework,
            )
            for framework in PROGRAMS[case]
            if framework == "minds" or args.peer
        ]
        compare(workers, args.rounds)
    return None


if __name__ == "__main__":
    main()
