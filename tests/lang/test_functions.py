"""Functions, closures, recursion, methods, argument passing: CPython = graph, and gradients."""

import functools
import math
from collections import namedtuple

import numpy as np
import pytest
from agreement import agree, assert_same, gradients_agree

import minds as ms
from minds import Tensor, nn, ops

X = Tensor([1.5, -2.0, 0.25])
Pair = namedtuple("Pair", "first second")
SCALE = 3.0


def doubled(x):
    return x * 2


def defaults(x, k=2, *, shift=1.0):
    return x * k + shift


def call_forms(x):
    return (
        defaults(x),
        defaults(x, 3),
        defaults(x, shift=5.0),
        defaults(k=4, x=x),
        defaults(*(x, 5), **{"shift": 2.0}),
    )


def variadic(*args, **kwargs):
    total = args[0]
    for a in args[1:]:
        total = total + a
    for key, value in kwargs.items():
        total = total * value if key == "times" else total
    return total


def variadic_call(x):
    return variadic(x, x, 1.0, times=2.0, other=3.0), variadic(x)


def closure(x):
    k = 2.0

    def inner(y):
        return y * k + x

    late = lambda y: inner(y) * k
    k = 3.0
    return late(x)


def higher_order(x):
    def twice(f):
        return lambda y: f(f(y))

    return twice(twice(doubled))(x), twice(lambda y: y + SCALE)(x)


def functions_in_containers(x):
    table = {"sin": ops.sin, "double": doubled}
    out = x
    for f in (doubled, lambda y: y - 1.0, table["sin"]):
        out = f(out)
    return out, [f(x) for f in table.values()]


def partials(x):
    f = functools.partial(defaults, shift=7.0)
    g = functools.partial(defaults, x)
    return f(x), g(5)


def named_tuple(x):
    p = Pair(x, x * 2)
    return p.first + p.second, p[1], Pair(second=1.0, first=x).second


def swap_and_star(x):
    a, b = x, x * 2
    a, b = b, a
    first, *rest = (a, b, a + b)
    (c, d), e = (rest[0], rest[1]), first
    return a, b, c, d, e, rest


def decorated(x):
    def scaled(f):
        def wrapper(*args):
            return f(*args) * 10.0

        return wrapper

    @scaled
    def inner(y):
        return y + 1.0

    return inner(x)


def mathematics(x):
    return x * math.pi + math.sqrt(2.0) + math.floor(2.7)


@pytest.mark.parametrize(
    "fn",
    [
        call_forms,
        variadic_call,
        closure,
        higher_order,
        functions_in_containers,
        partials,
        named_tuple,
        swap_and_star,
        decorated,
        mathematics,
    ],
)
def test_values(fn):
    agree(fn, X)


@pytest.mark.parametrize("fn", [closure, decorated, mathematics])
def test_gradients(fn):
    gradients_agree(lambda x: fn(x).sum(), X)


def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@pytest.mark.parametrize("n", (0, 1, 2, 3, 7, 12))
@pytest.mark.parametrize("fn", [factorial, fib, even])
def test_recursion(fn, n):
    agree(fn, n)


def test_two_argument_recursion():
    agree(ackermann, 2, 3)


def test_scalar_functions_of_math():
    def f(a):
        return (
            math.sin(a) + math.exp(-a) * math.floor(a),
            abs(-a),
            round(a),
            max(a, 1.0),
            min(a, 2.0, 3.5),
            int(a),
            bool(a),
        )

    for a in (0.0, 0.5, 2.25, -3.75):
        expected, got = f(a), ms.jit(f)(a)
        assert [type(v) for v in got] == [type(v) for v in expected]
        assert got[0] == pytest.approx(expected[0], rel=1e-15)
        assert got[1:] == expected[1:]


def test_scalar_arithmetic_is_cpythons():
    def f(a, b, c):
        return (
            a + b,
            a - b,
            a * b,
            a / b,
            a // b,
            a % b,
            -a,
            a**2,
            a * c,
            a // c,
            a % c,
            c**0.5,
            a == b,
            a != b,
            a <= b,
            a & b,
            a | b,
            a ^ b,
            a << 2,
            a >> 1,
            ~a,
            not a,
            +a,
        )

    for a, b, c in ((7, 3, 2.5), (-7, 3, 1.5), (7, -3, 4.0), (-7, -3, 0.25)):
        assert_same(ms.jit(f)(a, b, c), f(a, b, c))


class Linear(nn.Cell):
    def __init__(self, w):
        super().__init__()
        self.w = ms.Parameter(Tensor(w), name="w")
        self.calls = 3

    @staticmethod
    def bias():
        return 0.5

    @classmethod
    def name_length(cls):
        return len(cls.__name__)

    @property
    def gain(self):
        return 2.0

    def helper(self, x):
        return x * self.w + self.bias()

    def construct(self, x):
        for _ in range(self.calls):
            x = self.helper(x) * self.gain
        return x.sum() + self.name_length()


class Derived(Linear):
    def construct(self, x):
        return super().construct(x) * 2.0


@pytest.mark.parametrize("cls", [Linear, Derived])
def test_cells(cls):
    net = cls([0.5, -0.25, 1.5])

    def train(x):
        return ms.value_and_grad(net, 0, net.trainable_params())(x)

    expected = train(X)
    assert_same(ms.jit(train)(X), expected)
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        assert_same(net(X), expected[0])
        assert_same(train(X), expected)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_an_attribute_change_is_seen():
    net = Linear([1.0, 1.0, 1.0])
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        first = float(net(X))
        net.calls = 1
        second = float(net(X))
        net.calls = 3
        third = float(net(X))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert first == third != second
    assert second == float(net.helper(X).asnumpy().sum() * 2 + 6)


class Squared(nn.Cell):
    """Its own gradient is wrong by intent, to show that it is used."""

    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * 100.0 + out * 0.0,)


def test_a_cells_own_gradient():
    cell = Squared()

    def f(x):
        return (cell(x) * 3.0).sum()

    expected = ms.grad(f)(X)
    assert_same(ms.jit(lambda x: ms.grad(f)(x))(X), expected)
    assert expected.asnumpy().tolist() == [300.0, 300.0, 300.0]
    assert_same(ms.jit(f)(X), f(X))


class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count = ms.Parameter(Tensor(0.0), name="count")
        self.state = ms.Parameter(Tensor([0.0, 0.0, 0.0]), name="state")

    def construct(self, x, n):
        before = self.state + 0.0
        for i in range(n):
            ops.assign(self.state, self.state * 2.0 + x)
            if i % 2 == 0:
                self.count = self.count + 1.0
        return before, self.state + self.count


def test_parameter_updates_keep_program_order():
    results = []
    for compiled in (False, True):
        net = Counter()
        ms.set_context(mode=ms.GRAPH_MODE if compiled else ms.PYNATIVE_MODE)
        try:
            results.append([net(X, 3), net(X, 2), net.count.asnumpy(), net.state.asnumpy()])
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)
    assert_same(results[1], results[0])
    assert float(results[0][2]) == 3.0


def test_nested_gradients():
    def third(x):
        return ms.grad(lambda y: ms.grad(lambda z: (z * z * z * z).sum())(y).sum())(x)

    expected = third(X)
    assert_same(ms.jit(third)(X), expected)
    assert expected.asnumpy() == pytest.approx(12 * X.asnumpy() ** 2)


def test_gradient_of_a_gradient_through_a_loop():
    def f(x, n):
        def inner(y):
            i = 0
            while i < n:
                y = ops.sin(y) * y
                i += 1
            return y.sum()

        return (ms.grad(inner)(x) * x).sum()

    for n in (0, 1, 3):
        gradients_agree(f, X, n, joins=True)


def test_no_perturbation_confusion():
    def f(x):
        return (x * ms.grad(lambda y: (x + y).sum())(Tensor([1.0, 1.0, 1.0]))).sum()

    assert gradients_agree(f, X).asnumpy().tolist() == [1.0, 1.0, 1.0]


def test_second_order_through_weights():
    ms.set_seed(7)  # the difference of small numbers would be noise
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 1))
    weights = net.trainable_params()
    x = Tensor([[0.5, -1.0, 2.0], [1.0, 0.25, -0.5]])

    def penalty(x):
        g = ms.grad(lambda t: net(t).sum())(x)
        return (g * g).sum()

    expected = ms.grad(penalty, None, weights)(x)
    assert_same(ms.jit(lambda x: ms.grad(penalty, None, weights)(x))(x), expected)
    first, step = weights[0], 1e-3
    moved = [float(penalty(x))]
    for sign in (1, -1):
        kept = first.asnumpy().copy()
        first.set_data(Tensor(kept + sign * step * np.eye(4, 3, dtype=np.float32)))
        moved.append(float(penalty(x)))
        first.set_data(Tensor(kept))
    numeric = (moved[1] - moved[2]) / (2 * step)
    assert np.trace(expected[0].asnumpy()[:3]) == pytest.approx(numeric, rel=2e-3)


def test_a_weight_that_is_assigned_while_it_is_differentiated():
    p = ms.Parameter(Tensor([2.0]), name="p")

    def f(x):
        a = p * x
        ops.assign(p, Tensor([10.0]))
        return (a * p).sum()

    results = []
    for run in (lambda x: ms.grad(f, 0, [p])(x), ms.jit(lambda x: ms.grad(f, 0, [p])(x))):
        p.set_data(Tensor([2.0]))
        results.append(run(Tensor([3.0])))
    assert_same(results[1], results[0])
    assert results[0][0].asnumpy() == [20.0] and results[0][1][0].asnumpy() == [30.0]


def test_a_method_does_not_leave():
    class Net(ms.nn.Cell):
        def rest(self):
            return 0

        def construct(self, x):
            return x, self.rest

    net = Net()
    with pytest.raises(RuntimeError, match="Function in output is not supported"):
        ms.jit(lambda x: net.construct(x))(ms.Tensor([1.0]))
