"""softmax and log_softmax against SciPy in float64."""

import numpy as np
import pytest
from driver import EPS, make, run, sample
from scipy import special

pytestmark = pytest.mark.native
FLOATS = ["float32", "float64", "float16", "bfloat16"]
CASES = [
    ((5, 10), 1),
    ((5, 10), 0),
    ((3, 1000), 1),
    ((2, 3, 4, 5), 1),
    ((2, 33, 40), 1),
    ((2, 3, 17), 2),
    ((7,), 0),
    ((4, 1), 1),
    ((3, 5, 1), 1),
    ((300, 6), 0),
    ((2, 9000), 1),
    ((40, 3, 50), 1),
]
REFERENCE = {"softmax": special.softmax, "log_softmax": special.log_softmax}


@pytest.mark.parametrize("op", REFERENCE)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape,axis", CASES)
def test_values(op, shape, axis, dtype):
    x = sample(shape, dtype) * np.asarray(4, sample(shape, dtype).dtype)
    got = run(op, [(x, dtype)], [(shape, dtype)], axis=axis)
    want = REFERENCE[op](x.astype(np.float64), axis)
    np.testing.assert_allclose(got, want, rtol=4 * EPS[dtype], atol=4 * EPS[dtype])


@pytest.mark.parametrize("op", REFERENCE)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("width", [4, 16, 37])
def test_extremes(op, dtype, width):
    big = {"float32": 3e38, "float64": 1e308}[dtype]
    x = np.zeros((5, width), dtype)
    x[0], x[1, 1], x[2, 2], x[3], x[4, 1] = big, -np.inf, np.nan, -big, big
    got = run(op, [(x, dtype)], [(x.shape, dtype)], axis=1)
    with np.errstate(all="ignore"):
        want = REFERENCE[op](x, 1)
    want[2] = np.nan
    np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("op", REFERENCE)
def test_rows_without_a_finite_element_are_not_a_number(op):
    x = np.array([[-np.inf] * 3, [np.inf, 0, 0]], np.float32)
    got = run(op, [(x, "float32")], [(x.shape, "float32")], axis=1)
    assert np.isnan(got[0]).all() and np.isnan(got[1, 0])


@pytest.mark.parametrize("op", REFERENCE)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape,axis", [((0, 3), 1), ((3, 0), 1), ((3, 0), 0), ((2, 0, 3), 1)])
def test_empty(op, dtype, shape, axis):
    assert run(op, [(np.zeros(shape), dtype)], [(shape, dtype)], axis=axis).shape == shape


def test_refusals():
    with pytest.raises(ValueError, match="axis"):
        make("softmax", [((2, 3), "float32")], [((2, 3), "float32")], axis=2)
    with pytest.raises(ValueError, match="the result"):
        make("softmax", [((2, 3), "float32")], [((3, 2), "float32")], axis=1)
