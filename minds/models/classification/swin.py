"""Swin transformer (Liu et al. 2021): attention within windows that move from block to block."""

from __future__ import annotations

import numpy as np

from ... import nn, ops
from ...common.initializer import TruncatedNormal, initializer
from ...tensor import Parameter, Tensor
from ..parts.vision import ChannelsLast, DropPath, layer_norm, mlp, rates_of_depth
from ..registry import register


def relative_positions(window: int) -> np.ndarray:
    """For each pair of places of a window, the row of the table of biases that is theirs."""
    places = np.stack(np.meshgrid(np.arange(window), np.arange(window), indexing="ij")).reshape(
        2, -1
    )
    apart = places[:, :, None] - places[:, None, :] + window - 1
    return (apart[0] * (2 * window - 1) + apart[1]).reshape(-1).astype(np.int32)


def windows_of(x, window: int):
    """``(N, H, W, C)`` as ``(N·windows, window², C)``."""
    n, height, width, channels = x.shape
    x = ops.reshape(x, (n, height // window, window, width // window, window, channels))
    return ops.reshape(ops.transpose(x, (0, 1, 3, 2, 4, 5)), (-1, window * window, channels))


def regions(size: int, window: int, shift: int):
    """Along one axis that was rolled by ``shift``: which places lie together in the image."""
    place = ops.arange(size)
    return (place >= size - window).astype("int32") + (place >= size - shift).astype("int32")


class WindowAttention(nn.Cell):
    """Attention within windows of ``window`` places, of maps that are rolled by ``shift`` places first."""

    def __init__(self, width: int, heads: int, window: int, shift: int):
        super().__init__()
        self.heads, self.window, self.shift = heads, window, shift
        self.qkv = nn.Dense(width, 3 * width)
        self.proj = nn.Dense(width, width)
        table = initializer(TruncatedNormal(0.02), ((2 * window - 1) ** 2, heads))
        self.relative_position_bias_table = Parameter(table)
        self.positions = Tensor(relative_positions(window))

    def construct(self, x):
        n, height, width, channels = x.shape
        window = self.window
        down, right = -height % window, -width % window
        if down or right:
            x = ops.pad(x, (0, 0, 0, right, 0, down))
        tall, wide = height + down, width + right
        # A map of one window has nothing to roll.
        shifts = (self.shift if window < tall else 0, self.shift if window < wide else 0)
        rolled = ops.roll(x, (-shifts[0], -shifts[1]), (1, 2)) if self.shift else x
        y = self._attend(windows_of(rolled, window), (tall, wide), shifts)
        y = ops.reshape(y, (n, tall // window, wide // window, window, window, channels))
        y = ops.reshape(ops.transpose(y, (0, 1, 3, 2, 4, 5)), (n, tall, wide, channels))
        y = ops.roll(y, shifts, (1, 2)) if self.shift else y
        return y[:, :height, :width]

    def _attend(self, x, size, shifts):
        count, places, channels = x.shape
        qkv = ops.reshape(self.qkv(x), (count, places, 3, self.heads, channels // self.heads))
        q, k, v = ops.unbind(ops.transpose(qkv, (2, 0, 3, 1, 4)))
        scores = ops.matmul(q * (channels // self.heads) ** -0.5, ops.swapaxes(k, -2, -1))
        bias = ops.gather(self.relative_position_bias_table, self.positions, 0)
        bias = ops.transpose(ops.reshape(bias, (places, places, self.heads)), (2, 0, 1))
        scores = scores + bias
        if shifts[0] or shifts[1]:
            mask = self._mask(size, shifts)
            blocks = mask.shape[0]
            shape = (count // blocks, blocks, self.heads, places, places)
            scores = ops.reshape(scores, shape) + ops.reshape(mask, (blocks, 1, places, places))
            scores = ops.reshape(scores, (count, self.heads, places, places))
        y = ops.matmul(ops.softmax(scores, -1), v)
        return self.proj(ops.reshape(ops.swapaxes(y, 1, 2), (count, places, channels)))

    def _mask(self, size, shifts):
        """-100 for places that lie beside each other only because the map was rolled."""
        rows = regions(size[0], self.window, shifts[0])
        columns = regions(size[1], self.window, shifts[1])
        both = ops.reshape(rows, (1, -1, 1, 1)) * 3 + ops.reshape(columns, (1, 1, -1, 1))
        both = ops.squeeze(windows_of(both, self.window), -1)
        apart = ops.expand_dims(both, 1) != ops.expand_dims(both, 2)
        return apart.astype("float32") * -100.0


class SwinBlock(nn.Cell):
    """Attention within windows and a perceptron, each added to what came in."""

    def __init__(self, width: int, heads: int, window: int, shift: int, hidden: int, drop: float):
        super().__init__()
        self.norm1 = layer_norm(width, 1e-5)
        self.attn = WindowAttention(width, heads, window, shift)
        self.norm2 = layer_norm(width, 1e-5)
        self.mlp = mlp(width, hidden)
        self.stochastic_depth = DropPath(drop)

    def construct(self, x):
        x = x + self.stochastic_depth(self.attn(self.norm1(x)))
        return x + self.stochastic_depth(self.mlp(self.norm2(x)))


class PatchMerging(nn.Cell):
    """Four places that lie together become one of twice the channels."""

    def __init__(self, width: int):
        super().__init__()
        self.norm = layer_norm(4 * width, 1e-5)
        self.reduction = nn.Dense(4 * width, 2 * width, has_bias=False)

    def construct(self, x):
        down, right = x.shape[1] % 2, x.shape[2] % 2
        if down or right:
            x = ops.pad(x, (0, 0, 0, right, 0, down))
        left, other = x[:, :, 0::2], x[:, :, 1::2]
        x = ops.cat((left[:, 0::2], left[:, 1::2], other[:, 0::2], other[:, 1::2]), -1)
        return self.reduction(self.norm(x))


@register(
    swin_t={"width": 96, "layers": (2, 2, 6, 2), "heads": (3, 6, 12, 24), "drop_path": 0.2},
    swin_s={"width": 96, "layers": (2, 2, 18, 2), "heads": (3, 6, 12, 24), "drop_path": 0.3},
    swin_b={"width": 128, "layers": (2, 2, 18, 2), "heads": (4, 8, 16, 32), "drop_path": 0.5},
)
class Swin(nn.Cell):
    """Four stages of transformer blocks on maps that get smaller.

    Args:
        width (int): channels of the first stage; each has twice as many as the one before.
        layers (tuple[int]): blocks in each stage.
        heads (tuple[int]): heads of the attention in each stage.
        drop_path (float): share of the examples for which training leaves out the last block. Default 0.
        window (int): height and width of a window. Default 7.
        patch (int): height and width of a patch. Default 4.
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> net = models.swin_t(num_classes=5, layers=(2, 2), heads=(2, 4), width=8)
        >>> net(ops.ones((1, 3, 64, 64))).shape
        (1, 5)
    """

    def __init__(
        self,
        width: int,
        layers: tuple[int, ...],
        heads: tuple[int, ...],
        drop_path: float = 0.0,
        window: int = 7,
        patch: int = 4,
        num_classes: int = 1000,
        in_channels: int = 3,
    ):
        super().__init__()
        cells: list[nn.Cell] = [
            nn.SequentialCell(
                nn.Conv2d(in_channels, width, patch, patch, "valid", has_bias=True),
                ChannelsLast(),
                layer_norm(width, 1e-5),
            )
        ]
        rates = iter(rates_of_depth(drop_path, sum(layers)))
        for i, (count, count_heads) in enumerate(zip(layers, heads)):
            cells += [PatchMerging(width << (i - 1))] if i else []
            size = width << i
            shifts = [0 if j % 2 == 0 else window // 2 for j in range(count)]
            cells.append(
                nn.SequentialCell(
                    [SwinBlock(size, count_heads, window, s, 4 * size, next(rates)) for s in shifts]
                )
            )
        self.features = nn.SequentialCell(cells)
        self.norm = layer_norm(size, 1e-5)
        self.head = nn.Dense(size, num_classes)

    def construct(self, x):
        return self.head(ops.mean(self.norm(self.features(x)), (1, 2)))
