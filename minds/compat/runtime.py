"""Streams, events and memory under the names of `mindspore.runtime`, and its settings of the launch."""

from __future__ import annotations

from ..base.boundary import guard as _guard
from ..base.late import given_out as _given_out
from ..hal import memory as _memory
from ..hal import streams as _streams

globals().update(_given_out(_memory, _streams))


def launch_blocking() -> None:
    """Ask for each operation to have run when its call returns, which on the CPU it has.

    Examples:
        >>> import minds as ms
        >>> ms.runtime.launch_blocking()
    """


def dispatch_threads_num(threads_num: int) -> None:
    """Set how many threads dispatch operations; without effect: programs dispatch natively.

    Args:
        threads_num (int): the number; without effect.

    Examples:
        >>> import minds as ms
        >>> ms.runtime.dispatch_threads_num(2)
    """


def set_cpu_affinity(
    enable_affinity: bool, affinity_cpu_list=None, module_to_cpu_dict=None, bind_file=None
) -> None:
    """Bind threads to cores; without effect: the system places them.

    Args:
        enable_affinity (bool): without effect.
        affinity_cpu_list (list[str]): without effect. Default None.
        module_to_cpu_dict (dict): without effect. Default None.
        bind_file (str): without effect. Default None.

    Examples:
        >>> import minds as ms
        >>> ms.runtime.set_cpu_affinity(True)
    """


def set_memory(
    init_size: str = "2GB",
    increase_size: str = "2GB",
    max_size: str = "1024GB",
    optimize_level: str = "O0",
    huge_page_reserve_size: str = "0GB",
) -> None:
    """Shape the pool of device memory; without effect: it grows as it is needed.

    Args:
        init_size (str): without effect. Default "2GB".
        increase_size (str): without effect. Default "2GB".
        max_size (str): without effect. Default "1024GB".
        optimize_level (str): without effect. Default "O0".
        huge_page_reserve_size (str): without effect. Default "0GB".

    Examples:
        >>> import minds as ms
        >>> ms.runtime.set_memory(max_size="8GB")
    """


__all__ = sorted(
    {
        *_memory.__all__,
        *_streams.__all__,
        "dispatch_threads_num",
        "launch_blocking",
        "set_cpu_affinity",
        "set_memory",
    }
)

_guard(__name__)
