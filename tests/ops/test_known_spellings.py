"""Forms of calls that MindSpore's own tests use, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops

MODES = pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
A = np.arange(60, dtype=np.float32).reshape(3, 4, 5)


class Called(nn.Cell):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def construct(self, *args):
        return self.fn(*args)


@MODES
@pytest.mark.parametrize("given", [(), (1,), (0, 1, 2), (-1, 0, 2)], ids=str)
def test_trace(mode, given):
    ms.set_context(mode=mode)
    found = Called(lambda x: x.trace(*given))(Tensor(A))
    np.testing.assert_allclose(found.asnumpy(), np.trace(A, *given))


def test_trace_of_ints():
    found = Tensor(np.eye(3, dtype=np.int32)).trace()
    assert found.dtype == ms.int64 and found.asnumpy() == 3
    assert Tensor(np.eye(3, dtype=np.int32)).trace(dtype=ms.float32).dtype == ms.float32
    with pytest.raises(ValueError, match="two dimensions"):
        Tensor([1.0]).trace()


@MODES
@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_of_a_number_of_the_run(mode, name):
    ms.set_context(mode=mode)
    net = Called(lambda n, d: getattr(ops, name)(int(n), float(d)))
    for n, d in ((6, 2.0), (7, 3.5)):
        expected = getattr(np.fft, name)(n, d)
        np.testing.assert_allclose(net(Tensor(n), Tensor(d)).asnumpy(), expected, rtol=1e-6)


@MODES
def test_repeat_elements_of_eight_dimensions(mode):
    ms.set_context(mode=mode)
    with pytest.raises(
        ValueError, match="repeat_elements, the rank of x should be less than or eq"
    ):
        Called(lambda x: ops.repeat_elements(x, 1, 0))(ops.ones((1,) * 8))


@MODES
def test_constants_beside_tensors_have_no_gradient(mode):
    ms.set_context(mode=mode)

    def fn(x, how, y, n):
        return (x * y).sum() if how == "sum" else (x * y).mean() * n

    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 5.0])
    by_x, by_y = ms.grad(fn, (0, 1, 2, 3))(x, "sum", y, 2)
    np.testing.assert_array_equal(by_x.asnumpy(), [3, 5])
    np.testing.assert_array_equal(by_y.asnumpy(), [1, 2])
    alone = ms.grad(fn, (1, 2))(x, "mean", y, 2)
    np.testing.assert_array_equal(alone.asnumpy(), [1, 2])
    (place, found), *rest = ms.grad(fn, (1, 2, 0), return_ids=True)(x, "mean", y, 2)
    assert place == 2 and [p for p, _ in rest] == [0]
    np.testing.assert_array_equal(found.asnumpy(), [1, 2])
    with pytest.raises(TypeError, match="has no gradient"):
        ms.grad(fn, 1)(x, "mean", y, 2)


def test_scope_of_a_cell_that_is_recomputed():
    assert nn.ReLU().get_scope() is None
    assert nn.ReLU().recompute().get_scope() == "recompute_"


T, H, N = Tensor(np.ones((3, 4), np.float32)), ms.float16, np.ones((3, 4), bool)
BOOLS = Tensor(N)


@MODES
@pytest.mark.parametrize(
    "made, args, error",
    [
        (lambda: ops.Softmax(axis=()), (T,), ValueError),
        (lambda: ops.Squeeze(axis=1.2), (T,), TypeError),
        (lambda: ops.Conv2D(1, 6, pad_mode="same", pad=7), (), ValueError),
        (lambda: ops.Conv2D(2, 5), (BOOLS, BOOLS), TypeError),
        (lambda: ops.BatchNorm(), (5.0, 5.0, 5.0, 5.0, 5.0), TypeError),
        (lambda: ops.BiasAdd(), (T, Tensor(np.ones(4, np.int32))), TypeError),
        (lambda: ops.SoftmaxCrossEntropyWithLogits(), (T, T.astype(H)), TypeError),
        (lambda: ops.TopK(), (BOOLS, 2), TypeError),
        (lambda: ops.TopK(), (T, 2.0), TypeError),
        (lambda: ops.HSwish(), (BOOLS,), TypeError),
        (lambda: ops.Reshape(), (5.0, (1, 1)), TypeError),
        (lambda: ops.LogicalAnd(), (N, BOOLS), TypeError),
        (lambda: ops.AddN(), ((N, N),), TypeError),
        (lambda: ops.MatMul(), (T, Tensor(np.ones((2, 4, 3), np.float32))), ValueError),
    ],
)
def test_classes_refuse(mode, made, args, error):
    ms.set_context(mode=mode)
    with pytest.raises(error):
        Called(made())(*args)
