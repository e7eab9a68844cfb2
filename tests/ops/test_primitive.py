"""Users' own primitives, as MindSpore's courses write them, in both modes."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops
from minds.ops import P
from minds.ops.primitive import PrimitiveWithInfer, bprop_getters, prim_attr_register
from minds.transforms.check_grad import check_grad


class AddSquares(PrimitiveWithInfer):
    """scale * (x² + y²), with a kernel on NumPy arrays."""

    @prim_attr_register
    def __init__(self, scale=1.0):
        self.init_prim_io_names(inputs=["x", "y"], outputs=["out"])
        self.add_prim_attr("twice", 2 * scale)

    def infer_shape(self, x, y):
        assert x == y
        return x

    def infer_dtype(self, x, y):
        return x

    def host(self, x, y):
        return (x * x + y * y) * np.asarray(self.scale, x.dtype)


@bprop_getters.register(AddSquares)
def get_bprop_add_squares(self):
    """The gradient of AddSquares."""
    twice = self.twice

    def bprop(x, y, out, dout):
        return ops.mul(dout, x) * twice, ops.mul(dout, y) * twice

    return bprop


class Composed(PrimitiveWithInfer):
    """x · sin(x), said in terms of other ops, with their gradient."""

    @prim_attr_register
    def __init__(self):
        pass

    def infer_shape(self, x):
        return x

    def infer_dtype(self, x):
        return x

    def compose(self, x):
        return x * ops.sin(x)


class TwoResults(PrimitiveWithInfer):
    """The sum along rows, and the largest element, through `vm_impl` on tensors."""

    @prim_attr_register
    def __init__(self):
        self.init_prim_io_names(inputs=["x"], outputs=["sums", "top"])

    def infer_shape(self, x):
        return x[:1], ()

    def infer_dtype(self, x):
        return x, x

    def vm_impl(self, x):
        x = x.asnumpy()
        return Tensor(x.sum(1)), Tensor(x.max())

    def bprop(self, x, out, dout):
        return (ops.broadcast_to(ops.expand_dims(dout[0], 1), x.shape),)


X, Y = Tensor([1.0, 2.0, -3.0]), Tensor([0.5, -1.0, 2.0])


def test_values_and_gradient_in_both_modes():
    f = AddSquares(3.0)

    def loss(x, y):
        return ops.sum(f(x, y) * x)

    expected = 3 * (X.asnumpy() ** 2 + Y.asnumpy() ** 2)
    np.testing.assert_allclose(f(X, Y).asnumpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(ms.jit(lambda x, y: f(x, y))(X, Y).asnumpy(), expected, rtol=1e-6)
    dx = expected + 6 * X.asnumpy() ** 2
    for grad in (ms.grad(loss, (0, 1)), ms.jit(ms.grad(loss, (0, 1)))):
        found = grad(X, Y)
        np.testing.assert_allclose(found[0].asnumpy(), dx, rtol=1e-6)
        np.testing.assert_allclose(found[1].asnumpy(), 6 * (X * Y).asnumpy(), rtol=1e-6)


def test_gradient_to_order_two():
    f = AddSquares(0.5)
    check_grad(lambda x, y: f(x, y), [X, Y])


def test_attributes():
    f = AddSquares(4.0)
    assert f.name == "AddSquares" and f.scale == 4.0 and f.attrs["twice"] == 8.0
    assert f.input_names == ["x", "y"] and "scale=4.0" in repr(f)
    f.add_prim_attr("scale", 1.0)
    np.testing.assert_allclose(f(X, Y).asnumpy(), (X * X + Y * Y).asnumpy(), rtol=1e-6)


def test_composed_of_other_ops():
    f = Composed()
    expected = X.asnumpy() * np.sin(X.asnumpy())
    np.testing.assert_allclose(f(X).asnumpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(ms.jit(lambda x: f(x))(X).asnumpy(), expected, rtol=1e-6)
    slope = np.sin(X.asnumpy()) + X.asnumpy() * np.cos(X.asnumpy())
    np.testing.assert_allclose(ms.grad(lambda x: ops.sum(f(x)))(X).asnumpy(), slope, rtol=1e-5)
    np.testing.assert_allclose(
        ms.jit(ms.grad(lambda x: ops.sum(f(x))))(X).asnumpy(), slope, rtol=1e-5
    )


def test_several_results():
    f, x = TwoResults(), Tensor([[1.0, 2.0], [3.0, 4.0]])
    for run in (lambda x: f(x), ms.jit(lambda x: f(x))):
        sums, top = run(x)
        assert sums.asnumpy().tolist() == [3, 7] and float(top) == 4
    g = ms.grad(lambda x: ops.sum(P.square(f(x)[0])))(x)
    assert g.asnumpy().tolist() == [[6, 6], [14, 14]]


def test_refusals():
    class Bare(PrimitiveWithInfer):
        @prim_attr_register
        def __init__(self):
            pass

    class NoGradient(Composed):
        compose = None

        def host(self, x):
            return x

    class WrongShape(Composed):
        def host(self, x):
            return x[:1]

    with pytest.raises(TypeError, match="Bare: infer_shape is not defined"):
        Bare()(X)
    with pytest.raises(TypeError, match="NoGradient: has no gradient"):
        ms.grad(lambda x: ops.sum(NoGradient()(x)))(X)
    with pytest.raises(
        ValueError,
        match=r"WrongShape: its kernel returned shape \(1,\), its infer_shape says \(3,\)",
    ):
        WrongShape()(X)


def test_a_number_of_gradients_that_does_not_fit():
    class Odd(Composed):
        compose = None

        def host(self, x):
            return x

        def bprop(self, x, out, dout):
            return dout, dout

    with pytest.raises(TypeError, match="Odd: its bprop returned 2 gradients for 1 inputs"):
        ms.grad(lambda x: ops.sum(Odd()(x)))(X)


def test_a_gradient_may_come_after_the_first_use():
    class Late(Composed):
        compose = None

        def host(self, x):
            return x * 3

    f = Late()
    assert f(X).asnumpy().tolist() == [3, 6, -9]

    @bprop_getters.register(Late)
    def get_bprop_late(self):
        return lambda x, out, dout: (dout * 3,)

    assert ms.grad(lambda x: ops.sum(f(x)))(X).asnumpy().tolist() == [3, 3, 3]
    assert f.recompute() is f and f.recompute(False).attrs["recompute"] is False


class Called(ops.PrimitiveWithInfer):
    """Its kernel is what a call does."""

    @ops.prim_attr_register
    def __init__(self):
        pass

    def __call__(self, x, y):
        return x * 2.0, y

    def infer_shape(self, x, y):
        return x, y

    def infer_dtype(self, x, y):
        return x, y


class CalledWithGradient(Called):
    def get_bprop(self):
        def bprop(x, y, out, dout):
            return dout[0] * 5.0, dout[1]

        return bprop


@pytest.mark.parametrize("compiled", [False, True])
def test_call_is_a_kernel(compiled):
    x = ms.Tensor([1.0, 3.0])

    def gradient(prim):
        def f(x):
            a, b = prim(x, x)
            return ops.sum(a + b)

        found = ms.grad(f)
        return (ms.jit(found) if compiled else found)(x)

    np.testing.assert_array_equal(Called()(x, x)[0].asnumpy(), [2.0, 6.0])
    np.testing.assert_array_equal(gradient(CalledWithGradient()).asnumpy(), [6.0, 6.0])
    with pytest.raises(RuntimeError, match="Called: has no gradient"):
        gradient(Called())
