"""MNASNet (Tan et al. 2019), the variant without excitation that torchvision has."""

from __future__ import annotations

from ... import nn, ops
from ..parts.vision import ConvNorm, divisible
from ..registry import register

MOMENTUM = 0.9997
STAGES = (
    (24, 3, 2, 3, 3),
    (40, 5, 2, 3, 3),
    (80, 5, 2, 6, 3),
    (96, 3, 1, 6, 2),
    (192, 5, 2, 6, 4),
    (320, 3, 1, 6, 1),
)
"""Channels, window, first stride, expansion and blocks of each stage."""


class MnasBlock(nn.Cell):
    """More channels by 1×1, a depthwise convolution, fewer channels by 1×1 without an activation; the input
    is added where it has the shape.
    """

    def __init__(self, inputs: int, outputs: int, size: int, stride: int, expansion: int):
        super().__init__()
        inner = inputs * expansion
        self.adds = stride == 1 and inputs == outputs
        self.layers = nn.SequentialCell(
            *ConvNorm(inputs, inner, momentum=MOMENTUM),
            *ConvNorm(inner, inner, size, stride, groups=inner, momentum=MOMENTUM),
            *ConvNorm(inner, outputs, activation=None, momentum=MOMENTUM),
        )

    def construct(self, x):
        return x + self.layers(x) if self.adds else self.layers(x)


@register(
    mnasnet0_5={"alpha": 0.5},
    mnasnet0_75={"alpha": 0.75},
    mnasnet1_0={"alpha": 1.0},
    mnasnet1_3={"alpha": 1.3},
)
class MNASNet(nn.Cell):
    """Inverted residuals with windows of 3×3 and 5×5.

    Args:
        alpha (float): times the channels of all layers but the last.
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.
        dropout (float): share of the last map's means that training drops. Default 0.2.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.mnasnet0_5(num_classes=5)(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        alpha: float,
        num_classes: int = 1000,
        in_channels: int = 3,
        dropout: float = 0.2,
    ):
        super().__init__()
        stem, channels = divisible(32 * alpha), divisible(16 * alpha)
        cells = [
            *ConvNorm(in_channels, stem, 3, 2, momentum=MOMENTUM),
            *ConvNorm(stem, stem, 3, groups=stem, momentum=MOMENTUM),
            *ConvNorm(stem, channels, activation=None, momentum=MOMENTUM),
        ]
        for width, size, stride, expansion, count in STAGES:
            outputs, blocks = divisible(width * alpha), []
            for i in range(count):
                step = 1 if i else stride
                blocks.append(MnasBlock(channels, outputs, size, step, expansion))
                channels = outputs
            cells.append(nn.SequentialCell(blocks))
        self.layers = nn.SequentialCell([*cells, *ConvNorm(channels, 1280, momentum=MOMENTUM)])
        self.classifier = nn.SequentialCell(nn.Dropout(p=dropout), nn.Dense(1280, num_classes))

    def construct(self, x):
        return self.classifier(ops.mean(self.layers(x), (2, 3)))
