"""Inception v3 (Szegedy et al. 2016) and v4 (Szegedy et al. 2017)."""

from __future__ import annotations

from ... import nn, ops
from ..registry import register
from .forks import Fork, average, chain, largest, same, unit, valid

WIDE, HIGH = (1, 7), (7, 1)
SPLIT = {"a": (1, 3), "b": (3, 1)}


def grid35(inputs: int, pooled: int) -> Fork:
    paths = {
        "branch1x1": [same(64)],
        "branch5x5": [same(48), same(64, 5)],
        "branch3x3dbl": [same(64), same(96, 3), same(96, 3)],
        "branch_pool": [average(True), same(pooled)],
    }
    return Fork(inputs, paths)


def to_grid17(inputs: int) -> Fork:
    paths = {
        "branch3x3": [valid(384, 3, 2)],
        "branch3x3dbl": [same(64), same(96, 3), valid(96, 3, 2)],
        "pool": [largest()],
    }
    return Fork(inputs, paths)


def grid17(inputs: int, width: int) -> Fork:
    long = [same(width), same(width, HIGH), same(width, WIDE), same(width, HIGH), same(192, WIDE)]
    paths = {
        "branch1x1": [same(192)],
        "branch7x7": [same(width), same(width, WIDE), same(192, HIGH)],
        "branch7x7dbl": long,
        "branch_pool": [average(True), same(192)],
    }
    return Fork(inputs, paths)


def to_grid8(inputs: int) -> Fork:
    paths = {
        "branch3x3": [same(192), valid(320, 3, 2)],
        "branch7x7x3": [same(192), same(192, WIDE), same(192, HIGH), valid(192, 3, 2)],
        "pool": [largest()],
    }
    return Fork(inputs, paths)


def grid8(inputs: int) -> Fork:
    split = {key: same(384, size) for key, size in SPLIT.items()}
    paths = {
        "branch1x1": [same(320)],
        "branch3x3": [same(384), split],
        "branch3x3dbl": [same(448), same(384, 3), split],
        "branch_pool": [average(True), same(192)],
    }
    return Fork(inputs, paths)


class AuxiliaryHead(nn.Cell):
    """Logits from the middle of the network, for training."""

    def __init__(self, inputs: int, num_classes: int):
        super().__init__()
        self.pool = nn.AvgPool2d(5, 3)
        self.conv0 = unit(inputs, 128)
        self.conv1 = unit(128, 768, 5)
        self.fc = nn.Dense(768, num_classes)

    def construct(self, x):
        return self.fc(ops.mean(self.conv1(self.conv0(self.pool(x))), (2, 3)))


@register(inception_v3={})
class InceptionV3(nn.Cell):
    """Blocks of parallel paths on grids of 35×35, 17×17 and 8×8, with convolutions of 1×7 and 7×1.

    Args:
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.
        aux_logits (bool): one more head, whose logits training gets too. Default False.
        dropout (float): share of the last map's means that training drops. Default 0.5.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 75×75; made for 299×299.

    Outputs:
        Tensor[(N, num_classes)]; with ``aux_logits`` in training a tuple of it and those of the other head.

    Examples:
        >>> from minds import models, ops
        >>> models.inception_v3(num_classes=5)(ops.ones((1, 3, 75, 75))).shape
        (1, 5)
    """

    def __init__(
        self,
        num_classes: int = 1000,
        in_channels: int = 3,
        aux_logits: bool = False,
        dropout: float = 0.5,
    ):
        super().__init__()
        self.aux_logits = aux_logits
        self.Conv2d_1a_3x3 = unit(in_channels, 32, 3, 2)
        self.Conv2d_2a_3x3 = unit(32, 32, 3)
        self.Conv2d_2b_3x3 = unit(32, 64, 3, 1, None)
        self.pool = nn.MaxPool2d(3, 2)
        self.Conv2d_3b_1x1 = unit(64, 80)
        self.Conv2d_4a_3x3 = unit(80, 192, 3)
        self.Mixed_5b, self.Mixed_5c, self.Mixed_5d = (
            grid35(192, 32),
            grid35(256, 64),
            grid35(288, 64),
        )
        self.Mixed_6a, self.Mixed_6b = to_grid17(288), grid17(768, 128)
        self.Mixed_6c, self.Mixed_6d = grid17(768, 160), grid17(768, 160)
        self.Mixed_6e = grid17(768, 192)
        if aux_logits:
            self.AuxLogits = AuxiliaryHead(768, num_classes)
        self.Mixed_7a, self.Mixed_7b, self.Mixed_7c = to_grid8(768), grid8(1280), grid8(2048)
        self.dropout = nn.Dropout(p=dropout)
        self.fc = nn.Dense(2048, num_classes)

    def construct(self, x):
        x = self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x)))
        x = self.pool(self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(self.pool(x))))
        x = self.Mixed_6a(self.Mixed_5d(self.Mixed_5c(self.Mixed_5b(x))))
        middle = self.Mixed_6e(self.Mixed_6d(self.Mixed_6c(self.Mixed_6b(x))))
        x = self.Mixed_7c(self.Mixed_7b(self.Mixed_7a(middle)))
        logits = self.fc(self.dropout(ops.mean(x, (2, 3))))
        if self.aux_logits and self.training:
            return logits, self.AuxLogits(middle)
        return logits


def _stem(in_channels: int) -> list[nn.Cell]:
    long = chain(same(64), same(64, WIDE), same(64, HIGH), valid(96))
    return [
        unit(in_channels, 32, 3, 2),
        unit(32, 32, 3),
        unit(32, 64, 3, 1, None),
        Fork(64, {"maxpool": [largest()], "conv": [valid(96, 3, 2)]}),
        Fork(160, {"branch0": [chain(same(64), valid(96))], "branch1": [long]}),
        Fork(192, {"conv": [valid(192, 3, 2)], "maxpool": [largest()]}),
    ]


def _block_a() -> Fork:
    paths = {
        "branch0": [same(96)],
        "branch1": [chain(same(64), same(96, 3))],
        "branch2": [chain(same(64), same(96, 3), same(96, 3))],
        "branch3": [chain(average(False), same(96))],
    }
    return Fork(384, paths)


def _reduction_a() -> Fork:
    paths = {
        "branch0": [valid(384, 3, 2)],
        "branch1": [chain(same(192), same(224, 3), valid(256, 3, 2))],
        "branch2": [largest()],
    }
    return Fork(384, paths)


def _block_b() -> Fork:
    long = chain(same(192), same(192, HIGH), same(224, WIDE), same(224, HIGH), same(256, WIDE))
    paths = {
        "branch0": [same(384)],
        "branch1": [chain(same(192), same(224, WIDE), same(256, HIGH))],
        "branch2": [long],
        "branch3": [chain(average(False), same(128))],
    }
    return Fork(1024, paths)


def _reduction_b() -> Fork:
    paths = {
        "branch0": [chain(same(192), valid(192, 3, 2))],
        "branch1": [chain(same(256), same(256, WIDE), same(320, HIGH), valid(320, 3, 2))],
        "branch2": [largest()],
    }
    return Fork(1024, paths)


def _block_c() -> Fork:
    split = {key: same(256, size) for key, size in SPLIT.items()}
    paths = {
        "branch0": [same(256)],
        "branch1": [same(384), split],
        "branch2": [same(384), same(448, (3, 1)), same(512, (1, 3)), split],
        "branch3": [chain(average(False), same(256))],
    }
    return Fork(1536, paths, first=0)


@register(inception_v4={})
class InceptionV4(nn.Cell):
    """Inception v3 made uniform, and deeper.

    Args:
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.
        depths (tuple[int]): blocks on the three grids. Default (4, 7, 3).
        dropout (float): share of the last map's means that training drops. Default 0.2.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 75×75; made for 299×299.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.inception_v4(num_classes=5, depths=(1, 1, 1))(ops.ones((1, 3, 75, 75))).shape
        (1, 5)
    """

    def __init__(
        self,
        num_classes: int = 1000,
        in_channels: int = 3,
        depths: tuple[int, int, int] = (4, 7, 3),
        dropout: float = 0.2,
    ):
        super().__init__()
        cells = _stem(in_channels)
        cells += [_block_a() for _ in range(depths[0])] + [_reduction_a()]
        cells += [_block_b() for _ in range(depths[1])] + [_reduction_b()]
        cells += [_block_c() for _ in range(depths[2])]
        self.features = nn.SequentialCell(cells)
        self.dropout = nn.Dropout(p=dropout)
        self.last_linear = nn.Dense(1536, num_classes)

    def construct(self, x):
        return self.last_linear(self.dropout(ops.mean(self.features(x), (2, 3))))
