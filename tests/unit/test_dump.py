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


def test_what_is_refused(folder):
    with pytest.raises(ValueError, match="target"):
        ms.set_dump(3)
    with pytest.raises(ValueError, match="enabled"):
        ms.set_dump(Net(), 1)
    with pytest.warns(UserWarning, match="cell"):
        ms.set_dump(ops.ReLU())
    for said in ({"path": "here"}, {"iteration": "a-b"}, {"saved_data": "statistic"}):
        folder(**said)
        with pytest.raises(ValueError, match="set_dump"):
            ms.set_dump(Net())
