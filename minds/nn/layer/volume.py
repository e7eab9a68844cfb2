"""Convolution and pooling of volumes ``(N, C, D, H, W)``, composed of the two-dimensional primitives.

Pooling separates: first over planes, then over the depth. A convolution gathers the slices that a window
spans into the channels, and is then one two-dimensional convolution over all windows.
"""
from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...ops.define import P
from ..cell import Cell
from . import checks
from .basic import weight_and_bias


def _pads(cell: str, pad_mode: str, padding) -> tuple:
    """``padding`` as (front, back, top, bottom, left, right); one or three ints are for both sides."""
    if not checks.is_int(padding) and isinstance(padding, (tuple, list)) and len(padding) == 3:
        padding = tuple(p for p in padding for _ in range(2))
    pads = checks.ints(cell, "padding", padding, 6, 0)
    if pad_mode != "pad" and any(pads):
        raise complain(ValueError, f"{cell}: padding is {padding} with pad_mode {pad_mode!r}",
                       expected="0 unless pad_mode is 'pad'")
    return pads


def _same(size, kernel, stride, dilation):
    need = max((-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return (need // 2, need - need // 2)


class Conv3d(Cell):
    """Three-dimensional convolution over ``(N, C, D, H, W)``; arguments as `Conv2d`, with three sizes each.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Conv3d(3, 8, (2, 3, 3))(ms.ops.ones((1, 3, 4, 5, 6))).shape
        (1, 8, 4, 5, 6)
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
                 dilation=1, group=1, has_bias=False, weight_init=None, bias_init=None, data_format="NCDHW",
                 dtype=dt.float32):
        super().__init__()
        self.in_channels = checks.positive_int("Conv3d", "in_channels", in_channels)
        self.out_channels = checks.positive_int("Conv3d", "out_channels", out_channels)
        self.group = checks.positive_int("Conv3d", "group", group)
        self.pad_mode = checks.one_of("Conv3d", "pad_mode", pad_mode, ("same", "valid", "pad"))
        self.has_bias = checks.boolean("Conv3d", "has_bias", has_bias)
        self.format = checks.one_of("Conv3d", "data_format", data_format, ("NCDHW",))
        self.kernel_size = checks.ints("Conv3d", "kernel_size", kernel_size, 3)
        self.stride = checks.ints("Conv3d", "stride", stride, 3)
        self.dilation = checks.ints("Conv3d", "dilation", dilation, 3)
        self.padding, self.pads = padding, _pads("Conv3d", pad_mode, padding)
        if in_channels % group or out_channels % group:
            raise complain(ValueError, f"Conv3d: group is {group}, in_channels {in_channels}, "
                                       f"out_channels {out_channels}", expected="a divisor of both")
        weight_and_bias(self, (out_channels, in_channels // group) + self.kernel_size, weight_init, bias_init,
                        has_bias, dtype, out_channels)

    def construct(self, x):
        (kd, kh, kw), (sd, sh, sw), (dd, dh, dw) = self.kernel_size, self.stride, self.dilation
        pads = self.pads
        if self.pad_mode == "same":
            pads = (_same(x.shape[2], kd, sd, dd) + _same(x.shape[3], kh, sh, dh)
                    + _same(x.shape[4], kw, sw, dw))
        if pads[0] or pads[1]:
            x = P.pad(x, ((0, 0), (0, 0), pads[:2], (0, 0), (0, 0)), 0)
        n, c, d, h, w = x.shape
        depth = (d - (kd - 1) * dd - 1) // sd + 1
        slices = [P.strided_slice(x, (0, 0, i * dd, 0, 0), (n, c, i * dd + (depth - 1) * sd + 1, h, w),
                                  (1, 1, sd, 1, 1))
                  for i in range(kd)]
        # (N, C, kd, depth, H, W) → one image of C·kd channels for each sample and window.
        seen = ops.transpose(ops.stack(slices, 2), (0, 3, 1, 2, 4, 5))
        weight = ops.reshape(self.weight, (self.out_channels, -1, kh, kw))
        out = P.conv2d(ops.reshape(seen, (n * depth, c * kd, h, w)), weight, (sh, sw), pads[2:], (dh, dw),
                       self.group)
        out = ops.transpose(ops.reshape(out, (n, depth) + out.shape[1:]), (0, 2, 1, 3, 4))
        if self.has_bias:
            out = out + ops.reshape(self.bias, (1, self.out_channels, 1, 1, 1))
        return out

    def extend_repr(self):
        return (f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
                f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
                f"padding={self.padding}, dilation={self.dilation}, group={self.group}, "
                f"has_bias={self.has_bias}, weight_init={self.weight_init}, "
                f"bias_init={self.bias_init}, format={self.format}")


class _Pool3d(Cell):
    """What the pools share."""

    def __init__(self, kernel_size, stride, pad_mode, padding, ceil_mode, dilation=1):
        super().__init__()
        name = self.cls_name
        self.kernel_size = checks.ints(name, "kernel_size", kernel_size, 3)
        self.stride = checks.ints(name, "stride", stride, 3)
        self.dilation = checks.ints(name, "dilation", dilation, 3)
        self.pad_mode = checks.one_of(name, "pad_mode", str(pad_mode).lower(), ("valid", "same", "pad"))
        self.pads = _pads(name, self.pad_mode, padding)
        self.ceil_mode = checks.boolean(name, "ceil_mode", ceil_mode)

    def _all_pads(self, size):
        """The padding of each dimension, as pairs."""
        pairs = ()
        for i in range(3):
            n, k, s, d = size[i], self.kernel_size[i], self.stride[i], self.dilation[i]
            low, high = self.pads[2 * i:2 * i + 2] if self.pad_mode != "same" else _same(n, k, s, d)
            reach = (k - 1) * d + 1
            if self.ceil_mode:
                steps = -(-(n + low + high - reach) // s)
                steps = steps - 1 if steps * s >= n + low else steps
                high = max(steps * s + reach - n - low, high)
            pairs = pairs + ((low, high),)
        return pairs

    def extend_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode.upper()}"


class MaxPool3d(_Pool3d):
    """The largest element of each window of ``(N, C, D, H, W)`` or ``(C, D, H, W)``.

    Args:
        kernel_size, stride, pad_mode, padding, dilation, ceil_mode: as in `MaxPool2d`, with three sizes each.
        return_indices (bool): also return where in its volume each element was. Default False.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.MaxPool3d(2, 2)(ms.ops.ones((1, 3, 4, 4, 5))).shape
        (1, 3, 2, 2, 2)
    """

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1, return_indices=False,
                 ceil_mode=False):
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, dilation)
        self.return_indices = checks.boolean("MaxPool3d", "return_indices", return_indices)

    def construct(self, x):
        lead, (d, h, w) = x.shape[:-3], x.shape[-3:]
        depth, rows, columns = self._all_pads((d, h, w))
        k, s, e = self.kernel_size, self.stride, self.dilation
        planes, place = P.max_pool2d(ops.reshape(x, (-1, d, h, w)), k[1:], s[1:], rows + columns, e[1:])
        size = planes.shape[2:]
        lines = ops.reshape(planes, (-1, 1, d, size[0] * size[1]))
        out, which = P.max_pool2d(lines, (k[0], 1), (s[0], 1), depth + (0, 0), (e[0], 1))
        shape = lead + (out.shape[2],) + size
        if not self.return_indices:
            return ops.reshape(out, shape)
        flat, area = ops.reshape(which, (which.shape[0], -1)), size[0] * size[1]
        within = P.gather_d(ops.reshape(place, (flat.shape[0], -1)), 1, flat)
        index = ops.floor_divide(flat, area) * (h * w) + within
        return ops.reshape(out, shape), ops.reshape(index, shape)


class AvgPool3d(_Pool3d):
    """The mean of each window of ``(N, C, D, H, W)`` or ``(C, D, H, W)``.

    Args:
        kernel_size, stride, pad_mode, padding, ceil_mode: as in `AvgPool2d`, with three sizes each.
        count_include_pad (bool): whether padding counts as zeros; with ``same`` it never does. Default True.
        divisor_override (int): divides the sum instead of the window's size. Default None.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.AvgPool3d(2, 2)(ms.ops.ones((1, 3, 4, 4, 5))).shape
        (1, 3, 2, 2, 2)
    """

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False,
                 count_include_pad=True, divisor_override=None):
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode)
        self.count_include_pad = checks.boolean("AvgPool3d", "count_include_pad", count_include_pad)
        if divisor_override is not None:
            checks.positive_int("AvgPool3d", "divisor_override", divisor_override)
        self.divisor_override = divisor_override

    def construct(self, x):
        lead, (d, h, w) = x.shape[:-3], x.shape[-3:]
        depth, rows, columns = self._all_pads((d, h, w))
        k, s = self.kernel_size, self.stride
        counted = self.divisor_override is not None or self.count_include_pad and self.pad_mode != "same"
        planes = P.avg_pool2d(ops.reshape(x, (-1, d, h, w)), k[1:], s[1:], rows + columns, counted)
        size = planes.shape[2:]
        lines = ops.reshape(planes, (-1, 1, d, size[0] * size[1]))
        out = P.avg_pool2d(lines, (k[0], 1), (s[0], 1), depth + (0, 0), counted)
        if self.divisor_override is not None:
            out = out * (k[0] * k[1] * k[2] / self.divisor_override)
        return ops.reshape(out, lead + (out.shape[2],) + size)


__all__ = ["AvgPool3d", "Conv3d", "MaxPool3d"]
