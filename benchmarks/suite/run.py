"""Training steps, inference and eager code in minds and its peers, side by side.

    python benchmarks/suite/run.py [--peer PYTHON ...] [--threads 2] [--rounds 5] [--device cuda] [CASE ...]
    python benchmarks/suite/run.py --quick [--peer PYTHON ...]      small cases, one round: does it run?

Each framework runs a case in a process of its own; processes live side by side, one measures at a
time, and rounds are interleaved, so that a busy machine disturbs all alike. A peer's Python may have
torch, jax or mindspore; what is missing is left out. Printed are medians; with ``--write`` they go to
performance.md and performance.svg in docs, or in the folder that ``--to`` names. `cases.py` says what is
measured.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
from cases import CASES, FRAMEWORKS, LIMITS
from peer import PATIENCE, Worker
from report import table, write

QUICK = ("lenet", "mlp", "loop", "eager_adds", "eager_mlp")
FEWEST = 2  # rounds, however long they take
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


def has(python: str, framework: str) -> bool:
    """Whether a Python has a framework."""
    module = MODULE.get(framework, framework)
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", code], check=False).returncode == 0


def measured(case: str, homes: dict, args: argparse.Namespace) -> dict[str, Result]:
    """The results of one case, by framework."""
    workers, firsts, times = {}, {}, {}
    for framework, python in homes.items():
        if case not in FRAMEWORKS[framework]:
            continue
        options = [framework, case, "--device", args.device]
        limits = {"threads": args.threads, "patience": args.patience}
        worker = Worker(python, HERE / "worker.py", *options, **limits)
        begun = worker.answer()  # one after the other: first calls are measured too
        if begun is not None:
            workers[framework], firsts[framework] = worker, begun["first"]
    begin = time.monotonic()
    for n in range(args.rounds):
        if n >= FEWEST and time.monotonic() - begin > args.seconds:
            break
        for framework, worker in workers.items():
            times.setdefault(framework, []).append(worker.measure())
    found = {}
    for framework, worker in workers.items():
        end = worker.close()
        if end and None not in times[framework]:
            ms = statistics.median(times[framework])
            found[framework] = Result(ms, firsts[framework], end["peak_mb"], end["losses"])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", help="default: all; with --quick, small ones")
    parser.add_argument("--peer", action="append", default=[], help="a Python with peers")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, help="default: 5; with --quick, 1")
    parser.add_argument(
        "--seconds", type=float, default=12, help="for the rounds of a case, of which there are two"
    )
    parser.add_argument("--quick", action="store_true", help="to see that everything runs")
    parser.add_argument("--device", default="cpu", help="cpu, or cuda: of minds and its peers")
    parser.add_argument("--patience", type=int, default=PATIENCE, help="seconds for one answer")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the results, kept up to date")
    parser.add_argument("--bare", action="store_true", help="without the machine's own limits")
    parser.add_argument("--write", action="store_true", help="performance.md and its picture")
    docs = HERE.parents[1] / "docs"
    parser.add_argument("--to", type=pathlib.Path, default=docs, help="where: default docs")
    args = parser.parse_args()
    args.cases = args.cases or list(QUICK if args.quick else CASES)
    args.rounds = args.rounds or (1 if args.quick else 5)
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
        write(found, args.threads, args.rounds, args.to)


if __name__ == "__main__":
    main()
