"""Xception (Chollet 2017)."""

from __future__ import annotations

from ... import nn, ops
from ..parts.vision import ConvNorm, conv, named
from ..registry import register


def separable(inputs: int, outputs: int) -> nn.SequentialCell:
    """A depthwise convolution of 3×3 and one of 1×1."""
    return named(conv1=conv(inputs, inputs, 3, groups=inputs), pointwise=conv(inputs, outputs))


class XceptionBlock(nn.Cell):
    """Separable convolutions beside a shortcut; with stride 2 the maximum of 3×3 places at the end.

    ``widths`` are the channels from the input on; ``relu_first`` is whether the input has an activation.
    """

    def __init__(self, widths: tuple[int, ...], stride: int, relu_first: bool = True):
        super().__init__()
        cells = []
        for i, (inputs, outputs) in enumerate(zip(widths, widths[1:])):
            cells += [nn.ReLU()] if relu_first or i > 0 else []
            cells += [separable(inputs, outputs), nn.BatchNorm2d(outputs)]
        if stride > 1:
            cells.append(nn.MaxPool2d(3, stride, "pad", 1))
        self.rep = nn.SequentialCell(cells)
        self.projects = stride > 1 or widths[0] != widths[-1]
        if self.projects:
            self.skip = conv(widths[0], widths[-1], 1, stride)
            self.skipbn = nn.BatchNorm2d(widths[-1])

    def construct(self, x):
        return self.rep(x) + (self.skipbn(self.skip(x)) if self.projects else x)


@register(xception={})
class Xception(nn.Cell):
    """Depthwise separable convolutions in residual blocks.

    Args:
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.
        middle (int): blocks that keep the shape. Default 8.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 71×71; made for 299×299.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.xception(num_classes=5, middle=0)(ops.ones((1, 3, 71, 71))).shape
        (1, 5)
    """

    def __init__(self, num_classes: int = 1000, in_channels: int = 3, middle: int = 8):
        super().__init__()
        widths = [(64, 128, 128), (128, 256, 256), (256, 728, 728)]
        blocks = [XceptionBlock(w, 2, relu_first=i > 0) for i, w in enumerate(widths)]
        blocks += [XceptionBlock((728,) * 4, 1) for _ in range(middle)]
        blocks.append(XceptionBlock((728, 728, 1024), 2))
        self.stem = nn.SequentialCell(
            ConvNorm(in_channels, 32, 3, 2, padding=0), ConvNorm(32, 64, 3, padding=0)
        )
        self.blocks = nn.SequentialCell(blocks)
        self.top = nn.SequentialCell(
            separable(1024, 1536),
            nn.BatchNorm2d(1536),
            nn.ReLU(),
            separable(1536, 2048),
            nn.BatchNorm2d(2048),
            nn.ReLU(),
        )
        self.fc = nn.Dense(2048, num_classes)

    def construct(self, x):
        return self.fc(ops.mean(self.top(self.blocks(self.stem(x))), (2, 3)))
