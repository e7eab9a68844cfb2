"""gather, gather_d, gather_nd, their adjoints and tensor_scatter against NumPy."""

from functools import partial

import numpy as np
import pytest
from driver import EPS, make, round_to, run

from minds import _core

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
REALS = INTS + FLOATS


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    if dtype in FLOATS:
        return round_to(rng.standard_normal(shape), dtype)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    return rng.integers(0, 100, shape).astype(dtype)


def indices(shape, bound, dtype="int64", seed=1):
    low = 0 if dtype.startswith("u") else -bound
    return np.random.default_rng(seed).integers(low, bound, shape).astype(dtype)


def assert_added(got, want, dtype):
    """Sums in the order of the indices: exact for integers, a rounding per result for floats."""
    if dtype in INTS:
        np.testing.assert_array_equal(got, want.astype(dtype))
    else:
        np.testing.assert_allclose(got, want, rtol=EPS[dtype], atol=2 * EPS[dtype])


GATHERS = [
    ((5,), (3,), 0),
    ((5,), (), 0),
    ((4, 6), (2, 3), 0),
    ((4, 6), (5,), 1),
    ((3, 4, 5), (2, 2), 1),
    ((3, 4, 5), (0,), 2),
    ((300, 64), (1000,), 0),
    ((7, 300), (400,), 1),
    ((2, 3, 0), (4,), 1),
    ((50, 3), (2000,), 0),
]


@pytest.mark.parametrize("dtype", ["bool", *REALS])
@pytest.mark.parametrize(("shape", "index", "axis"), GATHERS)
def test_gather(shape, index, axis, dtype):
    x, i = numbers(shape, dtype), indices(index, shape[axis])
    want = np.take(x, i, axis, mode="wrap")
    got = run("gather", [(x, dtype), (i, "int64")], [(want.shape, dtype)], axis=axis)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", INTS)
def test_gather_by_every_integer(dtype):
    x, i = numbers((9, 2), "float32"), indices((6,), 9, dtype)
    got = run("gather", [(x, "float32"), (i, dtype)], [((6, 2), "float32")], axis=0)
    np.testing.assert_array_equal(got, x[i.astype("int64")])


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize(("shape", "index", "axis"), GATHERS)
def test_gather_dx(shape, index, axis, dtype):
    i = indices(index, shape[axis])
    out_shape = shape[:axis] + index + shape[axis + 1 :]
    dout = numbers(out_shape, dtype)
    want = np.zeros(shape, "float64" if dtype in FLOATS else "int64")
    key = (slice(None),) * axis + (i,)
    np.add.at(want, key, dout.astype(want.dtype))
    got = run("gather_dx", [(dout, dtype), (i, "int64")], [(shape, dtype)], shape=shape, axis=axis)
    assert_added(got, want, dtype)


def along(shape, dim, index_shape, bound, seed=1):
    i = indices(index_shape, bound, seed=seed)
    grid = list(np.indices(index_shape, sparse=True))
    grid[dim] = i
    return i, tuple(grid)


ALONG = [
    ((5,), 0, (7,)),
    ((4, 6), 0, (3, 6)),
    ((4, 6), 1, (2, 9)),
    ((3, 4, 5), 1, (3, 6, 2)),
    ((200, 300), 1, (200, 300)),
    ((30, 500), 0, (100, 500)),
    ((3, 4), 1, (3, 0)),
]


@pytest.mark.parametrize("dtype", ["bool", *REALS])
@pytest.mark.parametrize(("shape", "dim", "index_shape"), ALONG)
def test_gather_d(shape, dim, index_shape, dtype):
    x = numbers(shape, dtype)
    i, key = along(shape, dim, index_shape, shape[dim])
    got = run("gather_d", [(x, dtype), (i, "int64")], [(index_shape, dtype)], dim=dim)
    np.testing.assert_array_equal(got, x[key])


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("larger", [0, 2])
@pytest.mark.parametrize(("shape", "dim", "index_shape"), ALONG)
def test_scatter_add_d(shape, dim, index_shape, larger, dtype):
    x, src = numbers(shape, dtype), numbers(tuple(n + larger for n in index_shape), dtype, 2)
    i, key = along(shape, dim, index_shape, shape[dim])
    want = x.astype("float64" if dtype in FLOATS else "int64")
    np.add.at(want, key, src[tuple(slice(n) for n in index_shape)].astype(want.dtype))
    got = run("scatter_add_d", [(x, dtype), (i, "int64"), (src, dtype)], [(shape, dtype)], dim=dim)
    assert_added(got, want, dtype)


POINTS = [
    ((5,), (4, 1)),
    ((4, 5), (3, 1)),
    ((4, 5), (3, 2)),
    ((4, 5), (2, 3, 2)),
    ((4, 5), (3, 0)),
    ((3, 4, 5), (2, 2)),
    ((3, 4), (0, 2)),
    ((4, 5), (2,)),
    ((40, 30, 8), (900, 2)),
    ((2000, 2), (700, 1)),
]


def points(shape, index_shape, seed=1):
    rng = np.random.default_rng(seed)
    i = np.stack(
        [rng.integers(-n, n, index_shape[:-1]) for n in shape[: index_shape[-1]]]
        or [np.empty(index_shape)],
        -1,
    )
    i = i.reshape(index_shape).astype("int32")
    return i, tuple(np.moveaxis(i, -1, 0)), index_shape[:-1] + shape[index_shape[-1] :]


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "float64"])
@pytest.mark.parametrize(("shape", "index_shape"), POINTS)
def test_gather_nd(shape, index_shape, dtype):
    x = numbers(shape, dtype)
    i, key, out_shape = points(shape, index_shape)
    want = x[key] if key else np.broadcast_to(x, out_shape)
    np.testing.assert_array_equal(
        run("gather_nd", [(x, dtype), (i, "int32")], [(out_shape, dtype)]), want
    )


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize(("shape", "index_shape"), POINTS)
def test_scatter_nd(shape, index_shape, dtype):
    i, key, update_shape = points(shape, index_shape)
    updates = numbers(update_shape, dtype)
    want = np.zeros(shape, "float64" if dtype in FLOATS else "int64")
    if key:
        np.add.at(want, key, updates.astype(want.dtype))
    else:
        want += updates.sum(0).astype(want.dtype)
    got = run("scatter_nd", [(i, "int32"), (updates, dtype)], [(shape, dtype)], shape=shape)
    assert_added(got, want, dtype)


OPERATIONS = {
    "update": lambda a, b: b,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b if isinstance(a, float) else int(a / b) if b else 0,
    "max": lambda a, b: max(a, b),
    "min": lambda a, b: min(a, b),
}


def wrapped(info, value):
    """A Python integer as the dtype holds it."""
    return (value - info.min) % 2**info.bits + info.min


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("mode", OPERATIONS)
@pytest.mark.parametrize(("shape", "index_shape"), POINTS[:7])
def test_tensor_scatter(shape, index_shape, mode, dtype):
    i, key, update_shape = points(shape, index_shape)
    x, updates = numbers(shape, dtype), numbers(update_shape, dtype, 2)
    want = x.astype("float64" if dtype in FLOATS else object)
    flat = [tuple(p) for p in np.stack(key, -1).reshape(-1, len(key))] if key else [()] * len(i)
    for at, row in zip(flat, updates.reshape((len(flat),) + shape[len(key) :]), strict=True):
        want[at] = np.vectorize(OPERATIONS[mode], otypes=[want.dtype])(
            want[at], row.astype(want.dtype)
        )
        if dtype in INTS:
            want[at] = np.vectorize(partial(wrapped, np.iinfo(dtype)), otypes=[object])(want[at])
    got = run(
        "tensor_scatter", [(x, dtype), (i, "int32"), (updates, dtype)], [(shape, dtype)], mode=mode
    )
    np.testing.assert_allclose(
        got,
        want.astype("float64" if dtype in FLOATS else dtype),
        rtol=2 * EPS[dtype] if dtype in FLOATS else 0,
    )


def test_tensor_scatter_corners():
    def scatter(dtype, x, updates, mode):
        return run(
            "tensor_scatter",
            [(x, dtype), (np.zeros((len(updates), 1)), "int64"), (updates, dtype)],
            [((1,), dtype)],
            mode=mode,
        )

    assert scatter("int32", [-(2**31)], [-1], "div") == -(2**31)
    assert scatter("int32", [7], [0], "div") == 0
    assert scatter("uint16", [65535], [65535], "mul") == 1
    assert scatter("bool", [True], [False], "update") == False
    for mode in ("max", "min"):
        assert np.isnan(scatter("float32", [1.0], [np.nan, 2.0], mode))
        assert np.isnan(scatter("bfloat16", [np.nan], [2.0], mode))
    # 2048 + 1 is 2048 in float16: only an accumulator in float32 gets there.
    assert scatter("float16", [2048.0], [1.0] * 8, "add") == 2056


def fails(error, message, op, operands, out, **attrs):
    with pytest.raises(error, match=message) as caught:
        run(op, operands, [out], **attrs)
    assert isinstance(caught.value, _core.Error)


@pytest.mark.parametrize("bad", [4, -5, 2**40, -(2**63)])
def test_index_errors(bad):
    x, i = (np.zeros((4, 4)), "float32"), (np.array([0, 1, bad, -4]), "int64")
    row = (np.zeros((4, 4)), "float32")
    message = f"index {bad} "
    fails(
        IndexError,
        message + "at position 2 is out of range for an axis of size 4",
        "gather",
        [x, i],
        ((4, 4), "float32"),
        axis=0,
    )
    fails(IndexError, message, "gather_dx", [row, i], ((4, 4), "float32"), shape=(4, 4), axis=0)
    square = (np.broadcast_to(i[0], (4, 4)), "int64")
    fails(IndexError, message, "gather_d", [x, square], ((4, 4), "float32"), dim=1)
    fails(IndexError, message, "scatter_add_d", [x, square, row], ((4, 4), "float32"), dim=0)
    pairs = (np.array([[0, 1], [2, bad]]), "int64")
    two = (np.zeros(2), "float32")
    message += "for axis 1 in point 1 is out of range for size 4"
    fails(IndexError, message, "gather_nd", [x, pairs], ((2,), "float32"))
    fails(IndexError, message, "scatter_nd", [pairs, two], ((4, 4), "float32"), shape=(4, 4))
    fails(IndexError, message, "tensor_scatter", [x, pairs, two], ((4, 4), "float32"), mode="add")


def test_index_errors_at_the_edges():
    fails(
        IndexError,
        "index 18446744073709551615",
        "gather",
        [(np.zeros(3), "int8"), (np.array([2**64 - 1], "uint64"), "uint64")],
        ((1,), "int8"),
        axis=0,
    )
    fails(
        IndexError,
        "axis of size 0",
        "gather",
        [(np.zeros((0, 2)), "int8"), (np.array([0]), "int32")],
        ((1, 2), "int8"),
        axis=0,
    )
    fails(
        IndexError,
        "for size 0",
        "gather_nd",
        [(np.zeros((0,)), "int8"), (np.array([[0]]), "int32")],
        ((1,), "int8"),
    )


F, L = "float32", "int64"
REFUSED = {
    "gather by floats": (
        TypeError,
        "expected an integer",
        "gather",
        [((3,), F), ((2,), F)],
        ((2,), F),
        {"axis": 0},
    ),
    "gather beyond": (
        ValueError,
        "axis 1 is out of range",
        "gather",
        [((3,), F), ((2,), L)],
        ((2,), F),
        {"axis": 1},
    ),
    "gather to another shape": (
        ValueError,
        "output has shape",
        "gather",
        [((3,), F), ((2,), L)],
        ((3,), F),
        {"axis": 0},
    ),
    "gather_dx of another shape": (
        ValueError,
        "dout has shape",
        "gather_dx",
        [((3,), F), ((2,), L)],
        ((3,), F),
        {"axis": 0, "shape": (3,)},
    ),
    "gather_d of another rank": (
        ValueError,
        "does not fit",
        "gather_d",
        [((3, 2), F), ((2,), L)],
        ((2,), F),
        {"dim": 0},
    ),
    "gather_d of a larger index": (
        ValueError,
        "does not fit",
        "gather_d",
        [((3, 2), F), ((3, 3), L)],
        ((3, 3), F),
        {"dim": 0},
    ),
    "scatter_add_d of a small src": (
        ValueError,
        "does not fit",
        "scatter_add_d",
        [((3,), F), ((3,), L), ((2,), F)],
        ((3,), F),
        {"dim": 0},
    ),
    "gather_nd too deep": (
        ValueError,
        "2 coordinates",
        "gather_nd",
        [((3,), F), ((1, 2), L)],
        ((1,), F),
        {},
    ),
    "gather_nd of a scalar": (
        ValueError,
        "rank 1 or more",
        "gather_nd",
        [((3,), F), ((), L)],
        ((1,), F),
        {},
    ),
    "scatter_nd of other updates": (
        ValueError,
        "updates has shape",
        "scatter_nd",
        [((2, 1), L), ((3,), F)],
        ((5,), F),
        {"shape": (5,)},
    ),
    "tensor_scatter of a mode": (
        ValueError,
        "mode 'or'",
        "tensor_scatter",
        [((3,), F), ((2, 1), L), ((2,), F)],
        ((3,), F),
        {"mode": "or"},
    ),
    "tensor_scatter adds booleans": (
        TypeError,
        "only be updated",
        "tensor_scatter",
        [((3,), "bool"), ((2, 1), L), ((2,), "bool")],
        ((3,), "bool"),
        {"mode": "add"},
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    error, message, op, inputs, output, attrs = REFUSED[case]
    with pytest.raises(error, match=message):
        make(op, inputs, [output], **attrs)


def test_scatter_does_not_depend_on_threads():
    def bits(threads):
        _core.set_num_threads(threads)
        dout, i = numbers((60_000, 8), "float32"), indices((60_000,), 50)
        flat = run(
            "gather_dx",
            [(dout, "float32"), (i, "int64")],
            [((50, 8), "float32")],
            shape=(50, 8),
            axis=0,
        )
        other = run(
            "gather_dx",
            [(dout.T, "float32"), (i, "int64")],
            [((8, 50), "float32")],
            shape=(8, 50),
            axis=1,
        )
        return flat.tobytes() + other.tobytes()

    before = _core.get_num_threads()
    try:
        assert bits(1) == bits(2) == bits(3)
    finally:
        _core.set_num_threads(before)
