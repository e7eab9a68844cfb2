"""Arrays of NumPy that a loop makes anew, against CPython."""

import numpy as np
import pytest

import minds as ms
from minds.base.errors import CompileTimeError


def in_place():
    x, z, output = np.array([-1]), [2, 4, 6], ms.Tensor([0])
    y = np.array([-2]) + x
    for index in range(2):
        while x * y < z[index]:
            x = y - x
            z[index] += 1
    total = z[0] + z[1] + z[2]
    while y != x and total > x + y:
        y -= x
        output += ms.Tensor(y)
    return output


def as_often_as_data_say(n):
    y, i = np.array([1.0, 2.0]), n * 0
    while i < n:
        y = y * 2 + 1
        i = i + 1
    return ms.Tensor(y)


def in_a_branch_of_a_loop(n):
    y = np.array([1, 2])
    for i in range(20):
        y = y + i
        if n > 5:
            y = y * 2
    return ms.Tensor(y)


def one_of_a_few(n):
    y, z, i = np.array([1.0, 2.0]), np.array([3.0, 4.0]), n * 0
    while i < n:
        y, z, i = z, y, i + 1
    return ms.Tensor(y)


def one_of_many(n):
    y = np.array([1.0, 2.0])
    if n > 2:
        y = y + 1
    elif n > 1:
        y = y + 2
    elif n > 0:
        y = y + 3
    elif n > -1:
        y = y + 4
    elif n > -2:
        y = y + 5
    return ms.Tensor(y)


def from_the_run(n):
    y, i = np.array([1.0, 2.0]), n * 0
    while i < n:
        y = y + n.asnumpy()
        i = i + 1
    return ms.Tensor(y)


@pytest.mark.parametrize("n", [-1, 0, 3, 7])
@pytest.mark.parametrize(
    "fn",
    [as_often_as_data_say, in_a_branch_of_a_loop, one_of_a_few, one_of_many, from_the_run],
)
def test_as_python(fn, n):
    n = ms.Tensor(n)
    assert ms.jit(fn)(n).asnumpy().tolist() == fn(n).asnumpy().tolist()


def test_more_than_are_unrolled():
    assert ms.jit(in_place)().asnumpy().tolist() == in_place().asnumpy().tolist() == [63]


def test_an_array_that_grows():
    def grows(n):
        y, i = np.array([1.0]), n * 0
        while i < n:
            y = np.concatenate([y, y])
            i = i + 1
        return ms.Tensor(y)

    with pytest.raises(CompileTimeError, match="numpy.concatenate"):
        ms.jit(grows)(ms.Tensor(3))


def less_a_chosen_one(t):
    x, y, n = np.array([1]), np.array([10]), 0
    if t > 2:
        x = y - x
    while y[0] > x[0]:
        y = y - x[0]
        n = n + 1
    return ms.Tensor(y), n


def less_one_of_two(t):
    x, y = np.array([1.5, 4.0]), np.array([10.0, 3.0])
    if t > 2:
        x = np.array([9.0, -1.0])
    while t > 0:
        y = y - x
        t = t - 1
    return ms.Tensor(y), 0


@pytest.mark.parametrize("fn", [less_a_chosen_one, less_one_of_two])
@pytest.mark.parametrize("t", [1, 3, 7])
def test_a_loop_starts_from_an_array_that_data_chose(fn, t):
    (array, count), (wanted, times) = ms.jit(fn)(ms.Tensor(t)), fn(ms.Tensor(t))
    assert array.asnumpy().tolist() == wanted.asnumpy().tolist() and count == times
