"""MindSpore's checkpoint files.

A file is one protobuf message: a repeated field 1 of values, each with a name (field 1) and a
tensor (field 2) of dims (1), dtype name (2) and little endian content (3). A tensor above 512 MB is
cut into several values of one name. Optionally ``crc_num`` and a CRC-32 of what comes before
follow, in ten bytes. Other fields are skipped.

Source: the wire format is described at https://protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator

import numpy as np

from .. import _core
from ..base import dtype as dt
from ..base.files import replacing
from .checkpoint_file import CheckpointError, size_of, stored_bytes

_CRC_MARK, _CRC_SIZE = b"crc_num", 10
_PART = 1 << 29
"""Bytes of a tensor in one value."""


def is_mindspore(head: bytes) -> bool:
    """Whether a file that begins so may be MindSpore's: field 1, of bytes."""
    return head[:1] == b"\x0a"


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """The number at ``at``, and where it ends."""
    value = 0
    for shift in range(0, 64, 7):
        if at >= len(data):
            raise ValueError("it ends within a number")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("a number is too long")


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of a message: number, and value (int, or bytes without a copy)."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = _varint(data, at)
        elif kind in (1, 2, 5):
            size, at = (8 if kind == 1 else 4, at) if kind != 2 else _varint(data, at)
            if size > len(data) - at:
                raise ValueError(f"a field claims {size} bytes, {len(data) - at} are left")
            value = data[at : at + size]
            at += size
        else:
            raise ValueError(f"a field has the unknown kind {kind}")
        yield number, value


def _content(value, what: str) -> memoryview:
    if not isinstance(value, memoryview):
        raise ValueError(f"{what} is a number")
    return value


def _tensor(data: memoryview) -> tuple[list[int], str, memoryview]:
    dims, name, content = [], "", memoryview(b"")
    for number, value in _fields(data):
        if number == 1:
            # Dims may come one by one or packed.
            if isinstance(value, int):
                dims.append(value)
            else:
                at = 0
                while at < len(value):
                    n, at = _varint(value, at)
                    dims.append(n)
        elif number == 2:
            name = str(_content(value, "a dtype"), "ascii")
        elif number == 3:
            content = _content(value, "a tensor's content")
    return dims, name, content


def _values(data: memoryview) -> dict[str, tuple[list[int], str, list[memoryview]]]:
    """Name → dims, dtype name and the parts of the content."""
    found = {}
    for number, value in _fields(data):
        if number != 1:
            continue
        name, tensor = None, None
        for inner, content in _fields(_content(value, "a value")):
            if inner == 1:
                name = str(_content(content, "a name"), "utf-8")
            elif inner == 2:
                tensor = _tensor(_content(content, "a tensor"))
        if name is None or tensor is None:
            raise ValueError(f"value {name!r} has no name or no tensor")
        dims, dtype, content = tensor
        if name in found:
            if found[name][:2] != (dims, dtype):
                raise ValueError(f"the parts of {name!r} differ in shape or dtype")
            found[name][2].append(content)
        else:
            found[name] = (dims, dtype, [content])
    return found


def _array(name: str, dims, dtype_name: str, parts) -> tuple[np.ndarray, dt.DType]:
    dtype = dt.of(dtype_name.lower())
    size = sum(len(p) for p in parts)
    shape = () if dims == [0] and size == dtype.itemsize else tuple(dims)
    if math.prod(shape) * dtype.itemsize != size:
        raise ValueError(f"{name!r} of shape {shape} and dtype {dtype.name} has {size} bytes")
    data = parts[0] if len(parts) == 1 else b"".join(parts)
    return np.frombuffer(data, dtype.np.newbyteorder("<")).astype(dtype.np).reshape(shape), dtype


def _number(value: int) -> bytes:
    """A varint."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def _field(number: int, content: bytes | int) -> bytes:
    """A field of a message; of the content only what comes before it, where its length is given."""
    size = content if isinstance(content, int) else len(content)
    head = _number(number << 3 | 2) + _number(size)
    return head if isinstance(content, int) else head + content


def _messages(
    name: str, dims, dtype_name: str, content: memoryview
) -> Iterator[bytes | memoryview]:
    """A value, in as many messages as it has parts, each in pieces."""
    dims = b"".join(_number(1 << 3) + _number(n) for n in dims)
    for at in range(0, max(len(content), 1), _PART):
        part = content[at : at + _PART]
        tensor = dims + _field(2, dtype_name.encode()) + _field(3, len(part))
        value = _field(1, name.encode()) + _field(2, len(tensor) + len(part)) + tensor
        yield _field(1, len(value) + len(part)) + value
        yield part


def write(path: str, arrays: dict[str, tuple[np.ndarray, dt.DType]], texts: dict[str, str]) -> None:
    """Write a file that MindSpore loads, atomically.

    Args:
        path (str): the file; an existing one is replaced.
        arrays (dict): name → (elements, dtype); bfloat16 as its bits.
        texts (dict): name → text.

    Raises:
        OSError: the folder is missing, not writable, or full. The old file is then untouched.
    """
    with replacing(path, "checkpoint") as f:
        for name, (a, dtype) in arrays.items():
            data = np.ascontiguousarray(a, dtype.np.newbyteorder("<")).reshape(-1).view(np.uint8)
            f.writelines(_messages(name, a.shape, repr(dtype), data.data))
        for name, text in texts.items():
            content = text.encode("utf-32-le")
            f.writelines(_messages(name, (0,), "str", memoryview(content)))


def read(
    path: str, wanted, file: io.BytesIO | None = None
) -> tuple[dict[str, tuple[np.ndarray, dt.DType]], dict[str, str]]:
    """Arrays (bfloat16 as its bits, with dtype) and texts of a file of MindSpore.

    Args:
        path (str): the file.
        wanted (Callable): tells from a name whether it is wanted.
        file (BytesIO, optional): what it holds, where that is known.

    Raises:
        CheckpointError: the file is damaged, or holds what minds lacks.
        OSError: it cannot be read.
    """
    with open(path, "rb") if file is None else file as f:
        data = memoryview(stored_bytes(f, 0, size_of(f)))
    tail = _CRC_SIZE + len(_CRC_MARK)
    if data[-tail:-_CRC_SIZE] == _CRC_MARK:
        crc, data = int.from_bytes(data[-_CRC_SIZE:], "big"), data[:-tail]
        if _core.crc32(data) != crc:
            raise CheckpointError(f"checkpoint {path}: it is damaged (its checksum does not fit)")
    arrays, texts = {}, {}
    try:
        for name, (dims, dtype, parts) in _values(data).items():
            if not wanted(name):
                continue
            if dtype == "str":
                texts[name] = b"".join(parts).decode("utf-32-le")
            else:
                arrays[name] = _array(name, dims, dtype, parts)
    except (ValueError, TypeError) as e:
        raise CheckpointError(
            f"checkpoint {path}: as a checkpoint of MindSpore it is damaged: {e}"
        ) from None
    return arrays, texts
