"""Loops of known and unknown length that ask what their arguments hold: lists, tuples, sets, dicts."""

import pytest
from agreement import assert_same

import minds as ms
from minds import Tensor, nn, ops

X = Tensor([0.5, -1.25, 2.0])
CELLS = nn.CellList([nn.Tanh(), nn.ReLU(), nn.Sigmoid()])


def skipped(x, n, layers):
    for i in range(n):
        if i not in layers:
            continue
        x = x * 0.5 + i
    return x


def collected(x, n, layers):
    found = []
    for i in range(n):
        x = ops.tanh(x) + 0.1 * i
        if i in layers:
            found.append(x)
    return x, found


def a_dict_of_what_was_collected(x, n, layers):
    found = []
    for i in range(n):
        x = ops.sin(x) + 0.1 * i
        if i in layers:
            found.append(x)
    return {f"h{k}": v for k, v in enumerate(found)} | {"last": x, "count": len(found)}


def a_dict_inside(x, n, layers):
    states, order = {}, []
    for i in range(n):
        x = CELLS[i % 3](x) + 0.1
        order.append(x)
        if i in layers:
            states[i] = order[-1] * order[0]
    return states, order[-1]


def weights_of_layers(x, n, layers):
    names = list(layers)
    for i in range(n):
        for k, name in enumerate(names):
            if name == i:
                x = x * (k + 1.5)
    return x


LAYERS = {"list": [1, 4, 17], "tuple": (0, 2, 3), "set": {2, 11, 19}, "dict": {3: "a", 12: "b"}}
PROGRAMS = (skipped, collected, a_dict_of_what_was_collected, a_dict_inside, weights_of_layers)


def total(value):
    """The sum of the tensors in a result."""
    if isinstance(value, Tensor):
        return (value * 0.5).sum()
    if isinstance(value, dict):
        value = tuple(value.values())
    if not isinstance(value, (tuple, list)):
        return 0.0
    return sum([total(v) for v in value], Tensor(0.0))


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_loops_of_known_length(program, kind):
    layers = LAYERS[kind]

    def run(x):
        return program(x, 20, layers)

    def of_argument(x, layers):
        return program(x, 20, layers)

    def slope(x, layers):
        return ms.grad(lambda x: total(program(x, 20, layers)))(x)

    assert_same(ms.jit(run)(X), run(X))
    assert_same(ms.jit(of_argument)(X, layers), run(X))
    assert_same(ms.jit(slope)(X, layers), slope(X, layers))


@pytest.mark.parametrize("kind", LAYERS)
def test_loops_whose_length_data_decide(kind):
    layers = LAYERS[kind]
    for program in (skipped, collected):

        def slope(x, n, layers, program=program):
            return ms.grad(lambda x: total(program(x, n, layers)))(x)

        compiled, derived = ms.jit(program), ms.jit(slope)
        for n in (0, 1, 5, 20):
            assert_same(compiled(X, n, layers), program(X, n, layers))
            assert_same(derived(X, n, layers), slope(X, n, layers))
