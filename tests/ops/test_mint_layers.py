"""Layers and functions of `minds.mint` that take torch's parameters, against NumPy and SciPy."""

import itertools

import numpy as np
import pytest
from scipy import signal

import minds as ms
from minds import Tensor, mint
from minds.mint.nn import functional as F

RNG = np.random.default_rng(0)
NUMPY_PAD = {"zeros": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@pytest.fixture(autouse=True, params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def mode(request):
    ms.set_context(mode=request.param)


def drawn(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def close(got, want, tolerance=1e-4):
    np.testing.assert_allclose(got.asnumpy(), want, rtol=tolerance, atol=tolerance)


def correlated(x, w, stride=1):
    """The sums of products of (N, C, ...) with windows (O, C, ...), by SciPy."""
    full = [
        [
            sum(signal.correlate(x[n, c], w[o, c], "valid") for c in range(x.shape[1]))
            for o in range(len(w))
        ]
        for n in range(len(x))
    ]
    return np.array(full)[(slice(None), slice(None), *[slice(None, None, stride)] * (x.ndim - 2))]


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("padding_mode", list(NUMPY_PAD))
def test_convolution(rank, padding_mode):
    layer = (mint.nn.Conv1d, mint.nn.Conv2d, mint.nn.Conv3d)[rank - 1]
    padding = (1, 2, 0)[:rank]
    net = layer(2, 3, 3, 2, padding, padding_mode=padding_mode)
    x = drawn(2, 2, *(7, 6, 5)[:rank])
    w, b = net.weight.asnumpy(), net.bias.asnumpy()
    w = w.reshape(3, 2, *(3,) * rank)
    around = [(0, 0), (0, 0), *[(p, p) for p in padding]]
    want = correlated(np.pad(x, around, NUMPY_PAD[padding_mode]), w, 2)
    close(net(Tensor(x)), want + b.reshape(-1, *(1,) * rank))
    same = layer(2, 3, 3, padding="same", bias=False)
    assert same(Tensor(x)).shape == (2, 3, *x.shape[2:])
    function = (F.conv1d, F.conv2d, F.conv3d)[rank - 1]
    close(function(Tensor(x), Tensor(w), stride=2), correlated(x, w, 2))


def test_transposed_convolution():
    """It is the gradient of the convolution: <conv(x), y> = <x, transposed(y)>."""
    net = mint.nn.ConvTranspose2d(3, 2, 3, 2, (1, 0), bias=False)
    y = Tensor(drawn(1, 3, 4, 5))
    back = net(y)
    x = Tensor(drawn(*back.shape))
    ahead = F.conv2d(x, net.weight, stride=2, padding=(1, 0))
    close((ahead * y).sum(), (x * back).sum().asnumpy(), 1e-3)
    close(F.conv_transpose2d(y, net.weight, None, 2, (1, 0)), back.asnumpy())
    assert mint.nn.ConvTranspose2d(3, 2, 3, 2, 1, 1)(y).shape == (1, 2, 8, 10)
    with pytest.raises(ValueError, match="padding_mode is 'reflect'"):
        mint.nn.ConvTranspose2d(3, 2, 3, padding_mode="reflect")


def test_conv_tbc():
    x, w, b = drawn(7, 2, 3), drawn(3, 3, 4), drawn(4)
    want = correlated(np.pad(x.transpose(1, 2, 0), [(0, 0), (0, 0), (1, 1)]), w.transpose(2, 1, 0))
    close(mint.conv_tbc(Tensor(x), Tensor(w), Tensor(b), 1), want.transpose(2, 0, 1) + b)


def test_average_pools():
    x = drawn(1, 2, 6, 6, 6)
    blocks = x.reshape(1, 2, 3, 2, 3, 2, 3, 2).mean((3, 5, 7))
    close(mint.nn.AvgPool3d(2)(Tensor(x)), blocks)
    close(mint.nn.AdaptiveAvgPool3d(3)(Tensor(x)), blocks)
    close(F.avg_pool3d(Tensor(x), 2, divisor_override=4), blocks * 2)
    line = x[0, :, 0, 0]
    close(mint.nn.AvgPool1d(2)(Tensor(line[None])), line[None].reshape(1, 2, 3, 2).mean(-1))
    close(
        F.avg_pool1d(Tensor(line[None]), 3, 1),
        np.stack([line[None, :, i : i + 3].mean(-1) for i in range(4)], -1),
    )


def test_unpooling():
    x = Tensor(drawn(1, 2, 4, 4))
    top, places = F.max_pool2d(x, 2, return_indices=True)
    want = np.where(np.isin(x.asnumpy(), top.asnumpy()), x.asnumpy(), 0)
    close(mint.nn.MaxUnpool2d(2)(top, places), want)
    close(F.max_unpool2d(top, places, 2), want)


def test_upsampling():
    x = drawn(1, 2, 3, 4)
    twice = x.repeat(2, 2).repeat(2, 3)
    close(mint.nn.Upsample(scale_factor=2.0)(Tensor(x)), twice)
    close(mint.nn.UpsamplingNearest2d(scale_factor=2)(Tensor(x)), twice)
    close(F.interpolate(Tensor(x), (6, 8)), twice)
    rows, columns = np.linspace(0, 2, 5), np.linspace(0, 3, 7)
    want = np.empty((1, 2, 5, 7))
    for c, (i, r), (j, k) in itertools.product(range(2), enumerate(rows), enumerate(columns)):
        a, b = min(int(r), 1), min(int(k), 2)
        u, v = r - a, k - b
        s = x[0, c]
        want[0, c, i, j] = (1 - u) * ((1 - v) * s[a, b] + v * s[a, b + 1]) + u * (
            (1 - v) * s[a + 1, b] + v * s[a + 1, b + 1]
        )
    close(mint.nn.UpsamplingBilinear2d((5, 7))(Tensor(x)), want)
    close(F.upsample(Tensor(x), (5, 7), mode="bilinear", align_corners=True), want)
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 7), np.linspace(-1, 1, 5)), -1)[None]
    close(F.grid_sample(Tensor(x), Tensor(grid.astype(np.float32)), align_corners=True), want)


def test_zero_pads():
    x = drawn(2, 3, 4)
    close(mint.nn.ZeroPad1d((1, 2))(Tensor(x)), np.pad(x, [(0, 0), (0, 0), (1, 2)]))
    close(mint.nn.ZeroPad3d((1, 2, 0, 1, 3, 0))(Tensor(x)), np.pad(x, [(3, 0), (0, 1), (1, 2)]))


@pytest.mark.parametrize(
    "name, args, want",
    [
        ("relu_", (), lambda x: np.maximum(x, 0)),
        ("sigmoid_", (), lambda x: 1 / (1 + np.exp(-x))),
        ("elu_", (0.5,), lambda x: np.where(x > 0, x, 0.5 * np.expm1(x))),
        ("hardtanh_", (-0.5, 0.4), lambda x: np.clip(x, -0.5, 0.4)),
        ("threshold_", (0.1, 7.0), lambda x: np.where(x > 0.1, x, 7.0)),
    ],
)
def test_in_place(name, args, want):
    x = drawn(5)

    def changed(t):
        y = t * 1.0
        getattr(F, name)(y, *args)
        return y

    fn = ms.jit(changed) if ms.get_context("mode") == ms.GRAPH_MODE else changed
    close(fn(Tensor(x)), want(x))


def test_addr_in_place():
    x, a, b = drawn(2, 3), drawn(2), drawn(3)
    y = Tensor(x)
    mint.addr_(y, Tensor(a), Tensor(b), 0.5, 2.0)
    close(y, 0.5 * x + 2 * np.outer(a, b))


def test_synchronised_norm_of_one_process():
    x = drawn(6, 2, 5)
    net = mint.nn.SyncBatchNorm(2)
    net.set_train()
    want = (x - x.mean((0, 2), keepdims=True)) / np.sqrt(x.var((0, 2), keepdims=True) + 1e-5)
    close(net(Tensor(x)), want)
    with pytest.raises(ValueError, match="process_group"):
        mint.nn.SyncBatchNorm(2, process_group="some")
