"""Which devices there are."""

from __future__ import annotations

from typing import NamedTuple

from ..base import devices
from ..base.errors import complain
from ..base.options import get_context

_TARGETS = ("CPU", "GPU", "Ascend")


class DeviceProperties(NamedTuple):
    """What a device is. A number that it does not have is 0.

    Attributes:
        name (str): the product's, as "NVIDIA H100"; where there is none "CPU", "GPU:0".
        total_memory, free_memory (int): bytes.
        major, minor (int): the compute capability.
        multi_processor_count, warp_size (int): multiprocessors, and threads that step together.
        libraries (dict[str, str]): the version of each library of the vendor's that is in use, or
            what is missing.

    Examples:
        >>> import minds as ms
        >>> ms.hal.get_device_properties(0).name
        'CPU'
    """

    name: str
    total_memory: int
    free_memory: int
    major: int = 0
    minor: int = 0
    multi_processor_count: int = 0
    warp_size: int = 0
    libraries: dict[str, str] = {}


def device_count(device_target: str | None = None) -> int:
    """How many devices of a kind there are.

    Args:
        device_target (str): "CPU", "GPU" or "Ascend". Default None, that of the context.

    Returns:
        int: the number; 0 where what they need is not installed.

    Raises:
        TypeError: ``device_target`` is no str.

    Examples:
        >>> import minds as ms
        >>> ms.device_count("CPU")
        1
    """
    target = get_context("device_target") if device_target is None else device_target
    if not isinstance(target, str):
        what = f"device_count: device_target has type {type(target).__name__}"
        raise complain(TypeError, what, expected="a str")
    return devices.count(target)


def is_available(device_target: str) -> bool:
    """Whether there is a device of a kind.

    Args:
        device_target (str): "CPU", "GPU" or "Ascend".

    Returns:
        bool: whether.

    Raises:
        ValueError: it is another name.

    Examples:
        >>> import minds as ms
        >>> ms.hal.is_available("CPU")
        True
    """
    return device_count(_known("is_available", device_target)) > 0


def is_initialized(device_target: str) -> bool:
    """Whether a device of a kind is in use.

    Args:
        device_target (str): "CPU", "GPU" or "Ascend".

    Returns:
        bool: whether.

    Raises:
        ValueError: it is another name.

    Examples:
        >>> import minds as ms
        >>> ms.hal.is_initialized("CPU")
        True
    """
    backend = devices.backend_of(_known("is_initialized", device_target))
    return backend == "cpu" or any(label.startswith(f"{backend}:") for label in devices.used)


def _known(what: str, target) -> str:
    if target not in _TARGETS:
        raise complain(
            ValueError,
            f"{what}: device_target is {target!r}",
            expected="'CPU', 'GPU' or 'Ascend'",
        )
    return target


def _device(index: int, target: str | None):
    return devices.find(target or get_context("device_target"), index)


def get_device_name(device_id: int, device_target: str | None = None) -> str:
    """The name of a device.

    Args:
        device_id (int): which.
        device_target (str): "CPU", "GPU" or "Ascend". Default None, that of the context.

    Returns:
        str: the product's, or the kind and number.

    Raises:
        ValueError, RuntimeError: there is no such device.

    Examples:
        >>> import minds as ms
        >>> ms.hal.get_device_name(0)
        'CPU'
    """
    return get_device_properties(device_id, device_target).name


def get_device_capability(
    device_id: int, device_target: str | None = None
) -> tuple[int, int] | None:
    """The compute capability of a device.

    Args:
        device_id (int): which.
        device_target (str): "CPU", "GPU" or "Ascend". Default None, that of the context.

    Returns:
        tuple[int, int] | None: its two numbers; None where the kind has no such thing.

    Raises:
        ValueError, RuntimeError: there is no such device.

    Examples:
        >>> import minds as ms
        >>> print(ms.hal.get_device_capability(0))
        None
    """
    p = get_device_properties(device_id, device_target)
    return (p.major, p.minor) if p.major else None


def get_device_properties(device_id: int, device_target: str | None = None) -> DeviceProperties:
    """What a device is.

    Args:
        device_id (int): which.
        device_target (str): "CPU", "GPU" or "Ascend". Default None, that of the context.

    Returns:
        DeviceProperties: its name, memory, capability and libraries.

    Raises:
        ValueError, RuntimeError: there is no such device.

    Examples:
        >>> import minds as ms
        >>> ms.hal.get_device_properties(0).total_memory > 0
        True
    """
    device = _device(device_id, device_target)
    memory, found = device.memory(), device.properties()
    return DeviceProperties(
        found["name"] or devices.shown(device),
        memory["total"],
        memory["free"],
        found["major"],
        found["minor"],
        found["processors"],
        found["warp"],
        found["libraries"],
    )


__all__ = [
    "DeviceProperties",
    "device_count",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "is_available",
    "is_initialized",
]
