"""docs/walk.md shows what minds prints, and what it claims holds."""

import subprocess
import sys

import numpy as np
import walk

import minds as ms


def test_listings_are_what_minds_prints():
    """In a fresh process, since the names of backpropagators are numbered as they are made."""
    run = subprocess.run(
        [sys.executable, walk.__file__, "--check"], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr[-2000:]


def test_the_printed_gradient_runs_and_is_right():
    names = walk.run_source(walk.read())
    x = ms.Tensor([1.0, 2.0])
    compiled, eager = ms.jit(names["slope"])(x, 1.0), names["slope"](x, 1.0)
    np.testing.assert_array_equal(compiled.asnumpy(), eager.asnumpy())
    # x is halved twice before its sum is at most 1: the result is sum((x/4)²), its gradient x/8.
    np.testing.assert_array_equal(compiled.asnumpy(), x.asnumpy() / 8)
    got = names["stages"]["tidy"].function()(x, 1.0)
    np.testing.assert_array_equal(
        got[0].asnumpy() if isinstance(got, tuple) else got.asnumpy(), compiled.asnumpy()
    )
