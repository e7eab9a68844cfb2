"""NASNet-A (Zoph et al. 2018)."""

from __future__ import annotations

from ... import nn, ops
from ..registry import register

NORM = {"eps": 1e-3, "momentum": 0.9997}


def pointwise(inputs: int, outputs: int) -> nn.SequentialCell:
    """An activation, a convolution of 1×1 and a normalisation."""
    cells = [nn.ReLU(), nn.Conv2d(inputs, outputs, 1), nn.BatchNorm2d(outputs, **NORM)]
    return nn.SequentialCell(cells)


def separable_twice(inputs: int, outputs: int, size: int, stride: int = 1) -> nn.SequentialCell:
    """An activation, a depthwise and a pointwise convolution and a normalisation, two times."""
    cells = []
    for channels, step in ((inputs, stride), (outputs, 1)):
        cells += [
            nn.ReLU(),
            nn.Conv2d(channels, channels, size, step, "same", group=channels),
            nn.Conv2d(channels, outputs, 1),
            nn.BatchNorm2d(outputs, **NORM),
        ]
    return nn.SequentialCell(cells)


class HalvingPaths(nn.Cell):
    """Half of the height and width by two convolutions of 1×1, of every other place and of those between."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.relu = nn.ReLU()
        self.even = nn.Conv2d(inputs, outputs // 2, 1)
        self.odd = nn.Conv2d(inputs, outputs - outputs // 2, 1)
        self.norm = nn.BatchNorm2d(outputs, **NORM)

    def construct(self, x):
        x = self.relu(x)
        moved = ops.pad(x, (0, 1, 0, 1))[:, :, 1:, 1:]
        halves = self.even(x[:, :, ::2, ::2]), self.odd(moved[:, :, ::2, ::2])
        return self.norm(ops.cat(halves, 1))


def fitted(before: int, halve: bool, width: int) -> nn.Cell:
    """What makes the result of the cell before the last fit."""
    if halve:
        return HalvingPaths(before, width)
    return pointwise(before, width) if before != width else nn.Identity()


class NormalCell(nn.Cell):
    """Sums of pairs that the search chose, of ``x`` and of what the cell before was given."""

    def __init__(self, inputs: int, before: int, halve: bool, width: int):
        super().__init__()
        self.fit = fitted(before, halve, width)
        self.squeeze = pointwise(inputs, width)
        self.left1 = separable_twice(width, width, 5)
        self.right1 = separable_twice(width, width, 3)
        self.left2 = separable_twice(width, width, 5)
        self.right2 = separable_twice(width, width, 3)
        self.left5 = separable_twice(width, width, 3)
        self.mean = nn.AvgPool2d(3, 1, "same")
        self.channels = 6 * width

    def construct(self, x, before):
        p, h = self.fit(before), self.squeeze(x)
        mean = self.mean(p)
        sums = (
            self.left1(h) + self.right1(p),
            self.left2(p) + self.right2(p),
            self.mean(h) + p,
            mean + mean,
            self.left5(h) + h,
        )
        return ops.cat((p, *sums), 1)


class ReductionCell(nn.Cell):
    """Sums of pairs that halve height and width."""

    def __init__(self, inputs: int, before: int, halve: bool, width: int, fits: bool = True):
        super().__init__()
        self.fit = fitted(before, halve, width) if fits else nn.Identity()
        p = width if fits else before
        self.squeeze = pointwise(inputs, width)
        self.left1 = separable_twice(width, width, 5, 2)
        self.right1 = separable_twice(p, width, 7, 2)
        self.right2 = separable_twice(p, width, 7, 2)
        self.right3 = separable_twice(p, width, 5, 2)
        self.left5 = separable_twice(width, width, 3)
        self.largest = nn.MaxPool2d(3, 2, "same")
        self.halved = nn.AvgPool2d(3, 2, "same")
        self.mean = nn.AvgPool2d(3, 1, "same")
        self.channels = 4 * width

    def construct(self, x, before):
        p, h = self.fit(before), self.squeeze(x)
        largest = self.largest(h)
        first = self.left1(h) + self.right1(p)
        second = largest + self.right2(p)
        third = self.halved(h) + self.right3(p)
        fourth = self.mean(first) + second
        fifth = self.left5(first) + largest
        return ops.cat((second, third, fourth, fifth), 1)


@register(
    nasnet_mobile={"layers": 4, "width": 44, "stem": 32},
    nasnet_large={"layers": 6, "width": 168, "stem": 96, "skip": True},
)
class NASNet(nn.Cell):
    """Normal and reduction cells, each of the results of the two cells before it.

    Args:
        layers (int): normal cells in each of the three stages.
        width (int): channels of each sum in the first stage; doubled from stage to stage.
        stem (int): channels of the first convolution.
        skip (bool): the first normal cell behind a reduction is given what the reduction's second input
            was, not its first. Default False.
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.
        dropout (float): share of the last map's means that training drops. Default 0.5.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224, large 331×331.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> net = models.nasnet_mobile(num_classes=5, layers=1, width=8, stem=8)
        >>> net(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        layers: int,
        width: int,
        stem: int,
        skip: bool = False,
        num_classes: int = 1000,
        in_channels: int = 3,
        dropout: float = 0.5,
    ):
        super().__init__()
        self.stem = nn.SequentialCell(
            nn.Conv2d(in_channels, stem, 3, 2, "valid"), nn.BatchNorm2d(stem, **NORM)
        )
        cells = [ReductionCell(stem, stem, False, width // 4, fits=False)]
        cells.append(ReductionCell(cells[0].channels, stem, True, width // 2))
        channels, before, halve = cells[1].channels, cells[0].channels, True
        for stage in range(3):
            if stage:
                cells.append(ReductionCell(channels, before, False, width << stage))
                # What stands before a stage is the reduction's first input, or its second.
                before = before if skip else channels
                channels, halve = cells[-1].channels, True
            for _ in range(layers):
                cells.append(NormalCell(channels, before, halve, width << stage))
                channels, before, halve = cells[-1].channels, channels, False
        self.cells = nn.CellList(cells)
        self.skips = [skip and isinstance(c, ReductionCell) and i > 1 for i, c in enumerate(cells)]
        self.relu = nn.ReLU()
        self.dropout = nn.Dropout(p=dropout)
        self.fc = nn.Dense(channels, num_classes)

    def construct(self, x):
        x = before = self.stem(x)
        for cell, skips in zip(self.cells, self.skips):
            made = cell(x, before)
            before, x = before if skips else x, made
        return self.fc(self.dropout(ops.mean(self.relu(x), (2, 3))))
