"""MobileNet: v1 (Howard et al. 2017) and v2 (Sandler et al. 2018)."""

from __future__ import annotations

from ... import nn, ops
from ..parts.vision import ConvNorm, divisible
from ..registry import register

STRIDES = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5)
V1 = (*STRIDES, (1024, 2), (1024, 1))
"""Channels and stride of each pair of convolutions."""


@register(
    mobilenet_v1_025={"multiplier": 0.25},
    mobilenet_v1_050={"multiplier": 0.5},
    mobilenet_v1_075={"multiplier": 0.75},
    mobilenet_v1_100={"multiplier": 1.0},
)
class MobileNetV1(nn.Cell):
    """Thirteen pairs of a depthwise convolution and one of 1×1.

    Args:
        multiplier (float): times the channels of all layers.
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.mobilenet_v1_025(num_classes=5)(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(self, multiplier: float, num_classes: int = 1000, in_channels: int = 3):
        super().__init__()
        channels = int(32 * multiplier)
        cells = [ConvNorm(in_channels, channels, 3, 2)]
        for width, stride in V1:
            outputs = int(width * multiplier)
            cells.append(ConvNorm(channels, channels, 3, stride, groups=channels))
            cells.append(ConvNorm(channels, outputs))
            channels = outputs
        self.features = nn.SequentialCell(cells)
        self.classifier = nn.Dense(channels, num_classes)

    def construct(self, x):
        return self.classifier(ops.mean(self.features(x), (2, 3)))


class InvertedResidual(nn.Cell):
    """More channels by 1×1, a depthwise convolution, fewer channels by 1×1 without an activation; the input
    is added where it has the shape.
    """

    def __init__(self, inputs: int, outputs: int, stride: int, expansion: int):
        super().__init__()
        inner = inputs * expansion
        self.adds = stride == 1 and inputs == outputs
        cells = [ConvNorm(inputs, inner, activation=nn.ReLU6)] if expansion != 1 else []
        cells.append(ConvNorm(inner, inner, 3, stride, nn.ReLU6, groups=inner))
        self.conv = nn.SequentialCell([*cells, *ConvNorm(inner, outputs, activation=None)])

    def construct(self, x):
        return x + self.conv(x) if self.adds else self.conv(x)


V2 = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
"""Expansion, channels, blocks and first stride of each stage."""


@register(
    mobilenet_v2={},
    mobilenet_v2_075={"multiplier": 0.75},
    mobilenet_v2_140={"multiplier": 1.4},
)
class MobileNetV2(nn.Cell):
    """Inverted residuals with linear bottlenecks.

    Args:
        multiplier (float): times the channels of all layers. Default 1.
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.
        dropout (float): share of the last map's means that training drops. Default 0.2.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.mobilenet_v2(num_classes=5, multiplier=0.25)(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        multiplier: float = 1.0,
        num_classes: int = 1000,
        in_channels: int = 3,
        dropout: float = 0.2,
    ):
        super().__init__()
        channels = divisible(32 * multiplier)
        cells = [ConvNorm(in_channels, channels, 3, 2, nn.ReLU6)]
        for expansion, width, count, stride in V2:
            outputs = divisible(width * multiplier)
            for i in range(count):
                cells.append(InvertedResidual(channels, outputs, 1 if i else stride, expansion))
                channels = outputs
        last = divisible(1280 * max(1.0, multiplier))
        cells.append(ConvNorm(channels, last, activation=nn.ReLU6))
        self.features = nn.SequentialCell(cells)
        self.classifier = nn.SequentialCell(nn.Dropout(p=dropout), nn.Dense(last, num_classes))

    def construct(self, x):
        return self.classifier(ops.mean(self.features(x), (2, 3)))
