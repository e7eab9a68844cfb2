"""Memory shared with other frameworks, under MindSpore's names: `mindspore.utils.dlpack`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..base import devices as _devices
from ..base.boundary import guard as _guard
from ..base.dtype import float32
from ..base.errors import complain as _complain
from ..tensor import Tensor


def from_dlpack(dlpack: Any) -> Tensor:
    """A Tensor that shares the memory of another framework's.

    Memory of a device is taken when the work that was queued on it by its producer is done; it is copied
    if it is not aligned to 64 bytes or must not be written. A device must have been used by minds before.

    Args:
        dlpack (Any): an object with ``__dlpack__``, as a tensor of torch, JAX or CuPy or an array of NumPy
            is, or a capsule.

    Returns:
        Tensor: of the same shape and dtype, on the same device.

    Raises:
        TypeError: ``dlpack`` is neither, or has a dtype that minds lacks.
        BufferError: its memory is of an unknown device, or not contiguous on a device.

    Examples:
        >>> import numpy as np
        >>> from minds.utils.dlpack import from_dlpack
        >>> print(from_dlpack(np.array([1.0, 2.0])))
        [1. 2.]
    """
    array = _core.Array.from_dlpack(dlpack)
    if not array.device.is_host:
        _devices.used.add(array.device.label)
    return Tensor._wrap(array)


def to_dlpack(tensor: Tensor) -> Any:
    """A capsule with a Tensor's memory, for one consumer.

    Args:
        tensor (Tensor): of any device.

    Returns:
        PyCapsule: that shares the memory.

    Raises:
        TypeError: ``tensor`` is no Tensor.

    Examples:
        >>> import minds as ms
        >>> from minds.utils.dlpack import from_dlpack, to_dlpack
        >>> print(from_dlpack(to_dlpack(ms.Tensor([1.0, 2.0]))))
        [1. 2.]
    """
    if not isinstance(tensor, Tensor):
        raise _complain(
            TypeError, f"to_dlpack: tensor has type {type(tensor).__name__}", expected="a Tensor"
        )
    return tensor.__dlpack__()


def frombuffer(buffer, dtype=float32, count: int = -1, offset: int = 0) -> Tensor:
    """A Tensor of rank 1 of the elements in a buffer, in the buffer's memory; copied if that cannot be
    written.

    Args:
        buffer (bytes, bytearray, memoryview): an object with Python's buffer protocol.
        dtype (dtype): of the elements. Default: ``float32``.
        count (int): how many; -1 for all. Default: -1.
        offset (int): the byte of the first one. Default: 0.

    Returns:
        Tensor[(count,), dtype]: the elements.

    Raises:
        RuntimeError: ``buffer`` is no buffer or empty or too short, ``count`` or ``offset`` is out of
            range, or what is left of the buffer is no multiple of an element's size.

    Examples:
        >>> import minds as ms
        >>> print(ms.frombuffer(bytearray([1, 2, 3, 4]), ms.uint8, 2, 1))
        [2 3]
    """
    size = dtype.np.itemsize
    try:
        length = memoryview(buffer).nbytes
    except TypeError as e:
        what = f"frombuffer: buffer has type {type(buffer).__name__}"
        raise _complain(
            RuntimeError, what, expected="an object with Python's buffer protocol"
        ) from e
    if not 0 <= offset < length:
        wanted = f"at least 0 and less than the {length} bytes of buffer"
        raise _complain(RuntimeError, f"frombuffer: offset is {offset}", expected=wanted)
    if count == -1 and (length - offset) % size:
        what = f"frombuffer: buffer has {length - offset} bytes behind offset"
        raise _complain(RuntimeError, what, expected=f"a multiple of {size}")
    if count != -1 and not 0 < count <= (length - offset) // size:
        wanted = f"-1, or 1 to {(length - offset) // size}"
        raise _complain(RuntimeError, f"frombuffer: count is {count}", expected=wanted)
    found = np.frombuffer(buffer, dtype.np, count, offset)
    return Tensor.from_numpy(found) if found.flags.writeable else Tensor(found.copy(), dtype)


__all__ = ["from_dlpack", "frombuffer", "to_dlpack"]
_guard(__name__)
