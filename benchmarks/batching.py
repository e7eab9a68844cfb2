"""vmap: the gradients of each example of a batch, against a loop over the examples and
torch.func.vmap.

    python benchmarks/batching.py [--peer PYTHON] [--threads 1] [--rounds 9] [CASE ...]

Cases: ``gradients`` of a small MLP (64 examples), ``clients``, gradients of 16 convolutional networks
of which each has its weights and a batch of 32 images, ``jacobian`` of the MLP at one input, and
``newton``, square roots by a `while` that each example leaves at its own time (torch has no such vmap). Each
framework and mode runs in a process of its own, in interleaved rounds; ``graph`` is compiled,
``eager`` PyNative mode, ``loop`` example by example.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from peer import Worker, answers, compare, limit_threads, serve, warm

N, SIZES = 64, (16, 32, 32, 4)
CLIENTS = 16
WORKERS = {
    "gradients": (
        "minds-graph",
        "minds-graph-loop",
        "minds-eager",
        "minds-eager-loop",
        "torch-eager",
        "torch-eager-loop",
    ),
    "clients": ("minds-graph", "minds-graph-loop"),
    "jacobian": ("minds-graph", "minds-graph-loop", "minds-eager", "torch-eager"),
    "newton": ("minds-graph", "minds-graph-loop", "minds-eager", "minds-eager-loop"),
}
REPEAT = {"graph": 100, "eager": 5, "clients": 5}


def data() -> tuple:
    """The batch, its labels, and the weights and biases in turn."""
    rng = np.random.default_rng(0)
    weights = [
        a.astype(np.float32)
        for i, o in zip(SIZES, SIZES[1:])
        for a in (rng.standard_normal((i, o)) / np.sqrt(i), np.zeros(o))
    ]
    return (
        rng.standard_normal((N, SIZES[0])).astype(np.float32),
        rng.integers(0, SIZES[-1], N),
        weights,
    )


def minds_case(case: str, mode: str, loop: bool):
    """One call of a case."""
    import minds as ms
    from minds import ops

    xs, labels, weights = data()
    xs, labels, weights = ms.Tensor(xs), ms.Tensor(labels), [ms.Tensor(w) for w in weights]

    def net(x, *w):
        for i in range(0, len(w) - 2, 2):
            x = ops.tanh(ops.matmul(x, w[i]) + w[i + 1])
        return ops.matmul(x, w[-2]) + w[-1]

    def loss(x, label, *w):
        return -ops.log_softmax(net(x, *w), -1)[label]

    def newton(v):
        y = v
        while ops.abs(y * y - v) > 1e-4 * v:
            y = (y + v / y) * 0.5
        return y

    gradient = ms.grad(loss, tuple(range(2, 2 + len(weights))))
    axes = (0, 0, *(None,) * len(weights))

    def gradients(x, t, *w):
        if loop:
            return (
                [gradient(x[i], t[i], *w) for i in range(N)]
                if mode == "eager"
                else rolled(x, t, *w)
            )
        return ms.vmap(gradient, axes)(x, t, *w)

    def rolled(x, t, *w):
        out = [ops.zeros((N, *v.shape)) for v in w]
        for i in range(N):
            for k, g in enumerate(gradient(x[i], t[i], *w)):
                out[k][i] = g
        return out

    def jacobian(x, *w):
        if not loop:
            return ms.jacrev(net)(x, *w)
        rows = []
        for i in range(SIZES[-1]):
            rows.append(ms.grad(lambda a, i=i: net(a, *w)[i])(x))
        return ops.stack(rows)

    def roots(x):
        v = ops.abs(x[:, 0]) * 100.0 + 1.0
        if not loop:
            return ms.vmap(newton)(v)
        out = ops.zeros((N,))
        for i in range(N):
            out[i] = newton(v[i])
        return out

    if case == "clients":
        return clients(ms, ops, loop)
    fn, args = {
        "gradients": (gradients, (xs, labels, *weights)),
        "jacobian": (jacobian, (xs[0], *weights)),
        "newton": (roots, (xs,)),
    }[case]
    fn = ms.jit(fn) if mode == "graph" else fn
    return lambda: fn(*args)


def clients(ms, ops, loop: bool):
    """Gradients of networks that are alike but for their weights, at once or one after the other."""
    rng = np.random.default_rng(1)
    shapes = ((6, 1, 5, 5), (16, 6, 5, 5), (400, 84), (84, 10))
    weights = [
        ms.Tensor(0.1 * rng.standard_normal((CLIENTS, *s)).astype(np.float32)) for s in shapes
    ]
    x = ms.Tensor(rng.standard_normal((CLIENTS, 32, 1, 32, 32)).astype(np.float32))

    def loss(x, *w):
        for kernel in w[:2]:
            x = ops.max_pool2d(ops.relu(ops.conv2d(x, kernel)), 2)
        return ops.square(ops.relu(x.reshape(32, 400) @ w[2]) @ w[3]).mean()

    gradient = ms.grad(loss, (1, 2, 3, 4))
    if not loop:
        many = ms.jit(ms.vmap(gradient))
        return lambda: many(x, *weights)
    one = ms.jit(gradient)
    each = [(x[i], *[w[i] for w in weights]) for i in range(CLIENTS)]
    return lambda: [one(*args) for args in each]


def torch_case(case: str, mode: str, loop: bool):
    """One call of a case."""
    import torch
    from torch.func import grad, jacrev, vmap

    xs, labels, weights = data()
    xs, labels, weights = torch.tensor(xs), torch.tensor(labels), [torch.tensor(w) for w in weights]

    def net(x, *w):
        for i in range(0, len(w) - 2, 2):
            x = torch.tanh(x @ w[i] + w[i + 1])
        return x @ w[-2] + w[-1]

    def loss(x, label, *w):
        return -torch.log_softmax(net(x, *w), -1).gather(0, label.reshape(1))[0]

    gradient = grad(loss, tuple(range(2, 2 + len(weights))))
    if case == "jacobian":
        return lambda: jacrev(net)(xs[0], *weights)
    if loop:
        return lambda: [gradient(x, t, *weights) for x, t in zip(xs, labels)]
    many = vmap(gradient, (0, 0, *(None,) * len(weights)))
    return lambda: many(xs, labels, *weights)


def work(case: str, name: str, threads: int) -> None:
    """The worker of one case."""
    framework, mode, *rest = name.split("-")
    say = answers()
    limit_threads(framework, threads)
    make = minds_case if framework == "minds" else torch_case
    serve(say, warm(make(case, mode, bool(rest))), REPEAT.get(case, REPEAT[mode]))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", default=list(WORKERS))
    parser.add_argument("--peer", help="a Python with torch")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        return work(*args.worker.split(), args.threads)
    for case in args.cases:
        print(f"-- {case}")
        compare(
            [
                Worker(
                    args.peer if name.startswith("torch") else sys.executable,
                    __file__,
                    *("--worker", f"{case} {name}"),
                    threads=args.threads,
                    name=name,
                )
                for name in WORKERS[case]
                if args.peer or name.startswith("minds")
            ],
            args.rounds,
        )
    return None


if __name__ == "__main__":
    main()
