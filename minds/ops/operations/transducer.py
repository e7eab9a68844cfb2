"""The loss of a recurrent network transducer, with its gradient."""

from __future__ import annotations

import numpy as np

from ...base.errors import expect
from ...ir.abstract import AbstractTensor, AbstractTuple
from ...tensor import Tensor
from ..define import P
from ..faces import primitive
from ..function.common import hosted


def _transducer_row(logs, labels, blank):
    """The negative logarithm of the probability of ``labels``, and its gradient by the logarithms."""
    steps, places = logs.shape[:2]
    empty, emit = logs[:, :, blank], np.full((steps, places), -np.inf)
    emit[:, :-1] = np.take_along_axis(logs[:, :-1], labels[None, :, None], 2)[:, :, 0]
    before, after = np.full((steps, places), -np.inf), np.full((steps + 1, places + 1), -np.inf)
    after[steps, places - 1] = 0.0
    for t in range(steps):
        for u in range(places):
            waited = before[t - 1, u] + empty[t - 1, u] if t else -np.inf
            emitted = before[t, u - 1] + emit[t, u - 1] if u else -np.inf
            before[t, u] = np.logaddexp(waited, emitted) if t or u else 0.0
    for t in reversed(range(steps)):
        for u in reversed(range(places)):
            emitted = after[t, u + 1] + emit[t, u] if u + 1 < places else -np.inf
            after[t, u] = np.logaddexp(after[t + 1, u] + empty[t, u], emitted)
    total, grad = after[0, 0], np.zeros_like(logs)
    grad[:, :, blank] = -np.exp(before + empty + after[1:, :places] - total)
    moved = -np.exp(before[:, :-1] + emit[:, :-1] + after[:steps, 1:places] - total)
    for u in range(places - 1):
        grad[:, u, labels[u]] += moved[:, u]
    return -total, grad


def _transducer(acts, labels, input_lengths, label_lengths, blank):
    costs, grads = np.zeros(len(acts), acts.dtype), np.zeros_like(acts)
    for n, (steps, count) in enumerate(zip(input_lengths, label_lengths, strict=True)):
        x = acts[n, :steps, : count + 1].astype(np.float64)
        top = x.max(-1, keepdims=True)
        logs = x - top - np.log(np.exp(x - top).sum(-1, keepdims=True))
        costs[n], grad = _transducer_row(logs, labels[n, :count].astype(np.int64), blank)
        grads[n, :steps, : count + 1] = grad - np.exp(logs) * grad.sum(-1, keepdims=True)
    return costs, grads


@hosted(_transducer)
def _rnnt_loss(
    acts: Tensor, labels: Tensor, input_lengths: Tensor, label_lengths: Tensor, blank: int
):
    rows = AbstractTensor((acts.shape[0],), acts.dtype)
    return AbstractTuple((rows, AbstractTensor(acts.shape, acts.dtype)))


@_rnnt_loss.bprop
def _(acts, labels, input_lengths, label_lengths, blank, out, dout):
    dacts = P.reshape(dout[0], (-1, 1, 1, 1)) * out[1]
    return dacts, None, None, None


@primitive
def RNNTLoss(blank_label=0):
    """The loss of a recurrent network transducer, and its gradient.

    Args:
        blank_label (int): the class of no label. Default: 0.
        acts (Tensor[(B, T, U, V), float]): the scores of the classes at each time and place.
        labels (Tensor[(B, U - 1), int]): the labels.
        input_lengths, label_lengths (Tensor[(B,), int]): how many times and labels count.

    Returns:
        tuple: the costs (B,), and their gradients with respect to ``acts``.

    Raises:
        ValueError: shapes do not fit.

    Source: Graves, Sequence Transduction with Recurrent Neural Networks, 2012.

    Examples:
        >>> acts, lengths = ops.zeros((1, 1, 2, 4)), Tensor([1], ms.int32)
        >>> costs, grads = ops.RNNTLoss()(acts, Tensor([[1]], ms.int32), lengths, lengths)
        >>> print(costs)
        [2.7725887]
    """

    def call(acts, labels, input_lengths, label_lengths):
        expect(len(acts.shape) == 4, "acts", "of rank 4", got=acts.shape)
        batch, _, places, classes = acts.shape
        shape = (batch, places - 1)
        expect(tuple(labels.shape) == shape, "labels", f"of shape {shape}", got=labels.shape)
        expect(0 <= blank_label < classes, "blank_label", f"in [0, {classes})", got=blank_label)
        return _rnnt_loss(acts, labels, input_lengths, label_lengths, blank_label)

    return call
