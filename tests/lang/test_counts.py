"""Small tensors of whole numbers whose contents decide a shape are compiled as constants, one
program for each value.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops


def test_a_size_given_as_a_tensor():
    """The program is compiled again for another value, and found again for the same one."""

    @ms.jit
    def fn(x, size):
        return ops.ResizeNearestNeighborV2()(x, size) * 2

    x = ops.ones((1, 1, 2, 2))
    for n in (4, 6, 4):
        assert fn(x, Tensor([n, 3], ms.int32)).shape == (1, 1, n, 3)


def test_gradient():
    """Gradients flow to the operands that are not constants."""

    class Net(nn.Cell):
        def construct(self, x, k):
            return ops.matrix_diag_part(x, k, 0.0).sum()

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    grad = ms.grad(Net())(Tensor(x), Tensor([0, 1], ms.int32))
    np.testing.assert_array_equal(grad.asnumpy(), [[1, 1, 0], [0, 1, 1]])


def test_data_stays_data():
    """What does not decide a shape is given at run time: other values need no other program."""

    @ms.jit
    def fn(x, ids):
        return ops.gather(x, ids, 0)

    x = ops.ones((4, 2))
    fn(x, Tensor([0, 1]))
    before = len(ms.recompiles(fn)) if hasattr(ms, "recompiles") else None
    fn(x, Tensor([3, 2]))
    assert before is None or len(ms.recompiles(fn)) == before


def test_computed_counts_are_refused():
    """A size that the program computes from data is not known."""

    @ms.jit
    def fn(x):
        return ops.ResizeNearestNeighborV2()(x, ops.cast(x.sum() + Tensor([1, 2]), ms.int32))

    with pytest.raises(TypeError, match="must be known"):
        fn(ops.ones((1, 1, 2, 2)))
