"""Functions of functions beyond what `programs_composite` shows: orders, sizes, errors."""

import numpy as np
import programs_composite as programs
import pytest
from agreement import agree, assert_same, gradients_agree

import minds as ms
from minds import Tensor, nn, ops
from minds.common import dtype as mstype

X = Tensor([0.5, -1.25, 2.0])


@pytest.mark.parametrize(
    "name", ["while_loop", "fori_loop", "scan_over_rows", "scan_of_tensors", "cond_of_a_number"]
)
def test_first_and_second_order(name):
    fn = getattr(programs, name)

    def loss(x):
        first = fn(x, 5)
        while isinstance(first, (tuple, list)):
            first = first[0]
        return first.sum()

    def second(x):
        return ms.grad(lambda v: (ms.grad(loss)(v) * v).sum())(x)

    gradients_agree(loss, X)
    agree(second, X)
    at, step = X.asnumpy().astype(np.float64), 1e-4
    for i in range(3):
        moved = np.zeros(3)
        moved[i] = step

        def slope(v):
            return float(
                (ms.grad(loss)(Tensor(v.astype(np.float32))) * Tensor(v.astype(np.float32))).sum()
            )

        numeric = (slope(at + 100 * moved) - slope(at - 100 * moved)) / (200 * step)
        assert abs(numeric - float(second(X)[i])) < 2e-2 * max(1.0, abs(numeric))


def nodes(fn, *args) -> int:
    return len(ms.inspect(fn, *args)["lower"].text().splitlines())


def test_programs_do_not_grow_with_the_length():
    def rows(x, xs):
        return ops.scan(lambda c, e: (ops.tanh(c + e), c * e), x, xs)

    def counted(x, n):
        return ops.fori_loop(0, n, lambda i, v: ops.tanh(v), x)

    def looped(x, n):
        return ops.while_loop(lambda v: v[1] < n, lambda v: (ops.tanh(v[0]), v[1] + 1), (x, 0))

    few, many = (Tensor(np.zeros((n, 3), np.float32)) for n in (20, 20_000))
    assert nodes(rows, X, few) == nodes(rows, X, many)
    assert nodes(counted, X, 20) == nodes(counted, X, 20_000)
    assert nodes(looped, X, 20) == nodes(looped, X, 20_000)
    compiled = ms.jit(counted)
    assert_same(compiled(X, 100_000), compiled(X, 100_000))


def test_a_long_scan_against_numpy():
    rows = np.random.default_rng(3).standard_normal((5000, 3)).astype(np.float32)
    last, sums = ms.jit(lambda x, xs: ops.scan(lambda c, e: (c + e, c), x, xs))(X, Tensor(rows))
    expected = np.concatenate([X.asnumpy()[None], rows]).cumsum(0, dtype=np.float32)
    np.testing.assert_allclose(sums.asnumpy(), expected[:-1], atol=1e-4)
    np.testing.assert_allclose(last.asnumpy(), expected[-1], atol=1e-4)


def test_gradient_of_a_long_scan_against_numpy():
    rows = np.random.default_rng(3).standard_normal((3000, 3)).astype(np.float32)

    def loss(x, xs):
        return ops.scan(lambda c, e: (c * 0.5 + e, c * e), x, xs)[1].sum()

    dx, drows = ms.jit(lambda x, xs: ms.grad(loss, (0, 1))(x, xs))(X, Tensor(rows))
    carries, c = [], X.asnumpy()
    for r in rows:
        carries.append(c)
        c = c * np.float32(0.5) + r
    back, expected = np.zeros(3), np.zeros_like(rows)
    for i in range(len(rows))[::-1]:
        expected[i] = carries[i] + back
        back = rows[i] + back * 0.5
    np.testing.assert_allclose(drows.asnumpy(), expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(dx.asnumpy(), back, rtol=1e-4, atol=1e-4)


def test_an_lstm_as_a_scan():
    cell = nn.LSTMCell(3, 4)
    xs = Tensor(np.random.default_rng(0).standard_normal((12, 2, 3)).astype(np.float32))

    def run(xs):
        start = (ops.zeros((2, 4), ms.float32), ops.zeros((2, 4), ms.float32))

        def step(state, x):
            state = cell(x, state)
            return state, state[0]

        return ops.scan(step, start, xs)[1]

    assert agree(run, xs).shape == (12, 2, 4)
    agree(lambda xs: ms.value_and_grad(lambda v: run(v).sum(), 0, cell.trainable_params())(xs), xs)


CHOICES = (ops.sin, lambda v: v * 2.0, nn.Tanh())


@pytest.mark.parametrize(
    "run", [lambda x, n: CHOICES[n](x), lambda x, n: ops.switch_layer(n, CHOICES)(x)]
)
def test_an_index_out_of_range(run):
    compiled = ms.jit(run)
    for n in (-3, -1, 0, 2):
        assert_same(compiled(X, n), run(X, n))
    for n in (-4, 3, 100):
        for f in (run, compiled):
            with pytest.raises(IndexError):
                f(X, n)


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (
            lambda x: ops.while_loop(3, lambda v: v, x),
            TypeError,
            "while_loop: cond_func cannot be called",
        ),
        (
            lambda x: ops.while_loop(lambda v: v.sum() > 0.0, x, x),
            TypeError,
            "while_loop: loop_func cannot be called",
        ),
        (lambda x: ops.fori_loop(0.5, 3, lambda i, v: v, x), TypeError, "fori_loop: lower is 0.5"),
        (
            lambda x: ops.fori_loop(0, 3, None, x),
            TypeError,
            "fori_loop: loop_func cannot be called",
        ),
        (lambda x: ops.scan(lambda c, e: c, x, [1, 2]), TypeError, "scan: loop_func gives no pair"),
        (
            lambda x: ops.scan(lambda c, e: c, x, [1] * 20),
            TypeError,
            "scan: loop_func gives no pair",
        ),
        (lambda x: ops.scan(lambda c, e: (c, e), x, 3), TypeError, "scan: xs has type int"),
        (lambda x: ops.scan(lambda c, e: (c, e), x, None), ValueError, "scan: length is None"),
        (
            lambda x: ops.scan(lambda c, e: (c, e), x, [1, 2], 3),
            ValueError,
            "scan: length is 3, but xs has 2 elements",
        ),
        (
            lambda x: ops.cond(True, 3, lambda v: v, x),
            TypeError,
            "cond: true_func cannot be called",
        ),
    ],
)
def test_errors(call, kind, message):
    for run in (call, ms.jit(call)):
        with pytest.raises(kind, match=message.replace("(", r"\(")):
            run(X)


def test_loops_whose_types_change_say_so():
    def grows(x, n):
        return ops.while_loop(lambda v: v.shape[0] < n, lambda v: ops.stack((v, v)), x)

    with pytest.raises(TypeError, match="no common type"):
        ms.jit(grows)(X, Tensor(5))


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda x: ops.Map()(ops.add, (x,), (x, x)), ValueError, "Map: the sequences have lengths"),
        (
            lambda x: ops.HyperMap(ops.add)((x, (x,)), (x, x)),
            TypeError,
            "HyperMap: a sequence stands beside",
        ),
        (lambda x: ops.Map(ops.sin)(x), TypeError, "Map: the operand is no tuple"),
        (lambda x: ops.HyperMap()(ops.sin), TypeError, "HyperMap: a sequence is missing"),
        (lambda x: ops.HyperMap()(), TypeError, "HyperMap: a function is missing"),
        (lambda x: programs.SUM({}, x), ValueError, "sum: no implementation for"),
    ],
)
def test_errors_of_maps(call, kind, message):
    for run in (call, ms.jit(call)):
        with pytest.raises(kind, match=message):
            run(X)


def test_errors_of_registration():
    fn = ops.MultitypeFuncGraph("fn")
    with pytest.raises(RuntimeError, match="Unsupported type name: Tensr!"):
        fn.register("Tensr")
    with pytest.raises(TypeError, match="a type is 3"):
        fn.register(3)
    with pytest.raises(TypeError, match="numpy.ndarray"):
        programs.SUM(np.zeros(2), 1)


def test_one_implementation_is_called_for_all():
    only = ops.MultitypeFuncGraph("only")
    only.register("Tensor")(lambda v: v * 2.0)
    assert agree(lambda x, n: only(n), X, 3) == 6.0


def test_none_is_not_callable():
    def f(x, n):
        g = ops.sin if n > 2 else None
        return g(x)

    compiled = ms.jit(f)
    assert_same(compiled(X, 3), f(X, 3))
    for run in (f, compiled):
        with pytest.raises(TypeError, match="'NoneType' object is not callable"):
            run(X, 1)


def test_scan_by_keywords():
    def run(xs):
        return ops.scan(loop_func=lambda c, e: (c + e, c * e), init=Tensor([1.0]), xs=xs)

    for call in (run, ms.jit(run)):
        carry, products = call(Tensor([[2.0], [3.0]]))
        assert (carry.tolist(), products.tolist()) == ([6.0], [[2.0], [9.0]])


def test_types_of_numbers_and_tensors_are_registered_as_classes():
    f = ops.MultitypeFuncGraph("f")

    @f.register(mstype.number, mstype.tensor_type)
    def _(x, y):
        return y * x

    @f.register(mstype.tensor_type, mstype.number)
    def _(x, y):
        return x - y

    @f.register(mstype.number, mstype.number)
    def _(x, y):
        return x + y

    for g in (f, ms.jit(lambda x, y: f(x, y))):
        assert float(g(2, Tensor([3.0]))) == 6 and float(g(Tensor([3.0]), 2.5)) == 0.5
        assert g(1, 2) == 3 and float(g(True, Tensor([4.0]))) == 4
