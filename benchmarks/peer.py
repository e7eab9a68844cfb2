"""Measures the same work in several frameworks, each in a process of its own, in interleaved
rounds.

A worker is this interpreter, or another one with the peer installed, running a script. It answers
each line that it reads with a line of JSON, such as ``{"ms": 1.5}``, and may say something of itself
before the first and after the last. What a framework prints is no answer.
"""

from __future__ import annotations

import json
import os
import selectors
import statistics
import subprocess
import sys
import time

PATIENCE = 600  # seconds for one answer
PASSED_ON = ("HOME", "PATH", "PYTHONPATH", "LD_LIBRARY_PATH")
PREFIXES = ("MINDS_", "CUDA_", "NVIDIA_", "XLA_", "TORCH")
"""The variables of the environment that workers get: by name, or by how it begins."""


class Worker:
    """A process that measures on demand. What it says beside that is printed if it fails."""

    def __init__(
        self,
        python: str,
        script: str,
        *options: str,
        threads: int,
        name: str = "",
        patience: float = PATIENCE,
    ):
        env = {k: v for k, v in os.environ.items() if k in PASSED_ON or k.startswith(PREFIXES)}
        if python != sys.executable:
            env.pop("PYTHONPATH", None)
        self.name, self.patience, self.says = name, patience, os.memfd_create("says")
        self.process = subprocess.Popen(
            [python, str(script), *options, "--threads", str(threads)],
            text=True,
            env={**env, "OMP_NUM_THREADS": str(threads)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.says,
        )

    def answer(self) -> dict | None:
        """The next answer; None if the process has none, or takes too long."""
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            line = self.process.stdout.readline() if ready.select(self.patience) else ""
        if not line:
            self.process.kill()
            said = os.pread(self.says, 1 << 20, 0)[-2000:].decode(errors="replace")
            print(*self.process.args[1:4], "ends:", said, file=sys.stderr)
            return None
        return json.loads(line)

    def measure(self, what: str = "go") -> float | None:
        """Milliseconds of one repetition; None if the worker cannot run."""
        try:
            self.process.stdin.write(what + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        found = self.answer()
        return None if found is None else found["ms"]

    def close(self) -> dict:
        """End the process: what it says of itself at the end."""
        try:
            self.process.stdin.close()
            found = self.answer() or {}
        except BrokenPipeError:
            found = {}
        self.process.wait()
        os.close(self.says)
        return found


def limit_threads(framework: str, threads: int) -> None:
    """Let a framework use so many threads. JAX has no such setting: it sees so many processors."""
    if framework.startswith("torch"):
        import torch

        torch.set_num_threads(threads)
    elif framework == "jax":
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])


def answers():
    """The worker's side: a function that answers with its keyword arguments. Standard output is
    standard error from here on.
    """
    stream, sys.stdout = sys.stdout, sys.stderr
    return lambda **values: print(json.dumps(values), file=stream, flush=True)


def serve(say, step, repeat: int, cpu: bool = False) -> None:
    """Time ``repeat`` calls of ``step`` per line that is read; ``cpu``: what the process spends."""
    clock = time.process_time if cpu else time.perf_counter
    for _ in sys.stdin:
        start = clock()
        for _ in range(repeat):
            step()
        say(ms=(clock() - start) / repeat * 1e3)


def warm(step):
    """``step``, called a few times before anybody measures."""
    for _ in range(5):
        step()
    return step


def compare(workers: list[Worker], rounds: int) -> None:
    """Interleave the workers and print medians, and the ratio of each to the first."""
    times: dict[str, list] = {w.name: [] for w in workers}
    for _ in range(rounds):
        for w in workers:
            ms = w.measure()
            if ms is not None:
                times[w.name].append(ms)
    for w in workers:
        found = times[w.name]
        if not found:
            print(f"{w.name:<16} not available")
            continue
        ratios = [t / b for t, b in zip(found, times[workers[0].name])]
        ratio = f"x {statistics.median(ratios):5.2f} of {workers[0].name}"
        print(f"{w.name:<16} {statistics.median(found):8.3f} ms   {ratio}   (min {min(found):.3f})")
    for w in workers:
        w.close()
