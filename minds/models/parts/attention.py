"""What attention is made of: heads, masks, weights, positions that turn, and caches of keys and values."""

from __future__ import annotations

import math

import numpy as np

from ... import ops
from ...base import dtype as dt
from ...tensor import Tensor

LOWEST = -1e9
"""What is added to the score of a key that must not be seen: far below all scores, and finite, so that
a query that sees nothing has weights and no NaN.
"""


def split_heads(x, heads: int):
    """(N, L, heads · D) as (N, heads, L, D)."""
    n, length, width = x.shape
    return ops.transpose(ops.reshape(x, (n, length, heads, width // heads)), (0, 2, 1, 3))


def join_heads(x):
    """(N, heads, L, D) as (N, L, heads · D)."""
    n, heads, length, size = x.shape
    return ops.reshape(ops.transpose(x, (0, 2, 1, 3)), (n, length, heads * size))


def repeat_heads(x, times: int):
    """Each head ``times`` times, for queries that share keys and values."""
    return x if times == 1 else ops.repeat_interleave(x, times, 1)


def attend(q, k, v, added=None, scale: float | None = None, drop=None):
    """softmax(q kᵀ · scale + added) v of (N, heads, L, D), (N, heads, S, D) and (N, heads, S, V).

    ``added`` is a mask of zeros and `LOWEST`, or a bias; ``scale`` is 1/√D by default; ``drop`` is
    called with the weights.
    """
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = ops.matmul(q, ops.transpose(k, (0, 1, 3, 2))) * scale
    weights = ops.softmax(scores if added is None else scores + added, -1)
    return ops.matmul(weights if drop is None else drop(weights), v)


def padding_mask(counts):
    """A mask (N, 1, 1, S) to add, of ``counts`` (N, S): 1 where there is a token, 0 where padding."""
    return (1.0 - ops.cast(counts, dt.float32)[:, None, None, :]) * LOWEST


def causal_mask(length: int, keys: int, start=0):
    """A mask (length, keys) to add: the query at place ``start`` + i sees the keys up to its own."""
    queries = ops.arange(length).reshape(length, 1) + start
    return ops.cast(ops.arange(keys).reshape(1, keys) > queries, dt.float32) * LOWEST


def rotary_table(size: int, longest: int, base: float = 10000.0) -> Tensor:
    """Angles (longest, size / 2): place p turns the i-th pair by p · base^(-2i / size)."""
    speeds = base ** (-np.arange(0, size, 2, dtype=np.float32) / size)
    return Tensor(np.outer(np.arange(longest, dtype=np.float32), speeds).astype(np.float32))


def rotate(x, angles):
    """Rotary positions: turn the pairs (x[i], x[i + D/2]) of (N, heads, L, D) by ``angles`` (L, D/2).

    Source: Su et al., RoFormer, 2021.
    """
    half = x.shape[-1] // 2
    cos, sin = ops.cos(angles), ops.sin(angles)
    a, b = x[..., :half], x[..., half:]
    return ops.concat((a * cos - b * sin, b * cos + a * sin), -1)


def written(cache, new, start):
    """``cache`` (N, heads, longest, D) with ``new`` (N, heads, L, D) at the places from ``start`` on.

    ``start`` may be known only at run time, so that one program takes all steps.
    """
    places = ops.arange(cache.shape[2]) - start
    length = new.shape[2]
    taken = ops.gather(new, ops.clip(places, 0, length - 1), 2)
    inside = ops.logical_and(places >= 0, places < length)
    return ops.where(ops.reshape(inside, (1, 1, -1, 1)), taken, cache)


def empty_cache(layers: int, count: int, heads: int, longest: int, size: int) -> tuple:
    """Zeros for keys and values of each layer."""
    zeros = ops.zeros((count, heads, longest, size), dt.float32)
    return tuple((zeros, zeros) for _ in range(layers))
