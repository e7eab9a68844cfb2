"""Gradients as primitives: what `_grad_ops` of MindSpore offers, in terms of the ops whose
gradients they are.

``run`` is the gradient rule of an op; formulas stand here where the primitive is given the result
instead of the operand.
"""

from __future__ import annotations

import importlib
import math

from ...base import dtype as dt
from ...base.late import all_of, late
from ..define import P
from ..function.common import known_values, sizes_of, window_pad
from ..function.sampling import through, weights_of
from ..function.windows import both_sides, triple_of
from ..functional import WITHIN as F
from ..rules import pair_of
from . import _made as _of_operations
from . import derive


def _run(op, operands: list, dout, i: int = 0, out=None):
    """The gradient of ``op`` at ``operands`` for operand ``i``."""
    out = op(*operands) if out is None else out
    grads = op.run_bprop(operands, out, dout, tuple(j == i for j in range(len(op.tensor_at))))
    return grads[i]


def _of(op):
    """A primitive of the operand and the gradient of the result."""
    return lambda: lambda x, dout: _run(op, [x], dout)


def _two(v, name):
    return pair_of(v[-2:] if isinstance(v, (tuple, list)) else v, name)


def _pool_grad(average):
    def make(kernel_size=1, strides=1, pad_mode="VALID", data_format="NCHW"):
        def call(x, out, grad):
            kernel, step = _two(kernel_size, "kernel_size"), _two(strides, "strides")
            pads = window_pad(pad_mode, 0, x.shape[2:], kernel, step, (1, 1))
            if average:
                return P.avg_pool2d_dx(grad, x.shape, kernel, step, pads, False)
            return P.max_pool2d_dx(grad, P.max_pool2d(x, kernel, step, pads)[1], x.shape)

        return call

    return make


def _conv2d_filter(
    out_channel,
    kernel_size,
    pad_mode="valid",
    pad=0,
    pad_list=(0, 0, 0, 0),
    mode=1,
    stride=(1, 1),
    dilation=(1, 1, 1, 1),
    group=1,
    data_format="NCHW",
):
    def call(dout, x, w_size):
        step, spread, shape = _two(stride, "stride"), _two(dilation, "dilation"), sizes_of(w_size)
        pads = (
            tuple(pad_list)
            if any(pad_list)
            else window_pad(pad_mode, pad, x.shape[2:], shape[2:], step, spread)
        )
        return P.conv2d_dw(x, dout, shape, step, pads, spread, group)

    return call


def _batch_norm(is_training=False, epsilon=1e-5, data_format="NCHW"):
    def call(dout, x, scale, saved_mean, saved_variance, reserve=None):
        axes = (0, *range(2, len(x.shape)))
        lift = (1, -1) + (1,) * (len(x.shape) - 2)
        mean, var, gain = (P.reshape(v, lift) for v in (saved_mean, saved_variance, scale))
        inverse = P.rsqrt(var + epsilon)
        normal = (x - mean) * inverse
        dscale, dbias = P.sum(dout * normal, axes, False), P.sum(dout, axes, False)
        if not is_training:
            return dout * gain * inverse, dscale, dbias
        n = x.size // x.shape[1]
        back = dout - P.reshape(dbias, lift) / n - normal * (P.reshape(dscale, lift) / n)
        return back * gain * inverse, dscale, dbias

    return call


def _layer_norm(begin_norm_axis=1, begin_params_axis=1):
    def call(x, dy, variance, mean, gamma):
        axes = tuple(range(begin_norm_axis % len(x.shape), len(x.shape)))
        before = tuple(range(begin_params_axis % len(x.shape)))
        inverse = P.rsqrt(variance + 1e-7)
        normal = (x - mean) * inverse
        scaled = dy * gamma
        count = math.prod(x.shape[a] for a in axes)
        back = (
            scaled
            - P.sum(scaled, axes, True) / count
            - normal * (P.sum(scaled * normal, axes, True) / count)
        )
        return back * inverse, P.sum(dy * normal, before, False), P.sum(dy, before, False)

    return call


def _extreme(choose):
    def make(grad_x=True, grad_y=True):
        def call(x, y, dout):
            out = choose(x, y)
            return choose.run_bprop([x, y], out, dout, (True, True))

        return call

    return make


def _gelu_grad(dy, x, y=None):
    """Of the approximation by tanh."""
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
    t = P.tanh(inner)
    slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)
    return dy * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope)


def _fast_gelu_grad(dy, x):
    s = P.sigmoid(1.702 * x)
    return dy * (s + 1.702 * x * s * (1 - s))


def _smooth_l1(beta=1.0, reduction="none"):
    def call(prediction, target, dout):
        off = prediction - target
        slope = P.select(P.less(P.abs(off), beta), off / beta, P.sign(off))
        return dout * slope / (off.size if reduction == "mean" else 1)

    return call


def _slice_grad(dy, x, begin, size):
    begin = sizes_of(begin)
    return P.pad(
        dy, tuple((b, n - b - s) for b, n, s in zip(begin, x.shape, dy.shape, strict=True)), 0
    )


def _strided_slice_grad(
    begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0
):
    def call(dy, shapex, begin, end, strides):
        shape = sizes_of(shapex)
        flat = P.reshape(P.arange(0, math.prod(shape), 1, dt.int64), shape)
        rows = F.strided_slice(
            flat,
            begin,
            end,
            strides,
            begin_mask,
            end_mask,
            ellipsis_mask,
            new_axis_mask,
            shrink_axis_mask,
        )
        zeros = P.full((math.prod(shape),), 0, dy.dtype)
        return P.reshape(
            P.tensor_scatter(zeros, P.reshape(rows, (-1, 1)), P.reshape(dy, (-1,)), "add"), shape
        )

    return call


def _resize_grad(mode):
    """The transpose of resizing, as the product with the transposed matrices."""

    def make(align_corners=False, half_pixel_centers=False):
        def call(grads, image):
            sizes = (
                image.shape[-2:]
                if hasattr(image, "dtype") and len(image.shape) == 4
                else sizes_of(image)
            )
            kind = "nearest-exact" if mode == "nearest" and half_pixel_centers else mode
            return through(
                grads,
                [
                    weights_of(n, m, kind, None, align_corners, half_pixel_centers).T
                    for n, m in zip(sizes, grads.shape[2:], strict=True)
                ],
            )

        return call

    return make


def _sparse_segment(scale):
    """The gradient rows of the segments, scaled by their lengths, added at the rows that were
    gathered.
    """

    def call(x, indices, segment_ids, output_dim0):
        n = (
            output_dim0
            if isinstance(output_dim0, int)
            else int(known_values("SparseSegmentGrad", output_dim0)[0])
        )
        ids = P.cast(segment_ids, dt.int64)
        rows = P.gather(x, ids, 0)
        if scale is not None:
            count = P.tensor_scatter(
                P.full((x.shape[0],), 0, x.dtype),
                P.reshape(ids, (-1, 1)),
                P.full(ids.shape, 1, x.dtype),
                "add",
            )
            rows = rows / P.reshape(
                scale(P.gather(count, ids, 0)), ids.shape + (1,) * (len(x.shape) - 1)
            )
        return P.tensor_scatter(
            P.full((n,) + x.shape[1:], 0, x.dtype),
            P.reshape(P.cast(indices, dt.int64), (-1, 1)),
            rows,
            "add",
        )

    return lambda: call


def _conv3d_filter(
    out_channel,
    kernel_size,
    mode=1,
    pad_mode="valid",
    pad=0,
    stride=(1, 1, 1, 1, 1),
    dilation=(1, 1, 1, 1, 1),
    group=1,
    data_format="NCDHW",
):
    """Each depth of the kernel is a gradient of a convolution of planes."""

    def call(x, dout, w_size):
        shape, step, spread = (
            sizes_of(w_size),
            triple_of(stride, "stride"),
            triple_of(dilation, "dilation"),
        )
        pads = both_sides(pad) if pad_mode == "pad" else (0,) * 6
        x = P.pad(x, ((0, 0), (0, 0), pads[:2], (0, 0), (0, 0)), 0) if any(pads[:2]) else x
        n, c, _, h, w = x.shape
        depth, planes = dout.shape[2], []
        flat = P.reshape(
            P.transpose(dout, (0, 2, 1, 3, 4)), (n * depth, dout.shape[1]) + dout.shape[3:]
        )
        for i in range(shape[2]):
            seen = P.strided_slice(
                x,
                (0, 0, i * spread[0], 0, 0),
                (n, c, i * spread[0] + (depth - 1) * step[0] + 1, h, w),
                (1, 1, step[0], 1, 1),
            )
            seen = P.reshape(P.transpose(seen, (0, 2, 1, 3, 4)), (n * depth, c, h, w))
            planes.append(
                P.conv2d_dw(
                    seen, flat, shape[:2] + shape[3:], step[1:], pads[2:], spread[1:], group
                )
            )
        return F.stack(planes, 2)

    return call


MADE = {
    "ACosGrad": _of(P.acos),
    "AbsGrad": _of(P.abs),
    "AsinGrad": _of(P.asin),
    "AtanGrad": _of(P.atan),
    "AcoshGrad": lambda: lambda out, dout: dout / P.sinh(out),
    "AsinhGrad": lambda: lambda out, dout: dout / P.cosh(out),
    "AvgPoolGrad": _pool_grad(True),
    "MaxPoolGrad": _pool_grad(False),
    "BatchNormGrad": _batch_norm,
    "BiasAddGrad": lambda data_format="NCHW": (
        lambda dout: P.sum(
            dout,
            tuple(
                i
                for i in range(len(dout.shape))
                if i != (1 if data_format != "NHWC" else len(dout.shape) - 1)
            ),
            False,
        )
    ),
    "Conv2DBackpropFilter": _conv2d_filter,
    "Conv3DBackpropFilter": _conv3d_filter,
    "DropoutGrad": lambda keep_prob=0.5: lambda dy, mask: dy * mask / keep_prob,
    "EluGrad": lambda: lambda dout, out: P.select(P.less(out, 0), dout * (out + 1), dout),
    "FastGeLUGrad": lambda: _fast_gelu_grad,
    "FlattenGrad": lambda: lambda x, shape: P.reshape(x, sizes_of(shape)),
    "GeLUGrad": lambda: _gelu_grad,
    "HShrinkGrad": lambda lambd=0.5: (
        lambda gradients, features: P.select(P.greater(P.abs(features), lambd), gradients, 0)
    ),
    "HSigmoidGrad": lambda: (
        lambda grads, input_x: P.select(P.less(P.abs(input_x), 3), grads / 6, 0)
    ),
    "HSwishGrad": lambda: (
        lambda y_grad, x: P.select(
            P.less_equal(x, -3), 0, P.select(P.greater_equal(x, 3), y_grad, y_grad * (x / 3 + 0.5))
        )
    ),
    "InvGrad": lambda: lambda x, grad: -grad * x * x,
    "ReciprocalGrad": lambda: lambda y, dy: -dy * y * y,
    "LayerNormGrad": _layer_norm,
    "LogSoftmaxGrad": lambda axis=-1: (
        lambda logits, grad: grad - P.exp(logits) * P.sum(grad, axis, True)
    ),
    "LogitGrad": lambda eps=-1.0: (
        lambda grad, input: P.select(
            P.logical_or(P.less(input, eps), P.greater(input, 1 - eps))
            if eps >= 0
            else P.less(input, -math.inf),
            0,
            grad / (input * (1 - input)),
        )
    ),
    "MaximumGrad": _extreme(P.maximum),
    "MinimumGrad": _extreme(P.minimum),
    "ReLU6Grad": lambda: (
        lambda y_backprop, x: P.select(P.logical_and(P.greater(x, 0), P.less(x, 6)), y_backprop, 0)
    ),
    "ReluGrad": lambda: lambda y_backprop, x: P.select(P.greater(x, 0), y_backprop, 0),
    "ReluGradV2": lambda: lambda y_backprop, mask: P.select(P.not_equal(mask, 0), y_backprop, 0),
    "ResizeBicubicGrad": _resize_grad("bicubic"),
    "ResizeBilinearGrad": _resize_grad("bilinear"),
    "ResizeNearestNeighborGrad": _resize_grad("nearest"),
    "ResizeNearestNeighborV2Grad": _resize_grad("nearest"),
    "RsqrtGrad": lambda: lambda y, dy: dy * y * y * y * -0.5,
    "SeluGrad": lambda: (
        lambda gradient, result: P.select(
            P.less(result, 0),
            gradient * (result + 1.6732632423543772 * 1.0507009873554805),
            gradient * 1.0507009873554805,
        )
    ),
    "SiLUGrad": lambda: lambda dout, x: dout * P.sigmoid(x) * (1 + x * (1 - P.sigmoid(x))),
    "SigmoidCrossEntropyWithLogitsGrad": lambda: lambda x, y, dout: dout * (P.sigmoid(x) - y),
    "SigmoidGrad": lambda: lambda y, dy: dy * y * (1 - y),
    "SliceGrad": lambda: _slice_grad,
    "SmoothL1LossGrad": _smooth_l1,
    "SoftMarginLossGrad": lambda reduction="mean": (
        lambda predict, label, dout: (
            -dout
            * label
            * P.sigmoid(-label * predict)
            / (predict.size if reduction == "mean" else 1)
        )
    ),
    "SoftShrinkGrad": lambda lambd=0.5: (
        lambda input_grad, input_x: P.select(P.greater(P.abs(input_x), lambd), input_grad, 0)
    ),
    "SoftmaxGrad": lambda: lambda y, dy: y * (dy - P.sum(y * dy, -1, True)),
    "SoftplusGrad": lambda: lambda gradients, features: gradients * P.sigmoid(features),
    "SoftsignGrad": lambda: lambda dy, x: dy / P.square(1 + P.abs(x)),
    "SparseSegmentMeanGrad": _sparse_segment(lambda n: n),
    "SparseSegmentSqrtNGrad": _sparse_segment(P.sqrt),
    "SparseSegmentSumGrad": _sparse_segment(None),
    "SqrtGrad": lambda: lambda y, dy: dy * 0.5 / y,
    "StridedSliceGrad": _strided_slice_grad,
    "TanhGrad": lambda: lambda y, dy: dy * (1 - y * y),
    "TraceGrad": lambda: lambda y_grad, x_shape: P.eye(*sizes_of(x_shape), y_grad.dtype) * y_grad,
}


_ABOVE = "compat.gradient_ops"
"""The module of those that are pullbacks of functions."""
_above = all_of(_ABOVE)


def _made(name: str):
    if name not in MADE:
        return _above(name) or _of_operations(name)
    return derive(name, MADE[name], f"The gradient primitive {name}, as in MindSpore.")


__getattr__, _ = late(__name__, {}, (), _made)


def __dir__() -> list[str]:
    root = __name__.partition(".")[0]
    return sorted({*MADE, *importlib.import_module(f"{root}.{_ABOVE}").__all__})
