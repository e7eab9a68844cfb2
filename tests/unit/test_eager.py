"""PyNative calls that the core runs without Python: each is like an earlier one, and must not be taken
for one that it is not.
"""

import gc
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.nn.optim import optimizer
from minds.ops import autocast
from minds.ops.define import P


@pytest.fixture(autouse=True)
def eagerly():
    before = ms.get_context("mode")
    ms.set_context(mode=ms.PYNATIVE_MODE)
    yield
    ms.set_context(mode=before)


def floats(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


# ---- what tells calls apart


@pytest.mark.parametrize(
    "number, dtype", [(True, ms.int32), (2, ms.int32), (2.0, ms.float32), (-0.0, ms.float32)]
)
def test_numbers_of_each_kind_keep_theirs(number, dtype):
    x = Tensor(np.array([1, 2], np.int32))
    for _ in range(3):
        for other in (True, 2, 2.0, 0.0, -0.0):
            x * other
        y = x * number
        assert y.dtype is dtype
        np.testing.assert_array_equal(y.asnumpy(), np.array([1, 2]) * number)
        assert np.signbit(y.asnumpy()).tolist() == np.signbit(np.array([1, 2]) * number).tolist()


def test_a_number_changes_from_call_to_call():
    x = Tensor([1.0, 2.0])
    for n in [*range(600), *(i / 7 for i in range(600)), 2**40]:
        np.testing.assert_array_equal((x + n).asnumpy(), np.float32([1, 2]) + np.float32(n))
    with pytest.raises(ValueError, match="does not fit int64"):
        Tensor([1, 2]) + 2**70
    assert (x + 1).asnumpy().tolist() == [2.0, 3.0]


def test_shapes_dtypes_and_attributes():
    for _ in range(2):
        for shape in ((4,), (1, 4), (3, 4), (2, 3, 4)):
            a, b = floats(*shape), floats(4, seed=1)
            for dtype in (np.float32, np.float64, np.int32):
                x, y = a.astype(dtype), b.astype(dtype)
                np.testing.assert_array_equal((Tensor(x) - Tensor(y)).asnumpy(), x - y)
            for axis in range(len(shape)):
                for keep in (True, False):
                    got = P.argmax(Tensor(a), axis, keepdims=keep)
                    wanted = a.argmax(axis, keepdims=keep)
                    np.testing.assert_array_equal(got.asnumpy(), wanted)


def test_a_list_may_change_between_calls():
    x, shape = Tensor(floats(2, 6)), [3, 4]
    assert P.reshape(x, shape).shape == (3, 4)
    assert P.reshape(x, (3, 4)).shape == (3, 4)
    shape[:] = [4, 3]
    assert P.reshape(x, shape).shape == (4, 3)
    shape.append(shape)
    for _ in range(2):
        with pytest.raises((TypeError, ValueError, RecursionError)):
            P.reshape(x, shape)


def test_operands_on_either_side():
    x, a = Tensor([8.0, 2.0]), np.float32([8.0, 2.0])
    for _ in range(2):
        for got, wanted in (
            (x - 3, a - 3),
            (3 - x, 3 - a),
            (x / 4, a / 4),
            (4 / x, 4 / a),
            (x**2, a**2),
            (2**x, 2**a),
            (-x, -a),
            (abs(-x), a),
        ):
            np.testing.assert_array_equal(got.asnumpy(), wanted)
        i = Tensor([8, 2])
        assert (i << 1).tolist() == [16, 4] and (i >> 1).tolist() == [4, 1]
        assert (1 << i).tolist() == [256, 4] and (256 >> i).tolist() == [1, 64]
        assert (x == 8).tolist() == [True, False] and (x != 8).tolist() == [False, True]
        assert x.__eq__(None) is False and x.__ne__("a") is True


class Other:
    def __radd__(self, x):
        return "mine"


def test_another_class_answers():
    x = Tensor([1.0])
    x + x
    assert x + Other() == "mine"
    assert x.__add__.__name__ and callable(Tensor.__add__)


def test_named_arguments_and_defaults():
    x = Tensor(floats(2, 3))
    for _ in range(2):
        np.testing.assert_array_equal(
            P.softmax(input=x, axis=0).asnumpy(), P.softmax(x, 0).asnumpy()
        )
        with pytest.raises(TypeError, match="softmax"):
            P.softmax(x, 0, axis=0)
        with pytest.raises(TypeError, match="softmax"):
            P.softmax(x, wrong=0)
        with pytest.raises(TypeError, match="softmax"):
            P.softmax()


def test_a_parameter_of_another_shape():
    p = Parameter(Tensor(floats(3)), name="p")
    assert (p + p).shape == (3,)
    p.set_data(Tensor(floats(2, 2)), slice_shape=True)
    assert (p + p).shape == (2, 2)
    p.set_dtype(ms.float64)
    assert (p + p).dtype is ms.float64


# ---- what is unusual


def test_errors_say_where_each_time():
    x, i = Tensor(floats(3)), Tensor([7])
    for _ in range(3):
        with pytest.raises(ValueError, match=r"test_eager.py") as e:
            x + Tensor(floats(4))
        assert "broadcast" in str(e.value)
        ops.gather(x, Tensor([1]), 0)
        with pytest.raises(IndexError, match=r"test_eager.py"):
            ops.gather(x, i, 0)


def test_compiling_sees_ops_as_ops():
    c = Tensor([2.0])
    c * c
    made = ms.jit(lambda x: x * (c * c))
    assert made(Tensor([3.0])).tolist() == [12.0]
    c.assign_value(Tensor([3.0]))
    assert made(Tensor([3.0])).tolist() == [27.0]


def test_a_region_of_autocast():
    x, w = Tensor(floats(4, 4)), Tensor(floats(4, 4, seed=1))
    assert P.matmul(x, w).dtype is ms.float32
    cast = autocast.Autocast(ms.bfloat16, frozenset({"matmul"}))
    for _ in range(2):
        with autocast.region(cast):
            assert P.matmul(x, w).dtype is ms.bfloat16
        assert P.matmul(x, w).dtype is ms.float32


# ---- the tape


def test_derivatives_of_higher_order():
    def f(x):
        return ops.sin(x) * x * 3.0

    x = Tensor(np.float64([0.3, -1.2]))
    a = x.asnumpy()
    g = f
    for wanted in (
        3 * (np.cos(a) * a + np.sin(a)),
        3 * (2 * np.cos(a) - a * np.sin(a)),
        3 * (-3 * np.sin(a) - a * np.cos(a)),
    ):
        g = (lambda inner: ms.grad(lambda x: inner(x).sum()))(g)
        for _ in range(2):
            np.testing.assert_allclose(g(x).asnumpy(), wanted, rtol=1e-12)


def test_each_thread_has_its_tapes():
    x, found, inside, done = Tensor([3.0]), [], threading.Event(), threading.Event()

    def other():
        inside.wait()
        found.append((x * x).tolist())
        found.append(ms.grad(lambda v: (v * v * v).sum())(x).tolist())
        done.set()

    def f(v):
        inside.set()
        y = v * v
        done.wait()
        return y.sum()

    t = threading.Thread(target=other)
    t.start()
    assert ms.grad(f)(x).tolist() == [6.0]
    t.join()
    assert found == [[9.0], [27.0]]


def test_the_way_back_gives_memory_back():
    alive = []

    def f(x):
        ys = [x]
        for _ in range(4):
            ys.append(ops.exp(ys[-1]) * 0.1)
        refs = [weakref.ref(y) for y in ys[1:-1]]
        ys[1].register_hook(lambda g: alive.append(sum(r() is not None for r in refs)))
        return ys[-1].sum()

    ms.grad(f)(Tensor([0.5]))
    assert alive == [1]  # of the values, only that whose gradient is at hand


def test_a_pullback_may_be_used_again():
    value, pull = ms.vjp(lambda x: (x * x).sum(), Tensor([3.0]))
    assert float(value) == 9.0
    assert [pull(Tensor(1.0))[0].tolist() for _ in range(3)] == [[6.0]] * 3


def test_the_collector_may_look_at_any_time():
    source = (
        "import gc, minds as ms\n"
        "ms.set_context(mode=ms.PYNATIVE_MODE)\n"
        "x = ms.Tensor([3.0])\n"
        "gc.freeze()\n"
        "gc.set_threshold(1, 1, 1)\n"
        "for _ in range(3):\n"
        "    print(ms.grad(lambda v: (v * v).sum())(x).tolist())\n"
    )
    ran = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert ran.returncode == 0 and ran.stdout == "[6.0]\n" * 3, ran.stderr


def test_nothing_stays():
    x = Tensor(floats(1000))
    made = weakref.ref(x)
    y = ms.grad(lambda v: (v * 2.0 + v).sum())(x)
    del x
    gc.collect()
    assert made() is None and y.shape == (1000,)


# ---- optimisers


OPTIMISERS = {
    "SGD": lambda p: nn.SGD(p, 0.1),
    "Momentum": lambda p: nn.Momentum(p, nn.ExponentialDecayLR(0.1, 0.9, 2), 0.9, weight_decay=0.1),
    "Adam": lambda p: nn.Adam(p, 1e-2),
    "AdamWeightDecay": lambda p: nn.AdamWeightDecay(p, 1e-2, weight_decay=0.1),
    "RMSProp": lambda p: nn.RMSProp(p, 1e-2),
}


def stepped(make, steps=7):
    """What a parameter goes through."""
    w = Parameter(Tensor(floats(5, 3)), name="w")
    opt = make([w])
    seen = []
    for i in range(steps):
        opt((Tensor(floats(5, 3, seed=i)),))
        seen.append(w.asnumpy().copy())
    return opt, seen


@pytest.mark.parametrize("name", OPTIMISERS)
def test_an_optimiser_goes_on_with_the_same_bits(name, monkeypatch):
    opt, compiled = stepped(OPTIMISERS[name])
    assert len(ms.recompiles(opt)) == 1
    monkeypatch.setattr(optimizer, "_BEFORE_COMPILING", 100)
    opt, eager = stepped(OPTIMISERS[name])
    assert len(ms.recompiles(opt)) == 0
    for a, b in zip(compiled, eager):
        np.testing.assert_array_equal(a, b)


class Counting(nn.learning_rate_schedule.LearningRateSchedule):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def construct(self, step):
        self.calls += 1
        return Tensor(0.1 / self.calls)


class Own(nn.SGD):
    def construct(self, gradients):
        self.calls = getattr(self, "calls", 0) + 1
        return super().construct(gradients)


def test_the_users_code_runs_each_step():
    assert stepped(Own)[0].calls == 7
    assert stepped(lambda p: nn.SGD(p, Counting()))[0].learning_rate.calls == 7
    calls = []

    def hooked(p):
        opt = nn.SGD(p, 0.1)
        opt.register_forward_hook(lambda *_: calls.append(1))
        return opt

    stepped(hooked)
    assert len(calls) == 7


def test_an_optimiser_refuses_as_ever():
    opt, _ = stepped(OPTIMISERS["Adam"])
    for _ in range(2):
        with pytest.raises(ValueError, match="Adam: parameter w has shape"):
            opt((Tensor(floats(2)),))
        with pytest.raises(ValueError, match="Adam: got 0 gradients"):
            opt(())
    opt((Tensor(floats(5, 3)),))


def test_a_step_that_is_differentiated_is_recorded():
    w = Parameter(Tensor([1.0]), name="w")
    opt = nn.SGD([w], 0.5)
    for _ in range(5):
        opt((Tensor([0.0]),))
    assert ms.grad(lambda g: (opt((g,)), (g * g).sum())[1])(Tensor([3.0])).tolist() == [6.0]


def test_a_number_of_a_rule_that_is_an_operand_too():
    """What a rule does is found by watching it: a number of its own is no operand."""

    def f(x, k):
        return (ops.pow(x, k) * 2.0).sum()

    x = np.float64([1.5, 0.5])
    for k in (2.0, 2.0, 2.0, 3.0, 0.5, 1.0):
        for _ in range(3):
            got = ms.grad(lambda v, k=k: f(v, k))(Tensor(x))
            np.testing.assert_allclose(got.asnumpy(), 2 * k * x ** (k - 1), rtol=1e-12)


def test_one_tensor_in_two_places_and_two():
    def f(a, b):
        return (a * b).sum() + (a / b).sum() + (a - b).sum()

    a, b = Tensor(np.float64([1.0, 2.0])), Tensor(np.float64([3.0, 5.0]))
    for _ in range(5):
        np.testing.assert_allclose(ms.grad(lambda v: f(v, v))(a).asnumpy(), [2.0, 4.0])
        da, db = ms.grad(f, (0, 1))(a, b)
        np.testing.assert_allclose(da.asnumpy(), [3 + 1 / 3 + 1, 5 + 1 / 5 + 1])
        np.testing.assert_allclose(db.asnumpy(), [1 - 1 / 9 - 1, 2 - 2 / 25 - 1])
        np.testing.assert_allclose(ms.grad(f, 1)(a, b).asnumpy(), db.asnumpy())


@pytest.mark.parametrize("broadcast", [(3,), (1, 3), (2, 1), ()])
def test_gradients_of_operands_that_were_broadcast(broadcast):
    x, y = floats(2, 3).astype(np.float64), 2 + np.abs(floats(*broadcast, seed=2)).astype(float)
    for _ in range(5):
        dx, dy = ms.grad(lambda x, y: (x * x / y).sum(), (0, 1))(Tensor(x), Tensor(y))
        np.testing.assert_allclose(dx.asnumpy(), 2 * x / y, rtol=1e-12)
        whole = np.broadcast_to(-x * x / y**2, (2, 3))
        lead = 2 - len(broadcast)
        axes = tuple(i for i in range(2) if i < lead or broadcast[i - lead] == 1)
        wanted = whole.sum(axes).reshape(broadcast)
        np.testing.assert_allclose(dy.asnumpy(), wanted, rtol=1e-12)
