"""Measures the same work in several frameworks, each in a process of its own, in interleaved
rounds.

A worker is this interpreter, or another one with the peer installed, running a script with
``--worker NAME``. It answers each line it reads with the milliseconds of one repetition. The driver
prints medians over rounds and ratios.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import sys
import time


class Worker:
    """A process that measures on demand."""

    def __init__(self, python: str, script: str, name: str, threads: int, *options: str):
        self.name = name
        env = {
            "OMP_NUM_THREADS": str(threads),
            "PATH": "/usr/bin:/bin",
            "HOME": os.environ.get("HOME", "/tmp"),
        }
        if python == sys.executable and "PYTHONPATH" in os.environ:
            env["PYTHONPATH"] = os.environ["PYTHONPATH"]
        self.process = subprocess.Popen(
            [python, script, "--worker", name, "--threads", str(threads), *options],
            text=True,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def measure(self) -> float | None:
        """Milliseconds of one repetition; None if the worker cannot run."""
        try:
            self.process.stdin.write("go\n")
            self.process.stdin.flush()
            return float(self.process.stdout.readline())
        except (BrokenPipeError, ValueError):
            return None

    def close(self) -> None:
        """End the process."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()


def limit_threads(framework: str, threads: int) -> None:
    """Let a framework use so many threads. JAX has no such setting: it sees so many processors."""
    if framework.startswith("torch"):
        import torch

        torch.set_num_threads(threads)
    elif framework == "jax":
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])


def serve(step, repeat: int, cpu: bool = False) -> None:
    """The worker's side: time ``repeat`` calls of ``step`` per request; ``cpu``: what the process
    spends.
    """
    clock = time.process_time if cpu else time.perf_counter
    for _ in range(5):
        step()
    for _ in sys.stdin:
        start = clock()
        for _ in range(repeat):
            step()
        print((clock() - start) / repeat * 1e3, flush=True)


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
