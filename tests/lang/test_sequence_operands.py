"""A list or tuple beside a tensor is a tensor, also one that holds tensors: numbers in it are weak,
and its gradient goes to the tensors. One meaning in both modes.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops

VALUES = np.array([1.0, 2.0])

PROGRAMS = {
    "tensors": (lambda x: ops.add(x, [x[0], x[1]]), lambda x: x + np.stack([x[0], x[1]])),
    "tuple": (lambda x: ops.mul((x[1], x[0]), x), lambda x: x * np.stack([x[1], x[0]])),
    "mixed": (lambda x: x * (x[0], 2.0), lambda x: x * np.stack([x[0], 2.0])),
    "mixed first": (lambda x: [3.0, x[1]] - x, lambda x: np.stack([3.0, x[1]]) - x),
    "nested": (
        lambda x: ops.maximum(x, [[x[1], 1.5], [0.5, x[0] * 3.0]]),
        lambda x: np.maximum(x, np.array([[x[1], 1.5], [0.5, x[0] * 3.0]])),
    ),
    "rows": (lambda x: x + [x, [1.0, x[0]]], lambda x: x + np.stack([x, [1.0, x[0]]])),
    "numpy": (
        lambda x: ms.numpy.array([[x[0], 2.0], x]) * x,
        lambda x: np.array([[x[0], 2.0], x]) * x,
    ),
    "alone": (lambda x: ops.exp([x[0], 0.5]), lambda x: np.exp(np.stack([x[0], 0.5]))),
}


def in_mode(fn, mode):
    return ms.jit(fn) if mode == "graph" else fn


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.float64], ids=str)
def test_value_and_gradient(name, dtype, mode):
    fn, reference = PROGRAMS[name]
    x = Tensor(VALUES, dtype)
    out = in_mode(fn, mode)(x)
    assert out.dtype is dtype
    np.testing.assert_allclose(out.asnumpy(), reference(VALUES), rtol=2e-3)
    if dtype is not ms.float64:
        return
    found = in_mode(ms.grad(lambda x: (fn(x) * fn(x)).sum()), mode)(x).asnumpy()
    eps = 1e-6
    wanted = [
        ((reference(VALUES + eps * e) ** 2).sum() - (reference(VALUES - eps * e) ** 2).sum())
        / (2 * eps)
        for e in np.eye(2)
    ]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize(
    "make, dtype, wanted",
    [
        (lambda x: Tensor([x[0], 2.0]), ms.int64, ms.float32),
        (lambda x: Tensor([x[0], 2]), ms.int32, ms.int32),
        (lambda x: Tensor([2, x[0]]), ms.float16, ms.float16),
        (lambda x: Tensor([[2.5, x[0]], x]), ms.bfloat16, ms.bfloat16),
        (lambda x: Tensor([x[0], True]), ms.uint8, ms.uint8),
        (lambda x: Tensor([x[0], 1j]), ms.float32, ms.complex64),
        (lambda x: Tensor([x[0], np.float64(2)]), ms.float32, ms.float64),
        (lambda x: Tensor([x[0], 2.0], ms.float64), ms.int32, ms.float64),
        (lambda x: x * (x[0], 2.0), ms.int32, ms.float32),
        (lambda x: x + [x[0], 2], ms.int8, ms.int8),
    ],
)
def test_dtype(make, dtype, wanted, mode):
    out = in_mode(make, mode)(Tensor(VALUES, dtype))
    assert out.dtype is wanted
    assert out.shape in ((2,), (2, 2))


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize("given", [lambda x: [x, x[0]], lambda x: [x[0], "a"], lambda x: [x, None]])
def test_what_is_no_operand(given, mode):
    with pytest.raises(TypeError, match="add"):
        in_mode(lambda x: ops.add(x, given(x)), mode)(Tensor(VALUES))


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize(
    "dtype, number, wanted",
    [
        (ms.int8, np.int64(3), ms.int8),
        (ms.int8, np.float32(1.5), ms.float32),
        (ms.float16, np.float32(1.5), ms.float16),
        (ms.float16, np.float64(1.5), ms.float16),
        (ms.float32, np.complex128(2j), ms.complex64),
        (ms.uint8, np.bool_(True), ms.uint8),
    ],
)
def test_a_number_of_numpy_is_a_number(dtype, number, wanted, mode):
    """As in MindSpore it widens no tensor."""
    x = Tensor(VALUES, dtype)
    for more in (0, 1):
        n = type(number)(number + more)
        for f in (
            lambda x: x * n,
            lambda x: n * x,
            lambda x: ops.mul(x, n),
            lambda x: ops.mul(n, x),
        ):
            out = in_mode(f, mode)(x)
            assert out.dtype is wanted
            np.testing.assert_allclose(out.asnumpy(), VALUES * n)
    y = Tensor(VALUES, dtype)
    if dtype is not ms.uint8 and number.dtype.kind != "c":
        for limited in (lambda x: ops.clip_by_value(x, n), lambda x: ops.clip_by_value([x], n)[0]):
            np.testing.assert_allclose(
                in_mode(limited, mode)(y).asnumpy(),
                np.maximum(VALUES, float(n)).astype(y.asnumpy().dtype),
            )
