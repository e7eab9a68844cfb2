"""Cells that a compiled function makes for itself."""

import numpy as np
import pytest
from agreement import agree, gradients_agree

import minds as ms
from minds import Tensor, nn, ops

X = Tensor(np.random.RandomState(0).randn(2, 3).astype(np.float32))


def activation(x):
    return nn.SequentialCell(nn.Tanh(), nn.Sigmoid())(nn.ReLU()(x)).sum()


def chosen_by_a_constant(x, kind="tanh"):
    layer = {"tanh": nn.Tanh, "relu": nn.ReLU}[kind]()
    return (layer(x) * x).sum()


def loss_of(x):
    return nn.MSELoss()(x * 2, x + 1)


@pytest.mark.parametrize("fn", [activation, chosen_by_a_constant, loss_of])
def test_made_where_it_is_used(fn):
    agree(fn, X)
    gradients_agree(fn, X)


class Wrapped(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 2)

    def construct(self, x):
        return nn.WithLossCell(self.dense, nn.MSELoss())(x, ops.zeros((2, 2)))


def test_parameters_may_come_from_an_argument():
    net = Wrapped()
    w, b = (p.asnumpy() for p in net.get_parameters())
    np.testing.assert_allclose(
        ms.jit(net)(X).asnumpy(), np.mean((X.asnumpy() @ w.T + b) ** 2), rtol=1e-5
    )
    assert ms.grad(net, None, net.trainable_params())(X)[0].shape == (2, 3)


class Fresh(nn.Cell):
    def construct(self, x):
        return nn.Dense(3, 2)(x)


def test_new_parameters_are_refused():
    with pytest.raises(SyntaxError, match="has new parameters at each call: weight, bias") as e:
        ms.jit(Fresh())(X)
    assert "return nn.Dense(3, 2)(x)" in str(e.value) and "make it in __init__" in str(e.value)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def test_a_class_that_is_called_like_its_cells(mode):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.act = nn.ReLU

        def construct(self, x):
            return self.act(x)

    ms.set_context(mode=mode)
    try:
        with pytest.raises(TypeError, match="ReLU is a class, and is called with a Tensor"):
            Net()(X)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
