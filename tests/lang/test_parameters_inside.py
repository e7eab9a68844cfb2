"""Parameters that compiled code makes, and Parameters among which data choose."""

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, amp, nn, ops
from minds.base.errors import ParseError

MODES = [ms.PYNATIVE_MODE, ms.GRAPH_MODE]


@pytest.fixture(params=MODES, ids=["pynative", "graph"], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


START = Tensor([1.0, 2.0])


class State:
    def __init__(self, value):
        self.num = Parameter(value, name="num")

    def __enter__(self):
        self.num *= 2
        return self.num

    def __exit__(self, kind, value, trace):
        self.num *= 4


def test_each_call_has_its_own():
    class Net(nn.Cell):
        def construct(self, x, n):
            state, p, count = State(START), Parameter(Tensor([2.0, 3.0])), Parameter(3)
            with state as s:
                total = s + p
            i = 0
            while i < n:
                ops.assign(p, p + x)
                p[0] = p[1] * 2
                count += 1
                i += 1
            if x.sum() > 2:
                ops.assign_add(p, x)
            return total, state.num, p * x, count

    net, x = Net(), Tensor([1.0, 2.0])
    for _ in range(2):
        total, num, product, count = net(x, Tensor(3))
        np.testing.assert_array_equal(total.asnumpy(), [4.0, 7.0])
        np.testing.assert_array_equal(num.asnumpy(), [8.0, 16.0])
        np.testing.assert_array_equal(product.asnumpy(), [19.0, 22.0])
        assert int(count) == 6 and count.dtype is ms.int32
    np.testing.assert_array_equal(x.asnumpy(), [1.0, 2.0])


def _assigned(p, x):
    ops.assign(p, p + x)


def _added(p, x):
    p.add_(x)


def _set(p, x):
    p[0] = x[1] * 2


@pytest.mark.parametrize("change, held", [(_assigned, [7, 10]), (_added, [7, 10]), (_set, [14, 3])])
def test_no_gradient_flows_into_one(change, held):
    def f(x):
        p = Parameter(Tensor([2.0, 3.0]))
        change(p, x)
        return p * x

    np.testing.assert_array_equal(ms.grad(f)(Tensor([5.0, 7.0])).asnumpy(), held)


def test_one_of_a_cell_is_not_made_while_compiling(mode):
    class Net(nn.Cell):
        def construct(self, x):
            self.w = Parameter(START)
            return x

    if mode == ms.GRAPH_MODE:
        with pytest.raises(ParseError, match="'w' of Net cannot be set"):
            Net()(Tensor([1.0]))


def test_one_is_not_made_of_a_value_of_the_run():
    with pytest.raises(ValueError, match="cannot be made of a value of the run"):
        ms.jit(lambda x: Parameter(x * 2))(START)


class Held(nn.Cell):
    def __init__(self, value):
        super().__init__()
        self.p = Parameter(Tensor(value, ms.float32), name="p")

    def construct(self, x):
        return self.p * x


def with_a_cell(x):
    held = Held(10.0)
    first = held(x)
    ops.assign(held.p, x * 3)
    held.p += 2.0
    return first + held(x)


def test_a_cell_with_parameters_starts_anew_at_each_call():
    class Net(nn.Cell):
        def construct(self, x):
            return with_a_cell(x)

    net, x = Net(), Tensor(2.0)
    for _ in range(2):
        assert float(net(x)) == 36.0
    assert float(ms.grad(net)(x)) == float(ms.grad(with_a_cell)(x)) == 18.0


def test_a_layer_with_states_starts_anew_at_each_call():
    def normed(x):
        bn = nn.BatchNorm2d(2, momentum=0.9).set_train()
        return bn(x), bn.moving_mean * 1

    x = Tensor(np.arange(8.0).reshape(1, 2, 2, 2), ms.float32)
    want = normed(x)
    for _ in range(2):
        for a, b in zip(ms.jit(normed)(x), want):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6)


def test_a_cell_whose_parameters_are_drawn_or_conditional_is_refused():
    def drawn(x):
        return nn.Dense(2, 2)(x)

    def conditional(x):
        held = Held(1.0) if x.sum() > 0 else Held(2.0)
        return held(x)

    for fn in (drawn, conditional):
        with pytest.raises(ParseError, match="has new parameters at each call"):
            ms.jit(fn)(Tensor([[1.0, 2.0]]))


class Two(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = Parameter(Tensor(1.0), name="p")
        self.q = Parameter(Tensor(2.0), name="q")


class Written(Two):
    def construct(self, x, y):
        chosen = self.p if x > 0 else self.q
        ops.assign(chosen, y)
        return chosen * 2


class WrittenBehind(Two):
    def construct(self, x, y):
        chosen = self.p if x > 0 else self.q
        ops.assign(self.p, y)
        return chosen * 2


class WrittenInLoop(Two):
    def construct(self, x, y):
        i, chosen = 0, self.p
        while i < y:
            chosen[...] = chosen * 2
            if x > 0:
                chosen = self.q
            i += 1
        return chosen * 2


@pytest.mark.parametrize(
    "cls, result, held",
    [
        (Written, 6.0, (3.0, 2.0)),
        (WrittenBehind, 6.0, (3.0, 2.0)),
        (WrittenInLoop, 16.0, (2.0, 8.0)),
    ],
)
def test_a_chosen_one_is_changed(cls, result, held):
    net = cls()
    assert float(net(Tensor(3.0), Tensor(3.0))) == result
    assert (float(net.p), float(net.q)) == held


def test_a_chosen_one_is_read_before_it_is_written():
    class Net(Two):
        def construct(self, x, y):
            chosen = self.p if x > 0 else self.q
            found = chosen * 2
            ops.assign(self.p, y)
            return found + self.p

    net = Net()
    assert float(net(Tensor(3.0), Tensor(5.0))) == 7.0
    assert float(net(Tensor(-3.0), Tensor(6.0))) == 10.0


def test_loss_scalers_are_made_in_compiled_code(mode):
    def f(x):
        scaler = amp.DynamicLossScaler(scale_value=2**10, scale_factor=2, scale_window=1)
        scaler.adjust(amp.all_finite(scaler.unscale((x, Tensor([0.2])))))
        same = amp.StaticLossScaler(8.0)
        return scaler.scale_value * 1, same.unscale(same.scale(x))

    def refused():
        return amp.StaticLossScaler(0.5)

    for f, refused in ((f, refused), (ms.jit(f), ms.jit(refused))):
        assert float(f(START)[0]) == 2048
        assert float(f(Tensor([np.inf, 1.0]))[0]) == 512
        np.testing.assert_array_equal(f(START)[1].asnumpy(), [1, 2])
        with pytest.raises(ValueError, match=r"^StaticLossScaler: scale_value is 0\.5"):
            refused()
