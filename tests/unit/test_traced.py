"""Traced calls in PyNative mode: used again as long as what they read is as it was, and never
longer.
"""

import gc
import weakref

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops
from minds.transforms import traced

BATCH = Tensor(np.arange(6.0).reshape(3, 2))
SCALE = 2.0


class Config:
    offset = 1.0


@pytest.fixture
def parses(monkeypatch):
    """How often something was interpreted."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    found = []
    monkeypatch.setattr(
        traced, "parse", lambda *a, kept=traced.parse, **k: found.append(1) or kept(*a, **k)
    )
    return found


def rows(fn):
    return ms.vmap(fn)(BATCH).asnumpy()


def test_a_function_is_traced_once(parses):
    def fn(r):
        return ops.sin(r) * SCALE

    for _ in range(4):
        np.testing.assert_array_equal(rows(fn), ops.sin(BATCH).asnumpy() * SCALE)
    gradient = [ms.vmap(ms.grad(lambda r: (r * r).sum()))(BATCH).asnumpy() for _ in range(2)]
    np.testing.assert_array_equal(*gradient)
    assert len(parses) == 3  # a new lambda is a new function


def test_results_are_the_same_to_the_bit_from_the_eager_ops_and_compiled():
    def fn(r):
        while r.sum() < 7.0:
            r = r + ops.exp(r * 0.1)
        return r / 3.0

    first, second, third = (rows(fn) for _ in range(3))
    assert first.tobytes() == second.tobytes() == third.tobytes()


def test_variables_of_modules_and_functions(parses):
    global SCALE
    factor = 3.0

    def fn(r):
        return r * SCALE * factor + Config.offset

    np.testing.assert_allclose(rows(fn), BATCH.asnumpy() * 6 + 1)
    factor = 5.0
    np.testing.assert_allclose(rows(fn), BATCH.asnumpy() * 10 + 1)
    SCALE = 1.0
    try:
        np.testing.assert_allclose(rows(fn), BATCH.asnumpy() * 5 + 1)
        Config.offset = 4.0
        np.testing.assert_allclose(rows(fn), BATCH.asnumpy() * 5 + 4)
    finally:
        SCALE, Config.offset = 2.0, 1.0
    np.testing.assert_allclose(rows(fn), BATCH.asnumpy() * 10 + 1)
    assert len(parses) == 4  # numbers that were seen to differ are arguments


def test_lists_and_what_cannot_be_told(parses):
    weights, array = [1.0, 2.0], np.array([1.0])

    def fn(r):
        return r * weights[0] + weights[-1]

    def opaque(r):
        return r * Tensor(array)

    np.testing.assert_allclose(rows(fn), BATCH.asnumpy() + 2)
    weights.append(7.0)
    np.testing.assert_allclose(rows(fn), BATCH.asnumpy() + 7)
    for k in (1.0, 3.0):
        array[0] = k
        np.testing.assert_allclose(rows(opaque), BATCH.asnumpy() * k)


def test_tensors_and_parameters(parses):
    shift, weight = Tensor([1.0, 1.0]), ms.Parameter(Tensor([2.0, 2.0]), name="w")

    def fn(r):
        return r * weight + shift

    wide = BATCH.astype(ms.float32)
    for _ in range(3):
        np.testing.assert_allclose(ms.vmap(fn)(wide).asnumpy(), wide.asnumpy() * 2 + 1)
    weight.set_data(Tensor([3.0, 3.0]))
    np.testing.assert_allclose(ms.vmap(fn)(wide).asnumpy(), wide.asnumpy() * 3 + 1)
    shift[0] = 10.0
    np.testing.assert_allclose(
        ms.vmap(fn)(wide).asnumpy(), wide.asnumpy() * 3 + np.array([10.0, 1.0])
    )


def test_attributes_of_cells():
    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.by, self.layers = 2.0, nn.CellList([nn.ReLU(), nn.Tanh()])

        def construct(self, x):
            for layer in self.layers:
                x = layer(x)
            return x * self.by

    net = Scaled()
    for by in (2.0, 2.0, 2.0, 5.0):
        net.by = by
        np.testing.assert_allclose(rows(net), np.tanh(BATCH.asnumpy()) * by, rtol=1e-12)
    net.layers.append(nn.ReLU())
    net.layers[1] = nn.Sigmoid()
    np.testing.assert_allclose(rows(net), 5 / (1 + np.exp(-BATCH.asnumpy())), rtol=1e-12)


def test_training_and_evaluation_differ():
    net = nn.SequentialCell(nn.Dropout(p=0.5))
    ones = Tensor(np.ones((4, 50), np.float32))
    for train in (False, True, False, True):
        net.set_train(train)
        found = ms.vmap(net)(ones).asnumpy()
        assert (found == 1).all() != train
        assert not train or len({r.tobytes() for r in found}) == 4


def test_tapes_see_what_is_captured():
    w = Tensor([2.0, 3.0])

    def loss(v):
        return ms.vmap(lambda r: (r * v).sum())(BATCH.astype(ms.float32)).sum()

    for _ in range(3):
        np.testing.assert_allclose(ms.grad(loss)(w).asnumpy(), BATCH.asnumpy().sum(0))


def test_traces_end_with_their_function():
    def make():
        def fn(r):
            return r + 1.0

        ms.vmap(fn)(BATCH)
        return weakref.ref(fn)

    gone = make()
    gc.collect()
    assert gone() is None


def test_a_result_that_is_an_operand_is_a_tensor_of_its_own():
    batch, weight = Tensor([[1.0, 2.0]]), ms.Parameter(Tensor([5.0]), name="w")
    for _ in range(3):
        same, shared = ms.vmap(lambda r: (r, weight), out_axes=(0, None))(batch)
        same[0] = 7.0
        shared[0] = 7.0
        np.testing.assert_array_equal(batch.asnumpy(), [[1.0, 2.0]])
        np.testing.assert_array_equal(weight.asnumpy(), [5.0])
    slope = ms.grad(
        lambda: ms.vmap(lambda r: (r, weight), out_axes=(0, None))(batch)[1].sum(), None, weight
    )()
    np.testing.assert_array_equal(slope.asnumpy(), [1.0])


def doubled(r):
    r[1:] *= 2.0
    return r, r[1:]


def doubled_aloud(r):
    print("an example")
    return doubled(r)


PARTS = {
    "itself": lambda r: (r, r),
    "a slice": lambda r: (r, r[1:]),
    "of two steps": lambda r: (r, r.reshape(3, 1)[::-1]),
    "changed": doubled,
    "changed, with an effect": doubled_aloud,
}


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("examples", [1, 2])
@pytest.mark.parametrize("what", PARTS)
def test_results_of_vmap_share_no_elements_with_the_batch(what, examples, compiled):
    held = np.arange(3.0 * examples).reshape(examples, 3)
    rows = held.copy()
    if PARTS[what] in (doubled, doubled_aloud):
        rows[:, 1:] *= 2.0
    part = rows[:, ::-1, None] if what == "of two steps" else rows[:, 1:]
    expected = (rows, rows if what == "itself" else part)
    fn = ms.vmap(PARTS[what])
    fn = ms.jit(fn) if compiled else fn
    batch = Tensor(held)
    for _ in range(3):
        found = fn(batch)
        np.testing.assert_array_equal(batch.asnumpy(), held)
        for f, e in zip(found, expected):
            np.testing.assert_array_equal(f.asnumpy(), e)
        found[1][:] = 7.0
        np.testing.assert_array_equal(batch.asnumpy(), held)
        batch[:] = -1.0
        np.testing.assert_array_equal(found[0].asnumpy(), expected[0])
        np.testing.assert_array_equal(found[1].asnumpy(), np.full_like(expected[1], 7.0))
        batch[:] = Tensor(held)
