"""Large checkpoints are mapped: read without a copy, changed without a trace in the file."""

import gc
import os

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops, train

FORMATS = ("ckpt", "safetensors")
SHAPE = (1024, 8192)  # 32 MB
formats = pytest.mark.parametrize("format", FORMATS)


def save(path, number: float, format: str) -> None:
    w = np.full(SHAPE, number, np.float32)
    w[-1, -1] = 7.0
    ms.save_checkpoint({"w": Tensor(w), "step": 3, "small": Tensor([1.5])}, path, format=format)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "net")


def own_memory() -> int:
    """Bytes of this process that are in no file."""
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) << 10 for line in f if line.startswith("RssAnon"))


@formats
def test_no_copy(path, format):
    path += f".{format}"
    save(path, 2.0, format)
    gc.collect()
    before = own_memory()
    found = ms.load_checkpoint(path, format=format)
    assert own_memory() - before < 8 << 20
    assert found["w"].asnumpy().sum(dtype=float) == 2.0 * (SHAPE[0] * SHAPE[1] - 1) + 7.0
    assert found["w"].name == "w" and found["step"].item() == 3
    assert found["small"].tolist() == [1.5]


@formats
@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def test_changes_stay_in_memory(path, format, mode):
    path += f".{format}"
    save(path, 2.0, format)
    with open(path, "rb") as f:
        stored = f.read()
    w = ms.load_checkpoint(path, format=format)["w"]
    another = ms.load_checkpoint(path, format=format)["w"]
    ms.set_context(mode=mode)
    try:

        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.w = w

            def construct(self, x):
                ops.assign_add(self.w, x)
                return self.w[0, 0]

        assert float(Net()(Tensor(np.ones(SHAPE, np.float32)))) == 3.0
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    another.asnumpy()[1] = 9.0
    with open(path, "rb") as f:
        assert f.read() == stored
    assert another[0, 0] == 2.0 and another[1, 0] == 9.0 and w[1, 0] == 3.0


@formats
def test_the_file_may_be_replaced_and_removed(path, format):
    path += f".{format}"
    save(path, 2.0, format)
    old = ms.load_checkpoint(path, format=format)["w"]
    save(path, 5.0, format)
    new = ms.load_checkpoint(path, format=format)["w"]
    os.unlink(path)
    assert old[3, 3] == 2.0 and new[3, 3] == 5.0


def test_into_a_network(path):
    net = nn.Dense(8192, 1024, has_bias=False)
    ms.save_checkpoint(net, path + ".ckpt")
    other = nn.Dense(8192, 1024, has_bias=False)
    assert ms.load_param_into_net(other, ms.load_checkpoint(path + ".ckpt")) == ([], [])
    x = Tensor(np.ones((1, 8192), np.float32))
    np.testing.assert_array_equal(net(x).asnumpy(), other(x).asnumpy())


@pytest.mark.parametrize("at", [100, 10**7, -1])
def test_damage_is_found(path, at):
    path += ".ckpt"
    save(path, 2.0, "ckpt")
    with open(path, "r+b") as f:
        f.seek(at, os.SEEK_END if at < 0 else os.SEEK_SET)
        byte = f.read(1)
        f.seek(-1, os.SEEK_CUR)
        f.write(bytes([byte[0] ^ 4]))
    with pytest.raises(train.CheckpointError, match="damaged"):
        ms.load_checkpoint(path)
    os.truncate(path, os.path.getsize(path) - 4096)
    with pytest.raises(train.CheckpointError, match="truncated"):
        ms.load_checkpoint(path)
