"""Tensors of a shape and a dtype alone: what is made of a program that is planned, not run."""

from __future__ import annotations

import contextlib
import threading

_local = threading.local()


def is_on() -> bool:
    """Whether initialisers fill nothing now."""
    return getattr(_local, "on", False)


@contextlib.contextmanager
def shapes_alone():
    """Within it parameters that initialisers fill, and copies of them, take no memory and have no values: a
    network of any size can be built, and planned (`minds.parallel.plan`).

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> with ms.parallel.shapes_alone():
        ...     net = nn.Dense(1_000_000, 1_000_000)
        >>> net.weight.shape
        (1000000, 1000000)
    """
    before = is_on()
    _local.on = True
    try:
        yield
    finally:
        _local.on = before


__all__ = ["is_on", "shapes_alone"]
