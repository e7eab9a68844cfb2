"""SqueezeNet (Iandola et al. 2016)."""

from __future__ import annotations

from ... import nn, ops
from ...common.initializer import Normal
from ..parts.vision import conv
from ..registry import register


class Fire(nn.Cell):
    """A convolution of 1×1 to few channels, and from them one of 1×1 and one of 3×3."""

    def __init__(self, inputs: int, squeezed: int, outputs: int):
        super().__init__()
        self.squeeze = conv(inputs, squeezed, bias=True)
        self.expand1x1 = conv(squeezed, outputs // 2, bias=True)
        self.expand3x3 = conv(squeezed, outputs // 2, 3, bias=True)
        self.relu = nn.ReLU()

    def construct(self, x):
        x = self.relu(self.squeeze(x))
        return ops.cat((self.relu(self.expand1x1(x)), self.relu(self.expand3x3(x))), 1)


FIRES = ((16, 128), (16, 128), (32, 256), (32, 256), (48, 384), (48, 384), (64, 512), (64, 512))
"""Channels in the middle and at the end."""


@register(
    squeezenet1_0={"stem": (96, 7), "pools": (0, 3, 7)},
    squeezenet1_1={"stem": (64, 3), "pools": (0, 2, 4)},
)
class SqueezeNet(nn.Cell):
    """A stem and eight fire blocks, with a convolution for a head.

    Args:
        stem (tuple[int]): channels and window of the first convolution.
        pools (tuple[int]): before which of the blocks height and width are halved.
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.
        dropout (float): share of the last map that training drops. Default 0.5.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.squeezenet1_1(num_classes=5)(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        stem: tuple[int, int],
        pools: tuple[int, ...],
        num_classes: int = 1000,
        in_channels: int = 3,
        dropout: float = 0.5,
    ):
        super().__init__()
        channels, size = stem
        cells = [conv(in_channels, channels, size, 2, 0, bias=True), nn.ReLU()]
        for i, (squeezed, outputs) in enumerate(FIRES):
            cells += [nn.MaxPool2d(3, 2, "pad", ceil_mode=True)] if i in pools else []
            cells.append(Fire(channels, squeezed, outputs))
            channels = outputs
        self.features = nn.SequentialCell(cells)
        # Small weights: logits that begin far below 0 would have no gradient.
        head = nn.Conv2d(channels, num_classes, 1, has_bias=True, weight_init=Normal(0.01))
        self.classifier = nn.SequentialCell(nn.Dropout(p=dropout), head, nn.ReLU())

    def construct(self, x):
        return ops.mean(self.classifier(self.features(x)), (2, 3))
