"""Res2Net (Gao et al. 2019): bottlenecks whose wide convolution is a chain over parts of the channels."""

from __future__ import annotations

from ... import nn, ops
from ..parts.vision import conv
from ..registry import register
from .resnet import DEPTHS, ResNet, shortcut


class ScaleBlock(nn.Cell):
    """A bottleneck that cuts its channels into ``groups`` parts of ``group_width`` (in the first stage):
    each but the last is convolved after what came of the one before is added; the last is passed on.
    """

    expansion = 4

    def __init__(self, inputs, width, stride, groups=4, group_width=26, excite=False):
        super().__init__()
        self.part, outputs = int(width * group_width / 64), width * self.expansion
        self.projects = stride > 1 or inputs != outputs
        self.conv1 = conv(inputs, self.part * groups)
        self.bn1 = nn.BatchNorm2d(self.part * groups)
        convs = [conv(self.part, self.part, 3, stride) for _ in range(groups - 1)]
        self.convs = nn.CellList(convs)
        self.bns = nn.CellList([nn.BatchNorm2d(self.part) for _ in convs])
        self.pool = nn.AvgPool2d(3, stride, "pad", 1)
        self.conv3 = conv(self.part * groups, outputs)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU()
        self.downsample = shortcut(inputs, outputs, stride)

    def construct(self, x):
        parts = ops.split(self.relu(self.bn1(self.conv1(x))), self.part, 1)
        made, last = [], parts[-1]
        for i in range(len(self.convs)):
            # A block that changes the shape has parts that do not fit what came of the one before.
            given = parts[i] if i == 0 or self.projects else parts[i] + made[-1]
            made.append(self.relu(self.bns[i](self.convs[i](given))))
        made.append(self.pool(last) if self.projects else last)
        out = self.bn3(self.conv3(ops.cat(made, 1)))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


def _size(layers: int, width: int, parts: int) -> dict:
    return {**DEPTHS[layers], "block": ScaleBlock, "groups": parts, "group_width": width}


@register(
    res2net50_48w_2s=_size(50, 48, 2),
    res2net50_26w_4s=_size(50, 26, 4),
    res2net50_14w_8s=_size(50, 14, 8),
    res2net50_26w_6s=_size(50, 26, 6),
    res2net50_26w_8s=_size(50, 26, 8),
    res2net101_26w_4s=_size(101, 26, 4),
)
class Res2Net(ResNet):
    """A `ResNet` of scale blocks; its arguments are those of `ResNet`, ``groups`` the number of parts.

    Args:
        kwargs (Any): see `minds.models.resnet50`.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.res2net50_26w_4s(num_classes=5, layers=(1, 1, 1, 1))(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
