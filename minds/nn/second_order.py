"""Networks whose layers are replaced by those that `nn.thor` reads."""

from __future__ import annotations

from ..tensor import Parameter
from .cell import Cell
from .layer.basic import Dense
from .layer.conv import Conv2d
from .layer.embedding import Embedding, EmbeddingLookup
from .layer.thor import Conv2dThor, DenseThor, EmbeddingLookupThor, EmbeddingThor


def _dense(old: Dense) -> DenseThor:
    return DenseThor(
        old.in_channels,
        old.out_channels,
        old.weight.value(),
        has_bias=old.has_bias,
        activation=old.activation,
    )


def _conv(old: Conv2d) -> Conv2dThor:
    return Conv2dThor(
        old.in_channels,
        old.out_channels,
        old.kernel_size,
        old.stride,
        old.pad_mode,
        old.padding,
        old.dilation,
        old.group,
        old.has_bias,
        old.weight.value(),
    )


def _embedding(old: Embedding) -> EmbeddingThor:
    return EmbeddingThor(old.vocab_size, old.embedding_size, old.use_one_hot, dtype=old.dtype)


def _lookup(old: EmbeddingLookup) -> EmbeddingLookupThor:
    return EmbeddingLookupThor(
        old.vocab_size, old.embedding_size, target=old.target, max_norm=old.max_norm
    )


_MADE = {Dense: _dense, Conv2d: _conv, Embedding: _embedding, EmbeddingLookup: _lookup}
_APART = ("rpn_with_loss.rpn_convs_list.", "wide")
"""In the names of parameters whose layers MindSpore leaves as they are."""


def _replacement(old: Cell) -> Cell | None:
    """A layer with the same parameters that keeps what the optimiser reads."""
    make = _MADE.get(type(old))
    weight = getattr(old, "weight", getattr(old, "embedding_table", None))
    if make is None or weight is None or not weight.requires_grad:
        return None
    matrix = isinstance(old, (Dense, Conv2d))
    if matrix and any(word in weight.name.lower() for word in _APART):
        return None
    if isinstance(old, Conv2d) and (old.group != 1 or old.data_format != "NCHW"):
        return None
    new = make(old)
    prefix = weight.name.rpartition(".")[0]
    for name, param in list(new._params.items()):
        if isinstance(getattr(old, name, None), Parameter):
            setattr(new, name, getattr(old, name))
        elif param is not None and prefix:
            param.name = f"{prefix}.{name}"
    return new


class ConvertNetUtils:
    """Replaces layers of a network by those that `nn.thor` reads.

    Examples:
        >>> from minds import nn, train
        >>> net = nn.SequentialCell(nn.Dense(2, 1))
        >>> train.ConvertNetUtils().convert_to_thor_net(net)
        >>> type(net[0]).__name__
        'DenseThor'
    """

    def convert_to_thor_net(self, net: Cell) -> None:
        """Replace the dense, convolutional (of one group) and embedding layers that are trained,
        wherever they stand in ``net``; the parameters are those that were there.

        Args:
            net (Cell): the network, which is changed.

        Examples:
            >>> from minds import nn, train
            >>> net = nn.SequentialCell(nn.Conv2d(1, 2, 3))
            >>> train.ConvertNetUtils().convert_to_thor_net(net)
            >>> [p.name for p in net.trainable_params()]
            ['0.weight']
        """
        net.update_cell_prefix()
        for _, cell in list(net.cells_and_names()):
            for name, child in cell.name_cells().items():
                new = _replacement(child)
                if new is not None:
                    cell._replace_cell(name, new)
        net.update_cell_type("second-order")


__all__ = ["ConvertNetUtils"]
