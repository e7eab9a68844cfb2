"""Times native CPU kernels, and beside them the same work in torch where a Python with torch is
given.

    python benchmarks/kernels.py [--peer /opt/peer/bin/python] [--only lenet] [--threads 2]
    [--rounds 7]

Torch runs in a process of its own. The two sides take turns, a burst each, `rounds` times; a side's
time is the median over rounds of the burst's fastest call. The kernels are called through
`_core.Kernel`, torch's through the eager op: both pay one call from Python. Where two threads are
to run, two cores must be free: a barrier waits for the slower thread.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

from peer import Worker, answers, limit_threads

FLOAT = 11  # the code of float32


def conv_cases() -> dict:
    """Name to (pass, batch, in channels, size, out channels, kernel, stride, pad, group)."""
    shapes = {
        "lenet conv1": (32, 1, 32, 6, 5, 1, 0, 1),
        "lenet conv2": (32, 6, 14, 16, 5, 1, 0, 1),
        "resnet stem 7x7/2": (8, 3, 224, 64, 7, 2, 3, 1),
        "resnet 1x1 64-64 @56": (8, 64, 56, 64, 1, 1, 0, 1),
        "resnet 3x3 64-64 @56": (8, 64, 56, 64, 3, 1, 1, 1),
        "resnet 1x1 64-256 @56": (8, 64, 56, 256, 1, 1, 0, 1),
        "resnet 1x1 256-64 @56": (8, 256, 56, 64, 1, 1, 0, 1),
        "resnet 3x3/2 128 @56": (8, 128, 56, 128, 3, 2, 1, 1),
        "resnet 1x1/2 256-512 @56": (8, 256, 56, 512, 1, 2, 0, 1),
        "resnet 3x3 128 @28": (8, 128, 28, 128, 3, 1, 1, 1),
        "resnet 3x3 256 @14": (8, 256, 14, 256, 3, 1, 1, 1),
        "resnet 1x1 1024-256 @14": (8, 1024, 14, 256, 1, 1, 0, 1),
        "resnet 1x1 256-1024 @14": (8, 256, 14, 1024, 1, 1, 0, 1),
        "resnet 3x3 512 @7": (8, 512, 7, 512, 3, 1, 1, 1),
        "resnet 1x1 2048-512 @7": (8, 2048, 7, 512, 1, 1, 0, 1),
        "depthwise 3x3 96 @56": (8, 96, 56, 96, 3, 1, 1, 96),
        "mnist 3x3 1-32 @28": (32, 1, 28, 32, 3, 1, 1, 1),
        "small 3x3 16-32 @32": (32, 16, 32, 32, 3, 1, 1, 1),
    }
    return {f"{name} {p}": (p, *s) for name, s in shapes.items() for p in ("fwd", "dx", "dw")}


def matmul_cases() -> dict:
    """Name to (batch, m, n, k, transpose_a, transpose_b)."""
    return {
        "lenet fc1 fwd": (0, 32, 120, 400, False, True),
        "lenet fc1 dx": (0, 32, 400, 120, False, False),
        "lenet fc1 dw": (0, 120, 400, 32, True, False),
        "lenet fc2 fwd": (0, 32, 84, 120, False, True),
        "lenet fc2 dx": (0, 32, 120, 84, False, False),
        "lenet fc2 dw": (0, 84, 120, 32, True, False),
        "lenet fc3 fwd": (0, 32, 10, 84, False, True),
        "lenet fc3 dx": (0, 32, 84, 10, False, False),
        "lenet fc3 dw": (0, 10, 84, 32, True, False),
        "matmul 16": (0, 16, 16, 16, False, False),
        "matmul 64": (0, 64, 64, 64, False, False),
        "matmul 256": (0, 256, 256, 256, False, False),
        "matmul 1024": (0, 1024, 1024, 1024, False, False),
        "matmul 1x512x1000": (0, 1, 1000, 512, False, True),
        "attention 64 of 64x64x64": (64, 64, 64, 64, False, True),
        "attention 24 of 128x128x64": (24, 128, 128, 64, False, True),
    }


def other_cases() -> dict:
    """Name to (op, shape)."""
    return {
        "lenet pool1 fwd": ("max_pool", (32, 6, 28, 28)),
        "lenet pool1 dx": ("max_pool_dx", (32, 6, 28, 28)),
        "lenet pool2 fwd": ("max_pool", (32, 16, 10, 10)),
        "lenet pool2 dx": ("max_pool_dx", (32, 16, 10, 10)),
        "resnet pool fwd": ("max_pool", (8, 64, 112, 112)),
        "lenet log_softmax": ("log_softmax", (32, 10)),
        "softmax 4096x512": ("softmax", (4096, 512)),
        "softmax 32x50000": ("softmax", (32, 50000)),
        "batch_norm 8x64x56x56": ("batch_norm", (8, 64, 56, 56)),
        "batch_norm_dx 8x64x56x56": ("batch_norm_dx", (8, 64, 56, 56)),
        "layer_norm 2048x768": ("layer_norm", (2048, 768)),
        "layer_norm_dx 2048x768": ("layer_norm_dx", (2048, 768)),
    }


CASES = {**conv_cases(), **matmul_cases(), **other_cases()}


def burst(f, seconds: float = 0.03) -> float:
    """The fastest call of as many as fit into `seconds`, at least 3, in microseconds."""
    best, start = float("inf"), time.perf_counter()
    for i in range(20000):
        before = time.perf_counter()
        f()
        after = time.perf_counter()
        best = min(best, after - before)
        if i >= 2 and after - start > seconds:
            break
    return best * 1e6


# ---- this side


def ours(name: str):
    """A call of the kernel without arguments."""
    import numpy as np

    from minds import _core

    def bind(op, inputs, outputs, **attrs):
        rng = np.random.default_rng(0)

        def filled(shape, code):
            if code == FLOAT:
                return rng.standard_normal(shape).astype(np.float32)
            rows, columns = np.indices(shape[2:]) * 2  # an index of pooling
            return np.broadcast_to(rows * shape[3] * 2 + columns, shape).astype(np.int64)

        arrays = [_core.Array.from_numpy(filled(s, t), t) for s, t in inputs]
        kernel = _core.Kernel(op, "cpu", inputs, outputs, attrs)
        return lambda: kernel(*arrays)

    case = CASES[name]
    if case[0] in ("fwd", "dx", "dw"):
        p, n, c, h, o, k, s, pad, g = case
        size = (h + 2 * pad - k) // s + 1
        x, w, y = (n, c, h, h), (o, c // g, k, k), (n, o, size, size)
        at = {"stride": (s, s), "pad": (pad,) * 4, "dilation": (1, 1), "group": g}
        f = {
            "fwd": ("conv2d", x, w, y, {}),
            "dx": ("conv2d_dx", y, w, x, {"in_shape": x}),
            "dw": ("conv2d_dw", x, y, w, {"w_shape": w}),
        }[p]
        return bind(f[0], [(f[1], FLOAT), (f[2], FLOAT)], [(f[3], FLOAT)], **at, **f[4])
    if isinstance(case[0], int):
        b, m, n, k, ta, tb = case
        lead = (b,) if b else ()
        x, y = lead + ((k, m) if ta else (m, k)), lead + ((n, k) if tb else (k, n))
        return bind(
            "matmul",
            [(x, FLOAT), (y, FLOAT)],
            [((*lead, m, n), FLOAT)],
            transpose_a=ta,
            transpose_b=tb,
        )
    op, shape = case
    one, last = [((shape[1],), FLOAT)], [((shape[-1],), FLOAT)]
    whole, stat = [(shape, FLOAT)], [((*shape[:-1], 1), FLOAT)]
    window = {"kernel": (2, 2), "stride": (2, 2), "pad": (0, 0, 0, 0)}
    half = (*shape[:2], shape[2] // 2, shape[3] // 2) if "pool" in op else ()
    return {
        "max_pool": lambda: bind("max_pool2d", whole, [(half, FLOAT), (half, 4)], **window),
        "max_pool_dx": lambda: bind(
            "max_pool2d_dx", [(half, FLOAT), (half, 4)], whole, in_shape=shape
        ),
        "softmax": lambda: bind("softmax", whole, whole, axis=len(shape) - 1),
        "log_softmax": lambda: bind("log_softmax", whole, whole, axis=len(shape) - 1),
        "batch_norm": lambda: bind("batch_norm", whole + one * 2, whole + one * 2, eps=1e-5),
        "batch_norm_dx": lambda: bind(
            "batch_norm_dx", whole * 2 + one * 3, whole + one * 2, eps=1e-5
        ),
        "layer_norm": lambda: bind(
            "layer_norm", whole + last * 2, whole + stat * 2, begin_axis=1, eps=1e-5
        ),
        "layer_norm_dx": lambda: bind(
            "layer_norm_dx", whole * 2 + stat * 2 + last, whole + last * 2, begin_axis=1
        ),
    }[op]()


# ---- the other side


def theirs(name: str):
    """The same work as one eager call of torch."""
    import torch

    aten, case = torch.ops.aten, CASES[name]
    if case[0] in ("fwd", "dx", "dw"):
        p, n, c, h, o, k, s, pad, g = case
        x, w = torch.randn(n, c, h, h), torch.randn(o, c // g, k, k)
        at = ([s, s], [pad, pad], [1, 1], False, [0, 0], g)
        if p == "fwd":
            return lambda: aten.convolution(x, w, None, *at)
        d, mask = torch.randn_like(aten.convolution(x, w, None, *at)), [p == "dx", p == "dw", False]
        return lambda: aten.convolution_backward(d, x, w, None, *at, mask)
    if isinstance(case[0], int):
        b, m, n, k, ta, tb = case
        lead = (b,) if b else ()
        x, y = (
            torch.randn(*lead, *((k, m) if ta else (m, k))),
            torch.randn(*lead, *((n, k) if tb else (k, n))),
        )
        x, y = x.mT if ta else x, y.mT if tb else y
        return lambda: torch.matmul(x, y)
    op, shape = case
    x, d = torch.randn(shape), torch.randn(shape)
    if "pool" in op:
        at = ([2, 2], [2, 2], [0, 0], [1, 1], False)
        y, index = aten.max_pool2d_with_indices(x, *at)
        if op == "max_pool":
            return lambda: aten.max_pool2d_with_indices(x, *at)
        return lambda: aten.max_pool2d_with_indices_backward(y, x, *at, index)
    one, last = torch.randn(shape[1]), torch.randn(shape[-1])
    mean, rstd = torch.randn(*shape[:-1], 1), torch.rand(*shape[:-1], 1)
    return {
        "softmax": lambda: torch.softmax(x, -1),
        "log_softmax": lambda: torch.log_softmax(x, -1),
        "batch_norm": lambda: aten.native_batch_norm(x, one, one, None, None, True, 0.1, 1e-5),
        "batch_norm_dx": lambda: aten.native_batch_norm_backward(
            d, x, one, None, None, one, one, True, 1e-5, [True] * 3
        ),
        "layer_norm": lambda: aten.native_layer_norm(x, [shape[-1]], last, last, 1e-5),
        "layer_norm_dx": lambda: aten.native_layer_norm_backward(
            d, x, [shape[-1]], mean, rstd, last, last, [True] * 3
        ),
    }[op]


def serve(threads: int) -> None:
    """Answers each name on standard input with the time of one burst."""
    import torch

    say = answers()
    limit_threads("torch", threads)
    made = {}
    with torch.no_grad():
        for line in sys.stdin:
            name = line.rstrip("\n")
            if name not in made:
                made = {name: theirs(name)}
            say(ms=burst(made[name]) / 1e3)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer", help="a Python that has torch")
    parser.add_argument("--only", default="", help="a part of the cases' names")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.threads)

    from minds import _core

    _core.set_num_threads(options.threads)
    peer = options.peer and Worker(options.peer, __file__, "--serve", threads=options.threads)
    print(f"{'':32} {'minds µs':>10}" + (f" {'torch µs':>10} {'ratio':>6}" if peer else ""))
    sums = [0.0, 0.0]
    for name in (n for n in CASES if options.only in n):
        f, times = ours(name), ([], [])
        for _ in range(options.rounds):
            times[0].append(burst(f))
            if peer:
                times[1].append(peer.measure(name) * 1e3)
        ours_, theirs_ = (statistics.median(t) if t else 0.0 for t in times)
        sums = [sums[0] + ours_, sums[1] + theirs_]
        print(
            f"{name:32} {ours_:10.1f}"
            + (f" {theirs_:10.1f} {ours_ / theirs_:6.2f}" if peer else ""),
            flush=True,
        )
    print(
        f"{'sum':32} {sums[0]:10.1f}"
        + (f" {sums[1]:10.1f} {sums[0] / sums[1]:6.2f}" if peer else "")
    )
    return None


if __name__ == "__main__":
    main()
