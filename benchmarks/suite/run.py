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
PASSED_ON = ("HOME", "PATH", "PYTHONPATH", "LD_LIBRARY_PATH")
PREFIXES = ("MINDS_", "CUDA_", "NVIDIA_", "XLA_", "TORCH")
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
    """A process that measures on demand; what it says beside that is kept."""

    def __init__(self, python: str, framework: str, case: str, args: argparse.Namespace):
        env = {k: v for k, v in os.environ.items() if k in PASSED_ON or k.startswith(PREFIXES)}
        if python != sys.executable:
            env.pop("PYTHONPATH", None)
        self.says = os.memfd_create("says")
        self.process = subprocess.Popen(
            [python, str(HERE / "worker.py"), framework, case]
            + ["--threads", str(args.threads), "--device", args.device],
            text=True,
            env={**env, "OMP_NUM_THREADS": str(args.threads)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.says,
        )
        self.patience, self.times = args.patience, []

    def answer(self) -> dict | None:
        """The next answer; None if the process has none, or takes too long."""
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            line = self.process.stdout.readline() if ready.select(self.patience) else ""
        if not line:
            self.process.kill()
            said = os.pread(self.says, 1 << 20, 0)[-2000:].decode(errors="replace")
            print(*self.process.args[2:4], "ends:", said, file=sys.stderr)
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
        os.close(self.says)
        return found


def has(python: str, framework: str) -> bool:
    """Whether a Python has a framework."""
    module = MODULE.get(framework, framework)
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", code], check=False).returncode == 0


def measured(case: str, homes: dict, args: argparse.Namespace) -> dict[str, Result]:
    """The results of one case, by framework."""
    workers, firsts = {}, {}
    for framework, python in homes.items():
        if case not in FRAMEWORKS[framework]:
            continue
        worker = Worker(python, framework, case, args)
        begun = worker.answer()  # one after the other: first calls are measured too
        if begun is not None:
            workers[framework], firsts[framework] = worker, begun["first"]
    for _ in range(args.rounds):
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
    parser.add_argument("--patience", type=int, default=600, help="seconds for one answer")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the results, kept up to date")
    parser.add_argument("--bare", action="store_true", help="without the machine's own limits")
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
    for case in [*args.cases, *([] if args.bare else LIMITS)]:
        found[case] = measured(case, homes, args)
        if args.json:
            results = {c: {f: r._asdict() for f, r in row.items()} for c, row in found.items()}
            args.json.write_text(json.dumps(results, indent=1))
        line = ", ".join(f"{f} {r.ms:.4g}" for f, r in found[case].items())
        print(f"{case}: {line or 'nobody'}", file=sys.stderr, flush=True)
    print(table(found))
    if args.write:
        write(found, args.threads, args.rounds, HERE.parents[1] / "docs")


if __name__ == "__main__":
    main()
