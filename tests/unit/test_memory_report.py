"""What `memory_report` says is what a run takes, and its lines are the user's."""

import inspect

import numpy as np
import pytest

import minds as ms
from minds import _core, ops


def measured(f, args) -> int:
    """Bytes that a warm call holds at most, with its arguments; the workspace is there already."""
    f(*args)
    base = ms.hal.memory_allocated()
    ms.hal.reset_peak_memory_stats()
    out = f(*args)
    del out
    given = sum(_core.pooled_bytes(a.nbytes) for a in args)
    return ms.hal.max_memory_allocated() - base + given


def two_layers(x, w):
    h = ops.tanh(x @ w)
    return ops.sum(ops.sin(h @ w))


def branch(x, w):
    if ops.sum(x) > 0:
        x = ops.exp(x @ w) @ w
    return ops.sum(x)


@pytest.mark.parametrize("f, share", [(two_layers, 0.98), (branch, 0.6)])
def test_the_peak_bounds_that_of_a_run(f, share):
    """It is that of a run, or above it where branches keep what they might need."""
    rng = np.random.default_rng(1)
    args = [ms.Tensor(rng.uniform(size=(384, 384)).astype(np.float32)) for _ in range(2)]
    step = ms.jit(ms.grad(f, (0, 1)))
    report = ms.memory_report(step, *args)
    assert report.bytes == sum(h.bytes for h in report.holders)
    workspace = next(h.bytes for h in report.holders if h.what == "workspace of kernels")
    most = report.bytes - workspace
    assert share * most <= measured(step, args) <= most


def test_holders_are_lines_of_the_source():
    def f(x):
        return ops.sum(ops.sin(x) * ops.cumsum(x, 0))

    report = ms.memory_report(ms.grad(f), ops.ones((300, 300)))
    first = inspect.getsourcelines(f)[1]
    lines = {h.loc.line for h in report.holders if h.loc is not None}
    assert lines and lines <= {first, first + 1}
    text = str(report)
    assert "at the peak" in text and "argument" in text and "test_memory_report.py" in text


def test_a_limit_counts():
    def f(x):
        for _ in range(6):
            x = ops.cumsum(ops.sin(x), 0)
        return ops.sum(x * x)

    x = ops.ones((256, 256))
    whole = ms.memory_report(ms.jit(ms.grad(f)), x).bytes
    limit = int(whole * 0.9)
    assert ms.memory_report(ms.jit(ms.grad(f), memory_limit=limit), x).bytes <= limit < whole
