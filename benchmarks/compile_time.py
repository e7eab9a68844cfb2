"""Compile times on one core, step by step: the training steps of ResNet-50 and BERT-base, and
chains of identical layers.

    python benchmarks/compile_time.py

"kernels" is the preparation of native kernels when the program is loaded, which does not count
against the budget of 2 s for ResNet-50 (the issue's) and 1 s for 10,000 nodes (the house plan's).
"""

from __future__ import annotations

import os
import sys
import time

import numpy as np

import minds as ms
from minds import _core, nn, ops
from minds.base.options import freeze
from minds.jit.parsing import parse
from minds.jit.pipeline import STEPS
from minds.lower import program as lowering
from minds.passes.driver import run_steps

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "nets"))
import bert
from resnet import resnet50, training_step


def measure(name: str, fn, args: tuple) -> None:
    """Print the time of each step of one compilation."""
    options, times = freeze(), {}
    clock = time.perf_counter()

    def lap(step: str) -> None:
        nonlocal clock
        times[step] = time.perf_counter() - clock
        clock = time.perf_counter()

    ip, _ = parse(fn, args, {}, options)
    lap("parse")
    graph = ip.root
    nodes = sum(1 for g in ip.graphs + [graph] for _ in g)
    for step, run in STEPS:
        graph = run_steps(graph, [(step, run)], options)
        lap(step)
    kernels = _without_kernels(lambda: lowering.lower(graph, options))
    lap("lower")
    times["lower"] -= kernels
    total = sum(times.values())
    print(
        f"{name:<26} {nodes:6d} nodes parsed, {total:6.3f} s, kernels {kernels:6.3f} s:  "
        + "  ".join(f"{k} {v:.3f}" for k, v in times.items())
    )


def _without_kernels(lower) -> float:
    """Run ``lower`` and return the seconds that loading the program (preparing its kernels)
    took.
    """
    spent, load = 0.0, _core.Program

    def timed(*args):
        nonlocal spent
        start = time.perf_counter()
        try:
            return load(*args)
        finally:
            spent = time.perf_counter() - start

    _core.Program = timed
    try:
        lower()
    finally:
        _core.Program = load
    return spent


def chain(n: int):
    """The gradient of ``n`` identical small layers."""
    layers = nn.SequentialCell(*[nn.Dense(8, 8, activation="tanh") for _ in range(n)])
    return ms.value_and_grad(lambda x: ops.sum(layers(x)), None, layers.trainable_params())


def main() -> None:
    """Measure and print."""
    x = ms.Tensor(np.ones((4, 8), np.float32))
    for n in (125, 250, 500, 1000):
        measure(f"chain of {n} layers", chain(n), (x,))
    step = training_step(resnet50(10))
    measure(
        "ResNet-50 training step",
        step,
        (ms.Tensor(np.zeros((2, 3, 64, 64), np.float32)), ms.Tensor(np.zeros(2, np.int32))),
    )
    ids = ms.Tensor(np.zeros((2, 16), np.int32))
    step = bert.training_step(bert.bert_base(1000))
    measure("BERT-base training step", step, (ids, ids, ops.ones_like(ids), ids))


if __name__ == "__main__":
    main()
