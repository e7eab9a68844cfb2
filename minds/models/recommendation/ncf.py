"""Neural collaborative filtering (He et al., 2017)."""

from __future__ import annotations

from ... import nn, ops
from ...common.initializer import Normal
from ..parts.dense import dense_layers
from ..registry import register


@register(ncf={})
class NCF(nn.Cell):
    """NeuMF: products of a user's and an item's vector, beside dense layers over two other vectors.

    Args:
        users (int): Default 6040.
        items (int): Default 3706.
        factors (int): size of the vectors that are multiplied. Default 8.
        layers (tuple[int]): of the dense part, whose vectors have half the first one's size. Default (64,
            32, 16, 8).

    Inputs:
        - **users** (Tensor[(N,), int])
        - **items** (Tensor[(N,), int])

    Outputs:
        Tensor[(N,)], logits of their meeting.

    Examples:
        >>> import minds as ms
        >>> from minds import models
        >>> models.ncf(users=5, items=7)(ms.Tensor([1, 2]), ms.Tensor([6, 0])).shape
        (2,)
    """

    def __init__(
        self,
        users: int = 6040,
        items: int = 3706,
        factors: int = 8,
        layers: tuple = (64, 32, 16, 8),
    ):
        super().__init__()
        half = layers[0] // 2
        self.user_factors = nn.Embedding(users, factors, embedding_table=Normal(0.01))
        self.item_factors = nn.Embedding(items, factors, embedding_table=Normal(0.01))
        self.user_vectors = nn.Embedding(users, half, embedding_table=Normal(0.01))
        self.item_vectors = nn.Embedding(items, half, embedding_table=Normal(0.01))
        self.layers = dense_layers(layers[0], layers[1:])
        self.head = nn.Dense(factors + layers[-1], 1)

    def construct(self, users, items):
        products = self.user_factors(users) * self.item_factors(items)
        both = ops.concat((self.user_vectors(users), self.item_vectors(items)), 1)
        return ops.squeeze(self.head(ops.concat((products, self.layers(both)), 1)), 1)
