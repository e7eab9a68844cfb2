"""What the memory of a device holds. Sizes are bytes; "reserved" counts what is kept for reuse too."""

from __future__ import annotations

from .. import _core
from ..base import devices


def _device(device_target: str | None) -> _core.Device:
    return devices.current() if device_target is None else devices.find(device_target)


def memory_stats(device_target: str | None = None) -> dict:
    """What the memory of a device holds, and has held at most.

    Args:
        device_target (str): "CPU", "GPU" or "Ascend". Default None, the device of the context.

    Returns:
        dict: ``total_allocated_memory``, ``total_reserved_memory``, ``total_idle_memory``,
        ``max_allocated_memory``, ``max_reserved_memory``: bytes.

    Raises:
        RuntimeError: the device is not available.

    Examples:
        >>> import minds as ms
        >>> x = ms.Tensor([1.0])
        >>> ms.hal.memory_stats()["total_allocated_memory"] > 0
        True
    """
    m = _device(device_target).memory()
    return {
        "total_reserved_memory": m["in_use"] + m["cached"],
        "total_allocated_memory": m["in_use"],
        "total_idle_memory": m["cached"],
        "total_eager_free_memory": 0,
        "max_reserved_memory": m["peak_reserved"],
        "max_allocated_memory": m["peak"],
        "common_mem_pool_stats": {},
        "persistent_mem_pool_stats": {},
    }


def memory_allocated(device_target: str | None = None) -> int:
    """The memory that tensors and programs hold.

    Args:
        device_target (str): "CPU", "GPU" or "Ascend". Default None, the device of the context.

    Returns:
        int: bytes.

    Raises:
        RuntimeError: the device is not available.

    Examples:
        >>> import minds as ms
        >>> x = ms.Tensor([1.0])
        >>> ms.hal.memory_allocated() > 0
        True
    """
    return _device(device_target).memory()["in_use"]


def memory_reserved(device_target: str | None = None) -> int:
    """The memory that is held or kept for reuse.

    Args:
        device_target (str): "CPU", "GPU" or "Ascend". Default None, the device of the context.

    Returns:
        int: bytes.

    Raises:
        RuntimeError: the device is not available.

    Examples:
        >>> import minds as ms
        >>> ms.hal.memory_reserved() >= ms.hal.memory_allocated()
        True
    """
    return memory_stats(device_target)["total_reserved_memory"]


def max_memory_allocated(device_target: str | None = None) -> int:
    """The most that `memory_allocated` was since the start or the last reset.

    Args:
        device_target (str): "CPU", "GPU" or "Ascend". Default None, the device of the context.

    Returns:
        int: bytes.

    Raises:
        RuntimeError: the device is not available.

    Examples:
        >>> import minds as ms
        >>> ms.hal.max_memory_allocated() >= ms.hal.memory_allocated()
        True
    """
    return _device(device_target).memory()["peak"]


def max_memory_reserved(device_target: str | None = None) -> int:
    """The most that `memory_reserved` was since the start or the last reset.

    Args:
        device_target (str): "CPU", "GPU" or "Ascend". Default None, the device of the context.

    Returns:
        int: bytes.

    Raises:
        RuntimeError: the device is not available.

    Examples:
        >>> import minds as ms
        >>> ms.hal.max_memory_reserved() >= ms.hal.max_memory_allocated()
        True
    """
    return _device(device_target).memory()["peak_reserved"]


def reset_peak_memory_stats(device_target: str | None = None) -> None:
    """Let `max_memory_allocated` and `max_memory_reserved` start anew.

    Args:
        device_target (str): "CPU", "GPU" or "Ascend". Default None, the device of the context.

    Raises:
        RuntimeError: the device is not available.

    Examples:
        >>> import minds as ms
        >>> ms.hal.reset_peak_memory_stats()
        >>> ms.hal.max_memory_allocated() == ms.hal.memory_allocated()
        True
    """
    _device(device_target).reset_peaks()


reset_max_memory_allocated = reset_max_memory_reserved = reset_peak_memory_stats


def memory_summary(device_target: str | None = None) -> str:
    """The sizes of `memory_stats` as a table.

    Args:
        device_target (str): "CPU", "GPU" or "Ascend". Default None, the device of the context.

    Returns:
        str: a line for each.

    Raises:
        RuntimeError: the device is not available.

    Examples:
        >>> import minds as ms
        >>> print(ms.hal.memory_summary().splitlines()[0])
        memory of CPU
    """
    sizes = {k: v for k, v in memory_stats(device_target).items() if isinstance(v, int)}
    lines = [f"{name:<24} {size / 2**20:12.2f} MiB" for name, size in sizes.items()]
    return "\n".join([f"memory of {devices.shown(_device(device_target))}", *lines])


def empty_cache() -> None:
    """Give what is kept for reuse back to the system.

    Examples:
        >>> import minds as ms
        >>> ms.hal.empty_cache()
    """
    devices.current().trim()


__all__ = [
    "empty_cache",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "reset_peak_memory_stats",
]
