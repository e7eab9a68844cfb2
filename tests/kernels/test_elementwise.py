"""Elementwise kernels against NumPy and SciPy: all dtypes, special values, broadcasting,
instruction sets.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zlib

import devices
import numpy as np
import pytest
from closeness import FUNCTIONS, is_exact
from driver import CODES, round_to, run
from elementwise_cases import (
    BITS,
    COMPARE,
    EXACT,
    FLOATS,
    INTS,
    LEAST,
    MANTISSA,
    ODD,
    SHAPES,
    UNARY,
    assert_ulp,
    numbers,
    sample,
)

pytestmark = pytest.mark.native


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", UNARY)
def test_unary_floats(op, dtype):
    reference, most = UNARY[op]
    if op in FUNCTIONS and not is_exact(devices.NAME):
        most = 8  # a library's float32 functions, at any operand
    x = numbers(dtype)
    got = run(op, [(x, dtype)], [(x.shape, dtype)])
    want = np.asarray(reference(x), np.float64)
    assert (np.isnan(got) == np.isnan(want)).all()
    halves = 0.01 * (most > 0)  # a narrow result is rounded from a float32 one
    if dtype == "float64" and op in ("digamma", "lgamma", "erfc"):  # SciPy's own error
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)
    else:
        assert_ulp(
            got, want, dtype, most if dtype in ("float32", "float64") else min(most, 0.5) + halves
        )
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
@pytest.mark.parametrize(
    "op, reference", [("div", np.divide), ("pow", np.power), ("atan2", np.arctan2)]
)
def test_binary_floats(op, reference, dtype):
    random = np.random.default_rng(3)
    for left, right in SHAPES:
        a, b = sample(left, dtype, random), sample(right, dtype, random)
        got = run(op, [(a, dtype), (b, dtype)], [(np.broadcast_shapes(left, right), dtype)])
        want = reference(a.astype(np.float64), b.astype(np.float64))
        if dtype != "float64":
            want = round_to(want.astype(np.float32), dtype)
        np.testing.assert_allclose(
            got, want, rtol=2.0 ** -MANTISSA[dtype], atol=2.0 ** LEAST[dtype]
        )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("exponent", [2.0, 1.0, 0.5, -1.0, -0.5, 0.0, 3.0])
def test_one_exponent_gives_what_many_give(exponent, dtype):
    """The frequent exponents have paths of their own: the same bits, and the right values at the
    edges.
    """
    x = np.concatenate(
        [numbers(dtype), round_to([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30, -3.5], dtype)]
    )
    one = run("pow", [(x, dtype), (np.asarray(exponent, x.dtype), dtype)], [(x.shape, dtype)])
    many = run(
        "pow", [(x, dtype), (np.full(x.shape, exponent, x.dtype), dtype)], [(x.shape, dtype)]
    )
    assert one.tobytes() == many.tobytes()
    # an array: NumPy too has paths of its own
    want = np.power(x.astype(np.float64), np.full(x.shape, exponent))
    want = want if dtype == "float64" else round_to(want.astype(np.float32), dtype)
    np.testing.assert_allclose(one, want, rtol=2.0 ** -MANTISSA[dtype], atol=2.0 ** LEAST[dtype])
    there = ~np.isnan(want)
    assert (np.signbit(one[there]) == np.signbit(want[there])).all()


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("op", BITS)
def test_bits(op, dtype):
    random = np.random.default_rng(4)
    for left, right in SHAPES[:8]:
        a, b = (
            sample(left, dtype, random),
            sample(right, dtype, random),
        )  # most shifts are out of range
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
    np.testing.assert_array_equal(
        run(op, [(a, "bool"), (b, "bool")], [((4,), "bool")]), reference(a, b)
    )


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("op", ["floor_divide", "mod", "fmod"])
def test_integer_division_by_zero_is_an_error(op, dtype):
    with pytest.raises(
        ValueError, match="integer division by zero, at element 2 of the second operand"
    ):
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
    a, b = (
        np.asarray(v, dtype) for v in zip(*[(p, q) for p in values for q in values], strict=True)
    )
    quotient = run("floor_divide", [(a, dtype), (b, dtype)], [(a.shape, dtype)])
    rest = run("mod", [(a, dtype), (b, dtype)], [(a.shape, dtype)])
    if dtype == "float64":
        assert quotient.tolist() == [p // q for p, q in zip(a.tolist(), b.tolist(), strict=True)]
        assert rest.tolist() == [p % q for p, q in zip(a.tolist(), b.tolist(), strict=True)]
    assert ((rest == 0) | (np.sign(rest) == np.sign(b))).all()


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
                        run(
                            op, [(a, dtype), (b, dtype)], [(np.broadcast_shapes(left, right), out)]
                        ).tobytes()
                    )
            for to in CODES:
                h.update(run("cast", [(x, dtype)], [(x.shape, to)]).tobytes())
    return h.hexdigest()


@pytest.mark.parametrize("isa", ["generic", "avx2"])
def test_instruction_sets_agree_bit_for_bit(isa, tmp_path):
    if not is_exact(devices.NAME):
        pytest.skip("of the CPU's loops")
    here = os.path.dirname(os.path.abspath(__file__))
    program = f"""
import sys
sys.path[:0] = [{here!r}, {os.path.dirname(here)!r}]
import test_elementwise
from minds import _core
print(_core.cpu_features(), test_elementwise.digest())
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
