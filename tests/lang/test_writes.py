"""Elements written one by one: values against NumPy, and a cost that does not depend on the size of
the tensor, forward and in reverse.
"""

import re

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops


def running(x, n):
    """Each element becomes a mix of itself and the one before."""
    i = 1
    while i < n:
        x[i] = x[i - 1] * 0.5 + x[i]
        i = i + 1
    return x


def table(x, n):
    """The same over rows and columns, where a condition chooses what is written."""
    i = 1
    while i < n:
        if x[i, 0] > 0:
            x[i, 1] = x[i - 1, 1] * 0.5
        else:
            x[i - 1] = x[i] * 2.0
        i = i + 1
    return x


def of_numpy(fn, x):
    x = x.copy()
    return fn(x, len(x))


VECTOR = np.linspace(-1.0, 2.0, 7, dtype=np.float32)
MATRIX = np.float32(np.sin(np.arange(12))).reshape(6, 2)


@pytest.mark.parametrize("fn, start", [(running, VECTOR), (table, MATRIX)])
def test_values(fn, start):
    def loss(x, n):
        return (fn(x * 1.0, n) * ops.cos(x)).sum()

    want = of_numpy(fn, start)
    got = ms.jit(lambda x, n: fn(x * 1.0, n))(Tensor(start), len(start)).asnumpy()
    np.testing.assert_array_equal(got, want)
    gradient = ms.jit(lambda x, n: ms.grad(loss)(x, n))(Tensor(start), len(start)).asnumpy()
    np.testing.assert_array_equal(gradient, ms.grad(loss)(Tensor(start), len(start)).asnumpy())
    step = np.random.default_rng(0).standard_normal(start.shape)

    def at(e):
        x = start.astype(np.float64) + e * step
        return (of_numpy(fn, x) * np.cos(x)).sum()

    np.testing.assert_allclose((gradient * step).sum(), (at(1e-6) - at(-1e-6)) / 2e-6, rtol=1e-4)


@pytest.mark.parametrize("fn, start", [(running, VECTOR), (table, MATRIX)])
def test_no_write_copies_the_tensor(fn, start):
    """In the loop, forward and backward, nothing but writes in place makes a tensor of that
    size.
    """

    def gradient(x, n):
        return ms.grad(lambda x, n: ops.sum(fn(x, n)))(x, n)

    program = ms.inspect(gradient, Tensor(start), len(start))["lower"].text()
    size = "float32[" + ", ".join(map(str, start.shape)) + "]"
    loop = [
        f for f in program.split("\n@")[1:] if "body" in f.split("(")[0] or "if" in f.split("(")[0]
    ]
    made = [line for body in loop for line in body.splitlines() if line.endswith(f": {size}")]
    assert made and all(
        re.search(r"new \w+ from \w+ = RUN tensor_scatter", line) for line in made
    ), program
    assert "arange" not in program


def test_positions_in_the_first_dimensions():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    rows, columns = np.array([[0], [1]]), np.array([0, 2, 0])
    cases = [
        # Of equal places the last holds.
        (lambda i, j: (i, j), np.arange(24, dtype=np.float32).reshape(2, 3, 4)),
        (lambda i, j: (1, j), np.float32([[1], [2], [3]])),
        (lambda i, j: (-1, 2), np.arange(4, dtype=np.float32)),
        (lambda i, j: j[1:2] - 1, np.float32(5)),
        (lambda i, j: (i, j, -1), np.arange(3, dtype=np.float32).reshape(1, 1, 3)),
    ]
    for index, value in cases:
        want = x.copy()
        want[index(rows, columns)] = value

        def fn(x, i, j, v, index=index):
            x = x * 1.0
            x[index(i, j)] = v
            return x

        args = [Tensor(a) for a in (x, rows, columns, value)]
        np.testing.assert_array_equal(ms.jit(fn)(*args).asnumpy(), want)
        np.testing.assert_array_equal(fn(*args).asnumpy(), want)
