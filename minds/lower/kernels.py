"""Which kernel runs an op, and its attributes as the kernel knows them; for both modes."""

from __future__ import annotations

import functools

from .. import _core
from ..base import dtype as dt
from ..ops.define import ATTR, Op, is_of_library


def selecting(inputs, results) -> dt.DType | None:
    """The dtype that selects an op's kernel: of the first tensor operand, else of the first result;
    None where nothing has one.
    """
    return next((a.dtype for a in (*inputs, *results) if hasattr(a, "dtype")), None)


@functools.cache
def has_kernel(kernel: str, device: str, dtype: dt.DType) -> bool:
    """Whether the device has the kernel for ``dtype``."""
    return _core.has_kernel(kernel, device, dtype.code)


def is_the_hosts(op: Op, device: str, dtype: dt.DType | None) -> bool:
    """Whether an op has an effect that is the host's on a device: all have but the collectives, which name
    their ranks, of a device whose library communicates. A device that has the CPU's kernels has one that
    draws keys, too, but of a counter of its own.
    """
    if not op.has_effect:
        return False
    return "ranks" not in op.names or dtype is None or not has_kernel(op.kernel, device, dtype)


def has_own_kernel(op: Op, device: str, dtype: dt.DType | None) -> bool:
    """Whether a device has a kernel for an op that Python computes elsewhere; a user's op is Python's
    everywhere.
    """
    if device == "cpu" or dtype is None or not is_of_library(op):
        return False
    return has_kernel(op.kernel, device, dtype)


@functools.cache
def device_traits(device: str) -> dict:
    """What the compiler must know of a kind of device, as csrc/device/device.h describes it."""
    return _core.device_traits(device)


_ROUNDING = {"matmul": "matmul", "conv2d": "conv", "conv2d_dx": "conv", "conv2d_dw": "conv"}


def attributes(op: Op, params, tf32: tuple[str, ...] = ()) -> dict:
    """The attributes of a kernel, by name; an operand that is not given is one that is None. Those that
    ``tf32`` (`Options.tf32`) speaks of are told so.
    """
    found = {
        name: attribute(v)
        for name, kind, v in zip(op.names, op.kinds, params, strict=True)
        if kind == ATTR or v is None
    }
    if tf32 and _ROUNDING.get(op.kernel) in tf32:
        found["allow_tf32"] = True
    return found


def attribute(v):
    """An attribute as kernels know it: numbers, words, dtypes, None, flat tuples of numbers."""
    if not isinstance(v, (tuple, list)):
        return v
    flat = [e for x in v for e in (x if isinstance(x, (tuple, list)) else (x,))]
    return tuple(map(float if any(type(e) is float for e in flat) else int, flat))


def key_of(v):
    """A hashable key of an attribute that tells 1 from True and from 1.0."""
    kind = v.__class__
    if kind is tuple or kind is list:
        return tuple([key_of(e) for e in v])
    return v if kind is str or kind is int else (kind, v)
