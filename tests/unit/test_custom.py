"""Gradients given by the user: functions, hooks; the public numerical check."""

import numpy as np
import pytest
from test_derivatives import both

import minds as ms
from minds import Tensor, ops
from minds.ops.function.grad.grad_func import custom_vjp

X = Tensor(np.array([0.5, -1.25, 2.0]))


def clipped(x, out, dout):
    return (ops.clip(dout, -1.0, 1.0),)


@ops.custom_bprop(bprop=clipped)
def cube(x):
    return x * x * x


def test_a_function_with_its_own_gradient():
    found = both(lambda x: ms.value_and_grad(lambda v: (cube(v) * v).sum())(x), X)
    x = X.asnumpy()
    np.testing.assert_allclose(found[0], (x**4).sum())
    np.testing.assert_allclose(found[1], x**3 + np.clip(x, -1, 1))


def test_it_composes():
    slow = ops.custom_bprop(
        lambda x, k: x * x * k, lambda x, k, out, dout: (dout * x * 2.0 * k, dout * out / k)
    )
    x = X.asnumpy()
    (found,) = both(lambda a: ms.hessian(lambda v: slow(v, 3.0 * ops.ones_like(v)).sum())(a), X)
    np.testing.assert_allclose(found, 6 * np.eye(3))
    (found,) = both(lambda a: ms.vmap(ms.grad(lambda v: cube(v)))(a), X)
    np.testing.assert_allclose(found, np.ones(3))
    (found,) = both(lambda a: ms.jvp(lambda v: slow(v, ops.ones_like(v)), a, a)[1], X)
    np.testing.assert_allclose(found, 2 * x * x)


def test_hook_backward_in_both_modes():
    double = ops.HookBackward(lambda grads: grads[0] * 2.0)
    leave = ops.HookBackward(lambda grads: None)
    (found,) = both(lambda x: ms.grad(lambda v: leave(double(v * v)).sum())(x), X)
    np.testing.assert_allclose(found, 4 * X.asnumpy())


def test_check_grad_is_public():
    ops.check_grad(lambda x, y: ops.sin(x * y), [[1.0, 2.0], 3.0], order=2)
    with pytest.raises(AssertionError, match="derivative of order 1"):
        ops.check_grad(cube, [[1.5, 2.0]], order=1)


def test_recompute_and_get_grad():
    block = ms.recompute(lambda x, k: x * k, X, k=2.0)
    np.testing.assert_array_equal(block.asnumpy(), 2 * X.asnumpy())
    w = ms.Parameter(Tensor([2.0]), name="w")
    found = ms.grad(lambda x: x * w, 0, [w], return_ids=True)(Tensor([3.0]))
    assert float(ms.get_grad(found, 0)) == 2.0 and float(ms.get_grad(found, w)) == 3.0
    with pytest.raises(RuntimeError, match="no gradient"):
        ms.get_grad(found, 1)


def test_refusals():
    with pytest.raises(TypeError, match="bprop is NoneType"):
        ops.custom_bprop(ops.sin)
    with pytest.raises(TypeError, match="hook is int"):
        ops.HookBackward(3)


def test_a_gradient_given_afterwards():
    @custom_vjp
    def twice(x, k):
        return x * k * 2.0

    twice.defbwd(lambda x, k, out, dout: (dout * 5.0, out))
    x = X.asnumpy()
    found = both(
        lambda x, k: ms.grad(lambda x, k: (twice(x, k) * x).sum(), (0, 1))(x, k), X, Tensor(3.0)
    )
    np.testing.assert_allclose(found[0], x * 5.0 + x * 6.0)
    np.testing.assert_allclose(found[1], (x * 6.0).sum())

    @custom_vjp
    def bare(x):
        return x

    with pytest.raises(ValueError, match="has no gradient"):
        ms.grad(lambda x: bare(x).sum())(X)


def test_a_primitive_by_the_name_of_a_function_calls_it():
    add, root = ops.Primitive("ScalarAdd"), ops.Primitive("Sqrt")

    def f(a, b, x):
        return add(a, b), root(x), ops.Primitive("scalar_mul")(a, b)

    for fn in (f, ms.jit(f)):
        a, x, b = fn(1, 2, Tensor([4.0]))
        assert (a, b) == (3, 2) and x.asnumpy().tolist() == [2.0]
