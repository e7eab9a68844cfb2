"""What networks for images are made of. Sequences have torchvision's places: convolution 0, norm 1,
activation 2.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from ... import nn, ops
from ...common.initializer import HeNormal


def conv(
    inputs: int,
    outputs: int,
    size: int | tuple[int, int] = 1,
    stride: int = 1,
    padding: int | tuple[int, int] | None = None,
    groups: int = 1,
    dilation: int = 1,
    bias: bool = False,
) -> nn.Conv2d:
    """A convolution; without ``padding`` one that, for odd windows and stride 1, keeps height and width."""
    height, width = (size, size) if isinstance(size, int) else size
    if padding is None:
        padding = (dilation * (height - 1) // 2, dilation * (width - 1) // 2)
    above, left = (padding, padding) if isinstance(padding, int) else padding
    return nn.Conv2d(
        inputs,
        outputs,
        (height, width),
        stride,
        "pad",
        (above, above, left, left),
        dilation,
        groups,
        bias,
        weight_init=HeNormal(mode="fan_out", nonlinearity="relu"),
    )


class ConvNorm(nn.SequentialCell):
    """A convolution (arguments as for `conv`), batch normalisation, and an activation if any."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        size: int | tuple[int, int] = 1,
        stride: int = 1,
        activation: Callable[[], nn.Cell] | None = nn.ReLU,
        eps: float = 1e-5,
        momentum: float = 0.9,
        **others,
    ):
        cells = [
            conv(inputs, outputs, size, stride, **others),
            nn.BatchNorm2d(outputs, eps, momentum),
        ]
        super().__init__(cells + ([activation()] if activation else []))


def named(**cells: nn.Cell) -> nn.SequentialCell:
    """A sequence whose cells have names."""
    return nn.SequentialCell(OrderedDict(cells))


class SqueezeExcite(nn.Cell):
    """Multiplies each channel by a weight between 0 and 1 that is made of all channels' means
    (Hu et al. 2018).
    """

    def __init__(
        self,
        channels: int,
        squeezed: int,
        activation: Callable[[], nn.Cell] = nn.ReLU,
        gate: Callable[[], nn.Cell] = nn.Sigmoid,
    ):
        super().__init__()
        self.fc1 = conv(channels, squeezed, bias=True)
        self.fc2 = conv(squeezed, channels, bias=True)
        self.activation, self.gate = activation(), gate()

    def construct(self, x):
        means = ops.mean(x, (2, 3), keep_dims=True)
        return x * self.gate(self.fc2(self.activation(self.fc1(means))))


class DropPath(nn.Cell):
    """In training, zero for a share ``rate`` of the examples, the others scaled so that the mean stays
    (Huang et al. 2016).
    """

    def __init__(self, rate: float = 0.0):
        super().__init__()
        self.rate = rate

    def construct(self, x):
        if self.rate == 0.0 or not self.training:
            return x
        kept = ops.ones((x.shape[0],) + (1,) * (x.ndim - 1), x.dtype)
        return x * ops.dropout(kept, self.rate)


def rates_of_depth(last: float, depth: int) -> list[float]:
    """Rates for `DropPath` that rise linearly from 0 in the first of ``depth`` blocks to ``last``."""
    return [last * i / max(depth - 1, 1) for i in range(depth)]


def divisible(channels: float, divisor: int = 8) -> int:
    """The multiple of ``divisor`` next to ``channels``, not below nine tenths of it."""
    near = max(divisor, int(channels + divisor / 2) // divisor * divisor)
    return near + divisor if near < 0.9 * channels else near


def layer_norm(channels: int, eps: float = 1e-6) -> nn.LayerNorm:
    """Normalisation of the last dimension."""
    return nn.LayerNorm((channels,), epsilon=eps)


class ChannelsLast(nn.Cell):
    """``(N, C, H, W)`` as ``(N, H, W, C)``."""

    def construct(self, x):
        return ops.transpose(x, (0, 2, 3, 1))


class ChannelsFirst(nn.Cell):
    """``(N, H, W, C)`` as ``(N, C, H, W)``."""

    def construct(self, x):
        return ops.transpose(x, (0, 3, 1, 2))


class LayerNorm2d(nn.LayerNorm):
    """Normalisation of the channels of ``(N, C, H, W)``, at each place by itself."""

    def __init__(self, channels: int, eps: float = 1e-6):
        super().__init__((channels,), epsilon=eps)

    def construct(self, x):
        x = super().construct(ops.transpose(x, (0, 2, 3, 1)))
        return ops.transpose(x, (0, 3, 1, 2))


def mlp(channels: int, hidden: int, dropout: float = 0.0) -> nn.SequentialCell:
    """Two dense layers with a GELU between them."""
    return nn.SequentialCell(
        nn.Dense(channels, hidden),
        nn.GELU(approximate=False),
        nn.Dropout(p=dropout),
        nn.Dense(hidden, channels),
        nn.Dropout(p=dropout),
    )
