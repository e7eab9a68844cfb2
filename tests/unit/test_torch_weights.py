"""Weights of PyTorch: by its names into networks of minds, from files without running what they say."""

import base64
import io
import os
import zipfile
import zlib

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn
from minds.compat import torch as compat
from minds.train.checkpoint_file import CheckpointError

# torch.save({"epoch": 7, "model": state}, file) of a Conv1d(1, 2, 2) and a BatchNorm1d(2), whose weight is
# every other element of a bfloat16 tensor; written by torch 2.13.
SAVED = zlib.decompress(
    base64.b64decode(
        "eNqlVs9v21Qcf/nRNAtrmhZGWQcFBhspbGmc2PmxdkuIUC5GogsCRbsY1zGxNcfu13nJAAmpAnVl4h/ghDjAmSNHbtyZ"
        "kMYBiU2cOMENjrznl2R+b2pDk6c4thN/frzn7/u8t6vG4gglk+iJlkGrSPcNyx6aWx0d67n9206zkUa3uHYQ/RRQtr1A"
        "AOa+Z1gQUReDu57XMR0g/8aybcqez90x7a6FIW5gj9DmtAG2nX5K8829ge10NGy6fc/XhoUULGSz7UWC6ZMn9a4JCQZJ"
        "NR1Px++yH1Ow2I5QXki2Y+Rs7A/gjBrHkLqpIjWqRtToETxFLsjlEZy9Zxie45gGtj23n3rH75i+2XnLNnAKljZbkMaw"
        "3IJMOxE43bP1PqxYxIaVsJiMBKvWGTWK4emA/hCeUSOHcO6eRdHPYlhrwXNBP6VxP88z/Mh6I/AulSbu1wPaAlxgtM+P"
        "aF+gtBuM9kUML7Xg5cCUxExd5EwV4RWGfnWEvkTRlxn6NQzZFmy20wHaH7iu7Xa1nqm78DrHIsMbjOXKiOUqZckxli0M"
        "+RZI7SWOZaj7UOBIFCgyEnlEolCSEiMpY6i0oNo+F5C4g562p2PDMvsa9nXjttmBa9xgve253clAbQf8Jdgh/BEM1wn/"
        "5ibjvYGh1oL6YJDbVReT5c8e3D2KIkSP3WPLeg3Jk7LOfej5PR1rQ9Pvk7poNvJCdU9vElX+4a/fPqcm6XG88joqP1Ye"
        "lbamO3bX7ZkubjaKpxYnrSRTA7U78CfpNYqeaGAF1SYG9j7GpkdnQbOxPYvuuDk2xo5JPRxe/+M8rdTEiR7S6AaXKlv5"
        "ZuPaHAYY60GNfNXJp06dfHnhg0uZIMFOdiLzTqRZ3j8hItoHP1Jd66f0ZSqUnKK7w+sWmo3KzCNQr38T9Pmrf1ZWiSCK"
        "T9Gu89rFZmNnntd/a8xMPdi/XzRn6L88T//H757qD7+r5WbQV+bUJ3WXeZPqf//3R9YM+qX59E87/stoe6I/Cb7yrAaK"
        "Kar889fd96bnzwYqPA7AoOt907dJAn6i02VZszvNRu6URvKlSlUpVJWSXK4ohXxJUcoVSarKSlWWioqSlysVRcrnC9Tl"
        "t3e/eJQlPrKBywg1O/EZXjwyTzgX90EiOrwArHHIB1F03HIjkoRDfJ0juRlDJ6wcIk84iFc4nvshnskCIMLD6Znm4O/H"
        "kZDdIjacgDz2oYiVRGw4wXgs3U/yiSliw5XPY38RsUURG04NQTchYGURG57xPPZXEav8f89078snhIgNz7dlXjeEPabO"
        "wtNggwO3kmjKBN1VE4kr4+kcuzpBLgnncoyd/02O4ylBN/Ro6yy7ZzulhQTDLAXPs2f/AyXBw58="
    )
)


def convolution():
    return nn.SequentialCell(
        nn.Conv1d(1, 2, 2, pad_mode="valid", has_bias=True), nn.BatchNorm1d(2)
    ).set_train(False)


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "net.pth"
    file.write_bytes(SAVED)
    return file


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_file_of_torch(path, mode):
    ms.set_context(mode=mode)
    net = convolution()
    assert not any(compat.load_state_dict(net, path))
    # What torch gives for weights of 1 in the normalisation, times those of the file.
    wanted = np.array([[[0.75, 1.25], [1.6667, 3.3333]]]) * [[3], [5]]
    found = net(Tensor([[[1.0, 2.0, 3.0]]]))
    np.testing.assert_allclose(found.asnumpy(), wanted, atol=1e-3)


def test_names():
    net = nn.SequentialCell(nn.Embedding(3, 2), nn.LayerNorm((2,)), nn.BatchNorm1d(2), nn.PReLU())
    assert list(compat.names(net)) == (
        "0.weight 1.weight 1.bias 2.running_mean 2.running_var 2.weight 2.bias 3.weight".split()
    )


def test_names_in_a_transformer():
    made = compat.names(nn.SequentialCell(nn.TransformerEncoderLayer(4, 2, 8)))
    assert made["0.linear1.weight"].name == "0.dense1.weight" and "0.norm1.weight" in made


def test_names_that_differ():
    weights = {"a.weight": np.ones((2, 3)), "a.steps": np.array(3), "b.bias": np.zeros(2)}
    net = nn.SequentialCell(nn.Dense(3, 2))
    before = net[0].weight.asnumpy().copy()
    with pytest.raises(RuntimeError, match=r"missing \['0.weight', '0.bias'\], unexpected"):
        compat.load_state_dict(net, weights)
    left = compat.load_state_dict(net, weights, strict=False)
    assert left.missing_keys == ["0.weight", "0.bias"] and left.unexpected_keys == [
        "a.weight",
        "b.bias",
    ]
    np.testing.assert_array_equal(net[0].weight.asnumpy(), before)
    assert not any(compat.load_state_dict(net, weights, rename=lambda n: f"0{n[1:]}"))
    np.testing.assert_array_equal(net[0].weight.asnumpy(), weights["a.weight"])


def test_a_shape_that_differs_changes_nothing():
    net = nn.Dense(3, 2)
    before = net.weight.asnumpy().copy()
    with pytest.raises(RuntimeError, match=r"'bias' has shape \(3,\), the parameter \(2,\)"):
        compat.load_state_dict(net, {"weight": np.ones((2, 3)), "bias": np.ones(3)})
    with pytest.raises(TypeError, match="'bias' has type list"):
        compat.load_state_dict(net, {"weight": np.ones((2, 3)), "bias": [1.0, 2.0]})
    np.testing.assert_array_equal(net.weight.asnumpy(), before)


def test_parallel_training_puts_module_before_names(tmp_path):
    path = os.fspath(tmp_path / "net.safetensors")
    net = nn.SequentialCell(nn.Dense(3, 2))
    ms.save_checkpoint(
        [{"name": f"module.{p.name}", "data": p} for p in net.get_parameters()],
        path.removesuffix(".safetensors"),
        format="safetensors",
    )
    assert sorted(compat.read(path)) == ["0.bias", "0.weight"]


def archive(pickled: bytes, **others: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as f:
        f.writestr("net/data.pkl", pickled)
        for name, data in others.items():
            f.writestr(f"net/data/{name}", data)
    return made.getvalue()


TENSOR = b"ctorch._utils\n_rebuild_tensor_v2\n(("
STORAGE = b"S'storage'\nctorch\nFloatStorage\nS'0'\nS'cpu'\nI%d\ntQ"
BAD = {
    "a call": b"cos\nsystem\n(S'echo 1'\ntR.",
    "a class": b"cbuiltins\neval\n(S'1'\ntR.",
    "an attribute of a function": b"ctorch._utils\n_rebuild_tensor_v2.__globals__\n.",
    "no function": b"ctorch\nload\n(S'x'\ntR.",
    "behind the end": TENSOR + STORAGE % 2 + b"I1\n(I2\nt(I1\nttR.",
    "negative strides": TENSOR + STORAGE % 2 + b"I1\n(I2\nt(I-1\nttR.",
    "too few bytes": TENSOR + STORAGE % 4 + b"I0\n(I4\nt(I1\nttR.",
    "repeated without end": TENSOR + STORAGE % 2 + b"I0\n(I1099511627776\nt(I0\nttR.",
    "a memo without end": b"\x80\x02r\xff\xff\xff\x7f.",
    "no tensors": b"}.",
    "a number": b"I7\n.",
    "nothing": b"",
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_refused(tmp_path, kind):
    path = tmp_path / "net.pth"
    path.write_bytes(archive(BAD[kind], **{"0": np.ones(2, np.float32).tobytes()}))
    with pytest.raises(CheckpointError):
        compat.read(path)


def test_damaged_files(tmp_path):
    """Cut off, or with another byte: an error, or what was written."""
    path, whole = tmp_path / "net.pth", None
    path.write_bytes(SAVED)
    whole = compat.read(path)
    rng = np.random.RandomState(0)
    for i in range(150):
        at = rng.randint(len(SAVED))
        bad = SAVED[:at] if i % 3 == 0 else SAVED[:at] + bytes([rng.randint(256)]) + SAVED[at + 1 :]
        path.write_bytes(bad)
        try:
            found = compat.read(path)
        except CheckpointError:
            continue
        assert i % 3 and found.keys() == whole.keys()


def test_what_is_no_file_of_torch(tmp_path):
    path = tmp_path / "net.pth"
    path.write_bytes(b"not a zip")
    with pytest.raises(CheckpointError, match=r"torch.save of torch 1.6"):
        compat.read(path)
    with pytest.raises(OSError):
        compat.read(tmp_path / "none.pth")
    with pytest.raises(TypeError, match="path has type int"):
        compat.read(5)
    with pytest.raises(TypeError, match="net is int 5"):
        compat.load_state_dict(5, {})
