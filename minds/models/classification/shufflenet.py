"""ShuffleNet: v1 (Zhang et al. 2018) with convolutions in groups, v2 (Ma et al. 2018) with halves."""

from __future__ import annotations

from ... import nn, ops
from ..parts.vision import ConvNorm
from ..registry import register


def shuffled(x, groups: int):
    """The channels of all groups in turn."""
    n, channels, height, width = x.shape
    x = ops.reshape(x, (n, groups, channels // groups, height, width))
    return ops.reshape(ops.transpose(x, (0, 2, 1, 3, 4)), (n, channels, height, width))


class GroupedBlock(nn.Cell):
    """Grouped convolutions of 1×1, with a shuffle and a depthwise convolution of 3×3 between them; with
    stride 2 the input's mean is put before the result, else the input is added.
    """

    def __init__(self, inputs: int, outputs: int, stride: int, groups: int, first_groups: int):
        super().__init__()
        inner, made = outputs // 4, outputs - inputs if stride == 2 else outputs
        self.stride, self.groups = stride, groups
        self.squeeze = ConvNorm(inputs, inner, groups=first_groups)
        self.depthwise = ConvNorm(inner, inner, 3, stride, None, groups=inner)
        self.expand = ConvNorm(inner, made, activation=None, groups=groups)
        self.pool = nn.AvgPool2d(3, 2, "pad", 1)
        self.relu = nn.ReLU()

    def construct(self, x):
        y = self.expand(self.depthwise(shuffled(self.squeeze(x), self.groups)))
        if self.stride == 2:
            return self.relu(ops.cat((self.pool(x), y), 1))
        return self.relu(x + y)


WIDTHS = {1: 144, 2: 200, 3: 240, 4: 272, 8: 384}
"""By the number of groups, channels of the first stage such that all cost the same."""


@register(
    shufflenet_v1_g3_x0_5={"scale": 0.5},
    shufflenet_v1_g3_x1_0={"scale": 1.0},
    shufflenet_v1_g3_x1_5={"scale": 1.5},
    shufflenet_v1_g3_x2_0={"scale": 2.0},
    shufflenet_v1_g8_x1_0={"scale": 1.0, "groups": 8},
)
class ShuffleNetV1(nn.Cell):
    """A stem and three stages of grouped blocks.

    Args:
        scale (float): times the channels of the stages.
        groups (int): groups of the convolutions of 1×1: 1, 2, 3, 4 or 8. Default 3.
        layers (tuple[int]): blocks in each stage. Default (4, 8, 4).
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.shufflenet_v1_g3_x0_5(num_classes=5)(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        scale: float,
        groups: int = 3,
        layers: tuple[int, ...] = (4, 8, 4),
        num_classes: int = 1000,
        in_channels: int = 3,
    ):
        super().__init__()
        self.conv1 = ConvNorm(in_channels, 24, 3, 2)
        self.maxpool = nn.MaxPool2d(3, 2, "pad", 1)
        channels, width, stages = 24, int(WIDTHS[groups] * scale), []
        for i, count in enumerate(layers):
            blocks = []
            for j in range(count):
                # The stem's channels are too few to be cut into groups.
                first = 1 if i == j == 0 else groups
                blocks.append(GroupedBlock(channels, width << i, 2 if j == 0 else 1, groups, first))
                channels = width << i
            stages.append(nn.SequentialCell(blocks))
        self.stages = nn.SequentialCell(stages)
        self.fc = nn.Dense(channels, num_classes)

    def construct(self, x):
        return self.fc(ops.mean(self.stages(self.maxpool(self.conv1(x))), (2, 3)))


class HalvedBlock(nn.Cell):
    """Half of the channels pass, the other half goes through a depthwise convolution between two of 1×1;
    with stride 2 both are made of all channels.
    """

    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self.half, self.stride = outputs // 2, stride
        half = self.half
        cells = [depthwise(inputs, stride), ConvNorm(inputs, half)] if stride > 1 else []
        self.branch1 = nn.SequentialCell([part for cell in cells for part in cell])
        cells = [
            ConvNorm(inputs if stride > 1 else half, half),
            depthwise(half, stride),
            ConvNorm(half, half),
        ]
        self.branch2 = nn.SequentialCell([part for cell in cells for part in cell])

    def construct(self, x):
        if self.stride > 1:
            return shuffled(ops.cat((self.branch1(x), self.branch2(x)), 1), 2)
        passed, changed = x[:, : self.half], x[:, self.half :]
        return shuffled(ops.cat((passed, self.branch2(changed)), 1), 2)


def depthwise(channels: int, stride: int) -> ConvNorm:
    return ConvNorm(channels, channels, 3, stride, None, groups=channels)


@register(
    shufflenet_v2_x0_5={"widths": (24, 48, 96, 192, 1024)},
    shufflenet_v2_x1_0={"widths": (24, 116, 232, 464, 1024)},
    shufflenet_v2_x1_5={"widths": (24, 176, 352, 704, 1024)},
    shufflenet_v2_x2_0={"widths": (24, 244, 488, 976, 2048)},
)
class ShuffleNetV2(nn.Cell):
    """A stem, three stages of halved blocks, and a last convolution.

    Args:
        widths (tuple[int]): channels of the stem, the stages and the last convolution.
        layers (tuple[int]): blocks in each stage. Default (4, 8, 4).
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.shufflenet_v2_x0_5(num_classes=5)(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        widths: tuple[int, ...],
        layers: tuple[int, ...] = (4, 8, 4),
        num_classes: int = 1000,
        in_channels: int = 3,
    ):
        super().__init__()
        self.conv1 = ConvNorm(in_channels, widths[0], 3, 2)
        self.maxpool = nn.MaxPool2d(3, 2, "pad", 1)
        stages = []
        for inputs, outputs, count in zip(widths, widths[1:], layers):
            blocks = [HalvedBlock(inputs, outputs, 2)]
            blocks += [HalvedBlock(outputs, outputs, 1) for _ in range(count - 1)]
            stages.append(nn.SequentialCell(blocks))
        self.stage2, self.stage3, self.stage4 = stages
        self.conv5 = ConvNorm(widths[-2], widths[-1])
        self.fc = nn.Dense(widths[-1], num_classes)

    def construct(self, x):
        x = self.stage4(self.stage3(self.stage2(self.maxpool(self.conv1(x)))))
        return self.fc(ops.mean(self.conv5(x), (2, 3)))
