"""RegNet (Radosavovic et al. 2020): X, and Y with excitation."""

from __future__ import annotations

import math

import numpy as np

from ... import nn, ops
from ..parts.vision import ConvNorm, SqueezeExcite, divisible, named
from ..registry import register


class GroupBottleneck(nn.Cell):
    """Convolutions of 1×1, 3×3 in groups and 1×1 on the same number of channels, beside a shortcut."""

    def __init__(self, inputs, outputs, stride, group_width, excite):
        super().__init__()
        cells = {
            "a": ConvNorm(inputs, outputs),
            "b": ConvNorm(outputs, outputs, 3, stride, groups=outputs // group_width),
        }
        if excite:
            cells["se"] = SqueezeExcite(outputs, int(round(excite * inputs)))
        cells["c"] = ConvNorm(outputs, outputs, activation=None)
        changes = stride > 1 or inputs != outputs
        self.proj = ConvNorm(inputs, outputs, 1, stride, None) if changes else None
        self.f = named(**cells)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.relu((x if self.proj is None else self.proj(x)) + self.f(x))


def stages_of(
    depth: int, first: int, slope: float, ratio: float, group_width: int
) -> list[tuple[int, int, int]]:
    """Channels, blocks and group width of each stage: the widths ``first + slope·i`` of the blocks, rounded
    to ``first·ratio^k``, to multiples of 8, and to multiples of the groups' width.
    """
    linear = first + slope * np.arange(depth)
    powers = np.round(np.log(linear / first) / math.log(ratio))
    widths = (np.round(first * ratio**powers / 8) * 8).astype(int).tolist()
    found = []
    for width in dict.fromkeys(widths):
        group = min(group_width, width)
        found.append((divisible(width, group), widths.count(width), group))
    return found


def _x(*settings) -> dict:
    return dict(zip(("depth", "first", "slope", "ratio", "group_width"), settings))


def _y(*settings) -> dict:
    return {**_x(*settings), "excite": 0.25}


@register(
    regnet_x_400mf=_x(22, 24, 24.48, 2.54, 16),
    regnet_x_800mf=_x(16, 56, 35.73, 2.28, 16),
    regnet_x_1_6gf=_x(18, 80, 34.01, 2.25, 24),
    regnet_x_3_2gf=_x(25, 88, 26.31, 2.25, 48),
    regnet_x_8gf=_x(23, 80, 49.56, 2.88, 120),
    regnet_x_16gf=_x(22, 216, 55.59, 2.1, 128),
    regnet_x_32gf=_x(23, 320, 69.86, 2.0, 168),
    regnet_y_400mf=_y(16, 48, 27.89, 2.09, 8),
    regnet_y_800mf=_y(14, 56, 38.84, 2.4, 16),
    regnet_y_1_6gf=_y(27, 48, 20.71, 2.65, 24),
    regnet_y_3_2gf=_y(21, 80, 42.63, 2.66, 24),
    regnet_y_8gf=_y(17, 192, 76.82, 2.19, 56),
    regnet_y_16gf=_y(18, 200, 106.23, 2.48, 112),
    regnet_y_32gf=_y(20, 232, 115.89, 2.53, 232),
)
class RegNet(nn.Cell):
    """Bottlenecks in groups, whose widths are a rounded line over the blocks.

    Args:
        depth (int): blocks.
        first (int): channels of the first.
        slope (float): more channels per block, before rounding.
        ratio (float): widths are rounded to ``first`` times powers of this.
        group_width (int): channels of a group.
        excite (float): channels of the excitations, per channel of their block's input. Default 0, none.
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.regnet_x_400mf(num_classes=5)(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        depth: int,
        first: int,
        slope: float,
        ratio: float,
        group_width: int,
        excite: float = 0.0,
        num_classes: int = 1000,
        in_channels: int = 3,
    ):
        super().__init__()
        channels, stages = 32, {}
        self.stem = ConvNorm(in_channels, channels, 3, 2)
        for i, (width, count, group) in enumerate(
            stages_of(depth, first, slope, ratio, group_width), 1
        ):
            blocks = {}
            for j in range(count):
                stride = 1 if j else 2
                blocks[f"block{i}-{j}"] = GroupBottleneck(channels, width, stride, group, excite)
                channels = width
            stages[f"block{i}"] = named(**blocks)
        self.trunk_output = named(**stages)
        self.fc = nn.Dense(channels, num_classes)

    def construct(self, x):
        return self.fc(ops.mean(self.trunk_output(self.stem(x)), (2, 3)))
