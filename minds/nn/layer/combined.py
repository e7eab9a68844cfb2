"""Layers made of others: with batch normalisation and activation, over time, regularising."""

from __future__ import annotations

import math

from ... import ops
from ...base.errors import complain
from ...ops.define import P
from ..cell import Cell
from . import checks
from .activation import activation_cell
from .basic import Dense
from .batch_norm import BatchNorm1d, BatchNorm2d
from .conv import Conv2d
from .rectifier import LeakyReLU


def _activation(owner: str, activation, alpha):
    return LeakyReLU(alpha) if activation == "leakyrelu" else activation_cell(owner, activation)


class Conv2dBnAct(Cell):
    """A convolution, batch normalisation if wanted, and an activation if wanted.

    Args:
        in_channels (int), out_channels (int), kernel_size (int, tuple[int]), stride (int,
            tuple[int]), pad_mode (str), padding (int, tuple[int]), dilation (int, tuple[int]),
            group (int), has_bias (bool): of the convolution, with the defaults of `Conv2d`.
        weight_init (Tensor, str, Initializer, number), bias_init (Tensor, str, Initializer,
            number): first values. Default normal and zeros.
        has_bn (bool): with batch normalisation. Default False.
        momentum (float), eps (float): of the normalisation. Default 0.997 and 1e-5.
        activation (str, Cell, function): applied at the end. Default None.
        alpha (float): slope of ``leakyrelu``. Default 0.2.
        after_fake (bool): without effect.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float])

    Outputs:
        Tensor[(N, out_channels, H', W')].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        KeyError: ``activation`` names none.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Conv2dBnAct(1, 2, 3, has_bn=True, activation="relu")(ms.ops.ones((1, 1, 4, 4))).shape
        (1, 2, 4, 4)
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
        weight_init="normal",
        bias_init="zeros",
        has_bn=False,
        momentum=0.997,
        eps=1e-5,
        activation=None,
        alpha=0.2,
        after_fake=True,
    ):
        super().__init__()
        self.conv = Conv2d(
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
        )
        self.has_bn = checks.boolean("Conv2dBnAct", "has_bn", has_bn)
        self.batchnorm = BatchNorm2d(out_channels, eps, momentum) if has_bn else None
        self.activation = _activation("Conv2dBnAct", activation, alpha)

    def construct(self, x):
        x = self.conv(x)
        if self.has_bn:
            x = self.batchnorm(x)
        return x if self.activation is None else self.activation(x)


class DenseBnAct(Cell):
    """A dense layer, batch normalisation if wanted, and an activation if wanted.

    Args:
        in_channels (int), out_channels (int): sizes of the last dimension of input and output.
        weight_init (Tensor, str, Initializer, number), bias_init (Tensor, str, Initializer,
            number): first values. Default normal and zeros.
        has_bias (bool): whether to add a bias. Default True.
        has_bn (bool): with batch normalisation. Default False.
        momentum (float), eps (float): of the normalisation. Default 0.9 and 1e-5.
        activation (str, Cell, function): applied at the end. Default None.
        alpha (float): slope of ``leakyrelu``. Default 0.2.
        after_fake (bool): without effect.

    Inputs:
        - **x** (Tensor[(N, in_channels), float])

    Outputs:
        Tensor[(N, out_channels)].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        KeyError: ``activation`` names none.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> nn.DenseBnAct(3, 2, has_bn=True, activation="relu")(ops.ones((4, 3))).shape
        (4, 2)
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        weight_init="normal",
        bias_init="zeros",
        has_bias=True,
        has_bn=False,
        momentum=0.9,
        eps=1e-5,
        activation=None,
        alpha=0.2,
        after_fake=True,
    ):
        super().__init__()
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        self.has_bn = checks.boolean("DenseBnAct", "has_bn", has_bn)
        self.batchnorm = BatchNorm1d(out_channels, eps, momentum) if has_bn else None
        self.activation = _activation("DenseBnAct", activation, alpha)

    def construct(self, x):
        x = self.dense(x)
        if self.has_bn:
            x = self.batchnorm(x)
        return x if self.activation is None else self.activation(x)


class TimeDistributed(Cell):
    """Applies a layer to every step of a sequence.

    Args:
        layer (Cell): what is applied.
        time_axis (int): the dimension of the steps.
        reshape_with_axis (int): fold the steps into this dimension and apply the layer once,
            instead of step by step. Default None.

    Inputs:
        - **inputs** (Tensor) - with a dimension of steps.

    Outputs:
        Tensor, the layer's results along that dimension.

    Raises:
        TypeError: ``layer`` is no Cell.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.TimeDistributed(nn.Dense(3, 4), time_axis=1)(ms.ops.ones((2, 5, 3))).shape
        (2, 5, 4)
    """

    def __init__(self, layer, time_axis, reshape_with_axis=None):
        super().__init__()
        if not isinstance(layer, Cell):
            raise complain(
                TypeError,
                f"TimeDistributed: layer has type {type(layer).__name__}",
                expected="a Cell",
            )
        self.layer, self.time_axis, self.reshape_with_axis = layer, time_axis, reshape_with_axis

    def construct(self, inputs):
        time = self.time_axis + inputs.ndim if self.time_axis < 0 else self.time_axis
        if self.reshape_with_axis is None:
            return ops.stack([self.layer(x) for x in ops.unstack(inputs, time)], time)
        other = (
            self.reshape_with_axis + inputs.ndim
            if self.reshape_with_axis < 0
            else self.reshape_with_axis
        )
        first, count = other - (other > time), inputs.shape[time]
        # Steps next to the dimension they are folded into, so that one reshape does it.
        moved = ops.moveaxis(inputs, time, first)
        shape = moved.shape
        out = self.layer(
            ops.reshape(moved, shape[:first] + (count * shape[first + 1],) + shape[first + 2 :])
        )
        out = ops.reshape(out, out.shape[:first] + (count, -1) + out.shape[first + 1 :])
        return ops.moveaxis(out, first, time)


class L1Regularizer(Cell):
    r"""The penalty :math:`scale \sum |w|`.

    Args:
        scale (number): above 0.

    Inputs:
        - **weights** (Tensor[float])

    Outputs:
        Tensor of rank 0.

    Raises:
        TypeError: ``scale`` is no number.
        ValueError: it is not positive.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.L1Regularizer(0.5)(ms.Tensor([1.0, -3.0])))
        2.0
    """

    def __init__(self, scale):
        super().__init__()
        self.scale = float(checks.number_in("L1Regularizer", "scale", scale, 0, math.inf, "()"))

    def construct(self, weights):
        return self.scale * ops.sum(ops.abs(weights))


class LRN(Cell):
    r"""Local response normalisation over neighbouring channels:
    :math:`x/(bias + \alpha\sum x^2)^\beta`.

    Args:
        depth_radius (int): neighbours on each side. Default 5.
        bias (float), alpha (float), beta (float): as in the formula. Default 1, 1 and 0.5.
        norm_region (str): ``ACROSS_CHANNELS``.

    Inputs:
        - **input_x** (Tensor[(N, C, H, W), float])

    Outputs:
        Tensor, of the shape and dtype of ``input_x``.

    Raises:
        TypeError: ``depth_radius`` is no int.
        ValueError: it is negative, or another region.

    Source: Krizhevsky et al., ImageNet Classification with Deep Convolutional Neural Networks,
        2012.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.LRN(1)(ms.Tensor([1.0, 0.0, 2.0]).reshape(1, 3, 1, 1)).flatten().asnumpy().round(4))
        [0.7071 0.     0.8944]
    """

    def __init__(
        self, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"
    ):
        super().__init__()
        self.depth_radius = checks.int_at_least("LRN", "depth_radius", depth_radius, 0)
        self.bias = checks.any_number("LRN", "bias", bias)
        self.alpha = checks.any_number("LRN", "alpha", alpha)
        self.beta = checks.any_number("LRN", "beta", beta)
        checks.word_of("LRN", "norm_region", norm_region, ("ACROSS_CHANNELS",))

    def construct(self, input_x):
        channels = input_x.shape[1]
        radius = min(self.depth_radius, channels)
        padded = P.pad(ops.square(input_x), ((0, 0), (radius, radius), (0, 0), (0, 0)), 0)
        total = padded[:, 0:channels]
        for i in range(1, 2 * radius + 1):
            total = total + padded[:, i : i + channels]
        return input_x * (self.bias + self.alpha * total) ** -self.beta


class LPPool2d(Cell):
    r"""The p-norm of each window: :math:`(\sum x^p)^{1/p}`.

    Args:
        norm_type (number): p, not 0.
        kernel_size (int, tuple[int]): height and width of the window.
        stride (int, tuple[int]): Default None, the kernel's size.
        ceil_mode (bool): let the last window reach over the end. Default False.

    Inputs:
        - **x** (Tensor[(N, C, H, W) or (C, H, W), float])

    Outputs:
        Tensor[(N, C, H', W') or (C, H', W')].

    Raises:
        TypeError: ``kernel_size`` or ``stride`` is no int, or ``ceil_mode`` no bool.
        ValueError: ``norm_type`` is 0, or a size is not positive.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.LPPool2d(2, (1, 2))(ms.Tensor([[[3.0, 4.0]]])))
        [[[5.]]]
    """

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        if norm_type == 0:
            raise complain(
                ValueError, f"{self.cls_name}: norm_type is 0", expected="another number"
            )
        self.norm_type, self.ceil_mode = (
            float(norm_type),
            checks.boolean(self.cls_name, "ceil_mode", ceil_mode),
        )
        self.kernel_size = self._window("kernel_size", kernel_size)
        self.stride = self.kernel_size if stride is None else self._window("stride", stride)

    def _window(self, name, v):
        return checks.ints(self.cls_name, name, v, 2)

    def construct(self, x):
        area = self.kernel_size[0] * self.kernel_size[1]
        mean = ops.avg_pool2d(x**self.norm_type, self.kernel_size, self.stride, 0, self.ceil_mode)
        return (mean * area) ** (1.0 / self.norm_type)


class LPPool1d(LPPool2d):
    r"""The p-norm of each window of a row: :math:`(\sum x^p)^{1/p}`.

    Args:
        norm_type (number): p, not 0.
        kernel_size (int): size of the window.
        stride (int): steps of the window. Default None, the kernel's size.
        ceil_mode (bool): let the last window reach over the end. Default False.

    Inputs:
        - **x** (Tensor[(N, C, L) or (C, L), float])

    Outputs:
        Tensor[(N, C, L') or (C, L')].

    Raises:
        TypeError: ``kernel_size`` or ``stride`` is no int, or ``ceil_mode`` no bool.
        ValueError: ``norm_type`` is 0, or a size is not positive.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.LPPool1d(2, 2)(ms.Tensor([[3.0, 4.0]])))
        [[5.]]
    """

    def _window(self, name, v):
        return (1,) + checks.ints(self.cls_name, name, v, 1)

    def construct(self, x):
        return ops.squeeze(super().construct(ops.expand_dims(x, x.ndim - 1)), x.ndim - 1)


__all__ = [
    "Conv2dBnAct",
    "DenseBnAct",
    "L1Regularizer",
    "LPPool1d",
    "LPPool2d",
    "LRN",
    "TimeDistributed",
]
