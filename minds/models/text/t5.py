"""T5 (Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer,
2019), named as in transformers.
"""

from __future__ import annotations

import math

from ... import nn, ops
from ...base import dtype as dt
from ...common.initializer import Normal
from ..parts.attention import attend, causal_mask, join_heads, padding_mask, split_heads
from ..parts.norm import RMSNorm
from ..registry import register

BUCKETS, FARTHEST = 32, 128


def dense(inputs: int, outputs: int) -> nn.Dense:
    return nn.Dense(inputs, outputs, weight_init=Normal(inputs**-0.5), has_bias=False)


def buckets(length: int, keys: int, both_ways: bool):
    """The class of the distance from each query to each key, (length, keys): near distances have one
    each, far ones share them by their logarithm.
    """
    ahead = ops.arange(keys).reshape(1, keys) - ops.arange(length).reshape(length, 1)
    count, found = BUCKETS, 0
    if both_ways:
        count = BUCKETS // 2
        found = (ahead > 0).astype(dt.int32) * count
        distance = ops.abs(ahead)
    else:
        distance = ops.maximum(-ahead, 0)
    near = count // 2
    steps = ops.log(ops.maximum(distance, 1).astype(dt.float32) / near)
    far = near + (steps / math.log(FARTHEST / near) * (count - near)).astype(dt.int32)
    far = ops.minimum(far, count - 1)
    return found + ops.where(distance < near, distance.astype(dt.int32), far)


class T5Attention(nn.Cell):
    """Attention without a scale; the first of a stack has the bias of relative positions."""

    def __init__(self, width: int, heads: int, size: int, biased: bool):
        super().__init__()
        self.heads = heads
        self.q, self.k = dense(width, heads * size), dense(width, heads * size)
        self.v, self.o = dense(width, heads * size), dense(heads * size, width)
        self.relative_attention_bias = nn.Embedding(BUCKETS, heads) if biased else None

    def bias(self, length: int, keys: int, both_ways: bool):
        """What is added to the scores, (1, heads, length, keys)."""
        rows = self.relative_attention_bias(buckets(length, keys, both_ways))
        return ops.transpose(rows, (2, 0, 1)).expand_dims(0)

    def construct(self, x, seen, added):
        q = split_heads(self.q(x), self.heads)
        k, v = split_heads(self.k(seen), self.heads), split_heads(self.v(seen), self.heads)
        return self.o(join_heads(attend(q, k, v, added, 1.0)))


class T5SelfAttention(nn.Cell):
    """Attention of a sequence to itself, with a norm before it."""

    def __init__(self, width, heads, size, dropout, biased):
        super().__init__()
        self.SelfAttention = T5Attention(width, heads, size, biased)
        self.layer_norm, self.dropout = RMSNorm(width), nn.Dropout(p=dropout)

    def construct(self, x, added):
        y = self.layer_norm(x)
        return x + self.dropout(self.SelfAttention(y, y, added))


class CrossAttention(nn.Cell):
    """Attention to the encoder's output, with a norm before it."""

    def __init__(self, width, heads, size, dropout):
        super().__init__()
        self.EncDecAttention = T5Attention(width, heads, size, False)
        self.layer_norm, self.dropout = RMSNorm(width), nn.Dropout(p=dropout)

    def construct(self, x, seen, added):
        return x + self.dropout(self.EncDecAttention(self.layer_norm(x), seen, added))


class DenseReluDense(nn.Cell):
    """Two dense layers."""

    def __init__(self, width: int, inner: int, dropout: float):
        super().__init__()
        self.wi, self.wo, self.dropout = (
            dense(width, inner),
            dense(inner, width),
            nn.Dropout(p=dropout),
        )

    def construct(self, x):
        return self.wo(self.dropout(ops.relu(self.wi(x))))


class T5FeedForward(nn.Cell):
    """Dense layers with a norm before them."""

    def __init__(self, width: int, inner: int, dropout: float):
        super().__init__()
        self.DenseReluDense = DenseReluDense(width, inner, dropout)
        self.layer_norm, self.dropout = RMSNorm(width), nn.Dropout(p=dropout)

    def construct(self, x):
        return x + self.dropout(self.DenseReluDense(self.layer_norm(x)))


class T5Block(nn.Cell):
    """A layer of the encoder or of the decoder."""

    def __init__(self, width, heads, size, inner, dropout, biased, decoder):
        super().__init__()
        cells = [T5SelfAttention(width, heads, size, dropout, biased)]
        if decoder:
            cells.append(CrossAttention(width, heads, size, dropout))
        cells.append(T5FeedForward(width, inner, dropout))
        self.layer = nn.CellList(cells)

    def construct(self, x, added, seen=None, seen_mask=None):
        x = self.layer[0](x, added)
        if seen is not None:
            x = self.layer[1](x, seen, seen_mask)
        return self.layer[-1](x)


class Stack(nn.Cell):
    """Layers in turn, and a norm behind them."""

    def __init__(self, layers, width, heads, size, inner, dropout, decoder):
        super().__init__()
        self.decoder = decoder
        self.block = nn.CellList(
            [T5Block(width, heads, size, inner, dropout, i == 0, decoder) for i in range(layers)]
        )
        self.final_layer_norm, self.dropout = RMSNorm(width), nn.Dropout(p=dropout)

    def construct(self, x, mask, seen=None, seen_mask=None):
        length = x.shape[1]
        added = self.block[0].layer[0].SelfAttention.bias(length, length, not self.decoder)
        if mask is not None:
            added = added + mask
        x = self.dropout(x)
        for block in self.block:
            x = block(x, added, seen, seen_mask)
        return self.dropout(self.final_layer_norm(x))


@register(
    t5_small={"layers": 6, "width": 512, "heads": 8, "inner": 2048},
    t5_base={"layers": 12, "width": 768, "heads": 12, "inner": 3072},
)
class T5(nn.Cell):
    """An encoder and a decoder with relative positions; both embeddings and the head share their weights.

    Args:
        layers (int): of the encoder, and of the decoder.
        width (int), heads (int), inner (int): of both.
        size (int): of a head. Default 64.
        vocabulary (int): tokens. Default 32128.
        dropout (float): Default 0.1.

    Inputs:
        - **ids** (Tensor[(N, S), int]) - what is read.
        - **written** (Tensor[(N, L), int]) - what is written, shifted right by one.
        - **counts** (Tensor[(N, S)]) - 1 for tokens, 0 for padding of ``ids``. Default None, ones.

    Outputs:
        Tensor[(N, L, vocabulary)].

    Examples:
        >>> import minds as ms
        >>> from minds import models
        >>> net = models.t5_small(layers=1, width=8, heads=2, inner=16, vocabulary=10, size=4)
        >>> net(ms.Tensor([[1, 2, 3]]), ms.Tensor([[0, 4]])).shape
        (1, 2, 10)
    """

    def __init__(
        self,
        layers: int,
        width: int,
        heads: int,
        inner: int,
        size: int = 64,
        vocabulary: int = 32128,
        dropout: float = 0.1,
    ):
        super().__init__()
        self.scale = width**-0.5
        self.shared = nn.Embedding(vocabulary, width, embedding_table=Normal(1.0))
        self.encoder = Stack(layers, width, heads, size, inner, dropout, False)
        self.decoder = Stack(layers, width, heads, size, inner, dropout, True)

    def construct(self, ids, written, counts=None):
        mask = None if counts is None else padding_mask(counts)
        seen = self.encoder(self.shared(ids), mask)
        length = written.shape[1]
        x = self.decoder(self.shared(written), causal_mask(length, length), seen, mask)
        return ops.matmul(x * self.scale, ops.transpose(self.shared.embedding_table, (1, 0)))
