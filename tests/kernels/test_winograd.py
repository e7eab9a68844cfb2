"""Windows of 3x3 over many channels, which are computed with fewer multiplications than the
definition has (csrc/cpu/kernels/winograd_tier.h).
"""

import os
import subprocess
import sys

import numpy as np
import pytest
from driver import run, sample
from test_conv import Reference

from minds import _core

pytestmark = pytest.mark.native

# Input, weights, pad (top, bottom, left, right): whole panels and remainders, squares over the edge,
# several samples in one block and several blocks.
CASES = {
    "even": ((3, 64, 12, 12), (64, 64, 3, 3), (1, 1, 1, 1)),
    "odd": ((3, 33, 13, 17), (50, 33, 3, 3), (1, 1, 1, 1)),
    "no pads": ((1, 40, 22, 21), (100, 40, 3, 3), (0, 0, 0, 0)),
    "uneven pads": ((7, 70, 9, 7), (40, 70, 3, 3), (2, 1, 0, 2)),
    "tiny images": ((50, 48, 3, 4), (36, 48, 3, 3), (1, 1, 1, 1)),
}


def three_passes(case):
    """The operands, and the results of conv2d, conv2d_dx and conv2d_dw."""
    x_shape, w_shape, pad = CASES[case]
    ref = Reference(x_shape, w_shape, (1, 1), pad, (1, 1), 1)
    t = "float32"
    x, w, d = (sample(s, t, n) for n, s in enumerate((x_shape, w_shape, ref.out_shape)))
    at = {"stride": (1, 1), "pad": pad, "dilation": (1, 1), "group": 1}
    out = run("conv2d", [(x, t), (w, t)], [(ref.out_shape, t)], **at)
    dx = run("conv2d_dx", [(d, t), (w, t)], [(x_shape, t)], in_shape=x_shape, **at)
    dw = run("conv2d_dw", [(x, t), (d, t)], [(w_shape, t)], w_shape=w_shape, **at)
    return ref, (x, w, d), (out, dx, dw)


@pytest.mark.parametrize("case", CASES)
def test_errors_are_those_of_sums(case):
    """Within twelve roundings of the largest sum of magnitudes: the definition itself stays within six."""
    ref, (x, w, d), found = three_passes(case)
    ax, aw, ad = (np.abs(np.asarray(v, np.float64)) for v in (x, w, d))
    wanted = (ref.forward(x, w), ref.dx(d, w), ref.dw(x, d))
    scales = (ref.forward(ax, aw), ref.dx(ad, aw), ref.dw(ax, ad))
    for got, exact, scale in zip(found, wanted, scales, strict=True):
        assert np.abs(got - exact).max() <= 12 * 2.0**-24 * scale.max()


def test_whole_numbers_are_exact():
    """All factors are powers of two: there is nothing to round."""
    rng = np.random.default_rng(0)
    x_shape, w_shape, pad = CASES["odd"]
    ref = Reference(x_shape, w_shape, (1, 1), pad, (1, 1), 1)
    x, w = (rng.integers(-9, 9, s).astype(np.float32) for s in (x_shape, w_shape))
    at = {"stride": (1, 1), "pad": pad, "dilation": (1, 1), "group": 1}
    out = run("conv2d", [(x, "float32"), (w, "float32")], [(ref.out_shape, "float32")], **at)
    np.testing.assert_array_equal(out, ref.forward(x, w))


def digest() -> str:
    return " ".join(a.tobytes().hex()[::97] for c in ("odd", "even") for a in three_passes(c)[2])


def test_bits_do_not_depend_on_instruction_set_or_threads():
    path = [os.path.dirname(__file__), os.path.dirname(os.path.dirname(__file__))]
    code = f"import sys; sys.path[:0] = {path}; from test_winograd import digest; print(digest())"
    env = {**os.environ, "MINDS_ISA": "avx2"}
    other = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=env
    )
    before = _core.get_num_threads()
    try:
        for n in (1, 3):
            _core.set_num_threads(n)
            assert digest() == other.stdout.strip()
    finally:
        _core.set_num_threads(before)
