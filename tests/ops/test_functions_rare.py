"""Functions of matrices, order, spectra and parts against NumPy; compiled they give the same
numbers.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops
from minds.ops import operations as classes

RNG = np.random.default_rng(11)
X = RNG.standard_normal((3, 4)).astype(np.float32)
V = RNG.standard_normal((2, 3)).astype(np.float32)
S = (RNG.standard_normal((3, 3)) + 3 * np.eye(3)).astype(np.float32)
B = RNG.standard_normal((2, 3, 4)).astype(np.float32)
HOLES = np.where(X > 0.8, np.nan, X)
I4 = np.arange(4)


def _unfolded(x):
    return np.stack([x[:, :, i : i + 3, j : j + 2] for i in range(2) for j in range(2)], 2).reshape(
        1, 8, 6
    )


PLANE = RNG.standard_normal((1, 2, 4, 3)).astype(np.float32)

# Name: the operands, the function, its reference.
CASES = {
    "addbmm": (
        (V, B.reshape(2, 4, 3)[:, :2], B[:, :, :3]),
        ops.addbmm,
        lambda v, a, b: v + (a @ b).sum(0),
    ),
    "addmv": (
        (X[:, 0], S, X[:, 1]),
        lambda *a: ops.addmv(*a, beta=2, alpha=3),
        lambda v, a, b: 2 * v + 3 * a @ b,
    ),
    "aminmax": ((X,), lambda x: ops.aminmax(x, axis=1), lambda x: (x.min(1), x.max(1))),
    "block_diag": (
        (V, S),
        ops.block_diag,
        lambda v, s: np.block([[v, np.zeros((2, 3))], [np.zeros((3, 3)), s]]),
    ),
    "cholesky_inverse": ((np.tril(S),), ops.cholesky_inverse, lambda s: np.linalg.inv(s @ s.T)),
    "cholesky_solve": (
        (X[:, :2], np.tril(S)),
        ops.cholesky_solve,
        lambda b, s: np.linalg.solve(s @ s.T, b),
    ),
    "cov": ((X,), ops.cov, np.cov),
    "cov weighted": (
        (X, np.array([1, 2, 1, 3])),
        lambda x, f: ops.cov(x, fweights=f),
        lambda x, f: np.cov(x, fweights=f),
    ),
    "cross": ((V, V[::-1].copy()), lambda a, b: ops.cross(a, b, dim=1), np.cross),
    "diag_embed": (
        (V,),
        lambda v: ops.diag_embed(v, 1),
        lambda v: np.stack([np.diag(r, 1) for r in v]),
    ),
    "diagonal_scatter": (
        (S, X[0, :2].copy()),
        lambda s, v: ops.diagonal_scatter(s, v, 1),
        lambda s, v: s - np.diag(np.diag(s, 1), 1) + np.diag(v, 1),
    ),
    "diff twice": ((X,), lambda x: ops.diff(x, 2, 0), lambda x: np.diff(x, 2, 0)),
    "fft2": (
        (X,),
        lambda x: ops.view_as_real(ops.fft2(x)),
        lambda x: (lambda z: np.stack([z.real, z.imag], -1))(np.fft.fft2(x)),
    ),
    "irfft odd": ((X,), lambda x: ops.irfft(ops.rfft(x, 3), 3), lambda x: x[:, :3]),
    "hfft": ((X,), ops.hfft, np.fft.hfft),
    "fftshift": ((X,), ops.fftshift, np.fft.fftshift),
    "fmax": ((HOLES, X[::-1].copy()), ops.fmax, np.fmax),
    "fold of unfold": (
        (PLANE,),
        lambda x: ops.fold(ops.unfold(x, 2), (4, 3), 2),
        lambda x: x * np.outer([1, 2, 2, 1], [1, 2, 1]),
    ),
    "unfold": ((PLANE,), lambda x: ops.unfold(x, 2), _unfolded),
    "histc": ((X,), lambda x: ops.histc(x, 5, -1.0, 1.0), lambda x: np.histogram(x, 5, (-1, 1))[0]),
    "index_fill": (
        (X, np.array([0, 2])),
        lambda x, i: ops.index_fill(x, 1, i, 5.0),
        lambda x, i: np.where(np.isin(I4, i), 5.0, x),
    ),
    "kthvalue": ((X,), lambda x: ops.kthvalue(x, 2, 0)[0], lambda x: np.sort(x, 0)[1]),
    "logcumsumexp": (
        (X,),
        lambda x: ops.logcumsumexp(x, 1),
        lambda x: np.log(np.cumsum(np.exp(x), 1)),
    ),
    "logdet": ((S,), ops.logdet, lambda s: np.linalg.slogdet(s)[1]),
    "lstsq": (
        (X.T.copy(), X[:2].T.copy()),
        ops.lstsq,
        lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0],
    ),
    "masked_scatter": (
        (X, X > 0, np.arange(12.0, dtype=np.float32)),
        ops.masked_scatter,
        lambda x, m, s: (lambda y: (np.place(y, m, s[: m.sum()]), y)[1])(x.copy()),
    ),
    "matrix_norm nuc": (
        (X,),
        lambda x: ops.matrix_norm(x, "nuc"),
        lambda x: np.linalg.norm(x, "nuc"),
    ),
    "matrix_power": (
        (S,),
        lambda s: ops.matrix_power(s, -3),
        lambda s: np.linalg.matrix_power(s, -3),
    ),
    "nanmean": ((HOLES,), lambda x: ops.nanmean(x, 0), lambda x: np.nanmean(x, 0)),
    "nanmedian": ((X.T.copy(),), lambda x: ops.nanmedian(x, 0)[0], lambda x: np.sort(x, 0)[1]),
    "nanquantile": (
        (HOLES,),
        lambda x: ops.nanquantile(x, 0.3, 1),
        lambda x: np.nanquantile(x, 0.3, 1),
    ),
    "pinv": ((X,), ops.pinv, np.linalg.pinv),
    "pixel_unshuffle": (
        (B[:, :, :].reshape(1, 1, 6, 4),),
        lambda x: ops.pixel_shuffle(ops.pixel_unshuffle(x, 2), 2),
        lambda x: x,
    ),
    "quantile": (
        (X,),
        lambda x: ops.quantile(x, [0.1, 0.5], 0, True),
        lambda x: np.quantile(x, [0.1, 0.5], 0, keepdims=True),
    ),
    "reverse_sequence": (
        (X, np.array([1, 2, 4])),
        lambda x, n: ops.reverse_sequence(x, n, 1),
        lambda x, n: np.stack([np.r_[r[:k][::-1], r[k:]] for r, k in zip(x, n, strict=True)]),
    ),
    "select_scatter": (
        (X, X[0] * 2),
        lambda x, s: ops.select_scatter(x, s, 0, -1),
        lambda x, s: np.concatenate([x[:2], s[None]]),
    ),
    "slice_scatter": (
        (X, X[:, :2] * 2),
        lambda x, s: ops.slice_scatter(x, s, 1, 0, 4, 2),
        lambda x, s: np.stack([s[:, 0], x[:, 1], s[:, 1], x[:, 3]], 1),
    ),
    "trapz": (
        (X, np.array([0.0, 1.0, 1.5, 3.0], np.float32)),
        lambda y, x: ops.trapz(y, x),
        lambda y, x: ((y[:, 1:] + y[:, :-1]) / 2 * np.diff(x)).sum(1),
    ),
    "unsorted_segment_max": (
        (X, np.array([1, 0, 1])),
        lambda x, i: ops.unsorted_segment_max(x, i, 2),
        lambda x, i: np.stack([x[1], np.maximum(x[0], x[2])]),
    ),
    "vander": ((X[0].copy(),), ops.vander, np.vander),
    "xdivy": ((X * (X > 0), X * (X > 0)), ops.xdivy, lambda x, y: (x > 0).astype(np.float32)),
    "SpaceToDepth": (
        (B.reshape(1, 1, 6, 4),),
        lambda x: classes.DepthToSpace(2)(classes.SpaceToDepth(2)(x)),
        lambda x: x,
    ),
    "SparseToDense": (
        (np.array([[0, 1], [2, 0]]), np.array([3.0, 4.0])),
        lambda i, v: classes.SparseToDense()(i, v, (3, 2)),
        lambda i, v: [[0, 3], [0, 0], [4, 0]],
    ),
    "interpolate": (
        (X[None],),
        lambda x: ops.interpolate(x, size=7, mode="linear", align_corners=True),
        lambda x: np.stack([np.interp(np.linspace(0, 3, 7), I4, r) for r in x[0]])[None],
    ),
    "multi_margin_loss": (
        (X, np.array([1, 0, 3])),
        lambda x, t: ops.multi_margin_loss(x, t, reduction="none"),
        lambda x, t: np.array(
            [
                sum(max(0, 1 - r[k] + r[j]) for j in range(4) if j != k) / 4
                for r, k in zip(x, t, strict=True)
            ]
        ),
    ),
    "lp_pool1d": (
        (np.abs(X),),
        lambda x: ops.lp_pool1d(x, 3.0, 2),
        lambda x: (x.reshape(3, 2, 2) ** 3).sum(2) ** (1 / 3),
    ),
}


def _tuple(out):
    return out if isinstance(out, tuple) else (out,)


@pytest.mark.parametrize("name", CASES)
def test_values(name):
    operands, ours, reference = CASES[name]
    tensors = [Tensor(a) for a in operands]
    eager, compiled = _tuple(ours(*tensors)), _tuple(ms.jit(ours)(*tensors))
    expected = _tuple(
        reference(*[a.astype(np.float64) if a.dtype.kind == "f" else a for a in operands])
    )
    for e, c, r in zip(eager, compiled, expected, strict=True):
        np.testing.assert_allclose(e.asnumpy(), r, rtol=2e-4, atol=2e-5)
        assert e.asnumpy().tobytes() == c.asnumpy().tobytes()


def test_sizes_that_values_decide():
    x = Tensor([3, 1, 3, 3, 2])
    assert ops.unique(x)[0].tolist() == [3, 1, 2]
    assert [v.tolist() for v in ops.unique_consecutive(x, True, True)] == [
        [3, 1, 3, 2],
        [0, 1, 2, 2, 3],
        [1, 1, 2, 1],
    ]
    assert ops.bincount(x).tolist() == [0, 1, 1, 3]
    assert ms.jit(lambda v: ops.argwhere(v > 2))(x).tolist() == [[0], [2], [3]]


def test_multinomial_follows_the_weights():
    ms.set_seed(5)
    w = Tensor(np.array([[0.0, 1.0, 3.0]], np.float32))
    drawn = ops.multinomial(w, 4000).asnumpy()
    assert abs((drawn == 2).mean() - 0.75) < 0.03 and not (drawn == 0).any()
    assert sorted(ops.multinomial(w, 2, replacement=False).asnumpy()[0]) == [1, 2]


def test_an_axis_among_the_arguments_is_compiled_as_a_constant():
    @ms.jit
    def moved(x, axis):
        return ops.swapaxes(x, axis, 1)

    assert moved(Tensor(B), 0).shape == (3, 2, 4) and moved(Tensor(B), 2).shape == (2, 4, 3)


def test_classes_that_write_parameters():
    p, total, first = (ms.Parameter(Tensor([v])) for v in (1.0, 0.0, 1.0))
    classes.SGD()(p, Tensor([1.0]), Tensor(0.5), total, Tensor(0.9), first)
    assert p.asnumpy() == [0.5] and first.asnumpy() == [0.0]
    table = ms.Parameter(Tensor(X))
    ops.scatter_nd_add(table, Tensor([[0, 1]]), Tensor([10.0]))
    np.testing.assert_allclose(table.asnumpy()[0, 1], X[0, 1] + 10)
