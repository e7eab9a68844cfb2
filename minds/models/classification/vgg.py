"""VGG (Simonyan and Zisserman 2015), plain and with batch normalisation."""

from __future__ import annotations

from ... import nn
from ..parts.vision import conv
from ..registry import register

WIDTHS = (64, 128, 256, 512, 512)
DEPTHS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
"""Channels of the five stages, and by the number of layers the convolutions in each."""


@register(
    **{f"vgg{n}": {"depths": depths} for n, depths in DEPTHS.items()},
    **{f"vgg{n}_bn": {"depths": depths, "batch_norm": True} for n, depths in DEPTHS.items()},
)
class VGG(nn.Cell):
    """Five stages of convolutions of 3×3 and pooling, and three dense layers.

    Args:
        depths (tuple[int]): convolutions in each stage.
        widths (tuple[int]): their channels. Default (64, 128, 256, 512, 512).
        batch_norm (bool): normalise after each convolution. Default False.
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.
        hidden (int): size of the two dense layers before the last. Default 4096.
        dropout (float): share of the dense layers' inputs that training drops. Default 0.5.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.vgg11(num_classes=5, hidden=16)(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        depths: tuple[int, ...],
        widths: tuple[int, ...] = WIDTHS,
        batch_norm: bool = False,
        num_classes: int = 1000,
        in_channels: int = 3,
        hidden: int = 4096,
        dropout: float = 0.5,
    ):
        super().__init__()
        cells, channels = [], in_channels
        for count, width in zip(depths, widths):
            for _ in range(count):
                cells.append(conv(channels, width, 3, bias=True))
                cells += [nn.BatchNorm2d(width)] if batch_norm else []
                cells.append(nn.ReLU())
                channels = width
            cells.append(nn.MaxPool2d(2, 2))
        self.features = nn.SequentialCell(cells)
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.flatten = nn.Flatten()
        self.classifier = nn.SequentialCell(
            nn.Dense(channels * 7 * 7, hidden),
            nn.ReLU(),
            nn.Dropout(p=dropout),
            nn.Dense(hidden, hidden),
            nn.ReLU(),
            nn.Dropout(p=dropout),
            nn.Dense(hidden, num_classes),
        )

    def construct(self, x):
        return self.classifier(self.flatten(self.avgpool(self.features(x))))
