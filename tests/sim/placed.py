"""Runs something on the CPU and on a device, and compares what it gives."""

from __future__ import annotations

import os
from contextlib import contextmanager

import numpy as np
import pytest
from closeness import PROGRAM_ULPS, assert_agrees, is_exact

import minds as ms
from minds import Tensor
from minds.base.devices import count, find, shown

simulated = pytest.mark.skipif(
    bool(os.environ.get("MINDS_REAL_GPU")), reason="about what stands in for a device"
)
two_devices = pytest.mark.skipif(
    bool(os.environ.get("MINDS_REAL_GPU")) and count("GPU") < 2, reason="there is one GPU"
)
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


def assert_close(found, wanted, device: str, ulps: float, least: float = 0.0) -> None:
    """Outcomes are of one kind, and their numbers agree as far as the device's can."""
    if type(wanted) is not tuple and type(wanted) is not dict:
        assert (
            found == wanted or isinstance(wanted, float) and np.isclose(found, wanted, 5e-4, 1e-6)
        )
        return
    assert type(found) is type(wanted) and len(found) == len(wanted)
    if type(wanted) is dict:
        assert list(found) == list(wanted)
        found, wanted = tuple(found.values()), tuple(wanted.values())
    elif len(wanted) == 3 and type(wanted[2]) is bytes:
        assert found[:2] == wanted[:2]
        name, shape = wanted[0].lower(), wanted[1]
        memory = "float32" if name == "bfloat16" else name
        f, w = (np.frombuffer(v[2], memory).reshape(shape) for v in (found, wanted))
        assert_agrees(f, w, name, device, ulps, least)
        return
    for f, w in zip(found, wanted, strict=True):
        assert_close(f, w, device, ulps, least)


def assert_same(
    run,
    device: str,
    mode: int = ms.PYNATIVE_MODE,
    places: bool = True,
    ulps: float = PROGRAM_ULPS,
    least: float = 0.0,
) -> None:
    """``run`` makes its tensors itself, and gives or raises on the device what it does on the CPU: to the
    bit, or where the device has kernels of its own within ``ulps`` units.
    Tensors of its result are on the device where ``places`` says that they are all computed there.
    ``least``: the size of what was computed with, where a result is the rounding of zeros.
    """
    with on("CPU", mode):
        wanted = outcome(run)
    where = set()
    with on(device, mode):
        found = outcome(run, where)
    if is_exact(device):
        assert found == wanted
    else:
        assert_close(found, wanted, device, ulps, least)
    if places:
        assert where <= {shown(find(device))}, where
