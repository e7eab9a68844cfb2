"""MobileNet v3 (Howard et al. 2019)."""

from __future__ import annotations

from ... import nn, ops
from ..parts.vision import ConvNorm, SqueezeExcite, divisible
from ..registry import register

NORM = {"eps": 1e-3, "momentum": 0.99}


class SearchedBlock(nn.Cell):
    """An inverted residual with an excitation where ``excite``; ``inner`` channels in the middle."""

    def __init__(self, inputs, size, inner, outputs, excite, activation, stride):
        super().__init__()
        self.adds = stride == 1 and inputs == outputs
        kind = {"activation": activation, **NORM}
        cells = [ConvNorm(inputs, inner, **kind)] if inner != inputs else []
        cells.append(ConvNorm(inner, inner, size, stride, groups=inner, **kind))
        if excite:
            cells.append(SqueezeExcite(inner, divisible(inner // 4), gate=nn.HSigmoid))
        cells.append(ConvNorm(inner, outputs, activation=None, **NORM))
        self.block = nn.SequentialCell(cells)

    def construct(self, x):
        return x + self.block(x) if self.adds else self.block(x)


LARGE = (
    (3, 16, 16, False, nn.ReLU, 1),
    (3, 64, 24, False, nn.ReLU, 2),
    (3, 72, 24, False, nn.ReLU, 1),
    (5, 72, 40, True, nn.ReLU, 2),
    (5, 120, 40, True, nn.ReLU, 1),
    (5, 120, 40, True, nn.ReLU, 1),
    (3, 240, 80, False, nn.HSwish, 2),
    (3, 200, 80, False, nn.HSwish, 1),
    (3, 184, 80, False, nn.HSwish, 1),
    (3, 184, 80, False, nn.HSwish, 1),
    (3, 480, 112, True, nn.HSwish, 1),
    (3, 672, 112, True, nn.HSwish, 1),
    (5, 672, 160, True, nn.HSwish, 2),
    (5, 960, 160, True, nn.HSwish, 1),
    (5, 960, 160, True, nn.HSwish, 1),
)
SMALL = (
    (3, 16, 16, True, nn.ReLU, 2),
    (3, 72, 24, False, nn.ReLU, 2),
    (3, 88, 24, False, nn.ReLU, 1),
    (5, 96, 40, True, nn.HSwish, 2),
    (5, 240, 40, True, nn.HSwish, 1),
    (5, 240, 40, True, nn.HSwish, 1),
    (5, 120, 48, True, nn.HSwish, 1),
    (5, 144, 48, True, nn.HSwish, 1),
    (5, 288, 96, True, nn.HSwish, 2),
    (5, 576, 96, True, nn.HSwish, 1),
    (5, 576, 96, True, nn.HSwish, 1),
)
"""Window, inner and outer channels, excitation, activation and stride of each block."""


@register(
    mobilenet_v3_large={"blocks": LARGE, "hidden": 1280},
    mobilenet_v3_small={"blocks": SMALL, "hidden": 1024},
)
class MobileNetV3(nn.Cell):
    """Inverted residuals whose sizes a search has found.

    Args:
        blocks (tuple): window, inner and outer channels, excitation, activation and stride of each block.
        hidden (int): size of the dense layer before the last.
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.
        dropout (float): share of the hidden layer that training drops. Default 0.2.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.mobilenet_v3_small(num_classes=5)(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        blocks: tuple,
        hidden: int,
        num_classes: int = 1000,
        in_channels: int = 3,
        dropout: float = 0.2,
    ):
        super().__init__()
        channels = 16
        cells = [ConvNorm(in_channels, channels, 3, 2, nn.HSwish, **NORM)]
        for size, inner, outputs, excite, activation, stride in blocks:
            cells.append(SearchedBlock(channels, size, inner, outputs, excite, activation, stride))
            channels = outputs
        cells.append(ConvNorm(channels, 6 * channels, activation=nn.HSwish, **NORM))
        self.features = nn.SequentialCell(cells)
        self.classifier = nn.SequentialCell(
            nn.Dense(6 * channels, hidden),
            nn.HSwish(),
            nn.Dropout(p=dropout),
            nn.Dense(hidden, num_classes),
        )

    def construct(self, x):
        return self.classifier(ops.mean(self.features(x), (2, 3)))
