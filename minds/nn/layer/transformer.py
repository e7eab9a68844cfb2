"""Attention and the transformer."""

from __future__ import annotations

import copy

from ...base import dtype as dt
from ...base.limits import times
from ..cell import Cell
from . import checks
from .activation import GELU, activation_cell
from .attention import MultiheadAttention
from .basic import Dense, Dropout
from .container import CellList
from .norm import LayerNorm


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
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
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
        return drop(self.dense2(self.dropout(self.activation(self.dense1(x)))))

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
