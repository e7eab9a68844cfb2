"""Attention of several heads."""

from __future__ import annotations

import math

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...common.initializer import XavierUniform, initializer
from ...ops.define import P
from ...tensor import Parameter
from ..cell import Cell
from . import checks
from .basic import Dense, Dropout


class MultiheadAttention(Cell):
    r"""Scaled dot-product attention :math:`softmax(Q K^T/\sqrt d) V` in several heads.

    Args:
        embed_dim (int): size of the query; a multiple of ``num_heads``.
        num_heads (int): number of heads.
        dropout (float): of the attention weights. Default 0.
        has_bias (bool): whether the projections have biases. Default True.
        add_bias_kv (bool): append a trained key and value. Default False.
        add_zero_attn (bool): append a zero key and value. Default False.
        kdim (int), vdim (int): sizes of key and value. Default None, ``embed_dim``.
        batch_first (bool): inputs and outputs are ``(N, L, E)``. Default False.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **query** (Tensor[(L, N, embed_dim)]), **key** (Tensor[(S, N, kdim)]), **value**
          (Tensor[(S, N, vdim)]) - or all without N.
        - **key_padding_mask** (Tensor[(N, S)]) - bool, true where a key is ignored, or float, which
          is added. Default None.
        - **need_weights** (bool) - whether the weights are returned too. Default True.
        - **attn_mask** (Tensor[(L, S)] or [(N · num_heads, L, S)]) - as the padding mask. Default
          None.
        - **average_attn_weights** (bool) - the mean over the heads. Default True.

    Outputs:
        Tuple of the output (L, N, embed_dim) and the weights (N, L, S), or None.

    Raises:
        TypeError: a size is no int.
        ValueError: a size is not positive, or ``num_heads`` does not divide ``embed_dim``.

    Source: Vaswani et al., Attention Is All You Need, 2017.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> x = ms.ops.ones((4, 2, 8))
        >>> out, weights = nn.MultiheadAttention(8, 2)(x, x, x)
        >>> out.shape, weights.shape
        ((4, 2, 8), (2, 4, 4))
    """

    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        has_bias=True,
        add_bias_kv=False,
        add_zero_attn=False,
        kdim=None,
        vdim=None,
        batch_first=False,
        dtype=dt.float32,
    ):
        super().__init__()
        name = "MultiheadAttention"
        self.embed_dim = checks.positive_int(name, "embed_dim", embed_dim)
        self.num_heads = checks.positive_int(name, "num_heads", num_heads)
        if embed_dim % num_heads:
            raise complain(
                ValueError,
                f"{name}: embed_dim is {embed_dim}, num_heads {num_heads}",
                expected="a multiple of num_heads",
            )
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.head_dim = embed_dim // num_heads
        self.batch_first, self.add_zero_attn = batch_first, add_zero_attn
        self.same_sizes = self.kdim == embed_dim and self.vdim == embed_dim
        glorot = XavierUniform()
        if self.same_sizes:
            self.in_proj_weight = Parameter(initializer(glorot, [3 * embed_dim, embed_dim], dtype))
        else:
            self.q_proj_weight = Parameter(initializer(glorot, [embed_dim, embed_dim], dtype))
            self.k_proj_weight = Parameter(initializer(glorot, [embed_dim, self.kdim], dtype))
            self.v_proj_weight = Parameter(initializer(glorot, [embed_dim, self.vdim], dtype))
        self.in_proj_bias = (
            Parameter(initializer("zeros", [3 * embed_dim], dtype)) if has_bias else None
        )
        self.out_proj = Dense(embed_dim, embed_dim, has_bias=has_bias, dtype=dtype)
        self.bias_k = (
            Parameter(initializer(glorot, [1, 1, embed_dim], dtype)) if add_bias_kv else None
        )
        self.bias_v = (
            Parameter(initializer(glorot, [1, 1, embed_dim], dtype)) if add_bias_kv else None
        )
        self.drop = Dropout(p=dropout)

    def _project(self, x, i):
        """Projection ``i`` (0 query, 1 key, 2 value) of ``(L, N, D)``."""
        size = self.embed_dim
        if self.same_sizes:
            weight = self.in_proj_weight[i * size : (i + 1) * size]
        else:
            weight = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)[i]
        out = P.matmul(ops.reshape(x, (-1, x.shape[2])), weight, transpose_b=True)
        if self.in_proj_bias is not None:
            out = out + self.in_proj_bias[i * size : (i + 1) * size]
        return ops.reshape(out, x.shape[:2] + (size,))

    def construct(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
    ):
        batched = query.ndim == 3
        if not batched:
            query, key, value = (
                ops.expand_dims(query, 1),
                ops.expand_dims(key, 1),
                ops.expand_dims(value, 1),
            )
        elif self.batch_first:
            query, key, value = query.swapaxes(0, 1), key.swapaxes(0, 1), value.swapaxes(0, 1)
        length, count = query.shape[0], query.shape[1]
        q = heads(self._project(query, 0), self.num_heads) * (1.0 / math.sqrt(self.head_dim))
        k = extended(self._project(key, 1), self.bias_k, self.add_zero_attn)
        v = extended(self._project(value, 2), self.bias_v, self.add_zero_attn)
        scores = P.matmul(q, heads(k, self.num_heads), transpose_b=True)
        if attn_mask is not None:
            added = additive(attn_mask, scores.dtype)
            if added.ndim == 3:
                added = ops.reshape(added, (count, self.num_heads) + added.shape[1:])
            scores = scores + widened(added, scores.shape[3])
        if key_padding_mask is not None:
            added = ops.reshape(additive(key_padding_mask, scores.dtype), (count, 1, 1, -1))
            scores = scores + widened(added, scores.shape[3])
        weights = ops.softmax(scores, -1)
        mixed = P.matmul(self.drop(weights), heads(v, self.num_heads))
        out = self.out_proj(
            ops.reshape(ops.transpose(mixed, (2, 0, 1, 3)), (length, count, self.embed_dim))
        )
        if average_attn_weights:
            weights = ops.mean(weights, 1)
        if not batched:
            out, weights = ops.squeeze(out, 1), ops.squeeze(weights, 0)
        elif self.batch_first:
            out = out.swapaxes(0, 1)
        return out, (weights if need_weights else None)


def heads(x, count: int):
    """``(L, N, E)`` as ``(N, heads, L, E / heads)``."""
    x = ops.reshape(x, x.shape[:2] + (count, x.shape[2] // count))
    return ops.transpose(x, (1, 2, 0, 3))


def extended(x, bias, zeros: bool):
    """Keys or values with what is appended to them."""
    one = (1,) + x.shape[1:]
    if bias is not None:
        x = P.concat((x, P.broadcast_to(bias, one)), 0)
    return P.concat((x, ops.zeros(one, x.dtype)), 0) if zeros else x


def additive(mask, dtype):
    """A mask as numbers to add: minus infinity where a bool one is true."""
    if mask.dtype.is_bool:
        return ops.select(
            mask, ops.full(mask.shape, -math.inf, dtype=dtype), ops.zeros(mask.shape, dtype)
        )
    return ops.cast(mask, dtype)


def widened(added, size):
    """A mask of keys with zeros for those that were appended."""
    extra = size - added.shape[-1]
    return P.pad(added, ((0, 0),) * (added.ndim - 1) + ((0, extra),), 0) if extra else added
