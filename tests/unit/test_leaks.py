"""What users drop is freed: networks, functions, their programs, gradients, traces, datasets."""

import copy
import dataclasses
import functools
import gc
import linecache
import weakref

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, _core, dataset, nn, ops

X = Tensor(np.ones((1, 64), np.float32))
ones = functools.partial(np.ones, dtype=np.float32)


@pytest.fixture(autouse=True)
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def dense():
    return nn.Dense(64, 64)


def network():
    net = nn.SequentialCell(dense(), nn.ReLU(), dense())
    net(X)
    return net


def network_with_a_method():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layer = dense()

        @ms.jit
        def other(self, x):
            return self.layer(x)

    net = Net()
    net.other(X)
    ms.jit(net.other)(X)
    ms.grad(lambda x: net.other(x).sum())(X)
    return net


def network_that_sets_attributes():
    class Net(nn.Cell):
        def construct(self, x):
            self.last = x * 2.0
            return self.last

    net = Net()
    net(X)
    return net


def network_with_a_callback_to_itself():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.host = ms.host(lambda x: x.asnumpy() + self.offset, out=((1, 64), ms.float32))
            self.offset = ones(64)

        def construct(self, x):
            return self.host(x)

    net = Net()
    net(X)
    return net


def step_of_training():
    net = dense()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))
    step(X, X)
    return net


def training():
    net = nn.Dense(8, 1)
    data = dataset.NumpySlicesDataset((ones((8, 8)), ones((8, 1))), ["x", "y"]).batch(4)
    ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, data)
    return net


def open_dimensions():
    net = dense()
    net.set_inputs(Tensor(shape=[None, 64], dtype=ms.float32))
    net(X)
    return net


def function():
    held = Tensor(ones((64, 64)))

    def f(x):
        return x @ held

    ms.jit(f)(X)
    return f


def gradient():
    def f(x):
        return (x * x).sum()

    ms.grad(f)(X), ms.jit(ms.grad(f))(X), ms.vmap(f)(X), ms.jvp(f, (X,), (X,))
    ms.vjp(f, X)[1](Tensor(1.0))
    return f


def gradient_by_weights():
    net = dense()
    ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())(X)
    ops.GradOperation(get_by_list=True)(net, net.trainable_params())(X)
    return net


@ms.jit
def applied(net, x):
    return net(x)


def argument_of_a_function_that_stays():
    net = dense()
    applied(net, X)
    return net


@ms.jit
def squared(x):
    return (x * x).sum()


def parameters_as_arguments():
    weight = Parameter(Tensor(ones((64, 64))))
    squared(weight), ms.grad(squared, None, weight)(X)
    return weight


class Scale:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return x * self.by

    def method(self, x):
        return x * self.by


def objects():
    scale = Scale(Tensor(ones(64)))
    ms.jit(scale)(X), ms.jit(scale.method)(X), ms.grad(scale.method)(X)
    applied(scale, X)
    return scale


def traces():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = dense()
    for _ in range(3):
        ms.vmap(net)(X), ms.grad(lambda a: (X * a).sum())(2.0)
    ms.set_context(mode=ms.GRAPH_MODE)
    return net


def callback():
    def f(x):
        return x.asnumpy()

    hosted = ms.host(f, out=((1, 64), ms.float32))
    hosted(X), ms.jit(lambda x: hosted(x))(X)
    return f


def primitive():
    class Twice(ops.PrimitiveWithInfer):
        def infer_shape(self, x):
            return x

        def infer_dtype(self, x):
            return x

        def host(self, x):
            return x * 2

    twice = Twice()
    twice(X), ms.jit(lambda x: twice(x))(X)
    return twice


def type_of_an_argument():
    @dataclasses.dataclass
    class Pair:
        a: object

    ms.jit(lambda p: p.a * 2.0)(Pair(X))
    return Pair


def hook():
    net = dense()
    net.register_forward_hook(lambda cell, given, out: out * 2.0)
    handle = net.weight.register_hook(lambda grad: grad * 2.0)
    ms.grad(lambda x: net(x).sum(), None, net.trainable_params())(X)
    handle.remove()
    return net


def data():
    d = dataset.NumpySlicesDataset({"x": ones((64, 8))}).map(lambda v: v + 1, "x").batch(4)
    next(iter(d.create_dict_iterator()))
    return d


def code():
    name = f"<made {next(code.count)}>"
    text = "def f(x):\n    return [v * 2.0 for v in (x, x)][0]\n"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names: dict = {}
    exec(compile(text, name, "exec"), names)
    ms.jit(names["f"])(X)
    del linecache.cache[name]
    return names["f"].__code__


code.count = iter(range(10**9))


@pytest.mark.parametrize(
    "make",
    [
        network,
        network_with_a_method,
        network_that_sets_attributes,
        network_with_a_callback_to_itself,
        step_of_training,
        training,
        open_dimensions,
        function,
        gradient,
        gradient_by_weights,
        argument_of_a_function_that_stays,
        parameters_as_arguments,
        objects,
        traces,
        callback,
        primitive,
        type_of_an_argument,
        hook,
        data,
        code,
    ],
    ids=lambda make: make.__name__,
)
def test_what_is_dropped_is_freed(make):
    make()
    made = [weakref.ref(make()) for _ in range(3)]
    gc.collect()
    assert [r() for r in made] == [None] * 3


@pytest.mark.parametrize("make, times", [(network, 200), (function, 1000)])
def test_bytes(make, times):
    """Neither buffers nor objects of Python stay."""
    for _ in range(20):
        make()
    gc.collect()
    before, objects = _core.memory()["in_use"], len(gc.get_objects())
    for _ in range(times):
        make()
    gc.collect()
    assert _core.memory()["in_use"] <= before
    assert len(gc.get_objects()) - objects < times


def test_what_takes_the_place_of_an_object_gets_no_program_of_it():
    """Identities come again: of weights, of arguments, of hooks."""

    @ms.jit
    def scaled(scale, x):
        return x * scale.by

    def f(x):
        return (x * x).sum()

    for i in range(50):
        assert scaled(Scale(float(i)), X)[0, 0] == i
        weight = Parameter(Tensor(ones(i + 1)))
        assert ms.grad(f, None, weight)(X).shape == (i + 1,)
        x = Tensor(ones(3))
        handle = x.register_hook(lambda grad, i=i: grad * i)
        assert ms.grad(f)(x).tolist() == [2.0 * i] * 3
        handle.remove()
        del handle


def test_a_copy_has_programs_of_its_own():
    """`functools.wraps` and copies hand on the attributes of an object."""

    def f(x):
        return (x * 2.0).sum()

    assert ms.grad(f)(X)[0, 0] == 2.0

    @functools.wraps(f)
    def g(x):
        return (x * 3.0).sum()

    assert ms.grad(g)(X)[0, 0] == 3.0 and ms.grad(f)(X)[0, 0] == 2.0
    net = dense()
    expected = net(X).asnumpy()
    other = copy.deepcopy(net)
    other.weight.set_data(other.weight * 2.0)
    other.bias.set_data(other.bias * 2.0)
    np.testing.assert_allclose(other(X).asnumpy(), 2 * expected, rtol=1e-5)
    np.testing.assert_array_equal(net(X).asnumpy(), expected)
