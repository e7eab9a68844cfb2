"""Convolutions and pools of volumes, pools of unequal and of random regions, and their inverses,
against loops.
"""

import itertools

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops
from minds.transforms.check_grad import check_grad

RNG = np.random.default_rng(5)
X = RNG.standard_normal((2, 4, 5, 6, 7))
W = RNG.standard_normal((6, 2, 2, 3, 3))


def _conv(x, w, stride, pad, dilation, group):
    """Cross-correlation in any number of dimensions, by its definition."""
    rank = x.ndim - 2
    x = np.pad(x, ((0, 0), (0, 0), *((p, p) for p in pad)))
    size = [
        (n - (k - 1) * d - 1) // s + 1
        for n, k, d, s in zip(x.shape[2:], w.shape[2:], dilation, stride, strict=True)
    ]
    out = np.zeros((x.shape[0], w.shape[0], *size))
    for at in itertools.product(*map(range, size)):
        cut = tuple(
            slice(i * s, i * s + (k - 1) * d + 1, d)
            for i, s, k, d in zip(at, stride, w.shape[2:], dilation, strict=True)
        )
        seen = x[(slice(None), slice(None), *cut)]
        per = w.shape[0] // group
        for o in range(w.shape[0]):
            part = seen[:, o // per * w.shape[1] : (o // per + 1) * w.shape[1]]
            out[(slice(None), o, *at)] = (part * w[o]).sum(tuple(range(1, rank + 2)))
    return out


def test_conv3d():
    """Stride, padding, dilation and groups that differ from dimension to dimension."""
    out = ops.conv3d(Tensor(X), Tensor(W), None, 2, "pad", (1, 0, 2), (1, 2, 1), 2)
    np.testing.assert_allclose(
        out.asnumpy(), _conv(X, W, (2, 2, 2), (1, 0, 2), (1, 2, 1), 2), rtol=1e-9, atol=1e-9
    )


def test_transposed_convolutions():
    """They are the adjoints of convolutions: <conv(x), y> = <x, back(y)>."""
    y = _conv(X, W, (2, 2, 1), (1, 0, 2), (1, 2, 1), 2)
    dy = RNG.standard_normal(y.shape)
    back = ops.conv3d_transpose(
        Tensor(dy),
        Tensor(W),
        "pad",
        (1, 0, 2),
        (2, 2, 1),
        (1, 2, 1),
        2,
        tuple(
            n - ((m - 1) * s - 2 * p + d * (k - 1) + 1)
            for n, m, s, p, d, k in zip(
                X.shape[2:], y.shape[2:], (2, 2, 1), (1, 0, 2), (1, 2, 1), (2, 3, 3), strict=True
            )
        ),
    )
    assert back.shape == X.shape
    np.testing.assert_allclose((back.asnumpy() * X).sum(), (dy * y).sum(), rtol=1e-9)
    x2, w2 = X[:, :, 0], W[:, :, 0]
    y2 = _conv(x2, w2, (1, 2), (1, 1), (1, 1), 2)
    dy2 = RNG.standard_normal(y2.shape)
    back2 = ops.conv_transpose2d(Tensor(dy2), Tensor(w2), None, (1, 2), 1, 0, 2)
    assert back2.shape == x2.shape
    np.testing.assert_allclose((back2.asnumpy() * x2).sum(), (dy2 * y2).sum(), rtol=1e-9)


def test_pools_of_volumes():
    """Maxima with their places, and means with and without padding."""
    out, index = ops.max_pool3d(Tensor(X), 2, 2, return_indices=True)
    windows = X[:, :, :4, :, :6].reshape(2, 4, 2, 2, 3, 2, 3, 2).transpose(0, 1, 2, 4, 6, 3, 5, 7)
    np.testing.assert_array_equal(out.asnumpy(), windows.max((5, 6, 7)))
    np.testing.assert_array_equal(
        np.take_along_axis(X.reshape(2, 4, -1), index.asnumpy().reshape(2, 4, -1), 2).ravel(),
        out.asnumpy().ravel(),
    )
    mean = ops.avg_pool3d(Tensor(X), 3, 3, 1, False, False).asnumpy()
    np.testing.assert_allclose(mean[:, :, 0, 0, 0], X[:, :, :2, :2, :2].mean((2, 3, 4)))
    np.testing.assert_allclose(mean[:, :, 1, 1, 1], X[:, :, 2:5, 2:5, 2:5].mean((2, 3, 4)))
    back = ops.max_unpool3d(out, index, 2, output_size=(5, 6, 7)).asnumpy()
    assert back.shape == X.shape and (back != 0).sum() == out.size
    np.testing.assert_array_equal(back[back != 0], X[back != 0])


@pytest.mark.parametrize("sizes", [(2, 4, 3), (5, 1, 7)])
def test_adaptive_pools(sizes):
    """Regions from floor(i n / m) to ceil((i + 1) n / m)."""
    mean = ops.adaptive_avg_pool3d(Tensor(X), sizes).asnumpy()
    most, index = (t.asnumpy() for t in ops.adaptive_max_pool3d(Tensor(X), sizes, True))
    for at in itertools.product(*map(range, sizes)):
        cut = tuple(
            slice(i * n // m, -(-(i + 1) * n // m))
            for i, n, m in zip(at, X.shape[2:], sizes, strict=True)
        )
        seen = X[(slice(None), slice(None), *cut)]
        np.testing.assert_allclose(
            mean[(slice(None), slice(None), *at)], seen.mean((2, 3, 4)), rtol=1e-9
        )
        np.testing.assert_array_equal(most[(slice(None), slice(None), *at)], seen.max((2, 3, 4)))
    np.testing.assert_array_equal(
        np.take_along_axis(X.reshape(2, 4, -1), index.reshape(2, 4, -1), 2).ravel(), most.ravel()
    )


def test_fractional_pools():
    """The first window starts at 0, the last ends at the end; a sample decides between. Gradients
    reach the maxima.
    """
    x, u = X[0, :, 0], np.array([[[0.3, 0.8]]], np.float32)
    out, index = ops.fractional_max_pool2d(Tensor(x[None]), 2, (3, 4), None, True, Tensor(u))
    rows, columns = (
        [int((i + s) * a) - int(s * a) for i in range(m - 1)] + [n - 2]
        for n, m, s, a in ((6, 3, u[0, 0, 1], 4 / 2), (7, 4, u[0, 0, 0], 5 / 3))
    )
    want = np.array([[[c[i : i + 2, j : j + 2].max() for j in columns] for i in rows] for c in x])
    np.testing.assert_array_equal(out.asnumpy()[0], want)
    np.testing.assert_array_equal(
        np.take_along_axis(x.reshape(4, -1), index.asnumpy().reshape(4, -1), 1).ravel(),
        want.ravel(),
    )
    grad = ms.grad(
        lambda x: ops.fractional_max_pool2d(x, 2, (3, 4), _random_samples=Tensor(u)).sum()
    )(Tensor(x[None]))
    assert float(grad.sum()) == want.size
    assert ops.fractional_max_pool3d(Tensor(X), 2, output_ratio=0.6).shape == (2, 4, 3, 3, 4)
    with pytest.raises(ValueError, match="one of them"):
        ops.fractional_max_pool2d(Tensor(x[None]), 2)


def test_gradients():
    """In a random direction, compiled and eager, to order 2."""
    for fn, args in (
        (lambda x, w: ops.conv3d(x, w), (X[:1, :2, :3, :3, :3], W[:2])),
        (lambda x, w: ops.conv3d_transpose(x, w, stride=2), (X[:1, :2, :2, :2, :2], W[:2])),
        (lambda x: ops.avg_pool3d(x, 2, 1), (X[:1, :1],)),
        (lambda x: ops.max_pool3d(x, 2, 2), (X[:1, :1],)),
        (lambda x: ops.lrn(x, 2, 1.0, 0.3, 0.7), (X[:1, :, 0],)),
    ):
        check_grad(fn, args)


def _means(x, kernel, stride, pad, ceil, counted):
    """The means of windows by their definition: of zeros outside, only those of the padding may count."""
    sizes = []
    for n, k, s, p in zip(x.shape[2:], kernel, stride, pad, strict=True):
        whole = n + 2 * p - k
        count = (-(-whole // s) if ceil else whole // s) + 1
        sizes.append(count - (ceil and (count - 1) * s >= n + p))
    out = np.zeros((*x.shape[:2], *sizes))
    for at in itertools.product(*map(range, sizes)):
        cut, places = [], 1
        for i, n, k, s, p in zip(at, x.shape[2:], kernel, stride, pad, strict=True):
            low, high = i * s - p, i * s - p + k
            inside = slice(max(low, 0), min(high, n))
            cut.append(inside)
            places *= min(high, n + p) - low if counted else inside.stop - inside.start
        out[(..., *at)] = x[(..., *cut)].sum((2, 3, 4)) / places
    return out


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("ceil", [True, False])
def test_means_of_volumes(ceil, counted):
    """What only ceil_mode lets a window reach counts in no face."""
    for kernel, stride, pad in (
        ((3, 2, 3), (2, 3, 2), (1, 1, 0)),
        ((2, 3, 2), (2, 2, 3), (0, 1, 1)),
    ):
        want = _means(X, kernel, stride, pad, ceil, counted)
        options = {"ceil_mode": ceil, "count_include_pad": counted}
        cell = nn.AvgPool3d(kernel, stride, pad_mode="pad", padding=pad, **options)
        old = ops.AvgPool3D(kernel, stride, "pad", pad, ceil, counted)
        for call in (lambda x: ops.avg_pool3d(x, kernel, stride, pad, **options), cell, old):
            for run in (call, ms.jit(call)):
                np.testing.assert_allclose(run(Tensor(X)).asnumpy(), want, rtol=1e-9)
        check_grad(
            lambda x: ops.avg_pool3d(x, kernel, stride, pad, **options), (Tensor(X[:1, :1]),)
        )
