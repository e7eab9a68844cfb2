"""Training steps, inference and eager code in minds and its peers, side by side.

    python benchmarks/suite/run.py [--peer PYTHON ...] [--threads 2] [--rounds 5] [--device cuda] [CASE ...]

Each framework runs a case in a process of its own; processes live side by side, one measures at a
time, and rounds are interleaved, so that a busy machine disturbs all alike. A peer's Python may have
torch, jax or mindspore; what is missing is left out. Printed are medians; with ``--write`` they go to
docs/performance.md and docs/performance.svg. `cases.py` says what is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import selectors
import statistics
import subprocess
import sys
from typing import NamedTuple

from cases import CASES, FRAMEWORKS, LIMITS
from report import table, write

HERE = pathlib.Path(__file__).parent
PATIENCE = 600  # seconds for one answer
MODULE = {"torch channels_last": "torch", "torch.compile": "torch"}


class Result(NamedTuple):
    """What one framework did in one case.

    Attributes:
        ms: the median of the rounds' times.
        first: seconds of the first call.
        peak_mb: peak memory beyond the imports.
        losses: of the first and the last step.
    """

    ms: float
    first: float
    peak_mb: float
    losses: list


class Worker:
    """A process that measures on demand."""

    def __init__(self, python: str, framework: str, case: str, threads: int, device: str):
        env = {k: os.environ[k] for k in ("HOME", "PATH", "PYTHONPATH") if k in os.environ}
        if python != sys.executable:
            env.pop("PYTHONPATH", None)
        self.process = subprocess.Popen(
            [python, str(HERE / "worker.py"), framework, case]
            + ["--threads", str(threads), "--device", device],
            text=True,
            env={**env, "OMP_NUM_THREADS": str(threads)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.times: list = []

    def answer(self) -> dict | None:
        """The next answer; None if the process has none, or takes too long."""
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            line = self.process.stdout.readline() if ready.select(PATIENCE) else ""
        if not line:
            self.process.kill()
            return None
        return json.loads(line)

    def measure(self) -> None:
        """One round."""
        try:
            self.process.stdin.write("go\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return
        found = self.answer()
        if found is not None:
            self.times.append(found["ms"])

    def close(self) -> dict:
        """End the process: what it says of itself."""
        try:
            self.process.stdin.close()
            found = self.answer() or {}
        except BrokenPipeError:
            found = {}
        self.process.wait()
        return found


def has(python: str, framework: str) -> bool:
    """Whether a Python has a framework."""
    module = MODULE.get(framework, framework)
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", code], check=False).returncode == 0


def measured(case: str, homes: dict, threads: int, rounds: int, device: str) -> dict[str, Result]:
    """The results of one case, by framework."""
    workers, firsts = {}, {}
    for framework, python in homes.items():
        if case not in FRAMEWORKS[framework]:
            continue
        worker = Worker(python, framework, case, threads, device)
        begun = worker.answer()  # one after the other: first calls are measured too
        if begun is not None:
            workers[framework], firsts[framework] = worker, begun["first"]
    for _ in range(rounds):
        for worker in workers.values():
            worker.measure()
    found = {}
    for framework, worker in workers.items():
        end = worker.close()
        if worker.times and end:
            ms = statistics.median(worker.times)
            found[framework] = Result(ms, firsts[framework], end["peak_mb"], end["losses"])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", default=list(CASES))
    parser.add_argument("--peer", action="append", default=[], help="a Python with peers")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="cpu", help="cpu, or cuda: of minds and its peers")
    parser.add_argument("--write", action="store_true", help="docs/performance.md and its picture")
    args = parser.parse_args()
    unknown = set(args.cases) - set(CASES)
    if unknown:
        parser.error(f"no case {', '.join(sorted(unknown))}; there are {', '.join(CASES)}")
    homes = {}
    for framework in FRAMEWORKS:
        pythons = [sys.executable] if framework == "minds" else [sys.executable, *args.peer]
        home = next((p for p in pythons if has(p, framework)), None)
        if home is not None:
            homes[framework] = home
    found = {}
    for case in [*args.cases, *LIMITS]:
        found[case] = measured(case, homes, args.threads, args.rounds, args.device)
        line = ", ".join(f"{f} {r.ms:.4g}" for f, r in found[case].items())
        print(f"{case}: {line or 'nobody'}", file=sys.stderr, flush=True)
    print(table(found))
    if args.write:
        write(found, args.threads, args.rounds, HERE.parents[1] / "docs")


if __name__ == "__main__":
    main()
