"""Recurrent networks as primitives that give the values of all gates."""

from __future__ import annotations

from ...base.errors import expect
from ..define import P
from ..faces import primitive
from ..function.common import cut, only
from ..functional import WITHIN as F


def _fixed(cell_depth, keep_prob, num_proj, time_major, activation, direction) -> None:
    """Raise unless options are those that MindSpore has kernels for."""
    only("cell_depth", cell_depth, 1)
    only("keep_prob", keep_prob, 1.0)
    only("num_proj", num_proj, 0)
    only("time_major", time_major, True)
    only("activation", activation, "tanh")
    only("direction", direction, "UNIDIRECTIONAL")


def _step(x, t: int):
    return P.reshape(cut(x, 0, t, t + 1), x.shape[1:])


def _gates(joined, count: int) -> list:
    size = joined.shape[-1] // count
    return [cut(joined, -1 + len(joined.shape), i * size, (i + 1) * size) for i in range(count)]


def _stacked(rows: list) -> tuple:
    return tuple(F.stack(list(column), 0) for column in zip(*rows, strict=True))


@primitive
def DynamicRNN(
    cell_type="LSTM",
    direction="UNIDIRECTIONAL",
    cell_depth=1,
    use_peephole=False,
    keep_prob=1.0,
    cell_clip=-1.0,
    num_proj=0,
    time_major=True,
    activation="tanh",
    forget_bias=0.0,
    is_training=True,
):
    """A long short-term memory over a sequence, with the values of its gates.

    Args:
        cell_type (str): ``"LSTM"``. Default: ``"LSTM"``.
        direction (str): ``"UNIDIRECTIONAL"``. Default: ``"UNIDIRECTIONAL"``.
        cell_depth (int): 1. Default: 1.
        use_peephole (bool): False. Default: False.
        keep_prob (float): 1.0. Default: 1.0.
        cell_clip (float): bounds the cell's state where it is positive. Default: -1.0.
        num_proj (int): 0. Default: 0.
        time_major (bool): True. Default: True.
        activation (str): ``"tanh"``. Default: ``"tanh"``.
        forget_bias (float): added to the forget gate. Default: 0.0.
        is_training (bool): without effect. Default: True.
        x (Tensor[(T, N, I), float]): the sequences.
        w (Tensor[(I + H, 4 H), float]): the weights of the input, new, forget and output gate.
        b (Tensor[(4 H,), float]): their biases.
        seq_length (None): None.
        init_h, init_c (Tensor[(1, N, H), float]): the first states. Default: zeros.

    Returns:
        tuple[Tensor[(T, N, H), float]]: the outputs, the states h and c, the gates i, j, f, o and the
        tanh of c.

    Raises:
        ValueError: an option is another, or shapes do not fit.

    Examples:
        >>> x, w, b = ops.ones((2, 3, 4)), ops.ones((6, 8)), ops.zeros(8)
        >>> ops.DynamicRNN()(x, w, b, None)[0].shape
        (2, 3, 2)
    """
    only("cell_type", cell_type, "LSTM")
    only("use_peephole", use_peephole, False)
    _fixed(cell_depth, keep_prob, num_proj, time_major, activation, direction)

    def call(x, w, b, seq_length=None, init_h=None, init_c=None):
        only("seq_length", seq_length, None)
        steps, batch, wide = x.shape
        size = w.shape[1] // 4
        expect(w.shape[0] == wide + size, "w", f"of {wide + size} rows", got=w.shape)
        zeros = P.full((batch, size), 0, x.dtype)
        h = zeros if init_h is None else P.reshape(init_h, (batch, size))
        c = zeros if init_c is None else P.reshape(init_c, (batch, size))
        rows = []
        for t in range(steps):
            joined = P.matmul(P.concat([_step(x, t), h], 1), w) + b
            i, j, f, o = _gates(joined, 4)
            i, j, o = P.sigmoid(i), P.tanh(j), P.sigmoid(o)
            f = P.sigmoid(f + forget_bias)
            c = f * c + i * j
            c = P.maximum(P.minimum(c, cell_clip), -cell_clip) if cell_clip > 0 else c
            bounded = P.tanh(c)
            h = o * bounded
            rows.append((h, h, c, i, j, f, o, bounded))
        return _stacked(rows)

    return call


@primitive
def DynamicGRUV2(
    direction="UNIDIRECTIONAL",
    cell_depth=1,
    keep_prob=1.0,
    cell_clip=-1.0,
    num_proj=0,
    time_major=True,
    activation="tanh",
    gate_order="rzh",
    reset_after=True,
    is_training=True,
):
    """A gated recurrent unit over a sequence, with the values of its gates.

    Args:
        direction (str): ``"UNIDIRECTIONAL"``. Default: ``"UNIDIRECTIONAL"``.
        cell_depth (int): 1. Default: 1.
        keep_prob (float): 1.0. Default: 1.0.
        cell_clip (float): -1.0. Default: -1.0.
        num_proj (int): 0. Default: 0.
        time_major (bool): True. Default: True.
        activation (str): ``"tanh"``. Default: ``"tanh"``.
        gate_order (str): ``"rzh"`` or ``"zrh"``, the order of the gates in weights. Default:
            ``"rzh"``.
        reset_after (bool): apply the reset gate after the product with the weights. Default: True.
        is_training (bool): without effect. Default: True.
        x (Tensor[(T, N, I), float]): the sequences.
        weight_input (Tensor[(I, 3 H), float]): the weights of the inputs.
        weight_hidden (Tensor[(H, 3 H), float]): those of the state.
        bias_input, bias_hidden (Tensor[(3 H,), float]): their biases; None for none.
        seq_length (None): None.
        init_h (Tensor[(N, H), float]): the first state.

    Returns:
        tuple[Tensor[(T, N, H), float]]: the outputs, the states, the update, reset and new gate, and
        the part of the new gate that the state gives.

    Raises:
        ValueError: an option is another, or shapes do not fit.

    Examples:
        >>> x, w, v = ops.ones((2, 3, 4)), ops.ones((4, 6)), ops.ones((2, 6))
        >>> ops.DynamicGRUV2()(x, w, v, None, None, None, ops.zeros((3, 2)))[0].shape
        (2, 3, 2)
    """
    only("gate_order", gate_order, "rzh", "zrh")
    only("cell_clip", cell_clip, -1.0)
    _fixed(cell_depth, keep_prob, num_proj, time_major, activation, direction)

    def call(x, weight_input, weight_hidden, bias_input, bias_hidden, seq_length, init_h):
        only("seq_length", seq_length, None)
        size = weight_hidden.shape[0]
        expect(
            weight_hidden.shape[1] == 3 * size == weight_input.shape[1],
            "weight_hidden",
            "of shape (H, 3 H)",
            got=weight_hidden.shape,
        )
        h, rows = init_h, []
        of_new = cut(weight_hidden, 1, 2 * size, 3 * size)
        for t in range(x.shape[0]):
            seen, kept = P.matmul(_step(x, t), weight_input), P.matmul(h, weight_hidden)
            seen = seen if bias_input is None else seen + bias_input
            kept = kept if bias_hidden is None else kept + bias_hidden
            first, second, new = _gates(seen, 3)
            own_first, own_second, own = _gates(kept, 3)
            gates = P.sigmoid(first + own_first), P.sigmoid(second + own_second)
            reset, update = gates if gate_order == "rzh" else gates[::-1]
            if not reset_after:
                own = P.matmul(reset * h, of_new)
                own = own if bias_hidden is None else own + cut(bias_hidden, 0, 2 * size, 3 * size)
            new = P.tanh(new + (reset * own if reset_after else own))
            h = (1 - update) * new + update * h
            rows.append((h, h, update, reset, new, own))
        return _stacked(rows)

    return call
