"""Residual networks: ResNet (He et al. 2016), ResNeXt (Xie et al. 2017), Wide ResNet (Zagoruyko and
Komodakis 2016) and SE-ResNet (Hu et al. 2018).
"""

from __future__ import annotations

from ... import nn, ops
from ..parts.vision import ConvNorm, SqueezeExcite, conv, divisible
from ..registry import register


class BasicBlock(nn.Cell):
    """Two convolutions of 3×3 beside a shortcut.

    ``width`` is the block's; ``groups`` and ``group_width`` are for bottlenecks.
    """

    expansion = 1

    def __init__(self, inputs, width, stride, groups=1, group_width=64, excite=False):
        super().__init__()
        self.conv1 = conv(inputs, width, 3, stride)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = conv(width, width, 3)
        self.bn2 = nn.BatchNorm2d(width)
        self.se = excitation(width) if excite else None
        self.relu = nn.ReLU()
        self.downsample = shortcut(inputs, width, stride)

    def construct(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.se is not None:
            out = self.se(out)
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


class Bottleneck(nn.Cell):
    """Convolutions of 1×1, 3×3 (in ``groups``, with the stride) and 1×1, beside a shortcut."""

    expansion = 4

    def __init__(self, inputs, width, stride, groups=1, group_width=64, excite=False, dilation=1):
        super().__init__()
        inner, outputs = int(width * group_width / 64) * groups, width * self.expansion
        self.conv1 = conv(inputs, inner)
        self.bn1 = nn.BatchNorm2d(inner)
        self.conv2 = conv(inner, inner, 3, stride, groups=groups, dilation=dilation)
        self.bn2 = nn.BatchNorm2d(inner)
        self.conv3 = conv(inner, outputs)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.se = excitation(outputs) if excite else None
        self.relu = nn.ReLU()
        self.downsample = shortcut(inputs, outputs, stride)

    def construct(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        if self.se is not None:
            out = self.se(out)
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


def shortcut(inputs: int, outputs: int, stride: int) -> nn.Cell | None:
    """A projection where the shape changes."""
    return ConvNorm(inputs, outputs, 1, stride, None) if stride > 1 or inputs != outputs else None


def excitation(channels: int) -> SqueezeExcite:
    return SqueezeExcite(channels, divisible(channels / 16))


DEPTHS = {
    18: {"block": BasicBlock, "layers": (2, 2, 2, 2)},
    34: {"block": BasicBlock, "layers": (3, 4, 6, 3)},
    50: {"block": Bottleneck, "layers": (3, 4, 6, 3)},
    101: {"block": Bottleneck, "layers": (3, 4, 23, 3)},
    152: {"block": Bottleneck, "layers": (3, 8, 36, 3)},
}
"""By the number of layers, the block and how many are in each stage."""


@register(
    **{f"resnet{n}": size for n, size in DEPTHS.items()},
    **{f"se_resnet{n}": {**size, "excite": True} for n, size in DEPTHS.items()},
    resnext50_32x4d={**DEPTHS[50], "groups": 32, "group_width": 4},
    resnext101_32x8d={**DEPTHS[101], "groups": 32, "group_width": 8},
    resnext101_64x4d={**DEPTHS[101], "groups": 64, "group_width": 4},
    wide_resnet50_2={**DEPTHS[50], "group_width": 128},
    wide_resnet101_2={**DEPTHS[101], "group_width": 128},
)
class ResNet(nn.Cell):
    """A stem, four stages of residual blocks, the mean over the image, and a dense layer.

    Args:
        block (type): `BasicBlock`, `Bottleneck` or a class with the same arguments.
        layers (tuple[int]): blocks in each stage.
        groups (int): groups of the bottlenecks' wide convolutions. Default 1.
        group_width (int): channels of a group in the first stage. Default 64.
        excite (bool): weigh the channels of each block's result. Default False.
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.
        width (int): channels of the stem; the stages' are 1, 2, 4 and 8 times as many. Default 64.
        dilated (int): how many of the last stages keep the image's size and look further instead, by
            bottlenecks. Default 0.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.resnet18(num_classes=5, width=8)(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        block: type,
        layers: tuple[int, ...],
        groups: int = 1,
        group_width: int = 64,
        excite: bool = False,
        num_classes: int = 1000,
        in_channels: int = 3,
        width: int = 64,
        dilated: int = 0,
    ):
        super().__init__()
        self.conv1 = conv(in_channels, width, 7, 2)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2d(3, 2, "pad", 1)
        stages, channels, dilation = [], width, 1
        for i, count in enumerate(layers):
            blocks = []
            for j in range(count):
                stride = 2 if i > 0 and j == 0 else 1
                further = {"dilation": dilation} if dilation > 1 else {}
                if stride == 2 and i >= len(layers) - dilated:
                    stride, dilation = 1, 2 * dilation
                settings = (stride, groups, group_width, excite)
                blocks.append(block(channels, width << i, *settings, **further))
                channels = (width << i) * block.expansion
            stages.append(nn.SequentialCell(blocks))
        self.layer1, self.layer2, self.layer3, self.layer4 = stages
        self.fc = nn.Dense(channels, num_classes)

    def construct(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(ops.mean(x, (2, 3)))
