"""Declared arguments: `Dim`, `Symbol`, `set_inputs`, `enable_dynamic`, `jit(input_signature=…,
dynamic=…)`.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops
from minds.jit import family, miss, parsing, pipeline, steps
from minds.jit.cache import cache_of
from minds.lower import program


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def declared(*shape, dtype=ms.float32):
    return Tensor(shape=list(shape), dtype=dtype)


def test_a_declaration():
    n = ms.Dim("n")
    t = declared(None, n, -1, 3)
    assert (t.shape, t.dims, repr(t)) == (
        (-1, -1, -1, 3),
        (None, n, None, 3),
        "Tensor(shape=[-1, n, -1, 3], dtype=Float32, value=\n)",  # as MindSpore 2.10 prints one
    )
    assert Tensor(shape=None, dtype=ms.int32).shape == (-2,)
    with pytest.raises(TypeError, match="a dimension is 'n'"):
        declared("n")
    with pytest.raises(ValueError, match="a dimension is -3"):
        declared(-3)


def test_one_compilation_serves_all_sizes(graph_mode, monkeypatch):
    """Parsed, differentiated and optimised once; lowered for each size."""
    counts = {"parse": 0, "steps": 0, "lower": 0}

    def counted(name, fn):
        def run(*args, **kwargs):
            counts[name] += 1
            return fn(*args, **kwargs)

        return run

    for module in (program, pipeline):
        monkeypatch.setattr(module, "lower", counted("lower", module.lower))
    for module in (family, pipeline):
        monkeypatch.setattr(module, "run_steps", counted("steps", module.run_steps))
    for module in (steps, pipeline):
        monkeypatch.setattr(module, "parse", counted("parse", parsing.parse), raising=False)
    net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 2))
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9)
    )
    n = ms.Dim("n")
    step.set_inputs(declared(n, 4), declared(n, 2))
    for k in (3, 5, 1, 3, 5, 8):
        step(ops.ones((k, 4)), ops.ones((k, 2)))
    assert counts == {"parse": 1, "steps": 1, "lower": 4}
    assert [c.sizes for c in ms.recompiles(step)] == [4]


def test_the_programs_of_a_family_are_bounded(graph_mode, monkeypatch):
    monkeypatch.setattr(miss, "KEPT", 3)
    net = nn.ReLU()
    net.set_inputs(declared(None))
    for k in range(1, 8):
        assert net(ops.ones(k)).shape == (k,)
    assert sum(map(len, cache_of(net).programs.values())) == 3
    assert len(ms.recompiles(net)) == 1


def test_set_inputs_by_name_and_gradient(graph_mode):
    class Scale(nn.Cell):
        def construct(self, x, k):
            return (x * x).sum() * k

    net = Scale()
    net.set_inputs(x=declared(None, 2))
    for k in (2, 3, 1):
        x = ops.ones((k, 2))
        assert float(net(x, 3.0)) == 6.0 * k and float(net(x, k=2.0)) == 4.0 * k
        assert ms.grad(net)(x, 3.0).asnumpy().tolist() == [[6.0, 6.0]] * k
    assert len(ms.recompiles(ms.grad(net))) == 1
    assert len(ms.recompiles(net)) == 3  # a positional k, a named one, and the gradient


def test_named_sizes_are_equal():
    n = ms.Dim("n")

    @ms.jit(input_signature=(declared(n, 3), [declared(n), None]))
    def f(x, pair):
        return x.sum(1) + pair[0] * pair[1]

    assert f(ops.ones((2, 3)), [ops.ones(2), 4.0]).asnumpy().tolist() == [7.0, 7.0]
    with pytest.raises(
        ValueError, match=r"argument `pair\[0\]` has size 3 in dimension 0, where `n` is 2"
    ):
        f(ops.ones((2, 3)), [ops.ones(3), 4.0])


WRONG = [
    (lambda f: f(ops.ones((3, 5))), ValueError, "argument `x` has size 5 in dimension 1"),
    (lambda f: f(ops.ones(3)), ValueError, "argument `x` has rank 1"),
    (lambda f: f(ops.ones((3, 4), ms.int32)), TypeError, "argument `x` has dtype int32"),
    (lambda f: f(3.0), TypeError, "argument `x` is a float"),
    (lambda f: f(ops.ones((9, 4))), ValueError, "argument `x` has size 9 in dimension 0"),
    (lambda f: f(ops.ones((2, 4))), ValueError, "argument `x` has size 2 in dimension 0"),
    (lambda f: f(ops.ones((7, 4))), ValueError, "argument `x` has size 7 in dimension 0"),
]


@pytest.mark.parametrize("call, kind, text", WRONG)
def test_wrong_calls_are_told_with_the_declaration(call, kind, text):
    f = ms.jit(
        lambda x: x * 2, input_signature=declared(ms.Dim("even", min=4, max=8, divisor=2), 4)
    )
    assert f(ops.ones((6, 4))).shape == (6, 4)
    with pytest.raises(kind) as e:
        call(f)
    assert text in str(
        e.value
    ) and "Tensor(shape=[even, 4], dtype=Float32, value= ), as declared by input_signature" in str(
        e.value
    )
    assert "test_signature.py" in str(e.value)


def test_divisors_divide():
    """Half of an even size is a size; a reshape by it needs no second program."""
    n = ms.Dim("n", divisor=2)

    @ms.jit(input_signature=declared(n, 3))
    def pairs(x):
        return (
            x.reshape((x.shape[0] // 2, 6)),
            x.reshape((-1, 6)),
            x[: x.shape[0] // 2] + x[x.shape[0] // 2 :],
        )

    for k in (4, 2, 8):
        x = Tensor(np.arange(3 * k, dtype=np.float32).reshape(k, 3))
        for a, b in zip(
            pairs(x), (x.reshape((k // 2, 6)), x.reshape((k // 2, 6)), x[: k // 2] + x[k // 2 :])
        ):
            np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())
    assert len(ms.recompiles(pairs)) == 1


def test_compile_for_a_declaration(graph_mode):
    net = nn.Dense(3, 2)
    net.compile(declared(ms.Dim("n", min=1), 3))
    assert [c.sizes for c in ms.recompiles(net)] == [1] and net.get_inputs() is None
    for k in (4, 1, 7):
        assert net(ops.ones((k, 3))).shape == (k, 2)
    assert [c.sizes for c in ms.recompiles(net)] == [4]
    with pytest.raises(TypeError, match="has no rank"):
        net.compile(Tensor(shape=None, dtype=ms.float32))


def test_one_name_has_one_meaning():
    f = ms.jit(
        lambda x, y: x.sum() + y.sum(),
        input_signature=(declared(ms.Dim("n")), declared(ms.Dim("n", min=2))),
    )
    with pytest.raises(
        ValueError, match="two declarations of `n` by input_signature have different bounds"
    ):
        f(ops.ones(2), ops.ones(2))


def test_symbol(graph_mode):
    """The example of MindSpore's documentation."""
    s1, s2 = ms.Symbol(divisor=8, remainder=1), ms.Symbol(max=32, unique=True)
    net = nn.ReLU()
    net.set_inputs(declared(None, s1, s1, s2, s2))
    for shape in ((1, 9, 17, 32, 32), (8, 25, 9, 30, 30)):
        assert net(ops.ones(shape)).shape == shape
    assert len(ms.recompiles(net)) == 1
    for shape in ((1, 8, 17, 4, 4), (1, 9, 17, 4, 5), (1, 9, 17, 33, 33), (1, 9, 17, 0, 0)):
        with pytest.raises(ValueError, match="as declared by set_inputs"):
            net(ops.ones(shape))
    for wrong in ({"min": 0}, {"divisor": 0}, {"divisor": 2, "remainder": 2}):
        with pytest.raises(ValueError, match="Symbol"):
            ms.Symbol(**wrong)
    with pytest.raises(TypeError, match="Symbol: unique has type int"):
        ms.Symbol(unique=1)


def test_enable_dynamic():
    @ms.enable_dynamic(y=Tensor(shape=None, dtype=ms.float32))
    @ms.jit
    def f(x, y):
        return x + 1, y + 1

    @ms.jit
    @ms.enable_dynamic(y=declared(None))
    def g(x, y):
        return x + 1, y + 1

    for fn in (f, g):
        for k in (2, 3, 1):
            assert fn(ops.ones(2), ops.ones(k))[1].shape == (k,)
        assert len(ms.recompiles(fn)) == 1
    with pytest.raises(ValueError, match="f has no argument 'z'"):
        ms.enable_dynamic(z=declared(None))(f)
    with pytest.raises(ValueError, match="nothing is declared"):
        ms.enable_dynamic()
    with pytest.raises(TypeError, match="y has type Tensor"):
        ms.enable_dynamic(y=ops.ones(2))


def test_dynamic_is_found_by_itself():
    """With ``dynamic=1`` the first size is compiled for itself, then what differs is open."""

    @ms.jit(dynamic=1)
    def f(x):
        return x.sum(0)

    for k in (2, 3, 4, 9):
        assert f(ops.ones((k, 3))).asnumpy().tolist() == [k] * 3
    assert [c.sizes for c in ms.recompiles(f)] == [1, 3]
    for k in (3, 4, 5):
        f(ops.ones((k, k)))
    assert [c.sizes for c in ms.recompiles(f)] == [1, 3, 2]
    with pytest.raises(ValueError, match="dynamic is 2"):
        ms.jit(f, dynamic=2)


def test_dims():
    n, m = ms.Dim("n"), ms.Dim("m", min=2, max=10)
    assert ms.Dim("n") is n and n + m - m is n and (n * 6) // 3 is n * 2 and (n * m) // m is n
    assert (n * 4 + 3) % 4 == 3 and n - n == 0 and (n + 1) * (n - 1) == n * n - 1
    assert repr(2 * n + m - 1) == "2*n + m - 1" and repr(n // 3) == "(n // 3)"
    assert n >= 0 and m > 1 and not m > 10 and n + m > 1 and not n == -1 and n + 1 != n
    for wrong, kind in (
        ((3,), TypeError),
        (("n", 1.5), TypeError),
        (("n", 5, 4), ValueError),
        (("n", 0, None, 0), ValueError),
        (("n", 3, 4, 5), ValueError),
    ):
        with pytest.raises(kind, match="Dim"):
            ms.Dim(*wrong)
    with pytest.raises(TypeError, match="known only when a program is called"):
        range(n)


def test_a_method_with_state(graph_mode):
    class Counter(nn.Cell):
        def __init__(self):
            super().__init__()
            self.total = ms.Parameter(Tensor([0.0, 0.0]), name="total")

        @ms.jit(input_signature=(declared(None, 2),))
        def add(self, x):
            ops.assign_add(self.total, x.sum(0))
            return x.shape[0]

    c = Counter()
    assert [c.add(ops.ones((k, 2))) for k in (3, 1, 5)] == [3, 1, 5]
    assert c.total.asnumpy().tolist() == [9.0, 9.0]
    assert len(ms.recompiles(c.add)) == 1


def test_an_axis_that_a_tensor_gives(graph_mode):
    class Sum(nn.Cell):
        def construct(self, x, axis):
            return ops.ReduceSum()(x, axis)

    net = Sum()
    net.set_inputs(declared(None, None), ms.Tensor(shape=[None], dtype=ms.int64))
    for axis, want in (([0], [5.0, 7.0, 9.0]), ([1], [6.0, 15.0]), ([0, 1], 21.0)):
        assert net(ms.Tensor([[1.0, 2, 3], [4, 5, 6]]), ms.Tensor(axis)).asnumpy().tolist() == want
