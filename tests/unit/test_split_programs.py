"""Programs whose parameters lie in files beside them."""

import os
import shutil
import sys

import numpy as np
import pytest

import minds as ms
from minds import nn, ops, train
from minds.train import serialization


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.z = ms.Parameter(ms.Tensor([1.0, 2.0, 3.0]), name="z")
        self.w = ms.Parameter(ms.Tensor(np.arange(20), ms.float16), name="w")

    def construct(self, x):
        return x * self.z + self.w.sum().astype(ms.float32)


X = np.array([1.0, -1.0, 2.0], np.float32)
HEAD = bytes([sys.byteorder == "little"]).ljust(64, b"\0")


@pytest.fixture
def exported(tmp_path, monkeypatch):
    """Exports a network in parts of ``each`` bytes, and gives it and the path of the program."""

    def export(each: int = 1 << 30, net=None):
        monkeypatch.setattr(serialization, "TOTAL_SAVE", 0)
        monkeypatch.setattr(serialization, "PARAMETER_SPLIT_SIZE", each / 1024)
        net = net or Net()
        ms.export(net, ms.Tensor(X), file_name=str(tmp_path / "net"), file_format="MINDIR")
        return net, str(tmp_path / "net_graph.mindir")

    return export


@pytest.mark.parametrize("each, files", [(1 << 30, [[0, 1]]), (129, [[0], [1]])])
def test_files(tmp_path, exported, each, files):
    net, path = exported(each)
    assert sorted(os.listdir(tmp_path)) == ["net_graph.mindir", "net_variables"]
    contents = [p.asnumpy().tobytes().ljust(64, b"\0") for p in (net.w, net.z)]
    names = sorted(os.listdir(tmp_path / "net_variables"))
    assert names == [f"data_{i}" for i in range(len(files))]
    for name, held in zip(names, files):
        where = tmp_path / "net_variables" / name
        assert where.read_bytes() == HEAD + b"".join(contents[i] for i in held)
        assert where.stat().st_mode & 0o777 == 0o400
    loaded = ms.load(path)
    assert [p.name for p in loaded.parameters] == [p.name for p in net.get_parameters()]
    assert (nn.GraphCell(loaded)(ms.Tensor(X)).asnumpy() == net(ms.Tensor(X)).asnumpy()).all()


def test_exported_anew_and_moved(tmp_path, exported):
    exported()
    net, _ = exported()
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("net_graph.mindir", "net_variables"):
        shutil.move(str(tmp_path / name), str(moved))
    loaded = ms.load(str(moved / "net_graph.mindir"))
    assert (loaded(ms.Tensor(X)).asnumpy() == net(ms.Tensor(X)).asnumpy()).all()


def test_a_missing_or_damaged_file(tmp_path, exported):
    _, path = exported()
    data = tmp_path / "net_variables" / "data_0"
    data.chmod(0o600)
    content = data.read_bytes()
    for wrong in (content[:70], content[:64] + b"\1" + content[65:], b""):
        data.write_bytes(wrong)
        with pytest.raises(train.ProgramFileError, match="data_0 is damaged"):
            ms.load(path)
    data.unlink()
    with pytest.raises(RuntimeError, match=r"^load: .*data_0 is missing"):
        ms.load(path)


def test_limits(tmp_path, exported, monkeypatch):
    with pytest.raises(RuntimeError, match=r"^export: a parameter of 40 bytes is larger"):
        exported(0)
    assert not os.path.exists(tmp_path / "net_graph.mindir")
    monkeypatch.undo()
    ms.export(ops.sin, ms.Tensor(X), file_name=str(tmp_path / "sin"), file_format="MINDIR")
    assert os.path.exists(tmp_path / "sin.mindir")
