"""Weights that kernels keep in another layout from run to run: whoever writes to them, results follow."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops

r = np.random.RandomState(0)
X = r.randn(1, 32, 8, 8).astype("f4")
ROWS = r.randn(64, 256).astype("f4")


class Conv(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(r.randn(32, 32, 3, 3).astype("f4")), name="weight")

    def construct(self, x):
        return ops.conv2d(x, self.weight)

    @staticmethod
    def expected(x, w):
        windows = np.lib.stride_tricks.sliding_window_view(x.astype("f8"), (3, 3), (2, 3))
        return np.einsum("nchwij,ocij->nohw", windows, w)


class Product(nn.Dense):
    def __init__(self):
        super().__init__(256, 512, Tensor(r.randn(512, 256).astype("f4")), has_bias=False)

    @staticmethod
    def expected(x, w):
        return x.astype("f8") @ w.T


CASES = [(Conv, X), (Product, ROWS)]


def holds(net, x, weight):
    found = net(Tensor(x)).asnumpy()
    np.testing.assert_allclose(found, net.expected(x, weight), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("mode", (ms.GRAPH_MODE, ms.PYNATIVE_MODE))
@pytest.mark.parametrize("cell, x", CASES)
def test_results_follow_the_weights(cell, x, mode):
    ms.set_context(mode=mode)
    net = cell()
    weight = net.weight.asnumpy().copy()
    for _ in range(3):
        holds(net, x, weight)
    seen = net.weight.asnumpy()
    if np.shares_memory(seen, net.weight.asnumpy()):  # written to behind everybody's back
        seen *= -1
        holds(net, x, -weight)
        seen[0] *= -1
        weight[1:] *= -1
        holds(net, x, weight)
    for k in range(5):
        weight[k, 0] += 1
        net.weight.set_data(Tensor(weight))
        for _ in range(2):
            holds(net, x, weight)


@pytest.mark.parametrize("cell, x", CASES)
def test_weights_that_change_all_the_time(cell, x):
    ms.set_context(mode=ms.GRAPH_MODE)
    net = cell()
    weight = net.weight.asnumpy().copy()
    for k in range(140):
        weight.flat[k] = -weight.flat[k]
        net.weight.set_data(Tensor(weight))
        if k % 9 == 0:
            holds(net, x, weight)
        else:
            net(Tensor(x))
    holds(net, x, weight)


@pytest.mark.parametrize("cell, x", CASES)
def test_nets_of_one_shape_have_their_own(cell, x):
    ms.set_context(mode=ms.GRAPH_MODE)
    nets = [cell() for _ in range(3)]
    for _ in range(3):
        for net in nets:
            holds(net, x, net.weight.asnumpy())


@pytest.mark.parametrize("cell, x", CASES)
def test_threads_share_a_copy(cell, x):
    ms.set_context(mode=ms.GRAPH_MODE)
    net, x = cell(), Tensor(x)
    wanted = net(x).asnumpy().tobytes()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: net(x).asnumpy().tobytes(), range(32)))
    assert set(found) == {wanted}
