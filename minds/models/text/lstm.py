"""A recurrent network that tells the class of a sentence (Hochreiter and Schmidhuber, Long Short-Term
Memory, 1997).
"""

from __future__ import annotations

from ... import nn, ops
from ...common.initializer import Uniform
from ..registry import register


@register(lstm_classifier={})
class LSTMClassifier(nn.Cell):
    """Word vectors, a recurrent network in both directions, and a dense layer of its last states.

    Args:
        vocabulary (int): words. Default 20000.
        num_classes (int): Default 2.
        width (int): of the word vectors. Default 300.
        hidden (int): of the states. Default 100.
        layers (int): Default 2.
        dropout (float): Default 0.5.

    Inputs:
        - **ids** (Tensor[(N, L), int])
        - **lengths** (Tensor[(N,), int]) - how many words count. Default None, all.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> import minds as ms
        >>> from minds import models, ops
        >>> models.lstm_classifier(vocabulary=10, width=4, hidden=3)(ops.ones((2, 7), ms.int32)).shape
        (2, 2)
    """

    def __init__(
        self,
        vocabulary: int = 20000,
        num_classes: int = 2,
        width: int = 300,
        hidden: int = 100,
        layers: int = 2,
        dropout: float = 0.5,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width, embedding_table=Uniform(0.1))
        self.lstm = nn.LSTM(
            width, hidden, layers, batch_first=True, bidirectional=True, dropout=dropout
        )
        self.dropout = nn.Dropout(p=dropout)
        self.head = nn.Dense(2 * hidden, num_classes)

    def construct(self, ids, lengths=None):
        _, (last, _) = self.lstm(self.embedding(ids), None, lengths)
        return self.head(self.dropout(ops.concat((last[-2], last[-1]), 1)))
