"""The cells around a network: losses, gradients, training steps, loss scaling."""

from __future__ import annotations

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops
from minds.common.api import _cell_graph_executor

X = ms.Tensor(np.random.RandomState(0).randn(4, 3).astype(np.float32))
Y = ms.Tensor(np.random.RandomState(1).randn(4, 2).astype(np.float32))


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def make():
    """A linear model with known weights, and the gradient of its mean squared error by formula."""
    net = nn.Dense(3, 2, ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3) / 10), "zeros")
    error = X.asnumpy() @ net.weight.asnumpy().T - Y.asnumpy()
    d = 2 * error / error.size
    return (
        net,
        nn.WithLossCell(net, nn.MSELoss()),
        float((error**2).mean()),
        (d.T @ X.asnumpy(), d.sum(0)),
    )


def test_with_loss_and_eval(mode):
    net, with_loss, loss, _ = make()
    np.testing.assert_allclose(float(with_loss(X, Y)), loss, rtol=1e-6)
    assert with_loss.backbone_network is net
    value, out, label = nn.WithEvalCell(net, nn.MSELoss(), add_cast_fp32=True)(X, Y)
    np.testing.assert_allclose(float(value), loss, rtol=1e-6)
    assert out.shape == (4, 2) and label.shape == (4, 2)


def test_train_one_step(mode):
    net, with_loss, loss, grads = make()
    before = [np.array(p.asnumpy()) for p in net.trainable_params()]
    step = nn.TrainOneStepCell(with_loss, nn.SGD(net.trainable_params(), 0.5)).set_train()
    np.testing.assert_allclose(float(step(X, Y)), loss, rtol=1e-6)
    for p, b, g in zip(net.trainable_params(), before, grads):
        np.testing.assert_allclose(p.asnumpy(), b - 0.5 * g, rtol=1e-5, atol=1e-6)
    assert float(step(X, Y)) < loss


def test_train_one_step_with_sens_and_gradients(mode):
    net, with_loss, loss, grads = make()
    step = nn.TrainOneStepCell(
        with_loss, nn.SGD(net.trainable_params(), 0.1, loss_scale=4.0), sens=4.0, return_grad=True
    )
    value, found = step(X, Y)
    np.testing.assert_allclose(float(value), loss, rtol=1e-6)
    assert list(found) == ["weight", "bias"]
    for g, w in zip(found.values(), grads):
        np.testing.assert_allclose(g.asnumpy(), 4 * w, rtol=1e-5, atol=1e-6)
    with pytest.raises(TypeError, match="sens has type str"):
        nn.TrainOneStepCell(with_loss, nn.SGD(net.trainable_params(), 0.1), sens="a")


def test_gradient_cells(mode):
    net, with_loss, loss, grads = make()
    for cell in (nn.WithGradCell(net, nn.MSELoss()), nn.WithGradCell(with_loss)):
        for g, w in zip(cell(X, Y), grads):
            np.testing.assert_allclose(g.asnumpy(), w, rtol=1e-5, atol=1e-6)
    value, found = nn.ForwardValueAndGrad(with_loss, net.trainable_params(), get_by_list=True)(X, Y)
    np.testing.assert_allclose(float(value), loss, rtol=1e-6)
    np.testing.assert_allclose(found[0].asnumpy(), grads[0], rtol=1e-5, atol=1e-6)
    value, dx = nn.ForwardValueAndGrad(with_loss, sens_param=True)(X, Y, ms.Tensor(2.0))
    d = 2 * (X.asnumpy() @ net.weight.asnumpy().T - Y.asnumpy()) / 8
    np.testing.assert_allclose(dx.asnumpy(), 2 * d @ net.weight.asnumpy(), rtol=1e-5, atol=1e-6)


def test_parameter_update(mode):
    w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    nn.ParameterUpdate(w)(ms.Tensor([3.0, 4.0]))
    assert w.asnumpy().tolist() == [3, 4]
    with pytest.raises(TypeError):
        nn.ParameterUpdate(3)


def test_fixed_loss_scale(mode):
    net, with_loss, loss, grads = make()
    before = np.array(net.weight.asnumpy())
    step = nn.TrainOneStepWithLossScaleCell(
        with_loss, nn.SGD(net.trainable_params(), 0.5), ms.Tensor(1024.0)
    )
    value, overflow, scale = step(X, Y)
    np.testing.assert_allclose(float(value), loss, rtol=1e-6)
    assert not bool(overflow) and float(scale) == 1024
    np.testing.assert_allclose(net.weight.asnumpy(), before - 0.5 * grads[0], rtol=1e-5, atol=1e-6)
    step.set_sense_scale(ms.Tensor(2.0))
    assert float(step(X, Y)[2]) == 2


def test_dynamic_loss_scale(mode):
    net, with_loss, _, _ = make()
    manager = nn.DynamicLossScaleUpdateCell(8.0, 2, 2)
    step = nn.TrainOneStepWithLossScaleCell(
        with_loss, nn.SGD(net.trainable_params(), 0.01), manager
    )
    bad = ms.Tensor(np.full((4, 3), np.inf, np.float32))
    scales, overflows = [], []
    for x in (X, X, bad, X, X, X):
        before = np.array(net.weight.asnumpy())
        _, overflow, scale = step(x, Y)
        scales.append(float(scale))
        overflows.append(bool(overflow))
        assert np.array_equal(before, net.weight.asnumpy()) == overflows[-1]
    assert overflows == [False, False, True, False, False, False]
    assert scales == [8, 8, 16, 8, 8, 16]


def test_compile_only():
    net, with_loss, _, _ = make()
    before = np.array(net.weight.asnumpy())
    step = nn.TrainOneStepCell(with_loss, nn.SGD(net.trainable_params(), 0.5))
    step.compile(X, Y)
    assert _cell_graph_executor.compile(step, X, Y)[1]
    np.testing.assert_array_equal(net.weight.asnumpy(), before)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_step_that_computes_its_gradients_itself(mode):
    class Step(nn.TrainOneStepCell):
        def construct(self, *inputs):
            loss = self.network(*inputs)
            grads = self.grad(self.network, self.weights)(*inputs, ops.ones_like(loss))
            return ops.depend(loss, self.optimizer(self.grad_reducer(grads)))

    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        x, y, losses = Tensor([[1.0, 2.0]]), Tensor([[1.0]]), []
        for step in (nn.TrainOneStepCell, Step):
            net = nn.WithLossCell(nn.Dense(2, 1, "zeros", "zeros"), nn.MSELoss())
            train = step(net, nn.SGD(net.trainable_params(), 0.1))
            losses.append([float(train(x, y)) for _ in range(3)])
        assert losses[0] == losses[1] and losses[0][2] < losses[0][0]
    finally:
        ms.set_context(mode=before)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def test_a_step_that_a_subclass_writes(mode):
    """As scripts of MindSpore's for BERT do: parts of the base class, in the order of its own step."""
    ms.set_context(mode=mode)

    class Step(nn.TrainOneStepWithLossScaleCell):
        def construct(self, x, y):
            weights = self.weights
            loss = self.network(x, y)
            status, scale = self.start_overflow_check(loss, self.scale_sense)
            grads = self.grad(self.network, weights)(x, y, ops.ones_like(loss) * scale)
            grads = self.hyper_map(ops.partial(_unscaled, scale), self.grad_reducer(grads))
            overflow = self.get_overflow_status(status, grads)
            overflow = self.process_loss_scale(overflow)
            if overflow:
                done = False
            else:
                done = self.optimizer(grads)
            return ops.depend((loss, overflow, scale), done)

    x, y = Tensor([[1.0, 2.0], [0.5, -1.0]]), Tensor([[1.0], [0.0]])
    found = []
    for kind in (Step, nn.TrainOneStepWithLossScaleCell):
        net = nn.WithLossCell(nn.Dense(2, 1, "ones", "zeros"), nn.MSELoss())
        manager = nn.DynamicLossScaleUpdateCell(1024.0, 2, 2)
        step = kind(net, nn.SGD(net.trainable_params(), 0.1), manager).set_train()
        assert isinstance(step, nn.TrainOneStepCell)
        losses = [float(step(x, y)[0]) for _ in range(4)]
        step(x * float("inf"), y)
        found.append((*losses, float(step.scale_sense.value())))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)
    assert found[0][3] < found[0][0] / 2


_unscaled = ops.MultitypeFuncGraph("unscaled")


@_unscaled.register("Tensor", "Tensor")
def _divided(scale, grad):
    return grad / scale
