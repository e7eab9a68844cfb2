"""BERT (arXiv:1810.04805) as an encoder with a masked language model's head, and its training step."""

from __future__ import annotations

import math

import minds as ms
from minds import nn, ops


class SelfAttention(nn.Cell):
    """Multi-head attention of a sequence to itself: (N, L, C) and a mask (N, 1, 1, L) to (N, L, C)."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key, self.value = [nn.Dense(width, width) for _ in range(3)]
        self.out = nn.Dense(width, width)
        self.dropout = nn.Dropout(p=0.1)

    def _split(self, x):
        n, length, _ = x.shape
        return x.reshape(n, length, self.heads, self.size).transpose(0, 2, 1, 3)

    def construct(self, x, mask):
        q, k, v = self._split(self.query(x)), self._split(self.key(x)), self._split(self.value(x))
        scores = ops.matmul(q, k.transpose(0, 1, 3, 2)) / math.sqrt(self.size) + mask
        context = ops.matmul(self.dropout(ops.softmax(scores, -1)), v)
        return self.out(context.transpose(0, 2, 1, 3).reshape(x.shape))


class EncoderLayer(nn.Cell):
    """Attention and a feed-forward network, each with a residual connection and a normalisation."""

    def __init__(self, width: int, heads: int, inner: int):
        super().__init__()
        self.attention = SelfAttention(width, heads)
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.grow, self.shrink = nn.Dense(width, inner), nn.Dense(inner, width)
        self.dropout = nn.Dropout(p=0.1)

    def construct(self, x, mask):
        x = self.norm1(x + self.dropout(self.attention(x, mask)))
        return self.norm2(x + self.dropout(self.shrink(ops.gelu(self.grow(x)))))


class Bert(nn.Cell):
    """Token ids (N, L), their segments and which of them count, to logits (N, L, vocabulary)."""

    def __init__(self, vocabulary: int, layers: int, width: int, heads: int, longest: int = 512):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(longest, width)
        self.segments = nn.Embedding(2, width)
        self.norm, self.dropout = nn.LayerNorm((width,)), nn.Dropout(p=0.1)
        self.layers = nn.CellList([EncoderLayer(width, heads, 4 * width) for _ in range(layers)])
        self.transform, self.head_norm = nn.Dense(width, width), nn.LayerNorm((width,))
        self.head = nn.Dense(width, vocabulary)

    def construct(self, ids, segments, counts):
        mask = (1.0 - counts.astype(ms.float32))[:, None, None, :] * -10000.0
        places = ops.arange(ids.shape[1])
        x = self.tokens(ids) + self.positions(places) + self.segments(segments)
        x = self.dropout(self.norm(x))
        for layer in self.layers:
            x = layer(x, mask)
        return self.head(self.head_norm(ops.gelu(self.transform(x))))


def bert_base(vocabulary: int = 30522) -> Bert:
    """The smaller of the two models of the paper."""
    return Bert(vocabulary, layers=12, width=768, heads=12)


class MaskedLoss(nn.Cell):
    """The mean cross entropy of the logits at the labels that are not -100."""

    def __init__(self, net: nn.Cell):
        super().__init__()
        self.net = net

    def construct(self, ids, segments, counts, labels):
        logits = self.net(ids, segments, counts)
        return ops.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1))


def training_step(net: Bert) -> nn.TrainOneStepCell:
    """A step by AdamWeightDecay."""
    loss = MaskedLoss(net)
    return nn.TrainOneStepCell(loss, nn.AdamWeightDecay(net.trainable_params())).set_train()
