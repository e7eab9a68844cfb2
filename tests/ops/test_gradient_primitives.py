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
CLASSES, SETS = Tensor([0, 1, 3]), Tensor([[0, 2, -1, 0], [1, -1, 0, 0], [3, 1, 0, -1]], ms.int32)
PLACES = Tensor([[[[0, 2], [8, 15]], [[5, 6], [9, 15]]]])
DEEP, KERNEL = _random(1, 2, 3, 3), _random(2, 1, 2, 2, 2)
BOX, FIRST_IMAGE = Tensor([[0.1, 0, 0.9, 0.8]], ms.float32), Tensor([0], ms.int32)
PHOTO = _random(1, 4, 4, 2).astype(ms.float32)
STATE, WEIGHTS = _random(1, 1, 3).astype(ms.float32), _random(84, 1, 1).astype(ms.float32)
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
    "AffineGridGrad": (
        lambda x: ops.AffineGrid()(x, (1, 2, 3, 2)),
        lambda x, y, d: G.AffineGridGrad()(d, (1, 2, 3, 2)),
        _random(1, 2, 3),
    ),
    "AvgPoolGradV1": (
        ops.AvgPool(2, 2),
        lambda x, y, d: G.AvgPoolGradV1(2, 2)(x.shape, d),
        IMAGE,
    ),
    "AvgPoolGradVm": (
        ops.AvgPool(2, 2),
        lambda x, y, d: G.AvgPoolGradVm(2, 2)(x.shape, d, None, None),
        IMAGE,
    ),
    "MaxPoolGradV1": (ops.MaxPool(2, 2), lambda x, y, d: G.MaxPoolGradV1(2, 2)(x, y, d), IMAGE),
    "EinsumGrad": (
        lambda x: ops.Einsum("ij,jk->ik")((x, ROW)),
        lambda x, y, d: G.EinsumGrad("ij,jk->ik")((x, ROW), d)[0],
        SCORES,
    ),
    "MedianGrad": (
        lambda x: ops.median(x, 1)[0],
        lambda x, y, d: G.MedianGrad(False, 1)(d, x, y, None),
        SCORES,
    ),
    "MultiMarginLossGrad": (
        lambda x: ops.MultiMarginLoss(2, 0.5, "none")(x, CLASSES, SLOPES),
        lambda x, y, d: G.MultiMarginLossGrad(2, 0.5, "none")(d, x, CLASSES, SLOPES),
        SCORES,
    ),
    "MultilabelMarginLossGrad": (
        lambda x: ops.MultilabelMarginLoss("none")(x, SETS)[0],
        lambda x, y, d: G.MultilabelMarginLossGrad("none")(d, x, SETS, None),
        SCORES.astype(ms.float32),
    ),
    "L2NormalizeGrad": (
        ops.L2Normalize(1),
        lambda x, y, d: G.L2NormalizeGrad(1)(x, y, d),
        SCORES,
    ),
    "MaxUnpool2DGrad": (
        lambda x: ops.MaxUnpool2D((1, 1, 2, 2), (1, 1, 2, 2), 0, (1, 2, 4, 4))(x, PLACES),
        lambda x, y, d: G.MaxUnpool2DGrad((1, 1, 2, 2), (1, 1, 2, 2), 0, (1, 2, 4, 4))(
            x, d, PLACES
        ),
        _random(1, 2, 2, 2),
    ),
    "PadV3Grad": (
        lambda x: ops.PadV3("circular")(x, (1, 2, 1, 0)),
        lambda x, y, d: G.PadV3Grad("circular")(d, (1, 2, 1, 0)),
        IMAGE,
    ),
    "DepthwiseConv2dNativeBackpropInput": (
        lambda x: ops.operations.DepthwiseConv2dNative(1, 3)(x, DEEP),
        lambda x, y, d: G.DepthwiseConv2dNativeBackpropInput(1, 3)(x.shape, DEEP, d),
        IMAGE,
    ),
    "DepthwiseConv2dNativeBackpropFilter": (
        lambda w: ops.operations.DepthwiseConv2dNative(1, 3)(IMAGE, w),
        lambda w, y, d: G.DepthwiseConv2dNativeBackpropFilter(1, 3)(IMAGE, w.shape, d),
        _random(1, 2, 3, 3),
    ),
    "Conv3DBackpropInput": (
        lambda x: ops.Conv3D(2, 2)(x, KERNEL),
        lambda x, y, d: ops.operations.nn_ops.Conv3DBackpropInput(2, 2)(KERNEL, d, x.shape),
        VOLUME,
    ),
    "MaxPool3DGradWithArgmax": (
        lambda x: ops.MaxPool3DWithArgmax(2, 2, 0)(x)[0],
        lambda x, y, d: G.MaxPool3DGradWithArgmax(2, 2, 0)(x, d, None),
        Tensor(RNG.permutation(64).reshape(1, 1, 4, 4, 4) / 4.0, ms.float32),
    ),
    "MaxPoolGradWithArgmaxV2": (
        lambda x: ops.MaxPoolWithArgmaxV2(2, 2)(x)[0],
        lambda x, y, d: G.MaxPoolGradWithArgmaxV2(2, 2)(x, d, None),
        IMAGE,
    ),
    "CropAndResizeGradImage": (
        lambda x: ops.CropAndResize()(x, BOX, FIRST_IMAGE, (2, 3)),
        lambda x, y, d: ops.operations.image_ops.CropAndResizeGradImage()(
            d, BOX, FIRST_IMAGE, x.shape
        ),
        _random(1, 4, 4, 2).astype(ms.float32),
    ),
    "CropAndResizeGradBoxes": (
        lambda b: ops.CropAndResize()(PHOTO, b, FIRST_IMAGE, (2, 3)),
        lambda b, y, d: ops.operations.image_ops.CropAndResizeGradBoxes()(d, PHOTO, b, FIRST_IMAGE),
        Tensor([[0.12, 0.13, 0.85, 0.78]], ms.float32),
    ),
    "ResizeV2Grad": (
        lambda x: ops.operations.image_ops.ResizeV2("align_corners", "cubic")(
            x, None, None, (1, 2, 3, 7)
        ),
        lambda x, y, d: G.ResizeV2Grad("align_corners", "cubic")(d, None, None, x.shape),
        IMAGE,
    ),
    "InstanceNormGrad": (
        lambda x: (
            (x - ops.mean(x, (2, 3), True))
            / ops.sqrt(ops.mean(ops.square(x - ops.mean(x, (2, 3), True)), (2, 3), True) + 1e-5)
            * 2.0
        ),
        lambda x, y, d: G.InstanceNormGrad(1e-5)(d, x, Tensor([2.0, 2.0], x.dtype), None, None)[0],
        IMAGE,
    ),
    "FractionalMaxPoolGradWithFixedKsize": (
        lambda x: ops.reshape(x, (1, 2, 16))[:, :, 3:7].reshape((1, 2, 2, 2)),
        lambda x, y, d: G.FractionalMaxPoolGradWithFixedKsize()(
            x, d, Tensor(np.tile(np.arange(3, 7).reshape(1, 1, 2, 2), (1, 2, 1, 1)))
        ),
        IMAGE,
    ),
    "LSTMGrad": (
        lambda x: ops.LSTM(2, 3, 1, True, False, 0.0)(x, STATE, STATE, WEIGHTS)[0],
        lambda x, y, d: G.LSTMGrad(2, 3, 1, True, False, 0.0)(
            x, STATE, STATE, WEIGHTS, y, STATE, STATE, d, STATE * 0, STATE * 0, None
        )[0],
        _random(4, 1, 2).astype(ms.float32),
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


def _shown(value):
    found = value if isinstance(value, tuple) else (value,)
    return [np.round(v.asnumpy().astype(np.float64), 4).tolist() for v in found]


def _tensor(*values, dtype=ms.float32):
    return Tensor(values, dtype)


def test_recorded():
    """What MindSpore 2.10 gives, or its documentation shows."""
    x = _tensor(0.3, 0.5, 0.7, 0.2, 0.6)
    for got, want in (
        (G.SparseFillEmptyRowsGrad()(Tensor([0, 2]), x[:4]), [[0.3, 0.7], 0.7]),
        (
            G.SparseSliceGrad()(
                x[:2],
                Tensor([[0, 1], [1, 2], [2, 0]]),
                Tensor([1, 0]),
                Tensor([[1, 0], [0, 2]]),
            ),
            [[0.0, 0.5, 0.3]],
        ),
        (G.UniqueGrad()((x[:3], None), (None, Tensor([0, 1, 0, 2]))), [[0.3, 0.5, 0.3, 0.7]]),
        (G.ConcatOffset(2, 1)((ops.ones((2, 3)), ops.ones((2, 4)))), [[[0, 0], [0, 3]]]),
        (
            G.MinimumGradGrad()(x, x[::-1], x, x * 2),
            [[0.0] * 5, [0.0] * 5, [0.3, 1.0, 1.05, 0.2, 1.2]],
        ),
        (
            G.LuUnpackGrad(True, False)(*[ops.ones((2, 2))] * 3),
            [[[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]],
        ),
        (
            G.RandomGammaGrad()(_tensor(1, 0.6, 3, 26), _tensor(6, 7, 11, 0.5)),
            [[2.5142, 3.4334, 1.8848, 0.0778]],
        ),
    ):
        np.testing.assert_allclose(
            np.concatenate([np.ravel(v) for v in _shown(got)]),
            np.concatenate([np.ravel(v) for v in want]),
            rtol=1e-3,
            atol=1e-6,
        )
    image = Tensor(np.arange(16.0).reshape(1, 1, 4, 4))
    d = Tensor(RNG.standard_normal(image.shape))
    y = ops.MaxPool(2, 2)(image)
    again = (
        G.MaxPoolGradGrad(2, 2)(image, y, d),
        G.MaxPoolGradGradWithArgmax(2, 2)(image, d, y.astype(ms.int64)),
    )
    for got in again:
        np.testing.assert_allclose(got.asnumpy(), d.asnumpy()[:, :, 1::2, 1::2])


def test_fractional_and_ctc():
    """Pools of given bounds; the loss of sequences with the part of the softmax."""
    image = Tensor(np.arange(16.0).reshape(1, 4, 4, 1))
    d = Tensor([[1.0, 2.0], [3.0, 4.0]]).reshape(1, 2, 2, 1)
    rows, columns = Tensor([0, 2, 4]), Tensor([0, 1, 4])
    got = G.FractionalMaxPoolGrad()(image, None, d, rows, columns).asnumpy()[0, :, :, 0]
    assert got.tolist() == [[0, 0, 0, 0], [1, 0, 0, 2], [0, 0, 0, 0], [3, 0, 0, 4]]
    got = G.FractionalAvgPoolGrad()(image.shape, d, rows, columns).asnumpy()[0, 0, :, 0]
    np.testing.assert_allclose(got, [0.5, 1 / 3, 1 / 3, 1 / 3], rtol=1e-6)
    logits = Tensor(RNG.standard_normal((4, 1, 3)), ms.float32)
    sizes = Tensor([[1, 2]]), Tensor([4]), Tensor([2])
    want = ms.grad(lambda x: ops.CTCLossV2()(ops.log_softmax(x, 2), *sizes)[0].sum())(logits)
    got = ops.operations.nn_ops.CTCLossV2Grad()(
        ops.ones((1,)), ops.log_softmax(logits, 2), *sizes, None, None
    )
    np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-4, atol=1e-5)


def test_elsewhere():
    """Kernels of other devices are made with what MindSpore's take, and refused when they are called."""
    for made, where in (
        (G.DynamicRNNGrad(cell_type="LSTM"), "Ascend devices"),
        (G.LSTMGradData(2, 3, 1, True, False, 0.0), "GPUs"),
        (ops.operations._thor_ops.CusMatMulCube(transpose_a=True), "Ascend devices"),
    ):
        with pytest.raises(RuntimeError, match=f"it is a kernel of {where}"):
            made(X)
    with pytest.raises(TypeError, match="^LRNGrad: it got 1 operands"):
        G.LRNGrad()(X)
