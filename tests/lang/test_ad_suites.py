"""What programs after the test suites of other AD systems found (JAX, functorch, autograd, Tangent,
Myia): each case is one fault that was mended, in a small form. Expected numbers are formulas, in
both modes.
"""

import math

import numpy as np
import pytest
from agreement import agree, gradients_agree

import minds as ms
import minds.numpy as mnp
from minds import Parameter, Tensor, nn, ops
from minds.ir import walk

X = Tensor(np.array([0.3, -0.7, 1.2]))
V = Tensor(np.array([1.0, 0.5, -2.0]))


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def close(found, expected):
    """Nested results against nested numbers."""
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for f, e in zip(found, expected):
            close(f, e)
    else:
        found = found.asnumpy() if isinstance(found, Tensor) else found
        np.testing.assert_allclose(found, expected, rtol=1e-6)


# ---- maps that vjp, jvp and linearize made outside of a function, used inside of it


def test_gradient_of_a_pullback_made_outside():
    def f(x, y):
        pull = ms.vjp(ops.sin, x)[1]
        return ms.grad(lambda v: pull(v * v)[0])(y)

    close(agree(f, X, V), 2.0 * V.asnumpy() * np.cos(X.asnumpy()))
    gradients_agree(f, X, V)
    gradients_agree(f, X, V, position=1)


def test_gradient_of_a_pullback_of_a_gradient():
    def f(x, y):
        pull = ms.vjp(ms.grad(lambda v: -ops.cos(v)), x)[1]
        return ms.grad(lambda v: pull(v)[0])(y)

    close(agree(f, X, V), np.cos(X.asnumpy()))
    gradients_agree(f, X, V)


def test_gradient_of_a_pushforward_made_outside():
    def f(x, y):
        push = ms.linearize(lambda v: v * v * v, x)[1]
        return ms.grad(lambda v: push(ops.sin(v)))(y) + ms.jvp(push, y, x)[1]

    x, v = X.asnumpy(), V.asnumpy()
    close(agree(f, X, V), 3.0 * x**2 * (np.cos(v) + x))
    for gradient in (ms.grad(f, (0, 1)), ms.jit(ms.grad(f, (0, 1)))):
        close(gradient(X, V), (6.0 * x * np.cos(v) + 9.0 * x**2, -3.0 * x**2 * np.sin(v)))


def test_pullback_of_a_loop_made_outside():
    def f(x, y):
        def power(v):
            w = v
            while w.sum() < 20.0:
                w = w * v + 1.0
            return w

        out, pull = ms.vjp(power, x)
        return ms.grad(lambda v: (pull(v * v)[0] * out).sum())(y)

    # Each step of the loop adds to the cotangent of v.
    gradients_agree(f, Tensor([1.5, 0.5], ms.float64), Tensor([0.3, 0.8], ms.float64), joins=True)


def test_a_pullback_with_effects_is_refused_inside_of_another_function():
    count = Parameter(Tensor([0.0]), name="count")

    class Counting(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = count

        def construct(self, x):
            self.count += 1.0
            return x * x

    net = Counting()

    @ms.jit
    def f(x):
        pull = ms.vjp(net, x)[1]
        return ms.grad(lambda v: pull(v)[0])(x)

    with pytest.raises(TypeError, match="a function known only at run time enters"):
        f(X)


# ---- derivatives by Python's floats


def cube(x):
    return x * x * x


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def pair(a, b):
    return a * b, a + b


@pytest.mark.parametrize("compiled", (False, True))
def test_products_at_floats(mode, compiled):
    def run(fn, *args):
        return (ms.jit(fn) if compiled else fn)(*args)

    close(run(lambda x: ms.vjp(cube, x)[1](1.0), 2.0), (12.0,))
    close(run(lambda x: ms.vjp(pair, x, 2.0)[1](1.0, 3.0), 4.0), (5.0, 7.0))
    close(run(lambda x: ms.vjp(pair, x, 2.0)[0], 4.0), (8.0, 6.0))
    close(run(lambda x: ms.linearize(cube, x)[1](0.5), 2.0), 6.0)
    close(run(lambda x: ms.linearize(pair, (x, 2.0))[1](1.0, 0.5), 4.0), (4.0, 1.5))
    close(
        run(lambda x: ms.vjp(lambda a: (a * a, ops.sin(X)), x, has_aux=True)[1](1.0), 3.0), (6.0,)
    )


@pytest.mark.parametrize("compiled", (False, True))
def test_hessians_at_floats(mode, compiled):
    def total(a, b, c):
        return a[0] + a[1] * 2 + b * 3 + c * c

    def run(fn, *args):
        return (ms.jit(fn) if compiled else fn)(*args)

    # Around 4.1: n (n - 1) (n - 2) (n - 3), with second derivative 12 n² - 36 n + 22.
    close(run(ms.jacrev(ms.jacrev(factorial)), 4.1), 12 * 4.1**2 - 36 * 4.1 + 22)
    for jacobian in (ms.jacrev, ms.jacfwd):
        found = run(lambda x, j=jacobian: j(total, (0, 1, 2))((x, x), x, x), 0.5)
        close(found, ((1.0, 2.0), 3.0, 1.0))


def test_a_weight_beside_a_float():
    w = Parameter(Tensor([2.0, 3.0]), name="w")
    by_input, by_weight = ms.vjp(lambda a: (w * a).sum(), 4.0, weights=w)[1](Tensor(1.0))
    close(by_input, (5.0,))
    close(by_weight, [4.0, 4.0])


# ---- ops of numbers alone


@pytest.mark.parametrize("n", (1.3, 2, True))
def test_an_op_of_numbers_gives_a_tensor(n):
    for op in (
        ops.sin,
        ops.square,
        ops.neg,
        ops.relu,
        ops.sqrt,
        lambda v: ops.exp(ops.exp(v * 0.5)),
    ):
        if n is True and op in (ops.neg, ops.relu, ops.square):
            continue
        agree(op, n)
    for op in (ops.add, ops.mul, ops.pow, ops.maximum, ops.atan2, ops.less, ops.equal):
        agree(lambda v, op=op: (op(v, 2), op(0.5, v), op(1, 2.0)), n)
    agree(lambda x, v: (x * ops.exp(v), x + ops.add(v, 1.0), v * 2 + 1), Tensor([1.0, 3.0]), n)


def test_gradients_through_an_op_of_numbers(mode):
    close(ms.grad(lambda x, k: x * ops.exp(k), 0)(Tensor([1.0]), 0.5), [math.exp(0.5)])
    close(ms.grad(ops.sin)(1.3), math.cos(1.3))
    close(ms.jit(ms.grad(lambda k: ops.sin(k) * k))(1.3), math.cos(1.3) * 1.3 + math.sin(1.3))


# ---- others


def test_recomputed_inside_of_what_is_recomputed(mode):
    inner = ops.recompute_block(lambda v: ops.sin(v) * v)

    def only_that(x):
        return ms.recompute(lambda v: inner(v), x).sum()

    def in_a_loop(x):
        def body(c, e):
            return ms.recompute(lambda a, b: (a * b, a + b), c, e)

        return ms.recompute(lambda v: ops.scan(body, v[0], (v[1], v[2]))[0], x)

    x = X.asnumpy()
    close(ms.grad(only_that)(X), np.cos(x) * x + np.sin(x))
    close(ms.grad(in_a_loop)(X), [x[1] * x[2], x[0] * x[2], x[0] * x[1]])


def test_what_a_recomputed_function_sees_is_of_the_time_of_the_call(mode):
    def f(x):
        w, total = x * 2.0, x
        for i in range(3):

            def deeper(v):
                return v * w + i

            total = ms.recompute(lambda v: ops.sin(deeper(v)) * w + i, total)
            w = w + 1.0
        return total.sum()

    def plain(x):
        w, total = x * 2.0, x
        for i in range(3):
            total = ops.sin(total * w + i) * w + i
            w = w + 1.0
        return total.sum()

    close(ms.grad(f)(X), ms.grad(plain)(X).asnumpy())
    pulls = []
    for k in (1.0, 2.0, 3.0):
        pulls.append(ms.vjp(lambda a: a * a * k, 2.0)[1])
    close([p(1.0)[0] for p in pulls], [4.0, 8.0, 12.0])
    pulls = []
    for k in (1.0, 2.0, 3.0):
        pulls.append(ms.vjp(lambda a: a * a * k, Tensor([2.0]))[1])
    close(ms.grad(lambda v: sum([p(v)[0].sum() for p in pulls]))(Tensor([1.0])), [24.0])


def test_a_parameter_changed_by_a_block_in_a_block(mode):
    class Steps(nn.Cell):
        def __init__(self):
            super().__init__()
            self.scale = Parameter(Tensor([2.0]), name="scale", requires_grad=False)

        def construct(self, x):
            y = x * self.scale * x
            self.scale += 1.0
            return y

    net = Steps()
    outer = ops.recompute_block(lambda v: ms.recompute(net, v) * 1.0)
    # 2 x², then 3 (2 x²)²
    close(ms.grad(lambda v: outer(outer(v)).sum())(Tensor([0.5])), [48 * 0.5**3])
    close(net.scale, [4.0])


def test_copies_of_a_number_of_more_axes():
    def f(x):
        return ops.exp(ops.broadcast_to(x.reshape(1), (2,)))

    close(agree(f, Tensor(np.ones((1, 1)))), [math.e, math.e])


def test_zeros_of_two_kinds_in_one_kernel():
    """The int 0 and the float 0.0 are the same bits, but no operands of one dtype."""

    def f(c, a, b):
        return ops.select(c, a, 0) + 1, ops.select(c, b, 0.0) * 2.0

    given = Tensor([True]), Tensor([3], ms.int64), Tensor([2.5], ms.float64)
    close(agree(f, *given), ([4], [5.0]))


def test_a_batch_of_one_of_loops_that_count():
    def f(x, n):
        total, i = x * 0, 0
        while i < n:
            j, acc = 0, x
            while j < i:
                acc = acc * 0.5 + j
                if acc > 2:
                    break
                j = j + 1
            total = total + acc
            i = i + 1
        return total

    jacobian = ms.jacrev(f)
    close(agree(jacobian, Tensor(0.5, ms.float64), 5), 2.0)


def test_jacobians_of_branches_for_each_of_one_example():
    def f(x):
        def same(v):
            return ops.cond(v < 0.0, lambda u: u, lambda u: u, v)

        return ms.vmap(ms.jacrev(lambda v: same(same(v))))(x)

    x = Tensor(np.ones(1))
    close(agree(f, x), [1.0])
    gradients_agree(f, x)


# ---- compile time


def tower(count: int):
    """Functions in a row, each of which returns what the one below it gives, in one branch as it is."""

    class Ground:
        def run(self, x):
            return x * x

    class Level:
        def __init__(self, k, below):
            self.k, self.below = k, below

        def run(self, x):
            if x.sum() > self.k:
                return self.below.run(x * 0.9) + 1.0
            return self.below.run(x + 0.1)

    def fn(x):
        level = Ground()
        for i in range(count):
            level = Level(i * 0.3, level)
        return level.run(x)

    return fn


def test_the_gradient_of_functions_in_a_row_has_linear_size():
    def size(count):
        stages = ms.inspect(ms.grad(tower(count)), X)
        return sum(1 for g in walk.graphs(stages["j"].graph) for _ in g)

    a, b, c = size(4), size(8), size(16)
    assert c - b <= 2.1 * (b - a)
    gradients_agree(tower(6), X, joins=True)


# ---- functions of the user's that functions of numpy call


@pytest.mark.parametrize(
    "fn",
    (
        lambda x: mnp.apply_along_axis(lambda r: r * r[0], 1, x),
        lambda x: mnp.apply_over_axes(lambda a, axis: a.sum(axis, keepdims=True), x, (0, 1)),
        lambda x: mnp.piecewise(x, [x > 0, x <= 0], [lambda v: v * v, lambda v: -v]),
    ),
)
def test_numpy_calls_functions(fn):
    x = Tensor(np.array([[0.3, -0.7, 1.2], [0.5, 2.0, -0.1]]))
    agree(fn, x)
    gradients_agree(lambda v: ops.sin(fn(v)).sum(), x)
