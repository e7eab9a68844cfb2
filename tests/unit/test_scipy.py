"""minds.scipy against SciPy."""

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.optimize

import minds as ms
from minds import Tensor
from minds.scipy import fft, linalg, optimize
from minds.transforms.check_grad import check_grad

RNG = np.random.default_rng(0)
X = RNG.standard_normal((3, 4, 5))
A, B = RNG.standard_normal((6, 4)), RNG.standard_normal((6, 3))
S = A @ A.T + 3 * np.eye(6)


def close(got, want):
    """The same numbers, up to rounding."""
    np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("type", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["dct", "idct"])
def test_cosine_transforms(name, type, norm):
    ours, theirs = getattr(fft, name), getattr(scipy.fft, name)
    for n in (None, 2, 3, 7):
        close(ours(Tensor(X), type, n, 1, norm), theirs(X, type, n, 1, norm))
        z = X + 1j * X[::-1]
        close(ms.jit(ours)(Tensor(z), type, n, 1, norm), theirs(z, type, n, 1, norm))
    for axes in (None, (0, 2)):
        close(
            getattr(fft, f"{name}n")(Tensor(X), type, None, axes, norm),
            getattr(scipy.fft, f"{name}n")(X, type, None, axes, norm),
        )
    check_grad(lambda x: ours(x, type, norm=norm), [X[0]])


def test_cosine_transforms_of_many_numbers_and_of_bad_types():
    x = RNG.standard_normal(4099).astype(np.float32)
    for name in ("dct", "idct", "dctn", "idctn"):  # without a norm as MindSpore's
        want = getattr(scipy.fft, name)(x, norm="ortho")
        np.testing.assert_allclose(getattr(fft, name)(Tensor(x)).asnumpy(), want, atol=1e-4)
    assert fft.dct(Tensor(x[:8], ms.float16)).dtype == ms.float16
    for type, n in ((5, None), (0, None), (1, 1), (2, 0)):
        with pytest.raises(ValueError, match="type|n is"):
            fft.dct(Tensor(X), type, n)


@pytest.mark.parametrize("shape", [(5, 5), (6, 4)])
def test_lstsq(shape):
    a, b = RNG.standard_normal(shape), RNG.standard_normal((shape[0], 3))
    for got, want in zip(
        linalg.lstsq(Tensor(a), Tensor(b), driver="gelss"),
        scipy.linalg.lstsq(a, b, lapack_driver="gelss"),
        strict=True,
    ):
        close(got, want)
    x, errors, rank, values = linalg.lstsq(Tensor(a), Tensor(b[:, 0]))
    assert x.shape == (shape[1],) and errors.size == values.size == 0 and int(rank) == min(shape)
    check_grad(lambda a, b: linalg.lstsq(a, b)[0], [a, b], order=1)


def test_factorisations():
    for got, want in zip(linalg.lu(Tensor(A)), scipy.linalg.lu(A), strict=True):
        close(got, want)
    for got, want in zip(linalg.lu_factor(Tensor(S)), scipy.linalg.lu_factor(S), strict=True):
        close(got, want)
    close(linalg.eigh(Tensor(S), eigvals_only=True), scipy.linalg.eigh(S, eigvals_only=True))
    w, v = linalg.eigh(Tensor(S))
    np.testing.assert_allclose((v.asnumpy() * w.asnumpy()) @ v.asnumpy().T, S, atol=1e-9)
    check_grad(
        lambda a: linalg.eigh(a + ms.ops.transpose(a, (1, 0))),
        [RNG.standard_normal((4, 4))],
        order=1,
    )
    for lower in (True, False):
        close(linalg.cholesky(Tensor(S), lower), scipy.linalg.cholesky(S, lower))
        close(
            linalg.cho_solve(linalg.cho_factor(Tensor(S), lower), Tensor(B)),
            scipy.linalg.solve(S, B),
        )
    close(linalg.inv(Tensor(S)), scipy.linalg.inv(S))
    close(linalg.det(Tensor(S)), scipy.linalg.det(S))
    close(linalg.block_diag(Tensor(A), Tensor(B)), scipy.linalg.block_diag(A, B))


@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("trans", [0, 1, "T", "C"])
def test_solve_triangular(trans, lower, unit):
    for b in (B, B[:, 0]):
        close(
            linalg.solve_triangular(Tensor(S), Tensor(b), trans, lower, unit),
            scipy.linalg.solve_triangular(S, b, trans, lower, unit),
        )


@pytest.mark.parametrize("method", ["BFGS", "LBFGS"])
def test_minimize(method):
    def himmelblau(p):
        x, y = p
        return (x**2 + y - 11.0) ** 2 + (x + y**2 - 7.0) ** 2

    def rosenbrock(p):
        return (100.0 * (p[1:] - p[:-1] ** 2) ** 2).sum() + ((1 - p[:-1]) ** 2).sum()

    out = optimize.minimize(
        himmelblau, Tensor([0.0, 0.0]), method=method, options={"maxiter": None, "gtol": 1e-6}
    )
    np.testing.assert_allclose(out.x.asnumpy(), [3, 2], atol=1e-4)
    out = optimize.minimize(rosenbrock, Tensor([-1.2, 1.0, 0.5]), method=method)
    np.testing.assert_allclose(out.x.asnumpy(), 1, atol=1e-2)
    with pytest.raises(ValueError, match="method"):
        optimize.minimize(rosenbrock, Tensor([1.0]))


def test_multipliers():
    """min x^2 + 2 y^2 - 2 x y - 2 x where x - y >= 1: the point (2, 1)."""
    out = optimize.minimize(
        lambda d: d[0] ** 2 + 2 * d[1] ** 2 - 2 * d[0] * d[1] - 2 * d[0],
        Tensor([-1.0, 1.0]),
        method="lagrange",
        constraints=[lambda x: 1.0 - x[0] + x[1]],
        options={"steps": 50},
    )
    np.testing.assert_allclose(out.best_value.asnumpy(), [2, 1], atol=0.02)


def test_assignment():
    cost = RNG.standard_normal((4, 6))
    for maximize in (False, True):
        got = optimize.linear_sum_assignment(Tensor(cost), maximize)
        for g, w in zip(got, scipy.optimize.linear_sum_assignment(cost, maximize), strict=True):
            np.testing.assert_array_equal(g.asnumpy(), w)
    rows, columns = optimize.linear_sum_assignment(Tensor(cost), False, Tensor(2))
    assert sorted(rows.tolist()).count(-1) == 2 and max(columns.tolist()) < 2


@pytest.mark.parametrize("value", [5.0, None, "yes"], ids=str)
@pytest.mark.parametrize("flag", ["lower", "overwrite_a", "check_finite"])
def test_flags_are_bools(flag, value):
    for fn in (linalg.eigh, linalg.cholesky):
        with pytest.raises(TypeError, match=f"{fn.__name__}: {flag} must be a bool"):
            fn(Tensor(S), **{flag: value})
    assert linalg.block_diag().shape == scipy.linalg.block_diag().shape
    with pytest.raises(TypeError, match="eigh: a must be of 32 bits or more"):
        linalg.eigh(Tensor(np.eye(3), ms.float16))
