"""Class spellings of convolutions and pools with windows of two or three dimensions."""

from __future__ import annotations

from ...base import dtype as dt
from ...base.errors import expect
from ..define import P
from ..faces import face, primitive
from ..function.common import only, window_pad
from ..function.windows import ceiled_pads, max_volume, mean_volume, same_pads, triple_of
from ..functional import WITHIN as F
from ..rules import pair_of


def _pads3(x, pad_mode, pad, kernel, stride) -> tuple:
    mode = str(pad_mode).lower()
    pads = same_pads(x.shape[-3:], kernel, stride, (1, 1, 1)) if mode == "same" else (0,) * 6
    if mode == "pad":
        pads = (pad,) * 6 if isinstance(pad, int) else tuple(pad)
        pads = tuple(p for p in pads for _ in range(2)) if len(pads) == 3 else pads
    return pads


def _unpool(function, rank, layout):
    def make(ksize, strides=0, pads=0, output_shape=(), data_format=layout):
        def call(x, argmax):
            size, step, pad = (
                v[-rank:] if isinstance(v, (tuple, list)) else v for v in (ksize, strides, pads)
            )
            shape = [
                int(n)
                for n in (
                    output_shape.tolist() if hasattr(output_shape, "tolist") else output_shape
                )
            ]
            return function(x, argmax, size, step, pad, tuple(shape) or None)

        return call

    return make


@face(cls="AdaptiveMaxPool3D", like="adaptive_max_pool3d")
def _(x, output_size):
    return F.adaptive_max_pool3d(
        x, tuple(output_size.tolist() if hasattr(output_size, "tolist") else output_size), True
    )


@primitive
def AvgPool3D(
    kernel_size=1,
    strides=1,
    pad_mode="valid",
    pad=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=0,
    data_format="NCDHW",
):
    only("data_format", data_format, "NCDHW")
    kernel, step = triple_of(kernel_size, "kernel_size"), triple_of(strides, "strides")

    def call(x):
        pads = _pads3(x, pad_mode, pad, kernel, step)
        return mean_volume(x, kernel, step, pads, count_include_pad, ceil_mode, divisor_override)

    return call


@primitive(name="Conv2DBackpropInput Conv2DTranspose")
def _conv2d_transpose(
    out_channel,
    kernel_size,
    pad_mode="valid",
    pad=0,
    pad_list=None,
    mode=1,
    stride=1,
    dilation=1,
    group=1,
    data_format="NCHW",
):
    only("data_format", data_format, "NCHW")
    only("mode", mode, 1)
    step, spread = (
        pair_of(v[-2:] if isinstance(v, tuple) else v, n)
        for v, n in ((stride, "stride"), (dilation, "dilation"))
    )

    def call(dout, weight, input_size):
        size = tuple(input_size.tolist() if hasattr(input_size, "tolist") else input_size)
        pads = (
            tuple(pad_list)
            if pad_list
            else window_pad(pad_mode, pad, size[2:], weight.shape[2:], step, spread)
        )
        return P.conv2d_dx(dout, weight, size, step, pads, spread, group)

    return call


@primitive(like="conv3d")
def Conv3D(
    out_channel,
    kernel_size,
    mode=1,
    pad_mode="valid",
    pad=0,
    stride=1,
    dilation=1,
    group=1,
    data_format="NCDHW",
):
    only("data_format", data_format, "NCDHW")
    only("mode", mode, 1)
    return lambda x, weight: F.conv3d(x, weight, None, stride, pad_mode, pad, dilation, group)


@primitive(like="conv3d_transpose")
def Conv3DTranspose(
    in_channel,
    out_channel,
    kernel_size,
    mode=1,
    pad_mode="valid",
    pad=0,
    stride=1,
    dilation=1,
    group=1,
    output_padding=0,
    data_format="NCDHW",
):
    only("data_format", data_format, "NCDHW")
    only("mode", mode, 1)
    return lambda dout, weight: F.conv3d_transpose(
        dout, weight, pad_mode, pad, stride, dilation, group, output_padding
    )


@primitive(like="fractional_max_pool2d")
def FractionalMaxPoolWithFixedKsize(ksize, output_shape, data_format="NCHW"):
    only("data_format", data_format, "NCHW")
    return lambda input_x, random_samples: F.fractional_max_pool2d(
        input_x, ksize, output_shape, None, True, random_samples
    )


@primitive(like="fractional_max_pool3d")
def FractionalMaxPool3DWithFixedKsize(ksize, output_shape, data_format="NCDHW"):
    only("data_format", data_format, "NCDHW")
    return lambda x, random_samples: F.fractional_max_pool3d(
        x, ksize, output_shape, None, True, random_samples
    )


@primitive
def MaxPool3D(
    kernel_size=1, strides=1, pad_mode="VALID", pad_list=0, ceil_mode=None, data_format="NCDHW"
):
    only("data_format", data_format, "NCDHW")
    kernel, step = triple_of(kernel_size, "kernel_size"), triple_of(strides, "strides")

    def call(x):
        pads = _pads3(x, pad_mode, pad_list, kernel, step)
        if ceil_mode:
            pads = ceiled_pads(x.shape[-3:], kernel, step, pads, (1, 1, 1))
        return max_volume(x, kernel, step, pads, (1, 1, 1))[0]

    return call


@primitive(like="max_pool3d")
def MaxPool3DWithArgmax(
    ksize,
    strides,
    pads,
    dilation=(1, 1, 1),
    ceil_mode=False,
    data_format="NCDHW",
    argmax_type=dt.int64,
):
    only("data_format", data_format, "NCDHW")

    def call(x):
        out, index = F.max_pool3d(x, ksize, strides, pads, dilation, ceil_mode, True)
        return out, P.cast(index, argmax_type)

    return call


@primitive(like="max_pool2d")
def MaxPoolWithArgmaxV2(
    kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, argmax_type=dt.int64
):
    def call(x):
        window, step, pad, spread = (
            v[-2:] if isinstance(v, (tuple, list)) else v
            for v in (kernel_size, strides, pads, dilation)
        )
        expect(len(x.shape) == 4, "x", "of rank 4 (NCHW)", got=f"shape {x.shape}")
        out, index = F.max_pool2d(x, window, step, pad, spread, True, ceil_mode)
        return out, P.cast(index, argmax_type)

    return call


primitive(name="MaxUnpool2D", like="max_unpool2d")(_unpool(F.max_unpool2d, 2, "NCHW"))


primitive(name="MaxUnpool3D", like="max_unpool3d")(_unpool(F.max_unpool3d, 3, "NCDHW"))


def _pool(kind: str):
    def make(kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"):
        hwc = data_format == "NHWC"

        def plane(v, name):
            four = isinstance(v, (tuple, list)) and len(v) == 4
            return pair_of((v[1:3] if hwc else v[2:]) if four else v, name)

        kernel, step = plane(kernel_size, "kernel_size"), plane(strides, "strides")

        def call(x):
            x = P.transpose(x, (0, 3, 1, 2)) if hwc else x
            pads = window_pad(pad_mode, 0, x.shape[2:], kernel, step, (1, 1))
            if kind == "max":
                out = P.max_pool2d(x, kernel, step, pads)[0]
            else:
                out = P.avg_pool2d(x, kernel, step, pads, False)
            return P.transpose(out, (0, 2, 3, 1)) if hwc else out

        return call

    return make


primitive(name="AvgPoolV1", inner=True)(_pool("avg"))
primitive(name="MaxPoolV1", inner=True)(_pool("max"))
