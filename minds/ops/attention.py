"""Attention as one op, and its gradient: what `passes.attend` makes of a product of weights and
values, where the device has a kernel that does not keep the weights in memory.
"""

from __future__ import annotations

from ..base import dtype as dt
from ..base.errors import expect
from ..ir.abstract import AbstractTensor, AbstractTuple
from ..tensor import Tensor
from .batching import raised, widened
from .define import P, op
from .rules import floating, same


def _check(query, key, value, mask) -> None:
    floating(query, "query")
    expect(query.ndim >= 2, "query", "of rank 2 or more", got=f"shape {query.shape}")
    keys = query.shape[:-2] + key.shape[-2:-1] + query.shape[-1:]
    expect(key.shape == keys, "key", f"of shape {keys}", got=key.shape)
    expect(value.shape == keys, "value", f"of shape {keys}", got=value.shape)
    if mask is not None:
        scores = query.shape[:-1] + key.shape[-2:-1]
        fits = mask.ndim <= len(scores) and all(
            m in (1, s) for m, s in zip(mask.shape[::-1], scores[::-1])
        )
        expect(fits, "mask", f"of a shape that broadcasts to {scores}", got=mask.shape)


def _wide(dtype):
    """What weights are computed in."""
    return dtype if dtype is dt.float64 else dt.float32


def _weights(query, key, mask, scale):
    """The weights, and the logarithms of what they were divided by."""
    wide, last = _wide(query.dtype), len(query.shape) - 1
    scores = P.cast(P.matmul(query, key, False, True), wide) * scale
    if mask is not None:
        scores = scores + P.cast(mask, wide)
    logarithms = P.log_softmax(scores, last)
    return P.exp(logarithms), P.amax(scores, (last,), False) - P.amax(logarithms, (last,), False)


@op(promote="query key value")
def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, scale: float
) -> tuple[Tensor, Tensor]:
    r"""Values, averaged with weights that compare queries with keys.

    .. math:: softmax(q k^T \cdot scale + mask) v

    Args:
        query (Tensor[(..., L, D), float]): the queries.
        key, value (Tensor[(..., S, D), float]): the keys and the values.
        mask (Tensor | None): what is added to the scores, of a shape that broadcasts to theirs,
            (..., L, S).
        scale (float): what the scores are multiplied with.

    Returns:
        tuple: the result, (..., L, D), and the logarithm of the sum of each query's exponentials,
        (..., L), which the gradient reads: float32, or float64 if ``query`` is.

    Raises:
        TypeError: ``query`` is not floating point.
        ValueError: the shapes do not fit.

    Source: Dao et al., FlashAttention, https://arxiv.org/abs/2205.14135.
    """
    _check(query, key, value, mask)
    return AbstractTuple((same(query), AbstractTensor(query.shape[:-1], _wide(query.dtype))))


@attention.decompose
def _(query, key, value, mask, scale):
    weights, sums = _weights(query, key, mask, scale)
    return P.matmul(P.cast(weights, query.dtype), value, False, False), sums


@attention.bprop
def _(query, key, value, mask, scale, out, dout, need):
    grads = P.attention_dx(dout[0], query, key, value, mask, out[0], out[1], scale)
    dq, dk, dv, dmask = grads[0], grads[1], grads[2], None
    weights, _ = _weights(query, key, mask, scale)
    if mask is not None and need[3]:
        dmask = _summed(_dscores(dout[0], weights, value), mask)
    if dout.get(1) is not None:
        d = weights * P.reshape(dout[1], (*dout[1].shape, 1))
        more = _of_scores(d, query, key, scale)
        dq, dk = dq + more[0], dk + more[1]
        dmask = dmask if dmask is None else dmask + _summed(d, mask)
    return dq, dk, dv, dmask


@attention.batch
def _(b, query, key, value, mask, scale):
    q, k, v = b.every(query, key, value)
    return P.attention(q, k, v, _aligned(b, 3, mask, q), scale)


def _aligned(b, i: int, mask, query):
    """A mask, operand ``i``, whose examples broadcast to those of the scores."""
    return raised(mask, len(query.shape) - 1) if mask is not None and b.mask[i] else mask


def _dscores(dout, weights, value):
    d = P.cast(P.matmul(dout, value, False, True), weights.dtype)
    return weights * (d - _rows(weights * d))


def _of_scores(d, query, key, scale):
    """What queries and keys get of the cotangent of the scores."""
    d = P.cast(d * scale, query.dtype)
    return P.matmul(d, key, False, False), P.matmul(d, query, True, False)


def _summed(d, mask):
    """What the mask gets of the cotangent of the scores."""
    rank, extra = len(d.shape), len(d.shape) - len(mask.shape)
    axes = tuple(i for i in range(rank) if i < extra or mask.shape[i - extra] != d.shape[i])
    return P.cast(P.reshape(P.sum(d, axes, True) if axes else d, mask.shape), mask.dtype)


@op(promote="dout query key value out")
def attention_dx(
    dout: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    out: Tensor,
    sums: Tensor,
    scale: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of the first result of `attention`.

    Args:
        dout (Tensor[(..., L, D), float]): the cotangent of the result.
        query, key, value, mask, scale: as for `attention`.
        out, sums (Tensor): the results of `attention`.

    Returns:
        tuple: the gradients of the queries, of the keys and of the values.

    Raises:
        ValueError: the shapes do not fit.
    """
    _check(query, key, value, mask)
    expect(dout.shape == query.shape, "dout", f"of shape {query.shape}", got=dout.shape)
    expect(out.shape == query.shape, "out", f"of shape {query.shape}", got=out.shape)
    expect(sums.shape == query.shape[:-1], "sums", f"of shape {query.shape[:-1]}", got=sums.shape)
    return AbstractTuple((same(query), same(key), same(value)))


@attention_dx.decompose
def _(dout, query, key, value, mask, out, sums, scale):
    weights, _ = _weights(query, key, mask, scale)
    dq, dk = _of_scores(_dscores(dout, weights, value), query, key, scale)
    return dq, dk, P.matmul(P.cast(weights, query.dtype), dout, True, False)


@attention_dx.batch
def _(b, dout, query, key, value, mask, out, sums, scale):
    d, q, k, v = b.every(dout, query, key, value)
    o, s = (x if m else widened(x, b.n) for x, m in zip((out, sums), b.mask[5:]))
    return P.attention_dx(d, q, k, v, _aligned(b, 4, mask, q), o, s, scale)


@attention_dx.bprop
def _(dout, query, key, value, mask, out, sums, scale, _, dd, need):
    """With weights w and p = dout v^T, the gradients are those of G = scale w (p - rows(w p)):
    G k, G^T q and w^T dout.
    """
    dq, dk, dv = dd[0], dd[1], dd[2]
    w, _ = _weights(query, key, mask, scale)
    narrow = query.dtype
    p = P.cast(P.matmul(dout, value, False, True), w.dtype)
    away = p - _rows(w * p)
    g = P.cast(w * away * scale, narrow)
    e = P.matmul(dq, key, False, True) + P.matmul(query, dk, False, True)
    e = P.cast(e, w.dtype) * scale
    mean = _rows(w * e)
    dp = P.cast(w * (e - mean), narrow)
    dw = e * away - p * mean + P.cast(P.matmul(dout, dv, False, True), w.dtype)
    dz = w * (dw - _rows(w * dw))
    from_q, from_k = _of_scores(dz, query, key, scale)
    return (
        P.matmul(P.cast(w, narrow), dv, False, False) + P.matmul(dp, value, False, False),
        P.matmul(g, dk, False, False) + from_q,
        P.matmul(g, dq, True, False) + from_k,
        P.matmul(dp, dout, True, False),
        _summed(dz, mask) if mask is not None and need[4] else None,
        None,
        None,
    )


def _rows(x):
    return P.sum(x, (len(x.shape) - 1,), True)
