"""What a reshape makes of a broadcast is not read as the broadcast is."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops

X = np.random.RandomState(0).randn(3, 2, 5, 4, 4).astype(np.float32)


def sum_of_a_sum(x):
    means = ops.mean(x.sum(1), (2, 3), True).reshape((3, 1, 5, 1, 1))
    return (x * means).sum()


def sum_that_fits_by_chance(x):
    """With as many rows as parts the wrong shape would broadcast too."""
    y = x[:2, :, :, :, :]
    return (y * ops.mean(y.sum(1), (2, 3), True).reshape((2, 1, 5, 1, 1))).sum()


def wanted(x):
    """Of n images, k parts: d/dx Σ x·mean(Σ_k x)."""
    area = x.shape[3] * x.shape[4]
    return np.broadcast_to(2 * x.sum((1, 3, 4), keepdims=True) / area, x.shape)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_gradients(mode):
    ms.set_context(mode=mode)
    found = ms.jit(ms.grad(sum_of_a_sum))(Tensor(X)).asnumpy()
    np.testing.assert_allclose(found, wanted(X), rtol=1e-4, atol=1e-5)
    found = ms.jit(ms.grad(sum_that_fits_by_chance))(Tensor(X)).asnumpy()
    np.testing.assert_allclose(found[:2], wanted(X[:2]), rtol=1e-4, atol=1e-5)
    assert not found[2].any()


def test_values():
    @ms.jit
    def rows(x):
        y = ops.broadcast_to(ops.sum(x, (3, 4), True), x.shape)
        return x.reshape((30, 16)) * ops.reshape(y, (30, 16))

    rows_of_x = X.reshape(30, 16)
    want = rows_of_x * rows_of_x.sum(1, keepdims=True)
    np.testing.assert_allclose(rows(Tensor(X)).asnumpy(), want, rtol=1e-4, atol=1e-5)
