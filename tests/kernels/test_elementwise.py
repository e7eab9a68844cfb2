"""Elementwise kernels against NumPy and SciPy: every dtype, special values, broadcasting, instruction sets."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zlib

import numpy as np
import pytest
from driver import CODES, make, round_to, run, to_array
from scipy import special

from minds import _core

pytestmark = pytest.mark.native
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
MANTISSA = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}
LEAST = {
    "float16": -24,
    "bfloat16": -133,
    "float32": -149,
    "float64": -1074,
}  # exponent of the least subnormal
SPECIAL = [
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    1e-45,
    -1e-45,
    3e-39,
    88.72,
    88.73,
    89.5,
    -103.9,
    -104.1,
    0.625,
    0.92,
    4.0,
    1e30,
    -1e30,
    8388607.5,
    8388608.0,
    16777217.0,
    2097152.7,
    1e-10,
]


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, 1) / (1 + e)


def lgamma(x):
    return np.where(np.isneginf(x), np.inf, special.gammaln(x))  # as C has it


# op: reference in float64, error allowed in float32 in units of the last place
UNARY = {
    "exp": (np.exp, 1.0),
    "log": (np.log, 1.0),
    "sqrt": (np.sqrt, 0.5),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 1.5),
    "tanh": (np.tanh, 2.0),
    "sigmoid": (sigmoid, 2.5),
    "sin": (np.sin, 0.51),
    "cos": (np.cos, 0.51),
    "tan": (np.tan, 0.51),
    "asin": (np.arcsin, 0.51),
    "acos": (np.arccos, 0.51),
    "atan": (np.arctan, 0.51),
    "sinh": (np.sinh, 0.51),
    "cosh": (np.cosh, 0.51),
    "asinh": (np.arcsinh, 0.51),
    "acosh": (np.arccosh, 0.51),
    "atanh": (np.arctanh, 0.51),
    "erf": (special.erf, 2.0),
    "erfc": (special.erfc, 0.51),
    "log1p": (np.log1p, 0.51),
    "expm1": (np.expm1, 0.51),
    "reciprocal": (lambda x: 1 / x, 0.5),
    "lgamma": (lgamma, 0.51),
    "digamma": (special.digamma, 0.51),
    "floor": (np.floor, 0),
    "ceil": (np.ceil, 0),
    "round": (np.round, 0),
    "trunc": (np.trunc, 0),
    "abs": (np.abs, 0),
    "neg": (np.negative, 0),
    "sign": (np.sign, 0),
    "square": (np.square, 0.5),
    "relu": (lambda x: np.where(x <= 0, 0.0, x), 0),
}
ODD = {
    "tanh",
    "erf",
    "sin",
    "tan",
    "asin",
    "atan",
    "sinh",
    "asinh",
    "atanh",
    "floor",
    "ceil",
    "round",
    "trunc",
    "expm1",
    "log1p",
    "sqrt",
    "neg",
}  # give -0 for -0, or a zero of the right sign
COMPARE = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}
EXACT = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "floor_divide": np.floor_divide,
    "mod": np.mod,
    "fmod": np.fmod,
}
BITS = {
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "left_shift": np.left_shift,
    "right_shift": np.right_shift,
}
SHAPES = [
    ((5, 7), (5, 7)),
    ((5, 7), ()),
    ((), (5, 7)),
    ((3, 1000), (1000,)),
    ((700, 3), (3,)),
    ((700, 3), (700, 1)),
    ((40, 300), (40, 1)),
    ((1, 300), (40, 1)),
    ((2, 3, 4), (3, 1)),
    ((2, 1, 4), (1, 3, 1)),
    ((0, 3), (3,)),
    ((2, 300, 1), (2, 1, 200)),
    ((5000,), (5000,)),
    ((), ()),
    ((1, 1), (1,)),
    ((6, 5, 4, 3), (5, 1, 3)),
    ((70000, 2), (2,)),
]


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def numbers(dtype: str) -> np.ndarray:
    """Values of every magnitude, and the special ones, that ``dtype`` holds exactly; float64."""
    random = np.random.default_rng(0)
    magnitude = (
        10 ** random.uniform(-45, 38, 4000) if dtype != "float16" else 10 ** random.uniform(-8, 4.8, 4000)
    )
    x = np.concatenate(
        [random.uniform(-20, 20, 8000), random.uniform(-110, 110, 8000), magnitude, -magnitude, SPECIAL]
    )
    return round_to(x.astype(np.float64 if dtype == "float64" else np.float32), dtype).astype(np.float64)


def sample(shape, dtype: str, random) -> np.ndarray:
    """Numbers of the whole range of an integer dtype; normal and special values of a float one."""
    if dtype == "bool":
        return random.random(shape) < 0.5
    if dtype in INTS:
        ends = np.iinfo(dtype)
        return np.asarray(random.integers(ends.min, ends.max, shape, np.dtype(dtype), endpoint=True))
    x = np.asarray(round_to(random.standard_normal(shape) * 3, dtype))
    if x.size > 10:
        x.reshape(-1)[random.integers(0, x.size, 5)] = [np.nan, np.inf, -np.inf, -0.0, 1.0]
    return x


def assert_ulp(got, want, dtype: str, most: float) -> None:
    """``got`` differs from the float64 ``want`` by at most ``most`` units of the last place of ``dtype``."""
    if dtype == "float64":
        np.testing.assert_allclose(got, want, rtol=most * 4e-15, atol=5e-324)
        return
    finite = np.isfinite(np.asarray(round_to(want.astype(np.float32), dtype)))
    # A result next to the largest number may go either way.
    edge = ~finite & np.isfinite(want)
    np.testing.assert_array_equal(got[~finite & ~edge], want[~finite & ~edge])
    assert (np.isinf(got[edge]) | (np.abs(got[edge]) > 6e4)).all()
    exponent = np.frexp(np.abs(want[finite]))[1] - 1 - MANTISSA[dtype]
    unit = np.ldexp(1.0, np.maximum(exponent, LEAST[dtype]))
    error = np.abs(got[finite].astype(np.float64) - want[finite]) / unit
    worst = error.argmax()
    assert error[worst] <= most, f"{error[worst]} units at {want[finite][worst]}"


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", UNARY)
def test_unary_floats(op, dtype):
    reference, most = UNARY[op]
    x = numbers(dtype)
    got = run(op, [(x, dtype)], [(x.shape, dtype)])
    want = np.asarray(reference(x), np.float64)
    assert (np.isnan(got) == np.isnan(want)).all()
    halves = 0.01 * (most > 0)  # a narrow result is rounded from a float32 one
    if dtype == "float64" and op in ("digamma", "lgamma", "erfc"):  # SciPy's own error
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)
    else:
        assert_ulp(got, want, dtype, most if dtype in ("float32", "float64") else min(most, 0.5) + halves)
    if op in ODD:
        there = ~np.isnan(want)
        assert (np.signbit(got[there]) == np.signbit(want[there])).all()


@pytest.mark.parametrize("dtype", FLOATS + INTS + ["bool"])
@pytest.mark.parametrize("op", ["isnan", "isinf", "isfinite", "logical_not"])
def test_classification(op, dtype):
    x = sample((1000,), dtype, np.random.default_rng(1))
    assert (run(op, [(x, dtype)], [(x.shape, "bool")]) == getattr(np, op)(x)).all()


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize(
    "op, reference",
    [
        ("abs", np.abs),
        ("neg", np.negative),
        ("sign", np.sign),
        ("square", np.square),
        ("relu", lambda x: np.maximum(x, 0)),
        ("bitwise_not", np.bitwise_not),
    ],
)
def test_unary_integers(op, reference, dtype):
    ends = np.iinfo(dtype)
    x = np.append(
        sample((500,), dtype, np.random.default_rng(2)), np.array([ends.min, ends.max, 0, 1], dtype)
    )
    np.testing.assert_array_equal(run(op, [(x, dtype)], [(x.shape, dtype)]), reference(x))


@pytest.mark.parametrize("dtype", INTS + FLOATS)
@pytest.mark.parametrize("op", [*EXACT, *COMPARE])
def test_binary(op, dtype):
    reference = EXACT.get(op) or COMPARE[op]
    random = np.random.default_rng(zlib.crc32((op + dtype).encode()))
    for left, right in SHAPES:
        a, b = sample(left, dtype, random), sample(right, dtype, random)
        if dtype in INTS and op in ("floor_divide", "mod", "fmod"):
            b = np.where(b == 0, 1, b).astype(dtype)
        shape = np.broadcast_shapes(left, right)
        out = "bool" if op in COMPARE else dtype
        got = run(op, [(a, dtype), (b, dtype)], [(shape, out)])
        wide = np.float32 if dtype in ("float16", "bfloat16") else a.dtype
        want = reference(a.astype(wide), b.astype(wide))
        np.testing.assert_array_equal(
            got, want if out == "bool" else round_to(want, dtype), f"{left} {right}"
        )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op, reference", [("div", np.divide), ("pow", np.power), ("atan2", np.arctan2)])
def test_binary_floats(op, reference, dtype):
    random = np.random.default_rng(3)
    for left, right in SHAPES:
        a, b = sample(left, dtype, random), sample(right, dtype, random)
        got = run(op, [(a, dtype), (b, dtype)], [(np.broadcast_shapes(left, right), dtype)])
        want = reference(a.astype(np.float64), b.astype(np.float64))
        if dtype != "float64":
            want = round_to(want.astype(np.float32), dtype)
        np.testing.assert_allclose(got, want, rtol=2.0 ** -MANTISSA[dtype], atol=2.0 ** LEAST[dtype])


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("op", BITS)
def test_bits(op, dtype):
    random = np.random.default_rng(4)
    for left, right in SHAPES[:8]:
        a, b = sample(left, dtype, random), sample(right, dtype, random)  # most shifts are out of range
        if "shift" in op:
            b = np.where(random.random(right) < 0.5, b % 64, b).astype(dtype)
        got = run(op, [(a, dtype), (b, dtype)], [(np.broadcast_shapes(left, right), dtype)])
        np.testing.assert_array_equal(got, BITS[op](a, b))


@pytest.mark.parametrize(
    "op, reference",
    [
        ("add", np.logical_or),
        ("mul", np.logical_and),
        ("maximum", np.logical_or),
        ("minimum", np.logical_and),
        ("bitwise_and", np.logical_and),
        ("bitwise_or", np.logical_or),
        ("bitwise_xor", np.logical_xor),
        *COMPARE.items(),
    ],
)
def test_bool(op, reference):
    a, b = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    np.testing.assert_array_equal(run(op, [(a, "bool"), (b, "bool")], [((4,), "bool")]), reference(a, b))


def test_a_bool_of_any_byte_is_true():
    odd = np.array([0, 1, 2, 255], np.uint8).view(bool)
    a = _core.Array.from_numpy(odd)
    kernel = make("logical_not", [((4,), "bool")], [((4,), "bool")])
    assert kernel(a).numpy().view(np.uint8).tolist() == [1, 0, 0, 0]
    kernel = make("cast", [((4,), "bool")], [((4,), "int32")])
    assert kernel(a).numpy().tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("op", ["floor_divide", "mod", "fmod"])
def test_integer_division_by_zero_is_an_error(op, dtype):
    with pytest.raises(ValueError, match="integer division by zero, at element 2 of the second operand"):
        run(op, [([1, 2, 3], dtype), ([1, 1, 0], dtype)], [((3,), dtype)])
    empty = run(op, [(np.zeros((0, 1)), dtype), ([0], dtype)], [((0, 1), dtype)])
    assert empty.shape == (0, 1)


@pytest.mark.parametrize("dtype", INTS[:4])
def test_the_least_integer_by_minus_one_wraps(dtype):
    least = np.iinfo(dtype).min
    for op, want in (("floor_divide", least), ("mod", 0), ("fmod", 0)):
        assert run(op, [([least], dtype), ([-1], dtype)], [((1,), dtype)])[0] == want


@pytest.mark.parametrize("dtype", INTS)
def test_integer_powers(dtype):
    a, b = np.meshgrid(np.arange(12), np.arange(12))
    got = run("pow", [(a, dtype), (b, dtype)], [(a.shape, dtype)])
    np.testing.assert_array_equal(got, np.power(a.astype(dtype), b.astype(dtype)))
    if dtype.startswith("int"):
        with pytest.raises(ValueError, match="negative integer power, at element 1"):
            run("pow", [([2, 2], dtype), ([1, -1], dtype)], [((2,), dtype)])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floor_division_and_modulo_agree_with_python(dtype):
    values = [7.0, -7.0, 0.5, -0.5, 1e10, -3.25, 0.1, 1e-30]
    a, b = (np.asarray(v, dtype) for v in zip(*[(p, q) for p in values for q in values], strict=True))
    quotient = run("floor_divide", [(a, dtype), (b, dtype)], [(a.shape, dtype)])
    rest = run("mod", [(a, dtype), (b, dtype)], [(a.shape, dtype)])
    if dtype == "float64":
        assert quotient.tolist() == [p // q for p, q in zip(a.tolist(), b.tolist(), strict=True)]
        assert rest.tolist() == [p % q for p, q in zip(a.tolist(), b.tolist(), strict=True)]
    assert ((rest == 0) | (np.sign(rest) == np.sign(b))).all()


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
        ends = np.iinfo(to)
        exact = [
            0 if v != v else ends.max if v >= ends.max else ends.min if v <= ends.min else int(v)
            for v in x.astype(np.float64).tolist()
        ]
        want = np.array(exact, to)
    else:
        want = x.astype(to)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("to", INTS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_beyond_an_integer_type_saturate(dtype, to):
    ends = np.iinfo(to)
    x = np.array([np.nan, np.inf, -np.inf, 3e38, -3e38], np.float32)
    got = run("cast", [(x, dtype)], [(x.shape, to)])
    assert got.tolist() == [0, ends.max, ends.min, ends.max, ends.min]
    edge = np.array([float(ends.max), float(ends.min)])
    if dtype == "float64":
        assert run("cast", [(edge, dtype)], [((2,), to)]).tolist() == [ends.max, ends.min]


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


def digest() -> str:
    """One number for the bits of every float kernel."""
    h = hashlib.sha256()
    random = np.random.default_rng(7)
    for dtype in FLOATS:
        x = numbers(dtype)
        with np.errstate(all="ignore"):
            for op in UNARY:
                h.update(run(op, [(x, dtype)], [(x.shape, dtype)]).tobytes())
            for op in ["div", "pow", "atan2", *EXACT, *COMPARE]:
                for left, right in SHAPES:
                    a, b = sample(left, dtype, random), sample(right, dtype, random)
                    out = "bool" if op in COMPARE else dtype
                    h.update(
                        run(op, [(a, dtype), (b, dtype)], [(np.broadcast_shapes(left, right), out)]).tobytes()
                    )
            for to in CODES:
                h.update(run("cast", [(x, dtype)], [(x.shape, to)]).tobytes())
    return h.hexdigest()


@pytest.mark.parametrize("isa", ["generic", "avx2"])
def test_instruction_sets_agree_bit_for_bit(isa, tmp_path):
    here = os.path.dirname(os.path.abspath(__file__))
    program = f"""
import sys
sys.path.insert(0, {here!r})
import test_elementwise
print(test_elementwise._core.cpu_features(), test_elementwise.digest())
"""
    out = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"MINDS_ISA": isa},
    ).stdout.split()
    assert out[0] in (isa, "generic")
    assert out[-1] == digest()
