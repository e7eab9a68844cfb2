"""`Cell.set_grad`: a gradient goes back through the call that was just made, in both modes."""

import copy
import gc
import weakref

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops

X = np.linspace(-1, 2, 24).reshape(6, 4).astype(np.float32)
BY_LIST = ops.GradOperation(get_by_list=True, sens_param=True)


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"], autouse=True)
def _mode(request):
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.GRAPH_MODE)


class Noisy(nn.Cell):
    """w * x under a mask that it draws; it counts its calls."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w")
        self.b = Parameter(Tensor(1.0), name="b")
        self.calls = Parameter(Tensor(0.0), name="calls", requires_grad=False)
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x):
        ops.assign_add(self.calls, Tensor(1.0))
        return (self.drop(x) * self.w).sum() + self.b


class Step(nn.Cell):
    """The loss and its gradients, as scripts of MindSpore compute them."""

    def __init__(self, net, weights=None, between=None):
        super().__init__(auto_prefix=False)
        self.net, self.between = net, between
        self.weights = ms.ParameterTuple(weights or net.trainable_params())

    def construct(self, x):
        loss = self.net(x)
        if self.between is not None:
            self.between(self.net, x)
        return loss, BY_LIST(self.net, self.weights)(x, ops.ones_like(loss) * 3.0)


def noisy(flag=True):
    net = Noisy().set_train()
    return net.set_grad() if flag else net


def test_once():
    net = noisy()
    step = Step(net)
    for n in (1, 2, 3):
        loss, (dw, db) = step(Tensor(X))
        np.testing.assert_allclose(
            dw.asnumpy(), 3 * (loss.asnumpy() - 1) / 2, rtol=1e-6
        )  # one mask
        assert (db.asnumpy(), net.calls.asnumpy()) == (3, n)


def test_without_it_the_cell_is_computed_again():
    net = noisy(False)
    Step(net)(Tensor(X))
    assert net.calls.asnumpy() == 2


def test_it_can_be_changed():
    net = noisy(False)
    step = Step(net)
    step(Tensor(X))
    net.set_grad()
    step(Tensor(X))
    assert net.calls.asnumpy() == 3
    net.set_grad(False)
    step(Tensor(X))
    assert net.calls.asnumpy() == 5


def test_some_of_the_weights():
    net = noisy()
    loss, (db, dw) = Step(net, [net.b, net.w])(Tensor(X))
    np.testing.assert_allclose(dw.asnumpy(), 3 * (loss.asnumpy() - 1) / 2, rtol=1e-6)
    assert db.asnumpy() == 3
    assert [g.asnumpy() for g in Step(net, [net.b])(Tensor(X))[1]] == [3]


def test_other_functions_of_gradients():
    net = noisy()

    def step(x):
        loss = net(x)
        return loss, ms.value_and_grad(net, None, net.w)(x), ms.grad(net, None, net.w)(x)

    loss, (value, dw), _ = (ms.jit(step) if ms.get_context("mode") == 0 else step)(Tensor(X))
    assert loss.asnumpy() == value.asnumpy()
    np.testing.assert_allclose(dw.asnumpy(), (loss.asnumpy() - 1) / 2, rtol=1e-6)


def test_a_forward_call_alone():
    net = noisy()
    net.set_train(False)

    class Both(nn.Cell):
        def __init__(self):
            super().__init__(auto_prefix=False)
            self.net = net

        def construct(self, x):
            return self.net(x) * 2

    assert Both()(Tensor(X)).asnumpy() == 2 * (2 * X.sum() + 1)
    assert net.calls.asnumpy() == 1


class Square(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w")

    def construct(self, x):
        return (x * self.w * self.w).sum()


def assigned(net, x):
    ops.assign(net.w, Tensor(5.0))


def argument_changed(net, x):
    x[0] = 100.0


@pytest.mark.parametrize(
    ("between", "w", "first"), [(None, 2, 1), (assigned, 5, 1), (argument_changed, 2, 100)]
)
def test_what_changes_between_counts(between, w, first):
    net = Square().set_grad()
    loss, (dw,) = Step(net, between=between)(Tensor([1.0, 2.0]))
    assert loss.asnumpy() == 12
    assert dw.asnumpy() == 3 * (first + 2) * 2 * w


class Scaled(nn.Cell):
    """Its loss depends on a setting, on one of a layer below it, and on a frozen parameter."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w")
        self.frozen = Parameter(Tensor(1.0), name="frozen", requires_grad=False)
        self.scale, self.mask = 1, Tensor(1.0)
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x):
        return (self.drop(x) * self.w * self.frozen * self.scale * self.mask).sum()


@pytest.mark.parametrize(
    "change",
    [
        lambda net: setattr(net, "scale", 3),
        lambda net: net.frozen.set_data(Tensor(3.0)),
        lambda net: net.set_train(),
        lambda net: setattr(net, "mask", Tensor(0.0)),
    ],
    ids=["setting", "frozen", "training", "tensor"],
)
def test_changes_from_outside_between_the_calls_count(change):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net, x = Scaled().set_train(False).set_grad(), ops.ones((1000,))
    net(x)
    change(net)
    (dw,) = BY_LIST(net, [net.w])(x, Tensor(1.0))
    assert dw.asnumpy() != 1000


def test_other_arguments():
    net = Square().set_grad()

    def step(x, y):
        loss = net(x)
        return loss, BY_LIST(net, [net.w])(y, loss)[0]

    run = ms.jit(step) if ms.get_context("mode") == 0 else step
    loss, dw = run(Tensor([1.0]), Tensor([10.0]))
    assert (loss.asnumpy(), dw.asnumpy()) == (4, 10 * 2 * 2 * 4)


def test_under_a_condition():
    net = noisy()

    def step(x, n):
        loss = x.sum()
        g = loss
        for _ in range(3):
            if n > 0:
                loss = net(x)
                g = BY_LIST(net, [net.w])(x, ops.ones_like(loss))[0]
        return loss, g

    run = ms.jit(step) if ms.get_context("mode") == 0 else step
    loss, dw = run(Tensor(X), Tensor(1))
    np.testing.assert_allclose(dw.asnumpy(), (loss.asnumpy() - 1) / 2, rtol=1e-6)
    assert net.calls.asnumpy() == 3


def test_a_step_is_trained_as_by_the_library():
    """A subclass that computes its own gradients moves averages and weights as the library's step."""

    class Own(nn.TrainOneStepCell):
        def construct(self, x, y):
            loss = self.network(x, y)
            grads = self.grad(self.network, self.weights)(x, y, ops.ones_like(loss))
            self.optimizer(grads)
            return loss

    found = []
    for kind in (nn.TrainOneStepCell, Own):
        ms.set_seed(1)
        net = nn.SequentialCell(
            nn.Dense(4, 8), nn.BatchNorm1d(8), nn.Dropout(p=0.5), nn.Dense(8, 1)
        )
        loss = nn.WithLossCell(net, nn.MSELoss())
        step = kind(loss, nn.Momentum(net.trainable_params(), 0.1, 0.9)).set_train()
        losses = [step(Tensor(X), Tensor(X[:, :1])).asnumpy() for _ in range(4)]
        found.append([*losses, *[p.asnumpy() for p in net.get_parameters()]])
    for a, b in zip(*found):
        np.testing.assert_array_equal(a, b)


def test_a_copy_has_no_call():
    net = noisy()
    net(Tensor(X))
    copied = copy.deepcopy(net)
    assert copied.calls.asnumpy() == net.calls.asnumpy() == 1


def test_memory_is_given_back():
    net = noisy()
    net(Tensor(X))
    cell = weakref.ref(net)
    del net
    gc.collect()
    assert cell() is None


def test_value_and_gradients_at_once():
    net = noisy(False)
    value, grads = nn.ForwardValueAndGrad(net, net.trainable_params(), get_by_list=True)(Tensor(X))
    np.testing.assert_allclose(grads[0].asnumpy(), (value.asnumpy() - 1) / 2, rtol=1e-6)
    assert net.calls.asnumpy() == 1
