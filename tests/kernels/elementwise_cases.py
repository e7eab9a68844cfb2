"""What the tests of elementwise kernels share: references, shapes, numbers of every kind."""

from __future__ import annotations

import numpy as np
from driver import round_to
from scipy import special

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
    "sign": (lambda x: np.sign(np.nan_to_num(x, posinf=1, neginf=-1)), 0),  # of a NaN it is 0
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


def numbers(dtype: str) -> np.ndarray:
    """Values of every magnitude, and the special ones, that ``dtype`` holds exactly; float64."""
    random = np.random.default_rng(0)
    magnitude = (
        10 ** random.uniform(-45, 38, 4000)
        if dtype != "float16"
        else 10 ** random.uniform(-8, 4.8, 4000)
    )
    x = np.concatenate(
        [
            random.uniform(-20, 20, 8000),
            random.uniform(-110, 110, 8000),
            magnitude,
            -magnitude,
            SPECIAL,
        ]
    )
    return round_to(x.astype(np.float64 if dtype == "float64" else np.float32), dtype).astype(
        np.float64
    )


def sample(shape, dtype: str, random) -> np.ndarray:
    """Numbers of the whole range of an integer dtype; normal and special values of a float one."""
    if dtype == "bool":
        return random.random(shape) < 0.5
    if dtype in INTS:
        ends = np.iinfo(dtype)
        return np.asarray(
            random.integers(ends.min, ends.max, shape, np.dtype(dtype), endpoint=True)
        )
    x = np.asarray(round_to(random.standard_normal(shape) * 3, dtype))
    if x.size > 10:
        x.reshape(-1)[random.integers(0, x.size, 5)] = [np.nan, np.inf, -np.inf, -0.0, 1.0]
    return x


def assert_ulp(got, want, dtype: str, most: float) -> None:
    """``got`` differs from the float64 ``want`` by at most ``most`` units of the last place of
    ``dtype``.
    """
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
