"""Buffers that become attributes, hooks on their registration, and a generator's steps."""

import numpy as np
import pytest

import minds as ms
from minds import nn
from minds.nn import cell
from minds.parameters import Buffer


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = Buffer(ms.Tensor([2.0, 3.0]))
        self.register_buffer("shift", ms.Tensor([1.0, 1.0]))

    def construct(self, x):
        return x * self.scale + self.shift


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_buffer_that_is_assigned_is_one_of_the_cell(mode):
    ms.set_context(mode=mode)
    net = Net()
    assert [n for n, _ in net.named_buffers()] == ["scale", "shift"]
    assert list(net.state_dict()) == ["scale", "shift"]
    assert net(ms.Tensor([1.0, 10.0])).asnumpy().tolist() == [3, 31]
    assert net.trainable_params() == []


def test_errors_of_buffers():
    net = nn.Cell()
    with pytest.raises(TypeError, match="buffer name should be a string"):
        net.register_buffer(2, ms.Tensor(1))
    with pytest.raises(KeyError, match='contain "."'):
        net.register_buffer("a.b", ms.Tensor(1))
    with pytest.raises(AttributeError, match="has no attribute"):
        net.get_buffer("b")


def test_a_hook_changes_buffers_until_it_is_removed():
    def twice(cell, name, buffer):
        return buffer * 2 if name == "shift" else None

    handle = cell.register_cell_buffer_registration_hook(twice)
    assert Net().shift.asnumpy().tolist() == [2, 2]
    assert Net().scale.asnumpy().tolist() == [2, 3]
    handle.remove()
    handle.remove()
    assert Net().shift.asnumpy().tolist() == [1, 1]
    with pytest.raises(TypeError, match="hook has type int"):
        cell.register_cell_buffer_registration_hook(1)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_the_steps_of_a_generator(mode):
    ms.set_context(mode=mode)
    generator = ms.Generator().manual_seed(7)

    class Step(nn.Cell):
        def construct(self, n):
            return generator._step(n)

    net = Step()
    got = [tuple(int(v) for v in net(ms.Tensor(n, ms.int64))) for n in (1, 3, 1)]
    assert got == [(7, 0), (7, 1), (7, 4)]


def test_the_default_generator_steps_from_a_state():
    state = ms.get_rng_state()
    first = ms.default_generator._step(ms.Tensor(5, ms.int64))
    after = ms.get_rng_state()
    ms.set_rng_state(state)
    again = ms.default_generator._step(5)
    assert [int(a) for a in first] == [int(a) for a in again]
    drawn = after.asnumpy().view("<i8") - state.asnumpy().view("<i8")
    np.testing.assert_array_equal(drawn, [0, 5])
