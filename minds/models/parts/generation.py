"""Text from a decoder, token by token."""

from __future__ import annotations

import numpy as np

from ...base import dtype as dt
from ...tensor import Tensor


def sample(
    logits: np.ndarray,
    rng: np.random.Generator,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
) -> np.ndarray:
    """One token (N,) of logits (N, V).

    Args:
        logits (numpy.ndarray): of the tokens.
        rng (numpy.random.Generator): what is drawn from.
        temperature (float): divides the logits; 0 takes the likeliest token. Default 1.
        top_k (int): only so many of the likeliest tokens. Default None, all.
        top_p (float): only the likeliest tokens that have this probability together. Default 1.

    Returns:
        numpy.ndarray: ids of int32.

    Source: Holtzman et al., The Curious Case of Neural Text Degeneration, 2020, for ``top_p``.

    Examples:
        >>> import numpy as np
        >>> from minds.models.parts.generation import sample
        >>> sample(np.array([[0.0, 3.0, 1.0]]), np.random.default_rng(0), temperature=0).tolist()
        [1]
    """
    if temperature == 0:
        return logits.argmax(-1).astype(np.int32)
    logits = logits.astype(np.float64) / temperature
    order = np.argsort(-logits, -1, kind="stable")
    ranked = np.take_along_axis(logits, order, -1)
    chances = np.exp(ranked - ranked[:, :1])
    if top_k is not None:
        chances[:, top_k:] = 0
    chances /= chances.sum(-1, keepdims=True)
    chances[chances.cumsum(-1) - chances >= top_p] = 0
    sums = chances.cumsum(-1)
    picked = (rng.random((len(sums), 1)) * sums[:, -1:] >= sums).sum(-1)
    return np.take_along_axis(order, picked[:, None], -1)[:, 0].astype(np.int32)


def generate(net, ids, count: int, seed: int = 0, **how) -> np.ndarray:
    """Tokens that follow ``ids``: the prompt runs once, and each new token alone, with the keys and values
    of those before it kept.

    Args:
        net (Cell): a decoder with ``empty_cache``, such as `GPT2` or `Llama`.
        ids (Tensor): the prompts, ``(N, L)``.
        count (int): how many tokens to add.
        seed (int): of the draws. Default 0.
        how (Any): ``temperature``, ``top_k`` and ``top_p`` of `sample`.

    Returns:
        numpy.ndarray: ``(N, L + count)`` of int32.

    Examples:
        >>> import minds as ms
        >>> from minds import models
        >>> from minds.models.parts.generation import generate
        >>> net = models.llama_15m(layers=1, width=8, heads=2, inner=16, vocabulary=10)
        >>> generate(net, ms.Tensor([[1, 2, 3]]), 4).shape
        (1, 7)
    """
    net.set_train(False)
    rng = np.random.default_rng(seed)
    tokens = ids.asnumpy().astype(np.int32)
    cache = net.empty_cache(len(tokens), tokens.shape[1] + count)
    logits, cache = net(Tensor(tokens), Tensor(0, dt.int32), cache)
    last = tokens.shape[1] + count - 1
    for place in range(tokens.shape[1], last + 1):
        new = sample(logits.asnumpy()[:, -1], rng, **how)[:, None]
        tokens = np.concatenate((tokens, new), 1)
        if place < last:
            logits, cache = net(Tensor(new), Tensor(place, dt.int32), cache)
    return tokens
