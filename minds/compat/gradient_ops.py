"""More of MindSpore's gradients as primitives (`_grad_ops`): the pullbacks of the functions whose
gradients they are, at the operands that the primitive is given.
"""

from __future__ import annotations

from .. import ops
from ..ops.function.common import known_values, sizes_of
from ..ops.operations import derive
from ..transforms.vjp import vjp


def _pulled(fn, operands: tuple, dout):
    """The gradients of ``fn`` at ``operands``."""
    found = vjp(fn, *operands)[1](dout)
    return found[0] if len(operands) == 1 else found


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


def _binary_cross_entropy(reduction="mean"):
    def call(input, target, grad_output, weight=None):
        loss = ops.BinaryCrossEntropy(reduction)
        return _pulled(lambda x: loss(x, target, weight), (input,), grad_output)

    return call


def _grid(interpolation_mode="bilinear", padding_mode="zeros", align_corners=False):
    def call(grad, input_x, grid):
        def fn(x, at):
            return ops.grid_sample(x, at, interpolation_mode, padding_mode, align_corners)

        return _pulled(fn, (input_x, grid), grad)

    return call


def _max_pool3d(kernel_size=1, strides=1, pad_mode="VALID", pad_list=0, data_format="NCDHW"):
    pool = ops.MaxPool3D(kernel_size, strides, pad_mode, pad_list, None, data_format)
    return lambda x_origin, out_origin, grad: _of(pool)(grad, x_origin)


def _avg_pool3d(
    kernel_size=1,
    strides=1,
    pads=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=0,
    data_format="NCDHW",
    pad_mode="pad",
):
    pool = ops.AvgPool3D(
        kernel_size,
        strides,
        pad_mode,
        pads,
        ceil_mode,
        count_include_pad,
        divisor_override,
        data_format,
    )
    return lambda origin_input_shape, grads: _shaped(pool)(grads, origin_input_shape)


def _max_pool_argmax(kernel_size=1, strides=1, pad_mode="VALID", data_format="NCHW"):
    pool = ops.MaxPool(kernel_size, strides, pad_mode, data_format)
    return lambda x, grad, argmax: _of(pool)(grad, x)


def _mirror_pad(mode="REFLECT"):
    def call(dy, paddings):
        pads = known_values("MirrorPadGrad", paddings)[0].tolist()
        shape = [n - a - b for n, (a, b) in zip(dy.shape, pads, strict=True)]
        return _shaped(lambda x: ops.MirrorPad(mode)(x, paddings))(dy, tuple(shape))

    return call


def _pdist(p=2.0):
    return lambda y_grad, x, y: _of(lambda v: ops.pdist(v, p))(y_grad, x)


def _prelu():
    return lambda dy, x, weight: _pulled(ops.prelu, (x, weight), dy)


def _dilation(which: int):
    def make(stride, dilation, pad_mode="SAME", data_format="NCHW"):
        op = ops.Dilation2D(stride, dilation, pad_mode, data_format)
        return lambda x, filter, out_backprop: _pulled(op, (x, filter), out_backprop)[which]

    return make


def _deformable(
    strides,
    pads,
    kernel_size,
    dilations=(1, 1, 1, 1),
    data_format="NCHW",
    deformable_groups=1,
    modulated=True,
):
    op = ops.DeformableOffsets(
        strides, pads, kernel_size, dilations, data_format, deformable_groups, modulated
    )
    return lambda out_backprop, input, offsets: _pulled(op, (input, offsets), out_backprop)


def _roi_align(pooled_height, pooled_width, spatial_scale, sample_num=2):
    op = ops.ROIAlign(pooled_height, pooled_width, spatial_scale, sample_num)
    return lambda dy, rois, shape: _shaped(lambda x: op(x, rois))(dy, shape)


def _scaled(kernel_type="lanczos3", antialias=True):
    op = ops.ScaleAndTranslate(kernel_type, antialias)

    def call(grads, original_image, scale, translation):
        size = tuple(grads.shape[1:3])
        return _of(lambda x: op(x, size, scale, translation))(grads, original_image)

    return call


def _lrn(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5):
    op = ops.LRN(depth_radius, bias, alpha, beta)
    return lambda grads, x, y: _of(op)(grads, x)


_MADE = {
    "AdaptiveAvgPool2DGrad": _adaptive(ops.adaptive_avg_pool2d),
    "AdaptiveAvgPool3DGrad": _adaptive(ops.adaptive_avg_pool3d),
    "AdaptiveMaxPool2DGrad": _adaptive_max(ops.adaptive_max_pool2d, 2),
    "AdaptiveMaxPool3DGrad": _adaptive_max(ops.adaptive_max_pool3d, 3),
    "AvgPool3DGrad": _avg_pool3d,
    "BinaryCrossEntropyGrad": _binary_cross_entropy,
    "CholeskyGrad": lambda: (
        lambda x, grad: _of(ops.cholesky)(grad, ops.matmul(x, x.swapaxes(-1, -2)))
    ),
    "DeformableOffsetsGrad": _deformable,
    "Dilation2DBackpropFilter": _dilation(1),
    "Dilation2DBackpropInput": _dilation(0),
    "GluGrad": lambda axis: lambda grads, x: _of(lambda v: ops.glu(v, axis))(grads, x),
    "GridSampler2DGrad": _grid,
    "GridSampler3DGrad": _grid,
    "KLDivLossGrad": lambda reduction="mean": (
        lambda dy, x, target: _of(lambda v: ops.kl_div(v, target, reduction))(dy, x)
    ),
    "LRNGrad": _lrn,
    "MaskedSelectGrad": lambda: (
        lambda input, mask, grad: _of(lambda v: ops.masked_select(v, mask))(grad, input)
    ),
    "MaxPool3DGrad": _max_pool3d,
    "MaxPoolGradWithArgmax": _max_pool_argmax,
    "MirrorPadGrad": _mirror_pad,
    "MvlgammaGrad": lambda p: lambda y_grad, x: _of(lambda v: ops.mvlgamma(v, p))(y_grad, x),
    "PReLUGrad": _prelu,
    "PdistGrad": _pdist,
    "ROIAlignGrad": _roi_align,
    "ScaleAndTranslateGrad": _scaled,
}

globals().update(
    {
        name: derive(name, made, f"The gradient primitive {name}, as in MindSpore.")
        for name, made in _MADE.items()
    }
)
__all__ = list(_MADE)
