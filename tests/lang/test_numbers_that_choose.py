"""Operators whose numbers choose what they do, where those are arguments of a compiled cell: the same as in
PyNative mode, value and gradient; values against NumPy.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops

X = np.random.default_rng(5).normal(size=(4, 6)).astype(np.float32)


class Method(nn.Cell):
    def __init__(self, name):
        super().__init__()
        self.name = name

    def construct(self, x, *args):
        return getattr(x, self.name)(*args)


def split(x, n, axis):
    return np.array_split(x, n, axis)


CASES = [
    ("rot90", (1, (0, 1)), lambda x: [np.rot90(x)]),
    ("rot90", (2, (0, 1)), lambda x: [np.rot90(x, 2)]),
    ("rot90", (-1, (1, 0)), lambda x: [np.rot90(x, -1, (1, 0))]),
    ("tensor_split", (3,), lambda x: split(x, 3, 0)),
    ("tensor_split", (3, 1), lambda x: split(x, 3, 1)),
    ("tensor_split", ((1, 3),), lambda x: split(x, (1, 3), 0)),
    ("vsplit", (2,), lambda x: split(x, 2, 0)),
    ("hsplit", (2,), lambda x: split(x, 2, 1)),
    ("select", (0, 1), lambda x: [x[1]]),
    ("select", (1, -1), lambda x: [x[:, -1]]),
]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("name,args,reference", CASES)
def test_value_and_gradient(mode, name, args, reference):
    ms.set_context(mode=mode)
    found = Method(name)(Tensor(X), *args)
    slope = ops.GradOperation(get_all=True)(Method(name))(Tensor(X), *args)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    found = found if isinstance(found, tuple) else (found,)
    expected = reference(X)
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        np.testing.assert_array_equal(a.asnumpy(), b)
    slope = slope[0] if isinstance(slope, tuple) else slope
    taken = np.zeros_like(X)
    places = np.arange(X.size).reshape(X.shape)
    for part in reference(places):
        taken.ravel()[part.ravel()] += 1
    np.testing.assert_array_equal(slope.asnumpy(), taken)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_index_add_by_dimension(mode):
    y, at = np.ones((4, 2), np.float32), Tensor([0, 4], ms.int32)
    ms.set_context(mode=mode)
    by_dim = Method("index_add")(Tensor(X), 1, at, Tensor(y))
    old = Method("index_add")(Tensor(X), at, Tensor(y), 1)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    expected = X.copy()
    expected[:, [0, 4]] += 1
    np.testing.assert_allclose(by_dim.asnumpy(), expected)
    np.testing.assert_allclose(old.asnumpy(), expected)
    doubled = Tensor(X).index_add(1, at, Tensor(y), alpha=2)
    np.testing.assert_allclose(doubled.asnumpy(), 2 * expected - X)
    with pytest.raises((TypeError, ValueError)):
        Tensor(X).index_add(3, at, Tensor(y))
