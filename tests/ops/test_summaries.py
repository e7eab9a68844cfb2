"""Summary ops tell listeners what a program computes, in both modes, each time it runs."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops
from minds.ops import P, summary


class Shown(nn.Cell):
    def __init__(self, kind, tag):
        super().__init__()
        self.show, self.tag = kind(), tag

    def construct(self, x, y):
        self.show(self.tag, x)
        z = x + y
        self.show(f"{self.tag}/sum", z)
        return z


@pytest.fixture
def told():
    log: list = []

    def listen(*entry):
        log.append(entry)

    summary.LISTENERS.append(listen)
    yield log
    summary.LISTENERS.remove(listen)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize(
    ("kind", "plugin", "shape"),
    [
        (ops.ScalarSummary, "scalar", (1,)),
        (ops.ImageSummary, "image", (2, 3, 4, 4)),
        (ops.TensorSummary, "tensor", (2, 3)),
        (ops.HistogramSummary, "histogram", (5,)),
    ],
)
def test_each_run_tells_its_values_in_order(told, mode, kind, plugin, shape):
    ms.set_context(mode=mode)
    net = Shown(kind, "x")
    for i in range(3):
        x = np.full(shape, i, np.float32)
        np.testing.assert_array_equal(net(Tensor(x), Tensor(x + 1)).asnumpy(), 2 * x + 1)
    assert [(p, t) for p, t, _ in told] == [(plugin, "x"), (plugin, "x/sum")] * 3
    np.testing.assert_array_equal(told[-1][2], np.full(shape, 5))


@pytest.mark.parametrize(
    ("kind", "tag", "shape", "error"),
    [
        (ops.ScalarSummary, None, (1,), TypeError),
        (ops.ScalarSummary, True, (1,), TypeError),
        (ops.ScalarSummary, "", (1,), ValueError),
        (ops.ScalarSummary, "x", (2, 2), ValueError),
        (ops.ImageSummary, "x", (2, 3), ValueError),
        (ops.TensorSummary, "x", (), ValueError),
    ],
)
def test_compiled_code_refuses_what_cannot_be_shown(told, kind, tag, shape, error):
    def show(x):
        kind()(tag, x)
        return x

    with pytest.raises(error, match="name|value"):
        ms.jit(show)(ops.ones(shape))
    show(ops.ones(shape))
    assert told == []


def test_gradients_pass_by(told):
    def loss(x):
        ops.ScalarSummary()("loss", (x * x).sum())
        return (x * x).sum()

    np.testing.assert_array_equal(ms.grad(ms.jit(loss))(Tensor([3.0])).asnumpy(), [6])
    assert told[0][1] == "loss" and told[0][2] == 9


@pytest.mark.parametrize("compiled", [False, True])
def test_a_condition_that_does_not_hold_ends_the_program(compiled):
    def halved(x):
        ops.Assert(2)((x > 0).all(), [x, x.sum()])
        return x / 2

    run = ms.jit(halved) if compiled else halved
    np.testing.assert_array_equal(run(Tensor([2.0, 4.0, 6.0])).asnumpy(), [1, 2, 3])
    with pytest.raises(RuntimeError, match=r"assert failed.*\[-1\.  2\.\] \[7\.\]"):
        run(Tensor([-1.0, 2.0, 6.0]))
    with pytest.raises(TypeError, match="bool"):
        ops.Assert()(Tensor([1]), [])
    with pytest.raises(ValueError, match="one element"):
        ops.Assert()(Tensor([True, False]), [])
    with pytest.raises(TypeError, match="summarize"):
        ops.Assert("a")


def test_a_compiled_program_returns_the_none_of_an_effect(told):
    x, seen = Tensor(np.ones((2, 3), np.float32)), []

    def changes():
        seen.append(P.require(x > 0, (x,), 1))
        return seen[0], P.summary(x, "tensor", "x")

    assert ms.jit(lambda a: P.summary(a, "tensor", "a"))(x) is None
    assert ms.jit(changes)() == (None, None) and seen == [None]
    assert [t for _, t, _ in told] == ["a", "x"]
