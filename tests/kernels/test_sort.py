"""sort and topk against NumPy's stable sort; NaN counts as the largest number."""

import numpy as np
import pytest
from driver import CODES, make, round_to, run

DTYPES = list(CODES)
FLOATS = ["float16", "bfloat16", "float32", "float64"]


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    if dtype in FLOATS:
        x = round_to(np.round(rng.standard_normal(shape) * 40) / 8, dtype)  # with equal elements
        x[rng.random(shape) < 0.02] = np.nan
        x[rng.random(shape) < 0.02] = np.inf
        x[rng.random(shape) < 0.02] = -np.inf
        x[rng.random(shape) < 0.05] = -0.0
        return x
    if dtype == "bool":
        return rng.random(shape) < 0.5
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    return np.where(rng.random(shape) < 0.5, x, x % np.array(5, dtype)).astype(dtype)


def order(x, axis, descending):
    """Stable indices; reversing twice keeps equal elements in their order when descending."""
    if not descending:
        return np.argsort(x, axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - np.argsort(np.flip(x, axis), axis, kind="stable"), axis)


CASES = [
    ((1,), 0),
    ((20,), 0),
    ((48,), 0),
    ((49,), 0),
    ((5000,), 0),
    ((6, 30), 1),
    ((30, 6), 0),
    ((4, 200, 3), 1),
    ((300, 20), -1),
    ((0,), 0),
    ((3, 0), 1),
    ((0, 3), 1),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(("shape", "axis"), CASES)
def test_sort(shape, axis, descending, dtype):
    x = numbers(shape, dtype)
    values, indices = run(
        "sort", [(x, dtype)], [(shape, dtype), (shape, "int64")], axis=axis, descending=descending
    )
    want = order(x, axis, descending)
    np.testing.assert_array_equal(indices, want)
    np.testing.assert_array_equal(values, np.take_along_axis(x, want, axis))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("k", [0, 1, 3, 20])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((20,), 0), ((5000,), 0), ((3, 40), 1), ((200, 5), 0), ((4, 300, 3), 1), ((0, 20), 1)],
)
def test_topk(shape, axis, k, largest, dtype):
    x = numbers(shape, dtype)
    out = tuple(k if d == axis else n for d, n in enumerate(shape))
    values, indices = run(
        "topk", [(x, dtype)], [(out, dtype), (out, "int64")], k=k, axis=axis, largest=largest
    )
    want = np.take(order(x, axis, largest), range(k), axis)
    np.testing.assert_array_equal(indices, want)
    np.testing.assert_array_equal(values, np.take_along_axis(x, want, axis))


def test_defaults():
    x = numbers((3, 9), "float32")
    shape = ((3, 9), "float32"), ((3, 9), "int64")
    for a, b in zip(
        run("sort", [(x, "float32")], shape),
        run("sort", [(x, "float32")], shape, axis=1, descending=False),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)
    two = ((3, 2), "float32"), ((3, 2), "int64")
    for a, b in zip(
        run("topk", [(x, "float32")], two, k=2),
        run("topk", [(x, "float32")], two, k=2, axis=1, largest=True),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)


def test_refusals():
    def fails(message, op, outputs, error=ValueError, **attrs):
        with pytest.raises(error, match=message):
            make(op, [((3, 4), "float32")], outputs, **attrs)

    good = [((3, 4), "float32"), ((3, 4), "int64")]
    fails("axis 2 is out of range", "sort", good, axis=2)
    fails("the indices is int32", "sort", [good[0], ((3, 4), "int32")], TypeError, axis=1)
    fails("the values has shape", "topk", good, k=2, axis=1)
    fails("k is 5, the axis has 4", "topk", [((3, 5), "float32"), ((3, 5), "int64")], k=5, axis=1)
    fails("k is -1", "topk", good, k=-1, axis=1)
    fails("1 inputs and 2 outputs", "sort", good[:1], axis=1)
