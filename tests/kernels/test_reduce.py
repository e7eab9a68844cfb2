"""sum, prod, amax, amin, all, any, argmax, argmin, cumsum and cumprod against NumPy."""

import os
import subprocess
import sys

import numpy as np
import pytest
from driver import EPS, make, round_to, run

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
REALS = INTS + FLOATS
# Inner, outer, mixed, everything and nothing; narrow and wide rows; beyond a block, a tile and a
# segment.
CASES = [
    ((), ()),
    ((7,), (0,)),
    ((5000,), (0,)),
    ((200_003,), (0,)),
    ((3, 4), ()),
    ((3, 4), (0, 1)),
    ((6, 10), (1,)),
    ((6, 2500), (1,)),
    ((600, 33), (0,)),
    ((5000, 3), (0,)),
    ((40_000, 7), (0,)),
    ((300, 1100), (0,)),
    ((4, 5, 6, 7), (0, 2)),
    ((4, 5, 6, 7), (1, 3)),
    ((4, 5, 6, 7), (0, 2, 3)),
    ((70, 4, 33, 31), (0, 2, 3)),
    ((2, 3, 600, 9), (1, 3)),
    ((3, 1, 9, 1), (1, 2)),
    ((3, 700, 5), (1,)),
    ((2, 3, 200, 70), (0, 2)),
    ((5, 0, 3), (0,)),
    ((5, 0, 3), (2,)),
    ((2, 90_000), (1,)),
]
IDS = [f"{s}-{a}" for s, a in CASES]


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    if dtype in FLOATS:
        return round_to(rng.standard_normal(shape), dtype)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


def reduced(shape, axes, keepdims):
    return tuple(1 if d in axes else n for d, n in enumerate(shape) if keepdims or d not in axes)


def reduce(op, x, dtype, axes, keepdims=False, out=None):
    return run(
        op,
        [(x, dtype)],
        [(reduced(x.shape, axes, keepdims), out or dtype)],
        axis=axes,
        keepdims=keepdims,
    )


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize(("shape", "axes"), CASES, ids=IDS)
def test_sum(shape, axes, dtype):
    x = numbers(shape, dtype)
    got = reduce("sum", x, dtype, axes)
    if dtype in INTS:
        np.testing.assert_array_equal(got, np.sum(x, axis=axes, dtype=dtype))
        return
    want, size = np.sum(np.float64(x), axis=axes), np.sum(np.abs(np.float64(x)), axis=axes)
    unit = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}[
        dtype
    ]
    # One rounding of the result, and an accumulation in float32 or wider whose error hardly grows.
    work = 2.0**-53 if dtype == "float64" else 2.0**-24
    assert np.all(np.abs(got - want) <= unit * np.abs(want) + 16 * work * size)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(("shape", "axes"), CASES, ids=IDS)
def test_keepdims(shape, axes, keepdims):
    x = numbers(shape, "int32")
    np.testing.assert_array_equal(
        reduce("sum", x, "int32", axes, keepdims), x.sum(axes, "int32", keepdims=keepdims)
    )


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize(("shape", "axes"), CASES[:14], ids=IDS[:14])
def test_prod(shape, axes, dtype):
    x = numbers(shape, dtype)
    if dtype in FLOATS:
        x = (
            round_to(np.exp2(np.round(x)) * np.where(x < -1.5, 1.25, 1), dtype)
            if x.size < 100
            else np.sign(x)
        )
    got = reduce("prod", x, dtype, axes)
    if dtype in INTS:
        np.testing.assert_array_equal(got, np.prod(x, axis=axes, dtype=dtype))
    else:
        with np.errstate(over="ignore"):
            want = round_to(np.prod(np.float64(x), axis=axes), dtype)
        np.testing.assert_allclose(got, want, rtol=EPS[dtype])


@pytest.mark.parametrize("dtype", ["bool", *REALS])
@pytest.mark.parametrize("op", ["amax", "amin"])
@pytest.mark.parametrize(("shape", "axes"), CASES, ids=IDS)
def test_extremes(op, shape, axes, dtype):
    x = numbers(shape, dtype)
    if x.size == 0 and 0 not in reduced(shape, axes, False):
        with pytest.raises(ValueError, match="size 0 has no maximum"):
            make(
                op,
                [(shape, dtype)],
                [(reduced(shape, axes, False), dtype)],
                axis=axes,
                keepdims=False,
            )
        return
    np.testing.assert_array_equal(reduce(op, x, dtype, axes), getattr(np, op)(x, axis=axes))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["amax", "amin"])
@pytest.mark.parametrize("at", [0, 1, 63, 64, 1023, 1024, 4999])
def test_extremes_propagate_nan(op, at, dtype):
    x = numbers((5000,), dtype)
    x[at] = np.nan
    assert np.isnan(reduce(op, x, dtype, (0,)))
    columns = np.ascontiguousarray(np.stack([x, round_to(np.arange(5000) % 50, dtype)], 1))
    got = reduce(op, columns, dtype, (0,))
    assert np.isnan(got[0])
    assert got[1] == (49 if op == "amax" else 0)
    infinite = np.full(70, -np.inf if op == "amax" else np.inf, "float32")
    assert reduce(op, round_to(infinite, dtype), dtype, (0,)) == infinite[0]


@pytest.mark.parametrize("dtype", ["bool", *REALS])
@pytest.mark.parametrize("op", ["all", "any"])
@pytest.mark.parametrize(("shape", "axes"), CASES, ids=IDS)
def test_truth(op, shape, axes, dtype):
    rare = np.random.default_rng(1).random(shape) < 0.02
    x = round_to(rare if op == "any" else ~rare, dtype)
    np.testing.assert_array_equal(
        reduce(op, x, dtype, axes, out="bool"), getattr(np, op)(x, axis=axes)
    )


@pytest.mark.parametrize("dtype", FLOATS)
def test_truth_of_special_floats(dtype):
    x = round_to(np.array([np.nan, -np.inf, 1e-7]), dtype)
    assert reduce("all", x, dtype, (0,), out="bool")
    assert not reduce("any", round_to(np.array([0.0, -0.0] * 40), dtype), dtype, (0,), out="bool")


def test_float32_sum_is_accurate():
    """The error of a long sum stays that of a few roundings; adding one by one loses two digits
    here.
    """
    x = np.random.default_rng(0).random(3_000_000, np.float32)
    exact = np.sum(x, dtype=np.float64)
    assert abs(float(reduce("sum", x, "float32", (0,))) - exact) <= 2.0**-23 * exact
    columns = x.reshape(-1, 3)
    exact = np.sum(columns, 0, dtype=np.float64)
    assert np.all(np.abs(reduce("sum", columns, "float32", (0,)) - exact) <= 2.0**-22 * exact)


ARG_SHAPES = [
    ((7,), 0),
    ((10, 10), 1),
    ((10, 10), 0),
    ((3, 5000), 1),
    ((4, 30, 5), 1),
    ((20, 600), 0),
    ((3, 65), 1),
    ((0, 4), 1),
    ((4, 3, 0), 1),
]


@pytest.mark.parametrize("dtype", ["bool", *REALS])
@pytest.mark.parametrize("op", ["argmax", "argmin"])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(("shape", "axis"), ARG_SHAPES)
def test_arg(op, shape, axis, dtype, keepdims):
    x = numbers(shape, dtype)
    if dtype in FLOATS:
        x = np.round(x)  # many equal elements: the first must win
    got = run(
        op,
        [(x, dtype)],
        [(reduced(shape, (axis,), keepdims), "int64")],
        axis=axis,
        keepdims=keepdims,
    )
    np.testing.assert_array_equal(got, getattr(np, op)(x, axis, keepdims=keepdims))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["argmax", "argmin"])
@pytest.mark.parametrize("size", [9, 3000])
def test_arg_finds_the_first_nan(op, size, dtype):
    x = numbers((size,), dtype)
    x[[5, 7]] = np.nan
    assert run(op, [(x, dtype)], [((), "int64")], axis=0) == 5
    two = np.ascontiguousarray(np.stack([x, x[::-1]], 1))
    got = run(op, [(two, dtype)], [((2,), "int64")], axis=0)
    np.testing.assert_array_equal(got, [5, size - 8])


def test_arg_of_nothing_is_refused():
    with pytest.raises(ValueError, match="is empty"):
        make("argmax", [((3, 0), "float32")], [((3,), "int64")], axis=1)


SCANS = [
    ((9,), 0),
    ((50_000,), 0),
    ((3, 40_000), 1),
    ((7, 5), 0),
    ((7, 5), 1),
    ((100, 300), 0),
    ((4, 6, 5), 1),
    ((0, 3), 0),
    ((3, 0), 0),
    ((200, 20), 1),
]


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("op", ["cumsum", "cumprod"])
@pytest.mark.parametrize(("shape", "axis"), SCANS)
def test_scan(op, shape, axis, reverse, exclusive, dtype):
    x = numbers(shape, dtype)
    if op == "cumprod" and dtype in FLOATS:
        x = np.sign(x)
    got = run(op, [(x, dtype)], [(shape, dtype)], axis=axis, reverse=reverse, exclusive=exclusive)
    y = np.flip(x, axis) if reverse else x
    want = getattr(np, op)(y, axis, dtype="float64" if dtype in FLOATS else dtype)
    if exclusive and shape[axis]:
        start = np.full_like(np.take(want, [0], axis), op == "cumprod")
        want = np.concatenate([start, np.delete(want, -1, axis)], axis)
    want = np.flip(want, axis) if reverse else want
    if dtype in INTS:
        np.testing.assert_array_equal(got, want)
    else:
        scale = max(shape[axis], 1) if op == "cumsum" else 1
        np.testing.assert_allclose(got, want, rtol=EPS[dtype], atol=EPS[dtype] / 16 * scale)


def test_refusals():
    def fails(message, *spec, op="sum", error=ValueError, **attrs):
        with pytest.raises(error, match=message):
            make(op, *spec, **{"axis": (0,), "keepdims": False, **attrs})

    x = ((3, 4), "float32")
    fails("axis 2 is out of range", [x], [((3,), "float32")], axis=(2,))
    fails("given twice", [x], [((3,), "float32")], axis=(1, 1))
    fails("the output has shape", [x], [((3,), "float32")])
    fails("the output is float64", [x], [((4,), "float64")], error=TypeError)
    fails("the output is float32", [x], [((4,), "float32")], op="all", error=TypeError)
    fails("expected 1 inputs", [x, x], [((4,), "float32")])
    fails("axis -1 is out of range", [x], [((3, 4), "float32")], op="cumsum", axis=-1)
    fails("at most 32 dim", [((1,) * 33, "float32")], [((1,) * 33, "float32")], axis=())


# Prints a digest of many reductions; run under each instruction set and number of threads it must
# not change.
DIGEST = """
import hashlib, sys
import numpy as np
sys.path[:0] = sys.argv[1], sys.argv[1] + "/.."
from driver import _core, run, round_to
_core.set_num_threads(int(sys.argv[2]))
h = hashlib.sha256()
cases = {(300_001,): (0,), (9, 9000): (1,), (1500, 90): (0,), (50_000, 3): (0,), (4, 33, 700): (0, 2)}
for shape, axes in cases.items():
    x = np.random.default_rng(3).standard_normal(shape)
    out = tuple(n for d, n in enumerate(shape) if d not in axes)
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        for op in ("sum", "prod", "amax"):
            y = round_to(x if op != "prod" else 1 + x * 1e-3, dtype)
            h.update(run(op, [(y, dtype)], [(out, dtype)], axis=axes, keepdims=False).tobytes())
        h.update(run("cumsum", [(round_to(x, dtype), dtype)], [(shape, dtype)], axis=axes[-1]).tobytes())
print(h.hexdigest())
"""


def test_bits_do_not_depend_on_instruction_set_or_threads():
    def digest(isa, threads):
        done = subprocess.run(
            [sys.executable, "-c", DIGEST, os.path.dirname(__file__), str(threads)],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "MINDS_ISA": isa},
        )
        return done.stdout

    assert (
        len(
            {digest(isa, 1) for isa in ("generic", "avx2", "avx512")}
            | {digest("avx512", n) for n in (2, 3)}
        )
        == 1
    )
