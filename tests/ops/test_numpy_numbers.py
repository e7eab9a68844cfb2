"""NumPy's numbers stand for Python's wherever an op, a method or a layer takes a number."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, mint, nn, ops

X = Tensor(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
IMAGES = Tensor(np.arange(384, dtype=np.float32).reshape(2, 3, 8, 8))
KERNEL = Tensor(np.ones((2, 3, 3, 3), np.float32))

CALLS = {
    "sizes": lambda i, f: ops.reshape(X, (i(6), 4)),
    "a method": lambda i, f: X.view(i(6), i(4)),
    "axes": lambda i, f: ops.transpose(X, (i(2), i(0), i(1))),
    "an axis": lambda i, f: ops.sum(X, i(1)),
    "of mint": lambda i, f: mint.sum(X, i(1)),
    "of numpy": lambda i, f: ms.numpy.mean(X, (i(0), i(1))),
    "a number of elements": lambda i, f: ops.topk(X, i(2))[0],
    "an end": lambda i, f: ops.arange(i(2), i(9), i(2)),
    "a diagonal": lambda i, f: ops.diagonal(X, i(1), i(0), i(1)),
    "an index": lambda i, f: X[i(1), i(0) : i(2)],
    "a list": lambda i, f: ops.split(X, [i(1), i(3)], 2)[1],
    "strides": lambda i, f: ops.conv2d(IMAGES, KERNEL, stride=(i(2), i(2)), pad_mode="same"),
    "a window": lambda i, f: ops.max_pool2d(IMAGES, i(2), i(2)),
    "operands": lambda i, f: ops.clamp(X, i(2), i(5)) * f(0.5) - i(3),
    "a slope": lambda i, f: ops.leaky_relu(X - 5, f(0.25)),
    "a fill": lambda i, f: ops.full((i(2), i(3)), i(7)),
}


@pytest.mark.parametrize("jit", [lambda fn: fn, ms.jit], ids=["eager", "graph"])
@pytest.mark.parametrize("name", CALLS)
def test_as_pythons(name, jit):
    call = CALLS[name]
    expected = call(int, float)
    for i, f in ((np.int64, np.float64), (np.uint8, np.float32)):
        got = jit(lambda: call(i, f))()
        assert got.dtype == expected.dtype
        assert np.array_equal(got.asnumpy(), expected.asnumpy())


def test_layers():
    layers = nn.Conv2d(np.int64(3), np.int64(4), np.int64(3)), nn.Dense(np.int32(8), np.int32(2))
    assert layers[1](layers[0](IMAGES)).shape == (2, 4, 8, 2)
    assert Tensor(np.float64(2.5)).dtype == ms.float64 and Tensor(2.5).dtype == ms.float32


def test_what_is_wrong_is_still_refused():
    with pytest.raises(ValueError, match=r"sum: axis"):
        ops.sum(X, np.int64(7))
    with pytest.raises(TypeError, match="reshape"):
        ops.reshape(X, (np.float64(6), 4))
