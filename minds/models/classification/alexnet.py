"""AlexNet (Krizhevsky et al. 2012) with the channels of "One weird trick" (Krizhevsky 2014)."""

from __future__ import annotations

from ... import nn
from ..parts.vision import conv
from ..registry import register


@register(alexnet={})
class AlexNet(nn.Cell):
    """Five convolutions, of which three are followed by pooling, and three dense layers.

    Args:
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.
        hidden (int): size of the two dense layers before the last. Default 4096.
        dropout (float): share of the dense layers' inputs that training drops. Default 0.5.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 63×63; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.alexnet(num_classes=5, hidden=16)(ops.ones((1, 3, 64, 64))).shape
        (1, 5)
    """

    def __init__(
        self,
        num_classes: int = 1000,
        in_channels: int = 3,
        hidden: int = 4096,
        dropout: float = 0.5,
    ):
        super().__init__()
        self.features = nn.SequentialCell(
            conv(in_channels, 64, 11, 4, 2, bias=True),
            nn.ReLU(),
            nn.MaxPool2d(3, 2),
            conv(64, 192, 5, bias=True),
            nn.ReLU(),
            nn.MaxPool2d(3, 2),
            conv(192, 384, 3, bias=True),
            nn.ReLU(),
            conv(384, 256, 3, bias=True),
            nn.ReLU(),
            conv(256, 256, 3, bias=True),
            nn.ReLU(),
            nn.MaxPool2d(3, 2),
        )
        self.avgpool = nn.AdaptiveAvgPool2d((6, 6))
        self.flatten = nn.Flatten()
        self.classifier = nn.SequentialCell(
            nn.Dropout(p=dropout),
            nn.Dense(256 * 6 * 6, hidden),
            nn.ReLU(),
            nn.Dropout(p=dropout),
            nn.Dense(hidden, hidden),
            nn.ReLU(),
            nn.Dense(hidden, num_classes),
        )

    def construct(self, x):
        return self.classifier(self.flatten(self.avgpool(self.features(x))))
