"""Attention and the transformer."""

from __future__ import annotations

import copy
import math

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...base.limits import times
from ...common.initializer import XavierUniform, initializer
from ...ops.define import P
from ...tensor import Parameter
from ..cell import Cell
from . import checks
from .activation import GELU, activation_cell
from .basic import Dense, Dropout
from .container import CellList
from .norm import LayerNorm


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

    def _heads(self, x):
        """``(L, N, E)`` as ``(N, heads, L, E / heads)``."""
        x = ops.reshape(x, x.shape[:2] + (self.num_heads, self.head_dim))
        return ops.transpose(x, (1, 2, 0, 3))

    def _extended(self, x, bias):
        """Keys or values with what is appended to them."""
        if bias is not None:
            x = P.concat((x, P.broadcast_to(bias, (1, x.shape[1], self.embed_dim))), 0)
        if self.add_zero_attn:
            x = P.concat((x, ops.zeros((1,) + x.shape[1:], x.dtype)), 0)
        return x

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
        q = self._heads(self._project(query, 0)) * (1.0 / math.sqrt(self.head_dim))
        k = self._extended(self._project(key, 1), self.bias_k)
        v = self._extended(self._project(value, 2), self.bias_v)
        scores = P.matmul(q, self._heads(k), transpose_b=True)
        if attn_mask is not None:
            added = _additive(attn_mask, scores.dtype)
            if added.ndim == 3:
                added = ops.reshape(added, (count, self.num_heads) + added.shape[1:])
            scores = scores + _widened(added, scores.shape[3])
        if key_padding_mask is not None:
            added = ops.reshape(_additive(key_padding_mask, scores.dtype), (count, 1, 1, -1))
            scores = scores + _widened(added, scores.shape[3])
        weights = ops.softmax(scores, -1)
        mixed = P.matmul(self.drop(weights), self._heads(v))
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


def _additive(mask, dtype):
    """A mask as numbers to add: minus infinity where a bool one is true."""
    if mask.dtype.is_bool:
        return ops.select(
            mask, ops.full(mask.shape, -math.inf, dtype=dtype), ops.zeros(mask.shape, dtype)
        )
    return ops.cast(mask, dtype)


def _widened(added, size):
    """A mask of keys with zeros for those that were appended."""
    extra = size - added.shape[-1]
    return P.pad(added, ((0, 0),) * (added.ndim - 1) + ((0, extra),), 0) if extra else added


class _Layer(Cell):
    """The feed-forward block, the norms and the dropouts that encoder and decoder layers share."""

    attentions = 1

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward,
        dropout,
        activation,
        layer_norm_eps,
        batch_first,
        norm_first,
        dtype,
    ):
        super().__init__()
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, batch_first=batch_first, dtype=dtype
        )
        if self.attentions == 2:
            self.multihead_attn = MultiheadAttention(
                d_model, nhead, dropout, batch_first=batch_first, dtype=dtype
            )
        self.linear1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.linear2 = Dense(dim_feedforward, d_model, dtype=dtype)
        self.norm_first = norm_first
        self.norm1 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.norm2 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.dropout1, self.dropout2 = Dropout(p=dropout), Dropout(p=dropout)
        if self.attentions == 2:
            self.norm3 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
            self.dropout3 = Dropout(p=dropout)
        # The name means the exact function here, as in MindSpore.
        self.activation = (
            GELU(False) if activation == "gelu" else activation_cell(self.cls_name, activation)
        )

    def _feed(self, x, drop):
        return drop(self.linear2(self.dropout(self.activation(self.linear1(x)))))

    def _attend_self(self, x, mask, padding):
        return self.dropout1(self.self_attn(x, x, x, padding, False, mask)[0])


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward network, each with a residual connection and layer
    normalisation.

    Args:
        d_model (int): size of the features.
        nhead (int): number of heads; a divisor of ``d_model``.
        dim_feedforward (int): size between the two dense layers. Default 2048.
        dropout (float): the probability of all dropouts. Default 0.1.
        activation (str, Cell, function): of the feed-forward network. Default relu.
        layer_norm_eps (float): added to variances. Default 1e-5.
        batch_first (bool): inputs and outputs are ``(N, L, d_model)``. Default False.
        norm_first (bool): normalise before instead of after. Default False.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **src** (Tensor[(S, N, d_model)]) - the sequences.
        - **src_mask** (Tensor[(S, S)]), **src_key_padding_mask** (Tensor[(N, S)]) - see
          `MultiheadAttention`. Default None.

    Outputs:
        Tensor of the shape of ``src``.

    Raises:
        TypeError: a size is no int.
        ValueError: a size is not positive, or ``nhead`` does not divide ``d_model``.

    Source: Vaswani et al., Attention Is All You Need, 2017.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> nn.TransformerEncoderLayer(8, 2, 16)(ops.ones((5, 3, 8))).shape
        (5, 3, 8)
    """

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        dtype=dt.float32,
    ):
        super().__init__(
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            dtype,
        )

    def construct(self, src, src_mask=None, src_key_padding_mask=None):
        if self.norm_first:
            src = src + self._attend_self(self.norm1(src), src_mask, src_key_padding_mask)
            return src + self._feed(self.norm2(src), self.dropout2)
        src = self.norm1(src + self._attend_self(src, src_mask, src_key_padding_mask))
        return self.norm2(src + self._feed(src, self.dropout2))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's output and a feed-forward network, each with a
    residual connection and layer normalisation.

    Args:
        d_model (int): size of the features.
        nhead (int): number of heads; a divisor of ``d_model``.
        dim_feedforward (int): size between the two dense layers. Default 2048.
        dropout (float): the probability of all dropouts. Default 0.1.
        activation (str, Cell, function): of the feed-forward network. Default relu.
        layer_norm_eps (float): added to variances. Default 1e-5.
        batch_first (bool): inputs and outputs are ``(N, L, d_model)``. Default False.
        norm_first (bool): normalise before instead of after. Default False.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **tgt** (Tensor[(T, N, d_model)]), **memory** (Tensor[(S, N, d_model)]) - the decoder's
          input, and the encoder's output.
        - **tgt_mask** (Tensor[(T, T)]), **memory_mask** (Tensor[(T, S)]) - see
          `MultiheadAttention`. Default None.
        - **tgt_key_padding_mask** (Tensor[(N, T)]), **memory_key_padding_mask** (Tensor[(N, S)]) -
          see there. Default None.

    Outputs:
        Tensor of the shape of ``tgt``.

    Raises:
        TypeError: a size is no int.
        ValueError: a size is not positive, or ``nhead`` does not divide ``d_model``.

    Source: Vaswani et al., Attention Is All You Need, 2017.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> nn.TransformerDecoderLayer(8, 2, 16)(ops.ones((4, 3, 8)), ops.ones((5, 3, 8))).shape
        (4, 3, 8)
    """

    attentions = 2

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        dtype=dt.float32,
    ):
        super().__init__(
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            dtype,
        )

    def _attend(self, x, memory, mask, padding):
        return self.dropout2(self.multihead_attn(x, memory, memory, padding, False, mask)[0])

    def construct(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
    ):
        if self.norm_first:
            tgt = tgt + self._attend_self(self.norm1(tgt), tgt_mask, tgt_key_padding_mask)
            tgt = tgt + self._attend(self.norm2(tgt), memory, memory_mask, memory_key_padding_mask)
            return tgt + self._feed(self.norm3(tgt), self.dropout3)
        tgt = self.norm1(tgt + self._attend_self(tgt, tgt_mask, tgt_key_padding_mask))
        tgt = self.norm2(tgt + self._attend(tgt, memory, memory_mask, memory_key_padding_mask))
        return self.norm3(tgt + self._feed(tgt, self.dropout3))


def _copies(layer: Cell, count: int) -> CellList:
    """``layer`` and deep copies of it."""
    layers = times(count, "num_layers", 1000)
    return CellList([layer if i == 0 else copy.deepcopy(layer) for i in layers])


class TransformerEncoder(Cell):
    """Encoder layers in turn.

    Args:
        encoder_layer (Cell): the first; the others are copies of it.
        num_layers (int): how many.
        norm (Cell): applied at the end. Default None.

    Inputs:
        - **src** (Tensor[(S, N, d_model)]) - the sequences.
        - **src_mask** (Tensor[(S, S)]), **src_key_padding_mask** (Tensor[(N, S)]) - see
          `MultiheadAttention`. Default None.

    Outputs:
        Tensor of the shape of ``src``.

    Raises:
        TypeError: ``num_layers`` is no int.
        ValueError: it is not positive.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> net = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2)
        >>> net(ops.ones((5, 3, 8))).shape
        (5, 3, 8)
    """

    def __init__(self, encoder_layer, num_layers, norm=None):
        super().__init__()
        self.num_layers = checks.positive_int("TransformerEncoder", "num_layers", num_layers)
        self.layers = _copies(encoder_layer, num_layers)
        self.norm = norm

    def construct(self, src, src_mask=None, src_key_padding_mask=None):
        for layer in self.layers.cell_list:
            src = layer(src, src_mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Cell):
    """Decoder layers in turn.

    Args:
        decoder_layer (Cell): the first; the others are copies of it.
        num_layers (int): how many.
        norm (Cell): applied at the end. Default None.

    Inputs:
        - **tgt** (Tensor[(T, N, d_model)]), **memory** (Tensor[(S, N, d_model)]) - the decoder's
          input, and the encoder's output.
        - **tgt_mask** (Tensor[(T, T)]), **memory_mask** (Tensor[(T, S)]) - see
          `MultiheadAttention`. Default None.
        - **tgt_key_padding_mask** (Tensor[(N, T)]), **memory_key_padding_mask** (Tensor[(N, S)]) -
          see there. Default None.

    Outputs:
        Tensor of the shape of ``tgt``.

    Raises:
        TypeError: ``num_layers`` is no int.
        ValueError: it is not positive.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> net = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 2)
        >>> net(ops.ones((4, 3, 8)), ops.ones((5, 3, 8))).shape
        (4, 3, 8)
    """

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.num_layers = checks.positive_int("TransformerDecoder", "num_layers", num_layers)
        self.layers = _copies(decoder_layer, num_layers)
        self.norm = norm

    def construct(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
    ):
        for layer in self.layers.cell_list:
            tgt = layer(
                tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Cell):
    """Encoder and decoder, each followed by a layer normalisation.

    Args:
        d_model (int): size of the features. Default 512.
        nhead (int): number of heads; a divisor of ``d_model``. Default 8.
        num_encoder_layers (int), num_decoder_layers (int): how many layers. Default 6.
        dim_feedforward (int): size between the two dense layers. Default 2048.
        dropout (float): the probability of all dropouts. Default 0.1.
        activation (str, Cell, function): of the feed-forward networks. Default relu.
        custom_encoder (Cell), custom_decoder (Cell): used instead. Default None.
        layer_norm_eps (float): added to variances. Default 1e-5.
        batch_first (bool): inputs and outputs are ``(N, L, d_model)``. Default False.
        norm_first (bool): normalise before instead of after. Default False.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **src** (Tensor[(S, N, d_model)]), **tgt** (Tensor[(T, N, d_model)]) - the inputs of
          encoder and decoder.
        - **src_mask** (Tensor[(S, S)]), **tgt_mask** (Tensor[(T, T)]), **memory_mask** (Tensor[(T,
          S)]) - see `MultiheadAttention`. Default None.
        - **src_key_padding_mask** (Tensor[(N, S)]), **tgt_key_padding_mask** (Tensor[(N, T)]),
          **memory_key_padding_mask** (Tensor[(N, S)]) - see there. Default None.

    Outputs:
        Tensor of the shape of ``tgt``.

    Raises:
        TypeError: a size is no int.
        ValueError: a size is not positive, or ``nhead`` does not divide ``d_model``.

    Source: Vaswani et al., Attention Is All You Need, 2017.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.Transformer(8, 2, 1, 1, 16)
        >>> net(ms.ops.ones((5, 2, 8)), ms.ops.ones((3, 2, 8))).shape
        (3, 2, 8)
    """

    def __init__(
        self,
        d_model=512,
        nhead=8,
        num_encoder_layers=6,
        num_decoder_layers=6,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        custom_encoder=None,
        custom_decoder=None,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        dtype=dt.float32,
    ):
        super().__init__()
        common = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            dtype,
        )
        self.batch_first, self.d_model = batch_first, d_model
        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*common),
            num_encoder_layers,
            LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype),
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*common),
            num_decoder_layers,
            LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype),
        )

    def construct(
        self,
        src,
        tgt,
        src_mask=None,
        tgt_mask=None,
        memory_mask=None,
        src_key_padding_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
    ):
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        return self.decoder(
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        )


__all__ = [
    "MultiheadAttention",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]
