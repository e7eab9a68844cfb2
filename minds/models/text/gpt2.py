"""GPT-2 (Radford et al., Language Models are Unsupervised Multitask Learners, 2019), named as in
transformers.
"""

from __future__ import annotations

from ... import nn, ops
from ...common.initializer import Normal, initializer
from ...tensor import Parameter
from ..parts.attention import attend, causal_mask, empty_cache, join_heads, split_heads, written
from ..registry import register


class Conv1D(nn.Cell):
    """A dense layer whose weight is (inputs, outputs), as the published weights are."""

    def __init__(self, outputs: int, inputs: int):
        super().__init__()
        self.weight = Parameter(initializer(Normal(0.02), [inputs, outputs]), name="weight")
        self.bias = Parameter(initializer("zeros", [outputs]), name="bias")

    def construct(self, x):
        return ops.matmul(x, self.weight) + self.bias


class GPT2Attention(nn.Cell):
    """Attention of each token to those before it, and to itself."""

    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.heads = heads
        self.c_attn, self.c_proj = Conv1D(3 * width, width), Conv1D(width, width)
        self.attn_dropout, self.resid_dropout = nn.Dropout(p=dropout), nn.Dropout(p=dropout)

    def construct(self, x, mask, start, cache):
        q, k, v = (split_heads(part, self.heads) for part in ops.chunk(self.c_attn(x), 3, -1))
        if cache is not None:
            k, v = written(cache[0], k, start), written(cache[1], v, start)
        mixed = join_heads(attend(q, k, v, mask, drop=self.attn_dropout))
        return self.resid_dropout(self.c_proj(mixed)), (k, v)


class GPT2FeedForward(nn.Cell):
    """A wide layer with the approximate GELU."""

    def __init__(self, width: int, dropout: float):
        super().__init__()
        self.c_fc, self.c_proj = Conv1D(4 * width, width), Conv1D(width, 4 * width)
        self.dropout = nn.Dropout(p=dropout)

    def construct(self, x):
        return self.dropout(self.c_proj(ops.gelu(self.c_fc(x), "tanh")))


class GPT2Block(nn.Cell):
    """Attention and a feed-forward network, each with a norm before it and a residual connection."""

    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.ln_1 = nn.LayerNorm((width,), epsilon=1e-5)
        self.attn = GPT2Attention(width, heads, dropout)
        self.ln_2 = nn.LayerNorm((width,), epsilon=1e-5)
        self.mlp = GPT2FeedForward(width, dropout)

    def construct(self, x, mask, start, cache):
        mixed, cache = self.attn(self.ln_1(x), mask, start, cache)
        x = x + mixed
        return x + self.mlp(self.ln_2(x)), cache


@register(
    gpt2={"layers": 12, "width": 768, "heads": 12},
    gpt2_medium={"layers": 24, "width": 1024, "heads": 16},
)
class GPT2(nn.Cell):
    """A decoder that tells the next token at each place; the head's weights are those of the embedding.

    Args:
        layers (int), width (int), heads (int): of the decoder; its inner layers are 4 · width.
        vocabulary (int): tokens. Default 50257.
        longest (int): places. Default 1024.
        dropout (float): Default 0.1.

    Inputs:
        - **ids** (Tensor[(N, L), int])
        - **start** (int, Tensor) - the place of the first token. Default 0.
        - **cache** (tuple) - keys and values of the tokens before, made by ``empty_cache``. Default None.

    Outputs:
        Tensor[(N, L, vocabulary)]; with a cache, a tuple of it and the new cache.

    Examples:
        >>> import minds as ms
        >>> from minds import models
        >>> net = models.gpt2(layers=1, width=8, heads=2, vocabulary=10)
        >>> net(ms.Tensor([[1, 2, 3]])).shape
        (1, 3, 10)
    """

    def __init__(
        self,
        layers: int,
        width: int,
        heads: int,
        vocabulary: int = 50257,
        longest: int = 1024,
        dropout: float = 0.1,
    ):
        super().__init__()
        self.heads, self.width, self.longest = heads, width, longest
        self.wte = nn.Embedding(vocabulary, width, embedding_table=Normal(0.02))
        self.wpe = nn.Embedding(longest, width, embedding_table=Normal(0.01))
        self.drop = nn.Dropout(p=dropout)
        self.h = nn.CellList([GPT2Block(width, heads, dropout) for _ in range(layers)])
        self.ln_f = nn.LayerNorm((width,), epsilon=1e-5)

    def empty_cache(self, count: int, longest: int | None = None) -> tuple:
        """A cache for ``count`` sequences of up to ``longest`` tokens."""
        size = self.width // self.heads
        return empty_cache(len(self.h), count, self.heads, longest or self.longest, size)

    def construct(self, ids, start=0, cache=None):
        length = ids.shape[1]
        x = self.drop(self.wte(ids) + self.wpe(ops.arange(length) + start))
        mask = causal_mask(length, length if cache is None else cache[0][0].shape[2], start)
        kept = []
        for i, block in enumerate(self.h):
            x, pair = block(x, mask, start, None if cache is None else cache[i])
            kept.append(pair)
        table = self.wte.embedding_table
        logits = ops.matmul(self.ln_f(x), ops.transpose(table, (1, 0)))
        return logits if cache is None else (logits, tuple(kept))
