"""Memory of a batch that its rows are written into, so that none of them is copied.

The batch offers a `BatchMemory` to the operation below it. That hands a row's place to whatever makes
the row's last value (`aimed`), which takes it by `result` if it needs memory of just this shape; what
comes out elsewhere is copied into the batch as ever.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from .buffers import empty

_MOST = 1 << 28  # bytes of a batch

_local = threading.local()


def aimed(fn: Callable, values: tuple, place: Callable):
    """``fn(*values)``, whose `result` may be what ``place(shape, dtype)`` gives."""
    _local.place = place
    try:
        return fn(*values)
    finally:
        _local.place = None


def result(shape: tuple, dtype) -> np.ndarray:
    """An array for what a row's last operation makes; its elements are not set."""
    place = getattr(_local, "place", None)
    if place is None:
        return empty(shape, dtype)
    _local.place = None  # a place is for one array
    made = place(shape, np.dtype(dtype))
    return empty(shape, dtype) if made is None else made


class BatchMemory:
    """The memory of one column of one batch; it has the shape that the first row asks for.

    Args:
        rows (int): of the batch, at most.
    """

    __slots__ = ("_array", "_begin", "_given", "_rows")

    def __init__(self, rows: int):
        self._rows, self._array, self._given = rows, None, {}
        self._begin = threading.Lock()

    def place(self, i: int, shape: tuple, dtype: np.dtype) -> np.ndarray | None:
        """Row ``i``; None where other rows have another shape or dtype, or a batch is too large."""
        a = self._array
        if a is None:
            with self._begin:
                if (a := self._array) is None:
                    size = dtype.itemsize * self._rows
                    for n in shape:
                        size *= n
                    if size > _MOST:
                        return None
                    a = self._array = empty((self._rows, *shape), dtype)
        if a.shape[1:] != shape or a.dtype != dtype:
            return None
        row = self._given[i] = a[i]
        return row

    def whole(self, values: list) -> np.ndarray | None:
        """The batch of ``values``, if each is the row that was given for it."""
        if self._array is None or not all(v is self._given.get(i) for i, v in enumerate(values)):
            return None
        return self._array[: len(values)]


class BatchMemories:
    """The memory of the batches of an epoch, by the rows' numbers.

    Args:
        rows (int): of a batch.
    """

    def __init__(self, rows: int):
        self._rows, self._open = rows, {}

    def place(self, number: int) -> Callable:
        """What gives memory for row ``number`` of the epoch."""
        which, i = divmod(number, self._rows)
        memory = self._open.get(which)
        if memory is None:  # several threads may ask at once: one of theirs stays
            memory = self._open.setdefault(which, BatchMemory(self._rows))
        return lambda shape, dtype: memory.place(i, shape, dtype)

    def take(self, number: int) -> BatchMemory | None:
        """The memory of batch ``number``, if one of its rows has asked for it."""
        return self._open.pop(number, None)
