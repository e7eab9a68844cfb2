"""Windows of one pixel over many channels, which are products of matrices
(csrc/cpu/kernels/conv_pointwise.cc).
"""

import numpy as np
import pytest
from driver import run
from test_conv import Reference

from minds import _core

pytestmark = pytest.mark.native

# Input, weights, stride: all images in one matrix, one image after the other, pixels left out, one image.
CASES = {
    "few pixels": ((3, 40, 7, 5), (33, 40, 1, 1), (1, 1)),
    "some pixels": ((2, 32, 14, 16), (50, 32, 1, 1), (1, 1)),
    "many pixels": ((3, 33, 24, 23), (40, 33, 1, 1), (1, 1)),
    "strides": ((3, 48, 13, 12), (36, 48, 1, 1), (2, 3)),
    "strides, many pixels": ((2, 32, 50, 47), (34, 32, 1, 1), (2, 2)),
    "one image": ((1, 64, 9, 9), (32, 64, 1, 1), (1, 2)),
}


def three_passes(case, t):
    """The operands, of whole numbers, and the results of conv2d, conv2d_dx and conv2d_dw."""
    x_shape, w_shape, stride = CASES[case]
    ref = Reference(x_shape, w_shape, stride, (0, 0, 0, 0), (1, 1), 1)
    rng = np.random.default_rng(0)
    x, w, d = (rng.integers(-1, 2, s).astype(np.float32) for s in (x_shape, w_shape, ref.out_shape))
    at = {"stride": stride, "pad": (0, 0, 0, 0), "dilation": (1, 1), "group": 1}
    out = run("conv2d", [(x, t), (w, t)], [(ref.out_shape, t)], **at)
    dx = run("conv2d_dx", [(d, t), (w, t)], [(x_shape, t)], in_shape=x_shape, **at)
    dw = run("conv2d_dw", [(x, t), (d, t)], [(w_shape, t)], w_shape=w_shape, **at)
    return ref, (x, w, d), (out, dx, dw)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("case", CASES)
def test_sums_of_whole_numbers_are_exact(case, dtype):
    """Sums in float32 are; bfloat16 holds whole numbers up to 256, which these sums do not pass."""
    ref, (x, w, d), found = three_passes(case, dtype)
    for got, exact in zip(found, (ref.forward(x, w), ref.dx(d, w), ref.dw(x, d)), strict=True):
        assert np.abs(exact).max() <= 256
        np.testing.assert_array_equal(got, exact)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_bits_do_not_depend_on_threads(dtype):
    rng = np.random.default_rng(1)
    at = {"stride": (1, 1), "pad": (0, 0, 0, 0), "dilation": (1, 1), "group": 1}
    before, found = _core.get_num_threads(), []
    operands = [
        (rng.standard_normal((3, channels, size, size)).astype(np.float32), dtype)
        for size in (7, 24)
        for channels in (96, 160)
    ]
    try:
        for n in (1, 2, 3):
            _core.set_num_threads(n)
            found.append(
                [
                    run("conv2d_dw", pair, [(shape, dtype)], w_shape=shape, **at)
                    for pair in (operands[:2], operands[2:])
                    for shape in [(160, 96, 1, 1)]
                ]
            )
    finally:
        _core.set_num_threads(before)
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)
