"""Products and convolutions with int8 weights, against whole numbers in NumPy: equal to the bit, whatever
the instruction set and the number of threads.
"""

import os
import subprocess
import sys
import zlib

import numpy as np
import pytest

from minds import Tensor
from minds.ops import P

f32 = np.float32


def levels(x):
    """The whole numbers that ``x`` is rounded to, and what one stands for."""
    low, high = min(f32(0), x.min(initial=0)), max(f32(0), x.max(initial=0))
    scale = f32(high) / f32(255) - f32(low) / f32(255)
    if scale < np.finfo(f32).tiny:
        return np.zeros(x.shape, np.int64), f32(1)
    zero = np.clip(np.rint(-low / scale), 0, 255)
    return np.clip(np.rint(x * (f32(1) / scale)), -zero, 255 - zero).astype(np.int64), scale


def product(x, w, scale, bias):
    out = np.empty((len(x), len(w)), f32)
    for i, row in enumerate(x):
        q, unit = levels(row)
        out[i] = (w.astype(np.int64) @ q).astype(f32) * (unit * scale) + bias
    return out


def convolution(x, w, scale, bias, stride=(1, 1), pad=(0, 0, 0, 0), dilation=(1, 1)):
    (n, _, h, width), (o, kh, kw, _) = x.shape, w.shape
    top, bottom, left, right = pad
    oh = (h + top + bottom - (kh - 1) * dilation[0] - 1) // stride[0] + 1
    ow = (width + left + right - (kw - 1) * dilation[1] - 1) // stride[1] + 1
    out = np.empty((n, o, oh, ow), f32)
    for i in range(n):
        q, unit = levels(x[i])
        q = np.pad(q, ((0, 0), (top, bottom), (left, right)))
        for y, z in np.ndindex(oh, ow):
            rows = y * stride[0] + np.arange(kh) * dilation[0]
            columns = z * stride[1] + np.arange(kw) * dilation[1]
            whole = np.einsum("cpq,opqc->o", q[:, rows[:, None], columns], w.astype(np.int64))
            out[i, :, y, z] = whole.astype(f32) * (unit * scale) + bias
    return out


def made(x_shape, w_shape, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(x_shape).astype(f32)
    w = rng.integers(-128, 128, w_shape).astype(np.int8)
    return x, w, rng.random(w_shape[0]).astype(f32), rng.standard_normal(w_shape[0]).astype(f32)


def run(op, operands, *attributes):
    return getattr(P, op)(*map(Tensor, operands), *attributes).asnumpy()


PRODUCTS = [
    (1, 1, 1),
    (3, 5, 7),
    (8, 64, 33),
    (9, 64, 33),
    (17, 66, 33),
    (50, 512, 129),
    (70, 128, 15),
]
PRODUCTS += [(200, 33, 9), (0, 4, 4), (5, 0, 3), (4, 4, 0)]


@pytest.mark.parametrize("m, k, n", PRODUCTS)
def test_product(m, k, n):
    operands, others = made((m, k), (n, k)), made((m, k), (n, k), seed=1)
    wanted = product(*operands)
    assert np.array_equal(run("quantized_matmul", operands), wanted)
    stacks = [np.stack(pair) for pair in zip(operands, others)]
    assert np.array_equal(run("quantized_matmul", stacks), np.stack([wanted, product(*others)]))


CONVOLUTIONS = {
    "one": ((1, 1, 1, 1), (1, 1, 1, 1)),
    "odd channels": ((2, 3, 9, 7), (5, 3, 3, 3), (1, 1), (1, 1, 1, 1)),
    "uneven": ((2, 4, 9, 20), (5, 3, 3, 4), (2, 1), (0, 2, 1, 0)),
    "pointwise": ((2, 8, 6, 6), (16, 1, 1, 8)),
    "pointwise, odd channels": ((1, 7, 6, 5), (9, 1, 1, 7)),
    "pointwise, strided": ((2, 8, 6, 6), (16, 1, 1, 8), (2, 2)),
    "pointwise, padded": ((1, 8, 6, 6), (16, 1, 1, 8), (1, 1), (1, 1, 1, 1)),
    "pointwise, padded below": ((1, 4, 6, 6), (2, 1, 1, 4), (1, 1), (0, 1, 0, 0)),
    "dilated": ((1, 16, 14, 14), (33, 3, 3, 16), (1, 1), (2, 2, 2, 2), (2, 2)),
    "long rows": ((1, 4, 20, 40), (8, 3, 3, 4), (1, 1), (1, 1, 1, 1)),
    "no image": ((0, 4, 5, 5), (3, 3, 3, 4)),
    "no channels": ((1, 0, 5, 5), (3, 3, 3, 0)),
    "pointwise, no channels": ((1, 0, 5, 5), (3, 1, 1, 0)),
    "nothing but what is padded": ((1, 3, 0, 4), (2, 2, 2, 3), (1, 1), (1, 1, 1, 1)),
}


@pytest.mark.parametrize("case", CONVOLUTIONS.values(), ids=CONVOLUTIONS)
def test_convolution(case):
    x_shape, w_shape, *attributes = case
    operands, others = made(x_shape, w_shape), made(x_shape, w_shape, seed=1)
    wanted = convolution(*operands, *attributes)
    assert np.array_equal(run("quantized_conv2d", operands, *attributes), wanted)
    stacks = [np.stack(pair) for pair in zip(operands, others)]
    both = np.stack([wanted, convolution(*others, *attributes)])
    assert np.array_equal(run("quantized_conv2d", stacks, *attributes), both)


@pytest.mark.parametrize(
    "row",
    [
        [0, 0, 0, 0],
        [3e35, -3e35, 1, 0],
        [1e-42, 0, -1e-42, 0],
        [5, 5, 5, 5],
        [-1, -2, -3, -4],
        [1e-30, 1e30, 0, 1],
    ],
)
@pytest.mark.parametrize("copies", [1, 20])
def test_ranges(row, copies):
    x = np.tile(np.array(row, f32), (copies, 1))
    operands = x, *made((1, 4), (3, 4))[1:]
    assert np.array_equal(run("quantized_matmul", operands), product(*operands))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_spoils_its_row_and_image_alone(bad):
    x, w, scale, bias = made((20, 40), (6, 40))
    x[3, 39] = bad
    out = run("quantized_matmul", (x, w, scale, bias))
    assert np.isnan(out[3]).all()
    assert np.isfinite(np.delete(out, 3, 0)).all()
    x, w, scale, bias = made((2, 3, 5, 5), (4, 3, 3, 3))
    x[1, 2, 4, 4] = bad
    out = run("quantized_conv2d", (x, w, scale, bias))
    assert np.isnan(out[1]).all()
    assert np.isfinite(out[0]).all()


def test_sums_that_could_overflow_are_refused():
    with pytest.raises(ValueError, match="does not fit 32 bits"):
        run("quantized_matmul", made((1, 66000), (1, 66000)))
    x, w = np.full((1, 65000), 1, f32), np.full((1, 65000), -128, np.int8)
    one, none = np.ones(1, f32), np.zeros(1, f32)
    assert run("quantized_matmul", (x, w, one, none)).item() == f32(-128 * 65000 * 255) * (
        f32(1) / 255
    )


def digest() -> int:
    """The bits of a few products and convolutions, large enough to be shared among threads."""
    out = [run("quantized_matmul", made((m, 200), (500, 200))) for m in (1, 3, 60, 700)]
    for c, stride, pad in ((3, 2, 1), (64, 1, 1), (64, 1, 0)):
        size = 1 if pad == 0 else 3
        operands = made((2, c, 30, 30), (96, size, size, c))
        out.append(run("quantized_conv2d", operands, (stride, stride), (pad,) * 4))
    return zlib.crc32(b"".join(o.tobytes() for o in out))


PROGRAM = f"""
import sys
sys.path[:0] = [{os.path.dirname(__file__)!r}]
import test_quantized
print(test_quantized.digest())
"""


def test_bits_do_not_depend_on_instruction_set_or_threads():
    def elsewhere(isa, threads="2"):
        env = os.environ | {"MINDS_ISA": isa, "OMP_NUM_THREADS": threads}
        if not isa:
            del env["MINDS_ISA"]
        command = [sys.executable, "-c", PROGRAM]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout

    found = {elsewhere(isa) for isa in ("generic", "avx2", "avx512")}
    assert len(found | {elsewhere("", threads) for threads in "13"}) == 1
