"""What a loop makes of values that stay the same is made once, before it."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops

X = Tensor(np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4))
W = Tensor(np.linspace(0.5, -0.7, 16, dtype=np.float32).reshape(4, 4))


def in_loops(fn, *args) -> dict:
    """How often the functions of the program but the first run each kernel."""
    text = ms.inspect(fn, *args)["lower"].text()
    found: dict = {}
    for line in text[text.index("\n@1") :].splitlines() if "\n@1" in text else ():
        if "RUN " in line:
            name = line.split("RUN ")[1].split("(")[0]
            found[name] = found.get(name, 0) + 1
    return found


def steps(x, w, n):
    for _ in range(n):
        x = ops.tanh(ops.matmul(x.astype(ms.bfloat16), w.astype(ms.bfloat16)).astype(ms.float32))
    return x


def nested(x, w, n):
    for _ in range(n):
        for _ in range(n + 1):
            x = ops.tanh(ops.matmul(x, w.astype(ms.float16).astype(ms.float32)))
        x = x + w.astype(ms.float16).astype(ms.float32).sum(0)
    return x


def turned(x, w, n):
    for _ in range(n):
        x = ops.tanh(x + (x * ops.transpose(w.reshape(2, 8), (1, 0)).reshape(4, 4)[:3]))
    return x


def changing(x, w, n):
    for i in range(n):
        x = ops.tanh(ops.matmul(x.astype(ms.float16), w.astype(ms.float16))).astype(ms.float32)
        w = w * 0.5 if i % 2 else w
    return x


def chosen(x, w, n):
    v = w
    for _ in range(n):
        if x.sum() > 0:
            x = ops.tanh(x @ w.astype(ms.float16).astype(ms.float32))
        else:
            x = ops.tanh(x @ v.astype(ms.float16).astype(ms.float32)) + 0.5
            v = v + 0.25
    return x


def until(x, w, n):
    while ops.abs(x).sum() > 0.01 * n:
        x = ops.matmul(x, w.astype(ms.float16).astype(ms.float32)) * 0.25
    return x


@pytest.mark.parametrize("f", [steps, nested, turned, changing, chosen, until])
@pytest.mark.parametrize("n", [0, 1, 2, 30])
def test_values_and_gradients(f, n):
    g = ms.grad(lambda x, w: (f(x, w, n) * X).sum(), (0, 1))
    compiled = ms.jit(f)(X, W, n), *ms.jit(lambda x, w: g(x, w))(X, W)
    eager = f(X, W, n), *g(X, W)
    assert (compiled[0].asnumpy() == eager[0].asnumpy()).all()
    for a, b in zip(compiled[1:], eager[1:]):
        size = np.abs(b.asnumpy()).max()
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-4, atol=1e-5 * size + 1e-30)


def test_second_derivatives():
    def f(w):
        return (nested(X, w, 12) ** 2).sum()

    h = ms.grad(lambda w: (ms.grad(f)(w) * X.sum()).sum())
    a, b = ms.jit(h)(W).asnumpy(), h(W).asnumpy()
    np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4 * np.abs(b).max())


def test_weights_are_cast_once():
    assert in_loops(lambda x, w: steps(x, w, 30), X, W).get("cast", 0) <= 1  # of x
    assert in_loops(lambda x, w: nested(x, w, 30), X, W).get("cast", 0) == 0
    assert in_loops(lambda x, w: changing(x, w, 30), X, W).get("cast", 0) >= 2


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("half", [ms.float16, ms.bfloat16])
def test_recurrent_cells(kind, half):
    """In an iteration only data of the run are cast: what comes from the step before, its cotangents."""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.rnn = kind(4, 8)

        def construct(self, x):
            return (self.rnn(x)[0] ** 2).mean()

    net = Net()
    ms.amp.auto_mixed_precision(net, "auto", half)
    x = Tensor(np.ones((20, 2, 4), np.float32))
    step = ms.value_and_grad(net, None, net.trainable_params())
    text = ms.inspect(step, x)["lower"].text()
    rows = 8 * {nn.LSTM: 4, nn.GRU: 3, nn.RNN: 1}[kind]
    weight = f"[{rows}, 8]"
    inside = text[text.index("\n@1") :]
    casts = [n for n in inside.splitlines() if "RUN cast(" in n and weight in n.rpartition(":")[2]]
    assert not casts
    eager = step(x)
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        compiled = step(x)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert float(eager[0]) == float(compiled[0])
    for a, b in zip(compiled[1], eager[1]):
        size = np.abs(b.asnumpy()).max()
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=0.02, atol=0.02 * size)
