"""`vjp` and `linearize` outside of compiled code: in graph mode two programs, with the bits of the
tape.
"""

import sys

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, eager, nn, ops

X = Tensor(np.array([0.5, -1.25, 2.0]))
Y = Tensor(np.array([3.0, 0.75, -0.5]))


@pytest.fixture(autouse=True)
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def both(fn):
    """What ``fn()`` gives in graph mode, which must be what it gives on the tape; flattened."""
    found = flat(fn())
    ms.set_context(mode=ms.PYNATIVE_MODE)
    wanted = flat(fn())
    ms.set_context(mode=ms.GRAPH_MODE)
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype
    return found


def flat(v):
    return [a for e in v for a in flat(e)] if isinstance(v, (tuple, list)) else [v.asnumpy()]


def straight(x, y):
    return ops.sin(x) * y, (x * y).sum(), x > y


def loop(x, y):
    while x.sum() < 40.0:
        x = x * y * 0.5 + x + 1.0
    return x * y


def branch(x, y):
    if x.sum() > y.sum():
        return x * y * 2.0
    return ops.exp(x) - y


@pytest.mark.parametrize("fn", [straight, loop, branch])
@pytest.mark.parametrize("at", [(X, Y), (Y, X)])
def test_vjp_with_the_pullback_called_several_times(fn, at):
    def pulls():
        value, pull = ms.vjp(fn, *at)
        douts = [
            value,
            tuple(v if v.dtype is ms.bool_ else v * 2.0 for v in value)
            if isinstance(value, tuple)
            else value * 2.0,
        ]
        return value, [pull(d) for d in douts]

    both(pulls)


@pytest.mark.parametrize("fn", [straight, loop, branch])
def test_linearize(fn):
    def pushes():
        value, push = ms.linearize(lambda x: fn(x, Y), X)
        return value, push(X), push(Y)

    both(pushes)


def test_nothing_runs_op_by_op_and_programs_are_kept(monkeypatch):
    def through():
        value, pull = ms.vjp(loop, X, Y)
        return value, pull(X), pull(Y)

    first, calls, run = flat(through()), [], eager._run
    monkeypatch.setattr(eager, "_run", lambda op, bound: calls.append(op.name) or run(op, bound))
    monkeypatch.setattr(sys.modules["minds.jit.steps"], "parse", None)
    for a, b in zip(first, flat(through())):
        np.testing.assert_array_equal(a, b)
    assert calls == []


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.array([2.0, 3.0, 5.0])), name="w")
        self.dropout = nn.Dropout(p=0.5)
        self.set_train()

    def construct(self, x):
        i = 0
        while i < 3:
            x = x * self.w
            i += 1
        return self.dropout(x), x + 1.0


def test_weights_aux_and_random_numbers():
    net = Net()

    def pulls():
        ms.set_seed(5)
        value, pull, aux = ms.vjp(net, X, weights=net.w, has_aux=True)
        return value, aux, pull(X), pull(value)

    found = both(pulls)
    mask = found[0] != 0
    assert mask.any()
    np.testing.assert_allclose(found[2], mask * 2.0 * X.asnumpy() * np.array([8.0, 27.0, 125.0]))


def test_the_point_stays_when_parameters_change():
    net = Net()
    net.set_train(False)
    value, pull = ms.vjp(lambda x: net(x)[1], X)
    before = pull(X)[0].asnumpy()
    net.w.set_data(Tensor(np.zeros(3)))
    np.testing.assert_array_equal(pull(X)[0].asnumpy(), before)
    assert ms.vjp(lambda x: net(x)[1], X)[1](X)[0].asnumpy().tolist() == [0.0] * 3


def test_methods_numbers_and_nested_inputs():
    class Scaled:
        def __init__(self, k):
            self.k = k

        def of(self, pair, y):
            return {"a": pair[0] * y * self.k, "b": pair[1].sum()}

    for k in (2.0, 3.0):
        value, pull = ms.vjp(Scaled(k).of, (X, Y), Y)
        (dp, dq), dy = pull((Y, Tensor(np.array(1.0))))
        np.testing.assert_array_equal(dp.asnumpy(), k * Y.asnumpy() ** 2)
        np.testing.assert_array_equal(dq.asnumpy(), np.ones(3))
        np.testing.assert_array_equal(value["a"].asnumpy(), (X * Y * k).asnumpy())


def test_a_gradient_through_a_pullback_and_inside_compiled_code():
    pull = ms.vjp(lambda x: x * x, X)[1]
    np.testing.assert_array_equal(
        ms.jit(lambda v: pull(v)[0] + v)(Y).asnumpy(), (2.0 * X * Y + Y).asnumpy()
    )
    slope = ms.grad(lambda v: (pull(v)[0] * v).sum())
    np.testing.assert_allclose(slope(Y).asnumpy(), 4.0 * (X * Y).asnumpy())
    ms.set_context(mode=ms.PYNATIVE_MODE)
    np.testing.assert_allclose(slope(Y).asnumpy(), 4.0 * (X * Y).asnumpy())


def test_effects_happen_once():
    net = Net()
    net.count = Parameter(Tensor([0.0]), name="count", requires_grad=False)

    def counted(x):
        i = 0
        while i < 3:
            net.count += 1.0
            x = x * net.w
            i += 1
        return x

    value, pull = ms.vjp(counted, X)
    pull(X), pull(Y)
    assert float(net.count) == 3.0


def test_refusals():
    with pytest.raises(TypeError, match="no gradient"):
        ms.vjp(ops.sin, "x")
    with pytest.raises(ValueError, match="2 vectors or cotangents for 1"):
        ms.vjp(ops.sin, X)[1]((X, X))
    with pytest.raises(ValueError, match="shapes"):
        ms.vjp(ops.sin, X)[1](Tensor(np.ones(2)))
    with pytest.raises(TypeError):
        ms.vjp(ops.sin, X)[1]()
    with pytest.raises(ValueError, match="one output"):
        ms.vjp(ops.sin, X, has_aux=True)
