"""`minds.numpy`: kinds of operands that NumPy takes, in both modes, against NumPy."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops
from minds import numpy as mnp

A, B = np.array([[1.0, 2.0]], np.float32), np.array([[3.0], [7.0]], np.float32)


def spaced(module, a, b):
    return (
        module.linspace(a, b, 5),
        module.linspace(a, b, 4, False, axis=-1),
        module.logspace(a, b, 4, base=2.0),
        module.geomspace(a, b, 4, axis=1),
    )


@pytest.mark.parametrize("run", [lambda fn: fn, ms.jit], ids=["pynative", "graph"])
def test_points_between_tensors(run):
    found = run(lambda a, b: spaced(mnp, a, b))(Tensor(A), Tensor(B))
    for got, want in zip(found, spaced(np, A, B), strict=True):
        np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-6)
        assert got.dtype == ms.float32


@pytest.mark.parametrize("run", [lambda fn: fn, ms.jit], ids=["pynative", "graph"])
@pytest.mark.parametrize("name", ["linspace", "logspace", "geomspace"])
def test_the_gradient_of_points_is_that_of_their_bounds(run, name):
    def total(module, a, b):
        return getattr(module, name)(a, b, 5).sum()

    got = ms.grad(run(lambda a, b: total(mnp, a, b)), (0, 1))(Tensor(1.0), Tensor(3.0))
    h = 1e-6
    want = [
        (total(np, 1.0 + h, 3.0) - total(np, 1.0 - h, 3.0)) / (2 * h),
        (total(np, 1.0, 3.0 + h) - total(np, 1.0, 3.0 - h)) / (2 * h),
    ]
    np.testing.assert_allclose([float(v) for v in got], want, rtol=1e-5)


def test_the_step_between_points_keeps_its_fraction():
    points, step = mnp.linspace(Tensor([0.0, 1.0]), Tensor([3.0, 2.0]), 6, True, True, ms.int16)
    assert points.dtype == ms.int16 and step.dtype == ms.float32
    np.testing.assert_allclose(step.asnumpy(), [0.6, 0.2], rtol=1e-6)
    assert np.isnan(mnp.linspace(0.0, 1.0, 1, retstep=True)[1].asnumpy())


INDEX = np.array([[3, 6, 6], [4, 5, 1]], np.int32)


@pytest.mark.parametrize("run", [lambda fn: fn, ms.jit], ids=["pynative", "graph"])
@pytest.mark.parametrize(
    "dims, options",
    [
        ((7, 6), {}),
        ((7, 6), {"order": "F"}),
        ((4, 6), {"mode": "clip"}),
        ((4, 4), {"mode": "wrap"}),
    ],
)
def test_positions_of_coordinates(run, dims, options):
    got = run(lambda x: mnp.ravel_multi_index(x, dims, **options))(Tensor(INDEX))
    assert got.asnumpy().tolist() == np.ravel_multi_index(INDEX, dims, **options).tolist()


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("a, v", [([1, 2, 3], 2), (2, 3), ([1, 2], [2, 5, 10]), ([1.5], [2, 1])])
def test_convolution_takes_numbers_and_keeps_integers(a, v, mode):
    got, want = mnp.convolve(a, v, mode), np.convolve(a, v, mode)
    assert got.asnumpy().tolist() == want.tolist()
    assert got.dtype.is_int == (want.dtype.kind == "i")


def test_products_of_polynomials_take_numbers():
    assert mnp.polymul(2, [1, 2]).asnumpy().tolist() == np.polymul(2, [1, 2]).tolist()
    assert mnp.polymul(Tensor(2.0), Tensor(3.0)).asnumpy().tolist() == [6.0]


def test_differences_take_ends_of_another_dtype():
    x = np.array([1, 2, 4], np.int32)
    assert mnp.diff(Tensor(x), append=3.5).asnumpy().tolist() == np.diff(x, append=3.5).tolist()
    f = np.array([1.5, 2.0], np.float32)
    got = mnp.diff(Tensor(f), prepend=Tensor([3], ms.int32))
    assert got.asnumpy().tolist() == np.diff(f, prepend=[3]).tolist()


def test_divisors_of_floats_that_are_whole():
    a, b = np.array([4.0, 6.0, -9.0], np.float32), np.array([6.0, 4.0, 3.0], np.float32)
    for name in ("gcd", "lcm"):
        got = getattr(mnp, name)(Tensor(a), Tensor(b))
        assert got.dtype == ms.float32
        assert got.asnumpy().tolist() == getattr(np, name)(a.astype(int), b.astype(int)).tolist()
    with pytest.raises(ValueError, match="whole numbers"):
        mnp.gcd(Tensor([6.5]), Tensor([4.0]))


def test_running_sums_of_truth_values():
    x = np.array([0.0, 3.0, 0.0], np.float32)
    got = mnp.cumsum(Tensor(x), dtype="bool")
    assert got.asnumpy().tolist() == np.cumsum(x, dtype=bool).tolist()
    assert mnp.cumprod(Tensor([2.5, 0.0]), dtype=bool).asnumpy().tolist() == [True, False]


def test_an_array_without_a_copy_is_the_same_object():
    x = mnp.array([1, 2])
    assert mnp.array(x, copy=False) is x and mnp.array(x) is not x


def test_int_is_of_thirty_two_bits():
    assert mnp.promote_types(int, mnp.bool_) == ms.int32
    assert mnp.result_type(int, "int16") == ms.int32


@pytest.mark.parametrize(
    "call, kind",
    [
        (lambda: mnp.randn(dtype="int32"), ValueError),
        (lambda: mnp.rand(dtype=ms.int32), ValueError),
        (lambda: mnp.randint(1, dtype="float"), ValueError),
        (lambda: mnp.empty_like([[1, 2, 3], [4, 5]]), ValueError),
        (lambda: mnp.amax(Tensor([1.0, 2.0]), initial=[1.0, 2.0]), TypeError),
        (lambda: mnp.sum(Tensor([1.0, 2.0]), initial=[1.0, 2.0]), TypeError),
        (lambda: mnp.convolve([], [1.0]), ValueError),
        (lambda: ops.arange(10, 1), ValueError),
        (lambda: ops.arange(1, 10, -1), ValueError),
    ],
)
def test_wrong_operands_are_refused(call, kind):
    with pytest.raises(kind):
        call()


def test_an_empty_range_is_no_mistake():
    assert ops.arange(3, 3).shape == ops.arange(0).shape == mnp.arange(10, 1).shape == (0,)
