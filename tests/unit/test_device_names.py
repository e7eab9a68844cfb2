"""The user's names for devices, on a machine that has the CPU alone; tests/sim has those for two."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import minds as ms
from minds import ops


@pytest.mark.parametrize("target", ["GPU", "Ascend", "gpu", "cuda", "tpu"])
def test_a_device_that_is_missing_is_named(target):
    with pytest.raises((RuntimeError, ValueError), match=f"'{target}' is not available: "):
        ms.set_context(device_target=target)
    assert ms.get_context("device_target") == "CPU"
    with pytest.raises((RuntimeError, ValueError), match="to: device"):
        ms.Tensor([1.0]).to(target)


def test_a_gpu_without_its_driver_says_what_is_missing(tmp_path):
    program = "import minds; minds.set_context(device_target='GPU')"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "MINDS_CUDA_LIBRARIES": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    said = ran.stderr.splitlines()
    assert ran.returncode == 1 and [line for line in said if "RuntimeError" in line] == [
        "RuntimeError: set_context: device_target 'GPU' is not available: the CUDA driver (libcuda.so.1) is "
        "missing; it comes with NVIDIA's display driver, and the rest by `pip install minds[cuda]`"
    ]


@pytest.mark.parametrize("target", [3, None, "CPU:0"])
def test_a_target_is_a_name(target):
    with pytest.raises((TypeError, ValueError), match="^set_context: .*device_target"):
        ms.set_context(device_target=target)


def test_the_cpu_by_all_its_names():
    ms.set_context(device_target="CPU", device_id=1)
    assert ms.get_context("device_id") == 1
    ms.set_context(device_target="cpu", device_id=0)
    assert ms.get_context("device_target") == "CPU"
    x = ms.Tensor([1.0, 2.0])
    assert x.device == x.cpu().device == x.to("CPU").device == x.move_to("cpu:0").device == "CPU"
    assert x.to("CPU").dtype is ms.float32 and x.to(ms.float16).dtype is ms.float16
    assert ms.device_count() == ms.device_count("CPU") == 1
    assert ms.device_count("GPU") == 0 and not ms.hal.is_available("GPU")
    with pytest.raises(ValueError, match="is_available: device_target is 'TPU'"):
        ms.hal.is_available("TPU")


def test_to_the_programs_device_compiles():
    @ms.jit
    def f(x):
        return x.to("CPU") * 2

    x = ms.Tensor([1.0, 2.0])
    np.testing.assert_array_equal(f(x).asnumpy(), [2.0, 4.0])
    np.testing.assert_array_equal(ms.grad(lambda x: ops.sum(x.cpu() * x))(x).asnumpy(), [2.0, 4.0])


def test_memory_is_counted():
    before = ms.hal.memory_allocated()
    ms.hal.reset_peak_memory_stats()
    x = ops.zeros((1024, 256), ms.float32)
    assert ms.hal.memory_allocated() >= before + x.nbytes
    del x
    stats = ms.runtime.memory_stats()
    assert stats["max_allocated_memory"] >= before + (1 << 20)
    assert stats["total_allocated_memory"] < before + (1 << 20)


def test_the_cpu_has_no_product_name_and_no_capability():
    p = ms.hal.get_device_properties(0, "CPU")
    assert p.name == ms.hal.get_device_name(0, "CPU") == "CPU"
    assert p.total_memory >= p.free_memory > 0
    assert p[3:] == (0, 0, 0, 0, {})
    assert ms.hal.get_device_capability(0, "CPU") is None


def test_a_tensor_is_pickled_as_data():
    x = ms.Tensor([1.0, 2.0])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(x)).asnumpy(), x.asnumpy())


def test_events_have_happened_on_the_cpu():
    begin, end = ms.hal.Event(enable_timing=True), ms.hal.Event(enable_timing=True)
    begin.record()
    ops.add(ms.Tensor([1.0]), 1)
    end.record()
    assert end.query() and begin.elapsed_time(end) >= 0
    with pytest.raises(ValueError):
        ms.hal.Event().elapsed_time(end)
    with pytest.raises(TypeError, match="priority has type str"):
        ms.hal.Stream("high")
