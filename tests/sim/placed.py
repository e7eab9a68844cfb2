"""Runs something on the CPU and on a device, and compares the bits; on CUDA some may differ by a little."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
from closeness import assert_near

import minds as ms
from minds import Tensor
from minds.base import devices

MODES = {"graph": ms.GRAPH_MODE, "eager": ms.PYNATIVE_MODE}


@contextmanager
def on(device: str, mode: int = ms.PYNATIVE_MODE):
    """Inside, tensors are made and programs run on the device."""
    before = {k: ms.get_context(k) for k in ("device_target", "device_id", "mode")}
    name, _, number = device.partition(":")
    ms.set_context(device_target=name, device_id=int(number or 0), mode=mode)
    try:
        yield
    finally:
        ms.set_context(**before)


def bits(value, where: set | None = None):
    """A result as nested tuples, tensors by dtype, shape and bytes; ``where`` gets their devices."""
    if isinstance(value, Tensor):
        if where is not None:
            where.add(value.device)
        return value.dtype.name, value.shape, value.asnumpy().tobytes()
    if isinstance(value, dict):
        return {k: bits(v, where) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return tuple(bits(v, where) for v in value)
    if isinstance(value, np.ndarray):
        return value.dtype.name, value.shape, value.tobytes()
    return value


def outcome(run, where: set | None = None):
    """The bits of what ``run`` gives, or the type and text of its error."""
    try:
        return bits(run(), where)
    except Exception as e:
        return type(e).__name__, str(e)


def assert_same(
    run, device: str, mode: int = ms.PYNATIVE_MODE, places: bool = True, ulps: float | tuple = 0
) -> None:
    """``run`` makes its tensors itself, and gives or raises on the device what it does on the CPU; on CUDA
    floats may be off by ``ulps`` units in the last place of the largest element.
    Tensors of its result are on the device where ``places`` says that they are all computed there.
    """
    with on("CPU", mode):
        wanted = outcome(run)
    where = set()
    with on(device, mode):
        found = outcome(run, where)
    assert_near(found, wanted, ulps if device.startswith("cuda") else 0)
    if places:
        assert where <= {devices.shown(devices.find(device))}, where
