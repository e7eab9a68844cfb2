"""`nn.layer.rnn_cells` and `nn.layer.rnns`: the recurrent layers, and the single steps and base
classes that MindSpore's models import beside them.
"""

from __future__ import annotations

import functools

from .. import nn, ops
from ..base.late import late
from ..nn import Cell
from ..nn.layer import rnn

RNNCellBase = rnn.RNNCellBase


def _step_of(step, several: bool):
    """A step as a function of the input, the state and the weights."""

    def run(inputs, hidden, w_ih, w_hh, b_ih, b_hh):
        state = hidden if several else (hidden,)
        out = step(rnn.linear(inputs, w_ih, b_ih), rnn.linear(state[0], w_hh, b_hh), state)
        return out if several else out[0]

    return run


_rnn_tanh_cell = _step_of(rnn.tanh_step, False)
_rnn_relu_cell = _step_of(rnn.relu_step, False)
_gru_cell = _step_of(rnn.gru_step, False)
_lstm_cell = _step_of(rnn.lstm_step, True)


class _DynamicRNNBase(Cell):
    """A layer over sequences whose weights are arguments.

    Args:
        mode (str): "RNN_RELU", "RNN_TANH", "LSTM" or "GRU".
    """

    def __init__(self, mode: str):
        super().__init__()
        steps = {
            "RNN_RELU": _rnn_relu_cell,
            "RNN_TANH": _rnn_tanh_cell,
            "LSTM": _lstm_cell,
            "GRU": _gru_cell,
        }
        self.cell, self.is_lstm = steps[mode], mode == "LSTM"

    def construct(self, x, h_0, seq_length, w_ih, w_hh, b_ih, b_hh):
        """The outputs of all steps, 0 after a sequence's end, and the last state."""
        state, outputs = h_0, []
        for t in range(x.shape[0]):
            new = self.cell(x[t], state, w_ih, w_hh, b_ih, b_hh)
            out = new[0] if self.is_lstm else new
            if seq_length is not None:
                going = ops.expand_dims(seq_length > t, -1)
                out = ops.where(going, out, ops.zeros_like(out))
                if self.is_lstm:
                    new = tuple([ops.where(going, n, s) for n, s in zip(new, state)])
                else:
                    new = ops.where(going, new, state)
            outputs.append(out)
            state = new
        return ops.stack(outputs), state


_DynamicRNNTanh = functools.partial(_DynamicRNNBase, "RNN_TANH")
_DynamicRNNRelu = functools.partial(_DynamicRNNBase, "RNN_RELU")
_DynamicGRUCPUGPU = _DynamicGRUAscend = functools.partial(_DynamicRNNBase, "GRU")
_DynamicLSTMCPUGPU = _DynamicLSTMAscend = functools.partial(_DynamicRNNBase, "LSTM")


__getattr__, __dir__ = late(__name__, {}, (), lambda name: getattr(nn, name, None))


__all__ = ["RNNCellBase"]
