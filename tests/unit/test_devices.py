"""The devices of the native core, as far as the CPU shows them; `tests/sim` has another."""

import gc

import numpy as np
import pytest

from minds import Parameter, Tensor, _core, holders
from minds._core import Array

pytestmark = pytest.mark.native
CPU = _core.device("cpu")
FLOAT32 = Array.from_numpy(np.zeros(1, np.float32)).dtype


def test_the_cpu_is_one_device():
    assert CPU is _core.device("cpu", 0) and CPU in _core.open_devices()
    assert (CPU.name, CPU.index, CPU.label, CPU.is_host) == ("cpu", 0, "CPU", True)
    assert _core.device_count("cpu") == 1
    assert _core.current_device() is CPU


@pytest.mark.parametrize("index", [1, -1, 2**31 - 1])
def test_there_are_only_so_many(index):
    with pytest.raises(ValueError, match=f"no device number {index}; the last is number 0"):
        _core.device("cpu", index)


@pytest.mark.parametrize("name", ["nothing", "", "..", "../../lib/libm", "CPU", "cpu:0"])
def test_unknown_kinds_are_refused(name):
    with pytest.raises(RuntimeError, match="is not available"):
        _core.device(name)
    with pytest.raises(RuntimeError, match="is not available"):
        _core.device_count(name)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ("cpu:", ValueError),
        ("cpu:x", ValueError),
        ("cpu:1", ValueError),
        ("tpu", RuntimeError),
        (3, TypeError),
    ],
)
def test_bad_labels_are_refused(given, kind):
    with pytest.raises(kind):
        Array.empty((2,), FLOAT32, given)


@pytest.mark.parametrize("device", [CPU, "cpu", "cpu:0", None])
def test_arrays_know_their_device(device):
    a = Array.from_numpy(np.arange(4.0), device=device)
    assert a.device is CPU and a.is_host and a.site is None
    assert Array.full((2,), FLOAT32, 3, device).numpy().tolist() == [3, 3]
    assert Array.empty((2,), FLOAT32, device).device is CPU
    b = a.to(device)
    assert b.data_ptr != a.data_ptr and b.numpy().tolist() == a.numpy().tolist()


def test_only_cudas_memory_has_its_interface():
    with pytest.raises(AttributeError, match="CPU"):
        _ = Array.empty((2,), FLOAT32).__cuda_array_interface__
    assert not hasattr(Array.empty((2,), FLOAT32), "__cuda_array_interface__")


def test_the_device_of_a_thread():
    assert _core.use_device(CPU) is None
    try:
        assert _core.current_device() is CPU
    finally:
        assert _core.use_device(None) is CPU
    assert _core.use_device(None) is None


def test_memory_is_accounted():
    CPU.reset_peaks()
    before = CPU.memory()
    a = Array.empty((1 << 20,), FLOAT32)
    now = CPU.memory()
    assert now["in_use"] >= before["in_use"] + (4 << 20)
    del a
    after = CPU.memory()
    assert after["in_use"] == before["in_use"] and after["peak"] >= now["in_use"]
    assert after["peak_reserved"] >= after["peak"]
    assert 0 < after["free"] <= after["total"]
    CPU.reset_peaks()
    assert CPU.memory()["peak"] == CPU.memory()["in_use"]


def test_streams_and_events():
    stream, first, then = CPU.stream(), _core.Event(CPU, True), _core.Event(CPU, True)
    assert stream is CPU.stream() and stream.device is CPU and stream.idle() and stream.handle == 0
    stream.record(first)
    stream.record(then)
    CPU.user_stream().wait(first)
    then.synchronize()
    stream.synchronize()
    CPU.synchronize()
    assert then.done() and then.device is CPU and then.milliseconds_since(first) >= 0
    assert _core.current_stream(CPU) is stream
    _core.set_stream(CPU.user_stream())


def test_dlpack_asks_for_a_device():
    a = Array.from_numpy(np.arange(3.0))
    assert Array.from_dlpack(a.__dlpack__(dl_device=(1, 0))).numpy().tolist() == [0, 1, 2]
    with pytest.raises(BufferError, match="on the CPU"):
        a.__dlpack__(dl_device=(1, 1))

    class Elsewhere:
        def __dlpack_device__(self):
            return 2, 0

        def __dlpack__(self, **given):
            raise AssertionError("nobody can take it")

    with pytest.raises(BufferError, match="no open device"):
        Array.from_dlpack(Elsewhere())


def test_the_largest_holders_are_named():
    gc.collect()
    big = Tensor(np.zeros((512, 1024), np.float32))
    weight = Parameter(np.zeros((256, 1024), np.float32), name="layer.weight")
    shared = big.view(1024, 512) if hasattr(big, "view") else big
    rows = [text for _, text in holders.holders(CPU)]
    sizes = [size for size, _ in holders.holders(CPU)]
    assert sizes == sorted(sizes, reverse=True)
    assert sum("(512, 1024)" in t or "(1024, 512)" in t for t in rows) == 1
    assert any("Parameter 'layer.weight' of (256, 1024), Float32" in t for t in rows)
    assert holders.report("recursion is too deep") == ""
    del big, weight, shared


def test_a_lack_of_memory_lists_them(monkeypatch):
    monkeypatch.setattr(holders, "_MATTERS", 0.0)
    kept = [Tensor(np.zeros((100 + i, 10000), np.float32)) for i in range(7)]
    with pytest.raises(MemoryError) as e:
        Array.empty((1 << 50,), FLOAT32)
    lines = str(e.value).split("\n")
    assert "the largest holders" in lines[1]
    assert len(lines) >= 8 and "other tensors" in str(e.value)
    assert "(106, 10000), Float32" in str(e.value)
    assert (Tensor(np.ones(3, np.float32)) + 1).asnumpy().tolist() == [2, 2, 2]
    del kept
