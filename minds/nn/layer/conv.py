"""Convolutions. All run on the two-dimensional primitive; one-dimensional ones add a dimension of
size 1.
"""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...base.late import all_of, late
from ...ops.define import P
from ...ops.function.common import window_pad
from ...tensor import Tensor
from ..cell import Cell
from . import checks
from .arithmetic import convolve
from .basic import weight_and_bias


def _deconv_output_length(
    is_valid, is_same, is_pad, input_length, filter_size, stride_size, dilation_size, padding
):
    """The size of what a transposed convolution gives along a dimension."""
    reach = dilation_size * (filter_size - 1) + 1
    if is_same:
        return input_length * stride_size
    if is_valid:
        return input_length * stride_size + max(reach - stride_size, 0)
    return (input_length - 1) * stride_size - padding + reach if is_pad else 0


class _Conv(Cell):
    """What all convolutions share: the weight and the bias. Networks derive convolutions of their
    own from it.

    Args:
        kernel_size (tuple[int]): the window, of as many dimensions as the weight shall have.
        stride (tuple[int]), pad_mode (str), padding (int, tuple[int]), dilation (tuple[int]): kept
            for ``construct``.
        transposed (bool): whether the weight's first dimension is the input's channels.
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        pad_mode,
        padding,
        dilation,
        group,
        has_bias,
        weight_init,
        bias_init,
        data_format="NCHW",
        transposed=False,
        dtype=dt.float32,
    ):
        super().__init__()
        name = self.cls_name
        self.in_channels = checks.positive_int(name, "in_channels", in_channels)
        self.out_channels = checks.positive_int(name, "out_channels", out_channels)
        self.group = checks.positive_int(name, "group", group)
        self.has_bias = checks.boolean(name, "has_bias", has_bias)
        self.data_format = checks.one_of(
            name, "data_format", data_format, ("NCHW", "NHWC", "NCDHW")
        )
        self.kernel_size, self.stride, self.dilation = kernel_size, stride, dilation
        self.pad_mode, self.padding = pad_mode, padding
        if in_channels % group or out_channels % group:
            raise complain(
                ValueError,
                f"{name}: group is {group}, in_channels {in_channels}, out_channels {out_channels}",
                expected="a divisor of both",
            )
        outer, inner = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        shape = (outer, inner // group, *kernel_size)
        if data_format == "NHWC":
            shape = (shape[0], *shape[2:], shape[1])
        weight_and_bias(self, shape, weight_init, bias_init, has_bias, dtype, out_channels)

    def extend_repr(self):
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
            f"padding={self.padding}, dilation={self.dilation}, group={self.group}, "
            f"has_bias={self.has_bias}, weight_init={self.weight_init}, "
            f"bias_init={self.bias_init}, format={self.data_format}"
        )


class _Planar(_Conv):
    """What the convolutions in one and two dimensions share: checked arguments and the computation.

    ``dims`` is 1 or 2. ``padding`` is stored as ``(top, bottom, left, right)``.
    """

    dims = 2
    transposed = False

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        pad_mode,
        padding,
        dilation,
        group,
        has_bias,
        weight_init,
        bias_init,
        dtype,
        data_format="NCHW",
    ):
        name = type(self).__name__
        checks.one_of(name, "pad_mode", pad_mode, ("same", "valid", "pad"))
        checks.one_of(name, "data_format", data_format, ("NCHW", "NHWC"))
        lead = (1,) * (2 - self.dims)
        window = lead + checks.ints(name, "kernel_size", kernel_size, self.dims)
        steps = lead + checks.ints(name, "stride", stride, self.dims)
        spacing = lead + checks.ints(name, "dilation", dilation, self.dims)
        pads = checks.ints(name, "padding", padding, 2 * self.dims, 0)
        if pad_mode != "pad" and any(pads):
            raise complain(
                ValueError,
                f"{name}: padding is {padding} with pad_mode {pad_mode!r}",
                expected="0 unless pad_mode is 'pad'",
            )
        if isinstance(weight_init, Tensor) and len(weight_init.shape) == 2 + self.dims < 4:
            weight_init = ops.expand_dims(
                weight_init, 2
            )  # as users see it, without the height of 1
        super().__init__(
            in_channels,
            out_channels,
            window,
            steps,
            pad_mode,
            padding,
            spacing,
            group,
            has_bias,
            weight_init,
            bias_init,
            data_format,
            self.transposed,
            dtype,
        )
        self.pads = (0, 0) * (2 - self.dims) + pads

    def _pads_for(self, height, width):
        """The paddings for an input (for a transposed convolution: an output) of this size."""
        if self.pad_mode != "same":
            return self.pads
        return window_pad("same", 0, (height, width), self.kernel_size, self.stride, self.dilation)

    def _convolve(self, x):
        self._check_rank(x)
        pads = self._pads_for(x.shape[2], x.shape[3])
        bias = self.bias if self.has_bias else None
        return convolve(x, self._window(), bias, self.stride, pads, self.dilation, self.group)

    def _window(self):
        """The weight with a height and a width, which that of `mint.nn.Conv1d` has not."""
        return ops.expand_dims(self.weight, 2) if self.weight.ndim == 3 else self.weight

    def _check_rank(self, x):
        if x.ndim != 4:
            raise complain(
                ValueError,
                f"{self.cls_name}: the input must be of rank 4 ({self.data_format}), got shape "
                f"{x.shape}",
            )

    def _out_size(self, size, axis):
        """The output size of a transposed convolution along an axis."""
        mode = self.pad_mode
        return _deconv_output_length(
            mode == "valid",
            mode == "same",
            mode == "pad",
            size,
            self.kernel_size[axis],
            self.stride[axis],
            self.dilation[axis],
            self.pads[2 * axis] + self.pads[2 * axis + 1],
        )

    def _convolve_back(self, x):
        self._check_rank(x)
        size = (self._out_size(x.shape[2], 0), self._out_size(x.shape[3], 1))
        pads = self._pads_for(size[0], size[1])
        shape = (x.shape[0], self.out_channels) + size
        out = P.conv2d_dx(x, self.weight, shape, self.stride, pads, self.dilation, self.group)
        if self.has_bias:
            out = out + ops.reshape(self.bias, (1, self.out_channels, 1, 1))
        return out


class Conv2d(_Planar):
    r"""Two-dimensional convolution (cross-correlation) over ``(N, C, H, W)``:
    :math:`y_{n,o,i,j} = b_o + \sum_{c,u,v} w_{o,c,u,v}\, x_{n,c,is+ud,js+vd}` with stride s and
    dilation d.

    Args:
        in_channels (int), out_channels (int): channels of input and output.
        kernel_size (int, tuple[int]): height and width of the window.
        stride (int, tuple[int]): steps of the window. Default 1.
        pad_mode (str): ``same`` (output of ceil(size/stride)), ``valid`` (none) or ``pad``
            (``padding``). Default same.
        padding (int, tuple[int]): with ``pad``, zeros for all sides or (top, bottom, left, right).
            Default 0.
        dilation (int, tuple[int]): spacing of the window's elements. Default 1.
        group (int): divides the channels into independent groups. Default 1.
        has_bias (bool): whether a bias is added. Default False.
        weight_init (Tensor, str, Initializer, number), bias_init (Tensor, str, Initializer,
            number): first values. Default HeUniform(sqrt(5)), and uniform within
            ``1/sqrt(fan in)``.
        data_format (str): ``NCHW`` or ``NHWC``. Default NCHW.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float])

    Outputs:
        Tensor[(N, out_channels, H', W')].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, the channels do not divide into the groups, padding
            without mode ``pad``, or the rank of ``x`` is another.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Conv2d(3, 8, 5, stride=2)(ms.ops.ones((1, 3, 9, 9))).shape
        (1, 8, 5, 5)
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
        data_format="NCHW",
        dtype=dt.float32,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
            dtype,
            data_format,
        )

    def construct(self, x):
        if self.data_format == "NCHW":
            return self._convolve(x)
        x = ops.transpose(x, (0, 3, 1, 2))
        pads = self._pads_for(x.shape[2], x.shape[3])
        weight = ops.transpose(self.weight, (0, 3, 1, 2))
        out = P.conv2d(x, weight, self.stride, pads, self.dilation, self.group)
        out = ops.transpose(out, (0, 2, 3, 1))
        if self.has_bias:
            out = out + self.bias
        return out


class Conv1d(_Planar):
    """One-dimensional convolution (cross-correlation) over ``(N, C, L)``.

    Args:
        in_channels (int), out_channels (int): channels of input and output.
        kernel_size (int): size of the window.
        stride (int): steps of the window. Default 1.
        pad_mode (str): ``same`` (output of ceil(size/stride)), ``valid`` (none) or ``pad``
            (``padding``). Default same.
        padding (int, tuple[int]): with ``pad``, zeros for both sides or (left, right). Default 0.
        dilation (int): spacing of the window's elements. Default 1.
        group (int): divides the channels into independent groups. Default 1.
        has_bias (bool): whether a bias is added. Default False.
        weight_init (Tensor, str, Initializer, number), bias_init (Tensor, str, Initializer,
            number): first values. Default HeUniform(sqrt(5)), and uniform within
            ``1/sqrt(fan in)``.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, in_channels, L), float])

    Outputs:
        Tensor[(N, out_channels, L')].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, the channels do not divide into the groups, padding
            without mode ``pad``, or the rank of ``x`` is another.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Conv1d(3, 8, 4)(ms.ops.ones((1, 3, 9))).shape
        (1, 8, 9)
    """

    dims = 1

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
        dtype=dt.float32,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
            dtype,
        )

    def construct(self, x):
        return ops.squeeze(self._convolve(ops.expand_dims(x, 2)), 2)


class Conv2dTranspose(_Planar):
    """Transposed convolution over ``(N, C, H, W)``: the gradient of `Conv2d` with respect to its
    input.

    Args:
        in_channels (int), out_channels (int): channels of input and output; the weight's shape is
            ``(in, out / group, kh, kw)``.
        kernel_size (int, tuple[int]): height and width of the window.
        stride (int, tuple[int]): distance of the windows in the output. Default 1.
        pad_mode (str): ``same``, ``valid`` or ``pad``, of the convolution that this is the gradient
            of. Default same.
        padding (int, tuple[int]): with ``pad``, what is cut off on all sides or (top, bottom, left,
            right). Default 0.
        output_padding (int, tuple[int]): rows and columns of zeros behind the output, with pad_mode
            ``pad``. Default 0.
        dilation (int, tuple[int]): spacing of the window's elements. Default 1.
        group (int): divides the channels into independent groups. Default 1.
        has_bias (bool): whether a bias is added. Default False.
        weight_init (Tensor, str, Initializer, number), bias_init (Tensor, str, Initializer,
            number): first values. Default HeUniform(sqrt(5)), and uniform within
            ``1/sqrt(fan in)``.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float])

    Outputs:
        Tensor[(N, out_channels, H', W')], where for ``same`` H' = H·stride, for ``valid`` H' =
        H·stride + max(reach - stride, 0), for ``pad`` H' = (H - 1)·stride - padding + reach +
        output_padding, reach = dilation·(k - 1) + 1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, ``padding`` or ``output_padding`` with another mode
            than ``pad``, or the rank of ``x`` is another.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Conv2dTranspose(3, 8, 4, stride=2)(ms.ops.ones((1, 3, 5, 5))).shape
        (1, 8, 10, 10)
    """

    transposed = True

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        output_padding=0,
        dilation=1,
        group=1,
        has_bias=False,
        weight_init=None,
        bias_init=None,
        dtype=dt.float32,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
            dtype,
        )
        self.output_padding = checks.ints("Conv2dTranspose", "output_padding", output_padding, 2, 0)
        if any(self.output_padding) and pad_mode != "pad":
            raise complain(
                ValueError,
                f"Conv2dTranspose: output_padding is {output_padding} with pad_mode {pad_mode!r}",
                expected="0 unless pad_mode is 'pad'",
            )

    def construct(self, x):
        out = self._convolve_back(x)
        if self.output_padding == (0, 0):
            return out
        return P.pad(
            out, ((0, 0), (0, 0), (0, self.output_padding[0]), (0, self.output_padding[1])), 0
        )


class Conv1dTranspose(_Planar):
    """Transposed convolution over ``(N, C, L)``: the gradient of `Conv1d` with respect to its
    input.

    Args:
        in_channels (int), out_channels (int): channels of input and output.
        kernel_size (int): size of the window.
        stride (int): distance of the windows in the output. Default 1.
        pad_mode (str): ``same``, ``valid`` or ``pad``, of the convolution that this is the gradient
            of. Default same.
        padding (int, tuple[int]): with ``pad``, what is cut off on both sides or (left, right).
            Default 0.
        dilation (int): spacing of the window's elements. Default 1.
        group (int): divides the channels into independent groups. Default 1.
        has_bias (bool): whether a bias is added. Default False.
        weight_init (Tensor, str, Initializer, number), bias_init (Tensor, str, Initializer,
            number): first values. Default HeUniform(sqrt(5)), and uniform within
            ``1/sqrt(fan in)``.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, in_channels, L), float])

    Outputs:
        Tensor[(N, out_channels, L')], with L' as in `Conv2dTranspose`.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, the channels do not divide into the groups, padding
            without mode ``pad``, or the rank of ``x`` is another.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Conv1dTranspose(3, 8, 4, pad_mode="pad")(ms.ops.ones((1, 3, 50))).shape
        (1, 8, 53)
    """

    dims = 1
    transposed = True

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
        dtype=dt.float32,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
            dtype,
        )

    def construct(self, x):
        return ops.squeeze(self._convolve_back(ops.expand_dims(x, 2)), 2)


__all__ = ["Conv1d", "Conv1dTranspose", "Conv2d", "Conv2dTranspose"]

# MindSpore has other layers here too.
__getattr__, __dir__ = late(__name__, {}, (), all_of("nn"))
