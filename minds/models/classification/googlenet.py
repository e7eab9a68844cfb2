"""GoogLeNet (Szegedy et al. 2015), with batch normalisation, and 3×3 where the paper has 5×5."""

from __future__ import annotations

from ... import nn, ops
from ..registry import register
from .forks import Fork, chain, largest, same, unit

STAGES = (
    ((64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64)),
    (
        (192, 96, 208, 16, 48, 64),
        (160, 112, 224, 24, 64, 64),
        (128, 128, 256, 24, 64, 64),
        (112, 144, 288, 32, 64, 64),
        (256, 160, 320, 32, 128, 128),
    ),
    ((256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128)),
)
"""Of each block the channels of the paths, those that a convolution of 1×1 makes first included."""


def block(inputs: int, a: int, b1: int, b2: int, c1: int, c2: int, d: int) -> Fork:
    paths = {
        "branch1": [same(a)],
        "branch2": [chain(same(b1), same(b2, 3))],
        "branch3": [chain(same(c1), same(c2, 3))],
        "branch4": [chain(largest(1), same(d))],
    }
    return Fork(inputs, paths)


class SideHead(nn.Cell):
    """Logits from the middle of the network, for training."""

    def __init__(self, inputs: int, num_classes: int):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d((4, 4))
        self.conv = unit(inputs, 128)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(2048, 1024)
        self.relu = nn.ReLU()
        self.dropout = nn.Dropout(p=0.7)
        self.fc2 = nn.Dense(1024, num_classes)

    def construct(self, x):
        x = self.flatten(self.conv(self.pool(x)))
        return self.fc2(self.dropout(self.relu(self.fc1(x))))


@register(googlenet={})
class GoogLeNet(nn.Cell):
    """Nine blocks of four parallel paths.

    Args:
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.
        aux_logits (bool): two more heads, whose logits training gets too. Default False.
        dropout (float): share of the last map's means that training drops. Default 0.2.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)]; with ``aux_logits`` in training a tuple of it, those of the second head
        and those of the first.

    Examples:
        >>> from minds import models, ops
        >>> models.googlenet(num_classes=5)(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        num_classes: int = 1000,
        in_channels: int = 3,
        aux_logits: bool = False,
        dropout: float = 0.2,
    ):
        super().__init__()
        self.aux_logits = aux_logits
        self.conv1 = unit(in_channels, 64, 7, 2, None)
        self.conv2 = unit(64, 64)
        self.conv3 = unit(64, 192, 3, 1, None)
        self.pool = nn.MaxPool2d(3, 2, "pad", ceil_mode=True)
        self.last_pool = nn.MaxPool2d(2, 2, "pad", ceil_mode=True)
        channels = 192
        for stage, blocks in zip("345", STAGES):
            for letter, widths in zip("abcde", blocks):
                made = block(channels, *widths)
                self.insert_child_to_cell(f"inception{stage}{letter}", made)
                channels = made.channels
        if aux_logits:
            self.aux1 = SideHead(512, num_classes)
            self.aux2 = SideHead(528, num_classes)
        self.dropout = nn.Dropout(p=dropout)
        self.fc = nn.Dense(channels, num_classes)

    def construct(self, x):
        x = self.conv3(self.conv2(self.pool(self.conv1(x))))
        x = self.inception3b(self.inception3a(self.pool(x)))
        first = self.inception4a(self.pool(x))
        second = self.inception4d(self.inception4c(self.inception4b(first)))
        x = self.last_pool(self.inception4e(second))
        x = self.inception5b(self.inception5a(x))
        logits = self.fc(self.dropout(ops.mean(x, (2, 3))))
        if self.aux_logits and self.training:
            return logits, self.aux2(second), self.aux1(first)
        return logits
