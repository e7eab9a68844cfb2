"""one_hot, nll and nll_dx against NumPy."""

import numpy as np
import pytest
from driver import make, round_to, run

from minds import _core

FLOATS = ["float16", "bfloat16", "float32", "float64"]
F, L = "float32", "int64"


@pytest.mark.parametrize("value", ["bool", "int32", "float16", "bfloat16", "float32"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "uint64"])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((), 0), ((4,), 0), ((4,), 1), ((4,), -1), ((2, 3), 1), ((0, 2), 0), ((500,), 1)],
)
def test_one_hot(shape, axis, dtype, value):
    i = np.random.default_rng(0).integers(0 if dtype[0] == "u" else -3, 9, shape).astype(dtype)
    on, off = (True, False) if value == "bool" else (5, -2) if value == "int32" else (0.5, -0.25)
    eye = np.where(
        np.expand_dims(i.astype("int64"), axis if axis >= 0 else i.ndim)
        == np.arange(6).reshape([6 if d == axis % (i.ndim + 1) else 1 for d in range(i.ndim + 1)]),
        on,
        off,
    )
    got = run(
        "one_hot",
        [(i, dtype), (np.array(on), value), (np.array(off), value)],
        [(eye.shape, value)],
        depth=6,
        axis=axis,
    )
    np.testing.assert_array_equal(got, eye)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("target", ["int32", "int64", "uint8"])
@pytest.mark.parametrize(("rows", "classes"), [(1, 1), (5, 10), (0, 3), (3000, 40)])
def test_nll(rows, classes, target, dtype):
    logp, t = (
        round_to(np.random.default_rng(1).standard_normal((rows, classes)), dtype),
        np.random.default_rng(0).integers(0, classes, rows).astype(target),
    )
    got = run("nll", [(logp, dtype), (t, target)], [((rows,), dtype)])
    np.testing.assert_array_equal(got, -logp[np.arange(rows), t])
    dout = round_to(np.random.default_rng(2).standard_normal(rows), dtype)
    want = np.zeros_like(logp)
    want[np.arange(rows), t] = -dout
    np.testing.assert_array_equal(
        run("nll_dx", [(dout, dtype), (t, target)], [((rows, classes), dtype)], classes=classes),
        want,
    )


def fails(message, op, operands, out, **attrs):
    with pytest.raises(ValueError, match=message) as caught:
        run(op, operands, [out], **attrs)
    assert isinstance(caught.value, _core.Error)


@pytest.mark.parametrize("bad", [10, 12, -1, 2**62])
def test_class_errors(bad):
    t = (np.array([0, 9, 3, bad]), "int64")
    message = rf"class id {bad} at position 3 is out of range \[0, 10\)"
    fails(message, "nll", [(np.zeros((4, 10)), "float32"), t], ((4,), "float32"))
    fails(message, "nll_dx", [(np.zeros(4), "float32"), t], ((4, 10), "float32"), classes=10)


REFUSED = {
    "one_hot of no scalar": (
        ValueError,
        "on_value has shape",
        "one_hot",
        [((3,), L), ((1,), F), ((), F)],
        ((3, 4), F),
        {"depth": 4, "axis": -1},
    ),
    "one_hot beyond": (
        ValueError,
        "axis is out of range",
        "one_hot",
        [((3,), L), ((), F), ((), F)],
        ((3, 4), F),
        {"depth": 4, "axis": 2},
    ),
    "nll of rank 3": (
        ValueError,
        "expected rank 2",
        "nll",
        [((3, 4, 5), F), ((3,), L)],
        ((3,), F),
        {},
    ),
    "nll of other rows": (
        ValueError,
        "target has shape",
        "nll",
        [((3, 4), F), ((2,), L)],
        ((3,), F),
        {},
    ),
    "nll of float classes": (
        TypeError,
        "expected an integer",
        "nll",
        [((3, 4), F), ((3,), F)],
        ((3,), F),
        {},
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    error, message, op, inputs, output, attrs = REFUSED[case]
    with pytest.raises(error, match=message):
        make(op, inputs, [output], **attrs)
