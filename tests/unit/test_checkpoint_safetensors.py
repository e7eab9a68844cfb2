"""The safetensors format. `FILE` was written by the safetensors package."""

import base64
import json
import struct

import numpy as np
import pytest

import minds as ms
from minds import nn, train

FILE = base64.b64decode(
    "SAEAAAAAAAB7Il9fbWV0YWRhdGFfXyI6eyJub3RlIjoiaGVsbG8ifSwiaSI6eyJkdHlwZSI6Ikk2NCIsInNoYXBlIjpbMl0sImRh"
    "dGFfb2Zmc2V0cyI6WzAsMTZdfSwic2NhbGFyIjp7ImR0eXBlIjoiRjY0Iiwic2hhcGUiOltdLCJkYXRhX29mZnNldHMiOlsxNiwy"
    "NF19LCJ3Ijp7ImR0eXBlIjoiRjMyIiwic2hhcGUiOlsyLDNdLCJkYXRhX29mZnNldHMiOlsyNCw0OF19LCJlbXB0eSI6eyJkdHlw"
    "ZSI6IkYxNiIsInNoYXBlIjpbMCwyXSwiZGF0YV9vZmZzZXRzIjpbNDgsNDhdfSwiZmxhZyI6eyJkdHlwZSI6IkJPT0wiLCJzaGFw"
    "ZSI6WzFdLCJkYXRhX29mZnNldHMiOls0OCw0OV19fSAgICAg//////////8CAAAAAAAAAAAAAAAAAARAAAAAAAAAgD8AAABAAABA"
    "QAAAgEAAAKBAAQ=="
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.safetensors"


def load(path, **kwargs):
    return ms.load_checkpoint(str(path), format="safetensors", **kwargs)


def test_file_of_the_package(path):
    path.write_bytes(FILE)
    found = load(path)
    assert found.pop("note") == "hello"
    assert {n: (p.dtype.name, p.shape, p.asnumpy().tolist()) for n, p in found.items()} == {
        "w": ("float32", (2, 3), [[0, 1, 2], [3, 4, 5]]),
        "i": ("int64", (2,), [-1, 2]),
        "flag": ("bool", (1,), [True]),
        "empty": ("float16", (0, 2), []),
        "scalar": ("float64", (), 2.5),
    }
    assert list(load(path, specify_prefix="s")) == ["scalar"]


def test_round_trip(path):
    saved = {
        "a.w": ms.Tensor([[1.0, -2.0]], ms.bfloat16),
        "b": ms.Tensor([3], ms.uint8),
        "n": 7,
        "t": "text",
    }
    ms.save_checkpoint(saved, str(path.with_suffix("")), format="safetensors", async_save=True)
    while ms.async_ckpt_thread_status():
        pass
    found = load(path)
    assert found["a.w"].dtype is ms.bfloat16 and found["a.w"].asnumpy().tolist() == [[1, -2]]
    assert found["b"].asnumpy().tolist() == [3] and found["n"].item() == 7 and found["t"] == "text"
    length = struct.unpack("<Q", path.read_bytes()[:8])[0]
    assert length % 8 == 0 and json.loads(path.read_bytes()[8 : 8 + length])["b"]["dtype"] == "U8"


def test_every_truncation_is_refused(path):
    for n in range(len(FILE)):
        path.write_bytes(FILE[:n])
        with pytest.raises(ms.CheckpointError, match="x.safetensors"):
            load(path)


def forged(header, data=bytes(8)):
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(raw)) + raw + data


def entry(**changes):
    return {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **changes}


@pytest.mark.parametrize(
    "content",
    [
        struct.pack("<Q", 2**63) + b"{}",
        forged(b"[]"),
        forged(b"{"),
        forged(b"[" * 100_000),
        forged({}),
        forged({"a": 3}),
        forged({"a": {}}),
        forged({"a": entry(dtype="F8_E4M3")}),
        forged({"a": entry(dtype=["F32"])}),
        forged({"a": entry(shape=[-2])}),
        forged({"a": entry(shape=[3])}),
        forged({"a": entry(shape=[2**62, 2**62])}),
        forged({"a": entry(shape=[True, 2])}),
        forged({"a": entry(data_offsets=[8, 16])}),
        forged({"a": entry(data_offsets=[0])}),
        forged({"a": entry(), "b": entry()}),
        forged({"a": entry()}, bytes(9)),
        forged({"a": entry(), "__metadata__": {"x": 1}}),
        forged({"a": entry(), "__metadata__": []}),
    ],
)
def test_forged_headers_are_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(ms.CheckpointError):
        load(path)


def test_random_damage_never_escapes(path):
    """Without checksums damage of values can go unseen, but it never ends in another error than
    ours.
    """
    rng = np.random.default_rng(0)
    for _ in range(300):
        damaged = bytearray(FILE)
        damaged[rng.integers(len(FILE))] = rng.integers(256)
        path.write_bytes(damaged)
        try:
            load(path)
        except ValueError as e:
            assert isinstance(e, ms.CheckpointError)


def test_conversions_of_files_and_folders(tmp_path):
    net = nn.Dense(3, 2)
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for name in ("a", "deep/b", "deep/other"):
        ms.save_checkpoint(net, str(tmp_path / "in" / f"{name}.ckpt"))
    out = tmp_path / "out"
    train.ckpt_to_safetensors(str(tmp_path / "in"), str(out), {"bias": "beta"}, "[ab].ckpt")
    found = sorted(str(p.relative_to(out)) for p in out.rglob("*.safetensors"))
    assert found == ["a.safetensors", "deep/b.safetensors"]
    read = ms.load_checkpoint(str(out / "deep" / "b.safetensors"), format="safetensors")
    assert set(read) == {"weight", "beta"}
    train.safetensors_to_ckpt(str(out / "a.safetensors"), name_map={"beta": "bias"})
    back = train.load_checkpoint_async(str(out / "a.ckpt")).result()
    for name, p in net.parameters_dict().items():
        np.testing.assert_array_equal(back[name].asnumpy(), p.asnumpy())
    for call in (
        lambda: train.ckpt_to_safetensors("/nothere"),
        lambda: train.ckpt_to_safetensors(str(out / "a.safetensors")),
        lambda: train.ckpt_to_safetensors(str(tmp_path / "in"), "x.ckpt"),
        lambda: train.ckpt_to_safetensors(str(tmp_path / "in"), None, 3),
        lambda: train.ckpt_to_safetensors(str(tmp_path / "in"), None, None, "nothing"),
    ):
        with pytest.raises(ValueError, match="ckpt_to_safetensors: "):
            call()
