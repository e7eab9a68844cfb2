"""The Transformer for translation (Vaswani et al., Attention Is All You Need, 2017)."""

from __future__ import annotations

import math

import numpy as np

from ... import nn, ops
from ...common.initializer import Normal
from ...tensor import Tensor
from ..parts.attention import causal_mask
from ..registry import register


def waves(longest: int, width: int) -> Tensor:
    """Sines and cosines of places, (longest, width): the i-th pair has the period 10000^(2i / width)."""
    speeds = 10000.0 ** (-np.arange(0, width, 2) / width)
    turns = np.arange(longest)[:, None] * speeds
    return Tensor(
        np.stack((np.sin(turns), np.cos(turns)), -1).reshape(longest, -1).astype(np.float32)
    )


@register(
    transformer_base={"width": 512, "heads": 8, "inner": 2048},
    transformer_big={"width": 1024, "heads": 16, "inner": 4096, "dropout": 0.3},
)
class Translator(nn.Cell):
    """Encoder and decoder; source, target and head share their embedding.

    Args:
        width (int), heads (int), inner (int): of the layers.
        layers (int): of the encoder, and of the decoder. Default 6.
        vocabulary (int): tokens of both languages. Default 37000.
        longest (int): places. Default 512.
        dropout (float): Default 0.1.

    Inputs:
        - **ids** (Tensor[(N, S), int]) - what is read.
        - **written** (Tensor[(N, L), int]) - what is written, shifted right by one.
        - **padding** (Tensor[(N, S), bool]) - true for padding of ``ids``. Default None.

    Outputs:
        Tensor[(N, L, vocabulary)].

    Examples:
        >>> import minds as ms
        >>> from minds import models
        >>> net = models.transformer_base(layers=1, width=8, heads=2, inner=16, vocabulary=10)
        >>> net(ms.Tensor([[1, 2, 3]]), ms.Tensor([[0, 4]])).shape
        (1, 2, 10)
    """

    def __init__(
        self,
        width: int,
        heads: int,
        inner: int,
        layers: int = 6,
        vocabulary: int = 37000,
        longest: int = 512,
        dropout: float = 0.1,
    ):
        super().__init__()
        self.scale = math.sqrt(width)
        self.embedding = nn.Embedding(vocabulary, width, embedding_table=Normal(width**-0.5))
        self.places = waves(longest, width)
        self.dropout = nn.Dropout(p=dropout)
        self.transformer = nn.Transformer(
            width, heads, layers, layers, inner, dropout, batch_first=True
        )

    def _embedded(self, ids):
        return self.dropout(self.embedding(ids) * self.scale + self.places[: ids.shape[1]])

    def construct(self, ids, written, padding=None):
        length = written.shape[1]
        x = self.transformer(
            self._embedded(ids),
            self._embedded(written),
            tgt_mask=causal_mask(length, length),
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
        )
        return ops.matmul(x, ops.transpose(self.embedding.embedding_table, (1, 0)))
