"""LLaMA (Touvron et al., Open and Efficient Foundation Language Models, 2023) and, with several experts,
Mixtral (Jiang et al., Mixtral of Experts, 2024), named as in transformers.
"""

from __future__ import annotations

from ... import nn, ops
from ...common.initializer import Normal
from ..parts.attention import (
    attend,
    causal_mask,
    empty_cache,
    join_heads,
    repeat_heads,
    rotary_table,
    rotate,
    split_heads,
    written,
)
from ..parts.experts import Experts
from ..parts.norm import RMSNorm
from ..registry import register


def dense(inputs: int, outputs: int) -> nn.Dense:
    return nn.Dense(inputs, outputs, weight_init=Normal(0.02), has_bias=False)


class LlamaAttention(nn.Cell):
    """Causal attention with rotary positions; ``heads // kv_heads`` queries share a key and a value."""

    def __init__(self, width: int, heads: int, kv_heads: int):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads
        size = width // heads
        self.q_proj = dense(width, width)
        self.k_proj, self.v_proj = dense(width, kv_heads * size), dense(width, kv_heads * size)
        self.o_proj = dense(width, width)

    def construct(self, x, angles, mask, start, cache):
        q = rotate(split_heads(self.q_proj(x), self.heads), angles)
        k = rotate(split_heads(self.k_proj(x), self.kv_heads), angles)
        v = split_heads(self.v_proj(x), self.kv_heads)
        if cache is not None:
            k, v = written(cache[0], k, start), written(cache[1], v, start)
        times = self.heads // self.kv_heads
        mixed = attend(q, repeat_heads(k, times), repeat_heads(v, times), mask)
        return self.o_proj(join_heads(mixed)), (k, v)


class LlamaFeedForward(nn.Cell):
    """SwiGLU: a layer that another one, through SiLU, opens and closes."""

    def __init__(self, width: int, inner: int):
        super().__init__()
        self.gate_proj, self.up_proj = dense(width, inner), dense(width, inner)
        self.down_proj = dense(inner, width)

    def construct(self, x):
        return self.down_proj(ops.silu(self.gate_proj(x)) * self.up_proj(x))


class LlamaLayer(nn.Cell):
    """Attention and a feed-forward network, each with a norm before it and a residual connection."""

    def __init__(self, width, heads, kv_heads, epsilon, feed_forward):
        super().__init__()
        self.self_attn = LlamaAttention(width, heads, kv_heads)
        self.mlp = feed_forward
        self.input_layernorm = RMSNorm(width, epsilon)
        self.post_attention_layernorm = RMSNorm(width, epsilon)

    def construct(self, x, angles, mask, start, cache):
        mixed, cache = self.self_attn(self.input_layernorm(x), angles, mask, start, cache)
        x = x + mixed
        return x + self.mlp(self.post_attention_layernorm(x)), cache


@register(
    llama_15m={"layers": 6, "width": 288, "heads": 6, "inner": 768, "tied": True},
    llama_160m={"layers": 12, "width": 768, "heads": 12, "inner": 3072},
    smollm_135m={
        "layers": 30,
        "width": 576,
        "heads": 9,
        "kv_heads": 3,
        "inner": 1536,
        "vocabulary": 49152,
        "tied": True,
    },
    mixtral_8x13m={
        "layers": 8,
        "width": 512,
        "heads": 8,
        "kv_heads": 2,
        "inner": 1024,
        "experts": 8,
    },
)
class Llama(nn.Cell):
    """A decoder with rotary positions and SwiGLU that tells the next token at each place.

    Args:
        layers (int), width (int), heads (int), inner (int): of the decoder.
        kv_heads (int): heads of keys and values. Default None, ``heads``.
        vocabulary (int): tokens. Default 32000.
        longest (int): places. Default 2048.
        base (float): of the rotary positions. Default 10000.
        epsilon (float): of the norms. Default 1e-5.
        tied (bool): whether the head's weights are those of the embedding. Default False.
        experts (int): feed-forward networks per layer, of which a router chooses for each token. Default
            0, one and no router.
        chosen (int): experts per token. Default 2.

    Inputs:
        - **ids** (Tensor[(N, L), int])
        - **start** (int, Tensor) - the place of the first token. Default 0.
        - **cache** (tuple) - keys and values of the tokens before, made by ``empty_cache``. Default None.

    Outputs:
        Tensor[(N, L, vocabulary)]; with a cache, a tuple of it and the new cache.

    Examples:
        >>> import minds as ms
        >>> from minds import models
        >>> net = models.llama_15m(layers=1, width=8, heads=2, inner=16, vocabulary=10)
        >>> logits, cache = net(ms.Tensor([[1, 2, 3]]), 0, net.empty_cache(1, 5))
        >>> net(ms.Tensor([[4]]), 3, cache)[0].shape
        (1, 1, 10)
    """

    def __init__(
        self,
        layers: int,
        width: int,
        heads: int,
        inner: int,
        kv_heads: int | None = None,
        vocabulary: int = 32000,
        longest: int = 2048,
        base: float = 10000.0,
        epsilon: float = 1e-5,
        tied: bool = False,
        experts: int = 0,
        chosen: int = 2,
    ):
        super().__init__()
        kv_heads = kv_heads or heads
        self.kv_heads, self.size, self.longest = kv_heads, width // heads, longest
        self.embed_tokens = nn.Embedding(vocabulary, width, embedding_table=Normal(0.02))
        self.layers = nn.CellList(
            [
                LlamaLayer(
                    width,
                    heads,
                    kv_heads,
                    epsilon,
                    Experts(width, inner, experts, chosen)
                    if experts
                    else LlamaFeedForward(width, inner),
                )
                for _ in range(layers)
            ]
        )
        self.norm = RMSNorm(width, epsilon)
        self.lm_head = None if tied else dense(width, vocabulary)
        self.angles = rotary_table(self.size, longest, base)

    def empty_cache(self, count: int, longest: int | None = None) -> tuple:
        """A cache for ``count`` sequences of up to ``longest`` tokens."""
        longest = longest or self.longest
        return empty_cache(len(self.layers), count, self.kv_heads, longest, self.size)

    def construct(self, ids, start=0, cache=None):
        length = ids.shape[1]
        x = self.embed_tokens(ids)
        angles = ops.gather(self.angles, ops.arange(length) + start, 0)
        mask = causal_mask(length, length if cache is None else cache[0][0].shape[2], start)
        kept = []
        for i, layer in enumerate(self.layers):
            x, pair = layer(x, angles, mask, start, None if cache is None else cache[i])
            kept.append(pair)
        x = self.norm(x)
        if self.lm_head is None:
            logits = ops.matmul(x, ops.transpose(self.embed_tokens.embedding_table, (1, 0)))
        else:
            logits = self.lm_head(x)
        return logits if cache is None else (logits, tuple(kept))
