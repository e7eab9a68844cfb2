"""`save_checkpoint`, `load_checkpoint`, `load_param_into_net`."""

import os
import pathlib
import re
import resource
import signal

import numpy as np
import pytest

import minds as ms
from minds import nn, train


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "net.ckpt")


@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "float32", "float64", "int8", "int64", "uint8", "bool_"]
)
def test_dtypes(path, dtype):
    value = ms.Tensor([[0, 1], [2, 3]], getattr(ms, dtype))
    ms.save_checkpoint({"w": value}, path)
    found = ms.load_checkpoint(path)["w"]
    assert isinstance(found, ms.Parameter) and found.name == "w" and found.dtype is value.dtype
    assert (found.asnumpy() == value.asnumpy()).all()


def test_network_round_trip(path):
    old, new = nn.Dense(2, 3), nn.Dense(2, 3)
    ms.save_checkpoint(old, path)
    assert list(ms.load_checkpoint(path, new)) == ["weight", "bias"]
    x = ms.Tensor(np.ones((1, 2), np.float32))
    assert (old(x).asnumpy() == new(x).asnumpy()).all()


def test_what_can_be_saved(path):
    ms.save_checkpoint(
        [{"name": "a", "data": ms.Tensor([1.0])}],
        path,
        append_dict={"n": 3, "f": 0.5, "b": True, "s": "x"},
    )
    found = ms.load_checkpoint(path)
    assert (
        found["n"].item() == 3 and found["n"].dtype is ms.int64 and found["f"].dtype is ms.float32
    )
    assert found["b"].item() is True and found["s"] == "x"


def test_suffix_and_choice(tmp_path):
    ms.save_checkpoint(nn.Dense(2, 3), str(tmp_path / "x"), choice_func=lambda name: name == "bias")
    assert list(ms.load_checkpoint(str(tmp_path / "x.ckpt"))) == ["bias"]


def test_prefixes(path):
    ms.save_checkpoint({n: ms.Tensor([1.0]) for n in ("conv.w", "conv.b", "fc.w")}, path)

    def names(**kwargs):
        return list(ms.load_checkpoint(path, **kwargs))

    assert names(filter_prefix="conv") == ["fc.w"] and names(specify_prefix=["conv.b", "fc"]) == [
        "conv.b",
        "fc.w",
    ]
    assert names(specify_prefix="conv", filter_prefix="conv.b") == ["conv.w"]
    assert names(choice_func=lambda n: n.endswith("w")) == ["conv.w", "fc.w"]
    with pytest.raises(ValueError, match="no name"):
        names(filter_prefix=["conv", "fc"])


def test_async_save_copies_first(path):
    net = nn.Dense(2, 3, weight_init="ones")
    ms.save_checkpoint(net, path, async_save=True)
    net.weight.set_data(ms.Tensor(np.zeros((3, 2), np.float32)))
    while ms.async_ckpt_thread_status():
        pass
    assert (ms.load_checkpoint(path)["weight"].asnumpy() == 1).all()


def test_async_failure_is_told_by_the_next_save(tmp_path, path):
    ms.save_checkpoint(nn.Dense(1, 1), str(tmp_path / "no" / "x.ckpt"), async_save=True)
    while ms.async_ckpt_thread_status():
        pass
    with pytest.raises(RuntimeError, match="asynchronous save failed"):
        ms.save_checkpoint(nn.Dense(1, 1), path)


def test_a_later_update_does_not_reach_the_loaded_file(path):
    ms.save_checkpoint({"w": ms.Tensor([1.0])}, path)
    found = ms.load_checkpoint(path)["w"]
    found.set_data(ms.Tensor([2.0]))
    assert ms.load_checkpoint(path)["w"].item() == 1.0


def test_not_loaded_names():
    net = nn.Dense(2, 3)
    assert ms.load_param_into_net(
        net, {"bias": ms.Parameter(np.ones(3, np.float32)), "q": ms.Parameter(1.0)}
    ) == (["weight"], ["q"])
    assert (net.bias.asnumpy() == 1).all()


def test_dtypes_of_one_kind_are_cast():
    net = nn.Dense(2, 3)
    wide = {"bias": ms.Parameter(np.ones(3, np.float64))}
    ms.load_param_into_net(net, wide)
    assert net.bias.dtype is ms.float32 and (net.bias.asnumpy() == 1).all()
    with pytest.raises(RuntimeError, match="float32, the loaded one float64"):
        ms.load_param_into_net(net, wide, strict_load=True)


def test_nothing_changes_if_one_does_not_fit():
    net = nn.Dense(2, 3, weight_init="zeros")
    with pytest.raises(RuntimeError, match="'bias' has shape"):
        ms.load_param_into_net(
            net, {"weight": ms.Parameter(np.ones((3, 2), np.float32)), "bias": ms.Parameter(1.0)}
        )
    assert not net.weight.asnumpy().any()


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda p: ms.save_checkpoint(3, p), TypeError, "save_obj has type int"),
        (lambda p: ms.save_checkpoint({}, p), ValueError, "nothing to save"),
        (lambda p: ms.save_checkpoint([{"name": "w"}], p), TypeError, "element of the list"),
        (
            lambda p: ms.save_checkpoint([{"name": "w", "data": np.ones(2)}], p),
            TypeError,
            "ndarray",
        ),
        (lambda p: ms.save_checkpoint({"w": None}, p), TypeError, "'w' has type NoneType"),
        (lambda p: ms.save_checkpoint({"w": ms.Tensor(1.0)}, 3), TypeError, "ckpt_file_name"),
        (
            lambda p: ms.save_checkpoint({"w": ms.Tensor(1.0)}, p, append_dict=3),
            TypeError,
            "append_dict",
        ),
        (
            lambda p: ms.save_checkpoint({"w": ms.Tensor(1.0)}, p, enc_key=b"x"),
            ValueError,
            "enc_key has 1 bytes",
        ),
        (lambda p: ms.save_checkpoint({"w": ms.Tensor(1.0)}, p + "/no/x"), OSError, "no folder"),
        (lambda p: ms.load_checkpoint(p), ValueError, "no file"),
        (lambda p: ms.load_checkpoint("x"), ValueError, "end in .ckpt"),
        (lambda p: ms.load_param_into_net(3, {}), TypeError, "net has type int"),
        (lambda p: ms.load_param_into_net(nn.ReLU(), 3), TypeError, "parameter_dict has type int"),
        (
            lambda p: ms.load_param_into_net(nn.ReLU(), {"w": ms.Tensor(1.0)}),
            TypeError,
            "'w' has type Tensor",
        ),
        (
            lambda p: ms.load_param_into_net(
                nn.Dense(2, 3), {"weight": ms.Parameter(np.ones((3, 2), np.int32))}
            ),
            RuntimeError,
            "one kind",
        ),
    ],
)
def test_errors(path, call, error, message):
    with pytest.raises(error, match=message):
        call(path)


def test_damaged_file_is_refused_through_the_api(path):
    ms.save_checkpoint(nn.Dense(2, 3), path)
    content = bytearray(pathlib.Path(path).read_bytes())
    content[-1] ^= 1
    with open(path, "wb") as f:
        f.write(content)
    with pytest.raises(ms.CheckpointError, match="net.ckpt: array 'bias' is damaged"):
        ms.load_checkpoint(path)
    assert issubclass(train.CheckpointError, ValueError)


def test_a_file_that_cannot_grow_is_named(tmp_path):
    """The file, not the parameters; what was saved before is whole."""
    path = str(tmp_path / "a.ckpt")
    ms.save_checkpoint([{"name": "w", "data": ms.Tensor([1.0])}], path)
    large = [{"name": "w", "data": ms.Tensor(np.zeros(10_000, np.float32))}]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    said = re.escape(f"save_checkpoint: ckpt_file_name is {path!r}: File too large")
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
        with pytest.raises(OSError, match=said):
            ms.save_checkpoint(large, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert os.listdir(tmp_path) == ["a.ckpt"] and float(ms.load_checkpoint(path)["w"]) == 1
