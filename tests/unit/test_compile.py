"""The whole way from Python to a program: caching, growth, and that no Python runs inside a
call.
"""

import threading

import numpy as np
import pytest
from python_calls import python_calls

import minds as ms
from minds import Tensor, nn, ops
from minds.jit.cache import cache_of
from minds.jit.pipeline import build


def training_step():
    net = nn.SequentialCell(
        nn.Conv2d(1, 4, 3),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Flatten(),
        nn.Dropout(p=0.25),
        nn.Dense(64, 10),
    )
    loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    return nn.TrainOneStepCell(loss, nn.Adam(net.trainable_params())).set_train()


def test_a_warm_call_takes_few_python_calls(graph_mode):
    """What finds and runs a program that there is: at most 20, however many parameters it has."""

    @ms.jit
    def scale(x, y, n):
        return x * y + n

    x = Tensor(np.ones((4, 8), np.float32))
    deep = nn.SequentialCell(*[nn.Dense(8, 8) for _ in range(12)])
    for run in (lambda: scale(x, x, 2.0), lambda: deep(x)):
        run()
        run()
        calls = python_calls(run)
        assert len(calls) <= 20, calls


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def only_program(owner):
    (program,) = [p for found in cache_of(owner).programs.values() for p in found]
    return program


def test_no_python_runs_inside_a_training_step(graph_mode):
    step = training_step()
    x, y = Tensor(np.ones((8, 1, 8, 8), np.float32)), Tensor(np.zeros(8, np.int32))
    step(x, y)
    native = only_program(step).executable._program
    arrays = [x._array, y._array]
    before = step.network.get_parameters()
    before = [p.asnumpy().copy() for p in before]
    assert python_calls(lambda: native(arrays)) == []
    assert any((a != p.asnumpy()).any() for a, p in zip(before, step.network.get_parameters()))


def test_one_program_serves_all_calls_alike(graph_mode):
    step = training_step()
    for _ in range(3):
        step(Tensor(np.ones((8, 1, 8, 8), np.float32)), Tensor(np.zeros(8, np.int32)))
    only_program(step)


def test_numbers_are_run_time_values_unless_the_source_needs_them():
    @ms.jit
    def scaled(x, k):
        return x * k

    @ms.jit
    def reduced(x, axis):
        return ops.sum(x, axis)

    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    for k in (1, 2, 3):
        assert scaled(x, k).asnumpy().tolist() == (x.asnumpy() * k).tolist()
    only_program(scaled._compiled_from)
    for axis in (0, 1):
        assert reduced(x, axis).asnumpy().tolist() == x.asnumpy().sum(axis).tolist()


def test_a_new_grad_of_a_function_finds_its_program(graph_mode):
    def cube(x):
        return (x * x * x).sum()

    class Scaled:
        def __init__(self, k):
            self.k = k

        def loss(self, x):
            return (x * self.k).sum()

    x = Tensor([1.0, 2.0])
    for _ in range(3):
        assert ms.grad(cube)(x).asnumpy().tolist() == [3.0, 12.0]
    only_program(cube)
    assert [float(ms.grad(Scaled(k).loss)(x)[0]) for k in (2.0, 3.0, 2.0)] == [2.0, 3.0, 2.0]


def test_shapes_and_dtypes_make_their_own_programs():
    @ms.jit
    def f(x):
        return x + 1

    for shape, dtype in (
        ((2,), ms.float32),
        ((3,), ms.float32),
        ((2,), ms.int32),
        ((2,), ms.float32),
    ):
        out = f(ops.ones(shape, dtype))
        assert out.shape == shape and out.dtype is dtype
    assert len(cache_of(f._compiled_from).programs) == 3


def chain_gradient(n):
    layers = nn.CellList([nn.Dense(4, 4, activation="tanh") for _ in range(n)])

    def net(x):
        for layer in layers:
            x = layer(x)
        return x.sum()

    return ms.grad(net, None, layers.trainable_params())


def test_compilation_is_linear_in_the_number_of_layers():
    """Counted in Python calls, which unlike time do not vary: twice the layers, about twice the
    calls.
    """
    x = Tensor(np.ones((2, 4), np.float32))
    build(chain_gradient(10), (x,), {})
    calls = [
        len(python_calls(lambda n=n: build(chain_gradient(n), (x,), {}))) for n in (40, 80, 160)
    ]
    assert 1.8 < calls[1] / calls[0] < 2.2
    assert 1.8 < calls[2] / calls[1] < 2.2


def windows(x):
    rows, total = list(x), 0.0
    for i in range(len(rows)):
        total = total + sum(rows[i : i + 2])
    return total


@pytest.mark.parametrize(
    "parts",
    [
        ops.unstack,
        lambda x: ops.split(x, 1),
        lambda x: ops.tensor_split(x, len(x)),
        lambda x: [row * 2.0 for row in x],
        lambda x: ops.stack([row * 2.0 for row in ops.unbind(x)]),
        windows,
    ],
)
@pytest.mark.parametrize("wanted", ["value", "gradient"])
def test_compilation_is_linear_in_the_number_of_parts(parts, wanted):
    """Counted in calls of functions, those of Python's library too."""

    def make():
        def f(x):
            ys = parts(x)
            return (ys * ys).sum() if isinstance(ys, Tensor) else sum([y * y for y in ys]).sum()

        return f if wanted == "value" else ms.grad(f)

    def calls(n):
        x = Tensor(np.ones((n, 2), np.float32))
        return len(python_calls(lambda: build(make(), (x,), {}), library=True))

    calls(8)
    few, many = calls(32), calls(256)
    assert many < 8.8 * few


def test_a_loop_compiles_alike_for_10_and_10000_iterations():
    def make(n):
        def f(x):
            for _ in range(n):
                x = ops.tanh(x * 1.5)
            return x.sum()

        return ms.grad(f)

    x = Tensor([0.5, 1.0])
    build(make(10), (x,), {})
    few, many = (len(python_calls(lambda n=n: build(make(n), (x,), {}))) for n in (10, 10_000))
    assert abs(many - few) <= 0.01 * few


def in_small_stack(run) -> None:
    """Run in a thread with a stack of 256 KiB, so that native recursion would show."""
    failure = []

    def guarded():
        try:
            run()
        except BaseException as e:
            failure.append(e)

    old = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=guarded)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(old)
    if failure:
        raise failure[0]


def test_a_hundred_thousand_iterations_forward_and_gradient_without_recursion():
    def f(x, n):
        i = 0
        while i < n:
            x = x * 0.99999 + 0.00001
            i += 1
        return x.sum()

    forward, gradient = ms.jit(f), ms.jit(lambda x, n: ms.grad(f)(x, n))
    x = Tensor(np.array([0.5, 2.0], np.float64))
    forward(x, 2), gradient(x, 2)  # compiling needs a full stack
    results = []
    in_small_stack(lambda: results.extend([forward(x, 100_000), gradient(x, 100_000)]))
    value, grad = results
    factor = 0.99999**100_000
    np.testing.assert_allclose(float(value), (x.asnumpy() * factor + 1 - factor).sum(), rtol=1e-9)
    np.testing.assert_allclose(grad.asnumpy(), [factor] * 2, rtol=1e-9)


def test_deep_recursion_in_both_directions():
    def f(x, n):
        def rec(y, k):
            if k == 0:
                return y
            return rec(y * 0.999 + 0.001, k - 1) * 1.0001

        return rec(x, n).sum()

    forward, gradient = ms.jit(f), ms.jit(lambda x, n: ms.grad(f)(x, n))
    x = Tensor(np.array([0.5], np.float64))
    forward(x, 2), gradient(x, 2)
    results = []
    in_small_stack(lambda: results.extend([forward(x, 10_000), gradient(x, 10_000)]))
    np.testing.assert_allclose(results[1].asnumpy(), [(0.999 * 1.0001) ** 10_000], rtol=1e-9)


def test_endless_recursion_is_an_error():
    @ms.jit
    def f(n):
        def rec(k):
            if k < 0:
                return k
            return rec(k + 1) + 1

        return rec(n)

    f(-5)
    only_program(f._compiled_from).executable._program.stack_limit = 1 << 20
    with pytest.raises((RecursionError, MemoryError)):
        f(0)
