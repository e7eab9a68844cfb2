"""In-place methods: the tensor takes the value, in its dtype, eagerly and compiled; gradients flow
through it.
"""

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.5]], np.float32)
ROW = np.array([1, 0])


def _put_rows(x, v):
    x[:, ROW] = v
    return x


CASES = {
    "add_": (lambda x: x.add_(2, alpha=3), lambda x: x + 6),
    "sub_": (lambda x: x.sub_(x, alpha=2), lambda x: -x),
    "mul_": (lambda x: x.mul_(x), lambda x: x * x),
    "div_": (lambda x: x.div_(2, rounding_mode="floor"), lambda x: np.floor(x / 2)),
    "exp_": (lambda x: x.exp_(), np.exp),
    "fill_": (lambda x: x.fill_(7), lambda x: np.full_like(x, 7)),
    "zero_": (lambda x: x.zero_(), np.zeros_like),
    "clamp_": (lambda x: x.clamp_(-1, 1), lambda x: np.clip(x, -1, 1)),
    "copy_": (lambda x: x.copy_(Tensor([1, 2, 3])), lambda x: np.broadcast_to([1.0, 2, 3], (2, 3))),
    "masked_fill_": (lambda x: x.masked_fill_(x < 0, 0.0), lambda x: np.maximum(x, 0)),
    "index_copy_": (
        lambda x: x.index_copy_(1, Tensor(ROW), x[:, :2] * 1),
        lambda x: _put_rows(x.copy(), x[:, :2]),
    ),
    "put_": (
        lambda x: x.put_(Tensor([-1, 0]), Tensor([9.0, 8.0])),
        lambda x: np.array([8, *x.ravel()[1:5], 9]).reshape(2, 3),
    ),
    "remainder_": (lambda x: x.remainder_(2), lambda x: np.mod(x, 2)),
    "scatter_": (
        lambda x: x.scatter_(0, Tensor([[1, 0, 1]]), value=5.0),
        lambda x: np.array([[1, 5, 3], [5, 4, 5]]),
    ),
}


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize("name", CASES)
def test_value(name, compiled):
    """The tensor and the result are the new value."""
    call, reference = CASES[name]

    def change(x):
        y = x * 1
        z = call(y)
        return y, z

    y, z = (ms.jit(change) if compiled else change)(Tensor(X))
    np.testing.assert_allclose(y.asnumpy(), reference(X), rtol=1e-6)
    np.testing.assert_array_equal(y.asnumpy(), z.asnumpy())


def test_the_tensor_itself():
    """The object changes and is returned; its dtype stays; a result of another shape is refused."""
    x = Tensor([1, 2, 3])
    assert x.mul_(2.5) is x and x.dtype is ms.int64 and x.tolist() == [2, 5, 7]
    with pytest.raises(RuntimeError, match="has shape"):
        x.add_(Tensor([[1], [2]]))


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "graph"])
def test_gradient(compiled):
    """d sum(2 exp(x)) / dx = 2 exp(x)."""

    def fn(x):
        y = x * 1
        y.exp_()
        y.mul_(2)
        return y.sum()

    grad = ms.grad(ms.jit(fn) if compiled else fn)(Tensor(X))
    np.testing.assert_allclose(grad.asnumpy(), 2 * np.exp(X), rtol=1e-6)


def test_a_parameter_in_a_program():
    """A parameter that compiled code changes keeps the new value."""

    class Count(nn.Cell):
        def __init__(self):
            super().__init__()
            self.n = Parameter(Tensor([1.0]), name="n")

        def construct(self, x):
            self.n.add_(x)
            return self.n * 2

    net, before = Count(), ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        assert net(Tensor([2.0])).tolist() == [6.0] and net(Tensor([1.0])).tolist() == [8.0]
    finally:
        ms.set_context(mode=before)
    assert net.n.asnumpy().tolist() == [4.0]


def test_random_fills():
    """Samples lie where they should."""
    x = Tensor(np.zeros(1000, np.float32))
    assert 0.4 < x.uniform_(0, 1).asnumpy().mean() < 0.6 and x.uniform_(2, 3).asnumpy().min() >= 2
    assert abs(float(x.normal_(5, 1).asnumpy().mean()) - 5) < 0.2
    assert 0.8 < x.exponential_(1).asnumpy().mean() < 1.2
    assert set(x.bernoulli_(0.5).asnumpy()) == {0.0, 1.0} and set(x.random_(1, 3).asnumpy()) == {
        1.0,
        2.0,
    }


def test_spellings_of_arguments():
    """Other names of arguments, and factors of the second operand."""
    x, y = Tensor([[4.0, -5.0, 6.0]]), Tensor([[1.0, 3.0, 4.0]])
    assert x.add(y, alpha=2).tolist() == [[6, 1, 14]] and ms.mint.sub(x, y, alpha=2).tolist() == [
        [2, -11, -2]
    ]
    assert x.remainder(divisor=y).tolist() == x.remainder(y).tolist() == [[0, 1, 2]]
    most, place = x.argmax_with_value(axis=1)
    assert most.tolist() == [6] and place.tolist() == [2]
    assert x.scatter(axis=1, index=Tensor([[2]]), src=Tensor([[9.0]])).tolist() == [[4, -5, 9]]
    assert x.chunk(3, dim=1)[0].tolist() == [[4]] and x.count_nonzero(dim=1).tolist() == [3]
    assert (
        x.flatten(0, 1).shape == (3,)
        and x.expand_as(x=y).shape == (1, 3)
        and x.select(1, 0).tolist() == [4]
    )
    assert x.std(axis=1, correction=1).tolist() == pytest.approx([np.std([4, -5, 6], ddof=1)])
    assert x.stride() == [3, 1] and x.storage_offset() == 0 and x.device == "CPU" and not x.is_meta


def _address(x) -> int:
    return x.asnumpy().ctypes.data


INDICES = [2, (1, 3), (slice(None), 2), slice(1, 3), (slice(0, 4, 2), slice(1, 5)), [0, 3]]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_an_assignment_writes_into_what_nobody_else_holds(index):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    given = np.arange(24, dtype=np.float32).reshape(4, 6)
    x, expected = Tensor(given), given.copy()
    index = Tensor(index) if isinstance(index, list) else index
    at = index.asnumpy() if isinstance(index, Tensor) else index
    x[index], expected[at] = -1.0, -1
    for k in range(8):  # the first calls resolve their ops
        before = _address(x)
        x[index], expected[at] = float(k), k
        assert np.array_equal(x.asnumpy(), expected)
        assert _address(x) == before


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_an_assignment_leaves_alone_what_others_hold(index):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    given = np.arange(24, dtype=np.float32).reshape(4, 6)
    index = Tensor(index) if isinstance(index, list) else index
    at = index.asnumpy() if isinstance(index, Tensor) else index
    for _ in range(8):
        x, expected = Tensor(given), given.copy()
        array, copy, other = x.asnumpy(), x.copy(), Tensor(x)
        program = ms.jit(lambda y, x=x: y + x)
        zero = ops.zeros((4, 6))
        program(zero)
        x[index], expected[at] = -1.0, -1
        for kept in (array, copy.asnumpy(), other.asnumpy()):
            assert np.array_equal(kept, given)
        assert np.array_equal(program(zero).asnumpy(), expected)
        rows, flat = x[1], x.reshape(-1)
        x[index], expected[at] = -2.0, -2
        assert np.array_equal(rows.asnumpy(), expected[1])
        assert np.array_equal(flat.asnumpy(), expected.ravel())


def test_an_assignment_that_fails_changes_nothing():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    x, wrong = Tensor(np.arange(4, dtype=np.float32)), Tensor([1, 9])
    for _ in range(8):
        with pytest.raises(IndexError):
            x[wrong] = 7.0
        assert x.asnumpy().tolist() == [0, 1, 2, 3]
        x[0:4] = ops.flip(x, (0,))
        assert x.asnumpy().tolist() == [3, 2, 1, 0]
        x[1:4] = x[0:3]
        assert x.asnumpy().tolist() == [3, 3, 2, 1]
        x = Tensor(np.arange(4, dtype=np.float32))


def test_an_assignment_on_a_tape_keeps_what_the_gradient_reads():
    ms.set_context(mode=ms.PYNATIVE_MODE)

    def f(x):
        y = x * 2
        z = y * y
        y[1] = x[0] * 3
        y[2:4] = 0.0
        return (y * y).sum() + z.sum()

    x = np.arange(1, 6, dtype=np.float32)
    wanted = 8 * x + [8 * 1 + 18 * 1, 0, 0, 0, 8 * 5]
    for _ in range(8):
        assert np.allclose(ms.grad(f)(Tensor(x)).asnumpy(), wanted)


@pytest.mark.parametrize(
    "name, args",
    [("relu", ()), ("relu6", ()), ("silu", ()), ("elu", (1.0,)), ("threshold", (1.0, 9.0))],
)
def test_functions_of_mint_that_are_asked_to_work_in_place(name, args):
    fn = getattr(ms.mint.nn.functional, name)
    values = np.array([-1.5, 0.5, 7.0], np.float32)

    def changed(x):
        y = x * 1
        fn(y, *args, inplace=True)
        return y

    expected = fn(Tensor(values), *args).asnumpy()
    slope = ms.grad(lambda x: fn(x * 1, *args).sum())(Tensor(values)).asnumpy()
    for run in (lambda f: f, ms.jit):
        np.testing.assert_array_equal(run(changed)(Tensor(values)).asnumpy(), expected)
        found = run(ms.grad(lambda x: changed(x).sum()))(Tensor(values))
        np.testing.assert_allclose(found.asnumpy(), slope, rtol=1e-6)
    x = Tensor(values)
    assert fn(x, *args, inplace=True) is x and x.asnumpy().tolist() == expected.tolist()
