"""Compiled, the number of segments is found by the run, and gradients flow through parts of an open size."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops

X = np.arange(12, dtype=np.float32).reshape(4, 3) + 1
IDS = np.array([0, 0, 1, 3], np.int32)
REDUCE = {"Sum": np.sum, "Mean": np.mean, "Prod": np.prod}


class Net(nn.Cell):
    def __init__(self, op):
        super().__init__()
        self.op = op

    def construct(self, *args):
        return self.op(*args)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("name", REDUCE)
def test_segments(name, mode):
    ms.set_context(mode=mode)
    net = Net(getattr(ops.operations, f"Segment{name}")())
    empty = {"Sum": 0, "Mean": 0, "Prod": 1}[name]
    expected = [REDUCE[name](X[IDS == k], 0) if k in IDS else np.full(3, empty) for k in range(4)]
    np.testing.assert_allclose(net(Tensor(X), Tensor(IDS)).asnumpy(), expected, rtol=1e-6)
    slope = {"Sum": np.ones_like(X), "Mean": np.array([[0.5], [0.5], [1], [1]]) * np.ones_like(X)}
    slope["Prod"] = np.vstack([X[1], X[0], np.ones((2, 3))])
    found = ops.grad(net)(Tensor(X), Tensor(IDS))
    np.testing.assert_allclose(found.asnumpy(), slope[name], rtol=1e-6)


def test_parts_of_an_open_size():
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Net(ops.operations.Split(0, 2))
    net.set_inputs(Tensor(shape=[None, 3], dtype=ms.float32))
    gradient = ops.grad(lambda x: net(x)[0].sum() * 2.0)
    assert gradient(Tensor(X)).asnumpy().tolist() == [[2.0] * 3] * 2 + [[0.0] * 3] * 2
    assert gradient(Tensor(X[:2])).asnumpy().tolist() == [[2.0] * 3, [0.0] * 3]
