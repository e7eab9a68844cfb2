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
