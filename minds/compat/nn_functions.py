"""What MindSpore's models import from inside its module `ops.function.nn_func`: sizes of
interpolation, and the parts of multi-head attention.
"""

from __future__ import annotations

import math

from .. import ops
from ..base import dtype as dt
from ..base.errors import expect
from ..nn.layer.attention import additive, extended, heads, widened


def _interploate_ext_make_tuple(input, value) -> tuple:
    """A number for each spatial dimension of ``input``; MindSpore spells it so."""
    if isinstance(value, (list, tuple)):
        return value
    return tuple([value for _ in range(len(input.shape) - 2)])


def _interpolate_ext_scale_factor_convert_size(input, scale_factor) -> tuple:
    """The sizes of ``input`` times factors, rounded down."""
    sizes = input.shape[2:]
    return tuple([math.floor(n * factor) for n, factor in zip(sizes, scale_factor)])


def _check_qkv_shape(query_ndim: int, key_ndim: int, value_ndim: int) -> bool:
    """Whether query, key and value are batches; they have two or three dimensions, and as many."""
    expect(query_ndim in (2, 3), "query", "of rank 2 or 3", got=query_ndim)
    expect(key_ndim == query_ndim, "key", f"of rank {query_ndim}", got=key_ndim)
    expect(value_ndim == query_ndim, "value", f"of rank {query_ndim}", got=value_ndim)
    return query_ndim == 3


def _check_kpm_shape(query_ndim: int, kmp_ndim: int) -> None:
    """Refuse a padding mask of another rank than that of the keys' positions."""
    expect(
        kmp_ndim == query_ndim - 1, "key_padding_mask", f"of rank {query_ndim - 1}", got=kmp_ndim
    )


def _check_attn_mask_shape(
    query_ndim, query_shape, key_shape, attn_mask_ndim, attn_mask_shape, num_heads
) -> None:
    """Refuse a mask that is neither (L, S) nor one for each head of each element."""
    expect(attn_mask_ndim in (2, 3), "attn_mask", "of rank 2 or 3", got=attn_mask_ndim)
    if attn_mask_ndim == 3:
        batch = query_shape[1] if query_ndim == 3 else 1
        wanted = (batch * num_heads, query_shape[0], key_shape[0])
        expect(tuple(attn_mask_shape) == wanted, "attn_mask", f"{wanted}", got=attn_mask_shape)


def _in_projection(q, k, v, w_q, w_k, w_v, b_q=None, b_k=None, b_v=None) -> tuple:
    """Query, key and value through layers of their own."""
    size = q.shape[-1]
    for name, x, weight in (("w_q", q, w_q), ("w_k", k, w_k), ("w_v", v, w_v)):
        wanted = (size, x.shape[-1])
        expect(weight.shape == wanted, name, f"of shape {wanted}", got=weight.shape)
    return ops.dense(q, w_q, b_q), ops.dense(k, w_k, b_k), ops.dense(v, w_v, b_v)


def _in_projection_packed(q, k, v, w, b, k_is_v: bool, q_is_k: bool) -> tuple:
    """Query, key and value through layers whose weights are one tensor; with one product where they
    are the same.
    """
    size = q.shape[-1]
    if k_is_v and q_is_k:
        return ops.split(ops.dense(q, w, b), size, -1)
    weights = ops.split(w, size)
    biases = (None, None, None) if b is None else ops.split(b, size)
    return tuple([ops.dense(x, *of) for x, *of in zip((q, k, v), weights, biases)])


def _inner_dropout(x, p: float, training: bool):
    """Dropout with probability ``p`` while training."""
    return ops.dropout(x, p, training) if training and p > 0.0 else x


def _inner_pad(x, padding, value=None):
    """Padding; of bools too."""
    held = x.astype(dt.int32) if x.dtype is dt.bool_ else x
    return ops.pad(held, padding, value=value).astype(x.dtype)


linear = ops.dense


def multi_head_attention_forward(
    query,
    key,
    value,
    embed_dim_to_check,
    num_heads,
    in_proj_weight,
    in_proj_bias,
    bias_k,
    bias_v,
    add_zero_attn,
    dropout_p,
    out_proj_weight,
    out_proj_bias,
    training=True,
    key_padding_mask=None,
    attn_mask=None,
    use_separate_proj_weight=False,
    q_proj_weight=None,
    k_proj_weight=None,
    v_proj_weight=None,
    static_k=None,
    static_v=None,
    average_attn_weights=True,
    is_causal=False,
    k_is_v=False,
    q_is_k=False,
    dtype=dt.float32,
) -> tuple:
    """`nn.MultiheadAttention` as a function of its weights: the result and the weights of attention.
    A causal mask is ``attn_mask``, also with ``is_causal``; ``dtype`` is that of the masks.
    """
    batched = _check_qkv_shape(query.ndim, key.ndim, value.ndim)
    if not batched:
        query, key, value = (ops.expand_dims(x, 1) for x in (query, key, value))
    length, count, size = query.shape
    expect(size == embed_dim_to_check, "query", f"of size {embed_dim_to_check}", got=size)
    if use_separate_proj_weight:
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        biases = (None,) * 3 if in_proj_bias is None else ops.split(in_proj_bias, size)
        q, k, v = _in_projection(query, key, value, *weights, *biases)
    else:
        packed = (in_proj_weight, in_proj_bias, k_is_v, q_is_k)
        q, k, v = _in_projection_packed(query, key, value, *packed)
    k = heads(extended(k, bias_k, add_zero_attn), num_heads) if static_k is None else static_k
    v = heads(extended(v, bias_v, add_zero_attn), num_heads) if static_v is None else static_v
    k, v = (ops.reshape(x, (count, num_heads) + x.shape[-2:]) for x in (k, v))
    scores = ops.matmul(heads(q, num_heads), ops.swapaxes(k, 2, 3)) / math.sqrt(size // num_heads)
    if attn_mask is not None:
        shapes = (query.shape, key.shape, attn_mask.ndim, attn_mask.shape)
        _check_attn_mask_shape(3, *shapes, num_heads)
        mask = additive(attn_mask, dtype)
        if mask.ndim == 3:
            mask = ops.reshape(mask, (count, num_heads) + mask.shape[1:])
        scores = scores + widened(mask, scores.shape[3])
    if key_padding_mask is not None:
        mask = ops.reshape(additive(key_padding_mask, dtype), (count, 1, 1, -1))
        scores = scores + widened(mask, scores.shape[3])
    weights = ops.softmax(scores, -1)
    mixed = ops.matmul(_inner_dropout(weights, dropout_p, training), v)
    mixed = ops.reshape(ops.transpose(mixed, (2, 0, 1, 3)), (length, count, size))
    out = ops.dense(mixed, out_proj_weight, out_proj_bias)
    weights = ops.mean(weights, 1) if average_attn_weights else weights
    return (out, weights) if batched else (ops.squeeze(out, 1), ops.squeeze(weights, 0))


__all__ = []
