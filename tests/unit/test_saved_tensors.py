"""Hooks for what gradients keep of tensors."""

import numpy as np
import pytest

import minds as ms
from minds import nn, ops

X, Y = ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 5.0])


def _one_more(seen=None):
    def pack(t):
        if seen is not None:
            seen.append(t.asnumpy().tolist())
        return t + 1.0

    return pack, lambda t: t


def _shown(grads):
    return [g.asnumpy().tolist() for g in grads]


def test_context():
    """What the rule of a product reads is each factor; what unpacking gives is what it reads."""
    seen, unpacked = [], []

    def f(x, y):
        with ms.saved_tensors_hooks(_one_more(seen)[0], lambda t: unpacked.append(1) or t):
            out = x * y
        return out * 2.0  # outside

    ms.set_context(mode=ms.PYNATIVE_MODE)
    value, grads = ms.value_and_grad(f, (0, 1))(X, Y)
    assert value.asnumpy().tolist() == [6.0, 20.0]
    assert seen == [[1.0, 2.0], [3.0, 5.0]] and len(unpacked) == 2
    assert _shown(grads) == [[8.0, 12.0], [4.0, 6.0]]
    seen.clear()
    assert f(X, Y).shape == (2,) and seen == []  # nobody differentiates


def test_what_is_read():
    """Results and operands that the rules read, once each; sums read none; inner hooks take the place."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    for fn, count in (
        (lambda x: ops.exp(x), 1),
        (lambda x: x + x, 0),
        (lambda x: ops.sum(x), 0),
        (lambda x: ops.matmul(x, Y), 1),
        (lambda x: ops.concat((x, x)), 0),
    ):
        seen = []

        def hooked(x, fn=fn, seen=seen):
            with ms.saved_tensors_hooks(_one_more(seen)[0], lambda t: t):
                return fn(x)

        ms.grad(lambda x, hooked=hooked: hooked(x).sum())(X)
        assert len(seen) == count, fn
    outer, inner = [], []

    def nested(x):
        with ms.saved_tensors_hooks(*_one_more(outer)):
            with ms.saved_tensors_hooks(*_one_more(inner)):
                y = ops.exp(x)
            return ops.square(y)

    ms.grad(nested)(X)
    assert len(outer) == 1 and len(inner) == 1


def test_gradient_inside():
    """A gradient that is taken inside of the context keeps its tensors by the hooks too."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    with ms.saved_tensors_hooks(*_one_more()):
        got = ms.grad(lambda x: x * x)(X)
    assert got.asnumpy().tolist() == [4.0, 6.0]
    assert ms.grad(lambda x: x * x)(X).asnumpy().tolist() == [2.0, 4.0]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_decorator(mode):
    """Compiled hooks; what is packed may be several things; branches and loops are kept too."""
    ms.set_context(mode=mode)

    def pack(t):
        return t * 0.5, t.ndim * 0 + 2

    def unpack(kept):
        return kept[0] * kept[1]

    def plain(x, w):
        for _ in range(2):
            x = ops.tanh(x) * w
        if x.sum() > 0:
            x = x * x
        return ops.matmul(x, w)

    same = ms.register_saved_tensors_hooks(pack, unpack)(plain)

    def run(fn):
        grads = ms.grad(fn, (0, 1))
        return grads(X, Y) if mode == ms.PYNATIVE_MODE else ms.jit(grads)(X, Y)

    for a, b in zip(run(plain), run(same)):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6)
    more = ms.register_saved_tensors_hooks(*_one_more())(lambda x, y: x * y)
    assert _shown(run(more)) == [[4.0, 6.0], [2.0, 3.0]]
    assert more(X, Y).asnumpy().tolist() == [3.0, 10.0]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_cell(mode):
    """A cell's tensors, with its weights."""
    ms.set_context(mode=mode)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(ms.Tensor([2.0, 4.0]), name="w")

        def construct(self, x):
            return x * self.w

    net = Net()
    net.register_saved_tensors_hooks(*_one_more())
    of_input, of_weights = ms.grad(net, 0, net.trainable_params())(X)
    assert of_input.asnumpy().tolist() == [3.0, 5.0]
    assert of_weights[0].asnumpy().tolist() == [2.0, 3.0]


def test_refused():
    """What is no function, and the context in compiled code."""
    for make in (ms.saved_tensors_hooks, ms.register_saved_tensors_hooks):
        with pytest.raises(TypeError, match=f"^{make.__name__}: unpack_hook has type int"):
            make(lambda t: t, 3)

    @ms.jit
    def f(x):
        with ms.saved_tensors_hooks(lambda t: t, lambda t: t):
            return x * x

    with pytest.raises(RuntimeError, match="saved_tensors_hooks: it is used in compiled code"):
        f(X)
