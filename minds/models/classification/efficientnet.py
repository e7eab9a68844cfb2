"""EfficientNet (Tan and Le 2019)."""

from __future__ import annotations

import math

from ... import nn, ops
from ..parts.vision import ConvNorm, DropPath, SqueezeExcite, divisible
from ..registry import register


class MBConv(nn.Cell):
    """An inverted residual with an excitation, dropped as a whole for some examples."""

    def __init__(self, inputs, outputs, size, stride, expansion, drop, norm):
        super().__init__()
        self.adds, inner = stride == 1 and inputs == outputs, divisible(inputs * expansion)
        kind = {"activation": nn.SiLU, **norm}
        cells = [ConvNorm(inputs, inner, **kind)] if inner != inputs else []
        cells += [
            ConvNorm(inner, inner, size, stride, groups=inner, **kind),
            SqueezeExcite(inner, max(1, inputs // 4), nn.SiLU),
            ConvNorm(inner, outputs, activation=None, **norm),
        ]
        self.block = nn.SequentialCell(cells)
        self.stochastic_depth = DropPath(drop)

    def construct(self, x):
        y = self.block(x)
        return x + self.stochastic_depth(y) if self.adds else y


STAGES = (
    (1, 3, 1, 16, 1),
    (6, 3, 2, 24, 2),
    (6, 5, 2, 40, 2),
    (6, 3, 2, 80, 3),
    (6, 5, 1, 112, 3),
    (6, 5, 2, 192, 4),
    (6, 3, 1, 320, 1),
)
"""Expansion, window, first stride, channels and blocks of each stage of B0."""

LARGER_NORM = {"eps": 1e-3, "momentum": 0.99}


@register(
    efficientnet_b0={"width": 1.0, "depth": 1.0, "dropout": 0.2},
    efficientnet_b1={"width": 1.0, "depth": 1.1, "dropout": 0.2},
    efficientnet_b2={"width": 1.1, "depth": 1.2, "dropout": 0.3},
    efficientnet_b3={"width": 1.2, "depth": 1.4, "dropout": 0.3},
    efficientnet_b4={"width": 1.4, "depth": 1.8, "dropout": 0.4},
    efficientnet_b5={"width": 1.6, "depth": 2.2, "dropout": 0.4, "norm": LARGER_NORM},
    efficientnet_b6={"width": 1.8, "depth": 2.6, "dropout": 0.5, "norm": LARGER_NORM},
    efficientnet_b7={"width": 2.0, "depth": 3.1, "dropout": 0.5, "norm": LARGER_NORM},
)
class EfficientNet(nn.Cell):
    """Inverted residuals with excitation, whose width, depth and images grow together.

    Args:
        width (float): times the channels of all layers.
        depth (float): times the blocks of each stage.
        dropout (float): share of the last map's means that training drops.
        norm (dict): ``eps`` and ``momentum`` of the normalisations. Default None, those of `nn.BatchNorm2d`.
        drop_path (float): share of the examples for which training leaves out the last block. Default 0.2.
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; B0 is made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.efficientnet_b0(num_classes=5, width=0.5, depth=0.1)(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        width: float,
        depth: float,
        dropout: float,
        norm: dict | None = None,
        drop_path: float = 0.2,
        num_classes: int = 1000,
        in_channels: int = 3,
    ):
        super().__init__()
        norm = norm or {}
        counts = [math.ceil(count * depth) for *_, count in STAGES]
        channels, made = divisible(32 * width), 0
        cells = [ConvNorm(in_channels, channels, 3, 2, nn.SiLU, **norm)]
        for (expansion, size, stride, outputs, _), count in zip(STAGES, counts):
            blocks, outputs = [], divisible(outputs * width)
            for i in range(count):
                rate = drop_path * made / sum(counts)
                step = 1 if i else stride
                blocks.append(MBConv(channels, outputs, size, step, expansion, rate, norm))
                channels, made = outputs, made + 1
            cells.append(nn.SequentialCell(blocks))
        cells.append(ConvNorm(channels, 4 * channels, activation=nn.SiLU, **norm))
        self.features = nn.SequentialCell(cells)
        head = nn.Dense(4 * channels, num_classes)
        self.classifier = nn.SequentialCell(nn.Dropout(p=dropout), head)

    def construct(self, x):
        return self.classifier(ops.mean(self.features(x), (2, 3)))
