"""Memory of large arrays, used again when nobody holds them any more.

An image or a batch takes memory that the system hands out page by page, filled with zeros, and takes
back when the array goes: for a batch of images that costs as much as a third of the work on it. An
array of `empty` leaves its memory to the next of its size.
"""

from __future__ import annotations

from collections import deque

import numpy as np

_LEAST = 1 << 17  # bytes; smaller ones come from the heap, which does this already
_KEPT = 1 << 28  # bytes that wait at most
_free: dict[int, deque] = {}  # by size


def _rounded(size: int) -> int:
    """``size`` or up to an eighth more: there are few different ones. What is not written to takes no
    memory.
    """
    step = 1 << (size.bit_length() - 4)
    return size + -size % step


def _keep(memory: np.ndarray) -> None:
    """Let ``memory`` wait, in place of others if need be. Called of any thread, at any moment, within
    itself too: there is no lock, and the limit is kept but for what others add at this moment.
    """
    size = memory.nbytes
    waiting = sum(n * len(d) for n, d in list(_free.items())) + size
    for n, others in list(_free.items()):
        while waiting > _KEPT and others:
            try:
                others.popleft()
            except IndexError:
                break
            waiting -= n
    if waiting <= _KEPT:
        _free.setdefault(size, deque()).append(memory)


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
        _keep(self.memory)


def empty(shape: tuple, dtype) -> np.ndarray:
    """An array whose elements are not set."""
    dtype = np.dtype(dtype)
    size = dtype.itemsize
    for n in shape:
        size *= n
    if size < _LEAST or dtype.hasobject or dtype.kind == "V":
        return np.empty(shape, dtype)
    size = _rounded(size)
    try:
        memory = _free[size].pop()
    except (KeyError, IndexError):
        memory = np.empty(size, np.uint8)
    return np.asarray(_Lease(memory, shape, dtype))
