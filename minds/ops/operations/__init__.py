"""Class spellings of ops: ``ops.ReduceSum(keep_dims=True)(x, 0)``.

One table: a class is derived from a function of its constructor's parameters that gives the
function to call. Classes are made when they are first asked for.
"""

from __future__ import annotations

import inspect

from ...base import dtype as dt
from ...base.errors import expect
from ...base.late import late
from .. import functional as F
from ..define import P
from ..faces import offered
from ..function.common import window_pad
from ..primitive import Primitive, PrimitiveWithCheck, PrimitiveWithInfer, prim_attr_register
from ..rules import pair_of
from . import more, rare, sparse, update, window


def _several(args):
    """Operands given one by one, or as one tuple."""
    return args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args


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


def _batch_norm(is_training=False, epsilon=1e-5, momentum=0.1, data_format="NCHW"):
    def call(x, scale, bias, mean, variance):
        if is_training:
            out = P.batch_norm(x, scale, bias, epsilon)
            return out[0], out[1], out[2], out[1], out[2]
        return (
            P.batch_norm_infer(x, scale, bias, mean, variance, epsilon),
            mean,
            variance,
            mean,
            variance,
        )

    return call


def _layer_norm(begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7):
    def call(x, gamma, beta):
        begin, params = (a % len(x.shape) for a in (begin_norm_axis, begin_params_axis))
        expect(
            begin == params,
            "begin_params_axis",
            f"equal to begin_norm_axis, {begin_norm_axis}",
            got=begin_params_axis,
        )
        out = P.layer_norm(x, gamma, beta, begin, epsilon)
        return out[0], out[1], P.reciprocal(P.square(out[2])) - epsilon

    return call


def _dropout(keep_prob=0.5, Seed0=0, Seed1=0):
    def call(x):
        mask = P.bernoulli(P.random_key(), float(keep_prob), x.shape, x.dtype)
        return x * mask * (1 / keep_prob), mask

    return call


def _scatter(mode):
    """Write into a parameter at positions along its first dimension."""

    def make(use_locking=False):
        def call(input_x, indices, updates):
            rows = P.reshape(P.cast(indices, dt.int64), indices.shape + (1,))
            return F.assign(input_x, P.tensor_scatter(input_x, rows, updates, mode))

        return call

    return make


def _scatter_nd(mode):
    def make(use_locking=False):
        return lambda input_x, indices, updates: F.assign(
            input_x, P.tensor_scatter(input_x, indices, updates, mode)
        )

    return make


MADE = {
    "AdaptiveAvgPool2D": lambda output_size: lambda x: F.adaptive_avg_pool2d(x, output_size),
    "Argmax": lambda axis=-1, output_type=dt.int32: (
        lambda x: P.cast(P.argmax(x, axis, False), output_type)
    ),
    "Argmin": lambda axis=-1, output_type=dt.int32: (
        lambda x: P.cast(P.argmin(x, axis, False), output_type)
    ),
    "ArgMaxWithValue": lambda axis=0, keep_dims=False: lambda x: F.max(x, axis, keep_dims)[::-1],
    "ArgMinWithValue": lambda axis=0, keep_dims=False: lambda x: F.min(x, axis, keep_dims)[::-1],
    "AvgPool": lambda kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW": _pool(
        P.avg_pool2d, kernel_size, strides, pad_mode, False
    ),
    "BatchMatMul": lambda transpose_a=False, transpose_b=False: (
        lambda x, y: P.matmul(x, y, transpose_a, transpose_b)
    ),
    "BatchNorm": _batch_norm,
    "BiasAdd": lambda data_format="NCHW": F.bias_add,
    "BinaryCrossEntropy": lambda reduction="mean": (
        lambda logits, labels, weight=None: F.binary_cross_entropy(
            logits, labels, weight, reduction
        )
    ),
    "BCEWithLogitsLoss": lambda reduction="mean": (
        lambda logits, label, weight=None, pos_weight=None: F.binary_cross_entropy_with_logits(
            logits, label, weight, pos_weight, reduction
        )
    ),
    "BroadcastTo": lambda shape: lambda x: P.broadcast_to(x, shape),
    "CeLU": lambda alpha=1.0: lambda x: F.celu(x, alpha),
    "Concat": lambda axis=0: lambda *tensors: F.concat(_several(tensors), axis),
    "Conv2D": lambda out_channel, kernel_size, mode=1, pad_mode="valid", pad=0, stride=1, dilation=1, group=1, data_format="NCHW": (
        lambda x, weight: F.conv2d(x, weight, None, stride, pad_mode, pad, dilation, group)
    ),
    "CumProd": lambda exclusive=False, reverse=False: (
        lambda x, axis: P.cumprod(x, axis, reverse, exclusive)
    ),
    "CumSum": lambda exclusive=False, reverse=False: (
        lambda x, axis: P.cumsum(x, axis, reverse, exclusive)
    ),
    "Dropout": _dropout,
    "Elu": lambda alpha=1.0: lambda x: F.elu(x, alpha),
    "Flatten": lambda: lambda x: F.flatten(x),
    "Gather": lambda batch_dims=0: lambda x, indices, axis: F.gather(x, indices, axis, batch_dims),
    "GatherV2": lambda: lambda x, indices, axis: F.gather(x, indices, axis),
    "SparseGatherV2": lambda: lambda x, indices, axis: F.gather(x, indices, axis),
    "EqualCount": lambda: lambda x, y: P.reshape(P.sum(P.cast(P.equal(x, y), x.dtype)), (1,)),
    "HShrink": lambda lambd=0.5: lambda x: F.hardshrink(x, lambd),
    "SoftShrink": lambda lambd=0.5: lambda x: F.softshrink(x, lambd),
    "KLDivLoss": lambda reduction="mean": (
        lambda logits, labels: F.kl_div(logits, labels, reduction)
    ),
    "L2Loss": lambda: lambda x: P.sum(P.square(x)) / 2,
    "L2Normalize": lambda axis=0, epsilon=1e-4: lambda x: F.normalize(x, axis, epsilon),
    "LayerNorm": _layer_norm,
    "LogSoftmax": lambda axis=-1: lambda logits: P.log_softmax(logits, axis),
    "LpNorm": lambda axis, p=2, keep_dims=False, epsilon=1e-12: (
        lambda x: F.norm(x, p, axis, keep_dims)
    ),
    "MatMul": lambda transpose_a=False, transpose_b=False: (
        lambda x, y: P.matmul(x, y, transpose_a, transpose_b)
    ),
    "MaxPool": lambda kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW": (
        lambda x: _pool(P.max_pool2d, kernel_size, strides, pad_mode)(x)[0]
    ),
    "MaxPoolWithArgmax": lambda kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW": (
        _pool(P.max_pool2d, kernel_size, strides, pad_mode)
    ),
    "Meshgrid": lambda indexing="xy": lambda inputs: F.meshgrid(*inputs, indexing=indexing),
    "MirrorPad": lambda mode="REFLECT": (
        lambda x, paddings: F.pad(
            x, tuple(n for pair in reversed(tuple(paddings)) for n in pair), "reflect"
        )
    ),
    "NLLLoss": lambda reduction="mean", ignore_index=-100: (
        lambda logits, labels, weight: (
            F.nll_loss(logits, labels, weight, ignore_index, reduction),
            P.sum(P.gather(weight, labels, 0)),
        )
    ),
    "OneHot": lambda axis=-1: (
        lambda indices, depth, on_value, off_value: F.one_hot(
            indices, depth, on_value, off_value, axis
        )
    ),
    "Pad": lambda paddings: lambda x: P.pad(x, paddings, 0),
    "Range": lambda maxlen=1000000: lambda start, end, step: F.arange(start, end, step),
    "ReduceAll": lambda keep_dims=False: lambda x, axis=(): P.all(x, axis, keep_dims),
    "ReduceAny": lambda keep_dims=False: lambda x, axis=(): P.any(x, axis, keep_dims),
    "ReduceMax": lambda keep_dims=False: lambda x, axis=(): P.amax(x, axis, keep_dims),
    "ReduceMean": lambda keep_dims=False: lambda x, axis=(): F.mean(x, axis, keep_dims),
    "ReduceMin": lambda keep_dims=False: lambda x, axis=(): P.amin(x, axis, keep_dims),
    "ReduceProd": lambda keep_dims=False: lambda x, axis=(): P.prod(x, axis, keep_dims),
    "ReduceStd": lambda axis=(), unbiased=True, keep_dims=False: (
        lambda x: F.std_mean(x, axis, int(unbiased), keep_dims)
    ),
    "ReduceSum": lambda keep_dims=False, skip_mode=False: (
        lambda x, axis=(): x if skip_mode and axis == () else P.sum(x, axis, keep_dims)
    ),
    "ReverseV2": lambda axis: lambda x: P.flip(x, axis),
    "Round": lambda: lambda x, decimals=0: F.round(x, decimals=decimals),
    "ScatterAdd": _scatter("add"),
    "ScatterDiv": _scatter("div"),
    "ScatterMax": _scatter("max"),
    "ScatterMin": _scatter("min"),
    "ScatterMul": _scatter("mul"),
    "ScatterSub": _scatter("sub"),
    "ScatterUpdate": _scatter("update"),
    **{
        f"ScatterNd{mode.title()}": _scatter_nd(mode)
        for mode in ("add", "div", "max", "min", "mul")
    },
    "ScatterNdSub": _scatter_nd("sub"),
    "ScatterNdUpdate": _scatter_nd("update"),
    "SigmoidCrossEntropyWithLogits": lambda: (
        lambda logits, label: F.binary_cross_entropy_with_logits(logits, label, reduction="none")
    ),
    "SmoothL1Loss": lambda beta=1.0, reduction="none": (
        lambda prediction, target: F.smooth_l1_loss(prediction, target, beta, reduction)
    ),
    "Softmax": lambda axis=-1: (
        lambda logits: P.softmax(logits, axis[0] if isinstance(axis, tuple) else axis)
    ),
    "Sort": lambda axis=-1, descending=False: lambda x: F.sort(x, axis, descending),
    "Split": lambda axis=0, output_num=1: (
        lambda x: F.split(x, (x.shape[axis] // output_num,) * output_num, axis)
    ),
    "Squeeze": lambda axis=(): lambda x: F.squeeze(x, axis),
    "Stack": lambda axis=0: lambda *tensors: F.stack(_several(tensors), axis),
    "Pack": lambda axis=0: lambda *tensors: F.stack(_several(tensors), axis),
    "StandardNormal": lambda seed=0, seed2=0: lambda shape: F.standard_normal(shape, seed or seed2),
    "StridedSlice": lambda begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0: (
        lambda x, begin, end, strides: F.strided_slice(
            x,
            begin,
            end,
            strides,
            begin_mask,
            end_mask,
            ellipsis_mask,
            new_axis_mask,
            shrink_axis_mask,
        )
    ),
    "TopK": lambda sorted=True: lambda x, k: F.topk(x, k),
    "Tril": lambda diagonal=0: lambda x: P.tril(x, diagonal),
    "Triu": lambda diagonal=0: lambda x: P.triu(x, diagonal),
    "UniformReal": lambda seed=0, seed2=0: lambda shape: F.rand(*shape, seed=seed or seed2),
    "Unstack": lambda axis=0, num=None: lambda x: F.unstack(x, axis),
    "Unpack": lambda axis=0, num=None: lambda x: F.unstack(x, axis),
}
for _family in (rare, update, window, more, sparse):
    MADE.update(_family.MADE)


class _Derived(Primitive):
    """A class spelling: ``make`` is its row of the table."""

    make = None
    constructor = inspect.Signature()

    def __init__(self, *args, **kwargs):
        super().__init__()
        bound = self.constructor.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            self.add_prim_attr(name, value)
        self.function = type(self).make(**bound.arguments)

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    def _emit(self, ip, args, kwargs):
        """In compiled code."""
        return ip.call(self.function, list(args), kwargs)


def derive(name: str, make, doc: str) -> type:
    """The class spelling ``name``: ``make`` of the constructor's parameters gives the function to
    call.
    """
    return type(
        name,
        (_Derived,),
        {
            "make": staticmethod(make),
            "constructor": inspect.signature(make),
            "__doc__": doc,
            "__module__": __name__,
        },
    )


def _made(name: str):
    found = offered("cls").get(name)
    if found is not None:
        return derive(name, lambda: found.target, found.target.__doc__)
    if name in MADE:
        doc = f"The primitive {name}{inspect.signature(MADE[name])}, as in MindSpore."
        return derive(name, MADE[name], doc)
    return None


__getattr__, _ = late(__name__, {"transforms.custom": "HookBackward InsertGradientOf"}, (), _made)


def __dir__() -> list:
    return sorted({*offered("cls"), *MADE, *__all__})


__all__ = ["Primitive", "PrimitiveWithCheck", "PrimitiveWithInfer", "prim_attr_register"]
