"""Batch and layer normalisation against NumPy in float64."""

import numpy as np
import pytest
from driver import assert_close, make, run, sample

pytestmark = pytest.mark.native
FLOATS = ["float32", "float64", "float16", "bfloat16"]
BATCHES = [
    (4, 3, 5, 7),
    (2, 1, 64, 65),
    (7, 20),
    (3, 2, 9),
    (5, 3, 1, 1),
    (2, 3, 2, 3, 4),
    (1, 40, 3, 3),
]
LAYERS = [
    ((4, 10), 1),
    ((3, 5, 33), 2),
    ((2, 3, 4, 5), 1),
    ((6, 4), 0),
    ((300, 70), 1),
    ((2, 5000), 1),
    ((3, 4, 1), 2),
]


def wide(v, ndim):
    return np.asarray(v, np.float64).reshape(1, -1, *[1] * (ndim - 2))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", BATCHES)
def test_batch_norm(shape, dtype):
    x = sample(shape, dtype, 1) * np.asarray(2, np.float32) + np.asarray(3, np.float32)
    x = x.astype(np.float32 if dtype == "bfloat16" else dtype)
    x = sample(shape, dtype, 1) if dtype in ("float16", "bfloat16") else x
    gamma, beta, c, axes = (
        sample(shape[1], dtype, 2),
        sample(shape[1], dtype, 3),
        (shape[1],),
        (0, *range(2, len(shape))),
    )
    eps = 1e-3
    y, mean, var = run(
        "batch_norm",
        [(x, dtype), (gamma, dtype), (beta, dtype)],
        [(shape, dtype), (c, dtype), (c, dtype)],
        eps=eps,
    )
    v = x.astype(np.float64)
    m, s = v.mean(axes), v.var(axes)
    hat = (v - wide(m, v.ndim)) / np.sqrt(wide(s, v.ndim) + eps)
    assert_close(mean, m, dtype)
    assert_close(var, s, dtype)
    want = hat * wide(gamma, v.ndim) + wide(beta, v.ndim)
    assert_close(y, want, dtype, 4)
    infer = run(
        "batch_norm_infer",
        [(a, dtype) for a in (x, gamma, beta, mean, var)],
        [(shape, dtype)],
        eps=eps,
    )
    mean, var = mean.astype(np.float64), var.astype(np.float64)
    given = (v - wide(mean, v.ndim)) / np.sqrt(wide(var, v.ndim) + eps) * wide(
        gamma, v.ndim
    ) + wide(beta, v.ndim)
    assert_close(infer, given, dtype, 4)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", BATCHES)
def test_batch_norm_dx(shape, dtype):
    x, dout, gamma = sample(shape, dtype, 1), sample(shape, dtype, 2), sample(shape[1], dtype, 3)
    c, axes, eps = (shape[1],), (0, *range(2, len(shape))), 1e-3
    v, d = x.astype(np.float64), dout.astype(np.float64)
    mean, var = sample(c, dtype, 4), abs(sample(c, dtype, 5)) + np.asarray(0.5, x.dtype)
    r = 1 / np.sqrt(wide(var, v.ndim) + eps)
    hat = (v - wide(mean, v.ndim)) * r
    n = v.size / shape[1]
    dbeta, dgamma = d.sum(axes), (d * hat).sum(axes)
    dx = wide(gamma, v.ndim) * r * (d - wide(dbeta, v.ndim) / n - hat * wide(dgamma, v.ndim) / n)
    got = run(
        "batch_norm_dx",
        [(a, dtype) for a in (dout, x, mean, var, gamma)],
        [(shape, dtype), (c, dtype), (c, dtype)],
        eps=eps,
    )
    for g, w in zip(got, (dx, dgamma, dbeta), strict=True):
        assert_close(g, w, dtype, np.sqrt(n))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape,axis", LAYERS)
def test_layer_norm(shape, axis, dtype):
    x, gamma, beta = (
        sample(shape, dtype, 1),
        sample(shape[axis:], dtype, 2),
        sample(shape[axis:], dtype, 3),
    )
    stat, inner, outer = (
        shape[:axis] + (1,) * (len(shape) - axis),
        tuple(range(axis, len(shape))),
        tuple(range(axis)),
    )
    eps = 1e-3
    y, mean, rstd = run(
        "layer_norm",
        [(x, dtype), (gamma, dtype), (beta, dtype)],
        [(shape, dtype), (stat, dtype), (stat, dtype)],
        begin_axis=axis,
        eps=eps,
    )
    v = x.astype(np.float64)
    m, r = v.mean(inner, keepdims=True), 1 / np.sqrt(v.var(inner, keepdims=True) + eps)
    assert_close(mean, m, dtype)
    assert_close(rstd, r, dtype)
    assert_close(y, (v - m) * r * gamma.astype(np.float64) + beta.astype(np.float64), dtype, 4)

    dout = sample(shape, dtype, 4)
    m, r = mean.astype(np.float64), rstd.astype(np.float64)
    d, hat = dout.astype(np.float64), (v - m) * r
    g = d * gamma.astype(np.float64)
    dx = r * (g - g.mean(inner, keepdims=True) - hat * (g * hat).mean(inner, keepdims=True))
    got = run(
        "layer_norm_dx",
        [(a, dtype) for a in (dout, x, mean, rstd, gamma)],
        [(shape, dtype), (gamma.shape, dtype), (gamma.shape, dtype)],
        begin_axis=axis,
    )
    for a, want in zip(got, (dx, (d * hat).sum(outer), d.sum(outer)), strict=True):
        assert_close(a, want, dtype, np.sqrt(max(d.size, 1)) if r.max() > 5 else 8)


def test_large_offsets_keep_their_digits():
    x = (np.random.default_rng(0).standard_normal((4, 1, 100, 100)) + 1000).astype(np.float32)
    _, mean, var = run(
        "batch_norm",
        [(x, "float32"), (np.ones(1), "float32"), (np.zeros(1), "float32")],
        [(x.shape, "float32"), ((1,), "float32"), ((1,), "float32")],
        eps=0.0,
    )
    np.testing.assert_allclose(mean, x.astype(np.float64).mean(), rtol=1e-6)
    np.testing.assert_allclose(var, x.astype(np.float64).var(), rtol=1e-4)


@pytest.mark.parametrize("dtype", FLOATS)
def test_empty_batch(dtype):
    c = np.ones(3)
    y, mean, var = run(
        "batch_norm",
        [(np.zeros((0, 3, 4, 4)), dtype), (c, dtype), (c, dtype)],
        [((0, 3, 4, 4), dtype), ((3,), dtype), ((3,), dtype)],
        eps=1e-5,
    )
    assert y.shape == (0, 3, 4, 4) and np.isnan(mean).all() and np.isnan(var).all()
    y, mean, _ = run(
        "layer_norm",
        [(np.zeros((0, 3)), dtype), (c, dtype), (c, dtype)],
        [((0, 3), dtype), ((0, 1), dtype), ((0, 1), dtype)],
        begin_axis=1,
        eps=1e-5,
    )
    assert y.shape == (0, 3) and mean.shape == (0, 1)
    got = run(
        "layer_norm_dx",
        [(np.zeros((0, 3)), dtype)] * 2 + [(np.zeros((0, 1)), dtype)] * 2 + [(c, dtype)],
        [((0, 3), dtype), ((3,), dtype), ((3,), dtype)],
        begin_axis=1,
    )
    np.testing.assert_array_equal(got[1], np.zeros(3))


def test_refusals():
    f = "float32"
    with pytest.raises(ValueError, match="at least 2 dimensions"):
        make("batch_norm", [((3,), f)] * 3, [((3,), f)] * 3, eps=1e-5)
    with pytest.raises(ValueError, match=r"a parameter has shape \(4,\), expected \(3,\)"):
        make(
            "batch_norm",
            [((2, 3), f), ((4,), f), ((3,), f)],
            [((2, 3), f), ((3,), f), ((3,), f)],
            eps=1e-5,
        )
    with pytest.raises(ValueError, match="begin_axis 2 is out of range"):
        make(
            "layer_norm",
            [((2, 3), f), ((3,), f), ((3,), f)],
            [((2, 3), f), ((2, 1), f), ((2, 1), f)],
            begin_axis=2,
            eps=1e-5,
        )
    with pytest.raises(ValueError, match="gamma must have 3 elements"):
        make(
            "layer_norm",
            [((2, 3), f), ((2,), f), ((3,), f)],
            [((2, 3), f), ((2, 1), f), ((2, 1), f)],
            begin_axis=1,
            eps=1e-5,
        )
