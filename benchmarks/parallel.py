"""What processes cost and gain: `python benchmarks/parallel.py [--network gpt] [--processes 4] [--rounds 9]`.

All ways stay loaded and take turns, some steps each, so that a busy machine disturbs them alike; the medians
of the rounds are printed with the load. First how much of one process with as many threads as there are
processes data parallel training reaches; then how long steps of divided programs take, compared with
those that are divided by samples alone, and what the planner says of that for a machine that is
measured here (arithmetic, memory, links). ``--profile`` shows where the time of a step goes on rank 0.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

WAYS = ("rows", "zero1", "zero3", "tensor")
NETWORKS = ("resnet18", "gpt")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--network", choices=NETWORKS, default="resnet18")
    parser.add_argument("--image", type=int, default=64, help="pixels of a side, for resnet18")
    parser.add_argument("--batch", type=int, default=16, help="images of a step, for resnet18")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--steps", type=int, default=4, help="of a turn")
    parser.add_argument("--ways", nargs="*", default=["one", "data", *WAYS])
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--turns", help="(of a worker) where turns are given")
    parser.add_argument("--way", help="(of a worker) which it is")
    return parser.parse_args()


# ---- the driver


def main(a) -> None:
    with tempfile.TemporaryDirectory() as turns:
        workers = {way: started(a, way, turns) for way in a.ways}
        try:
            times = rounds(a, turns, workers)
        finally:
            write(turns, "turn", "end")
            for w in workers.values():
                w.wait(60)
        load = os.getloadavg()[0]
        print(f"{a.network}, {a.processes} processes, load {load:.1f}; seconds of a step:")
        for way, found in times.items():
            print(f"  {way:<8}{statistics.median(found):8.4f}  least {min(found):.4f}")
        if "one" in times and "data" in times:
            ratios = [one / data for one, data in zip(times["one"], times["data"])]
            found = statistics.median(ratios)
            print(f"data parallel reaches {found:.2f} of one process with as many threads")
            spent = busy(a, turns, "one", 1) / busy(a, turns, "data", a.processes)
            print(
                f"and {spent:.2f} by the time of processors alone, which a busy machine disturbs less"
            )
        for way in times:
            if way in WAYS and way != "rows" and "rows" in times:
                real = statistics.median([t / r for t, r in zip(times[way], times["rows"])])
                said = float(read(turns, f"{way}.said")) / float(read(turns, "rows.said"))
                print(
                    f"  {way:<8} {real:5.2f} of rows; the planner says {said:5.2f}, {said / real - 1:+.0%}"
                )


def started(a, way: str, turns: str):
    count = 1 if way == "one" else a.processes
    threads = a.processes if way == "one" else 1
    launch = ["-m", "minds.launch", "-n", str(count)] if count > 1 else []
    command = [sys.executable, *launch, os.path.abspath(__file__), "--way", way, "--turns", turns]
    command += ["--network", a.network, "--steps", str(a.steps)] + ["--profile"] * a.profile
    command += ["--image", str(a.image), "--batch", str(a.batch)]
    return subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": str(threads)})


def rounds(a, turns: str, workers: dict) -> dict[str, list[float]]:
    times = {way: [] for way in workers}
    for k in range(a.rounds + 1):  # the first compiles
        for way, worker in workers.items():
            write(turns, "turn", f"{way}.{k}")
            while not os.path.exists(os.path.join(turns, f"{way}.{k}")):
                if worker.poll() is not None:
                    raise SystemExit(f"{way} has ended")
                time.sleep(0.01)
            if k:
                times[way].append(float(read(turns, f"{way}.{k}")))
    return times


def busy(a, turns: str, way: str, count: int) -> float:
    """The least time of processors that a step has taken, that of all processes."""
    found = []
    for k in range(1, a.rounds + 1):
        found.append(sum(float(read(turns, f"{way}.{k}.{r}.busy")) for r in range(count)))
    return min(found)


def write(turns: str, name: str, text: str) -> None:
    path = os.path.join(turns, name)
    with open(f"{path}.new{os.getpid()}", "w", encoding="utf-8") as f:
        f.write(text)
    os.replace(f"{path}.new{os.getpid()}", path)


def read(turns: str, name: str) -> str:
    with open(os.path.join(turns, name), encoding="utf-8") as f:
        return f.read()


# ---- a worker


def work(a) -> None:
    import minds as ms
    from minds import ops
    from minds.communication import get_group_size, get_rank, init

    init()
    ms.set_context(mode=ms.GRAPH_MODE)
    rank, count = get_rank(), get_group_size()
    settings, change = way_of(ms, a.way, count)
    ms.set_auto_parallel_context(**settings)
    step, whole = step_of(ms, a, change)
    rows = slice(rank * len(whole[0]) // count, (rank + 1) * len(whole[0]) // count)
    batch = whole if settings.get("full_batch") else [ms.Tensor(v.asnumpy()[rows]) for v in whole]
    k = 0
    while True:
        while (turn := waited(a.turns)) != f"{a.way}.{k}":
            if turn == "end":
                return
            time.sleep(0.005)
        if count > 1:
            ops.Barrier()()
        begin, busy = time.monotonic(), time.process_time()
        for _ in range(a.steps):
            loss = step(*batch)
        loss.asnumpy()
        seconds = (time.monotonic() - begin) / a.steps
        busy = (time.process_time() - busy) / a.steps
        write(a.turns, f"{a.way}.{k}.{rank}.busy", str(busy))
        if k == 0 and a.way in WAYS:
            said = predicted(step, whole, machine(ms, a.turns, rank, count))
            if rank == 0:
                write(a.turns, f"{a.way}.said", str(said))
        if k == 1 and a.profile and count > 1:
            with ms.profile() as found:
                step(*batch)
            if rank == 0:
                print(found, flush=True)
        if rank == 0:
            write(a.turns, f"{a.way}.{k}", str(seconds))
        k += 1


def waited(turns: str) -> str:
    try:
        return read(turns, "turn")
    except OSError:
        return ""


def way_of(ms, way: str, count: int) -> tuple:
    """The settings of the context, and what is said of the network."""
    if way == "one":
        return {}, None
    if way == "data":
        return {"parallel_mode": "data_parallel", "gradients_mean": True}, None
    semi = {"parallel_mode": "semi_auto_parallel"}
    if way.startswith("zero"):
        config = {"optimizer_level": f"level{way[-1]}", "parallel_optimizer_threshold": 0}
        return {
            **semi,
            "enable_parallel_optimizer": True,
            "parallel_optimizer_config": config,
        }, None
    if way == "tensor":
        layout = ms.Layout((1, count), ("dp", "mp"))
        return {**semi, "full_batch": True}, lambda net: by_pairs(net, layout)
    return semi, None


def by_pairs(net, layout) -> None:
    """Of each pair of products or convolutions the first is divided by what it makes, the second by what it
    takes.
    """
    for name, p in net.parameters_and_names():
        cell, _, kind = name.rpartition(".")
        first = cell.endswith(("conv1", "c_fc", "c_attn")) and "." in cell
        second = cell.endswith(("conv2", "c_proj"))
        if kind == "weight" and (first or second):
            outs = 1 if "c_" in cell else 0
            dims = ["None"] * len(p.shape)
            dims[outs if first else 1 - outs] = "mp"
            net.shard((None,), parameter_plan={p.name: layout(*dims)})


def step_of(ms, a, change) -> tuple:
    """A training step, and its arguments for all processes."""
    import numpy as np

    from minds import models, nn

    rng = np.random.default_rng(0)
    ms.set_seed(1)
    if a.network == "gpt":
        net = models.gpt2(vocabulary=512, layers=4, width=256, heads=4, longest=64, dropout=0.0)
        x, y = [ms.Tensor(rng.integers(0, 512, (8, 64)).astype(np.int32)) for _ in range(2)]
    else:
        net = models.resnet18(num_classes=16)
        x = ms.Tensor(rng.standard_normal((a.batch, 3, a.image, a.image)).astype(np.float32))
        y = ms.Tensor(rng.integers(0, 16, a.batch).astype(np.int32))
    if change is not None:
        change(net)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    class WithLoss(nn.Cell):
        def __init__(self):
            super().__init__()
            self.net, self.loss = net, loss

        def construct(self, x, y):
            out = self.net(x)
            return self.loss(out.reshape((-1, out.shape[-1])), y.reshape((-1,)))

    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    return nn.TrainOneStepCell(WithLoss(), optimizer).set_train(), (x, y)


# ---- what the planner says


def predicted(step, whole, machines) -> float:
    """Seconds of a step, by the planner's model."""
    from minds.base.options import freeze
    from minds.parallel.plan import graph_of
    from minds.sharding.cost import step_cost
    from minds.sharding.step import laid_out

    shardings, _ = laid_out(graph := graph_of(step, tuple(whole)), freeze().division)
    return step_cost(graph, shardings, machines).time


def machine(ms, turns: str, rank: int, count: int):
    """What the planner is told of this machine: what the first way measured."""
    from minds.sharding.cluster import Cluster, Link

    if not os.path.exists(os.path.join(turns, "machine")):
        found = [*measured(ms), *link(ms)]
        if rank == 0:
            write(turns, "machine", " ".join(map(str, found)))
            print("products, memory, link, latency:", *[f"{v:.2e}" for v in found], flush=True)
    else:
        found = map(float, read(turns, "machine").split())
    flops, bandwidth, rate, latency = found
    return Cluster(flops, bandwidth, 16e9, (Link(count, rate, latency),))


def measured(ms) -> tuple[float, float]:
    """Arithmetic of products, and traffic of memory, per second of one process while all work."""
    from minds import ops

    x, y = ops.ones((512, 512)), ops.ones((1 << 21,))
    product = least(lambda: ops.matmul(x, x).asnumpy())
    added = least(lambda: ops.add(y, y).asnumpy())
    return 2 * 512**3 / product, 3 * 4 * (1 << 21) / added


def link(ms) -> tuple[float, float]:
    """Bytes per second that a process receives, and the seconds of a message."""
    from minds import ops

    small, large = ops.ones((1,)), ops.ones((1 << 20,))
    reduce = ops.AllReduce()
    latency = least(lambda: reduce(small).asnumpy(), 20)
    seconds = max(least(lambda: reduce(large).asnumpy()) - latency, 1e-9)
    return 4 * (1 << 20) / seconds, latency / 2


def least(run, times: int = 7) -> float:
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        run()
        found.append(time.perf_counter() - begin)
    return min(found)


if __name__ == "__main__":
    given = arguments()
    if given.turns is None:
        main(given)
    else:
        work(given)
