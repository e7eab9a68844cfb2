"""Recurrent cells of one step, and layers that run them over time.

A layer multiplies all steps with the input weights at once; what remains in the loop is the product
with the state.
"""

from __future__ import annotations

import math

from ... import ops
from ...base import dtype as dt
from ...base.limits import times
from ...base.options import is_divided
from ...common.initializer import Uniform, initializer
from ...ops import checked
from ...ops.define import P
from ...parameters import ParameterTuple
from ...tensor import Parameter
from ..cell import Cell
from . import checks
from .basic import Dropout


def lstm_step(gx, gh, state):
    """The next (h, c) from the gates' parts of the input and of the state: input, forget, cell,
    output.
    """
    size = state[1].shape[-1]
    i, f, g, o = P.split(gx + gh, (size,) * 4, 1)
    c = ops.sigmoid(f) * state[1] + ops.sigmoid(i) * ops.tanh(g)
    return ops.sigmoid(o) * ops.tanh(c), c


def gru_step(gx, gh, state):
    """The next (h,): reset and update gates, and the candidate, whose part of the state is
    reset.
    """
    size = state[0].shape[-1]
    xr, xz, xn = P.split(gx, (size,) * 3, 1)
    hr, hz, hn = P.split(gh, (size,) * 3, 1)
    z = ops.sigmoid(xz + hz)
    n = ops.tanh(xn + ops.sigmoid(xr + hr) * hn)
    return (n + z * (state[0] - n),)


def tanh_step(gx, gh, state):
    """The next (h,) of the simple network with tanh."""
    return (ops.tanh(gx + gh),)


def relu_step(gx, gh, state):
    """The next (h,) of the simple network with relu."""
    return (ops.relu(gx + gh),)


def of_all_steps(x, weight, bias):
    """`linear` of (steps, batch, inputs), as one product. Where the program is divided among processes the
    rows of an example are together in it, so that examples may lie apart.
    """
    if is_divided():
        x = ops.transpose(x, (1, 0, 2))
    out = linear(ops.reshape(x, (-1, x.shape[2])), weight, bias)
    out = ops.reshape(out, x.shape[:2] + (out.shape[1],))
    return ops.transpose(out, (1, 0, 2)) if is_divided() else out


def linear(x, weight, bias):
    """``x`` times the transposed weight, plus the bias where there is one."""
    out = P.matmul(x, weight, transpose_b=True)
    return out if bias is None else out + bias


class RNNCellBase(Cell):
    """A cell of one step; ``num_chunks`` blocks of weights, one for each gate."""

    def __init__(self, input_size, hidden_size, has_bias, num_chunks, dtype=dt.float32):
        super().__init__()
        name = self.cls_name
        self.input_size = checks.positive_int(name, "input_size", input_size)
        self.hidden_size = checks.positive_int(name, "hidden_size", hidden_size)
        self.has_bias = checks.boolean(name, "has_bias", has_bias)
        rows, init = num_chunks * hidden_size, Uniform(1 / math.sqrt(hidden_size))
        self.weight_ih = Parameter(initializer(init, [rows, input_size], dtype))
        self.weight_hh = Parameter(initializer(init, [rows, hidden_size], dtype))
        self.bias_ih, self.bias_hh = None, None
        if has_bias:
            self.bias_ih = Parameter(initializer(init, [rows], dtype))
            self.bias_hh = Parameter(initializer(init, [rows], dtype))

    def _gates(self, x, h):
        return linear(x, self.weight_ih, self.bias_ih), linear(h, self.weight_hh, self.bias_hh)


class RNNCell(RNNCellBase):
    r"""One step of a simple recurrent network:
    :math:`h' = \tanh(W_{ih} x + b_{ih} + W_{hh} h + b_{hh})`.

    Args:
        input_size (int), hidden_size (int): sizes of x and h.
        has_bias (bool): whether biases are added. Default True.
        nonlinearity (str): ``tanh`` or ``relu``. Default tanh.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, input_size)]), **hx** (Tensor[(N, hidden_size)])

    Outputs:
        Tensor[(N, hidden_size)].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a size is not positive, another nonlinearity, or the shapes do not fit.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.RNNCell(3, 4)(ms.ops.ones((2, 3)), ms.ops.zeros((2, 4))).shape
        (2, 4)
    """

    def __init__(
        self, input_size, hidden_size, has_bias=True, nonlinearity="tanh", dtype=dt.float32
    ):
        super().__init__(input_size, hidden_size, has_bias, 1, dtype)
        self.nonlinearity = checks.word_of(
            "RNNCell", "nonlinearity", nonlinearity, ("tanh", "relu")
        )

    def construct(self, x, hx):
        gx, gh = self._gates(x, hx)
        return (tanh_step if self.nonlinearity == "tanh" else relu_step)(gx, gh, (hx,))[0]


class LSTMCell(RNNCellBase):
    r"""One step of a long short-term memory: :math:`c' = \sigma(f) c + \sigma(i) \tanh g`,
    :math:`h' = \sigma(o) \tanh c'`, with the gates i, f, g, o each of the form
    :math:`W_{ih} x + b_{ih} + W_{hh} h + b_{hh}`.

    Args:
        input_size (int), hidden_size (int): sizes of x and of the state.
        has_bias (bool): whether biases are added. Default True.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, input_size)]), **hx** (tuple of h and c, Tensor[(N, hidden_size)] each)

    Outputs:
        Tuple of the next h and c.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a size is not positive, or the shapes do not fit.

    Source: Hochreiter and Schmidhuber, Long Short-Term Memory, 1997; with forget gates.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> h = ms.ops.zeros((2, 4))
        >>> [t.shape for t in nn.LSTMCell(3, 4)(ms.ops.ones((2, 3)), (h, h))]
        [(2, 4), (2, 4)]
    """

    def __init__(self, input_size, hidden_size, has_bias=True, dtype=dt.float32):
        super().__init__(input_size, hidden_size, has_bias, 4, dtype)

    def construct(self, x, hx):
        gx, gh = self._gates(x, hx[0])
        return lstm_step(gx, gh, hx)


class GRUCell(RNNCellBase):
    r"""One step of gated recurrent units: :math:`h' = n + \sigma(z) (h - n)` with
    :math:`n = \tanh(W_n x + b_n + \sigma(r) (U_n h + c_n))` and the gates r and z of the form
    :math:`W x + b + U h + c`.

    Args:
        input_size (int), hidden_size (int): sizes of x and h.
        has_bias (bool): whether biases are added. Default True.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, input_size)]), **hx** (Tensor[(N, hidden_size)])

    Outputs:
        Tensor[(N, hidden_size)].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a size is not positive, or the shapes do not fit.

    Source: Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> nn.GRUCell(3, 4)(ops.ones((2, 3)), ops.zeros((2, 4))).shape
        (2, 4)
    """

    def __init__(self, input_size, hidden_size, has_bias=True, dtype=dt.float32):
        super().__init__(input_size, hidden_size, has_bias, 3, dtype)

    def construct(self, x, hx):
        gx, gh = self._gates(x, hx)
        return gru_step(gx, gh, (hx,))[0]


class _Recurrent(Cell):
    """Layers of recurrent units over time, optionally in both directions."""

    gates, states = 1, 1

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        has_bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        dtype=dt.float32,
    ):
        super().__init__()
        name = self.cls_name
        checks.positive_int(name, "input_size", input_size)
        self.hidden_size = checks.positive_int(name, "hidden_size", hidden_size)
        self.num_layers = checks.positive_int(name, "num_layers", num_layers)
        self.has_bias = checks.boolean(name, "has_bias", has_bias)
        self.batch_first = checks.boolean(name, "batch_first", batch_first)
        self.bidirectional = checks.boolean(name, "bidirectional", bidirectional)
        self.directions = 2 if bidirectional else 1
        self.dropout_op = Dropout(p=float(checks.number_in(name, "dropout", dropout, 0, 1, "[)")))
        rows, init = self.gates * hidden_size, Uniform(1 / math.sqrt(hidden_size))
        wide = hidden_size * self.directions
        places = [
            (f"_l{i}{s}", input_size if i == 0 else wide)
            for i in times(num_layers, f"{name}: num_layers", 1000)
            for s in ("", "_reverse")[: self.directions]
        ]

        def made(prefix, shape_of):
            return ParameterTuple(
                Parameter(initializer(init, shape_of(n), dtype), name=prefix + s) for s, n in places
            )

        self.w_ih_list = made("weight_ih", lambda n: [rows, n])
        self.w_hh_list = made("weight_hh", lambda n: [rows, hidden_size])
        self.b_ih_list = made("bias_ih", lambda n: [rows]) if has_bias else None
        self.b_hh_list = made("bias_hh", lambda n: [rows]) if has_bias else None

    def _next(self, gx, gh, state):
        raise NotImplementedError

    def construct(self, x, hx=None, seq_length=None):
        if self.batch_first:
            x = ops.transpose(x, (1, 0, 2))
        if x.shape[0] == 0:
            raise ValueError(f"{self.cls_name}: x has no steps, its shape is {x.shape}")
        if seq_length is not None:
            if seq_length.shape != (x.shape[1],):
                what = f"{self.cls_name}: seq_length has shape {seq_length.shape}"
                raise ValueError(f"{what}, expected {(x.shape[1],)}: a length per example")
            what = f"{self.cls_name}: seq_length"
            seq_length = checked.lengths(seq_length, x.shape[0], what)
        if hx is None:
            zeros = ops.zeros(
                (self.num_layers * self.directions, x.shape[1], self.hidden_size), x.dtype
            )
            hx = (zeros,) * self.states
        elif self.states == 1:
            hx = (hx,)
        finals = ()
        for layer in range(self.num_layers):
            outs = ()
            for direction in range(self.directions):
                k = layer * self.directions + direction
                out, last = self._run(x, tuple(h[k] for h in hx), k, direction == 1, seq_length)
                outs, finals = outs + (out,), finals + (last,)
            x = P.concat(outs, 2) if self.directions == 2 else outs[0]
            if layer + 1 < self.num_layers:
                x = self.dropout_op(x)
        if self.batch_first:
            x = ops.transpose(x, (1, 0, 2))
        last = tuple(ops.stack(tuple(f[i] for f in finals), 0) for i in range(self.states))
        return x, (last if self.states > 1 else last[0])

    def _run(self, x, state, k, backwards, seq_length):
        """One layer in one direction: the states of all steps stacked, and the last state."""
        x = ops.flip(x, (0,)) if backwards else x
        gates = of_all_steps(x, self.w_ih_list[k], self.b_ih_list[k] if self.has_bias else None)
        bias = self.b_hh_list[k] if self.has_bias else None

        def step(carry, gate):
            t, state = carry
            new = self._next(gate, linear(state[0], self.w_hh_list[k], bias), state)
            out = new[0]
            if seq_length is not None:
                # A finished sequence keeps its state, and its outputs are zero.
                alive = ops.expand_dims(t < seq_length, 1)
                new = tuple(ops.select(alive, n, s) for n, s in zip(new, state))
                out = ops.select(alive, out, ops.zeros_like(out))
            return (t - 1 if backwards else t + 1, new), out

        (_, state), out = ops.scan(step, (x.shape[0] - 1 if backwards else 0, state), gates)
        return ops.flip(out, (0,)) if backwards else out, state


class RNN(_Recurrent):
    """A simple recurrent network over time.

    Args:
        input_size (int), hidden_size (int): sizes of an input and of the state.
        num_layers (int): how many layers, one on the other. Default 1.
        nonlinearity (str): ``tanh`` or ``relu``. Default tanh.
        has_bias (bool): whether biases are added. Default True.
        batch_first (bool): inputs and outputs are ``(N, T, …)``. Default False.
        dropout (float): between layers, in [0, 1). Default 0.
        bidirectional (bool): also run from the end to the start. Default False.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(T, N, input_size)])
        - **hx** (Tensor[(layers · directions, N, hidden_size)]) - the first state. Default None,
          zeros.
        - **seq_length** (Tensor[(N,), int]) - lengths of the sequences. Default None, T.

    Outputs:
        Tuple of the last layer's states (T, N, directions · hidden_size), and the last states.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> out, h = nn.RNN(3, 4)(ms.ops.ones((5, 2, 3)))
        >>> out.shape, h.shape
        ((5, 2, 4), (1, 2, 4))
    """

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        nonlinearity="tanh",
        has_bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        dtype=dt.float32,
    ):
        super().__init__(
            input_size,
            hidden_size,
            num_layers,
            has_bias,
            batch_first,
            dropout,
            bidirectional,
            dtype,
        )
        self.nonlinearity = checks.one_of("RNN", "nonlinearity", nonlinearity, ("tanh", "relu"))

    def _next(self, gx, gh, state):
        return tanh_step(gx, gh, state) if self.nonlinearity == "tanh" else relu_step(gx, gh, state)


class GRU(_Recurrent):
    """Gated recurrent units (`GRUCell`) over time.

    Args:
        input_size (int), hidden_size (int): sizes of an input and of the state.
        num_layers (int): how many layers, one on the other. Default 1.
        has_bias (bool): whether biases are added. Default True.
        batch_first (bool): inputs and outputs are ``(N, T, …)``. Default False.
        dropout (float): between layers, in [0, 1). Default 0.
        bidirectional (bool): also run from the end to the start. Default False.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(T, N, input_size)])
        - **hx** (Tensor[(layers · directions, N, hidden_size)]) - the first state. Default None,
          zeros.
        - **seq_length** (Tensor[(N,), int]) - lengths of the sequences. Default None, T.

    Outputs:
        Tuple of the last layer's states (T, N, directions · hidden_size), and the last states.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Source: Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> out, h = nn.GRU(3, 4, num_layers=2)(ops.ones((5, 2, 3)))
        >>> out.shape, h.shape
        ((5, 2, 4), (2, 2, 4))
    """

    gates = 3

    def _next(self, gx, gh, state):
        return gru_step(gx, gh, state)


class LSTM(_Recurrent):
    """A long short-term memory (`LSTMCell`) over time.

    Args:
        input_size (int), hidden_size (int): sizes of an input and of the state.
        num_layers (int): how many layers, one on the other. Default 1.
        has_bias (bool): whether biases are added. Default True.
        batch_first (bool): inputs and outputs are ``(N, T, …)``. Default False.
        dropout (float): between layers, in [0, 1). Default 0.
        bidirectional (bool): also run from the end to the start. Default False.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(T, N, input_size)])
        - **hx** (tuple of h and c, Tensor[(layers · directions, N, hidden_size)] each) - the first
          state. Default None, zeros.
        - **seq_length** (Tensor[(N,), int]) - lengths of the sequences. Default None, T.

    Outputs:
        Tuple of the last layer's h (T, N, directions · hidden_size), and the last (h, c).

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Source: Hochreiter and Schmidhuber, Long Short-Term Memory, 1997; with forget gates.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> out, (h, c) = nn.LSTM(3, 4, bidirectional=True, batch_first=True)(ms.ops.ones((2, 5, 3)))
        >>> out.shape, c.shape
        ((2, 5, 8), (2, 2, 4))
    """

    gates, states = 4, 2

    def _next(self, gx, gh, state):
        return lstm_step(gx, gh, state)


__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNCell"]
