"""Layers without recorded numbers, against formulas in NumPy, in both modes; and random layers'
statistics.
"""

from __future__ import annotations

import numpy as np
import pytest

import minds as ms
from minds import nn, ops

RNG = np.random.RandomState(0)


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def draw(*shape):
    return RNG.randn(*shape).astype(np.float32)


def close(tensor, wanted, tol=2e-5):
    assert tensor.shape == np.shape(wanted)
    np.testing.assert_allclose(tensor.asnumpy(), wanted, rtol=tol, atol=tol)


def normal(x, axes, eps=1e-5):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


@pytest.mark.parametrize(
    "cls, shape",
    [
        (nn.InstanceNorm1d, (2, 3, 5)),
        (nn.InstanceNorm2d, (2, 3, 4, 5)),
        (nn.InstanceNorm3d, (2, 3, 2, 2, 3)),
    ],
)
def test_instance_norm(cls, shape):
    x = draw(*shape)
    close(
        cls(3, gamma_init=2.0, beta_init=1.0).set_train()(ms.Tensor(x)),
        2 * normal(x, tuple(range(2, x.ndim))) + 1,
    )


def test_batch_norm_of_sequences():
    x = draw(4, 3, 5)
    net = nn.BatchNorm1d(3).set_train()
    close(net(ms.Tensor(x)), normal(x, (0, 2)))
    close(net.moving_mean, 0.1 * x.mean((0, 2)))
    close(net.moving_variance, 0.9 + 0.1 * x.transpose(1, 0, 2).reshape(3, -1).var(1, ddof=1))


def test_batch_norm_with_fixed_choice_of_statistics():
    x = draw(4, 3, 2, 2)
    net = nn.BatchNorm2d(3, use_batch_statistics=True)
    close(net(ms.Tensor(x)), normal(x, (0, 2, 3)))
    assert abs(net.moving_mean.asnumpy()).max() > 0
    net = nn.BatchNorm2d(3, use_batch_statistics=False, affine=False).set_train()
    close(net(ms.Tensor(x)), x / np.sqrt(1 + 1e-5))
    assert (net.moving_mean.asnumpy() == 0).all() and net.trainable_params() == []


def test_batch_norm_channels_last():
    x = draw(4, 2, 2, 3)
    close(nn.BatchNorm2d(3, data_format="NHWC").set_train()(ms.Tensor(x)), normal(x, (0, 1, 2)))


def test_batch_of_one_element():
    net = nn.BatchNorm1d(2).set_train()
    close(net(ms.Tensor([[3.0, 4.0]])), [[0, 0]])
    close(net.moving_variance, [0.9, 0.9])


def test_layer_norm_of_other_params():
    x = draw(2, 3, 4)
    close(
        nn.LayerNorm((4,), begin_norm_axis=1, begin_params_axis=2, gamma_init=2.0)(ms.Tensor(x)),
        2 * normal(x, (1, 2), 1e-7),
    )


def test_channels_last():
    x, w = draw(1, 5, 5, 2), draw(3, 3, 3, 2)
    last = nn.Conv2d(
        2, 3, 3, weight_init=ms.Tensor(w), has_bias=True, bias_init="ones", data_format="NHWC"
    )(ms.Tensor(x))
    first = nn.Conv2d(
        2,
        3,
        3,
        weight_init=ms.Tensor(w.transpose(0, 3, 1, 2).copy()),
        has_bias=True,
        bias_init="ones",
    )
    close(last, first(ms.Tensor(x.transpose(0, 3, 1, 2).copy())).asnumpy().transpose(0, 2, 3, 1))
    pooled = nn.MaxPool2d(2, 2, data_format="NHWC")(ms.Tensor(x[:, :4, :4].copy()))
    close(pooled, x[:, :4, :4].reshape(1, 2, 2, 2, 2, 2).max((2, 4)))


def test_pools_without_a_batch_and_with_ceiling():
    x = np.arange(25, dtype=np.float32).reshape(1, 5, 5)
    close(nn.MaxPool2d(2, 2)(ms.Tensor(x)), [[[6, 8], [16, 18]]])
    close(
        nn.MaxPool2d(2, 2, "pad", ceil_mode=True)(ms.Tensor(x)),
        [[[6, 8, 9], [16, 18, 19], [21, 23, 24]]],
    )
    out, index = nn.MaxPool2d(2, 2, return_indices=True)(ms.Tensor(x))
    close(index, out.asnumpy())
    close(nn.AvgPool2d(2, 2, "pad", 1, count_include_pad=False)(ms.Tensor(x))[0, 0], [0, 1.5, 3.5])
    close(nn.AvgPool2d(2, 2, "pad", 1)(ms.Tensor(x))[0, 0], [0, 0.75, 1.75])
    close(nn.AvgPool2d(2, 2, divisor_override=2)(ms.Tensor(x)), [[[6, 10], [26, 30]]])
    close(nn.AvgPool1d(2, 2)(ms.Tensor(x)), [[[r * 5 + 0.5, r * 5 + 2.5] for r in range(5)]])
    close(nn.AdaptiveMaxPool1d(2)(ms.Tensor(x)), [[[r * 5 + 2, r * 5 + 4] for r in range(5)]])
    close(nn.AdaptiveAvgPool1d(5)(ms.Tensor(x)), x)
    out, index = nn.AdaptiveMaxPool2d(1, return_indices=True)(ms.Tensor(x))
    close(out, [[[24]]]), close(index, [[[24]]])


@pytest.mark.parametrize(
    "cell, shape, whole",
    [
        (nn.Dropout(p=0.3), (200, 100), 0),
        (nn.Dropout(keep_prob=0.7), (200, 100), 0),
        (nn.Dropout1d(0.3), (200, 100, 3), 1),
        (nn.Dropout2d(0.3), (200, 100, 2, 2), 2),
        (nn.Dropout3d(0.3), (200, 100, 2, 1, 2), 3),
    ],
)
def test_dropout(cell, shape, whole):
    x = ms.ops.ones(shape)
    close(cell.set_train(False)(x), np.ones(shape))
    cell.set_train()
    a, b = cell(x).asnumpy(), cell(x).asnumpy()
    assert not np.array_equal(a, b)
    flat = a.reshape(200 * 100, -1)
    assert (flat == flat[:, :1]).all() and abs((flat[:, 0] == 0).mean() - 0.3) < 0.02
    np.testing.assert_allclose(a[a != 0], 1 / 0.7, rtol=1e-6)
    g = ms.grad(lambda x: cell(x).sum())(x).asnumpy()
    assert set(np.unique(g.round(4))) == {0, np.float32(1.4286)}


def test_embedding_by_one_hot_and_with_a_bound():
    table, ids = draw(5, 3), np.array([[4, 0], [2, 2]], np.int32)
    close(nn.Embedding(5, 3, True, ms.Tensor(table))(ms.Tensor(ids)), table[ids])
    rows = table[ids]
    bounded = rows * np.minimum(1, 0.5 / np.linalg.norm(rows, axis=-1, keepdims=True))
    close(nn.EmbeddingLookup(5, 3, ms.Tensor(table), max_norm=0.5)(ms.Tensor(ids)), bounded)


def test_rearranging():
    x = draw(1, 2, 4, 5)
    wanted = np.concatenate(
        [x[:, :, i : i + 3 : 2, j : j + 3] for i in range(2) for j in range(3)], 1
    )
    close(nn.Unfold((1, 2, 3, 1), (1, 2, 1, 1), (1, 1, 1, 1))(ms.Tensor(x)), wanted)
    assert nn.Unfold((1, 3, 3, 1), (1, 2, 2, 1), (1, 1, 1, 1), "same")(ms.Tensor(x)).shape == (
        1,
        18,
        2,
        3,
    )
    close(nn.Roll(1, 0)(ms.Tensor(x[0, 0])), np.roll(x[0, 0], 1, 0))
    packed = draw(1, 8, 2, 3)
    close(nn.PixelUnshuffle(2)(nn.PixelShuffle(2)(ms.Tensor(packed))), packed)
    close(
        nn.ReplicationPad2d((1, 0, 2, 1))(ms.Tensor(x)),
        np.pad(x, ((0, 0), (0, 0), (2, 1), (1, 0)), "edge"),
    )
    close(
        nn.ReflectionPad2d((1, 2, 3, 1))(ms.Tensor(x)),
        np.pad(x, ((0, 0), (0, 0), (3, 1), (1, 2)), "reflect"),
    )
    close(
        nn.ConstantPad3d((0, 1), 5.0)(ms.Tensor(x)),
        np.pad(x, ((0, 0), (0, 0), (0, 0), (0, 1)), constant_values=5),
    )
    close(nn.ZeroPad2d(1)(ms.Tensor(x)), np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))))
    close(
        nn.Upsample(size=(3, 7))(ms.Tensor(x)),
        x[:, :, np.arange(3) * 4 // 3][:, :, :, np.arange(7) * 5 // 7],
    )
    close(nn.Upsample(scale_factor=2, mode="linear")(ms.Tensor([[[0.0, 4.0]]])), [[[0, 1, 3, 4]]])


def test_matrices():
    x, d = draw(2, 3, 4), draw(2, 3)
    close(nn.MatrixDiagPart()(ms.Tensor(x)), np.diagonal(x, axis1=1, axis2=2))
    close(nn.MatrixDiag()(ms.Tensor(d)), np.stack([np.diag(v) for v in d]))
    wanted = x.copy()
    wanted[:, range(3), range(3)] = d
    close(nn.MatrixSetDiag()(ms.Tensor(x), ms.Tensor(d)), wanted)
    close(nn.Tril()(ms.Tensor(x)), np.tril(x))
    close(nn.Triu()(ms.Tensor(x)), np.triu(x))
    close(nn.MatMul(True)(ms.Tensor(x), ms.Tensor(draw(2, 3, 1) * 0 + 1)), x.sum(1)[..., None])


def test_losses():
    x, y, z = draw(4, 3), draw(4, 3), draw(4, 3)
    signs = np.array([1, -1, 1, -1], np.float32)
    close(
        nn.SoftMarginLoss("none")(ms.Tensor(x[:, 0]), ms.Tensor(signs)),
        np.log1p(np.exp(-signs * x[:, 0])),
    )
    close(
        nn.HingeEmbeddingLoss(reduction="none")(ms.Tensor(x[:, 0]), ms.Tensor(signs)),
        np.where(signs == 1, x[:, 0], np.maximum(0, 1 - x[:, 0])),
    )
    near, far = (np.linalg.norm(x - v + 1e-6, axis=1) for v in (y, z))
    close(
        nn.TripletMarginLoss(reduction="none")(*map(ms.Tensor, (x, y, z))),
        np.maximum(near - far + 1, 0),
        1e-4,
    )
    p = 1 / (1 + np.exp(-x))
    close(
        nn.MultiClassDiceLoss(activation="sigmoid")(ms.Tensor(x), ms.Tensor(y)),
        np.mean(
            [
                1
                - 2
                * (p[:, c] * y[:, c]).sum()
                / ((p[:, c] ** 2).sum() + (y[:, c] ** 2).sum() + 1e-5)
                for c in range(3)
            ]
        ),
        1e-4,
    )
    close(
        nn.PSNR(2.0)(ms.Tensor(x[None, None]), ms.Tensor(y[None, None])),
        [10 * np.log10(4 / np.mean((x - y) ** 2))],
        1e-4,
    )
    logits, ids = ms.Tensor(x), ms.Tensor(np.array([0, 1, 2, 1], np.int32))
    logp = np.log(np.exp(x) / np.exp(x).sum(1, keepdims=True))[range(4), [0, 1, 2, 1]]
    close(
        nn.FocalLoss(gamma=2.0, reduction="none")(
            logits, ms.Tensor(np.array([[0], [1], [2], [1]], np.int32))
        ),
        -((1 - np.exp(logp)) ** 2) * logp,
        1e-4,
    )
    close(nn.CrossEntropyLoss(reduction="none")(logits, ids), -logp)


def test_activations():
    x = np.array([-3.0, -1.0, -0.1, 0.5, 50.0], np.float32)
    scale, alpha = 1.0507009873554805, 1.6732632423543772
    close(nn.SeLU()(ms.Tensor(x)), scale * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0))))
    close(
        ms.grad(nn.SeLU())(ms.Tensor(x)),
        scale * np.where(x > 0, 1, alpha * np.exp(np.minimum(x, 0))),
    )
    close(nn.RReLU(0.2, 0.4)(ms.Tensor(x)), np.where(x > 0, x, 0.3 * x))
    slopes = nn.RReLU(0.2, 0.4).set_train()(ms.Tensor(np.full(1000, -1.0, np.float32))).asnumpy()
    assert -0.4 <= slopes.min() < -0.39 and -0.21 < slopes.max() <= -0.2
    for name in ("relu", "gelu", "sigmoid", "leakyrelu", "hswish"):
        assert isinstance(nn.get_activation(name), nn.Cell)
    assert nn.get_activation(None) is None


def test_empty_batches():
    empty = ms.Tensor(np.zeros((0, 3), np.float32))
    assert nn.Dense(3, 2, activation="relu")(empty).shape == (0, 2)
    assert nn.LayerNorm((3,))(empty).shape == (0, 3)
    assert nn.Conv2d(3, 4, 3)(ms.Tensor(np.zeros((0, 3, 5, 5), np.float32))).shape == (0, 4, 5, 5)
    assert nn.MaxPool2d(2, 2)(ms.Tensor(np.zeros((0, 3, 4, 4), np.float32))).shape == (0, 3, 2, 2)


def test_torch_spellings():
    x = draw(2, 3, 4, 4)
    close(nn.LayerNormExt(4)(ms.Tensor(x)), normal(x, 3))
    assert [p.name for p in nn.LayerNormExt(4).trainable_params()] == ["weight", "bias"]
    close(nn.MaxPool2dExt(2)(ms.Tensor(x)), x.reshape(2, 3, 2, 2, 2, 2).max((3, 5)))
    close(nn.AvgPool2dExt(2)(ms.Tensor(x)), x.reshape(2, 3, 2, 2, 2, 2).mean((3, 5)))
    close(nn.AvgPool1dExt(2)(ms.Tensor(x[0])), x[0].reshape(3, 4, 2, 2).mean(3))
    e = np.exp(x)
    close(nn.LogSoftmaxExt()(ms.Tensor(x)), np.log(e / e.sum(1, keepdims=True)))
    close(nn.PReLUExt()(ms.Tensor(x)), np.where(x > 0, x, 0.25 * x))
    close(nn.DropoutExt(1.0).set_train()(ms.Tensor(x)), 0 * x)
    close(nn.SyncBatchNorm(3).set_train()(ms.Tensor(x)), normal(x, (0, 2, 3)))
    table = draw(4, 2)
    cell = nn.EmbeddingExt(4, 2, padding_idx=-1, max_norm=1.0, _weight=ms.Tensor(table))
    ids = np.array([0, 3, 3])
    rows = table[ids]
    close(
        cell(ms.Tensor(ids)),
        rows * np.minimum(1, 1 / np.linalg.norm(rows, axis=1, keepdims=True)),
        1e-4,
    )
    g = ms.grad(lambda i: cell(i).sum(), None, cell.trainable_params())(ms.Tensor(ids))[0].asnumpy()
    assert (g[3] == 0).all() and (g[0] != 0).any()


def test_lars():
    p0, g0 = draw(3), draw(3)
    w, b = (ms.Parameter(ms.Tensor(p0), name=n) for n in ("w", "bias"))
    opt = nn.LARS(nn.SGD([w, b], 0.5, weight_decay=0.1), epsilon=1e-5, coefficient=0.2)
    opt((ms.Tensor(g0), ms.Tensor(g0)))
    scale = 0.2 * np.linalg.norm(p0) / (np.linalg.norm(g0) + 0.1 * np.linalg.norm(p0) + 1e-5)
    close(w, p0 - 0.5 * scale * (g0 + 0.1 * p0))
    close(b, p0 - 0.5 * (g0 + 0.1 * p0))


def similarity(x, y):
    """SSIM of each channel by the definition, window by window; and its contrast factor."""
    line = np.exp(-0.5 * ((np.arange(11) - 5) / 1.5) ** 2)
    w = np.outer(line, line) / line.sum() ** 2
    whole, rest = [], []
    for i in range(x.shape[0] - 10):
        for j in range(x.shape[1] - 10):
            a, b = (
                x[i : i + 11, j : j + 11].astype(np.float64),
                y[i : i + 11, j : j + 11].astype(np.float64),
            )
            ma, mb = (w * a).sum(), (w * b).sum()
            va, vb, cov = (
                (w * (a - ma) ** 2).sum(),
                (w * (b - mb) ** 2).sum(),
                (w * (a - ma) * (b - mb)).sum(),
            )
            rest.append((2 * cov + 0.03**2) / (va + vb + 0.03**2))
            whole.append(rest[-1] * (2 * ma * mb + 1e-4) / (ma**2 + mb**2 + 1e-4))
    return np.mean(whole), np.mean(rest)


def test_ssim():
    x, y = RNG.rand(2, 2, 13, 14).astype(np.float32), RNG.rand(2, 2, 13, 14).astype(np.float32)
    close(
        nn.SSIM()(ms.Tensor(x), ms.Tensor(y)),
        [np.mean([similarity(a, b)[0] for a, b in zip(p, q)]) for p, q in zip(x, y)],
        1e-4,
    )
    x = RNG.rand(1, 1, 24, 26).astype(np.float32)
    y = np.clip(x + 0.2 * RNG.rand(1, 1, 24, 26).astype(np.float32), 0, 1)
    small = [v.reshape(12, 2, 13, 2).mean((1, 3)) for v in (x, y)]
    wanted = similarity(x[0, 0], y[0, 0])[1] ** 0.4 * similarity(*small)[0] ** 0.6
    close(nn.MSSSIM(power_factors=(0.4, 0.6))(ms.Tensor(x), ms.Tensor(y)), [wanted], 1e-4)
    for kwargs, kind in (
        ({"max_val": -1}, ValueError),
        ({"max_val": True}, TypeError),
        ({"filter_size": 1.1}, TypeError),
        ({"filter_sigma": 0.0}, ValueError),
        ({"k1": 1.0}, ValueError),
        ({"k2": 0.0}, ValueError),
    ):
        with pytest.raises(kind):
            nn.SSIM(**kwargs)
    image = ms.Tensor(x)
    with pytest.raises(ValueError, match="expected one shape of rank 4"):
        nn.SSIM()(image, image[:, :, 1:])
    with pytest.raises(TypeError, match="expected one dtype"):
        nn.SSIM()(image, image.astype(ms.float16))


@pytest.mark.parametrize("bound, by_frequency", [(None, True), (2.0, False), (2.0, True)])
def test_embedding_with_a_bound_in_place_and_gradients_by_frequency(bound, by_frequency):
    table, ids = np.arange(12, dtype=np.float32).reshape(4, 3), np.array([[1, 3], [1, 0]])
    factors = np.arange(1, 13, dtype=np.float32).reshape(2, 2, 3)

    def loss(weight, ids, factors):
        return (ms.ops.embedding(ids, weight, None, bound, 2.0, by_frequency) * factors).sum()

    wanted, gradient = table.copy(), np.zeros_like(table)
    for i in (1, 3, 0):
        norm = np.linalg.norm(table[i])
        wanted[i] *= bound / norm if bound is not None and norm > bound else 1
    for i, d in zip(ids.ravel(), factors.reshape(-1, 3)):
        gradient[i] += d / (np.sum(ids == i) if by_frequency else 1)
    arguments = ms.Tensor(ids), ms.Tensor(factors)
    close(ms.grad(loss)(ms.Tensor(table), *arguments), gradient)
    weight = ms.Tensor(table)
    close(ms.ops.embedding(arguments[0], weight, None, bound), wanted[ids])
    close(weight, wanted)
    cell = nn.EmbeddingExt(4, 3, None, bound, 2.0, by_frequency, _weight=ms.Tensor(table))
    close(ms.grad(lambda i, k: (cell(i) * k).sum(), None, cell.weight)(*arguments), gradient)
    close(cell.weight, wanted)
    close(cell(arguments[0]), wanted[ids])


@pytest.mark.parametrize("compiled", [False, True])
def test_gradient_of_rows_that_are_scaled_down_is_that_of_the_lookup(compiled):
    values, weights, ids = 3 * draw(5, 3), draw(4, 3), np.array([4, 0, 2, 2])
    table = ms.Parameter(ms.Tensor(values))

    def looked_up():
        return (ops.embedding(ms.Tensor(ids), table, max_norm=0.5) * ms.Tensor(weights)).sum()

    take = ms.grad(looked_up, None, [table])
    found = (ms.jit(take) if compiled else take)()[0]
    expected = np.zeros_like(values)
    np.add.at(expected, ids, weights)
    close(found, expected)
    values[ids] *= np.minimum(1, 0.5 / np.linalg.norm(values[ids], axis=1, keepdims=True))
    close(table, values, 1e-4)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_similarity_of_other_dtypes(mode):
    rng = np.random.default_rng(2)
    a, b = rng.random((2, 1, 1, 8, 12))
    ms.set_context(mode=mode)
    net = nn.MSSSIM(power_factors=(0.4, 0.6), filter_size=3)
    expected = net(ms.Tensor(a, ms.float32), ms.Tensor(b, ms.float32)).asnumpy()
    wide = net(ms.Tensor(a), ms.Tensor(b))
    half = nn.SSIM(filter_size=3)(ms.Tensor(a, ms.float16), ms.Tensor(a, ms.float16))
    whole = nn.MSSSIM(255, (0.4, 0.6), 3)(*[ms.Tensor(np.uint8(v * 255)) for v in (a, b)])
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert wide.dtype is half.dtype is whole.dtype is ms.float32
    np.testing.assert_allclose(wide.asnumpy(), expected, rtol=1e-5)
    np.testing.assert_allclose(whole.asnumpy(), expected, rtol=0.05)
    np.testing.assert_allclose(half.asnumpy(), [1.0], rtol=1e-4)
    with pytest.raises(TypeError, match="expected one of"):
        nn.SSIM()(ms.Tensor(a), ms.Tensor(b))


@pytest.mark.parametrize("how", ["eager", "jit", "grad", "vjp", "grad in jit", "vjp in jit"])
@pytest.mark.parametrize("spelling", ["function", "class"])
@pytest.mark.parametrize("shape", [(4, 3, 2), (1, 3)])
def test_running_statistics_of_batch_norm_are_kept(shape, spelling, how):
    given = np.random.default_rng(0).standard_normal(shape).astype(np.float32) * 3
    before, (one, other) = (
        np.float32([1, 2, 3]),
        (ms.Tensor([1.0, 2.0, 0.5]), ms.Tensor([0.5, 0.0, 1.0])),
    )
    mean, variance = (
        ms.Parameter(ms.Tensor(before), name="m"),
        ms.Parameter(ms.Tensor(before), name="v"),
    )
    op = ops.BatchNorm(is_training=True, momentum=0.3)

    def normal(x):
        if spelling == "class":
            return op(x, one, other, mean, variance)[0]
        return ops.batch_norm(x, mean, variance, one, other, training=True, momentum=0.3)

    def run(x):
        if how.startswith("grad"):
            return ops.grad(normal)(x)
        if how.startswith("vjp"):
            out, back = ops.vjp(normal, x)
            return back(out)
        return normal(x)

    (ms.jit(run) if "jit" in how else run)(ms.Tensor(given))
    axes, few = (0, *range(2, given.ndim)), shape[0] == 1
    share = [given.mean(axes), given.var(axes, ddof=0 if few else 1)]
    for state, now in zip((mean, variance), share):
        np.testing.assert_allclose(state.asnumpy(), 0.7 * before + 0.3 * now, 1e-5, 1e-6)


@pytest.mark.parametrize(
    "name, args",
    [
        ("HShrink", ("x",)),
        ("RReLU", ("x",)),
        ("LRN", (5, "x")),
        ("LRN", (5, 1.0, True)),
        ("LRN", (5, 1.0, 1.0, None)),
        ("LRN", (5, 1.0, 1.0, 0.5, 1)),
        ("MaxPool2d", (1, 1, 1)),
        ("MaxPool3d", (1, 1, None)),
        ("Conv3d", (1, 1, 1, 1, 1)),
        ("RNNCell", (2, 3, True, 1)),
        ("GroupNorm", (1, 3, "x")),
        ("InstanceNorm1d", (3, [])),
        ("ConstantPad1d", (1, "x")),
        ("AdaptiveAvgPool3d", (1.5,)),
        ("AdaptiveAvgPool3d", (None,)),
        ("AdaptiveMaxPool3d", ((1, "x", 1),)),
        ("Roll", ("x", 0)),
        ("Roll", (1, None)),
        ("ReduceLogSumExp", ("x",)),
        ("ClipByNorm", ("x",)),
        ("HingeEmbeddingLoss", ("x",)),
        ("MultiMarginLoss", (1, "x")),
        ("MultiMarginLoss", (True,)),
        ("FocalLoss", (None, ())),
    ],
)
def test_constructors_refuse_wrong_types(name, args):
    with pytest.raises(TypeError, match=f"^{name}: "):
        getattr(nn, name)(*args)


def test_embedding_lookup_refuses_wrong_types():
    for wrong in ({"sparse": "x"}, {"max_norm": "x"}):
        with pytest.raises(TypeError, match="^EmbeddingLookup: "):
            nn.EmbeddingLookup(4, 3, **wrong)


def test_one_shift_for_each_axis():
    with pytest.raises(ValueError, match="^Roll: shift is 1, axis"):
        nn.Roll(1, (0, 1))
    assert nn.Roll((1, 1), (0, 1))(ms.Tensor([[1, 2], [3, 4]])).asnumpy().tolist() == [
        [4, 3],
        [2, 1],
    ]


def test_mean_pools_reach_over_the_end_in_each_mode_of_padding():
    """The last window holds one element; with ``same`` what is added counts as zeros."""
    line = ms.Tensor(np.arange(7, dtype=np.float32).reshape(1, 1, 7))
    square = ms.Tensor(np.tile(np.arange(7, dtype=np.float32), (1, 1, 7, 1)))
    for mode in ("valid", "pad"):
        got = nn.AvgPool1d(2, 2, mode, ceil_mode=True)(line).asnumpy()
        np.testing.assert_allclose(got[0, 0], [0.5, 2.5, 4.5, 6.0])
        got = nn.AvgPool2d(2, 2, mode, ceil_mode=True)(square).asnumpy()
        np.testing.assert_allclose(got[0, 0, 3], [0.5, 2.5, 4.5, 6.0])
    got = nn.AvgPool1d(3, 2, "same", ceil_mode=True)(line).asnumpy()
    np.testing.assert_allclose(got[0, 0], [1 / 3, 2.0, 4.0, 11 / 3], rtol=1e-6)
    got = nn.AvgPool1d(3, 2, "same", ceil_mode=True, count_include_pad=False)(line).asnumpy()
    np.testing.assert_allclose(got[0, 0], [0.5, 2.0, 4.0, 5.5], rtol=1e-6)
    assert "kernel_size=(1, 2)" in repr(nn.AvgPool1d((2,)))
