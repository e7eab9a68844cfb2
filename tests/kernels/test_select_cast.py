"""select, cast, copy, full, and what elementwise kernels refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from driver import make, round_to, run, to_array
from elementwise_cases import FLOATS, INTS, MANTISSA, SHAPES, sample

from minds import _core

pytestmark = pytest.mark.native


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def test_a_bool_of_any_byte_is_true():
    odd = np.array([0, 1, 2, 255], np.uint8).view(bool)
    a = _core.Array.from_numpy(odd)
    kernel = make("logical_not", [((4,), "bool")], [((4,), "bool")])
    assert kernel(a).numpy().view(np.uint8).tolist() == [1, 0, 0, 0]
    kernel = make("cast", [((4,), "bool")], [((4,), "int32")])
    assert kernel(a).numpy().tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("dtype", ["bool", *INTS, *FLOATS])
def test_select(dtype):
    random = np.random.default_rng(5)
    for left, right in SHAPES:
        a, b = sample(left, dtype, random), sample(right, dtype, random)
        shape = np.broadcast_shapes(left, right)
        for cond_shape in {shape, (), left, right}:
            c = np.asarray(random.random(cond_shape) < 0.5)
            got = run("select", [(c, "bool"), (a, dtype), (b, dtype)], [(shape, dtype)])
            np.testing.assert_array_equal(got, np.where(c, a, b))


def wrapped(v: float, to: str) -> int:
    """The whole part of ``v`` as MindSpore 2.10 gives it on x86: the low bits of the int32 or int64 that
    the processor converts to, which is the least one where ``v`` does not fit.
    """
    bits = 31 if np.dtype(to).itemsize <= 2 or to == "int32" else 63
    fits = math.isfinite(v) and -(2**bits) <= int(v) < 2 ** (64 if to == "uint64" else bits)
    whole = int(v) if fits else 0 if to == "uint64" and v > 0 else -(2**bits)
    low = whole % 2 ** (8 * np.dtype(to).itemsize)
    return low - 2 ** (8 * np.dtype(to).itemsize) if low > np.iinfo(to).max else low


@pytest.mark.parametrize("to", ["bool", *INTS, *FLOATS])
@pytest.mark.parametrize("dtype", ["bool", *INTS, *FLOATS])
def test_cast(dtype, to):
    x = sample((3000,), dtype, np.random.default_rng(6))
    got = run("cast", [(x, dtype)], [(x.shape, to)], dtype=None)
    if to == "bool":
        want = x != 0
    elif to in FLOATS:
        want = round_to(x.astype(to if to != "bfloat16" else np.float32), to)
        if (
            to == "bfloat16" and dtype in ("int32", "int64", "uint32", "uint64", "float64")
        ) or to == "float16":
            # NumPy rounds twice here; ours is the nearest.
            np.testing.assert_allclose(got, want, rtol=2.0 ** -MANTISSA[to])
            return
    elif dtype in FLOATS:
        want = np.array([wrapped(v, to) for v in x.astype(np.float64).tolist()], to)
    else:
        want = x.astype(to)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("to", INTS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_beyond_an_integer_type_wrap(dtype, to):
    x = [
        0.5,
        -0.5,
        -3.0,
        200.75,
        -129.0,
        300.0,
        40000.0,
        -65535.0,
        3e9,
        -3e9,
        5e9,
        1e12,
        9e18,
        1e19,
        -1e19,
    ]
    x += [
        2.0**31,
        -(2.0**31),
        2.0**32,
        2.0**63,
        -(2.0**63),
        2.0**64,
        1e30,
        math.inf,
        -math.inf,
        math.nan,
    ]
    given = round_to(np.tile(np.array(x), 3), dtype)  # more than a vector of each type
    want = [wrapped(v, to) for v in given.astype(np.float64).tolist()]
    assert run("cast", [(given, dtype)], [(given.shape, to)]).tolist() == want


def test_cast_of_one_element_to_rank_0_and_copy():
    assert run("cast", [([[2.75]], "float32")], [((), "int64")]).item() == 2
    x = to_array(np.arange(5.0), "float32")
    y = make("copy", [((5,), "float32")], [((5,), "float32")])(x)
    assert y.data_ptr != x.data_ptr and y.numpy().tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("dtype", ["bool", *INTS, *FLOATS])
def test_full(dtype):
    for value in (0, 1, 1.0, True):
        got = run("full", [], [((70, 3), dtype)], shape=(70, 3), value=value)
        assert (got == np.float64(value)).all()


@pytest.mark.parametrize(
    "op, inputs, output, message",
    [
        (
            "add",
            [((2,), "float32"), ((2,), "float64")],
            ((2,), "float32"),
            "one dtype, got float32 and float64",
        ),
        (
            "add",
            [((2,), "float32"), ((3,), "float32")],
            ((2,), "float32"),
            r"shape \(3,\) does not broadcast to \(2,\)",
        ),
        (
            "add",
            [((1,), "float32"), ((1,), "float32")],
            ((2,), "float32"),
            r"broadcast to \(1,\), not to \(2,\)",
        ),
        (
            "less",
            [((2,), "float32"), ((2,), "float32")],
            ((2,), "float32"),
            "result must be bool, got float32",
        ),
        ("exp", [((2,), "float32")], ((3,), "float32"), "result"),
        ("exp", [((2,), "float32")], ((2,), "float64"), "result"),
        ("select", [((2,), "bool"), ((2,), "int8"), ((2,), "int16")], ((2,), "int8"), "one dtype"),
        ("cast", [((2,), "float32")], ((3,), "int8"), "cannot cast"),
    ],
)
def test_refused_signatures(op, inputs, output, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make(op, inputs, [output])
