"""The CPU."""

from __future__ import annotations

from ...base.options import set_context
from ...hal import kinds
from .accepted import accepted


def threads_num(threads_num: int) -> None:
    """Set with how many threads operations compute.

    Args:
        threads_num (int): the number, at least 1.

    Raises:
        TypeError: it is no int.
        ValueError: it is less than 1.

    Examples:
        >>> ms.device_context.cpu.op_tuning.threads_num(2)
    """
    set_context(runtime_num_threads=threads_num)


def device_count() -> int:
    """How many there are: 1.

    Returns:
        int: the number.

    Examples:
        >>> ms.device_context.cpu.device_count()
        1
    """
    return kinds.device_count("CPU")


def is_available() -> bool:
    """Whether there is one: True.

    Returns:
        bool: whether.

    Examples:
        >>> ms.device_context.cpu.is_available()
        True
    """
    return kinds.is_available("CPU")


op_tuning = accepted("", threads_num=threads_num)

__all__ = ["device_count", "is_available", "op_tuning"]
