"""Devices by the names that users give them.

A user says "CPU", "GPU" or "Ascend" (`set_context`, `Tensor.to`), the native core "cpu", "cuda" or
"ascend"; other plug-ins go by the core's name. New arrays are made on the device of the context, and
an operation runs where its operands are.
"""

from __future__ import annotations

from .. import _core
from .errors import complain

_BACKENDS = {"gpu": "cuda", "davinci": "ascend", "npu": "ascend"}
_SHOWN = {"cpu": "CPU", "cuda": "GPU", "ascend": "Ascend"}

used: set[str] = set()
"""The devices beside the CPU that tensors may be on, by label."""


def target(name: str) -> str:
    """A kind of devices as users name it."""
    backend = backend_of(name)
    return _SHOWN.get(backend, backend)


def backend_of(name: str) -> str:
    """A kind of devices as the core names it."""
    return _BACKENDS.get(name.lower(), name.lower())


def find(name: str, index: int | None = None, what: str = "device") -> _core.Device:
    """A device by a user's name: a kind, or a kind and a number ("GPU:1").

    Raises:
        TypeError: ``name`` is no str.
        ValueError: there is no such kind, or no device of that number.
        RuntimeError: its library or the device is missing.
    """
    if not isinstance(name, str):
        raise complain(TypeError, f"{what} has type {type(name).__name__}", expected="a str")
    kind, _, number = name.partition(":")
    if number and not number.isdecimal():
        raise complain(ValueError, f"{what} is {name!r}", expected="such as 'CPU' or 'GPU:0'")
    try:
        found = _core.device(backend_of(kind), int(number) if number else index or 0)
    except (RuntimeError, ValueError) as e:
        missing = isinstance(e, RuntimeError) and backend_of(kind) in _SHOWN
        raise complain(
            RuntimeError if missing else ValueError,
            f"{what} {name!r} is not available: {e}",
            expected="'CPU', 'GPU' or 'Ascend'",
        ) from None
    if not found.is_host:
        used.add(found.label)
    return found


def current() -> _core.Device:
    """The device of the context."""
    return _core.current_device()


def shown(device: _core.Device) -> str:
    """A device as users name it: "CPU", "GPU:0"."""
    return device.label


def count(name: str) -> int:
    """How many devices of a kind there are; 0 where what it needs is missing."""
    try:
        return _core.device_count(backend_of(name))
    except RuntimeError:
        return 0


__all__ = ["backend_of", "count", "current", "find", "shown", "target", "used"]
