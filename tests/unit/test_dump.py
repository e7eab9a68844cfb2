"""`set_dump`: what cells see, as files."""

import json
import os

import numpy as np
import pytest

import minds as ms
from minds import nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(3, 4), nn.ReLU()

    def construct(self, x):
        return self.b(self.a(x)).sum()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    def make(**said):
        path = tmp_path / "dump.json"
        said = {"dump_mode": 2, "path": str(tmp_path), "net_name": "N", **said}
        path.write_text(json.dumps({"common_dump_settings": said}))
        monkeypatch.setenv("MINDSPORE_DUMP_CONFIG", str(path))
        return tmp_path / "rank_0" / "N" / "0"

    return make


def found(folder) -> dict:
    """(iteration, type, side, slot) → array."""
    made = {}
    for iteration in sorted(os.listdir(folder)) if folder.exists() else ():
        for name in sorted(os.listdir(folder / iteration)):
            kind, _, _, _, _, side, slot, _, _ = name.split(".")
            made[int(iteration), kind, side, int(slot)] = np.load(folder / iteration / name)
    return made


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_values_and_gradients_of_a_cell(mode, folder):
    ms.set_context(mode=mode)
    where, net = folder(iteration="0|2-3"), Net()
    ms.set_dump(net.a)
    step = ms.value_and_grad(net, 0, net.trainable_params())
    xs = [ms.Tensor(np.full((2, 3), i + 1, np.float32)) for i in range(5)]
    grads = [step(x)[1][0].asnumpy() for x in xs]
    files = found(where)
    assert {k[0] for k in files} == {0, 2, 3} and len(files) == 12
    w, b = net.a.weight.asnumpy(), net.a.bias.asnumpy()
    for i in (0, 2, 3):
        x = xs[i].asnumpy()
        np.testing.assert_array_equal(files[i, "Dense", "input", 0], x)
        np.testing.assert_allclose(files[i, "Dense", "output", 0], x @ w.T + b, rtol=1e-6)
        np.testing.assert_array_equal(
            files[i, "DenseGrad", "input", 0], (files[i, "Dense", "output", 0] > 0).astype("f")
        )
        np.testing.assert_array_equal(files[i, "DenseGrad", "output", 0], grads[i])
    ms.set_dump(net.a, False)
    step(xs[0])
    assert len(found(where)) == 12


def test_cells_within_and_one_side(folder):
    where, net = folder(input_output=2), Net()
    ms.set_dump(net)
    net(ms.Tensor(np.ones((2, 3), np.float32)))
    assert sorted(found(where)) == [
        (0, "Dense", "output", 0), (0, "Net", "output", 0), (0, "ReLU", "output", 0)
    ]  # fmt: skip


def test_nothing_without_the_variable_or_another_mode(folder, monkeypatch):
    where, net = folder(dump_mode=0), Net()
    ms.set_dump(net)
    net(ms.Tensor(np.ones((2, 3), np.float32)))
    monkeypatch.delenv("MINDSPORE_DUMP_CONFIG")
    ms.set_dump(net)
    net(ms.Tensor(np.ones((2, 3), np.float32)))
    assert not where.exists()


class Alone(nn.Cell):
    """Primitives that stand in a cell on their own."""

    def __init__(self):
        super().__init__()
        self.relu, self.add, self.pool = ops.ReLU(), ops.Add(), ops.ReduceSum(keep_dims=True)

    def construct(self, x, y):
        return self.pool(self.relu(self.add(x, y)) * x, 1).sum()


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_primitive_on_its_own(mode, folder):
    ms.set_context(mode=mode)
    where, net = folder(), Alone()
    x, y = np.array([[-1, 2], [3, -4]], np.float32), np.array([[2, 1], [-9, 1]], np.float32)
    step = ms.grad(net, (0, 1))
    plain = [g.asnumpy() for g in step(ms.Tensor(x), ms.Tensor(y))]
    ms.set_dump(net.relu)
    ms.set_dump(net.add)
    dumped = [g.asnumpy() for g in step(ms.Tensor(x), ms.Tensor(y))]
    np.testing.assert_array_equal(dumped, plain)
    files = found(where)
    np.testing.assert_array_equal(files[0, "ReLU", "input", 0], x + y)
    np.testing.assert_array_equal(files[0, "ReLU", "output", 0], np.maximum(x + y, 0))
    np.testing.assert_array_equal(files[0, "ReLUGrad", "input", 0], x)
    np.testing.assert_array_equal(files[0, "ReLUGrad", "output", 0], x * (x + y > 0))
    np.testing.assert_array_equal(files[0, "Add", "input", 1], y)
    np.testing.assert_array_equal(files[0, "AddGrad", "input", 0], x * (x + y > 0))
    net(ms.Tensor(x), ms.Tensor(y))
    assert {k[0] for k in found(where)} == {0, 1}
    ms.set_dump(net.relu, False)
    ms.set_dump(net.add, False)
    count = len(found(where))
    step(ms.Tensor(x), ms.Tensor(y))
    assert len(found(where)) == count
    assert float(net(ms.Tensor(x), ms.Tensor(y))) == (np.maximum(x + y, 0) * x).sum()


def test_what_is_refused(folder):
    with pytest.raises(ValueError, match="target"):
        ms.set_dump(3)
    with pytest.raises(ValueError, match="enabled"):
        ms.set_dump(Net(), 1)
    with pytest.raises(TypeError, match="a Cell, or a primitive of ops"):
        ms.set_dump(ops.Primitive("Thing"))
    for said in ({"path": "here"}, {"iteration": "a-b"}, {"saved_data": "statistic"}):
        folder(**said)
        with pytest.raises(ValueError, match="set_dump"):
            ms.set_dump(Net())
