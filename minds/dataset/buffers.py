"""Memory of large arrays, used again when nobody holds them any more.

An image or a batch takes memory that the system hands out page by page, filled with zeros, and takes
back when the array goes: for a batch of images that costs as much as a third of the work on it. An
array of `empty` leaves its memory to the next of its size.
"""

from __future__ import annotations

from collections import deque

import numpy as np

_LEAST = 1 << 17  # bytes; smaller ones come from the heap, which does this already
_KEPT = 1 << 27  # bytes of each size that wait at most
_STEP = 1 << 14  # sizes are rounded up to multiples of this
_free: dict[int, deque] = {}


class _Lease:
    """Holds memory for an array and its views; gives it back with the last of them."""

    __slots__ = ("__array_interface__", "memory")

    def __init__(self, memory: np.ndarray, shape: tuple, dtype: np.dtype):
        self.memory = memory
        where = memory.__array_interface__["data"]
        self.__array_interface__ = {
            "shape": shape,
            "typestr": dtype.str,
            "data": where,
            "version": 3,
        }

    def __del__(self):
        # Of any thread, at any moment: no lock.
        size = self.memory.nbytes
        waiting = _free.setdefault(size, deque())
        if (len(waiting) + 1) * size <= _KEPT:
            waiting.append(self.memory)


def empty(shape: tuple, dtype) -> np.ndarray:
    """An array whose elements are not set."""
    dtype = np.dtype(dtype)
    size = dtype.itemsize
    for n in shape:
        size *= n
    if size < _LEAST or dtype.hasobject or dtype.kind == "V":
        return np.empty(shape, dtype)
    size += -size % _STEP
    try:
        memory = _free[size].pop()
    except (KeyError, IndexError):
        memory = np.empty(size, np.uint8)
    return np.asarray(_Lease(memory, shape, dtype))
