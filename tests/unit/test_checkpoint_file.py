"""The checkpoint file: round trips, atomic writing, and refusal of every damage."""

import json
import os
import pathlib
import struct
import tracemalloc
import zlib

import numpy as np
import pytest

from minds.base import dtype as dt
from minds.train import checkpoint_file
from minds.train.checkpoint_file import ALIGN, MARK, CheckpointError, Reader, write

ARRAYS = {
    "conv.weight": (np.arange(24, dtype=np.float32).reshape(2, 3, 4), dt.float32),
    "empty": (np.zeros((0, 5), np.float64), dt.float64),
    "scalar": (np.array(-3, np.int64), dt.int64),
    "bits": (np.array([0x3F80, 0xFFC0], np.uint16), dt.bfloat16),
    "flag": (np.array([True, False, True]), dt.bool_),
}
TEXTS = {"note": "grüße"}


@pytest.fixture
def path(tmp_path):
    name = str(tmp_path / "net.ckpt")
    write(name, ARRAYS, TEXTS)
    return name


def read_all(path):
    with Reader(path) as reader:
        return {n: reader.read(n) for n in reader.names}, reader.texts


def test_round_trip(path):
    arrays, texts = read_all(path)
    assert texts == TEXTS and list(arrays) == list(ARRAYS)
    for name, (a, t) in ARRAYS.items():
        got, dtype = arrays[name]
        assert dtype is t and got.dtype == a.dtype and got.shape == a.shape and (got == a).all()


def test_arrays_are_aligned_and_raw(path):
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == MARK
    at = data.index(np.arange(24, dtype="<f4").tobytes())
    assert at % ALIGN == 0


def test_every_flipped_byte_is_refused(path):
    """No byte of the file is unprotected: one changed bit anywhere is an error."""
    original = pathlib.Path(path).read_bytes()
    for i in range(len(original)):
        damaged = bytearray(original)
        damaged[i] ^= 1 << (i % 8)
        with open(path, "wb") as f:
            f.write(damaged)
        with pytest.raises(CheckpointError, match="net.ckpt"):
            read_all(path)


def test_every_truncation_is_refused(path):
    original = pathlib.Path(path).read_bytes()
    for n in range(len(original)):
        with open(path, "wb") as f:
            f.write(original[:n])
        with pytest.raises(CheckpointError, match="empty" if n == 0 else "truncated"):
            read_all(path)


def test_appended_bytes_are_refused(path):
    with open(path, "ab") as f:
        f.write(b"\0")
    with pytest.raises(CheckpointError, match="longer than it should be"):
        read_all(path)


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"PK\x03\x04 zip", "torch.save"),
        (b"\x80\x04.", "pickle"),
        (b"hello" * 50, "no checkpoint of minds"),
        (b"\x0a\x10conv", "MindSpore"),
        (bytes(200), "no checkpoint of minds"),
    ],
)
def test_foreign_files_are_named(tmp_path, content, reason):
    name = tmp_path / "x.ckpt"
    name.write_bytes(content)
    with pytest.raises(CheckpointError, match=reason):
        Reader(str(name))


def forge(path, index, data=b"", **fields):
    """A file whose checksums fit, with any index."""
    raw = index if isinstance(index, bytes) else json.dumps(index).encode()
    head = struct.pack(
        "<8sIIQQ",
        MARK,
        fields.get("version", 1),
        zlib.crc32(raw),
        fields.get("index_size", len(raw)),
        fields.get("data_size", len(data)),
    )
    head += struct.pack("<I", zlib.crc32(head))
    with open(path, "wb") as f:
        f.write(head.ljust(ALIGN, b"\0") + raw + data)


def entry(**changes):
    return {
        "name": "a",
        "dtype": "float32",
        "shape": [2],
        "offset": 0,
        "nbytes": 8,
        "crc32": 0,
        **changes,
    }


@pytest.mark.parametrize(
    "index",
    [
        b"",
        b"[]",
        b"{}",
        b"nonsense",
        b"[" * 100_000,
        b'{"arrays": 3, "texts": {}}',
        b'{"arrays": [3], "texts": {}}',
        {"arrays": [entry()], "texts": []},
        {"arrays": [entry()], "texts": {"x": 1}},
        {"arrays": [entry(shape=[-2])], "texts": {}},
        {"arrays": [entry(shape=[2.0])], "texts": {}},
        {"arrays": [entry(shape=[True, 2])], "texts": {}},
        {"arrays": [entry(shape="22")], "texts": {}},
        {"arrays": [entry(shape=[2**62, 2**62])], "texts": {}},
        {"arrays": [entry(nbytes=9)], "texts": {}},
        {"arrays": [entry(offset=64)], "texts": {}},
        {"arrays": [entry(offset=-8)], "texts": {}},
        {"arrays": [entry(dtype="object")], "texts": {}},
        {"arrays": [entry(dtype=["float32"])], "texts": {}},
        {"arrays": [entry(name=3)], "texts": {}},
        {"arrays": [entry(), entry()], "texts": {}},
        {"arrays": [entry()], "texts": {"a": "b"}},
        {"arrays": [entry(crc32="x")], "texts": {}},
        {"arrays": [entry(shape=[1] * 40 + [2])], "texts": {}},
    ],
)
def test_forged_indexes_are_refused(tmp_path, index):
    name = str(tmp_path / "x.ckpt")
    forge(name, index, bytes(8))
    with pytest.raises(CheckpointError, match="makes no sense"):
        Reader(name)


@pytest.mark.parametrize(
    "fields",
    [
        {"index_size": 2**63},
        {"data_size": 2**62},
        {"index_size": 2**40, "data_size": 0},
        {"version": 2},
    ],
)
def test_huge_claims_allocate_nothing(tmp_path, fields):
    name = str(tmp_path / "x.ckpt")
    forge(name, {"arrays": [], "texts": {}}, **fields)
    tracemalloc.start()
    with pytest.raises(CheckpointError):
        Reader(name)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_random_damage_never_escapes(path):
    """Anything but the original content is refused with our error, whatever is done to the file."""
    original, rng = pathlib.Path(path).read_bytes(), np.random.default_rng(0)
    for _ in range(500):
        damaged = bytearray(original)
        for _ in range(rng.integers(1, 6)):
            at, n = rng.integers(len(damaged)), int(rng.integers(1, 40))
            what = rng.integers(3)
            if what == 0:
                damaged[at : at + n] = rng.bytes(n)
            elif what == 1:
                del damaged[at : at + n]
            else:
                damaged[at:at] = rng.bytes(n)
            damaged = damaged or bytearray(b"x")
        with open(path, "wb") as f:
            f.write(damaged)
        if damaged != original:
            with pytest.raises(CheckpointError):
                read_all(path)


def test_failed_write_keeps_the_old_file(path, monkeypatch):
    before = pathlib.Path(path).read_bytes()

    def full(_):
        raise OSError("no space left")

    monkeypatch.setattr(checkpoint_file.os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        write(path, {"w": (np.ones(3), dt.float64)}, {})
    assert pathlib.Path(path).read_bytes() == before
    assert os.listdir(os.path.dirname(path)) == ["net.ckpt"]
