"""Rows of elementwise ops."""

import math

import numpy as np
import scipy.special as special
from rows import INTS, Row, bools, integers, normal, several, uniform

from minds.ops import P

S = (3, 4)
UNARY = {
    "exp": (np.exp, -2, 2),
    "expm1": (np.expm1, -1, 1),
    "log": (np.log, 0.2, 3),
    "log1p": (np.log1p, -0.5, 2),
    "sqrt": (np.sqrt, 0.2, 3),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 0.2, 3),
    "reciprocal": (lambda x: 1 / x, 0.4, 3),
    "square": (np.square, -2, 2),
    "neg": (np.negative, -2, 2),
    "abs": (np.abs, -2, 2),
    "tanh": (np.tanh, -2, 2),
    "sigmoid": (special.expit, -3, 3),
    "relu": (lambda x: np.maximum(x, 0), -2, 2),
    "sin": (np.sin, -3, 3),
    "cos": (np.cos, -3, 3),
    "tan": (np.tan, -1, 1),
    "asin": (np.arcsin, -0.8, 0.8),
    "acos": (np.arccos, -0.8, 0.8),
    "atan": (np.arctan, -2, 2),
    "sinh": (np.sinh, -2, 2),
    "cosh": (np.cosh, -2, 2),
    "asinh": (np.arcsinh, -2, 2),
    "acosh": (np.arccosh, 1.3, 3),
    "atanh": (np.arctanh, -0.8, 0.8),
    "erf": (special.erf, -2, 2),
    "erfc": (special.erfc, -1, 1),
    "lgamma": (special.gammaln, 2.5, 5),
    "digamma": (special.digamma, 2, 5),
}
KINKED = np.array([-4.2, -3.3, -1.1, -0.2, 0.4, 1.3, 2.9, 6.7])
ACTIVATIONS = [
    ("gelu", lambda x: x * special.ndtr(x), ()),
    (
        "gelu",
        lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
        ("tanh",),
    ),
    ("fast_gelu", lambda x: x * special.expit(1.702 * x), ()),
    ("silu", lambda x: x * special.expit(x), ()),
    ("softplus", lambda x: np.logaddexp(x, 0), ()),
    ("softplus", lambda x: np.where(x > 1, x, np.logaddexp(2 * x, 0) / 2), (2, 2)),
    ("mish", lambda x: x * np.tanh(np.logaddexp(x, 0)), ()),
    ("elu", lambda x: np.where(x > 0, x, 0.7 * np.expm1(x)), (0.7,)),
    ("celu", lambda x: np.where(x > 0, x, 0.7 * np.expm1(x / 0.7)), (0.7,)),
    ("hardswish", lambda x: x * np.clip((x + 3) / 6, 0, 1), ()),
    ("hardsigmoid", lambda x: np.clip((x + 3) / 6, 0, 1), ()),
    ("relu6", lambda x: np.clip(x, 0, 6), ()),
]
STEPS = {
    "sign": lambda x: np.where(np.isnan(x), 0, np.sign(x)),
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.round,
    "trunc": np.trunc,
}
PREDICATES = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite}
BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "atan2": np.arctan2,
    "hypot": np.hypot,
}
COMPARE = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
}
LOGIC = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}
BITS = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}
DIVISORS = np.array([1.5, -1.5, 2.5, 0.75])
QUOTIENTS = np.array([[0.3, 1.4, -2.6, 3.2], [-0.4, -1.7, 0.6, 2.3], [1.2, 0.8, -0.3, -3.4]])
SPECIAL_VALUES = np.array([0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan, 0.5])

ROWS = [Row(n, several(uniform(lo, hi, *S)), f, slack=4) for n, (f, lo, hi) in UNARY.items()]
ROWS += [
    Row(
        n,
        several(KINKED),
        f,
        call=lambda x, n=n, more=more: getattr(P, n)(x, *more),
        note=" ".join(map(str, more)),
        slack=8,
    )
    for n, f, more in ACTIVATIONS
]
ROWS += [Row(n, several(SPECIAL_VALUES), f, grad=False) for n, f in STEPS.items()]
ROWS += [Row(n, several(SPECIAL_VALUES), f, grad=False) for n, f in PREDICATES.items()]
ROWS += [
    Row("logical_not", several(bools(*S)), np.logical_not, grad=False, dtypes=("bool",)),
    Row("bitwise_not", several(integers(0, 100, *S)), np.invert, grad=False, dtypes=INTS),
]
ROWS += [
    Row(n, several(normal(3, 1, 4), normal(2, 1)), f, note="broadcast", slack=2)
    for n, f in BINARY.items()
]
ROWS += [
    Row(
        n, several(integers(1, 9, 3, 4), integers(1, 9, 4)), f, note="ints", grad=False, dtypes=INTS
    )
    for n, f in BINARY.items()
    if n not in ("div", "atan2", "hypot")
]
ROWS += [
    Row(
        "div",
        several(integers(1, 9, 3), integers(1, 9, 3)),
        lambda x, y: (x / y).astype(np.float32),
        note="ints",
        grad=False,
        dtypes=INTS,
    ),
    Row("pow", several(uniform(0.3, 2, 3, 1), uniform(-2, 2, 4)), np.power, slack=8),
    Row(
        "pow",
        several(np.array([0.0, -1.5, 2.0, 3.0])),
        np.square,
        call=lambda x: P.pow(x, 2),
        note="square",
    ),
    Row("mod", several(QUOTIENTS * DIVISORS, DIVISORS), np.mod, slack=4),
    Row("fmod", several(QUOTIENTS * DIVISORS, DIVISORS), np.fmod, slack=4),
    Row("floor_divide", several(QUOTIENTS * DIVISORS, DIVISORS), np.floor_divide, grad=False),
    Row(
        "mod",
        several(np.array([7, -7, 7, -7]), np.array([3, 3, -3, -3])),
        np.mod,
        note="ints",
        grad=False,
        dtypes=("int8", "int32", "int64"),
    ),
    Row(
        "fmod",
        several(np.array([7, -7, 7, -7]), np.array([3, 3, -3, -3])),
        np.fmod,
        note="ints",
        grad=False,
        dtypes=("int8", "int32", "int64"),
    ),
    Row(
        "floor_divide",
        several(np.array([7, -7, 7, -7]), np.array([3, 3, -3, -3])),
        np.floor_divide,
        note="ints",
        grad=False,
        dtypes=("int8", "int32", "int64"),
    ),
]
ROWS += [
    Row(n, several(SPECIAL_VALUES, SPECIAL_VALUES[::-1].copy()), f, grad=False)
    for n, f in COMPARE.items()
]
ROWS += [
    Row(
        n, several(integers(0, 3, 3, 1), integers(0, 3, 4)), f, grad=False, note="ints", dtypes=INTS
    )
    for n, f in COMPARE.items()
]
ROWS += [
    Row(n, several(bools(3, 1), bools(4)), f, grad=False, dtypes=("bool",))
    for n, f in LOGIC.items()
]
ROWS += [
    Row(n, several(integers(0, 100, 3, 1), integers(0, 100, 4)), f, grad=False, dtypes=INTS)
    for n, f in BITS.items()
]
ROWS += [
    Row(
        "left_shift",
        several(integers(0, 4, 5), integers(0, 4, 5)),
        np.left_shift,
        grad=False,
        dtypes=INTS,
    ),
    Row(
        "right_shift",
        several(integers(0, 100, 5), integers(0, 4, 5)),
        np.right_shift,
        grad=False,
        dtypes=INTS,
    ),
    Row("select", several(bools(3, 1), normal(4), normal(3, 4)), np.where),
    Row(
        "cast",
        several(normal(3, 4)),
        lambda x: x,
        call=lambda x: P.cast(x, "float64"),
        note="widen",
    ),
    Row(
        "cast",
        several(np.array([1.7, -1.7, 0.2])),
        lambda x: np.trunc(x).astype(np.int32),
        call=lambda x: P.cast(x, "int32"),
        note="truncate",
        grad=False,
    ),
    Row("copy", several(normal(3, 4)), lambda x: x),
    Row("stop_gradient", several(normal(3, 4)), lambda x: x, grad=False),
    Row("depend", several(normal(3, 4), normal(2)), lambda x, y: x),
    Row(
        "placed",
        several(normal(3, 4)),
        lambda x: x,
        lambda x: P.placed(x, ((), ("a",)), (("a",), (2,))),
    ),
    Row("staged", several(normal(3, 4)), lambda x: x, lambda x: P.staged(x, 1)),
    Row("cotangent", several(normal(3, 4), normal(3, 4)), lambda d, x: d, grad=False),
    Row(
        "scalar_to_tensor",
        several(normal()),
        lambda x: x.astype(np.float64),
        call=lambda x: P.scalar_to_tensor(x, "float64"),
        dtypes=("float64",),
    ),
]
