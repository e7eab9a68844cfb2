"""The registry of the plug-in `cuda`, which is there without a GPU: it has every kernel of the CPU's."""

import contextlib

from minds import _core

HOSTS = {
    "random_key": "the state of the random numbers is the host's, and so is what changes it",
}
"""Kernels that only the CPU has, and why."""

FUSED = {"attention", "attention_dx", "matmul_bias", "tiles"}
"""Kernels that only it has: several ops in one."""


def test_every_kernel_of_the_cpu_is_there():
    with contextlib.suppress(RuntimeError):  # no driver: the kernels are known all the same
        _core.device_count("cuda")
    own = {(op, code) for device, op, code in _core.kernels() if device == "cuda"}
    cpu = {(op, code) for device, op, code in _core.kernels() if device == "cpu"}
    assert {op for op, _ in cpu - own} == set(HOSTS)
    assert {op for op, _ in own - cpu} == FUSED
