"""Primitive classes on sequences: a recurrent layer with its weights in one vector, and CTC's loss
of sparse labels.
"""

from __future__ import annotations

import math

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...ir.abstract import AbstractTensor, AbstractTuple
from ...tensor import Tensor
from ..define import P
from ..faces import primitive
from ..function.common import cut, hosted
from ..functional import WITHIN as F
from ..rules import same


def _lstm_step(state, gates, recurrent, projection):
    h, c = state
    size = c.shape[-1]
    parts = P.split(gates + P.matmul(h, recurrent, False, True), (size,) * 4, 1)
    i, f, g, o = parts
    c = F.sigmoid(f) * c + F.sigmoid(i) * P.tanh(g)
    h = F.sigmoid(o) * P.tanh(c)
    h = h if projection is None else P.matmul(h, projection, False, True)
    return (h, c), h


def _run_lstm(x, state, weights):
    """One direction of one layer: the outputs, and the last state."""
    of_input, recurrent, projection, bias = weights
    gates = P.matmul(x, of_input, False, True)
    gates = gates if bias is None else gates + bias
    return F.scan(lambda s, g: _lstm_step(s, g, recurrent, projection), state, gates)


def _weights(w, at: int, size: int, width: int, projected: int, directions: int, has_bias: bool):
    """Of each direction the weights of the input, of the state and of its projection and the bias,
    None of what is not there, from a place in the vector of all; and the place behind them.
    """
    kinds: list = [(4 * size, width), (4 * size, projected or size), None, None]
    if projected:
        kinds[2] = (projected, size)
    if has_bias:
        kinds[3] = (4 * size,)
    found: list = [[] for _ in range(directions)]
    for shape in kinds:
        for d in found:
            n = 0 if shape is None else math.prod(shape)
            d.append(P.reshape(cut(w, 0, at, at + n), shape) if n else None)
            at += n
    return found, at


@primitive
def LSTM(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, proj_size=0):
    """LSTM layers whose weights lie in one vector, layer by layer: those of the inputs, of the
    states, of what makes h ``proj_size`` wide if that is not 0, and the biases, of both directions
    each. Gives the outputs, the last h and c, and two that hold nothing.
    """
    expect(0 <= proj_size < hidden_size, "proj_size", "0 or less than hidden_size", got=proj_size)
    expect(0 <= dropout <= 1, "dropout", "from 0 to 1", got=dropout)
    directions = 2 if bidirectional else 1

    def call(input, h, c, w):
        expect(input.shape[-1] == input_size, "input", f"{input_size} wide", got=input.shape)
        w, x, at, lasts = P.reshape(w, (-1,)), input, 0, []
        for layer in range(num_layers):
            width = x.shape[-1]
            sides, at = _weights(w, at, hidden_size, width, proj_size, directions, has_bias)
            outs = []
            for d, weights in enumerate(sides):
                seq = P.flip(x, (0,)) if d else x
                last, out = _run_lstm(
                    seq, (h[layer * directions + d], c[layer * directions + d]), weights
                )
                lasts.append(last)
                outs.append(P.flip(out, (0,)) if d else out)
            x = outs[0] if len(outs) == 1 else P.concat(tuple(outs), -1)
            if layer < num_layers - 1 and dropout:
                x = F.dropout(x, dropout)
        twice = at + 4 * hidden_size * directions * num_layers * has_bias
        given = f"of {at} elements, or of {twice}, with a second bias that is not read"
        expect(w.shape in ((at,), (twice,)), "w", given, got=w.shape)
        none = P.full((1, 1), 0, x.dtype)
        states = [F.stack(tuple(s[k] for s in lasts), 0) for k in (0, 1)]
        return x, *states, none, none

    return call


def _spread(label, blank: int):
    """A label with blanks around each of its elements."""
    out = np.full(2 * len(label) + 1, blank)
    out[1::2] = label
    return out


def _add_logs(*terms):
    with np.errstate(all="ignore"):
        return np.logaddexp.reduce(np.stack(terms), axis=0)


def _paths(logp, label, blank, merge):
    """The logarithms of the sums of all paths up to each (time, element); the label's own rule for
    the last row of them is that of the reversed label from behind.
    """
    n, never = len(label), -np.inf
    skips = (label != blank) & ~(merge & (label == np.r_[[-1, -1], label[:-2]][:n]))
    skips[:2] = False
    stays = merge | (label == blank)
    out = np.full((len(logp), n), never)
    out[0, :2] = logp[0, label[:2]]
    for t in range(1, len(logp)):
        old = out[t - 1]
        one, two = np.r_[never, old[:-1]], np.r_[[never] * min(2, n), old[:-2]][:n]
        ways = _add_logs(np.where(stays, old, never), one, np.where(skips, two, never))
        out[t] = ways + logp[t, label]
    return out


def _ctc_one(logits, label, blank, merge) -> tuple:
    """The loss of one sequence, and its gradient."""
    logp = logits - _add_logs(*logits.T)[:, None]
    spread = _spread(label, blank)
    forward = _paths(logp, spread, blank, merge)
    behind = _paths(logp[::-1], spread[::-1], blank, merge)[::-1, ::-1]
    total = _add_logs(*forward[-1, -2:])
    with np.errstate(all="ignore"):
        share = np.exp(forward + behind - logp[:, spread] - total)
    gradient = np.exp(logp)
    for u, k in enumerate(spread):
        gradient[:, k] -= np.nan_to_num(share[:, u])
    return -total, gradient


def _before_padding(label, blank):
    """A label without what ends it: labels of one length are filled up with the blank, or with what
    is no class.
    """
    classes = (label >= 0) & (label < blank)
    n = int(classes.argmin()) if not classes.all() else len(label)
    ended = not classes[n:].any()
    expect(ended, "labels_values", f"from 0 to {blank - 1} up to the padding", got=label.tolist())
    return label[:n]


def _ctc(x, indices, values, lengths, collapse, merge, ignore):
    losses, gradient = np.zeros(x.shape[1], x.dtype), np.zeros_like(x)
    blank = x.shape[2] - 1
    for b, n in enumerate(lengths):
        label = _before_padding(values[indices[:, 0] == b].astype(int), blank)
        if collapse:
            label = label[np.r_[True, label[1:] != label[:-1]][: len(label)]]
        expect(0 < n <= len(x), "sequence_length", f"from 1 to {len(x)}", got=n)
        if ignore and len(label) > n:
            continue
        expect(len(label) <= n, "sequence_length", f"{len(label)} or more, the label's", got=n)
        one = x[:n, b].astype(np.float64)
        losses[b], gradient[:n, b] = _ctc_one(one, label, blank, merge)
    return losses, gradient


@hosted(_ctc)
def _ctc_of_sparse(
    x: Tensor,
    indices: Tensor,
    values: Tensor,
    lengths: Tensor,
    collapse: bool,
    merge: bool,
    ignore: bool,
):
    return AbstractTuple((AbstractTensor((x.shape[1],), x.dtype), same(x)))


@_ctc_of_sparse.bprop
def _(x, indices, values, lengths, collapse, merge, ignore, out, dout):
    dx = P.reshape(dout[0], (1, -1, 1)) * out[1]
    return dx, None, None, None


@primitive
def CTCLoss(
    preprocess_collapse_repeated=False,
    ctc_merge_repeated=True,
    ignore_longer_outputs_than_inputs=False,
):
    """The losses of scores (T, N, C) for labels given as a sparse matrix, with the last class the
    blank, and the gradient of their sum.
    """
    options = (
        bool(preprocess_collapse_repeated),
        bool(ctc_merge_repeated),
        bool(ignore_longer_outputs_than_inputs),
    )

    def call(x, labels_indices, labels_values, sequence_length):
        expect(len(x.shape) == 3, "x", "of rank 3", got=x.shape)
        expect(
            len(labels_indices.shape) == 2, "labels_indices", "a matrix", got=labels_indices.shape
        )
        return _ctc_of_sparse(
            x, P.cast(labels_indices, dt.int64), labels_values, sequence_length, *options
        )

    return call
