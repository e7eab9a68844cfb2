"""Reading MindSpore's checkpoint files. `FILE` was written by MindSpore 2.10.0's
save_checkpoint.
"""

import base64
import pathlib
import zlib

import numpy as np
import pytest

import minds as ms
from minds.train import mindspore_file

FILE = base64.b64decode(
    "CiwKAXcSJwgCCAMSB0Zsb2F0MzIaGAAAAAAAAIA/AAAAQAAAQEAAAIBAAACgQAoZCgZzY2FsYXISDxIHRmxvYXQzMhoEAAAgQAoU"
    "CgRmbGFnEgwIAhIEQm9vbBoCAQAKGAoCYmYSEggCEghCRmxvYXQxNhoEgD8AwAoUCgFoEg8IARIHRmxvYXQxNhoCADgKEQoCaTgS"
    "CwgBEgRJbnQ4GgH/ChMKAXUSDggBEgZVSW50MTYaAgcAChoKBWVwb2NoEhESBUludDY0GggDAAAAAAAAAAoVCgJschIPEgdGbG9h"
    "dDMyGgTNzMw9CiIKAXMSHQgAEgNzdHIaFGgAAABlAAAAbAAAAGwAAABvAAAACg4KAWISCRIEQm9vbBoBAQ=="
)


@pytest.fixture
def load(tmp_path):
    def load(content, **kwargs):
        path = tmp_path / "x.ckpt"
        path.write_bytes(content)
        return ms.load_checkpoint(str(path), **kwargs)

    return load


def test_values(load):
    found = load(FILE)
    assert found.pop("s") == "hello"
    assert {n: (p.dtype.name, p.asnumpy().tolist()) for n, p in found.items()} == {
        "w": ("float32", [[0, 1, 2], [3, 4, 5]]),
        "scalar": ("float32", 2.5),
        "flag": ("bool", [True, False]),
        "bf": ("bfloat16", [1, -2]),
        "h": ("float16", [0.5]),
        "i8": ("int8", [-1]),
        "u": ("uint16", [7]),
        "epoch": ("int64", 3),
        "lr": ("float32", float(np.float32(0.1))),
        "b": ("bool", True),
    }
    assert list(load(FILE, specify_prefix="s")) == ["scalar", "s"]


def field(number, content):
    return bytes([number << 3 | 2, len(content)]) + content


def value(name, dims, dtype, content):
    tensor = b"".join(bytes([8, d]) for d in dims) + field(2, dtype) + field(3, content)
    return field(1, field(1, name) + field(2, tensor))


def test_tensor_in_parts_and_packed_dims(load):
    halves = [value(b"w", [4], b"Int16", np.array(v, "<i2").tobytes()) for v in ([1, 2], [3, 4])]
    assert load(b"".join(halves))["w"].asnumpy().tolist() == [1, 2, 3, 4]
    packed = field(
        1, field(1, b"w") + field(2, field(1, b"\2\1") + field(2, b"Int8") + field(3, b"\5\6"))
    )
    assert load(packed)["w"].asnumpy().tolist() == [[5], [6]]


def test_crc(load):
    end = b"crc_num" + zlib.crc32(FILE).to_bytes(10, "big")
    assert load(FILE + end)["scalar"].item() == 2.5
    with pytest.raises(ms.CheckpointError, match="checksum"):
        load(FILE[:60] + b"\0" + FILE[61:] + end)


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"\x0a", "ends within a number"),
        (b"\x0a" + b"\xff" * 12, "too long"),
        (b"\x0a\xff\xff\xff\xff\x0f", "claims"),
        (value(b"w", [3], b"Int16", b"12"), "has 2 bytes"),
        (value(b"w", [2], b"String", b"12"), "no dtype|not a dtype"),
        (field(1, field(1, b"w")), "no tensor"),
        (value(b"w", [1], b"Int8", b"1") + b"\x0b", "unknown kind"),
        (value(b"w", [2], b"Int8", b"1") + value(b"w", [3], b"Int8", b"1"), "differ"),
        (b"\x0a\x02\x08\x01", "a number"),
        (field(1, field(1, b"\xff\xfe") + field(2, b"")), "utf-8"),
        (b"\x0a\x02\x0a\x05", "claims"),
    ],
)
def test_damage_is_named(load, content, reason):
    with pytest.raises(ms.CheckpointError, match=reason):
        load(content)


def test_damage_never_escapes(load):
    """Without a checksum damage can go unseen, but it never ends in another error than ours."""
    rng = np.random.default_rng(0)
    for n in range(1, len(FILE)):
        for damaged in (FILE[:n], FILE[:n] + rng.bytes(1) + FILE[n + 1 :]):
            try:
                load(damaged)
            except (ms.CheckpointError, ValueError):
                continue


def test_written_for_mindspore(tmp_path, monkeypatch):
    found = ms.load_checkpoint(str(_file(tmp_path, FILE)))
    path = str(tmp_path / "again.ckpt")
    ms.save_checkpoint(found, path, format="mindspore")
    assert _values(pathlib.Path(path).read_bytes()) == _values(FILE)
    monkeypatch.setattr(mindspore_file, "_PART", 8)  # as tensors above 512 MB are: in parts
    ms.save_checkpoint(found, path, format="mindspore")
    again = ms.load_checkpoint(path)
    assert list(again) == list(found) and again.pop("s") == found.pop("s")
    for name, p in found.items():
        assert (again[name].dtype, again[name].shape) == (p.dtype, p.shape)
        assert again[name].asnumpy().tobytes() == p.asnumpy().tobytes()


def _file(folder, content):
    path = folder / "first.ckpt"
    path.write_bytes(content)
    return path


def _values(content) -> set:
    """The messages of a file, whose order does not matter."""
    found, at = set(), 0
    while at < len(content):
        size = content[at + 1]  # below 128 here
        found.add(content[at : at + 2 + size])
        at += 2 + size
    return found
