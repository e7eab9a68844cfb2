"""`lstm`: the loss of a stack of LSTM layers with diagonal weights on a sequence, step by step."""

import minds as ms
from minds import ops

from .evaluation import Evaluation, flat, tensor


def cell(weight, bias, hidden, state, x):
    """One layer, one step; weight and bias are (4, b): forget, in, out, change."""
    forget = ops.sigmoid(x * weight[0] + bias[0])
    ingate = ops.sigmoid(hidden * weight[1] + bias[1])
    outgate = ops.sigmoid(x * weight[2] + bias[2])
    change = ops.tanh(hidden * weight[3] + bias[3])
    state = state * forget + ingate * change
    return outgate * ops.tanh(state), state


def objective(main, extra, start, sequence):
    """Minus the mean of the next characters' log-probabilities; the sum in them has two more
    elements, of 1.

    ``main`` is (2 l, 4 b), weight and bias by turns; ``extra`` (3, b): of the input, of the output,
    bias of that; ``start`` (2 l, b), hidden and cell by turns; ``sequence`` (c, b).
    """
    layers, (length, width) = main.shape[0] // 2, sequence.shape
    gates = [[list(part) for part in layer] for layer in main.reshape(layers, 2, 4, width)]
    states = [(start[2 * i], start[2 * i + 1]) for i in range(layers)]
    total = (sequence[0] * 0.0).sum()
    for t in range(length - 1):
        x = sequence[t] * extra[0]
        after = []
        for i in range(layers):
            x, state = cell(*gates[i], states[i][0], states[i][1], x)
            after.append((x, state))
        states = after
        out = x * extra[1] + extra[2]
        total = total + (sequence[t + 1] * (out - ops.log(ops.exp(out).sum() + 2.0))).sum()
    return -total / ((length - 1) * width)


def prepare(data: dict) -> tuple:
    """The four tensors."""
    return tuple(
        tensor(data[name]) for name in ("main_params", "extra_params", "state", "sequence")
    )


FUNCTIONS = {
    "objective": Evaluation(prepare, ms.jit(objective)),
    "jacobian": Evaluation(prepare, ms.jit(ms.grad(objective, (0, 1))), flat),
}
