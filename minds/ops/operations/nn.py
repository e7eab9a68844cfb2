"""Primitive classes of layers and losses whose call differs from the function's."""

from __future__ import annotations

import math

from ...base import dtype as dt
from ...base.errors import expect
from ..define import P
from ..faces import face, primitive
from ..function.common import as_tensor, is_tensor, key_of, only, sizes_of, window_pad
from ..functional import WITHIN as F
from ..rules import pair_of
from ..states import keep_statistics


def _pool(op, kernel_size, strides, pad_mode, *more):
    """A pooling primitive with a padding mode, on NCHW images."""

    def call(x):
        kernel, stride = (
            pair_of(
                kernel_size[-2:] if isinstance(kernel_size, tuple) else kernel_size, "kernel_size"
            ),
            pair_of(strides[-2:] if isinstance(strides, tuple) else strides, "strides"),
        )
        pads = window_pad(pad_mode, 0, x.shape[2:], kernel, stride, (1, 1))
        return op(x, kernel, stride, pads, *more)

    return call


@primitive(like="avg_pool2d")
def AvgPool(kernel_size=1, strides=1, pad_mode="VALID", data_format="NCHW"):
    only("data_format", data_format, "NCHW")
    return _pool(P.avg_pool2d, kernel_size, strides, pad_mode, False)


@primitive(like="batch_norm")
def BatchNorm(is_training=False, epsilon=1e-5, momentum=0.1, data_format="NCHW"):
    only("data_format", data_format, "NCHW")

    def call(x, scale, bias, mean, variance):
        if is_training:
            out = P.batch_norm(x, scale, bias, epsilon)
            keep_statistics(x, (mean, variance), (out[1], out[2]), momentum)
            return P.cast(out[0], x.dtype), out[1], out[2], out[1], out[2]
        out = P.batch_norm_infer(x, scale, bias, mean, variance, epsilon)
        return P.cast(out, x.dtype), mean, variance, mean, variance

    return call


@primitive(like="bias_add")
def BiasAdd(data_format="NCHW"):
    only("data_format", data_format, "NCHW", "NHWC", "NCDHW")
    if data_format != "NHWC":
        return F.bias_add

    def call(x, bias):
        expect(bias.shape == x.shape[-1:], "bias", f"of shape {x.shape[-1:]}", got=bias.shape)
        return P.add(x, bias)

    return call


@primitive(like="conv2d")
def Conv2D(
    out_channel,
    kernel_size,
    mode=1,
    pad_mode="valid",
    pad=0,
    stride=1,
    dilation=1,
    group=1,
    data_format="NCHW",
):
    only("data_format", data_format, "NCHW")
    only("mode", mode, 1)
    padded = any(pad) if isinstance(pad, (tuple, list)) else pad
    expect(
        str(pad_mode).lower() == "pad" or not padded, "pad", f"0 for pad_mode {pad_mode!r}", got=pad
    )
    stride, dilation = _of_images(stride, "stride"), _of_images(dilation, "dilation")
    channels, window = int(out_channel), pair_of(kernel_size, "kernel_size")

    def call(x, weight):
        sizes = tuple(weight.shape)
        if len(sizes) == 4:
            what = f"({channels}, …, {window[0]}, {window[1]}), by out_channel and kernel_size"
            fits = sizes[0] == channels and sizes[2:] == window
            expect(fits, "weight", f"of shape {what}", got=sizes)
        return F.conv2d(x, weight, None, stride, pad_mode, pad, dilation, group)

    return call


def _of_images(value, name: str):
    """What is said of height and width, where something may be said of samples and channels too."""
    if not isinstance(value, tuple) or len(value) != 4:
        return value
    expect(value[:2] == (1, 1), name, "1 for samples and channels", got=value)
    return value[2:]


@primitive(like="dropout")
def Dropout(keep_prob=0.5, Seed0=0, Seed1=0):
    def call(x):
        mask = P.bernoulli(key_of(Seed0 or Seed1), float(keep_prob), x.shape, x.dtype)
        return x * mask * (1 / keep_prob), mask

    return call


@primitive(like="layer_norm")
def LayerNorm(begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7):
    def call(x, gamma, beta):
        begin, params = (a % len(x.shape) for a in (begin_norm_axis, begin_params_axis))
        if begin == params:
            out = P.layer_norm(x, gamma, beta, begin, epsilon)
        else:
            out = _scaled_apart(x, gamma, beta, begin, params, epsilon)
        return out[0], out[1], P.reciprocal(P.square(out[2])) - epsilon

    def wide(x, gamma, beta):
        if x.dtype not in (dt.float16, dt.bfloat16):
            return call(x, gamma, beta)
        # Mean and variance of halves are in single precision.
        out, *rest = call(*(P.cast(v, dt.float32) for v in (x, gamma, beta)))
        return P.cast(out, x.dtype), *rest

    return wide


for _name in ("GeLU", "Gelu"):
    primitive(name=_name, like="gelu")(lambda: lambda x: P.gelu(x, "tanh"))


@primitive(like="logit")
def Logit(eps=-1.0):
    return lambda x: F.logit(x, eps if eps >= 0 else None)


def _scaled_apart(x, gamma, beta, begin: int, params: int, epsilon: float) -> tuple:
    """`layer_norm` whose scale and offset have other dimensions than what is normalised."""
    expect(gamma.shape == x.shape[params:], "gamma", f"of shape {x.shape[params:]}")
    expect(beta.shape == gamma.shape, "beta", f"of shape {gamma.shape}")
    inner = x.shape[begin:]
    out = P.layer_norm(x, P.full(inner, 1, x.dtype), P.full(inner, 0, x.dtype), begin, epsilon)
    return out[0] * gamma + beta, out[1], out[2]


@primitive(like="max_pool2d")
def MaxPool(kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"):
    only("data_format", data_format, "NCHW")
    return lambda x: _pool(P.max_pool2d, kernel_size, strides, pad_mode)(x)[0]


@primitive(like="max_pool2d")
def MaxPoolWithArgmax(kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"):
    only("data_format", data_format, "NCHW")
    return _pool(P.max_pool2d, kernel_size, strides, pad_mode)


@primitive(like="nll_loss")
def NLLLoss(reduction="mean", ignore_index=-100):
    return lambda logits, labels, weight: (
        F.nll_loss(logits, labels, weight, ignore_index, reduction),
        P.sum(P.gather(weight, labels, 0)),
    )


@face(cls="SigmoidCrossEntropyWithLogits", like="binary_cross_entropy_with_logits")
def _(logits, label):
    return F.binary_cross_entropy_with_logits(logits, label, reduction="none")


@primitive(like="softmax")
def Softmax(axis=-1):
    expect(axis != (), "axis", "an int or a tuple of one", got=axis)
    return lambda logits: P.softmax(logits, axis[0] if isinstance(axis, tuple) else axis)


@primitive(like="unfold")
def Im2Col(ksizes, strides=1, dilations=1, pads=0):
    def call(x):
        out = F.unfold(x, ksizes, dilations, pads, strides)
        k = math.prod(
            (ksizes, ksizes)
            if isinstance(ksizes, int)
            else tuple(ksizes) * (2 if len(ksizes) == 1 else 1)
        )
        return P.reshape(out, (x.shape[0], x.shape[1], k, out.shape[-1]))

    return call


def _is_target(x, target):
    """1 at the classes of each row that are among its targets, before the first -1."""
    rows = P.reshape(P.cast(target, dt.int64), (-1, x.shape[-1]))
    live = P.equal(P.cumsum(P.cast(P.less(rows, 0), dt.int32), 1, False, False), 0)
    place = (
        P.select(live, rows, 0)
        + P.reshape(P.arange(0, rows.shape[0], 1, dt.int64), (-1, 1)) * x.shape[-1]
    )
    hits = P.tensor_scatter(
        P.full((x.size,), 0, dt.int32),
        P.reshape(place, (-1, 1)),
        P.reshape(P.cast(live, dt.int32), (-1,)),
        "max",
    )
    return P.reshape(P.cast(hits, target.dtype), x.shape)


@primitive(like="multilabel_margin_loss")
def MultilabelMarginLoss(reduction="mean"):
    return lambda x, target: (F.multilabel_margin_loss(x, target, reduction), _is_target(x, target))


@primitive(like="triplet_margin_loss")
def TripletMarginLoss(p=2, swap=False, eps=1e-06, reduction="mean"):
    def call(x, positive, negative, margin):
        if is_tensor(margin):
            dtype = x.dtype if x.dtype.is_inexact else margin.dtype
            margin = P.cast(P.reshape(margin, ()), dtype)
        return F.triplet_margin_loss(x, positive, negative, margin, p, eps, swap, reduction)

    return call


@primitive(like="adaptive_max_pool2d")
def AdaptiveMaxPool2D(output_size):
    return lambda x: F.adaptive_max_pool2d(x, output_size, True)


@primitive(like="dropout2d")
def Dropout2D(keep_prob=0.5):
    return lambda x: (lambda out: (out, P.not_equal(out, 0)))(F.dropout2d(x, 1.0 - keep_prob))


@primitive(like="dropout3d")
def Dropout3D(keep_prob=0.5):
    return lambda x: (lambda out: (out, P.not_equal(out, 0)))(F.dropout3d(x, 1.0 - keep_prob))


@primitive(like="cross_entropy")
def SparseSoftmaxCrossEntropyWithLogits(is_grad=False):
    def call(logits, labels):
        if not is_grad:
            return F.cross_entropy(logits, labels)
        hot = F.one_hot(labels, logits.shape[1], 1, 0)
        return (P.softmax(logits, -1) - P.cast(hot, logits.dtype)) / logits.shape[0]

    return call


@primitive(inner=True)
def ReLUV3():
    """``max(x, 0)``."""
    return lambda x: F.relu(x)


@primitive
def RmsNorm(epsilon=1e-6):
    """`rms_norm` over the last dimension, and the inverse of the roots.

    Args:
        epsilon (float): is added to the mean of squares. Default: 1e-06.
        x (Tensor[(..., N), float]): the operand.
        gamma (Tensor[(N,), float]): the scale.

    Returns:
        tuple[Tensor, Tensor]: the normalised operand, and the factors.

    Raises:
        ValueError: ``gamma`` has another shape.

    Examples:
        >>> print(ops.RmsNorm(0.0)(Tensor([3.0, -3.0]), ops.ones((2,)))[0])
        [ 1. -1.]
    """
    return lambda x, gamma: F.rms_norm(x, gamma, epsilon)


@primitive(inner=True)
def InstanceNormV2(is_training=True, momentum=0.1, epsilon=1e-5):
    """Normalisation of each image and channel, by its own mean and variance, which are returned too, or by
    the given ones.
    """

    def call(x, gamma, beta, mean, variance):
        axes = tuple(range(2, len(x.shape)))
        lift = mean.shape[:2] + (1,) * (len(x.shape) - 2)
        if not is_training:
            found, spread = P.reshape(mean, lift), P.reshape(variance, lift)
        else:
            found = F.mean(x, axes, True)
            spread = F.mean(P.square(x - found), axes, True)
        out = (x - found) * P.rsqrt(spread + epsilon)
        out = out * P.reshape(gamma, lift) + P.reshape(beta, lift)
        shape = mean.shape
        return out, P.reshape(found, shape), P.reshape(spread, shape)

    return call


@primitive(inner=True)
def SparseSoftmaxCrossEntropyWithLogitsV2():
    """The loss of each row for the class id in ``labels``, and its gradient."""

    def call(features, labels):
        log = F.log_softmax(features, -1)
        hot = P.cast(F.one_hot(labels, features.shape[-1], 1, 0), features.dtype)
        return -P.sum(log * hot, (len(features.shape) - 1,), False), P.exp(log) - hot

    return call


@primitive
def DepthwiseConv2dNative(
    channel_multiplier, kernel_size, mode=3, pad_mode="valid", pad=0, stride=1, dilation=1, group=1
):
    """A convolution of each channel by itself.

    Args:
        channel_multiplier (int): how many results each channel has.
        kernel_size (int, tuple[int]): the window; the weights tell.
        mode (int): has no effect. Default: 3.
        pad_mode (str): "valid", "same" or "pad". Default: "valid".
        pad, stride, dilation (int, tuple[int]): of the windows. Default: 0, 1 and 1.
        group (int): has no effect. Default: 1.
        x (Tensor[(N, C, H, W), float]): the images.
        w (Tensor[(channel_multiplier, C, KH, KW), float]): the weights.

    Returns:
        Tensor[(N, C * channel_multiplier, OH, OW)]: the results.

    Raises:
        ValueError: ``w`` has another number of channels.

    Examples:
        >>> op = ops.DepthwiseConv2dNative(1, 1)
        >>> print(op(ops.ones((1, 2, 1, 1)), Tensor([[[[2.0]], [[3.0]]]])).flatten())
        [2. 3.]
    """

    def call(x, w):
        c = x.shape[1]
        expect(
            w.shape[:2] == (channel_multiplier, c), "w", f"of {channel_multiplier} x {c} kernels"
        )
        filters = P.reshape(P.transpose(w, (1, 0, 2, 3)), (c * channel_multiplier, 1) + w.shape[2:])
        return F.conv2d(x, filters, None, stride, pad_mode, pad, dilation, c)

    return call


@primitive
def DropoutGenMask(Seed0=0, Seed1=0):
    """One bit for each element of a shape, set with ``keep_prob``, in bytes; filled up to 128 bits.

    Args:
        Seed0, Seed1 (int): of the stream; 0 for the common one. Default: 0.
        shape (tuple[int]): the shape.
        keep_prob (float | Tensor[(), float]): how likely a bit is set.

    Returns:
        Tensor[(bytes,), uint8]: the bits, lowest first.

    Raises:
        ValueError: ``shape`` has a negative element.

    Examples:
        >>> print(ops.DropoutGenMask()((3,), 1.0)[:2])
        [255 255]
    """

    def call(shape, keep_prob):
        n = math.prod(sizes_of(shape))
        size = -(-n // 128) * 128
        kept = P.less(P.uniform(key_of(Seed0 or Seed1), (size,), dt.float32), keep_prob)
        weights = as_tensor([1 << i for i in range(8)], dt.int64)
        bits = P.reshape(P.cast(kept, dt.int64), (size // 8, 8)) * weights
        return P.cast(P.sum(bits, (1,), False), dt.uint8)

    return call


@primitive
def DropoutDoMask():
    """The elements whose bits are set, divided by ``keep_prob``; zeros elsewhere.

    Args:
        input_x (Tensor[any shape, float]): the operand.
        mask (Tensor[(bytes,), uint8]): as of `DropoutGenMask`.
        keep_prob (float | Tensor[(), float]): how likely a bit was set.

    Returns:
        Tensor: like ``input_x``.

    Raises:
        ValueError: ``mask`` is too short.

    Examples:
        >>> print(ops.DropoutDoMask()(Tensor([1.0, 2.0]), Tensor([2], ms.uint8), 0.5))
        [0. 4.]
    """

    def call(input_x, mask, keep_prob):
        n = math.prod(input_x.shape)
        powers = as_tensor([1 << i for i in range(8)], dt.int64)
        bits = P.reshape(P.cast(mask, dt.int64), (-1, 1)) // powers % 2
        bits = P.reshape(P.strided_slice(P.reshape(bits, (-1,)), (0,), (n,), (1,)), input_x.shape)
        return P.select(
            P.not_equal(bits, 0), input_x / keep_prob, P.full(input_x.shape, 0, input_x.dtype)
        )

    return call


@primitive(like="log_softmax")
def LogSoftmaxExt():
    def call(input, dim=None, dtype=None):
        if dim is None:
            dim = 0 if len(input.shape) in (0, 1, 3) else 1
        return P.log_softmax(input if dtype is None else P.cast(input, dt.of(dtype)), dim)

    return call
