"""Wide & Deep (Cheng et al., Wide & Deep Learning for Recommender Systems, 2016) and DeepFM (Guo et al., A
Factorization-Machine based Neural Network for CTR Prediction, 2017).
"""

from __future__ import annotations

from ... import nn, ops
from ...common.initializer import Normal, initializer
from ...tensor import Parameter
from ..parts.dense import dense_layers
from ..registry import register


class Features(nn.Cell):
    """What the networks of this module share: a weight and a vector for each feature, and dense layers."""

    def __init__(self, vocabulary, fields, width, layers, dropout):
        super().__init__()
        self.weights = nn.Embedding(vocabulary, 1, embedding_table=Normal(0.01))
        self.vectors = nn.Embedding(vocabulary, width, embedding_table=Normal(0.01))
        self.deep = dense_layers(fields * width, layers, dropout)
        self.head = nn.Dense(layers[-1], 1)
        self.bias = Parameter(initializer("zeros", [1]), name="bias")

    def look_up(self, ids, values):
        """The sum of the weights (N,), and the vectors (N, fields, width)."""
        if values is None:
            return ops.sum(self.weights(ids), (1, 2)), self.vectors(ids)
        values = ops.expand_dims(values, -1)
        return ops.sum(self.weights(ids) * values, (1, 2)), self.vectors(ids) * values


@register(wide_deep={})
class WideDeep(Features):
    """A linear model that remembers, beside a deep one that generalises.

    Args:
        vocabulary (int): features of all fields together. Default 200000.
        fields (int): features of an example. Default 39.
        width (int): of a feature's vector. Default 80.
        layers (tuple[int]): of the deep part. Default (1024, 512, 256, 128).
        dropout (float): Default 0.

    Inputs:
        - **ids** (Tensor[(N, fields), int]) - one feature of each field.
        - **values** (Tensor[(N, fields), float]) - their weights. Default None, ones.

    Outputs:
        Tensor[(N,)], logits of a click.

    Examples:
        >>> import minds as ms
        >>> from minds import models
        >>> net = models.wide_deep(vocabulary=20, fields=3, width=4, layers=(8,))
        >>> net(ms.Tensor([[1, 7, 12], [0, 9, 19]])).shape
        (2,)
    """

    def __init__(
        self,
        vocabulary: int = 200000,
        fields: int = 39,
        width: int = 80,
        layers: tuple = (1024, 512, 256, 128),
        dropout: float = 0.0,
    ):
        super().__init__(vocabulary, fields, width, layers, dropout)

    def construct(self, ids, values=None):
        wide, vectors = self.look_up(ids, values)
        deep = self.head(self.deep(ops.reshape(vectors, (vectors.shape[0], -1))))
        return wide + self.bias + ops.squeeze(deep, 1)


@register(deepfm={})
class DeepFM(Features):
    """Wide & Deep whose vectors also say how each two features go together.

    Args:
        vocabulary (int): features of all fields together. Default 200000.
        fields (int): features of an example. Default 39.
        width (int): of a feature's vector. Default 10.
        layers (tuple[int]): of the deep part. Default (400, 400, 400).
        dropout (float): Default 0.5.

    Inputs:
        - **ids** (Tensor[(N, fields), int]) - one feature of each field.
        - **values** (Tensor[(N, fields), float]) - their weights. Default None, ones.

    Outputs:
        Tensor[(N,)], logits of a click.

    Examples:
        >>> import minds as ms
        >>> from minds import models
        >>> net = models.deepfm(vocabulary=20, fields=3, width=4, layers=(8,))
        >>> net(ms.Tensor([[1, 7, 12], [0, 9, 19]])).shape
        (2,)
    """

    def __init__(
        self,
        vocabulary: int = 200000,
        fields: int = 39,
        width: int = 10,
        layers: tuple = (400, 400, 400),
        dropout: float = 0.5,
    ):
        super().__init__(vocabulary, fields, width, layers, dropout)

    def construct(self, ids, values=None):
        linear, vectors = self.look_up(ids, values)
        total = ops.sum(vectors, 1)
        # Σ of the products of each two is half of (Σ v)² - Σ v².
        pairs = 0.5 * ops.sum(total * total - ops.sum(vectors * vectors, 1), 1)
        deep = self.head(self.deep(ops.reshape(vectors, (vectors.shape[0], -1))))
        return linear + pairs + self.bias + ops.squeeze(deep, 1)
