"""Elements written one by one: values against NumPy, and a cost that does not depend on the size of
the tensor, forward and in reverse.
"""

import random
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


def _random_index(r, shape: tuple):
    """Ints, slices with steps of both signs, ``...`` and None, as NumPy takes them."""

    def one(n):
        bounds = [None, *range(-n - 1, n + 2)]
        return r.choice(
            [
                *(
                    r.randrange(-n, n),
                    slice(None),
                    Ellipsis,
                    None,
                    slice(1, n),
                    slice(None, None, -1),
                ),
                slice(r.choice(bounds), r.choice(bounds), r.choice([None, 1, 2, -1, -2])),
            ]
        )

    index = tuple(one(r.choice(shape)) for _ in range(r.randrange(1, len(shape) + 2)))
    return index[0] if len(index) == 1 and r.random() < 0.5 else index


@pytest.mark.parametrize("seed", range(12))
def test_blocks_and_masks_as_in_numpy(seed):
    r, rng = random.Random(seed), np.random.default_rng(seed)
    for t in range(25):
        shape = tuple(r.randrange(1, 5) for _ in range(r.randrange(1, 4)))
        a, index = rng.standard_normal(shape).astype(np.float32), _random_index(r, shape)
        mask = rng.random(shape[: r.randrange(1, len(shape) + 1)]) > 0.5
        try:
            part = a[index].shape
        except IndexError:
            continue
        v = r.choice([1, 2.5, True, 0.1, rng.standard_normal(part), rng.standard_normal(part[1:])])
        v = (
            v
            if isinstance(v, (int, float)) and not isinstance(v, np.generic)
            else Tensor(np.float32(v))
        )
        want = a.copy()
        want[index] = v if not isinstance(v, Tensor) else v.asnumpy()
        want[mask] = 0.1

        def f(x):
            x = x * 1
            x[index] = v
            x[Tensor(mask)] = 0.1
            return x

        for _ in range(2):  # resolved, then repeated by the core
            np.testing.assert_array_equal(f(Tensor(a)).asnumpy(), want)
            np.testing.assert_array_equal(Tensor(a)[Tensor(mask)].asnumpy(), a[mask])
        if t < 2:
            kept = np.ones_like(a)
            kept[index] = kept[mask] = 0
            w = Tensor(rng.standard_normal(shape).astype(np.float32))
            g = ms.grad(lambda x: (f(x) * w).sum())
            np.testing.assert_array_equal(ms.jit(f)(Tensor(a)).asnumpy(), want)
            np.testing.assert_array_equal(g(Tensor(a)).asnumpy(), kept * w.asnumpy())
            np.testing.assert_array_equal(
                ms.jit(lambda x: g(x))(Tensor(a)).asnumpy(), kept * w.asnumpy()
            )


def test_numbers_keep_their_precision():
    for dtype in (ms.float64, ms.int64, ms.float16):
        x = Tensor(np.zeros(3), dtype)
        for v in (0.1, 3, *([16777217.0] if dtype is not ms.float16 else [])):
            x[1] = v if dtype is not ms.int64 else int(v)
            assert x.asnumpy()[1] == x.asnumpy().dtype.type(v if dtype is not ms.int64 else int(v))


def test_what_a_repeated_call_gives_is_its_own():
    """A constant that stands for what earlier steps made is not handed out."""
    x = Tensor(np.zeros((2, 3), np.float32))
    found = [ops.one_hot(Tensor([0, 1]), 3) for _ in range(8)]
    zeros = [ops.zeros_like(x) for _ in range(8)]
    for t in (*found, *zeros):
        before = t.asnumpy().copy()
        t[0] = 7
        assert (t.asnumpy()[1:] == before[1:]).all()
    assert (ops.zeros_like(x).asnumpy() == 0).all()
    assert ops.one_hot(Tensor([0, 1]), 3).asnumpy().tolist() == [[1, 0, 0], [0, 1, 0]]
    for k in range(8):
        y = Tensor(np.zeros((4, 3), np.float32))
        y[1:3] = k
        y[1:3] = y[1:3] + 1
        assert y.asnumpy()[:, 0].tolist() == [0, k + 1, k + 1, 0]
