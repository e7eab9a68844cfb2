"""Whole classes of operands for every op of a kind, in both modes, against NumPy and SciPy: complex
numbers, integers and bools, what is not finite, empty tensors, scalars and their one axis.
"""

import numpy as np
import pytest
import rows_elementwise as rows
import scipy.special as special

import minds as ms
from minds import Tensor, mint, ops
from minds.ops import P
from minds.transforms.check_grad import check_grad

UNARY = {name: fn for name, (fn, _, _) in rows.UNARY.items()}
STEPS = rows.STEPS
REAL_ONLY = {"relu", "erf", "erfc", "lgamma", "digamma", "maximum", "minimum", "atan2", "hypot"}
COMPLEX_UNARY = {n: f for n, f in UNARY.items() if n not in REAL_ONLY}
COMPLEX_UNARY |= {
    "sigmoid": lambda z: 1 / (1 + np.exp(-z)),
    "sign": np.sign,
    "real": np.real,
    "imag": np.imag,
    "conj": np.conj,
    "logical_not": np.logical_not,
    **rows.PREDICATES,
}
if np.lib.NumpyVersion(np.__version__) < "2.0.0":
    COMPLEX_UNARY["sign"] = lambda z: z / np.abs(z)
COMPLEX_BINARY = {n: f for n, f in rows.BINARY.items() if n not in REAL_ONLY}
COMPLEX_BINARY |= {"pow": np.power, "equal": np.equal, "not_equal": np.not_equal, **rows.LOGIC}
ALONG = {"sum": np.sum, "prod": np.prod, "cumsum": np.cumsum, "cumprod": np.cumprod}
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 1.5, -2.5, 1e-8, 700.0, np.inf, -np.inf, np.nan])
EVERY = rows.INTS + ("bool",)


def _both(op):
    return op, ms.jit(op)


def _wide(a):
    return a.astype({"f": np.float64, "c": np.complex128}.get(a.dtype.kind, a.dtype))


def _agree(op, fn, operands, rtol, dtype=None):
    """``op`` in both modes, against what NumPy gives for the operands in double precision."""
    with np.errstate(all="ignore"):
        expected = np.asarray(fn(*map(_wide, operands)))
    for run in _both(lambda *xs: op(*xs)):
        found = run(*map(Tensor, operands))
        assert found.shape == expected.shape
        assert dtype is None or found.dtype is dtype
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=rtol, atol=rtol, equal_nan=True)


def _complex(*shape):
    rng = np.random.default_rng(len(shape))
    return 0.7 * (rng.standard_normal(shape) + 1j * rng.standard_normal(shape))


def _agree_complex(op, fn, operands):
    """Values in both precisions, and derivatives to order 2, of the parts by the parts."""
    for dtype, rtol in ((np.complex128, 1e-12), (np.complex64, 2e-5)):
        _agree(op, fn, [a.astype(dtype) for a in operands], rtol)

    def parts(*flat):
        out = op(*[P.complex(a, b) for a, b in zip(flat[::2], flat[1::2], strict=True)])
        return (P.real(out), P.imag(out)) if out.dtype.is_complex else out

    if op(*map(Tensor, operands)).dtype.kind in "fc":
        flat = [part.copy() for a in operands for part in (a.real, a.imag)]
        check_grad(parts, flat, order=2, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", COMPLEX_UNARY)
def test_complex_unary(name):
    _agree_complex(getattr(P, name), COMPLEX_UNARY[name], [_complex(3)])


@pytest.mark.parametrize("name", COMPLEX_BINARY)
def test_complex_binary(name):
    _agree_complex(getattr(P, name), COMPLEX_BINARY[name], [_complex(2, 1), _complex(3)])


@pytest.mark.parametrize("name", ALONG)
def test_complex_along_an_axis(name):
    op, fn = getattr(P, name), ALONG[name]
    for axis in (0, -1):
        _agree_complex(
            lambda x, a=axis: op(x, a), lambda x, a=axis: fn(x, axis=a), [_complex(2, 3)]
        )


COMPOSED = {
    "mean": (ops.mean, np.mean),
    "var": (ops.var, np.var),
    "std": (ops.std, np.std),
    "std_mean": (lambda z: ops.std_mean(z)[1], np.mean),
    "sinc": (ops.sinc, np.sinc),
    "float_power": (lambda z: ops.float_power(z, 2), lambda z: np.power(z, 2)),
    "norm": (ops.norm, np.linalg.norm),
    "matmul": (lambda z: ops.matmul(z, z), lambda z: z @ z),
    "inverse": (ops.inverse, np.linalg.inv),
    "det": (ops.det, np.linalg.det),
    "eigvals": (
        lambda z: ops.sum(ops.eigvals(z) ** 3),
        lambda z: (np.linalg.eigvals(z) ** 3).sum(),
    ),
    "gather": (lambda z: ops.gather(z, Tensor([1, 0, 1]), 0), lambda z: z[[1, 0, 1]]),
    "getitem": (lambda z: z[::2, 1:], lambda z: z[::2, 1:]),
    "pad": (lambda z: P.pad(z, ((1, 0), (0, 2)), 0), lambda z: np.pad(z, ((1, 0), (0, 2)))),
    "cov": (ops.cov, np.cov),
    "tril": (lambda z: ops.tril(z), np.tril),
    "numpy.sum": (ms.numpy.sum, np.sum),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_complex_composed(name):
    _agree_complex(*COMPOSED[name], [_complex(3, 3)])


def test_from_real_to_complex_and_back():
    """A cast, arithmetic of both and a sum in a complex dtype pass the real part on."""
    x, z = np.array([0.5, -1.5, 2.0]), _complex(3)
    cases = (
        lambda x: P.cast(x, "complex128") * Tensor(z),
        lambda x: x * Tensor(z) + x,
        lambda x: Tensor(z) / x - 2j,
        lambda x: x ** Tensor(z),
        lambda x: ops.sum(x * x, dtype=ms.complex128) * Tensor(z),
        lambda x: P.cast(x * Tensor(z), "float64"),
        lambda x: ops.abs(x + 1j),
    )
    for case in cases:
        check_grad(
            lambda x, f=case: (ops.real(f(x)), ops.imag(f(x))), [np.abs(x)], order=2, rtol=1e-5
        )
    assert (Tensor([0.1], ms.float64) * 0.1j).dtype is ms.complex128
    for run in _both(lambda x: (x * 2j, 2j + x, x != 1j)):
        a, b, c = run(Tensor([1.0, 2.0]))
        assert a.dtype is b.dtype is ms.complex64 and a.tolist() == [2j, 4j] and all(c.tolist())


# ---- integers and bools


@pytest.mark.parametrize("dtype", EVERY)
@pytest.mark.parametrize("name", [*UNARY, *STEPS])
def test_whole_numbers(name, dtype):
    """What has no whole values is computed as float32, other ops give the dtype of the operand."""
    fn = {**UNARY, **STEPS}[name]
    if dtype == "bool" and name in ("square", "neg", "relu", *STEPS):
        with pytest.raises(TypeError, match="must be numeric, got bool"):
            getattr(P, name)(Tensor([True]))
        return
    x = np.array([0, 1]).astype(bool) if dtype == "bool" else np.array([1, 2, 3, 5]).astype(dtype)
    x = -x if dtype == "int32" else x
    whole = name in ("square", "neg", "abs", "relu", *STEPS)
    wide = x if whole and name != "relu" else x.astype(np.float64)
    with np.errstate(all="ignore"):
        expected = fn(wide)
    for run in _both(getattr(P, name)):
        found = run(Tensor(x))
        assert found.dtype.name == (dtype if whole else "float32")
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "maximum", "minimum", "mod", "fmod"])
def test_whole_numbers_wrap(name):
    """Two's complement at both ends of every integer dtype."""
    fn = {**rows.BINARY, "mod": np.mod, "fmod": np.fmod}[name]
    for dtype in rows.INTS:
        ends = np.iinfo(dtype)
        x = np.array([ends.min, ends.max, ends.max, 3], dtype)
        y = np.array([1, ends.max, 2, 2], dtype)
        _agree(getattr(P, name), fn, [x, y], 0)


def test_bools():
    """`+` is or, `*` is and, as for NumPy; the absolute value is itself; there is no difference."""
    a, b = np.array([True, True, False, False]), np.array([True, False, True, False])
    for op in (P.add, ops.add, mint.add, lambda x, y: x + y):
        _agree(op, np.logical_or, [a, b], 0, ms.bool_)
    for op in (P.mul, ops.mul, mint.mul, lambda x, y: x * y):
        _agree(op, np.logical_and, [a, b], 0, ms.bool_)
    _agree(ops.abs, np.abs, [a], 0, ms.bool_)
    for run in _both(lambda x: (x + 1, x * 2.5, x + True)):
        one, half, true = run(Tensor(a))
        assert (one.dtype, half.dtype, true.dtype) == (ms.int64, ms.float32, ms.bool_)
    for op in (P.sub, lambda x, y: x - y):
        with pytest.raises(TypeError, match="sub: input must be numeric, got bool"):
            op(Tensor(a), Tensor(b))
    for run in _both(lambda m, n: (m + n, m * n)):
        assert run(True, True) == (2, 1)  # Python's


def test_whole_numbers_of_composites():
    """Nothing wraps that the result could hold."""
    for dtype in ("int8", "uint8", "int32"):
        x = np.array([3, 1, 120, 7], dtype)
        _agree(lambda x: ops.logsumexp(x, 0), special.logsumexp, [x], 1e-6, ms.float32)
        _agree(mint.nan_to_num, np.nan_to_num, [x], 0)
        _agree(ops.isclose, np.isclose, [x, x[::-1].copy()], 0, ms.bool_)
        _agree(ops.copysign, np.copysign, [x, np.array([-1, 1, 0, -2]).astype(dtype)], 0)
        _agree(lambda x: mint.cumprod(x, 0), np.cumprod, [x], 0, ms.int64)
        _agree(lambda x: ms.numpy.cumsum(x), np.cumsum, [x], 0)
        for name in ("sum", "cumprod", "prod"):
            _agree(getattr(ms.numpy, name), getattr(np, name), [x], 0)
        _agree(ms.numpy.trace, np.trace, [np.full((3, 3), 100, dtype)], 0, ms.int64)
        _agree(lambda x: mint.div(x, 2, rounding_mode="trunc"), lambda x: np.trunc(x / 2), [x], 0)
    limits = np.array([0.5, 1.5, 2.5, 3.5], np.float32)
    _agree(ops.clamp, np.maximum, [np.array([0, 3, 1, 9], np.int8), limits], 0, ms.float32)
    for run in _both(lambda v: mint.outer(v, 2.0)):
        for dtype in (ms.float16, ms.float32, ms.float64):
            out = run(Tensor([1.0, 3.0], dtype))
            assert out.dtype is dtype and out.tolist() == [[2.0], [6.0]]


# ---- what is not finite


NOT_FINITE = {
    **{n: (getattr(P, n), f) for n, f in {**UNARY, **STEPS, **rows.PREDICATES}.items()},
    "signbit": (ops.signbit, lambda x: np.signbit(x) & ~np.isnan(x)),
    "nan_to_num": (ops.nan_to_num, np.nan_to_num),
    "hardshrink": (ops.hardshrink, lambda x: np.where(np.abs(x) <= 0.5, 0, x)),
    "hardtanh": (ops.hardtanh, lambda x: np.clip(x, -1, 1)),
    "relu6": (ops.relu6, lambda x: np.clip(x, 0, 6)),
    "softplus": (ops.softplus, lambda x: np.logaddexp(x, 0)),
    "logsigmoid": (ops.logsigmoid, special.log_expit),
    "exp2": (ops.exp2, np.exp2),
    "sinc": (ops.sinc, np.sinc),
    "isposinf": (ops.isposinf, np.isposinf),
    "isneginf": (ops.isneginf, np.isneginf),
    "log2": (ops.log2, np.log2),
    "log10": (ops.log10, np.log10),
    "tanhshrink": (ops.tanhshrink, lambda x: x - np.tanh(x)),
}
NOT_FINITE_TWO = {
    **{n: (getattr(P, n), f) for n, f in {**rows.BINARY, **rows.COMPARE}.items()},
    "pow": (P.pow, np.power),
    "mod": (P.mod, np.mod),
    "fmod": (P.fmod, np.fmod),
    "logaddexp": (ops.logaddexp, np.logaddexp),
    "logaddexp2": (ops.logaddexp2, np.logaddexp2),
    "copysign": (ops.copysign, np.copysign),
    "fmax": (ops.fmax, np.fmax),
    "fmin": (ops.fmin, np.fmin),
    "heaviside": (ops.heaviside, np.heaviside),
    "xlogy": (ops.xlogy, special.xlogy),
    "isclose": (ops.isclose, np.isclose),
    "nextafter": (ops.nextafter, np.nextafter),
    "ldexp": (ops.ldexp, lambda x, y: x * np.exp2(y)),
}
POLES = ("lgamma", "digamma", "rsqrt")  # whose limits at a pole SciPy takes from another side


@pytest.mark.parametrize("name", NOT_FINITE)
def test_not_finite(name):
    op, fn = NOT_FINITE[name]
    keep = ~np.isin(SPECIAL, [0.0, -1.0, -np.inf]) if name in POLES else slice(None)
    _agree(op, fn, [SPECIAL[keep]], 1e-12)


@pytest.mark.parametrize("name", NOT_FINITE_TWO)
def test_not_finite_of_two(name):
    op, fn = NOT_FINITE_TWO[name]
    _agree(op, fn, [SPECIAL[:, None], SPECIAL[None]], 1e-12)


def test_statistics_of_nan():
    """A nan is the result, or is skipped; its position is that of the first."""
    x = np.array([[3.0, 1.0, 2.0], [3.0, np.nan, 1.0], [np.nan, np.nan, 2.0]], np.float32)
    for median in (ops.median, mint.median, lambda v, a: v.median(a)):
        for run in _both(lambda v, f=median: f(v, 1)):
            values, index = run(Tensor(x))
            np.testing.assert_array_equal(values.asnumpy(), [2.0, np.nan, np.nan])
            np.testing.assert_array_equal(index.asnumpy(), [2, 1, 0])
    for run in _both(lambda v: ops.nanmedian(v, 1)):
        np.testing.assert_array_equal(run(Tensor(x))[0].asnumpy(), [2.0, 1.0, 2.0])
    assert np.isnan(float(mint.median(Tensor(x))))
    _agree(ops.hypot, np.hypot, [np.array([3e200, 0.0]), np.array([4e200, 0.0])], 1e-14)
    zero = Tensor([0.0])
    assert ms.grad(ops.hypot, (0, 1))(zero, zero)[0].tolist() == [0.0]


# ---- empty tensors, scalars


@pytest.mark.parametrize("name", [*UNARY, *STEPS, *rows.BINARY, *rows.COMPARE])
def test_empty_and_scalar(name):
    fn = {**UNARY, **STEPS, **rows.BINARY, **rows.COMPARE}[name]
    two = name in rows.BINARY or name in rows.COMPARE
    for x in (np.zeros((0, 3), np.float32), np.array(0.5, np.float32)):
        _agree(getattr(P, name), fn, [x, x] if two else [x], 1e-5)


AXES = {
    "sum": lambda x, a: ops.sum(x, a),
    "prod": lambda x, a: ops.prod(x, a),
    "mean": lambda x, a: ops.mean(x, a),
    "amax": lambda x, a: ops.amax(x, a),
    "amin": lambda x, a: mint.amin(x, a),
    "max": lambda x, a: ops.max(x, a)[0],
    "min": lambda x, a: mint.min(x, a)[0],
    "logsumexp": lambda x, a: ops.logsumexp(x, a),
    "cumsum": lambda x, a: ops.cumsum(x, a),
    "cumprod": lambda x, a: ops.cumprod(x, a),
    "cummax": lambda x, a: ops.cummax(x, a)[0],
    "sort": lambda x, a: ops.sort(x, a)[0],
    "gather": lambda x, a: mint.gather(x, a, Tensor(0)),
    "median": lambda x, a: ops.median(x, a)[0],
    "nanmedian": lambda x, a: ops.nanmedian(x, a)[0],
    "flip": lambda x, a: ops.flip(x, (a,)),
    "roll": lambda x, a: ops.roll(x, 1, a),
    "squeeze": lambda x, a: mint.squeeze(x, a),
    "movedim": lambda x, a: ops.movedim(x, a, 0),
}
ZERO = {
    "argmax": lambda x, a: ops.argmax(x, a),
    "argmin": lambda x, a: ops.argmin(x, a),
    "argsort": lambda x, a: ops.argsort(x, a),
    "log_softmax": lambda x, a: ops.log_softmax(x, a),
}


@pytest.mark.parametrize("name", [*AXES, *ZERO, "softmax", "all"])
def test_the_axis_of_a_scalar(name):
    """A scalar has the axis 0, which is -1 too, and no other."""
    call = {**AXES, **ZERO, "softmax": ops.softmax, "all": lambda x, a: ops.all(x, a)}[name]
    expected = 2.5 if name in AXES else 0 if name in ZERO else 1
    for axis in (0, -1):
        for run in _both(lambda x, a=axis: call(x, a)):
            found = run(Tensor(2.5))
            assert found.shape == () and found.item() == expected
    with pytest.raises((ValueError, IndexError)):
        call(Tensor(2.5), 1)


def test_norms():
    """`mint.norm` is the Frobenius norm of matrices, and with a number that of vectors."""
    x = np.random.default_rng(0).standard_normal((3, 4))
    flat = x.ravel()
    for op in (mint.norm, mint.linalg.norm, ops.norm, lambda v: v.norm(), ms.numpy.norm):
        _agree(op, np.linalg.norm, [x], 1e-12)
    for p in (0, 1, 2, 3, np.inf, -np.inf):
        for op in (mint.norm, ops.vector_norm, mint.linalg.vector_norm):
            _agree(lambda v, f=op, p=p: f(v, p), lambda v, p=p: np.linalg.norm(flat, p), [x], 1e-12)
            _agree(
                lambda v, f=op, p=p: f(v, p, 1), lambda v, p=p: np.linalg.norm(v, p, 1), [x], 1e-12
            )
    for ord in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        for op in (mint.linalg.norm, ops.norm, ops.matrix_norm):
            _agree(
                lambda v, f=op, o=ord: f(v, o), lambda v, o=ord: np.linalg.norm(v, o), [x], 1e-12
            )


def test_dtypes_of_positions():
    """Those of MindSpore."""
    x = Tensor([[3.0, 1.0, 2.0]])
    of_int32 = (
        lambda v: ops.argmin(v, 1),
        lambda v: ops.topk(v, 2)[1],
        lambda v: ops.sort(v)[1],
        lambda v: ops.argsort(v),
        lambda v: ops.cummin(v, 1)[1],
        lambda v: v.cummin(1)[1],
        lambda v: ops.unique(v)[1],
        lambda v: ops.multinomial(v[0], 2),
        lambda v: ops.bucketize(v, [1.0, 2.0]),
        lambda v: ops.count_nonzero(v),
        lambda v: ms.numpy.argmin(v, 1),
        lambda v: ms.numpy.unique(v, True)[1],
    )
    of_int64 = (
        lambda v: ops.argmax(v, 1),
        lambda v: ops.max(v, 1)[1],
        lambda v: ops.median(v)[1],
        lambda v: ops.cummax(v, 1)[1],
        lambda v: ops.nonzero(v),
        lambda v: ops.searchsorted(v[0], v[0]),
        lambda v: mint.argmin(v, 1),
        lambda v: mint.topk(v, 2)[1],
        lambda v: mint.sort(v)[1],
        lambda v: mint.cummin(v, 1)[1],
        lambda v: mint.unique(v, return_inverse=True)[1],
        lambda v: mint.count_nonzero(v),
        lambda v: ms.numpy.argmax(v, 1),
    )
    for kind, calls in ((ms.int32, of_int32), (ms.int64, of_int64)):
        for call in calls:
            for run in _both(call):
                assert run(x).dtype is kind
    for value, kind in ((1.5, ms.float32), (2, ms.int64), (True, ms.bool_)):
        for run in _both(lambda v, n=value: mint.full((2,), n)):
            assert run(x).dtype is kind and run(x).tolist() == [value, value]


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "cumsum", "cumprod", "sort"])
def test_gradients_along_the_axis_of_a_scalar(name):
    call = getattr(ops, name)
    expected = 0.0 if "softmax" in name else 1.0
    for run in _both(ms.grad(lambda x: call(x, -1)[0] if name == "sort" else call(x, -1))):
        assert run(Tensor(2.5)).item() == expected
