"""Conformer (Gulati et al., Convolution-augmented Transformer for Speech Recognition, 2020)."""

from __future__ import annotations

import math

from ... import nn, ops
from ...base import dtype as dt
from ...common.initializer import initializer
from ...tensor import Parameter
from ..parts.attention import attend, join_heads, split_heads
from ..registry import register


def relative_waves(length: int, width: int):
    """Sines and cosines (2 · length - 1, width) of the distances from length - 1 down to 1 - length."""
    distances = ops.arange(length - 1, -length, -1).astype(dt.float32)
    speeds = ops.exp(ops.arange(0, width, 2).astype(dt.float32) * (-math.log(10000) / width))
    turns = ops.expand_dims(distances, -1) * speeds
    return ops.reshape(ops.stack((ops.sin(turns), ops.cos(turns)), -1), (2 * length - 1, width))


def by_place(scores):
    """Scores (N, heads, L, 2 L - 1) by distance as scores (N, heads, L, L) by place."""
    n, heads, length, _ = scores.shape
    shifted = ops.reshape(ops.pad(scores, (1, 0)), (n, heads, 2 * length, length))
    return ops.reshape(shifted[:, :, 1:], (n, heads, length, 2 * length - 1))[..., :length]


class RelativeAttention(nn.Cell):
    """Self-attention that sees how far away a key is (Dai et al., Transformer-XL, 2019)."""

    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.pos_bias_u = Parameter(initializer("zeros", [heads, 1, self.size]), name="pos_bias_u")
        self.pos_bias_v = Parameter(initializer("zeros", [heads, 1, self.size]), name="pos_bias_v")
        self.linear_q, self.linear_k = nn.Dense(width, width), nn.Dense(width, width)
        self.linear_v, self.linear_out = nn.Dense(width, width), nn.Dense(width, width)
        self.linear_pos = nn.Dense(width, width, has_bias=False)
        self.dropout = nn.Dropout(p=dropout)

    def construct(self, x, places):
        q = split_heads(self.linear_q(x), self.heads)
        k, v = split_heads(self.linear_k(x), self.heads), split_heads(self.linear_v(x), self.heads)
        p = split_heads(ops.expand_dims(self.linear_pos(places), 0), self.heads)
        far = by_place(ops.matmul(q + self.pos_bias_v, ops.transpose(p, (0, 1, 3, 2))))
        added = far / math.sqrt(self.size)
        mixed = attend(q + self.pos_bias_u, k, v, added, drop=self.dropout)
        return self.linear_out(join_heads(mixed))


class Convolution(nn.Cell):
    """A gate, a convolution of each channel over time, a norm and a projection."""

    def __init__(self, width: int, kernel: int):
        super().__init__()
        self.pointwise_conv1 = nn.Conv1d(width, 2 * width, 1, has_bias=True)
        self.depthwise_conv = nn.Conv1d(
            width, width, kernel, pad_mode="same", group=width, has_bias=True
        )
        self.batch_norm = nn.BatchNorm2d(width)
        self.pointwise_conv2 = nn.Conv1d(width, width, 1, has_bias=True)

    def construct(self, x):
        x = ops.glu(self.pointwise_conv1(ops.transpose(x, (0, 2, 1))), 1)
        x = self.batch_norm(ops.expand_dims(self.depthwise_conv(x), -1))
        return ops.transpose(self.pointwise_conv2(ops.silu(ops.squeeze(x, -1))), (0, 2, 1))


def feed_forward(width: int, dropout: float) -> nn.SequentialCell:
    return nn.SequentialCell(
        nn.LayerNorm((width,), epsilon=1e-5),
        nn.Dense(width, 4 * width),
        nn.SiLU(),
        nn.Dropout(p=dropout),
        nn.Dense(4 * width, width),
        nn.Dropout(p=dropout),
    )


class ConformerBlock(nn.Cell):
    """Attention and a convolution between two halves of a feed-forward network."""

    def __init__(self, width: int, heads: int, kernel: int, dropout: float):
        super().__init__()
        self.feed_forward1 = feed_forward(width, dropout)
        self.norm_self_att = nn.LayerNorm((width,), epsilon=1e-5)
        self.self_attn = RelativeAttention(width, heads, dropout)
        self.norm_conv, self.conv = nn.LayerNorm((width,), epsilon=1e-5), Convolution(width, kernel)
        self.feed_forward2 = feed_forward(width, dropout)
        self.norm_out = nn.LayerNorm((width,), epsilon=1e-5)
        self.dropout = nn.Dropout(p=dropout)

    def construct(self, x, places):
        x = x + 0.5 * self.feed_forward1(x)
        x = x + self.dropout(self.self_attn(self.norm_self_att(x), places))
        x = x + self.dropout(self.conv(self.norm_conv(x)))
        return self.norm_out(x + 0.5 * self.feed_forward2(x))


@register(
    conformer_s={"layers": 16, "width": 144, "heads": 4},
    conformer_m={"layers": 16, "width": 256, "heads": 4},
    conformer_l={"layers": 17, "width": 512, "heads": 8},
)
class Conformer(nn.Cell):
    """Two convolutions that shorten time to a quarter, blocks of attention and convolution, and a dense
    layer for CTC.

    Args:
        layers (int), width (int), heads (int): of the encoder.
        kernel (int): of the convolutions over time. Default 31.
        num_classes (int): symbols, of which 0 is the blank. Default 1024.
        bins (int): frequencies. Default 80.
        dropout (float): Default 0.1.

    Inputs:
        - **x** (Tensor[(N, bins, T), float])

    Outputs:
        Tensor[(N, T', num_classes)] with T' = ((T - 1) // 2 - 1) // 2.

    Examples:
        >>> from minds import models, ops
        >>> models.conformer_s(layers=1, width=8, heads=2, bins=16)(ops.ones((2, 16, 23))).shape
        (2, 5, 1024)
    """

    def __init__(
        self,
        layers: int,
        width: int,
        heads: int,
        kernel: int = 31,
        num_classes: int = 1024,
        bins: int = 80,
        dropout: float = 0.1,
    ):
        super().__init__()
        self.width = width
        self.conv1 = nn.Conv2d(1, width, 3, 2, "valid", has_bias=True)
        self.conv2 = nn.Conv2d(width, width, 3, 2, "valid", has_bias=True)
        self.out = nn.Dense(width * (((bins - 1) // 2 - 1) // 2), width)
        self.dropout = nn.Dropout(p=dropout)
        self.layers = nn.CellList(
            [ConformerBlock(width, heads, kernel, dropout) for _ in range(layers)]
        )
        self.head = nn.Dense(width, num_classes)

    def construct(self, x):
        x = ops.expand_dims(ops.transpose(x, (0, 2, 1)), 1)
        x = ops.relu(self.conv2(ops.relu(self.conv1(x))))
        n, c, t, f = x.shape
        x = self.out(ops.reshape(ops.transpose(x, (0, 2, 1, 3)), (n, t, c * f)))
        x = self.dropout(x)
        places = relative_waves(t, self.width)
        for layer in self.layers:
            x = layer(x, places)
        return self.head(x)
