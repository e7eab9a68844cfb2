"""GhostNet (Han et al. 2020)."""

from __future__ import annotations

import math

from ... import nn, ops
from ..parts.vision import ConvNorm, SqueezeExcite, conv, divisible
from ..registry import register


class GhostModule(nn.Cell):
    """Half of the channels by a convolution of 1×1, the other half from those by a cheap depthwise one."""

    def __init__(self, inputs: int, outputs: int, activation=nn.ReLU):
        super().__init__()
        self.outputs, half = outputs, math.ceil(outputs / 2)
        self.primary_conv = ConvNorm(inputs, half, activation=activation)
        self.cheap_operation = ConvNorm(half, half, 3, 1, activation, groups=half)

    def construct(self, x):
        x = self.primary_conv(x)
        return ops.cat((x, self.cheap_operation(x)), 1)[:, : self.outputs]


class GhostBottleneck(nn.Cell):
    """A ghost module to ``inner`` channels, a depthwise convolution where the size is halved, an excitation
    where ``excite``, and a ghost module to ``outputs`` channels, beside a shortcut.
    """

    def __init__(self, inputs, size, inner, outputs, excite, stride):
        super().__init__()
        self.stride = stride
        self.ghost1 = GhostModule(inputs, inner)
        if stride > 1:
            self.conv_dw = conv(inner, inner, size, stride, groups=inner)
            self.bn_dw = nn.BatchNorm2d(inner)
        squeezed = divisible(inner / 4, 4)
        self.se = SqueezeExcite(inner, squeezed, gate=nn.HSigmoid) if excite else nn.Identity()
        self.ghost2 = GhostModule(inner, outputs, activation=None)
        self.shortcut = nn.SequentialCell(
            [
                *ConvNorm(inputs, inputs, size, stride, None, groups=inputs),
                *ConvNorm(inputs, outputs, activation=None),
            ]
            if stride > 1 or inputs != outputs
            else []
        )

    def construct(self, x):
        y = self.ghost1(x)
        if self.stride > 1:
            y = self.bn_dw(self.conv_dw(y))
        return self.ghost2(self.se(y)) + self.shortcut(x)


STAGES = (
    ((3, 16, 16, False, 1),),
    ((3, 48, 24, False, 2),),
    ((3, 72, 24, False, 1),),
    ((5, 72, 40, True, 2),),
    ((5, 120, 40, True, 1),),
    ((3, 240, 80, False, 2),),
    (
        (3, 200, 80, False, 1),
        (3, 184, 80, False, 1),
        (3, 184, 80, False, 1),
        (3, 480, 112, True, 1),
        (3, 672, 112, True, 1),
    ),
    ((5, 672, 160, True, 2),),
    (
        (5, 960, 160, False, 1),
        (5, 960, 160, True, 1),
        (5, 960, 160, False, 1),
        (5, 960, 160, True, 1),
    ),
)
"""Window, inner and outer channels, excitation and stride of each block."""


@register(
    ghostnet_050={"width": 0.5},
    ghostnet_100={"width": 1.0},
    ghostnet_130={"width": 1.3},
)
class GhostNet(nn.Cell):
    """Bottlenecks that make half of their channels from the other half.

    Args:
        width (float): times the channels of all layers.
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.
        dropout (float): share of the last layer's inputs that training drops. Default 0.2.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.ghostnet_050(num_classes=5)(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        width: float,
        num_classes: int = 1000,
        in_channels: int = 3,
        dropout: float = 0.2,
    ):
        super().__init__()
        channels = divisible(16 * width, 4)
        self.conv_stem = conv(in_channels, channels, 3, 2)
        self.bn1 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU()
        stages = []
        for stage in STAGES:
            blocks = []
            for size, inner, outputs, excite, stride in stage:
                inner, outputs = divisible(inner * width, 4), divisible(outputs * width, 4)
                blocks.append(GhostBottleneck(channels, size, inner, outputs, excite, stride))
                channels = outputs
            stages.append(nn.SequentialCell(blocks))
        last = divisible(960 * width, 4)
        stages.append(nn.SequentialCell(ConvNorm(channels, last)))
        self.blocks = nn.SequentialCell(stages)
        self.conv_head = conv(last, 1280, bias=True)
        self.dropout = nn.Dropout(p=dropout)
        self.classifier = nn.Dense(1280, num_classes)

    def construct(self, x):
        x = self.blocks(self.relu(self.bn1(self.conv_stem(x))))
        x = self.relu(self.conv_head(ops.mean(x, (2, 3), keep_dims=True)))
        return self.classifier(self.dropout(ops.mean(x, (2, 3))))
