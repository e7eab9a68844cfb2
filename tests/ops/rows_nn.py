"""Rows of reductions, scans, products, convolution, pooling, normalisation and losses."""

import numpy as np
import scipy.special as special
from rows import DOUBLES, FLOATS, INTS, Row, bools, integers, normal, several, uniform

from minds.ops import P

A = normal(2, 3, 4)


def _conv(x, w, stride, pad, dilation=(1, 1), group=1):
    """Cross-correlation by its definition."""
    top, bottom, left, right = pad
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    (n, _, h, wd), (o, i, kh, kw) = x.shape, w.shape
    oh = (h - (kh - 1) * dilation[0] - 1) // stride[0] + 1
    ow = (wd - (kw - 1) * dilation[1] - 1) // stride[1] + 1
    out = np.zeros((n, o, oh, ow))
    for f in range(o):
        first = f // (o // group) * i
        for y in range(oh):
            for z in range(ow):
                window = x[
                    :,
                    first : first + i,
                    y * stride[0] : y * stride[0] + kh * dilation[0] : dilation[0],
                    z * stride[1] : z * stride[1] + kw * dilation[1] : dilation[1],
                ]
                window = window[:, :, :kh, :kw]
                out[:, f, y, z] = (window * w[f]).sum((1, 2, 3))
    return out


def _adjoint(forward, shape, dout):
    """The gradient of a linear ``forward`` at ``dout``, element by element."""
    out = np.zeros(shape)
    for at in np.ndindex(*shape):
        unit = np.zeros(shape)
        unit[at] = 1
        out[at] = (forward(unit) * dout).sum()
    return out


def _bytes(*shape):
    """A maker of int8 weights."""
    return lambda rng: rng.integers(-128, 128, shape).astype(np.int8)


def _levels(x):
    """What ``x``, a row or an image, is rounded to: 256 levels, 0 among them."""
    low, high = min(0, x.min()), max(0, x.max())
    unit = (high - low) / 255
    zero = np.rint(-low / unit)
    return (np.clip(np.rint(x / unit) + zero, 0, 255) - zero) * unit


def _quantized_matmul(x, w, scale, bias):
    return np.stack([_levels(row) for row in x]) @ w.T.astype(float) * scale + bias


def _quantized_conv2d(x, w, scale, bias):
    x, wide = np.stack([_levels(image) for image in x]), (slice(None), None, None)
    out = _conv(x, w.transpose(0, 3, 1, 2).astype(float), (2, 1), (1, 1, 0, 1))
    return out * scale[wide] + bias[wide]


GEOMETRY = {
    "plain": ((1, 1), (0, 0, 0, 0), (1, 1), 1, (2, 4, 5, 6), (3, 4, 3, 2)),
    "strided": ((2, 1), (1, 0, 2, 1), (1, 1), 1, (1, 2, 5, 4), (2, 2, 3, 3)),
    "dilated": ((1, 2), (1, 1, 1, 1), (2, 1), 1, (1, 2, 6, 5), (2, 2, 2, 3)),
    "grouped": ((1, 1), (1, 1, 1, 1), (1, 1), 2, (1, 4, 4, 4), (6, 2, 3, 3)),
    "depthwise": ((2, 2), (0, 1, 0, 1), (1, 1), 3, (1, 3, 5, 5), (3, 1, 3, 3)),
}


def _conv_rows():
    for note, (s, p, d, g, xs, ws) in GEOMETRY.items():
        shape = _conv(np.zeros(xs), np.zeros(ws), s, p, d, g).shape
        yield Row(
            "conv2d",
            several(normal(*xs), normal(*ws)),
            lambda x, w, a=(s, p, d, g): _conv(x, w, *a),
            call=lambda x, w, a=(s, p, d, g): P.conv2d(x, w, *a),
            note=note,
            slack=8,
        )
        yield Row(
            "conv2d_dx",
            several(normal(*shape), normal(*ws)),
            lambda dout, w, a=(s, p, d, g), xs=xs: _adjoint(lambda x: _conv(x, w, *a), xs, dout),
            call=lambda dout, w, a=(s, p, d, g), xs=xs: P.conv2d_dx(dout, w, xs, *a),
            note=note,
            slack=8,
        )
        yield Row(
            "conv2d_dw",
            several(normal(*xs), normal(*shape)),
            lambda x, dout, a=(s, p, d, g), ws=ws: _adjoint(lambda w: _conv(x, w, *a), ws, dout),
            call=lambda x, dout, a=(s, p, d, g), ws=ws: P.conv2d_dw(x, dout, ws, *a),
            note=note,
            slack=16,
        )


def _each_conv_rows():
    """Stacks of two convolutions."""
    for note in ("plain", "grouped"):
        s, p, d, g, xs, ws = GEOMETRY[note]
        a, shape = (s, p, d, g), _conv(np.zeros(xs), np.zeros(ws), s, p, d, g).shape
        xs, ws, shape = (2, *xs), (2, *ws), (2, *shape)

        def dx(dout, w, a=a, xs=xs[1:]):
            return _adjoint(lambda x: _conv(x, w, *a), xs, dout)

        def dw(x, dout, a=a, ws=ws[1:]):
            return _adjoint(lambda w: _conv(x, w, *a), ws, dout)

        def each(one, *more):
            return lambda x, y: np.stack([one(u, v, *more) for u, v in zip(x, y)])

        yield Row(
            "each_conv2d",
            several(normal(*xs), normal(*ws)),
            each(_conv, *a),
            call=lambda x, w, a=a: P.each_conv2d(x, w, *a),
            note=note,
            slack=16,
        )
        yield Row(
            "each_conv2d_dx",
            several(normal(*shape), normal(*ws)),
            each(dx),
            call=lambda dout, w, a=a, xs=xs: P.each_conv2d_dx(dout, w, xs, *a),
            note=note,
            slack=16,
        )
        yield Row(
            "each_conv2d_dw",
            several(normal(*xs), normal(*shape)),
            each(dw),
            call=lambda x, dout, a=a, ws=ws: P.each_conv2d_dw(x, dout, ws, *a),
            note=note,
            slack=16,
        )


def _pool(x, kernel, stride, pad, how):
    top, bottom, left, right = pad
    filler = -np.inf if how == "max" else np.nan if how == "inner" else 0
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=filler)
    oh, ow = (x.shape[2] - kernel[0]) // stride[0] + 1, (x.shape[3] - kernel[1]) // stride[1] + 1
    out = np.zeros(x.shape[:2] + (oh, ow))
    for i, j in np.ndindex(oh, ow):
        window = x[
            :,
            :,
            i * stride[0] : i * stride[0] + kernel[0],
            j * stride[1] : j * stride[1] + kernel[1],
        ]
        out[:, :, i, j] = {"max": np.max, "mean": np.mean, "inner": np.nanmean}[how](window, (2, 3))
    return out


def _max_pool(x, kernel, stride, pad):
    out = _pool(x, kernel, stride, pad, "max")
    index = np.zeros(out.shape, np.int64)
    for n, c, i, j in np.ndindex(out.shape):
        index[n, c, i, j] = np.flatnonzero(x[n, c] == out[n, c, i, j])[0]
    return out, index


def _max_pool_dx(dout, index):
    out = np.zeros((1, 2, 12))
    for n, c, i, j in np.ndindex(dout.shape):
        out[n, c, index[n, c, i, j]] += dout[n, c, i, j]
    return out.reshape(1, 2, 3, 4)


def _batch_norm(x, gamma, beta, eps=1e-5):
    axes = (0, *range(2, x.ndim))
    wide = (1, -1) + (1,) * (x.ndim - 2)
    mean, var = x.mean(axes), x.var(axes)
    xhat = (x - mean.reshape(wide)) / np.sqrt(var + eps).reshape(wide)
    return xhat * gamma.reshape(wide) + beta.reshape(wide), mean, var


def _batch_norm_infer(x, gamma, beta, mean, var):
    c = (1, -1, 1)
    return (x - mean.reshape(c)) / np.sqrt(var + 1e-5).reshape(c) * gamma.reshape(c) + beta.reshape(
        c
    )


def _batch_norm_dx(dout, x, mean, var, gamma):
    wide, axes, n = (1, -1, 1), (0, 2), x.shape[0] * x.shape[2]
    r = 1 / np.sqrt(var + 1e-5).reshape(wide)
    xhat = (x - mean.reshape(wide)) * r
    dgamma, dbeta = (dout * xhat).sum(axes), dout.sum(axes)
    dx = (
        gamma.reshape(wide) * r * (dout - dbeta.reshape(wide) / n - xhat * dgamma.reshape(wide) / n)
    )
    return dx, dgamma, dbeta


def _batch_norm_relu(x, gamma, beta, residual=0.0):
    y, mean, var = _batch_norm(x, gamma, beta)
    return np.maximum(y + residual, 0), mean, var


def _batch_norm_relu_dx(dout, y, x, mean, var, gamma):
    d = np.where(y > 0, dout, 0)
    return *_batch_norm_dx(d, x, mean, var, gamma), d


def _softmax_nll(x, t):
    return special.logsumexp(x, -1) - x[np.arange(len(x)), t]


def _statistics(x, t):
    out = P.softmax_nll(x, t)
    return out[1], out[2]


def _softmax_nll_dx(d, x, t):
    return d[:, None] * (special.softmax(x, -1) - np.eye(x.shape[1])[t])


def _layer_norm(x, gamma, beta):
    mean = x.mean((1, 2), keepdims=True)
    rstd = 1 / np.sqrt(x.var((1, 2), keepdims=True) + 1e-5)
    return (x - mean) * rstd * gamma + beta, mean, rstd


def _layer_norm_dx(dout, x, mean, rstd, gamma):
    xhat, d = (x - mean) * rstd, dout * gamma
    dx = rstd * (d - d.mean(1, keepdims=True) - xhat * (d * xhat).mean(1, keepdims=True))
    return dx, (dout * xhat).sum(0), dout.sum(0)


def _attention(q, k, v, mask=0.0):
    scores = q @ k.swapaxes(-1, -2) * 0.5 + mask
    e = np.exp(scores - scores.max(-1, keepdims=True))
    sums = e.sum(-1)
    return e / sums[..., None] @ v, np.log(sums) + scores.max(-1)


def _attention_dx(dout, q, k, v):
    out, sums = _attention(q, k, v)
    w = np.exp(q @ k.swapaxes(-1, -2) * 0.5 - sums[..., None])
    d = w * (dout @ v.swapaxes(-1, -2) - (dout * out).sum(-1, keepdims=True)) * 0.5
    return d @ k, d.swapaxes(-1, -2) @ q, w.swapaxes(-1, -2) @ dout


def _excluded(fn, x, axis):
    """A running sum or product that leaves the element itself out."""
    whole = fn(x, axis)
    start = (
        np.zeros_like(np.take(whole, [0], axis))
        if fn is np.cumsum
        else np.ones_like(np.take(whole, [0], axis))
    )
    return np.concatenate([start, np.take(whole, range(x.shape[axis] - 1), axis)], axis)


ZEROS = np.array([[2.0, 0.0, 3.0, -1.0], [1.0, 0.0, 0.0, 2.0], [0.5, 2.0, 1.5, 1.0]])
REDUCE = {"sum": np.sum, "prod": np.prod, "amax": np.max, "amin": np.min}
ROWS = [
    Row(
        n,
        several(A),
        lambda x, f=f: f(x, (0, 2)),
        call=lambda x, n=n: getattr(P, n)(x, (-1, 0)),
        slack=8,
    )
    for n, f in REDUCE.items()
]
ROWS += [
    Row(
        n,
        several(A),
        lambda x, f=f: f(x, 1, keepdims=True),
        call=lambda x, n=n: getattr(P, n)(x, 1, True),
        note="kept",
        slack=4,
        dtypes=DOUBLES,
    )
    for n, f in REDUCE.items()
]
ROWS += [
    Row(
        n,
        several(integers(1, 3, 2, 3)),
        lambda x, f=f: f(x, 1).astype(x.dtype),
        call=lambda x, n=n: getattr(P, n)(x, 1),
        note="ints",
        grad=False,
        dtypes=INTS,
    )
    for n, f in REDUCE.items()
]
ROWS += [
    Row("prod", several(ZEROS), lambda x: np.prod(x, 1), call=lambda x: P.prod(x, 1), note="zeros"),
    Row(
        "all",
        several(bools(3, 4)),
        lambda x: x.all(0),
        call=lambda x: P.all(x, 0),
        grad=False,
        dtypes=("bool",),
    ),
    Row("any", several(bools(3, 4)), lambda x: x.any(), grad=False, dtypes=("bool",)),
    Row(
        "argmax",
        several(A),
        lambda x: x.argmax(1),
        call=lambda x: P.argmax(x, 1),
        grad=False,
        dtypes=DOUBLES,
    ),
    Row(
        "argmin",
        several(A),
        lambda x: x.argmin(-1)[..., None],
        call=lambda x: P.argmin(x, -1, True),
        grad=False,
        dtypes=DOUBLES,
    ),
    Row("cumsum", several(A), lambda x: np.cumsum(x, 1), call=lambda x: P.cumsum(x, -2), slack=4),
    Row(
        "cumsum",
        several(A),
        lambda x: _excluded(np.cumsum, x[..., ::-1], 2)[..., ::-1],
        call=lambda x: P.cumsum(x, 2, True, True),
        note="reverse",
        slack=4,
    ),
    Row("cumprod", several(A), lambda x: np.cumprod(x, 1), call=lambda x: P.cumprod(x, 1), slack=4),
    Row(
        "cumprod",
        several(ZEROS),
        lambda x: np.cumprod(x, 1),
        call=lambda x: P.cumprod(x, 1),
        note="zeros",
    ),
    Row(
        "cumprod",
        several(ZEROS),
        lambda x: _excluded(np.cumprod, x, 1),
        call=lambda x: P.cumprod(x, 1, False, True),
        note="exclusive",
    ),
    Row("matmul", several(normal(3, 4), normal(4, 5)), np.matmul, slack=4),
    Row(
        "matmul",
        several(normal(2, 1, 4, 3), normal(3, 5, 4)),
        lambda x, y: np.matmul(x.swapaxes(-1, -2), y.swapaxes(-1, -2)),
        call=lambda x, y: P.matmul(x, y, True, True),
        note="batch",
        slack=4,
    ),
    Row(
        "matmul",
        several(normal(2, 3, 4), normal(5, 4)),
        lambda x, y: np.matmul(x, y.T),
        call=lambda x, y: P.matmul(x, y, False, True),
        note="rows",
        slack=4,
    ),
    Row(
        "matmul",
        several(integers(0, 3, 3, 4), integers(0, 3, 4, 2)),
        lambda x, y: np.matmul(x, y),
        note="ints",
        grad=False,
        dtypes=INTS,
    ),
    *_conv_rows(),
    *_each_conv_rows(),
    Row(
        "max_pool2d",
        several(normal(2, 3, 5, 4)),
        lambda x: _max_pool(x, (3, 2), (2, 1), (1, 0, 1, 1)),
        call=lambda x: P.max_pool2d(x, (3, 2), (2, 1), (1, 0, 1, 1)),
        dtypes=DOUBLES,
    ),
    Row(
        "max_pool2d",
        several(normal(2, 3, 6, 4)),
        lambda x: _max_pool(x, (2, 2), (2, 2), (0, 0, 0, 0)),
        call=lambda x: P.max_pool2d(x, 2),
        note="plain",
        dtypes=DOUBLES,
    ),
    Row(
        "max_pool2d_dx",
        several(normal(1, 2, 2, 2), integers(0, 12, 1, 2, 2, 2)),
        _max_pool_dx,
        call=lambda d, i: P.max_pool2d_dx(d, i, (1, 2, 3, 4)),
        dtypes=FLOATS,
    ),
    Row(
        "pool_gather",
        several(normal(1, 2, 3, 4), integers(0, 12, 1, 2, 2, 2)),
        lambda x, i: np.take_along_axis(x.reshape(1, 2, 12), i.reshape(1, 2, 4), 2).reshape(
            1, 2, 2, 2
        ),
    ),
    Row(
        "avg_pool2d",
        several(normal(2, 3, 5, 4)),
        lambda x: _pool(x, (3, 2), (2, 1), (1, 0, 1, 1), "mean"),
        call=lambda x: P.avg_pool2d(x, (3, 2), (2, 1), (1, 0, 1, 1)),
        slack=4,
    ),
    Row(
        "avg_pool2d",
        several(normal(2, 3, 5, 4)),
        lambda x: _pool(x, (3, 2), (2, 1), (1, 0, 1, 1), "inner"),
        call=lambda x: P.avg_pool2d(x, (3, 2), (2, 1), (1, 0, 1, 1), False),
        note="inner",
        slack=4,
    ),
    Row(
        "avg_pool2d_dx",
        several(normal(1, 2, 2, 5)),
        lambda d: _adjoint(
            lambda x: _pool(x, (3, 2), (2, 1), (1, 0, 1, 1), "mean"), (1, 2, 5, 4), d
        ),
        call=lambda d: P.avg_pool2d_dx(d, (1, 2, 5, 4), (3, 2), (2, 1), (1, 0, 1, 1), True),
        slack=4,
    ),
    Row(
        "softmax",
        several(A),
        lambda x: special.softmax(x, 1),
        call=lambda x: P.softmax(x, 1),
        slack=4,
    ),
    Row("log_softmax", several(A), lambda x: special.log_softmax(x, -1), slack=4),
    Row("nll", several(normal(3, 4), np.array([2, 0, 3])), lambda x, t: -x[np.arange(3), t]),
    Row(
        "nll_dx",
        several(normal(3), np.array([2, 0, 3])),
        lambda d, t: -d[:, None] * np.eye(4)[t],
        call=lambda d, t: P.nll_dx(d, t, 4),
    ),
    Row(
        "softmax_nll",
        several(normal(3, 4), np.array([2, 0, 3])),
        _softmax_nll,
        call=lambda x, t: P.softmax_nll(x, t)[0],
        slack=16,
        dtypes=DOUBLES,
    ),
    Row(
        "softmax_nll_dx",
        several(normal(3), normal(3, 4), np.array([2, 0, 3])),
        _softmax_nll_dx,
        call=lambda d, x, t: P.softmax_nll_dx(d, x, t, *_statistics(x, t)),
        slack=16,
        dtypes=DOUBLES,
    ),
    Row(
        "batch_norm_relu",
        several(normal(3, 2, 2, 2), normal(2), normal(2)),
        _batch_norm_relu,
        call=lambda *a: P.batch_norm_relu(*a, None, 1e-5),
        slack=16,
        dtypes=DOUBLES,
    ),
    Row(
        "batch_norm_relu",
        several(normal(3, 2, 4), normal(2), normal(2), normal(3, 2, 4)),
        _batch_norm_relu,
        call=lambda *a: P.batch_norm_relu(*a, 1e-5),
        slack=16,
        dtypes=DOUBLES,
        note="with a residual",
    ),
    Row(
        "batch_norm_relu_dx",
        several(*[normal(3, 2, 4)] * 3, normal(2), uniform(0.5, 2, 2), normal(2)),
        _batch_norm_relu_dx,
        call=lambda *a: P.batch_norm_relu_dx(*a, 1e-5, True),
        slack=16,
        dtypes=DOUBLES,
    ),
    Row(
        "batch_norm",
        several(normal(3, 2, 2, 2), normal(2), normal(2)),
        _batch_norm,
        slack=16,
        dtypes=DOUBLES,
    ),
    Row(
        "batch_norm_dx",
        several(normal(3, 2, 4), normal(3, 2, 4), normal(2), uniform(0.5, 2, 2), normal(2)),
        _batch_norm_dx,
        call=lambda *a: P.batch_norm_dx(*a, 1e-5),
        slack=16,
        dtypes=DOUBLES,
    ),
    Row(
        "batch_norm_infer",
        several(normal(3, 2, 4), normal(2), normal(2), normal(2), uniform(0.5, 2, 2)),
        _batch_norm_infer,
        slack=8,
        dtypes=DOUBLES,
    ),
    Row(
        "layer_norm",
        several(normal(3, 2, 4), normal(2, 4), normal(2, 4)),
        _layer_norm,
        call=lambda *a: P.layer_norm(*a, -2),
        slack=16,
        dtypes=DOUBLES,
    ),
    Row(
        "layer_norm_dx",
        several(normal(3, 4), normal(3, 4), normal(3, 1), uniform(0.5, 2, 3, 1), normal(4)),
        _layer_norm_dx,
        call=lambda *a: P.layer_norm_dx(*a, 1),
        slack=16,
        dtypes=DOUBLES,
    ),
    Row(
        "attention",
        several(normal(2, 3, 4), normal(2, 5, 4), normal(2, 5, 4), normal(1, 5)),
        _attention,
        call=lambda *a: P.attention(*a, 0.5),
        slack=16,
        dtypes=DOUBLES,
        note="masked",
    ),
    Row(
        "attention",
        several(normal(2, 3, 4), normal(2, 5, 4), normal(2, 5, 4)),
        _attention,
        call=lambda *a: P.attention(*a, None, 0.5),
        slack=16,
        dtypes=DOUBLES,
    ),
    Row(
        "attention_dx",
        several(normal(2, 3, 4), normal(2, 3, 4), normal(2, 5, 4), normal(2, 5, 4)),
        _attention_dx,
        call=lambda dout, *a: P.attention_dx(dout, *a, None, *P.attention(*a, None, 0.5), 0.5),
        slack=16,
        dtypes=DOUBLES,
    ),
    Row(
        "quantized_matmul",
        several(normal(5, 6), _bytes(3, 6), uniform(0.1, 1, 3), normal(3)),
        _quantized_matmul,
        dtypes=("float32",),
        grad=False,
    ),
    Row(
        "quantized_conv2d",
        several(normal(2, 3, 5, 4), _bytes(4, 3, 2, 3), uniform(0.1, 1, 4), normal(4)),
        _quantized_conv2d,
        call=lambda *a: P.quantized_conv2d(*a, (2, 1), (1, 1, 0, 1)),
        dtypes=("float32",),
        grad=False,
    ),
]
