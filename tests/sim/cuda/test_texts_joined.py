"""The texts of kernels that are several ops in one, and of int8 products, against NumPy, in all orders of
threads and blocks.
"""

import numpy as np
import pytest
from texts import compile_file

u32, u64, i64, f8 = np.uint32, np.uint64, np.int64, np.float64
NARROW = {"float": ("float", "f4"), "double": ("double", "f8")}


@pytest.mark.parametrize("name, pack, packs, lanes", [("float", 1, 2, 8), ("double", 2, 0, 256)])
def test_the_loss_of_class_ids(name, pack, packs, lanes):
    r = np.random.RandomState(0)
    rows, classes = 5, 10
    kind = NARROW[name][1]
    x, target = r.randn(rows, classes).astype(kind) * 9, r.randint(0, classes, rows)
    dout = r.randn(rows).astype(kind)
    module = compile_file(
        "softmax_nll",
        {
            "ELEMENT": name,
            "WIDE": name,
            "TARGET": "i64",
            "UNSIGNED": "false",
            "VEC": pack,
            "PACKS": packs,
        },
    )
    loss, tops, logs, dx = (np.zeros(s, kind) for s in (rows, rows, rows, (rows, classes)))
    fault = np.zeros(4, u64)
    grid = -(-rows // (256 // lanes))
    sizes = u64(rows), u64(classes), u32(lanes), fault, u32(0)
    module.launch("forward", grid, 256, x, target, loss, tops, logs, *sizes)
    module.launch("backward", grid, 256, dout, x, target, tops, logs, dx, *sizes)
    wide = x.astype(f8) - x.max(1, keepdims=True)
    total = np.log(np.exp(wide).sum(1))
    at = np.arange(rows), target
    close = {"rtol": 1e-5 if name == "float" else 1e-13, "atol": 1e-6 if name == "float" else 1e-14}
    np.testing.assert_allclose(loss, total - wide[at], **close)
    np.testing.assert_array_equal(tops, x.max(1))
    np.testing.assert_allclose(logs, total, **close)
    want = np.exp(wide - total[:, None])
    want[at] -= 1
    np.testing.assert_allclose(dx, dout[:, None] * want, **close)
    assert not fault.any()
    target[3] = classes
    module.launch("forward", grid, 256, x, target, loss, tops, logs, *sizes, order=0)
    assert fault[1:].tolist() == [classes, classes, 3]


CHANNELS = np.dtype([(n, "u8") for n in "channels plane each segments share".split()])


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("segments", [1, 2])
def test_batch_norm_that_is_rectified(residual, segments):
    r = np.random.RandomState(1)
    batch, channels, plane, eps = 3, 2, 200, 1e-5
    shape = (batch, channels, plane)
    x, more, dout = (r.randn(*shape).astype("f4") for _ in range(3))
    gamma, beta = r.rand(channels).astype("f4") + 0.5, r.randn(channels).astype("f4")
    each = batch * plane
    share = each if segments == 1 else 512
    problem = np.array((channels, plane, each, segments, share), CHANNELS)[()]
    module = compile_file(
        "norm_batch",
        {
            "ELEMENT": "float",
            "WIDE": "float",
            "INDEX": "u32",
            "VEC": 2,
            "RELU": 1,
            "RESIDUAL": int(residual),
        },
    )
    blocks = channels * segments
    y, dx, dmore = (np.zeros(shape, "f4") for _ in range(3))
    mean, var, dgamma, dbeta = (np.zeros(channels, "f4") for _ in range(4))
    partial = np.zeros((blocks, 2))
    added = more if residual else None
    module.launch("moments", blocks, 256, x, partial, problem)
    module.launch(
        "normalize", blocks, 256, x, gamma, beta, added, partial, y, mean, var, problem, f8(eps)
    )
    module.launch("products", blocks, 256, dout, y, x, mean, partial, problem)
    module.launch(
        "backward",
        *(blocks, 256, dout, y, x, mean, var, gamma, partial, dx, dgamma, dbeta),
        *(dmore if residual else None, problem, f8(eps)),
    )
    w, axes = x.astype(f8), (0, 2)
    wide = [v[None, :, None].astype(f8) for v in (gamma, beta)]
    m, v = w.mean(axes, keepdims=True), w.var(axes, keepdims=True)
    hat = (w - m) / np.sqrt(v + eps)
    before = hat * wide[0] + wide[1] + (more if residual else 0)
    np.testing.assert_allclose(y, np.maximum(before, 0), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(mean, m.ravel(), rtol=1e-4, atol=1e-6)
    d = np.where(before > 0, dout, 0)
    np.testing.assert_allclose(dbeta, d.sum(axes), rtol=1e-4)
    np.testing.assert_allclose(dgamma, (d * hat).sum(axes), rtol=1e-4)
    centred = d - d.mean(axes, keepdims=True) - hat * (d * hat).mean(axes, keepdims=True)
    np.testing.assert_allclose(dx, wide[0] / np.sqrt(v + eps) * centred, rtol=1e-3, atol=1e-5)
    if residual:
        np.testing.assert_array_equal(dmore, np.where(y > 0, dout, 0))


@pytest.mark.parametrize("m, n, k, stack", [(3, 5, 7, 2), (70, 66, 132, 1)])
def test_products_of_bytes(m, n, k, stack):
    """Integers: equal to the bit."""
    r = np.random.RandomState(2)
    x = r.randn(stack, m, k).astype("f4")
    w = r.randint(-128, 128, (stack, n, k)).astype("i1")
    factors, bias = r.rand(stack, n).astype("f4"), r.randn(stack, n).astype("f4")
    x[0, 1] = 0
    x[0, 2, 3] = np.nan
    words = -(-k // 4)
    module = compile_file("quantized")
    packed, weights = np.zeros((stack, m, words), "u4"), np.zeros((stack, n, words), "u4")
    scales, zeros, sums = (
        np.zeros((stack, m), "f4"),
        np.zeros((stack, m), "i4"),
        np.zeros((stack, n), "i4"),
    )
    out = np.zeros((stack, m, n), "f4")
    module.launch("bytes", stack * m, 256, x, packed, scales, zeros, i64(k), i64(words))
    blocks = -(-stack * n // 8)
    module.launch("weights", blocks, 256, w, weights, sums, i64(stack * n), i64(k), i64(words))
    tiles = -(-m // 64) * -(-n // 64) * stack
    operands = packed, weights, scales, zeros, sums, factors, bias, out
    module.launch("product", tiles, 256, *operands, i64(m), i64(n), i64(words))
    low, high = np.minimum(x.min(2), 0), np.maximum(x.max(2), 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = high / np.float32(255) - low / np.float32(255)
        flat = scale < np.finfo("f4").tiny
        scale = np.where(flat, np.float32(1), scale)
        zero = np.where(flat, 0, np.clip(np.rint(-low / scale), 0, 255))
        steps = np.rint(
            np.clip(x * (1 / scale)[..., None], -zero[..., None], 255 - zero[..., None])
        )
    steps = np.nan_to_num(steps).astype("i8")
    whole = (steps @ w.astype("i8").swapaxes(1, 2)).astype("f4")
    want = whole * (scale[..., None] * factors[:, None]) + bias[:, None]
    good = ~np.isnan(x).any(2)
    np.testing.assert_array_equal(out[good], want[good].astype("f4"))
    assert np.isnan(out[~good]).all()
    np.testing.assert_array_equal(sums, w.astype("i4").sum(2))
