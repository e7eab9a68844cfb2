"""BERT (Devlin et al., Pre-training of Deep Bidirectional Transformers, 2018), named as in transformers."""

from __future__ import annotations

from ... import nn, ops
from ...common.initializer import Normal
from ...tensor import Parameter
from ..parts.attention import attend, join_heads, padding_mask, split_heads
from ..registry import register


def dense(inputs: int, outputs: int) -> nn.Dense:
    return nn.Dense(inputs, outputs, weight_init=Normal(0.02), bias_init="zeros")


def norm(size: int) -> nn.LayerNorm:
    return nn.LayerNorm((size,), epsilon=1e-12)


class Embeddings(nn.Cell):
    """The sum of what a token, its place and its segment are."""

    def __init__(self, vocabulary: int, width: int, longest: int, segments: int, dropout: float):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocabulary, width, embedding_table=Normal(0.02))
        self.position_embeddings = nn.Embedding(longest, width, embedding_table=Normal(0.02))
        self.token_type_embeddings = nn.Embedding(segments, width, embedding_table=Normal(0.02))
        self.LayerNorm = norm(width)
        self.dropout = nn.Dropout(p=dropout)

    def construct(self, ids, segments):
        x = self.word_embeddings(ids) + self.token_type_embeddings(segments)
        x = x + self.position_embeddings(ops.arange(ids.shape[1]))
        return self.dropout(self.LayerNorm(x))


class BertSelfAttention(nn.Cell):
    """Attention of a sequence to itself."""

    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (dense(width, width) for _ in range(3))
        self.dropout = nn.Dropout(p=dropout)

    def construct(self, x, mask):
        q, k, v = (split_heads(f(x), self.heads) for f in (self.query, self.key, self.value))
        return join_heads(attend(q, k, v, mask, drop=self.dropout))


class Output(nn.Cell):
    """A dense layer, and the norm of its sum with what came before."""

    def __init__(self, inputs: int, width: int, dropout: float):
        super().__init__()
        self.dense, self.LayerNorm = dense(inputs, width), norm(width)
        self.dropout = nn.Dropout(p=dropout)

    def construct(self, x, before):
        return self.LayerNorm(self.dropout(self.dense(x)) + before)


class BertAttention(nn.Cell):
    """Self-attention and its output."""

    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.self = BertSelfAttention(width, heads, dropout)
        self.output = Output(width, width, dropout)

    def construct(self, x, mask):
        return self.output(self.self(x, mask), x)


class Intermediate(nn.Cell):
    """The wide layer of the feed-forward network."""

    def __init__(self, width: int, inner: int):
        super().__init__()
        self.dense = dense(width, inner)

    def construct(self, x):
        return ops.gelu(self.dense(x))


class BertLayer(nn.Cell):
    """Attention and a feed-forward network, each with a residual connection and a norm behind it."""

    def __init__(self, width: int, heads: int, inner: int, dropout: float):
        super().__init__()
        self.attention = BertAttention(width, heads, dropout)
        self.intermediate = Intermediate(width, inner)
        self.output = Output(inner, width, dropout)

    def construct(self, x, mask):
        x = self.attention(x, mask)
        return self.output(self.intermediate(x), x)


class Encoder(nn.Cell):
    """Layers in turn."""

    def __init__(self, layers: int, width: int, heads: int, inner: int, dropout: float):
        super().__init__()
        self.layer = nn.CellList([BertLayer(width, heads, inner, dropout) for _ in range(layers)])

    def construct(self, x, mask):
        for layer in self.layer:
            x = layer(x, mask)
        return x


class Pooler(nn.Cell):
    """What the first token says of the whole sequence."""

    def __init__(self, width: int):
        super().__init__()
        self.dense = dense(width, width)

    def construct(self, x):
        return ops.tanh(self.dense(x[:, 0]))


@register(
    bert_base={"layers": 12, "width": 768, "heads": 12},
    bert_large={"layers": 24, "width": 1024, "heads": 16},
)
class Bert(nn.Cell):
    """The encoder with its pooler.

    Args:
        layers (int), width (int), heads (int): of the encoder; its inner layers are 4 · width.
        vocabulary (int): tokens. Default 30522.
        longest (int): places. Default 512.
        segments (int): Default 2.
        dropout (float): Default 0.1.
        pooled (bool): whether the sequence has a vector of its own. Default True.

    Inputs:
        - **ids** (Tensor[(N, L), int])
        - **segments** (Tensor[(N, L), int]) - Default None, zeros.
        - **counts** (Tensor[(N, L)]) - 1 for tokens, 0 for padding. Default None, ones.

    Outputs:
        Tuple of Tensor[(N, L, width)] and, of the sequence, Tensor[(N, width)]; or the first alone.

    Examples:
        >>> import minds as ms
        >>> from minds import models
        >>> net = models.bert_base(layers=1, width=8, heads=2, vocabulary=10)
        >>> [x.shape for x in net(ms.Tensor([[1, 2, 3]]))]
        [(1, 3, 8), (1, 8)]
    """

    def __init__(
        self,
        layers: int,
        width: int,
        heads: int,
        vocabulary: int = 30522,
        longest: int = 512,
        segments: int = 2,
        dropout: float = 0.1,
        pooled: bool = True,
    ):
        super().__init__()
        self.embeddings = Embeddings(vocabulary, width, longest, segments, dropout)
        self.encoder = Encoder(layers, width, heads, 4 * width, dropout)
        self.pooler = Pooler(width) if pooled else None

    def construct(self, ids, segments=None, counts=None):
        segments = ops.zeros_like(ids) if segments is None else segments
        mask = None if counts is None else padding_mask(counts)
        x = self.encoder(self.embeddings(ids, segments), mask)
        return x if self.pooler is None else (x, self.pooler(x))


@register(bert_base_classifier={"layers": 12, "width": 768, "heads": 12})
class BertClassifier(nn.Cell):
    """BERT with a dense layer that tells the class of a sequence, for fine-tuning.

    Args:
        layers (int), width (int), heads (int): of the encoder.
        num_classes (int): Default 2.
        dropout (float): Default 0.1.
        others (Any): further arguments of `Bert`.

    Inputs:
        - **ids**, **segments**, **counts** - as of `Bert`.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> import minds as ms
        >>> from minds import models
        >>> net = models.bert_base_classifier(layers=1, width=8, heads=2, vocabulary=10)
        >>> net(ms.Tensor([[1, 2, 3]])).shape
        (1, 2)
    """

    def __init__(self, layers, width, heads, num_classes: int = 2, dropout: float = 0.1, **others):
        super().__init__()
        self.bert = Bert(layers, width, heads, dropout=dropout, **others)
        self.dropout = nn.Dropout(p=dropout)
        self.classifier = dense(width, num_classes)

    def construct(self, ids, segments=None, counts=None):
        return self.classifier(self.dropout(self.bert(ids, segments, counts)[1]))


class Transform(nn.Cell):
    """What the encoder says of a token, made ready to be compared with the embeddings."""

    def __init__(self, width: int):
        super().__init__()
        self.dense, self.LayerNorm = dense(width, width), norm(width)

    def construct(self, x):
        return self.LayerNorm(ops.gelu(self.dense(x)))


class Predictions(nn.Cell):
    """Which token stands at each place; the weights are those of the embedding."""

    def __init__(self, vocabulary: int, width: int):
        super().__init__()
        self.bias = Parameter(ops.zeros((vocabulary,)), name="bias")
        self.transform = Transform(width)

    def construct(self, x, table):
        return ops.matmul(self.transform(x), ops.transpose(table, (1, 0))) + self.bias


class Heads(nn.Cell):
    """The heads for pre-training."""

    def __init__(self, vocabulary: int, width: int):
        super().__init__()
        self.predictions = Predictions(vocabulary, width)

    def construct(self, x, table):
        return self.predictions(x, table)


@register(bert_base_masked={"layers": 12, "width": 768, "heads": 12})
class BertMasked(nn.Cell):
    """BERT as a masked language model, for pre-training.

    Args:
        layers (int), width (int), heads (int): of the encoder.
        vocabulary (int): Default 30522.
        others (Any): further arguments of `Bert`.

    Inputs:
        - **ids**, **segments**, **counts** - as of `Bert`.

    Outputs:
        Tensor[(N, L, vocabulary)].

    Examples:
        >>> import minds as ms
        >>> from minds import models
        >>> net = models.bert_base_masked(layers=1, width=8, heads=2, vocabulary=10)
        >>> net(ms.Tensor([[1, 2, 3]])).shape
        (1, 3, 10)
    """

    def __init__(self, layers, width, heads, vocabulary: int = 30522, **others):
        super().__init__()
        self.bert = Bert(layers, width, heads, vocabulary, pooled=False, **others)
        self.cls = Heads(vocabulary, width)

    def construct(self, ids, segments=None, counts=None):
        x = self.bert(ids, segments, counts)
        return self.cls(x, self.bert.embeddings.word_embeddings.embedding_table)
