"""Gradients of rows that a loop reads and writes are summed in place: time linear in the number of
rows.
"""

import numpy as np

import minds as ms
from minds import Tensor, ops


def reads(x, w):
    s = w
    for r in x:
        s = ops.tanh(s * r + w)
    return s.sum()


def writes(x, w):
    return ms.vmap(lambda r: ops.tanh(r * w))(x).sum()


def gradient(fn):
    return ms.jit(lambda x, w: ms.grad(fn, (0, 1))(x, w))


def inputs(n: int, width: int = 16):
    rng = np.random.default_rng(n)
    return Tensor(rng.standard_normal((n, width)).astype(np.float32)), Tensor(
        np.ones(width, np.float32)
    )


def test_the_sum_of_rows_is_that_of_the_tape():
    for n in (9, 40):
        given = inputs(n, 3)
        for found, expected in zip(
            gradient(reads)(*given), ms.grad(reads, (0, 1))(*given), strict=True
        ):
            np.testing.assert_array_equal(found.asnumpy(), expected.asnumpy())


def test_the_sum_of_rows_is_a_scatter_in_place():
    text = ms.inspect(lambda x, w: ms.grad(reads)(x, w), *inputs(20, 3))["tidy"].text()
    assert "gather_dx" not in text and "tensor_scatter" in text


def test_known_rows_are_summed_in_place():
    """The gradients of some rows of known places; and of slices that are no rows."""

    def known(x, w):
        return sum((ops.tanh(x[i] * w).sum() for i in (3, 1, 4, 1, 0)), x[2, 1] + x[1:3].sum())

    given = inputs(5, 3)
    found, wanted = gradient(known)(*given), ms.grad(known, (0, 1))(*given)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())
    text = ms.inspect(lambda x, w: ms.grad(known)(x, w), *given)["tidy"].text()
    assert text.count("tensor_scatter(") >= 4


def test_places_of_other_axes_are_summed_in_place():
    """A loop over the second axis, or the third, costs no more than one over rows."""

    def columns(x, w):
        s = w
        for t in range(x.shape[1]):
            s = ops.tanh(s * x[:, t] + w)
        return s.sum() + (x[:, 3] * x[:, 1]).sum()

    def deep(x, w):
        s = w
        for t in range(x.shape[2]):
            s = ops.tanh(s * x[:, :, t].sum((0, 1)) + w)
        return s.sum()

    rng = np.random.default_rng(0)
    for fn, shape in ((columns, (2, 12, 16)), (deep, (2, 3, 12, 16))):
        given = Tensor(rng.standard_normal(shape)), Tensor(np.ones(16))
        for found, wanted in zip(gradient(fn)(*given), ms.grad(fn, (0, 1))(*given), strict=True):
            np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-13, atol=1e-15)
        text = ms.inspect(lambda x, w, fn=fn: ms.grad(fn)(x, w), *given)["tidy"].text()
        assert "gather_dx" not in text and "tensor_scatter" in text
