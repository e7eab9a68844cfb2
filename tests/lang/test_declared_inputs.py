"""Operators called the way MindSpore's tests do: through ``*args``, with shapes declared open, numbers
that stand in tensors, and sequences of an open length. References: the same call with nothing declared,
and NumPy.
"""

import copy
import pickle

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops


class Restored(nn.Cell):
    """Calls ``fn`` with numbers that stand in tensors, at the places ``index`` of the kinds ``kinds``."""

    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def construct(self, *args):
        index = args[-2]
        kinds = args[-1]
        given = list(args[:-2])
        for i, at in enumerate(index):
            if kinds[i] == 0:
                given[at] = int(args[at])
            elif kinds[i] == 1:
                given[at] = float(args[at])
            elif kinds[i] == 2:
                given[at] = bool(args[at])
            elif kinds[i] == 3:
                given[at] = ops.TensorToTuple()(args[at])
        return self.fn(*given)


class Called(nn.Cell):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def construct(self, *args):
        return self.fn(*args)


class Both(nn.Cell):
    """A function's value and its gradients by all inputs."""

    def __init__(self, net):
        super().__init__()
        self.net = net
        self.grad = ops.GradOperation(get_all=True)

    def construct(self, *args):
        return self.net(*args), self.grad(self.net)(*args)


def softmax(*args):
    return ops.softmax(*args)


def total(*args):
    return ops.sum(*args)


def reshaped(*args):
    return ops.reshape(*args)


def tiled(*args):
    return ops.tile(*args)


def transposed(*args):
    return ops.transpose(*args)


def clamped(*args):
    return ops.clamp(*args)


def data(*shape):
    return np.random.default_rng(3).normal(size=shape).astype(np.float32)


CASES = [
    (softmax, [data(3, 4), 0], [data(2, 3, 4), 1]),
    (total, [data(3, 4), (0,), True], [data(2, 3, 4), (1, 2), False]),
    (reshaped, [data(3, 4), (2, 6)], [data(2, 3, 4), (6, 4)]),
    (tiled, [data(3, 4), (2, 1)], [data(2, 3, 4), (1, 2, 2)]),
    (transposed, [data(3, 4), (1, 0)], [data(2, 3, 4), (1, 2, 0)]),
    (clamped, [data(3, 4), -0.5, 0.5], [data(2, 3, 4), -0.1, 0.1]),
]


def tensors(args) -> list:
    return [Tensor(v) if isinstance(v, np.ndarray) else v for v in args]


def declared(v):
    """As `set_inputs` takes it: a tensor of open rank, or the value."""
    return Tensor(shape=None, dtype=v.dtype) if isinstance(v, Tensor) else v


def in_tensors(args) -> list:
    """``args`` with numbers and tuples in tensors, their places and their kinds."""
    given, index, kinds = list(args), [], []
    for i, v in enumerate(args):
        if isinstance(v, Tensor):
            continue
        index.append(i)
        kinds.append(3 if isinstance(v, tuple) else (int, float, bool).index(type(v)))
        given[i] = Tensor(v)
    return [*given, tuple(index), tuple(kinds)]


def leaves(v) -> list:
    if isinstance(v, (tuple, list)):
        return [e for part in v for e in leaves(part)]
    return [v.asnumpy()] if isinstance(v, Tensor) else []


def same(a, b):
    a, b = leaves(a), leaves(b)
    assert len(a) == len(b) and a
    for x, y in zip(a, b):
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "eager"])
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("fn,first,second", CASES, ids=[c[0].__name__ for c in CASES])
def test_numbers_in_tensors(mode, fn, first, second):
    net = Restored(fn)
    given = in_tensors(tensors(first))
    net.set_inputs(*[declared(v) if i == 0 else v for i, v in enumerate(given)])
    same(net(*given), fn(*tensors(first)))
    again = in_tensors(tensors(second))
    net.set_inputs(*[declared(v) if i == 0 else v for i, v in enumerate(again)])
    same(net(*again), fn(*tensors(second)))


@pytest.mark.parametrize("fn,first,second", CASES, ids=[c[0].__name__ for c in CASES])
@pytest.mark.parametrize("length", [False, True])
def test_mutable_arguments(mode, fn, first, second, length):
    for case in (first, second):
        args = tensors(case)
        expected = Both(Called(fn))(*args)
        given = [
            ms.mutable(v, length)
            if isinstance(v, tuple)
            else v
            if isinstance(v, Tensor)
            else ms.mutable(v)
            for v in args
        ]
        net = Both(Called(fn))
        net.set_inputs(*[declared(v) for v in given])
        found = net(*given)
        same(found[0], expected[0])
        same(found[1][0], expected[1][0])


def test_the_number_of_a_tensor_decides_a_shape():
    @ms.jit
    def filled(n, x):
        return ops.ones((int(n), 2), ms.float32) * x

    for n in (2, 3, 2):
        out = filled(Tensor(n), Tensor(1.5))
        np.testing.assert_array_equal(out.asnumpy(), np.full((n, 2), 1.5, np.float32))


def test_the_number_of_a_tensor_that_was_changed():
    @ms.jit
    def after(a):
        t = Tensor([4])
        t[0] = a
        return int(t) + 1

    assert [after(3), after(8)] == [4, 9]


def test_a_flag_in_a_tensor_decides_a_rank():
    @ms.jit
    def reduced(x, keep):
        return ops.sum(x, 0, bool(keep))

    x = Tensor(data(2, 3))
    assert reduced(x, Tensor(True)).shape == (1, 3)
    assert reduced(x, Tensor(False)).shape == (3,)


def test_steps_of_the_run():
    @ms.jit
    def spaced_by(n):
        return ops.linspace(0.0, 1.0, int(n))

    for n in (3, 5):
        np.testing.assert_allclose(spaced_by(Tensor(n)).asnumpy(), np.linspace(0, 1, n), rtol=1e-6)


def test_a_tensor_of_shape_and_dtype_alone():
    t = Tensor(shape=[None, 3], dtype=ms.float32)
    assert isinstance(t, Tensor)
    assert (t.shape, t.dtype) == ((-1, 3), ms.float32)
    assert copy.deepcopy(t) is t and copy.copy(t) is t and t.copy() is t
    again = pickle.loads(pickle.dumps(t))
    assert (again.shape, again.dtype) == (t.shape, t.dtype)
    assert Tensor(None, ms.int32, (2, 3)).shape == (2, 3)
    assert Tensor(shape=None, dtype=ms.int32).shape == (-2,)


@pytest.mark.parametrize(
    "use",
    [
        lambda t: t.asnumpy(),
        lambda t: t + 1,
        lambda t: t[0],
        lambda t: t.sum(),
        lambda t: float(t),
        lambda t: ops.concat([t, t]),
        lambda t: nn.ReLU()(t),
        lambda t: ms.jit(lambda x: x + 1)(t),
        lambda t: Parameter(t),
        lambda t: Tensor(t),
        lambda t: np.array(t),
    ],
)
def test_values_that_are_not_there(use):
    with pytest.raises(TypeError, match="has no values"):
        use(Tensor(shape=[None, 3], dtype=ms.float32))
