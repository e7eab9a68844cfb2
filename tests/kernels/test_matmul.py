"""matmul against NumPy: shapes, broadcasting, transposes, dtypes, refusals."""

import numpy as np
import pytest
from driver import assert_close, make, run, sample

from minds import _core

pytestmark = pytest.mark.native
FLOATS = ["float32", "float64", "float16", "bfloat16"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def matmul(x, y, dtype, ta=False, tb=False):
    a, b = (np.swapaxes(v, -1, -2) if t else v for v, t in ((x, ta), (y, tb)))
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + (a.shape[-2], b.shape[-1])
    return (
        run("matmul", [(x, dtype), (y, dtype)], [(shape, dtype)], transpose_a=ta, transpose_b=tb),
        a,
        b,
    )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("ta", [False, True])
@pytest.mark.parametrize("tb", [False, True])
@pytest.mark.parametrize(
    "m,n,k",
    [
        (1, 1, 1),
        (3, 5, 7),
        (8, 32, 16),
        (33, 17, 300),
        (32, 120, 400),
        (1, 130, 600),
        (200, 1, 40),
        (130, 90, 70),
        (13, 48, 257),
    ],
)
def test_matrices(dtype, ta, tb, m, n, k):
    x = sample((k, m) if ta else (m, k), dtype, 1)
    y = sample((n, k) if tb else (k, n), dtype, 2)
    got, a, b = matmul(x, y, dtype, ta, tb)
    assert_close(got, a.astype(np.float64) @ b.astype(np.float64), dtype, np.sqrt(k))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "x,y",
    [
        ((2, 3, 4, 5), (2, 3, 5, 6)),
        ((2, 3, 4, 5), (5, 6)),
        ((4, 5), (2, 3, 5, 6)),
        ((2, 1, 4, 5), (1, 3, 5, 6)),
        ((1, 4, 5), (7, 5, 6)),
        ((3, 1, 2, 4, 5), (2, 1, 5, 6)),
        ((2, 3, 1, 64, 65), (1, 3, 2, 65, 120)),
        ((6, 80, 70), (70, 90)),
    ],
)
def test_batches(dtype, x, y):
    got, a, b = matmul(sample(x, dtype, 1), sample(y, dtype, 2), dtype)
    assert_close(got, a.astype(np.float64) @ b.astype(np.float64), dtype, np.sqrt(x[-1]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_batches_of_transposed_operands(dtype):
    got, a, b = matmul(
        sample((3, 1, 5, 4), dtype, 1), sample((1, 2, 6, 5), dtype, 2), dtype, True, True
    )
    assert_close(got, a @ b, dtype, 3)


@pytest.mark.parametrize("dtype", INTS)
def test_integers_wrap(dtype):
    info = np.iinfo(dtype)
    rng = np.random.default_rng(0)
    x = rng.integers(info.min, info.max, (2, 7, 9), dtype, endpoint=True)
    y = rng.integers(info.min, info.max, (9, 70), dtype, endpoint=True)
    got, a, b = matmul(x, y, dtype)
    exact = a.astype(object) @ b.astype(object)
    np.testing.assert_array_equal(
        got, np.vectorize(lambda v: int(v) % 2**64, otypes=[np.uint64])(exact).astype(dtype)
    )


@pytest.mark.parametrize(
    "x,y",
    [
        ((0, 3), (3, 4)),
        ((3, 0), (0, 4)),
        ((0, 2, 3), (3, 4)),
        ((2, 0, 0), (2, 0, 3)),
        ((5, 3), (3, 0)),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int32"])
def test_empty(dtype, x, y):
    got, a, b = matmul(np.zeros(x, np.float32), np.zeros(y, np.float32), dtype)
    np.testing.assert_array_equal(got, a @ b)


def test_not_a_number_and_infinity_pass():
    x = np.zeros((3, 40), np.float32)
    x[1, 2], x[2, 3] = np.nan, np.inf
    y = np.ones((40, 20), np.float32)
    got, _, _ = matmul(x, y, "float32")
    assert np.all(got[0] == 0) and np.all(np.isnan(got[1])) and np.all(np.isinf(got[2]))


@pytest.mark.parametrize(
    "x,y,out,message",
    [
        ((2, 3), (4, 5), (2, 5), "inner dimensions differ: 3 and 4"),
        (
            (2, 2, 3),
            (3, 3, 4),
            (2, 2, 4),
            r"batch dimensions cannot be broadcast: \(2, 2, 3\) and \(3, 3, 4\)",
        ),
        ((3,), (3, 4), (4,), "at least 2 dimensions"),
        ((2, 3), (3, 4), (4, 2), r"the result has shape \(4, 2\), expected \(2, 4\)"),
    ],
)
def test_refusals(x, y, out, message):
    with pytest.raises(ValueError, match=message):
        make(
            "matmul",
            [(x, "float32"), (y, "float32")],
            [(out, "float32")],
            transpose_a=False,
            transpose_b=False,
        )


def test_one_dtype():
    with pytest.raises(TypeError, match="one dtype"):
        make("matmul", [((2, 2), "float32"), ((2, 2), "float64")], [((2, 2), "float32")])


@pytest.mark.parametrize(
    "m,n,k,dtype", [(40, 200, 300, "float64"), (200, 40, 70, "float64"), (31, 33, 250, "float32")]
)
def test_our_own_products_do_not_depend_on_the_number_of_threads(m, n, k, dtype):
    x, y, threads, results = (
        sample((m, k), dtype, 1),
        sample((k, n), dtype, 2),
        _core.get_num_threads(),
        [],
    )
    try:
        for count in (1, 2, 3):
            _core.set_num_threads(count)
            results.append(matmul(x, y, dtype)[0])
    finally:
        _core.set_num_threads(threads)
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])
