"""Measures the objectives in minds against eager torch: medians of interleaved rounds, and ratios.

    python benchmarks/gradbench/measure.py --peer PYTHON_WITH_TORCH [--threads 1] [--rounds 7] [CASE
    ...]

Both sides get the same inputs and must give the same numbers, to GradBench's tolerance.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
from peer import Worker, answers, limit_threads, serve

from benchmarks.gradbench import inputs

CASES = {
    "lse.gradient": {"n": 100000},
    "llsq.gradient": {"n": 1024, "m": 128},
    "ode.gradient": {"n": 1000, "s": 100},
    "ode.gradient small": {"n": 10, "s": 1000},
    "det.gradient": {"ell": 6},
    "kmeans.dir": {"n": 10000, "k": 10, "d": 8},
    "gmm.objective": {"d": 10, "k": 25, "n": 1000},
    "gmm.jacobian": {"d": 10, "k": 25, "n": 1000},
    "ba.jacobian": {"n": 49, "m": 7776, "p": 31843},
    "lstm.objective": {"layers": 2, "c": 1024, "b": 14},
    "lstm.jacobian": {"layers": 2, "c": 1024, "b": 14},
    "ht.objective": {},
    "ht.jacobian": {},
    "ht.jacobian us": {"complicated": True},
    "particle.rr": {},
    "saddle.rr": {},
}


def computation(framework: str, case: str):
    """(What to time, its result as an array)."""
    objective, function = case.split()[0].split(".")
    data = inputs.draw(objective, **CASES[case])
    if framework == "torch":
        from benchmarks.gradbench.peer_torch import OBJECTIVES

        run = OBJECTIVES[objective](data)[function]
        return run, lambda found: found.detach().numpy()
    from benchmarks.gradbench.run import functions

    evaluation = functions(objective)[function]
    args = evaluation.prepare(data)
    return lambda: evaluation.compute(*args), lambda found: found.asnumpy()


def elements(found, array) -> np.ndarray:
    """All numbers of a result."""
    if isinstance(found, (tuple, list)):
        return np.concatenate([elements(f, array) for f in found] or [np.zeros(0)])
    return np.zeros(0) if isinstance(found, int) else array(found).ravel()


def work(framework: str, case: str, threads: int) -> None:
    """The worker: it says the result first, then measures on request."""
    say = answers()
    limit_threads(framework, threads)
    run, array = computation(framework, case)
    say(result=elements(run(), array).tolist())
    start = time.perf_counter()
    run()
    serve(say, run, max(1, int(0.05 / (time.perf_counter() - start))))


def compare(case: str, peer: str, threads: int, rounds: int) -> None:
    """One line of the table."""
    ours, theirs = workers = [
        Worker(python, __file__, "--worker", f"{name}:{case}", threads=threads)
        for name, python in (("minds", sys.executable), ("torch", peer))
    ]
    a, b = (np.array(w.answer()["result"]) for w in workers)
    worst = (np.abs(a - b) / np.maximum(1.0, np.abs(a) + np.abs(b))).max()
    times = [[w.measure() for w in workers] for _ in range(rounds)]
    mine, other = (statistics.median(column) for column in zip(*times))
    ratio = statistics.median(t / m for m, t in times)
    print(
        f"{case:<20} minds {mine:10.3f} ms   torch {other:10.3f} ms   "
        f"torch / minds {ratio:7.2f}   differ {worst:.0e}",
        flush=True,
    )
    for w in workers:
        w.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", default=list(CASES))
    parser.add_argument("--peer", default=sys.executable, help="a Python with torch")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--worker")
    args = parser.parse_args()
    if args.worker:
        work(*args.worker.split(":"), args.threads)
    else:
        for case in args.cases:
            compare(case, args.peer, args.threads, args.rounds)


if __name__ == "__main__":
    main()
