"""`ops.jet`, `ops.derivative`; code that is not differentiated; small parts of primitives."""

import math

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops

MODES = [ms.PYNATIVE_MODE, ms.GRAPH_MODE]


class Poly(nn.Cell):
    def construct(self, x):
        return x * x * x - 2.0 * x


class Pair(nn.Cell):
    def construct(self, x, y):
        return ops.sin(x) * y, ops.exp(y)


class Inside(nn.Cell):
    def __init__(self, net, order):
        super().__init__()
        self.net, self.order = net, order

    def construct(self, x, s):
        value, series = ops.jet(self.net, x, s)
        again, last = ops.derivative(self.net, x, self.order)
        return value, series, again, last


def close(a, b):
    np.testing.assert_allclose(a.asnumpy(), b, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_a_jet_of_a_polynomial(mode):
    ms.set_context(mode=mode)
    x, s = Tensor([1.0, 2.0]), Tensor([[1.0, 1.0], [0.0, 3.0], [0.0, 0.0]])
    value, series = ops.jet(Poly(), x, s)
    close(value, [-1.0, 4.0])
    # p' x1;  p'' x1² + p' x2;  p''' x1³ + 3 p'' x1 x2 + p' x3
    close(series, [[1.0, 10.0], [6.0, 12.0 + 30.0], [6.0, 6.0 + 3 * 12.0 * 3.0]])


@pytest.mark.parametrize("mode", MODES)
def test_several_inputs_and_outputs(mode):
    ms.set_context(mode=mode)
    x, y = Tensor([0.5]), Tensor([0.25])
    line = Tensor([[1.0], [0.0]])
    (a, b), (da, db) = ops.jet(Pair(), (x, y), (line, line))
    s, c, e = math.sin(0.5), math.cos(0.5), math.exp(0.25)
    close(a, [s / 4])
    close(b, [e])
    close(da, [[c / 4 + s], [2 * c - s / 4]])
    close(db, [[e], [e]])
    _, (last, _) = ops.derivative(Pair(), (x, y), 2)
    close(last, [2 * c - s / 4])


def test_in_compiled_code():
    ms.set_context(mode=ms.GRAPH_MODE)
    value, series, again, last = Inside(Poly(), 3)(Tensor([1.0]), Tensor([[1.0], [0.0]]))
    close(value, [-1.0])
    close(series, [[1.0], [6.0]])
    close(again, [-1.0])
    close(last, [6.0])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", [ms.int32, ms.int64])
def test_whole_numbers_are_points_of_curves(dtype, mode):
    ms.set_context(mode=mode)
    value, series = ops.jet(lambda x: x * x * x, Tensor([2], dtype), Tensor([[1], [0], [0]], dtype))
    close(value, [8.0])
    close(series, [[12.0], [12.0], [6.0]])


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: ops.jet(Poly(), 1.0, Tensor([[1.0]])), TypeError),
        (lambda: ops.jet(Poly(), Tensor([1.0]), Tensor([1.0, 2.0])), ValueError),
        (lambda: ops.jet(Pair(), (Tensor([1.0]), Tensor([1.0])), (Tensor([[1.0]]),)), ValueError),
        (lambda: ops.derivative(Poly(), Tensor([1.0]), 0), ValueError),
        (lambda: ops.derivative(Poly(), Tensor([1.0]), 1.0), TypeError),
        (lambda: ops.derivative(Poly(), 2.0, 1), TypeError),
        (lambda: ops.derivative(Poly(), Tensor([1], ms.int16), 2), TypeError),
        (lambda: ms.jit(lambda x, n: ops.derivative(Poly(), x, n))(Tensor([1.0]), 0), ValueError),
    ],
)
def test_jets_that_are_refused(call, error):
    with pytest.raises(error):
        call()


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([3.0]), name="w")

    def construct(self, x):
        y = self.w * x
        with ms._no_grad():
            held = y * y
        return held * y


def test_what_runs_under_no_grad_is_constant():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    x = Tensor([2.0])
    close(ms.grad(Scaled())(x), [36.0 * 3.0])
    close(ms.grad(Scaled(), None, Scaled().trainable_params()[0])(x), [0.0])
    net = Scaled()
    close(ms.grad(net, None, net.w)(x), [36.0 * 2.0])

    @ms._no_grad()
    def square(x):
        return x * x

    close(ms.grad(lambda x: x + square(x))(x), [1.0])
    close(ms.grad(lambda x: x * x)(x), [4.0])


def test_no_gradient_is_taken_under_no_grad():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    with (
        pytest.raises(RuntimeError, match="In no_grad context, you can not calculate gradient"),
        ms._no_grad(),
    ):
        ms.grad(lambda x: x * x)(Tensor([1.0]))
    close(ms.grad(lambda x: x * x)(Tensor([1.0])), [2.0])


def test_parts_of_primitives():
    cast = ops.Cast()
    cast.set_user_data("seen", Tensor([1.0]))
    close(cast.get_user_data("seen"), [1.0])
    assert cast.get_user_data("other") is None
    double = ops.operations.HookBackward(lambda grads: grads[0] * 2.0)
    close(ms.grad(lambda x: double(x * 3.0))(Tensor([1.0])), [6.0])


@pytest.mark.parametrize("mode", MODES)
def test_a_function_changes_a_gradient_on_its_way(mode):
    ms.set_context(mode=mode)
    triple = ops.operations.InsertGradientOf(lambda grad: grad * 3.0)
    close(triple(Tensor([2.0])), [2.0])
    close(ms.grad(lambda x: triple(x * 2.0))(Tensor([1.0])), [6.0])
    with pytest.raises(TypeError, match="f is int"):
        ops.InsertGradientOf(3)


@pytest.mark.parametrize("op", [ops.shape, ops.rank, ops.size])
def test_shapes_are_of_tensors(op):
    with pytest.raises(TypeError, match="the input is a list"):
        op([Tensor([1.0]), Tensor([2.0])])
