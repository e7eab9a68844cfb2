"""What the runtime costs apart from its kernels: `python benchmarks/runtime.py`.

CPU time of one thread, the best of several runs: a busy machine does not disturb it much.
"""

from __future__ import annotations

import os
import sys
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests", "unit"))

from program_graphs import FLOAT, INT, P, array, lower, recursion, tensor, traced, while_loop


def best(run, n: int, times: int = 5) -> float:
    """Seconds per unit of the fastest of ``times`` calls that do ``n`` units each."""
    found = float("inf")
    for _ in range(times):
        start = time.thread_time()
        run()
        found = min(found, (time.thread_time() - start) / n)
    return found


def loop(body) -> float:
    """Nanoseconds per iteration of ``while i < n: i, x = i + 1, body(x)``."""
    e = lower(
        while_loop(
            lambda i, x, n: P.less(i, n),
            lambda i, x, n: (P.add(i, 1), body(x), n),
            [INT, FLOAT, INT],
            1,
        )
    )
    n = 1_000_000
    return 1e9 * best(lambda: e([array(0), array(0.0), array(n)]), n)


def main() -> None:
    def show(what: str, value: float, unit: str) -> None:
        print(f"{what:<45}{value:8.2f} {unit}")

    small = lower(traced(lambda x: P.add(x, x), tensor(4)))
    x = array(np.zeros(4, np.float32))
    calls = best(lambda: [small([x]) for _ in range(10_000)], 10_000)
    show("call of a program of one kernel", 1e6 * calls, "us")
    n = 20_000
    chain = lower(_chain(n))
    y = array(np.zeros((4, 4), np.float32))
    show(f"one of {n} kernels on 16 floats", 1e9 * best(lambda: chain([y]), n), "ns")
    show("iteration of a while loop on numbers", loop(lambda x: P.add(x, 0.5)), "ns")
    show("the same with one kernel in its body", loop(P.sin), "ns")
    e = lower(
        while_loop(
            lambda i, x: P.less(i, 1_000_000),
            lambda i, x: (P.add(i, 1), P.add(x, 1.0)),
            [INT, tensor(16)],
            1,
        )
    )
    w = array(np.zeros(16, np.float32))
    show("iteration that updates 16 floats", 1e9 * best(lambda: e([array(0), w]), 1_000_000), "ns")
    deep = lower(
        recursion(
            [INT, tensor(4)],
            lambda n, x: P.equal(n, 0),
            lambda n, x: P.add(x, 0.0),
            lambda n, x: (P.sub(n, 1), P.mul(x, 1.0)),
            lambda n, x, r: P.add(x, r),
            tensor(4),
        )
    )
    z = array(np.zeros(4, np.float32))
    show(
        "level of a recursion 100,000 deep",
        1e9 * best(lambda: deep([array(100_000), z]), 100_000),
        "ns",
    )
    graph = _chain(n)
    show("lowering and loading, per node", 1e6 * best(lambda: lower(graph), n, 3), "us")


def _chain(n: int):
    def chain(x):
        values = [x]
        for k in range(n):
            values.append(
                (P.add, P.mul)[k % 2](values[-1], values[max(0, len(values) - 1 - k * 7 % 50)])
            )
        return values[-1]

    return traced(chain, tensor(4, 4))


if __name__ == "__main__":
    main()
