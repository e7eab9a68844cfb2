"""From logits over time to text."""

from __future__ import annotations

import numpy as np

from ... import ops


def ctc_loss(logits, targets, lengths, target_lengths):
    """The negative logarithm of the probability of the targets, however they lie in time, per symbol.

    Args:
        logits (Tensor): ``(N, T, classes)``, of which class 0 is the blank.
        targets (Tensor): ``(N, S)``, symbols from 1 on.
        lengths (Tensor): ``(N,)``, how many logits count.
        target_lengths (Tensor): ``(N,)``, how many targets count.

    Returns:
        Tensor: a scalar.

    Source: Graves et al., Connectionist Temporal Classification, 2006.

    Examples:
        >>> import minds as ms
        >>> from minds.models.speech.ctc import ctc_loss
        >>> one = ms.Tensor([1], ms.int32)
        >>> loss = ctc_loss(ms.ops.zeros((1, 1, 4)), ms.Tensor([[2]], ms.int32), one, one)
        >>> round(float(loss), 4)
        1.3863
    """
    chances = ops.transpose(ops.log_softmax(logits, -1), (1, 0, 2))
    return ops.ctc_loss(chances, targets, lengths, target_lengths, 0, "mean", True)[0]


def greedy(logits: np.ndarray, lengths: np.ndarray) -> list[list[int]]:
    """The likeliest class at each time, with repetitions and blanks left out.

    Args:
        logits (numpy.ndarray): ``(N, T, classes)``.
        lengths (numpy.ndarray): ``(N,)``, how many of them count.

    Returns:
        list[list[int]]: symbols from 1 on.

    Examples:
        >>> import numpy as np
        >>> from minds.models.speech.ctc import greedy
        >>> greedy(np.eye(3)[None, [1, 1, 0, 1, 2]], np.array([5]))
        [[1, 1, 2]]
    """
    texts = []
    for row, length in zip(logits.argmax(-1), lengths):
        row = row[:length]
        new = np.concatenate(([True], row[1:] != row[:-1])) if length else np.zeros(0, bool)
        texts.append([int(s) for s in row[new & (row > 0)]])
    return texts
