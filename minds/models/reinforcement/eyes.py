"""What the agents see with."""

from __future__ import annotations

from ... import nn
from ..parts.dense import dense_layers


def nature_eyes(channels: int) -> tuple[nn.SequentialCell, int]:
    """The convolutions of the Atari agents, for ``(N, channels, 84, 84)``, and the size of their result."""
    cells = []
    for inputs, outputs, size, stride in ((channels, 32, 8, 4), (32, 64, 4, 2), (64, 64, 3, 1)):
        cells += [nn.Conv2d(inputs, outputs, size, stride, "valid", has_bias=True), nn.ReLU()]
    return nn.SequentialCell(cells + [nn.Flatten(), nn.Dense(3136, 512), nn.ReLU()]), 512


def eyes(seen: int | None, hidden: tuple, channels: int) -> tuple[nn.SequentialCell, int]:
    """Dense layers for vectors of ``seen`` numbers, or convolutions for images where that is None."""
    return nature_eyes(channels) if seen is None else (dense_layers(seen, hidden), hidden[-1])
