"""DenseNet (Huang et al. 2017)."""

from __future__ import annotations

from ... import nn, ops
from ..parts.vision import conv, named
from ..registry import register


class DenseLayer(nn.Cell):
    """Normalised convolutions of 1×1 and 3×3, whose result stands behind what came in."""

    def __init__(self, inputs: int, growth: int, bottleneck: int, dropout: float):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(inputs)
        self.conv1 = conv(inputs, bottleneck * growth)
        self.norm2 = nn.BatchNorm2d(bottleneck * growth)
        self.conv2 = conv(bottleneck * growth, growth, 3)
        self.relu = nn.ReLU()
        self.dropout = nn.Dropout(p=dropout)

    def construct(self, x):
        y = self.conv1(self.relu(self.norm1(x)))
        y = self.conv2(self.relu(self.norm2(y)))
        return ops.cat((x, self.dropout(y)), 1)


def transition(inputs: int) -> nn.SequentialCell:
    """Half of the channels, height and width."""
    return named(
        norm=nn.BatchNorm2d(inputs),
        relu=nn.ReLU(),
        conv=conv(inputs, inputs // 2),
        pool=nn.AvgPool2d(2, 2),
    )


@register(
    densenet121={"layers": (6, 12, 24, 16)},
    densenet161={"layers": (6, 12, 36, 24), "growth": 48, "stem": 96},
    densenet169={"layers": (6, 12, 32, 32)},
    densenet201={"layers": (6, 12, 48, 32)},
)
class DenseNet(nn.Cell):
    """Stages in which each layer sees all that the layers before it made.

    Args:
        layers (tuple[int]): layers in each stage.
        growth (int): channels that a layer adds. Default 32.
        stem (int): channels of the first convolution. Default 64.
        bottleneck (int): times ``growth``, the channels between a layer's convolutions. Default 4.
        dropout (float): share of a layer's result that training drops. Default 0.
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.densenet121(num_classes=5, layers=(1, 1))(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        layers: tuple[int, ...],
        growth: int = 32,
        stem: int = 64,
        bottleneck: int = 4,
        dropout: float = 0.0,
        num_classes: int = 1000,
        in_channels: int = 3,
    ):
        super().__init__()
        cells = {
            "conv0": conv(in_channels, stem, 7, 2),
            "norm0": nn.BatchNorm2d(stem),
            "relu0": nn.ReLU(),
            "pool0": nn.MaxPool2d(3, 2, "pad", 1),
        }
        channels = stem
        for i, count in enumerate(layers, 1):
            made = {}
            for j in range(1, count + 1):
                made[f"denselayer{j}"] = DenseLayer(channels, growth, bottleneck, dropout)
                channels += growth
            cells[f"denseblock{i}"] = named(**made)
            if i < len(layers):
                cells[f"transition{i}"] = transition(channels)
                channels //= 2
        cells["norm5"] = nn.BatchNorm2d(channels)
        self.features = named(**cells)
        self.relu = nn.ReLU()
        self.classifier = nn.Dense(channels, num_classes)

    def construct(self, x):
        return self.classifier(ops.mean(self.relu(self.features(x)), (2, 3)))
