"""TextCNN (Kim, Convolutional Neural Networks for Sentence Classification, 2014)."""

from __future__ import annotations

from ... import nn, ops
from ...common.initializer import Uniform
from ..registry import register


@register(textcnn={})
class TextCNN(nn.Cell):
    """Windows of several words over a sentence, and the strongest answer of each filter.

    Args:
        vocabulary (int): words. Default 20000.
        num_classes (int): Default 2.
        width (int): of the word vectors. Default 300.
        filters (int): for each size of window. Default 100.
        windows (tuple[int]): their sizes in words. Default (3, 4, 5).
        dropout (float): Default 0.5.

    Inputs:
        - **ids** (Tensor[(N, L), int]) - at least as many words as the largest window.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> import minds as ms
        >>> from minds import models, ops
        >>> models.textcnn(vocabulary=10, width=4)(ops.ones((2, 7), ms.int32)).shape
        (2, 2)
    """

    def __init__(
        self,
        vocabulary: int = 20000,
        num_classes: int = 2,
        width: int = 300,
        filters: int = 100,
        windows: tuple = (3, 4, 5),
        dropout: float = 0.5,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width, embedding_table=Uniform(0.25))
        self.convs = nn.CellList(
            [nn.Conv1d(width, filters, k, pad_mode="valid", has_bias=True) for k in windows]
        )
        self.dropout = nn.Dropout(p=dropout)
        self.head = nn.Dense(filters * len(windows), num_classes)

    def construct(self, ids):
        x = ops.transpose(self.embedding(ids), (0, 2, 1))
        found = [ops.max(ops.relu(conv(x)), -1)[0] for conv in self.convs]
        return self.head(self.dropout(ops.concat(found, 1)))
