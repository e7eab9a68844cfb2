"""More of MindSpore's gradients as primitives (`_grad_ops`): the pullbacks of the primitives whose
gradients they are.

A row says which operands of the primitive each operand of the gradient is. Before the arrow stand
those of the primitive, behind it those of the gradient: ``d`` is the gradient of the result, ``d1`` that
of the second one; ``*x`` an operand whose gradient is wanted, ``*x.shape`` its shape alone, for what
depends on it linearly; ``_`` is not read. What is wanted comes in the primitive's order.
"""

from __future__ import annotations

import ast
import inspect

from .. import ops
from ..base import dtype as dt
from ..base.errors import complain
from ..ops.bessel import gamma_density, igamma_by_shape
from ..ops.function.common import known_values, sizes_of
from ..ops.operations import derive, fractional
from ..tensor import Tensor
from ..transforms.vjp import vjp

_ROWS = {
    "AvgPool3DGrad": "AvgPool3D: x -> *x.shape d",
    "AvgPoolGradGe": "AvgPool: x -> *x.shape d",
    "AvgPoolGradV1": "AvgPool: x -> *x.shape d",
    "AvgPoolGradVm": "AvgPool: x -> *x.shape d _ _",
    "BinaryCrossEntropyGrad": "BinaryCrossEntropy: x y weight=None -> *x y d weight=None",
    "Conv3DBackpropInput": "Conv3D: x w -> w d *x.shape",
    "DeformableOffsetsGrad": "DeformableOffsets: x offsets -> d *x *offsets",
    "DepthwiseConv2dNativeBackpropFilter": "DepthwiseConv2dNative: x w -> x *w.shape d",
    "DepthwiseConv2dNativeBackpropInput": "DepthwiseConv2dNative: x w -> *x.shape w d",
    "Dilation2DBackpropFilter": "Dilation2D: x w -> x *w d",
    "Dilation2DBackpropInput": "Dilation2D: x w -> *x w d",
    "KLDivLossGrad": "KLDivLoss: x y -> d *x y",
    "L2NormalizeGrad": "L2Normalize: x -> *x _ d",
    "LRNGrad": "LRN: x -> d *x _",
    "LSTMGrad": "LSTM: x h c w -> *x *h *c *w _ _ _ d d1 d2 _",
    "MaskedSelectGrad": "MaskedSelect: x mask -> *x mask d",
    "MaxPool3DGrad": "MaxPool3D: x -> *x _ d",
    "MaxPool3DGradWithArgmax": "MaxPool3DWithArgmax: x -> *x d _",
    "MaxPoolGradV1": "MaxPool: x -> *x _ d",
    "MaxPoolGradWithArgmax": "MaxPool: x -> *x d _",
    "MaxPoolGradWithArgmaxV2": "MaxPoolWithArgmaxV2: x -> *x d _",
    "MaxUnpool2DGrad": "MaxUnpool2D: x at -> *x d at",
    "MaxUnpool3DGrad": "MaxUnpool3D: x at -> *x d at",
    "MedianGrad": "Median: x -> d *x _ _",
    "MultiMarginLossGrad": "MultiMarginLoss: x y weight=None -> d *x y weight=None",
    "MultilabelMarginLossGrad": "MultilabelMarginLoss: x y -> d *x y _",
    "MvlgammaGrad": "Mvlgamma: x -> d *x",
    "PReLUGrad": "PReLU: x w -> d *x *w",
    "GatherDGradV2": "GatherD: x dim index -> *x dim index d",
    "NLLLossGrad": "NLLLoss: x labels weight -> *x d labels weight _",
    "ROIAlignGrad": "ROIAlign: x rois -> d rois *x.shape",
    "UpsampleNearest3DGrad": """UpsampleNearest3D: x size=None scales=None
        -> d *x.shape size=None scales=None""",
    "UpsampleTrilinear3DGrad": """UpsampleTrilinear3D: x size=None scales=None
        -> d *x.shape size=None scales=None""",
}
_CONSTRUCTORS = {
    "AvgPool3DGrad": """kernel_size=1, strides=1, pads=0, ceil_mode=False, count_include_pad=True,
        divisor_override=0, data_format='NCDHW', pad_mode='pad'""",
    "AvgPoolGradVm": "kernel_size=1, strides=1, pad_mode='VALID'",
    "DepthwiseConv2dNativeBackpropFilter": """channel_multiplier, kernel_size, pad_mode='valid', pad=0,
        pad_list=(0, 0, 0, 0), mode=3, stride=1, dilation=1, group=1""",
    "MaxPool3DGrad": """kernel_size=1, strides=1, pad_mode='VALID', pad_list=0,
        data_format='NCDHW'""",
}
_CONSTRUCTORS["DepthwiseConv2dNativeBackpropInput"] = _CONSTRUCTORS[
    "DepthwiseConv2dNativeBackpropFilter"
]
"""Parameters that are not those of the primitive, or in another order."""


def _signature(written: str) -> inspect.Signature:
    found = ast.parse(f"def _({written}): pass").body[0].args
    left = len(found.args) - len(found.defaults)
    defaults = [inspect.Parameter.empty] * left + [ast.literal_eval(d) for d in found.defaults]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature(
        [inspect.Parameter(a.arg, kind, default=d) for a, d in zip(found.args, defaults)]
    )


def pullback(fn, operands: list, wanted: list, douts: dict):
    """The gradients of ``fn`` for the operands at ``wanted``, given those of some of its results.

    Args:
        fn (Callable): of the operands.
        operands (list): what it takes.
        wanted (list[int]): of which operands the gradients are to be computed.
        douts (dict[int, Tensor]): by the place of a result, its gradient.
    """

    def moved(*values):
        given = list(operands)
        for i, v in zip(wanted, values):
            given[i] = v
        out = fn(*given)
        return tuple([out[k] for k in douts]) if isinstance(out, tuple) else (out,)

    found = vjp(moved, *[operands[i] for i in wanted])[1](tuple(douts.values()))
    return found[0] if len(found) == 1 and len(wanted) == 1 else found


def _of_row(row: str):
    """The forward primitive, its operands, and what each operand of the gradient is."""
    primitive, _, rest = row.partition(": ")
    takes, _, given = rest.partition(" -> ")
    return primitive, [t.partition("=")[0] for t in takes.split()], given.split()


def _derived(name: str, row: str) -> type:
    primitive, takes, roles = _of_row(row)
    required = sum("=" not in r for r in roles)
    cls = getattr(ops, primitive, None) or getattr(ops.operations, primitive)
    written = _CONSTRUCTORS.get(name)
    signature = _signature(written) if written else inspect.signature(cls)
    known = inspect.signature(cls).parameters

    def make(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        fn = cls(**{n: v for n, v in bound.arguments.items() if n in known})

        def call(*operands):
            if not required <= len(operands) <= len(roles):
                what = f"{name}: it got {len(operands)} operands"
                raise complain(TypeError, what, expected=f"{len(roles)}")
            values, wanted, douts = dict.fromkeys(takes), [], {}
            for role, v in zip(roles, operands):
                operand = role.lstrip("*").removesuffix("=None").removesuffix(".shape")
                if operand[0] == "d" and operand[1:].isdigit() or operand == "d":
                    douts[int(operand[1:] or 0)] = v
                elif operand != "_":
                    values[operand] = v
                if role[0] == "*":
                    wanted.append(takes.index(operand))
                if role.endswith(".shape"):
                    values[operand] = None, v
            like = next(iter(douts.values()))
            for n, v in values.items():
                if isinstance(v, tuple) and v and v[0] is None:
                    values[n] = ops.zeros(sizes_of(v[1]), like.dtype)
            return pullback(fn, _trimmed(values), sorted(wanted), douts)

        return call

    make.__signature__ = signature
    return derive(name, make, f"The gradient primitive {name}, as in MindSpore.")


def _trimmed(values: dict) -> list:
    """The operands, without those at the end that are not given."""
    found = list(values.values())
    while found[-1] is None:
        found.pop()
    return found


# ---- those that are not given what the row of a primitive would say


def _pulled(fn, operands: tuple, dout):
    """The gradients of ``fn`` at ``operands``."""
    return pullback(fn, list(operands), list(range(len(operands))), {0: dout})


def _of(fn):
    """A primitive of the gradient of the result and the operand."""
    return lambda dy, x: _pulled(fn, (x,), dy)


def _shaped(fn):
    """A primitive of the gradient and the operand's shape, on which the result depends linearly."""
    return lambda dy, shape: _pulled(fn, (ops.zeros(sizes_of(shape), dy.dtype),), dy)


def _adaptive(pool):
    def make():
        def call(dy, shape):
            size = tuple(dy.shape[2 - len(dy.shape) :])
            return _shaped(lambda x: pool(x, size))(dy, shape)

        return call

    return make


def _adaptive_max(pool, rank: int):
    return lambda: lambda dy, x, argmax: _of(lambda v: pool(v, tuple(dy.shape[-rank:])))(dy, x)


def _grid(interpolation_mode="bilinear", padding_mode="zeros", align_corners=False):
    def call(grad, input_x, grid):
        def fn(x, at):
            return ops.grid_sample(x, at, interpolation_mode, padding_mode, align_corners)

        return _pulled(fn, (input_x, grid), grad)

    return call


def _mirror_pad(mode="REFLECT"):
    def call(dy, paddings):
        pads = known_values("MirrorPadGrad", paddings)[0].tolist()
        shape = [n - a - b for n, (a, b) in zip(dy.shape, pads, strict=True)]
        return _shaped(lambda x: ops.MirrorPad(mode)(x, paddings))(dy, tuple(shape))

    return call


def _pad_v3(mode="reflect", paddings_contiguous=True):
    def call(x, paddings):
        flat = known_values("PadV3Grad", paddings)[0].reshape(-1).tolist()
        half = len(flat) // 2
        pairs = zip(flat[::2], flat[1::2]) if paddings_contiguous else zip(flat[:half], flat[half:])
        shape = list(x.shape)
        for i, (a, b) in enumerate(pairs, 1):
            shape[-i] -= a + b
        pad = ops.PadV3(mode, paddings_contiguous)
        return _shaped(lambda v: pad(v, paddings))(x, tuple(shape))

    return call


def _pdist(p=2.0):
    return lambda y_grad, x, y: _of(lambda v: ops.pdist(v, p))(y_grad, x)


def _scaled(kernel_type="lanczos3", antialias=True):
    op = ops.ScaleAndTranslate(kernel_type, antialias)

    def call(grads, original_image, scale, translation):
        size = tuple(grads.shape[1:3])
        return _of(lambda x: op(x, size, scale, translation))(grads, original_image)

    return call


def _resized(coordinate_transformation_mode="half_pixel", mode="nearest"):
    op = ops.ResizeV2(coordinate_transformation_mode, mode)
    return lambda grads, roi, scales, original_size: _shaped(
        lambda x: op(x, roi, scales, grads.shape)
    )(grads, original_size)


def _affine_grid(align_corners=False):
    op = ops.AffineGrid(align_corners)

    def call(y_grad, x_size):
        size = sizes_of(x_size)
        return _shaped(lambda theta: op(theta, size))(
            y_grad, (size[0], len(size) - 2, len(size) - 1)
        )

    return call


def _einsum(equation):
    op = ops.Einsum(equation)
    return lambda x, dout: _pulled(lambda *v: op(v), tuple(x), dout)


def _at_argmax(data_format="NCHW"):
    """What was largest takes the gradient: positions count in the planes of an image or volume."""

    def call(origin_input, out_backprop, argmax):
        lead = origin_input.shape[:2]
        flat = ops.reshape(argmax.astype(dt.int64), (*lead, -1))

        def largest(x):
            found = ops.gather_elements(ops.reshape(x, (*lead, -1)), 2, flat)
            return ops.reshape(found, argmax.shape)

        return _pulled(largest, (origin_input,), out_backprop)

    return call


def _fractional(average: bool):
    def make(overlapping=False):
        def call(*operands):
            x, dout, rows, columns = operands if average else (operands[0], *operands[2:])
            x = ops.zeros(sizes_of(x), dout.dtype) if average else x
            given = dout, x, dout, ops.cast(rows, dt.int64), ops.cast(columns, dt.int64)
            return fractional.fractional_dx(*given, overlapping, average)

        return call

    return make


def _again(of: str):
    """The gradient of a gradient primitive ``of`` by the gradient that it is given."""

    def make(kernel_size=1, strides=1, pad_mode="VALID", data_format=None):
        more = () if data_format is None else (data_format,)
        back = getattr(ops.operations._grad_ops, of)(kernel_size, strides, pad_mode, *more)
        if of == "MaxPoolGradWithArgmax":
            return lambda x, grad, argmax: _pulled(
                lambda g: back(x, g, argmax), (ops.zeros(argmax.shape, grad.dtype),), grad
            )
        return lambda x, out, grad: _pulled(lambda g: back(x, out, g), (ops.zeros_like(out),), grad)

    return make


def _extreme(choose):
    def make():
        def call(x1, x2, grad_y1, grad_y2):
            def both(a, b, d):
                return tuple(pullback(choose, [a, b], [0, 1], {0: d}))

            d = ops.zeros(choose(x1, x2).shape, x1.dtype)
            return tuple(pullback(both, [x1, x2, d], [0, 1, 2], {0: grad_y1, 1: grad_y2}))

        return call

    return make


def _lu_unpack(L_grad_flag, U_grad_flag):
    def call(L_grad, U_grad, LU_data):
        pivots = ops.arange(1, min(LU_data.shape[-2:]) + 1).astype(dt.int32)
        pivots = ops.broadcast_to(pivots, LU_data.shape[:-2] + pivots.shape)

        def parts(lu):
            return ops.LuUnpack()(lu, pivots)[1:]

        zeros = ops.zeros_like(LU_data)
        of = [
            pullback(parts, [LU_data], [0], {i: g}) if flag else zeros
            for i, (g, flag) in enumerate(((L_grad, L_grad_flag), (U_grad, U_grad_flag)))
        ]
        return tuple(of)

    return call


def _instance_norm(epsilon: float):
    def call(dy, x, gamma):
        axes, lift = tuple(range(2, len(x.shape))), (1, -1) + (1,) * (len(x.shape) - 2)

        def fn(x, gamma, beta):
            mean = ops.mean(x, axes, True)
            variance = ops.mean(ops.square(x - mean), axes, True)
            normal = (x - mean) * ops.rsqrt(variance + epsilon)
            return normal * ops.reshape(gamma, lift) + ops.reshape(beta, lift)

        return _pulled(fn, (x, gamma, ops.zeros_like(gamma)), dy)

    return call


def _fill_empty_rows():
    def call(reverse_index_map, grad_values):
        rows = ops.reshape(reverse_index_map.astype(dt.int64), (-1, 1))

        def filled(values, default):
            out = ops.broadcast_to(default, grad_values.shape)
            return ops.tensor_scatter_update(out, rows, values)

        given = ops.zeros(rows.shape[:1], grad_values.dtype), ops.zeros((), grad_values.dtype)
        return _pulled(filled, given, grad_values)

    return call


def _sparse_slice():
    def call(backprop_val_grad, indices, start, new_indices):
        wanted = new_indices.astype(dt.int64) + ops.reshape(start.astype(dt.int64), (1, -1))
        same = ops.equal(ops.expand_dims(indices.astype(dt.int64), 1), ops.expand_dims(wanted, 0))
        return ops.matmul(same.all(-1).astype(backprop_val_grad.dtype), backprop_val_grad)

    return call


def _crop(wanted: int):
    def make(method="bilinear"):
        op = ops.CropAndResize(method)

        def call(grads, image, boxes, box_index):
            size = tuple(grads.shape[1:3])
            return pullback(
                lambda x, b: op(x, b, box_index, size), [image, boxes], [wanted], {0: grads}
            )

        if wanted:
            return call
        return lambda grads, boxes, box_index, image_size: call(
            grads, ops.zeros(sizes_of(image_size), grads.dtype), boxes, box_index
        )

    return make


def _ctc(blank=0, reduction="none", zero_infinity=False):
    """As if the logarithms were those of a softmax: MindSpore and torch add its part."""
    op = ops.CTCLossV2(blank, reduction, zero_infinity)

    def call(grad_out, log_probs, targets, input_lengths, target_lengths, nll, log_alpha):
        def loss(x):
            return op(x, targets, input_lengths, target_lengths)[0]

        found = _pulled(loss, (log_probs,), grad_out)
        steps = ops.expand_dims(ops.arange(log_probs.shape[0]), 1)
        seen = ops.less(steps, ops.expand_dims(input_lengths.astype(dt.int64), 0))
        part = ops.exp(log_probs) * ops.reshape(grad_out, (1, -1, 1))
        return found + ops.where(ops.expand_dims(seen, -1), part, ops.zeros_like(part))

    return call


def _concat_offset(N=2, axis=0):
    def call(*tensors):
        xs = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
        rank, rows, at = len(xs[0].shape), [], 0
        for x in xs:
            rows.append([at if i == axis % rank else 0 for i in range(rank)])
            at += x.shape[axis]
        return Tensor(rows, dt.int64)

    return call


_MADE = {
    "AdaptiveAvgPool2DGrad": _adaptive(ops.adaptive_avg_pool2d),
    "AdaptiveAvgPool3DGrad": _adaptive(ops.adaptive_avg_pool3d),
    "AdaptiveMaxPool2DGrad": _adaptive_max(ops.adaptive_max_pool2d, 2),
    "AdaptiveMaxPool3DGrad": _adaptive_max(ops.adaptive_max_pool3d, 3),
    "AffineGridGrad": _affine_grid,
    "CTCLossV2Grad": _ctc,
    "CholeskyGrad": lambda: (
        lambda x, grad: _of(ops.cholesky)(grad, ops.matmul(x, x.swapaxes(-1, -2)))
    ),
    "ConcatOffset": _concat_offset,
    "CropAndResizeGradBoxes": _crop(1),
    "CropAndResizeGradImage": _crop(0),
    "EinsumGrad": _einsum,
    "FractionalAvgPoolGrad": _fractional(True),
    "FractionalMaxPool3DGradWithFixedKsize": _at_argmax,
    "FractionalMaxPoolGrad": _fractional(False),
    "FractionalMaxPoolGradWithFixedKsize": _at_argmax,
    "GluGrad": lambda axis: lambda grads, x: _of(lambda v: ops.glu(v, axis))(grads, x),
    "GridSampler2DGrad": _grid,
    "GridSampler3DGrad": _grid,
    "IgammaGradA": lambda: lambda a, x: igamma_by_shape(a, x),
    "InstanceNormGrad": lambda epsilon=0.0, momentum=0.1: (
        lambda dy, x, gamma, save_mean, save_variance: _instance_norm(epsilon)(dy, x, gamma)
    ),
    "LuUnpackGrad": _lu_unpack,
    "MaxPool3DGradGrad": _again("MaxPool3DGrad"),
    "MaxPoolGradGrad": _again("MaxPoolGrad"),
    "MaxPoolGradGradWithArgmax": _again("MaxPoolGradWithArgmax"),
    "MaximumGradGrad": _extreme(ops.maximum),
    "MinimumGradGrad": _extreme(ops.minimum),
    "MirrorPadGrad": _mirror_pad,
    "PadV3Grad": _pad_v3,
    "PdistGrad": _pdist,
    "RandomGammaGrad": lambda: (
        lambda alpha, sample: -igamma_by_shape(alpha, sample) / gamma_density(alpha, sample)
    ),
    "ResizeV2Grad": _resized,
    "ScaleAndTranslateGrad": _scaled,
    "SparseFillEmptyRowsGrad": _fill_empty_rows,
    "SparseSliceGrad": _sparse_slice,
    "UniqueGrad": lambda: lambda dy, y: ops.gather(dy[0], y[1], 0),
}


def __getattr__(name: str):
    if name in _ROWS:
        found = _derived(name, _ROWS[name])
    elif name in _MADE:
        found = derive(name, _MADE[name], f"The gradient primitive {name}, as in MindSpore.")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


__all__ = [*_ROWS, *_MADE]
