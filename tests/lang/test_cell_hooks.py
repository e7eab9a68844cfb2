"""Hooks on cells: called in PyNative mode, compiled in graph mode, with the same results to the
bit.
"""

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops

X = Tensor(np.array([[1.0, -2.0, 3.0]]))


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Inner(nn.Cell):
    """Two inputs, two outputs."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.array([2.0, 3.0, 5.0])), name="w")

    def construct(self, x, y):
        return x * y * self.w, ops.sin(x) + y


class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def construct(self, x):
        a, b = self.inner(x, x * x)
        return (a * b).sum()


def gradients(net):
    """The gradients in this mode, which must be those of the other one."""
    gradient, mode = ms.grad(net, 0, net.trainable_params()), ms.get_context("mode")
    found = gradient(X)
    ms.set_context(mode=ms.GRAPH_MODE if mode == ms.PYNATIVE_MODE else ms.PYNATIVE_MODE)
    other = gradient(X)
    ms.set_context(mode=mode)
    for a, b in zip((found[0], *found[1]), (other[0], *other[1])):
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())
    return found


def written_out(before=lambda x, y: (x, y), after=lambda u, a, b: (a, b)):
    """What `gradients` must be when the hooks are written into the program."""
    w = Parameter(Tensor(np.array([2.0, 3.0, 5.0])), name="w")

    def whole(x):
        u, v = before(x, x * x)
        a, b = after(u, u * v * w, ops.sin(u) + v)
        return (a * b).sum()

    return ms.grad(whole, 0, [w])(X)


def assert_close(found, wanted):
    (dx, (dw,)), (ex, (ew,)) = found, wanted
    np.testing.assert_allclose(dx.asnumpy(), ex.asnumpy(), rtol=1e-14)
    np.testing.assert_allclose(dw.asnumpy(), ew.asnumpy(), rtol=1e-14)


def test_forward_hooks_change_inputs_and_outputs():
    net = Outer()
    first = net.inner.register_forward_pre_hook(lambda cell, inputs: (inputs[0] * 2.0, inputs[1]))
    second = net.inner.register_forward_hook(
        lambda cell, inputs, output: (output[0] + inputs[0], output[1])
    )
    assert_close(gradients(net), written_out(lambda x, y: (x * 2.0, y), lambda u, a, b: (a + u, b)))
    first.remove()
    first.remove()
    assert_close(gradients(net), written_out(after=lambda u, a, b: (a + u, b)))
    second.remove()
    assert_close(gradients(net), written_out())


def test_keyword_arguments_and_order():
    class Scaled(nn.Cell):
        def construct(self, x, k=1.0):
            return x * k

    net = Scaled()
    net.register_forward_pre_hook(
        lambda cell, args, kwargs: (args, {"k": kwargs["k"] * 3.0}), with_kwargs=True
    )
    net.register_forward_hook(lambda cell, args, kwargs, out: out + kwargs["k"], with_kwargs=True)
    assert net(X, k=2.0).asnumpy().tolist() == [[12.0, -6.0, 24.0]]
    net.register_forward_hook(lambda cell, args, out: out * 0.0, prepend=True)
    assert net(X, k=2.0).asnumpy().tolist() == [[6.0, 6.0, 6.0]]


def test_backward_hooks_see_and_change_gradients():
    """The pre hook makes the cotangents of the outputs tenfold; the hook swaps those of the inputs
    and adds these.
    """
    net = Outer()
    net.inner.register_backward_pre_hook(lambda cell, douts: (douts[0] * 10.0, douts[1] * 10.0))
    tenfold = ops.HookBackward(lambda grads: grads[0] * 10.0)
    assert_close(gradients(net), written_out(after=lambda u, a, b: (tenfold(a), tenfold(b))))
    net.inner.register_backward_hook(lambda cell, grads, douts: (grads[1] + douts[0], grads[0]))
    dx, (dw,) = gradients(net)
    x, w = X.asnumpy(), np.array([2.0, 3.0, 5.0])
    a, b = x * x * x * w, np.sin(x) + x * x
    da, db = 10 * b, 10 * a
    du, dv = da * (x * x) * w + db * np.cos(x), da * x * w + db
    np.testing.assert_allclose(dx.asnumpy(), (dv + da) + 2 * x * du, rtol=1e-14)
    np.testing.assert_allclose(dw.asnumpy(), (da * x * x * x)[0], rtol=1e-14)


def test_hooks_inside_a_loop_and_of_the_outermost_cell():
    class Looped(nn.Cell):
        def __init__(self):
            super().__init__()
            self.relu = nn.Tanh()

        def construct(self, x):
            i = 0
            while x.sum() < 30.0:
                x = self.relu(x) + x + 1.0
                i += 1
            return x

    net = Looped()
    plain = ms.grad(net)(X).asnumpy()
    net.relu.register_backward_hook(lambda cell, grads, douts: (grads[0] * 0.0,))
    net.register_backward_hook(lambda cell, grads, douts: (grads[0] + douts[0],))
    found = ms.grad(net)(X).asnumpy()
    assert found.tolist() == [[2.0, 2.0, 2.0]] and (plain > 1.0).all()


def test_hook_of_a_cell_with_its_own_gradient_that_returns_its_input():
    class Mine(nn.Cell):
        def construct(self, x):
            return x

        def bprop(self, x, out, dout):
            return (dout * 7.0,)

    net = Mine()
    net.register_backward_hook(lambda cell, grads, douts: (grads[0] * 2.0 + douts[0],))
    assert ms.grad(net)(X).asnumpy().tolist() == [[15.0, 15.0, 15.0]]


def test_a_hook_on_always_sees_errors(mode):
    class Broken(nn.Cell):
        def construct(self, x):
            raise ValueError("broken")

    seen, net = [], Broken()
    net.register_forward_hook(lambda cell, args, out: seen.append(out), always_call=True)
    if mode == ms.PYNATIVE_MODE:
        with pytest.raises(ValueError, match="broken"):
            net(X)
        assert seen == [None]
