"""Networks for text. Counts are transformers' where it has the network."""

from __future__ import annotations

import numpy as np
from table import Row, Small

from minds import Tensor, ops

TINY = {"layers": 2, "width": 16, "heads": 2, "vocabulary": 30}
LLAMA = {**TINY, "inner": 24}
STILL = {**TINY, "dropout": 0.0}


def ids(rng, *shape: int, vocabulary: int = 30) -> Tensor:
    return Tensor(rng.randint(1, vocabulary, shape).astype(np.int32))


def read(*shape: int, vocabulary: int = 30):
    return lambda rng: (ids(rng, *shape, vocabulary=vocabulary),)


def two(first: tuple, second: tuple):
    return lambda rng: (ids(rng, *first), ids(rng, *second))


def sentences(rng):
    """Sentences and their classes."""
    return (ids(rng, 8, 12),), (ids(rng, 8, vocabulary=2),)


def following(rng):
    """Sentences, and the same one token further."""
    all_ids = rng.randint(1, 30, (4, 13)).astype(np.int32)
    return (Tensor(all_ids[:, :-1]),), (Tensor(all_ids[:, 1:]),)


def translations(rng):
    """What is read, what was written so far, and what comes next."""
    inputs, targets = following(rng)
    return (ids(rng, 4, 9), *inputs), targets


def tokens_loss(logits, targets):
    """Cross entropy of each token."""
    return ops.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1))


def pooled_loss(out, targets):
    """Cross entropy of the first numbers of a sequence's vector."""
    return ops.cross_entropy(out[1][:, :2], targets)


ONE = read(1, 8)
ROWS = [
    Row("textcnn", 6_360_902, "Kim 2014: 20000·300 + 100·300·(3+4+5) + 3·100 + 300·2 + 2", ONE, (1, 2),
        Small({"vocabulary": 30, "width": 16, "dropout": 0.0}, sentences)),
    Row("lstm_classifier", 6_563_602, "torch: Embedding, LSTM in two directions, Linear", ONE, (1, 2),
        Small({"vocabulary": 30, "width": 8, "hidden": 8, "dropout": 0.0}, sentences)),
    Row("transformer_base", 63_084_544, "torch.nn.Transformer and an embedding of 37000",
        two((1, 8), (1, 5)), (1, 5, 37000),
        Small({"width": 16, "heads": 2, "inner": 24, "layers": 2, "vocabulary": 30, "dropout": 0.0},
              translations, tokens_loss)),
    Row("transformer_big", 214_249_472, "torch.nn.Transformer and an embedding of 37000",
        two((1, 8), (1, 5)), (1, 5, 37000)),
    Row("bert_base", 109_482_240, "transformers", ONE, ((1, 8, 768), (1, 768)),
        Small(STILL, sentences, pooled_loss)),
    Row("bert_large", 335_141_888, "transformers", ONE, ((1, 8, 1024), (1, 1024))),
    Row("bert_base_classifier", 109_483_778, "transformers", ONE, (1, 2), Small(STILL, sentences)),
    Row("bert_base_masked", 109_514_298, "transformers", ONE, (1, 8, 30522),
        Small(STILL, following, tokens_loss)),
    Row("gpt2", 124_439_808, "transformers", ONE, (1, 8, 50257),
        Small(STILL, following, tokens_loss)),
    Row("gpt2_medium", 354_823_168, "transformers", ONE, (1, 8, 50257)),
    Row("llama_15m", 15_191_712, "transformers", ONE, (1, 8, 32000),
        Small(LLAMA, following, tokens_loss)),
    Row("llama_160m", 162_417_408, "transformers", ONE, (1, 8, 32000)),
    Row("smollm_135m", 134_515_008, "transformers", ONE, (1, 8, 49152)),
    Row("mixtral_8x13m", 138_715_648, "transformers", ONE, (1, 8, 32000),
        Small({**LLAMA, "kv_heads": 1, "experts": 4}, following, tokens_loss)),
    Row("t5_small", 60_506_624, "transformers", two((1, 8), (1, 5)), (1, 5, 32128),
        Small({**STILL, "inner": 24, "size": 8}, translations, tokens_loss)),
    Row("t5_base", 222_903_552, "transformers", two((1, 8), (1, 5)), (1, 5, 32128)),
]  # fmt: skip
