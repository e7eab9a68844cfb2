"""`Tensor` of tensors: a new tensor through which gradients flow, in both modes."""

import copy

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops

X = np.array([1.5, -2.0, 3.0])
W = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], ms.float64)


def written(x):
    y = Tensor(x)
    y[0] = x[1] * x[2]
    y += x
    return (x * y).sum()


def source_written(x):
    x = x * 1.0
    y = Tensor(x)
    x[0] = 5.0
    return (x * y).sum()


def chosen(x):
    y = Tensor(x) if x[0] > 0 else Tensor(-x)
    return (y * y * y).sum()


def rolled(x):
    for _ in range(12):
        x = Tensor(x) * 1.01
    return (x * x).sum()


PROGRAMS = {
    "same": lambda x: (Tensor(x) * x).sum(),
    "function": lambda x: (ms.tensor(input_data=x) ** 2).sum(),
    "cast": lambda x: (Tensor(x, ms.complex128) * Tensor(x, ms.complex128)).real().sum(),
    "shape": lambda x: (Tensor(x, shape=(2, 3)) ** 2 * W).sum(),
    "rows": lambda x: (Tensor([x, x * 2]) ** 3).sum(),
    "nested": lambda x: (Tensor([[x[0], 2.0], [x[1] * x[2], 1]]) ** 2).sum(),
    "tuple": lambda x: (Tensor((x[0], x[1]), ms.float64) ** 2).sum(),
    "views": lambda x: (Tensor(x[1:]) ** 2).sum() + (Tensor(x.reshape(3, 1)) ** 3).sum(),
    "copied": lambda x: (copy.copy(x) * copy.deepcopy(x)).sum(),
    **{f.__name__: f for f in (written, source_written, chosen, rolled)},
}


def differences(f, x):
    """The gradient by central differences."""
    steps = np.eye(x.size) * 1e-6
    return np.array([(float(f(Tensor(x + h))) - float(f(Tensor(x - h)))) / 2e-6 for h in steps])


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_flow_through(name, compiled):
    f = PROGRAMS[name]

    def gradient(x):
        return ms.grad(f)(x)

    def norm(x):
        return (gradient(x) ** 2).sum()

    of, second = (
        (ms.jit(gradient), ms.jit(ms.grad(norm))) if compiled else (gradient, ms.grad(norm))
    )
    x = Tensor(X)
    np.testing.assert_allclose(of(x).asnumpy(), differences(f, X), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(second(x).asnumpy(), differences(norm, X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_what_detaches(compiled):
    for f in (
        lambda x: (ops.stop_gradient(Tensor(x)) * x).sum(),
        lambda x: (Tensor(x.asnumpy()) * x).sum(),
        lambda x: (Tensor(x.tolist(), ms.float64) * x).sum(),
    ):
        grad = ms.jit(ms.grad(f)) if compiled else ms.grad(f)
        np.testing.assert_array_equal(grad(Tensor(X)).asnumpy(), X)


def test_a_parameter_made_of_a_tensor_begins_anew():
    grad = ms.grad(lambda x: (Parameter(x, name="p") * x).sum())
    np.testing.assert_array_equal(grad(Tensor(X)).asnumpy(), X)


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_other_transforms(compiled):
    f = ms.jit(PROGRAMS["same"]) if compiled else PROGRAMS["same"]
    assert float(ms.jvp(f, Tensor(X), Tensor([1.0, 0.0, 2.0], ms.float64))[1]) == 15.0
    assert ms.vmap(f)(Tensor(np.stack([X, 2 * X]))).tolist() == [15.25, 61.0]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_parameters_and_a_gradient_of_their_own(mode):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([2.0, 3.0]), name="w")

        def construct(self, x):
            return (Tensor(self.w) * x).sum() + (Tensor([self.w, self.w]) ** 2).sum()

    class Tripled(nn.Cell):
        def construct(self, x):
            return Tensor(x)

        def bprop(self, x, out, dout):
            return (Tensor(dout) * 3.0,)

    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        net, x = Net(), Tensor([1.0, 2.0])
        for w in ([2.0, 3.0], [5.0, -1.0]):  # read at each call
            net.w.set_data(Tensor(w))
            a, b = w
            assert float(net(x)) == a + 2 * b + 2 * (a * a + b * b)
            (grad,) = ms.grad(net, None, net.trainable_params())(x)
            assert grad.tolist() == [1 + 4 * a, 2 + 4 * b]
        assert ms.grad(lambda v: Tripled()(Tensor(v)).sum())(x).tolist() == [3.0, 3.0]
    finally:
        ms.set_context(mode=before)


def test_a_list_that_holds_itself_is_refused():
    held: list = []
    held.append(held)
    for call in (lambda: Tensor(held), ms.jit(lambda: Tensor(held))):
        with pytest.raises(TypeError, match="holds itself"):
            call()
