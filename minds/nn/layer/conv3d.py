"""Convolution of volumes ``(N, C, D, H, W)``."""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...ops.function.windows import convolve_volume, same_pads
from ..cell import Cell
from . import checks
from .basic import weight_and_bias
from .volume import volume_pads


def _as_text(cell) -> str:
    """What stands in the printed form of either cell."""
    return (
        f"input_channels={cell.in_channels}, output_channels={cell.out_channels}, "
        f"kernel_size={cell.kernel_size}, stride={cell.stride}, pad_mode={cell.pad_mode}, "
        f"padding={cell.padding}, dilation={cell.dilation}, group={cell.group}, "
        f"has_bias={cell.has_bias}, weight_init={cell.weight_init}, "
        f"bias_init={cell.bias_init}, format={cell.data_format}"
    )


class Conv3d(Cell):
    """Three-dimensional convolution (cross-correlation) over ``(N, C, D, H, W)``.

    Args:
        in_channels (int), out_channels (int): channels of input and output.
        kernel_size (int, tuple[int]): depth, height and width of the window.
        stride (int, tuple[int]): steps of the window. Default 1.
        pad_mode (str): ``same`` (output of ceil(size/stride)), ``valid`` (none) or ``pad``
            (``padding``). Default same.
        padding (int, tuple[int]): with ``pad``, zeros for all sides, for each dimension, or (front,
            back, top, bottom, left, right). Default 0.
        dilation (int, tuple[int]): spacing of the window's elements. Default 1.
        group (int): divides the channels into independent groups. Default 1.
        has_bias (bool): whether a bias is added. Default False.
        weight_init (Tensor, str, Initializer, number), bias_init (Tensor, str, Initializer,
            number): first values. Default HeUniform(sqrt(5)), and uniform within
            ``1/sqrt(fan in)``.
        data_format (str): ``NCDHW``.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, in_channels, D, H, W), float])

    Outputs:
        Tensor[(N, out_channels, D', H', W')].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, the channels do not divide into the groups, or
            padding without mode ``pad``.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Conv3d(3, 8, (2, 3, 3))(ms.ops.ones((1, 3, 4, 5, 6))).shape
        (1, 8, 4, 5, 6)
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        dilation=1,
        group=1,
        has_bias=False,
        weight_init=None,
        bias_init=None,
        data_format="NCDHW",
        dtype=dt.float32,
    ):
        super().__init__()
        self.in_channels = checks.positive_int("Conv3d", "in_channels", in_channels)
        self.out_channels = checks.positive_int("Conv3d", "out_channels", out_channels)
        self.group = checks.positive_int("Conv3d", "group", group)
        self.pad_mode = checks.word_of("Conv3d", "pad_mode", pad_mode, ("same", "valid", "pad"))
        self.has_bias = checks.boolean("Conv3d", "has_bias", has_bias)
        self.data_format = checks.one_of("Conv3d", "data_format", data_format, ("NCDHW",))
        self.kernel_size = checks.ints("Conv3d", "kernel_size", kernel_size, 3)
        self.stride = checks.ints("Conv3d", "stride", stride, 3)
        self.dilation = checks.ints("Conv3d", "dilation", dilation, 3)
        self.padding, self.pads = padding, volume_pads("Conv3d", pad_mode, padding)
        if in_channels % group or out_channels % group:
            raise complain(
                ValueError,
                f"Conv3d: group is {group}, in_channels {in_channels}, out_channels {out_channels}",
                expected="a divisor of both",
            )
        weight_and_bias(
            self,
            (out_channels, in_channels // group) + self.kernel_size,
            weight_init,
            bias_init,
            has_bias,
            dtype,
            out_channels,
        )

    def construct(self, x):
        pads = self.pads
        if self.pad_mode == "same":
            pads = same_pads(x.shape[2:], self.kernel_size, self.stride, self.dilation)
        out = convolve_volume(x, self.weight, self.stride, pads, self.dilation, self.group)
        if self.has_bias:
            out = out + ops.reshape(self.bias, (1, self.out_channels, 1, 1, 1))
        return out

    def extend_repr(self):
        return _as_text(self)


class Conv3dTranspose(Cell):
    """Transposed convolution over ``(N, C, D, H, W)``: the gradient of `Conv3d` with respect to its
    input.

    Args:
        in_channels (int), out_channels (int): channels of input and output; the weight's shape is
            ``(in, out / group, kd, kh, kw)``.
        kernel_size (int, tuple[int]): depth, height and width of the window.
        stride (int, tuple[int]): distance of the windows in the output. Default 1.
        pad_mode (str): ``same``, ``valid`` or ``pad``, of the convolution that this is the gradient
            of. Default same.
        padding (int, tuple[int]): with ``pad``, what is cut off on all sides, for each dimension,
            or (front, back, top, bottom, left, right). Default 0.
        dilation (int, tuple[int]): spacing of the window's elements. Default 1.
        group (int): divides the channels into independent groups. Default 1.
        has_bias (bool): whether a bias is added. Default False.
        weight_init (Tensor, str, Initializer, number), bias_init (Tensor, str, Initializer,
            number): first values. Default HeUniform(sqrt(5)), and uniform within
            ``1/sqrt(fan in)``.
        output_padding (int, tuple[int]): zeros behind the output. Default 0.
        data_format (str): ``NCDHW``.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, in_channels, D, H, W), float])

    Outputs:
        Tensor[(N, out_channels, D', H', W')], with the sizes as in `Conv2dTranspose`.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or padding without mode ``pad``.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Conv3dTranspose(3, 8, 2, stride=2, pad_mode="valid")(ms.ops.ones((1, 3, 4, 5, 6))).shape
        (1, 8, 8, 10, 12)
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        dilation=1,
        group=1,
        output_padding=0,
        has_bias=False,
        weight_init=None,
        bias_init=None,
        data_format="NCDHW",
        dtype=dt.float32,
    ):
        super().__init__()
        name = "Conv3dTranspose"
        self.in_channels = checks.positive_int(name, "in_channels", in_channels)
        self.out_channels = checks.positive_int(name, "out_channels", out_channels)
        self.group = checks.positive_int(name, "group", group)
        self.pad_mode = checks.word_of(name, "pad_mode", pad_mode, ("same", "valid", "pad"))
        self.has_bias = checks.boolean(name, "has_bias", has_bias)
        self.data_format = checks.one_of(name, "data_format", data_format, ("NCDHW",))
        self.kernel_size = checks.ints(name, "kernel_size", kernel_size, 3)
        self.stride = checks.ints(name, "stride", stride, 3)
        self.dilation = checks.ints(name, "dilation", dilation, 3)
        self.output_padding = checks.ints(name, "output_padding", output_padding, 3, 0)
        self.padding, self.pads = padding, volume_pads(name, pad_mode, padding)
        weight_and_bias(
            self,
            (in_channels, out_channels // group) + self.kernel_size,
            weight_init,
            bias_init,
            has_bias,
            dtype,
            out_channels,
        )

    def construct(self, x):
        out = ops.conv3d_transpose(
            x,
            self.weight,
            self.pad_mode,
            self.pads,
            self.stride,
            self.dilation,
            self.group,
            self.output_padding,
        )
        if self.has_bias:
            out = out + ops.reshape(self.bias, (1, self.out_channels, 1, 1, 1))
        return out

    def extend_repr(self):
        return _as_text(self)


__all__ = ["Conv3d", "Conv3dTranspose"]
