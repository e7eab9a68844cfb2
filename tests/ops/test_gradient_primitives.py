"""Gradients as primitives, against the gradients of the ops themselves."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops
from minds.ops.operations import _grad_ops as G

RNG = np.random.default_rng(2)
X = Tensor(RNG.uniform(0.1, 0.9, (2, 3)))
D = Tensor(RNG.standard_normal((2, 3)))
OF_OPERAND = {
    "ACosGrad": ops.acos,
    "AbsGrad": ops.abs,
    "AsinGrad": ops.asin,
    "AtanGrad": ops.atan,
    "LogitGrad": None,
    "HSwishGrad": ops.hardswish,
    "HSigmoidGrad": ops.hardsigmoid,
    "FastGeLUGrad": ops.fast_gelu,
    "SiLUGrad": ops.silu,
    "SoftplusGrad": ops.softplus,
    "SoftsignGrad": ops.softsign,
}
FIRST = ("ACosGrad", "AbsGrad", "AsinGrad", "AtanGrad")
OF_RESULT = {
    "AcoshGrad": ops.acosh,
    "AsinhGrad": ops.asinh,
    "EluGrad": ops.elu,
    "LogSoftmaxGrad": ops.log_softmax,
    "RsqrtGrad": ops.rsqrt,
    "SeluGrad": ops.selu,
    "SigmoidGrad": ops.sigmoid,
    "SoftmaxGrad": ops.softmax,
    "SqrtGrad": ops.sqrt,
    "TanhGrad": ops.tanh,
    "ReciprocalGrad": ops.reciprocal,
}
GRADIENT_FIRST = ("EluGrad", "SeluGrad")


@pytest.mark.parametrize("name", OF_OPERAND)
def test_of_the_operand(name):
    """Given the operand and the gradient of the result."""
    fn = OF_OPERAND[name] or ops.logit
    want = ms.grad(lambda x: (fn(x) * D).sum())(X)
    got = getattr(G, name)()(*((X, D) if name in FIRST else (D, X)))
    np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", OF_RESULT)
def test_of_the_result(name):
    """Given the result and its gradient."""
    fn, x = (
        OF_RESULT[name],
        X + 1 if name == "AcoshGrad" else X - 0.5 if name in GRADIENT_FIRST else X,
    )
    want = ms.grad(lambda x: (fn(x) * D).sum())(x)
    y = fn(x)
    got = getattr(G, name)()(*((D, y) if name in GRADIENT_FIRST else (y, D)))
    np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-6, atol=1e-7)


def test_windows():
    """Pools, convolutions, slices and resizing: <grad(d), x> is the derivative along x."""
    x, w = Tensor(RNG.standard_normal((2, 3, 6, 6))), Tensor(RNG.standard_normal((4, 3, 3, 3)))
    for fn, grad in (
        (ops.AvgPool(2, 2), lambda y, d: G.AvgPoolGrad(2, 2)(x, y, d)),
        (ops.MaxPool(2, 2), lambda y, d: G.MaxPoolGrad(2, 2)(x, y, d)),
        (
            lambda x: ops.slice(x, (0, 1, 2, 0), (2, 2, 3, 6)),
            lambda y, d: G.SliceGrad()(d, x, (0, 1, 2, 0), y.shape),
        ),
        (lambda x: ops.ResizeBilinearV2()(x, (4, 9)), lambda y, d: G.ResizeBilinearGrad()(d, x)),
        (
            lambda x: ops.strided_slice(x, (0, 0, 5, 1), (2, 3, 0, 6), (1, 1, -2, 2)),
            lambda y, d: G.StridedSliceGrad()(
                d, x.shape, (0, 0, 5, 1), (2, 3, 0, 6), (1, 1, -2, 2)
            ),
        ),
    ):
        y = fn(x)
        d = Tensor(RNG.standard_normal(y.shape))
        want = ms.grad(lambda x, fn=fn, d=d: (fn(x) * d).sum())(x)
        np.testing.assert_allclose(grad(y, d).asnumpy(), want.asnumpy(), rtol=1e-6, atol=1e-7)
    conv = ops.Conv2D(4, 3, pad_mode="same", stride=2)
    d = Tensor(RNG.standard_normal(conv(x, w).shape))
    want = ms.grad(lambda w: (conv(x, w) * d).sum())(w)
    got = G.Conv2DBackpropFilter(4, 3, "same", stride=(2, 2))(d, x, w.shape)
    np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-6, atol=1e-7)


def test_norms():
    """Batch and layer normalisation, with the statistics of the forward pass."""
    x, g = Tensor(RNG.standard_normal((4, 3, 5))), Tensor(RNG.standard_normal(3))
    d = Tensor(RNG.standard_normal(x.shape))
    axes, mean = (0, 2), ops.mean(x, (0, 2))
    var = ops.var(x, axes)

    def normed(x, g):
        m = ops.mean(x, axes, True)
        return (
            (x - m)
            / ops.sqrt(ops.mean(ops.square(x - m), axes, True) + 1e-5)
            * ops.reshape(g, (1, 3, 1))
            * d
        ).sum()

    want = ms.grad(normed, (0, 1))(x, g)
    got = G.BatchNormGrad(True)(d, x, g, mean, var)
    for a, b in zip(got, want, strict=False):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-6)


def _random(*shape):
    return Tensor(RNG.uniform(0.2, 0.8, shape))


IMAGE, VOLUME, SCORES = _random(1, 2, 4, 4), _random(1, 1, 4, 4, 4), _random(3, 4)
GRID, LABELS, SLOPES, ROW = _random(1, 2, 2, 2), _random(3, 4), _random(4), _random(4, 3)
MASK, REGION = Tensor(SCORES.asnumpy() > 0.5), Tensor([[0, 0.0, 0, 3, 3]], ms.float64)
SCALE, MOVE = Tensor([0.5, 0.7], ms.float32), Tensor([0.1, 0.2], ms.float32)
PADS = Tensor([[0, 0], [0, 0], [1, 1], [1, 1]])
ABOVE = {
    "AdaptiveAvgPool2DGrad": (
        lambda x: ops.adaptive_avg_pool2d(x, 2),
        lambda x, y, d: G.AdaptiveAvgPool2DGrad()(d, x.shape),
        IMAGE,
    ),
    "AdaptiveMaxPool3DGrad": (
        lambda x: ops.adaptive_max_pool3d(x, 2),
        lambda x, y, d: G.AdaptiveMaxPool3DGrad()(d, x, None),
        VOLUME,
    ),
    "AvgPool3DGrad": (
        ops.AvgPool3D(2, 2),
        lambda x, y, d: G.AvgPool3DGrad(2, 2, 0)(x.shape, d),
        VOLUME,
    ),
    "MaxPool3DGrad": (ops.MaxPool3D(2, 2), lambda x, y, d: G.MaxPool3DGrad(2, 2)(x, y, d), VOLUME),
    "MaxPoolGradWithArgmax": (
        ops.MaxPool(2, 2),
        lambda x, y, d: G.MaxPoolGradWithArgmax(2, 2)(x, d, None),
        IMAGE,
    ),
    "BinaryCrossEntropyGrad": (
        lambda x: ops.BinaryCrossEntropy("none")(x, LABELS, None),
        lambda x, y, d: G.BinaryCrossEntropyGrad("none")(x, LABELS, d),
        SCORES,
    ),
    "GluGrad": (lambda x: ops.glu(x, 1), lambda x, y, d: G.GluGrad(1)(d, x), SCORES),
    "GridSampler2DGrad": (
        lambda x: ops.grid_sample(x, GRID),
        lambda x, y, d: G.GridSampler2DGrad()(d, x, GRID)[0],
        IMAGE,
    ),
    "KLDivLossGrad": (
        lambda x: ops.kl_div(x, LABELS, "none"),
        lambda x, y, d: G.KLDivLossGrad("none")(d, x, LABELS),
        SCORES,
    ),
    "LRNGrad": (
        ops.LRN(),
        lambda x, y, d: G.LRNGrad()(d, x, y),
        IMAGE.astype(ms.float32),
    ),
    "MaskedSelectGrad": (
        lambda x: ops.masked_select(x, MASK),
        lambda x, y, d: G.MaskedSelectGrad()(x, MASK, d),
        SCORES,
    ),
    "MirrorPadGrad": (
        lambda x: ops.MirrorPad("REFLECT")(x, PADS),
        lambda x, y, d: G.MirrorPadGrad()(d, PADS),
        IMAGE,
    ),
    "MvlgammaGrad": (
        lambda x: ops.mvlgamma(x + 3, 3),
        lambda x, y, d: G.MvlgammaGrad(3)(d, x + 3),
        SCORES,
    ),
    "PReLUGrad": (
        lambda x: ops.prelu(x - 0.5, SLOPES),
        lambda x, y, d: G.PReLUGrad()(d, x - 0.5, SLOPES)[0],
        SCORES,
    ),
    "PdistGrad": (ops.pdist, lambda x, y, d: G.PdistGrad()(d, x, y), ROW),
    "ROIAlignGrad": (
        lambda x: ops.ROIAlign(2, 2, 1.0, 2)(x, REGION),
        lambda x, y, d: G.ROIAlignGrad(2, 2, 1.0, 2)(d, REGION, x.shape),
        IMAGE,
    ),
    "ScaleAndTranslateGrad": (
        lambda x: ops.ScaleAndTranslate()(x, (2, 3), SCALE, MOVE),
        lambda x, y, d: G.ScaleAndTranslateGrad()(d, x, SCALE, MOVE),
        _random(1, 4, 4, 2).astype(ms.float32),
    ),
}


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("name", ABOVE)
def test_of_functions(name, compiled):
    """<grad(d), v> is the difference of <fn(x), d> along v."""
    fn, grad, x = ABOVE[name]
    y = fn(x)
    d, v = Tensor(RNG.standard_normal(y.shape), y.dtype), RNG.standard_normal(x.shape)
    run = ms.jit(lambda x, y, d: grad(x, y, d)) if compiled else grad
    found = (run(x, y, d).asnumpy().astype(np.float64) * v).sum()
    h = 1e-6 if x.dtype is ms.float64 else 1e-2
    up, down = (
        (fn(Tensor(x.asnumpy() + s * v, x.dtype)).asnumpy().astype(np.float64) * d.asnumpy()).sum()
        for s in (h, -h)
    )
    tolerance = 1e-6 if x.dtype is ms.float64 else 2e-3
    np.testing.assert_allclose(found, (up - down) / (2 * h), rtol=tolerance, atol=tolerance)
