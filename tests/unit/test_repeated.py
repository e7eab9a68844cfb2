"""Functions made of ops that PyNative mode repeats: what they give depends on the numbers of a call,
never on those of the calls that were watched.
"""

import numpy as np
import pytest

import minds
from minds import Parameter, Tensor, ops
from minds.ops.repeated import repeated

ROUNDS = 8  # more than are watched


@pytest.fixture(autouse=True)
def _pynative():
    before = minds.get_context("mode")
    minds.set_context(mode=minds.PYNATIVE_MODE)
    yield
    minds.set_context(mode=before)


def numbers(seed: int, *shape) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def given(index):
    """An index for a Tensor, from one for NumPy."""
    if isinstance(index, tuple):
        return tuple(map(given, index))
    return Tensor(index) if isinstance(index, np.ndarray) else index


INDICES = [
    *(0, -1, slice(1, 3), slice(None, None, 2), None, ..., (0, 1), (..., 0)),
    *((slice(None), 1), (0, None, slice(None, None, -1)), np.array([1, 0, 1]), np.array(1)),
    *((np.array([0, 2]), 1), (slice(None), np.array([[0, 1]])), [2, 0], True, 0),
]


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_an_index_takes_what_this_tensor_holds(index):
    for k in range(ROUNDS):
        a = numbers(k, 3, 4, 5)
        np.testing.assert_array_equal(Tensor(a)[given(index)].asnumpy(), a[index])


@pytest.mark.parametrize("index", [i for i in INDICES if i is not True], ids=repr)
def test_the_gradient_of_an_index(index):
    for k in range(ROUNDS):
        a = numbers(k, 3, 4, 5)
        found = minds.grad(lambda x: (x[given(index)] ** 2).sum())(Tensor(a)).asnumpy()
        want = np.zeros_like(a)
        np.add.at(want, index, 2 * a[index])
        np.testing.assert_allclose(found, want, rtol=1e-6)


def test_the_numbers_of_an_index_are_read_anew():
    a = numbers(0, 4, 3)
    for k in range(ROUNDS):
        np.testing.assert_array_equal(Tensor(a)[Tensor(k % 4)].asnumpy(), a[k % 4])
        mask = np.arange(4) < k
        np.testing.assert_array_equal(Tensor(a)[Tensor(mask)].asnumpy(), a[mask])
        with pytest.raises(IndexError):
            Tensor(a)[4]


def test_operands_that_are_one_tensor():
    for k in range(ROUNDS):
        a, b = numbers(k, 3), numbers(k + 50, 3)
        x, y = Tensor(a), Tensor(b)
        for tensors, arrays in (((x, x), (a, a)), ((x, y), (a, b)), ((x, y, x), (a, b, a))):
            np.testing.assert_array_equal(ops.stack(tensors).asnumpy(), np.stack(arrays))
            np.testing.assert_array_equal(ops.stack(list(tensors)).asnumpy(), np.stack(arrays))
        found = minds.grad(lambda x, y: (ops.stack([x, y, x]) * ops.dot(x, x)).sum(), (0, 1))(x, y)
        square, total = a @ a, 2 * a.sum() + b.sum()
        np.testing.assert_allclose(found[0].asnumpy(), 2 * square + 2 * a * total, rtol=1e-4)
        np.testing.assert_allclose(found[1].asnumpy(), np.full(3, square), rtol=1e-5)


def test_a_view_stays_one():
    for k in range(ROUNDS):
        a = numbers(k, 3, 4)
        x = Tensor(a.copy())
        row, part = x[0], x[1:, 2]
        row[1] = 7.0
        part[0] = -1.0
        a[0, 1], a[1, 2] = 7.0, -1.0
        np.testing.assert_array_equal(x.asnumpy(), a)


def test_a_parameter_is_no_tensor():
    for k in range(ROUNDS):
        a = numbers(k, 3)
        p, x = Parameter(Tensor(a.copy()), name="p"), Tensor(a.copy())
        whole, same = p[:], x[:]
        p.set_data(Tensor(a + 1))
        np.testing.assert_array_equal(whole.asnumpy(), a)
        np.testing.assert_array_equal(same.asnumpy(), a)


def test_what_reads_numbers_is_not_repeated():
    @repeated
    def signed(x):
        return x + x if float(x[0].asnumpy()) > 0 else x * 3.0

    for k in range(2 * ROUNDS):
        a = numbers(k, 3)
        np.testing.assert_array_equal(signed(Tensor(a)).asnumpy(), a + a if a[0] > 0 else a * 3)


def test_values_tell_calls_apart():
    @repeated
    def scaled(x, by, more=None, *, twice=False):
        out = x * by
        return out if more is None else (out, x + more * (2 if twice else 1))

    a = numbers(0, 3)
    for _ in range(ROUNDS):
        x = Tensor(a)
        for by in (2, 2.0, 3.0, True):
            out = scaled(x, by)
            np.testing.assert_array_equal(out.asnumpy(), a * by)
        pair = scaled(x, 2.0, 1.0, twice=True)
        assert isinstance(pair, tuple)
        np.testing.assert_array_equal(pair[1].asnumpy(), a + 2)
        np.testing.assert_array_equal(scaled(x, 2.0, 1.0)[1].asnumpy(), a + 1)
        half = scaled(Tensor(a.astype(np.float16)), 2.0)
        assert half.dtype == minds.float16


def test_repeated_derivatives():
    for k in range(ROUNDS):
        a = numbers(k, 3, 4)
        inner = minds.grad(lambda y: (y[0] ** 3).sum() + ops.mean(y[:, 1]) ** 2)
        found = minds.grad(lambda x: (inner(x)[0] ** 2).sum())(Tensor(a)).asnumpy()
        first = 3 * a[0] ** 2
        first[1] += 2 * a[:, 1].mean() / 3
        want = np.zeros_like(a)
        want[0] = 2 * first * 6 * a[0]
        want[:, 1] += 2 * first[1] * 2 / 9
        np.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-5)
