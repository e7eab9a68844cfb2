"""Files that only a key opens: checkpoints and exported programs."""

import base64
import os

import numpy as np
import pytest

import minds as ms
from minds import nn, train
from minds.base import sealed

pytest.importorskip("cryptography")

KEYS = [
    ("AES-GCM", b"k" * 16),
    ("AES-GCM", b"k" * 32),
    ("AES-CBC", b"k" * 24),
    ("SM4-CBC", b"k" * 16),
]
RECORDED = {
    "AES-GCM": "2F46f3DFHLfGjSSA/sZ7YEm5oqU0AAAAEAAAANex7CTZz0G5pI7OHPZ4UK0cAAAAO+coCYiKR9Ae8K3PdcwQVoZL"
    "vdQnA/CIOOdYzg==",
    "AES-CBC": "2V46fzgAAAAQAAAAmaQMjRoASx7hevcioelGDSAAAABrLSVvTI922Ngcs3Bw1g9/A13/go42fEx5k4F9Za6H/g==",
    "SM4-CBC": "2l46fzgAAAAQAAAAs0R7uAWHQsE9Gr2EcFocXyAAAABrZEWwX2LGjORz36HerNnoeYiVYAYoWdR48pgLStqohQ==",
}
"""What MindSpore 2.10 has written of {"w": [1.5, -2.0]} with these keys; AES-CBC with one of 24 bytes."""


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "w.ckpt")


@pytest.mark.parametrize("mode, key", KEYS)
@pytest.mark.parametrize("later", [False, True])
def test_checkpoints(path, mode, key, later):
    values = {"w": ms.Tensor([[1.0, 2.0]]), "b": ms.Tensor([3], ms.bfloat16), "note": "a text"}
    ms.save_checkpoint(values, path, enc_key=key, enc_mode=mode, async_save=later)
    while ms.async_ckpt_thread_status():
        pass
    with open(path, "rb") as f:
        assert b"a text" not in f.read()
    found = ms.load_checkpoint(path, dec_key=key, dec_mode=mode)
    assert found["w"].asnumpy().tolist() == [[1.0, 2.0]] and found["note"] == "a text"
    assert found["b"].dtype is ms.bfloat16
    assert list(ms.load_checkpoint(path, dec_key=key, dec_mode=mode, specify_prefix="w")) == ["w"]


@pytest.mark.parametrize("mode", RECORDED)
def test_files_of_mindspore(path, mode):
    with open(path, "wb") as f:
        f.write(base64.b64decode(RECORDED[mode]))
    found = ms.load_checkpoint(path, dec_key=dict(KEYS[2:]).get(mode, b"k" * 16), dec_mode=mode)
    assert found["w"].asnumpy().tolist() == [1.5, -2.0]


def test_another_key_or_mode_is_told(path):
    ms.save_checkpoint({"w": ms.Tensor(1.0)}, path, enc_key=b"k" * 16)
    for more, said in [
        ({}, "it is encrypted; its key is dec_key"),
        ({"dec_key": b"K" * 16}, "the key is another one"),
        ({"dec_key": b"k" * 16, "dec_mode": "AES-CBC"}, "by AES-GCM, not by AES-CBC"),
    ]:
        with pytest.raises(train.CheckpointError, match=said):
            ms.load_checkpoint(path, **more)
    ms.save_checkpoint({"w": ms.Tensor(1.0)}, path)
    with pytest.raises(train.CheckpointError, match="it is not encrypted"):
        ms.load_checkpoint(path, dec_key=b"k" * 16)


def test_each_changed_byte_is_told():
    seal = sealed.Seal("test", b"k" * 16, "AES-GCM")
    data = seal.closed(b"what it holds")
    assert seal.opened(data) == b"what it holds"
    for i in range(len(data)):
        with pytest.raises(sealed.WrongKey):
            seal.opened(data[:i])
        if i not in range(40, 44):  # GCM uses the first 12 of the 16 bytes that begin at 28
            with pytest.raises(sealed.WrongKey):
                seal.opened(data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :])


def test_blocks(monkeypatch):
    monkeypatch.setattr(sealed, "_BLOCK", 5)
    data = bytes(range(23))
    for mode, key in KEYS:
        seal = sealed.Seal("test", key, mode)
        assert seal.opened(seal.closed(data)) == data
        assert len(seal.closed(data)) > 5 * 16


@pytest.mark.parametrize(
    "more, error, said",
    [
        ({"enc_key": "k" * 16}, TypeError, "enc_key has type str"),
        ({"enc_key": b"k"}, ValueError, "enc_key has 1 bytes"),
        ({"enc_key": b"k" * 32, "enc_mode": "SM4-CBC"}, ValueError, "enc_key has 32 bytes"),
        ({"enc_key": b"k" * 16, "enc_mode": "ROT13"}, ValueError, "enc_mode is 'ROT13'"),
        (
            {"enc_key": b"k" * 16, "format": "safetensors"},
            ValueError,
            "enc_key is given for format 'safetensors'",
        ),
    ],
)
def test_refused(path, more, error, said):
    with pytest.raises(error, match=f"^save_checkpoint: .*{said}"):
        ms.save_checkpoint({"w": ms.Tensor(1.0)}, path, **more)


def test_the_callback_encrypts(tmp_path):
    net = nn.Dense(1, 1)
    data = ms.dataset.NumpySlicesDataset(([[1.0]] * 2, [[1.0]] * 2), ["x", "y"])
    cast = ms.dataset.transforms.TypeCast(ms.float32)
    config = train.CheckpointConfig(enc_key=b"k" * 16, enc_mode="AES-CBC")
    saving = train.ModelCheckpoint("net", str(tmp_path), config)
    model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    model.train(1, data.map(cast, "x").map(cast, "y").batch(2), saving)
    found = ms.load_checkpoint(saving.latest_ckpt_file_name, dec_key=b"k" * 16, dec_mode="AES-CBC")
    assert found["weight"].asnumpy() == net.weight.asnumpy()


def test_parts_of_several_files(path):
    net, other = nn.Dense(2, 1), nn.Dense(2, 1)
    ms.save_checkpoint(net, path, integrated_save=False, enc_key=b"k" * 16)
    ms.load_distributed_checkpoint(other, [path], dec_key=b"k" * 16)
    assert (other.weight.asnumpy() == net.weight.asnumpy()).all()


X = np.ones((2, 3), np.float32)


def exported(path: str, **more) -> nn.Dense:
    net = nn.Dense(3, 4)
    ms.export(net, ms.Tensor(X), file_name=path, file_format="MINDIR", **more)
    return net


@pytest.mark.parametrize("mode, key", KEYS)
@pytest.mark.parametrize("beside", [False, True])
def test_programs(tmp_path, monkeypatch, mode, key, beside):
    if beside:
        monkeypatch.setattr(train.serialization, "TOTAL_SAVE", 0)
    net = exported(str(tmp_path / "net"), enc_key=key, enc_mode=mode)
    path = str(tmp_path / ("net_graph.mindir" if beside else "net.mindir"))
    loaded = ms.load(path, dec_key=key, dec_mode=mode)
    assert (loaded(ms.Tensor(X)).asnumpy() == net(ms.Tensor(X)).asnumpy()).all()
    for more in ({}, {"dec_key": b"K" * len(key), "dec_mode": mode}):
        with pytest.raises(train.ProgramFileError, match="key"):
            ms.load(path, **more)


def test_programs_by_a_function(tmp_path):
    path = str(tmp_path / "net.mindir")
    net = exported(path, enc_key=b"any", enc_mode=lambda data, key: key + data[::-1])

    def opened(path, key):
        with open(path, "rb") as f:
            return f.read()[len(key) :][::-1]

    loaded = ms.load(path, dec_key=b"any", dec_mode=opened)
    assert (loaded(ms.Tensor(X)).asnumpy() == net(ms.Tensor(X)).asnumpy()).all()
    with pytest.raises(TypeError, match="export: enc_mode gave str"):
        exported(path, enc_key=b"any", enc_mode=lambda data, key: "text")


def test_without_the_package(monkeypatch, path):
    monkeypatch.setitem(__import__("sys").modules, "cryptography.hazmat.primitives", None)
    with pytest.raises(
        ImportError, match=r"^save_checkpoint: encryption needs the package cryptography"
    ):
        ms.save_checkpoint({"w": ms.Tensor(1.0)}, path, enc_key=b"k" * 16)
    assert not os.path.exists(path)
