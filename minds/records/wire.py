"""Messages of protobuf's wire format, read within bounds and written: just what `tf.train.Example` needs."""

from __future__ import annotations

import struct

import numpy as np


class BadMessage(ValueError):
    """Bytes that are no message."""


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """The number that begins at ``at``, and where the next byte is.

    Raises:
        BadMessage: it does not end before ``end``.
    """
    value = shift = 0
    while at < end:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift > 63:
            break
    raise BadMessage("a number does not end")


def fields(data: bytes, at: int, end: int):
    """(number, wire type, begin, end) of each field between ``at`` and ``end``; a varint's begin is its
    value.

    Raises:
        BadMessage: a field ends beyond ``end``, or is of an unknown type.
    """
    while at < end:
        tag = data[at]
        if tag < 128:
            at += 1
        else:
            tag, at = varint(data, at, end)
        kind = tag & 7
        if kind == 2:
            if at < end and data[at] < 128:
                size = data[at]
                at += 1
            else:
                size, at = varint(data, at, end)
            if size > end - at:
                raise BadMessage(f"a field of {size} bytes ends beyond the message")
            yield tag >> 3, kind, at, at + size
            at += size
        elif kind == 0:
            value, at = varint(data, at, end)
            yield tag >> 3, kind, value, at
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            if size > end - at:
                raise BadMessage("a number ends beyond the message")
            yield tag >> 3, kind, at, at + size
            at += size
        else:
            raise BadMessage(f"a field has the wire type {kind}")


def varints(data: bytes, at: int, end: int) -> np.ndarray:
    """Packed numbers, as int64.

    Raises:
        BadMessage: the last one does not end.
    """
    if end - at < 32:
        values = []
        while at < end:
            byte = data[at]
            if byte < 128:
                values.append(byte)
                at += 1
            else:
                value, at = varint(data, at, end)
                values.append(value - (value >> 63 << 64))
        return np.array(values, np.int64)
    raw = np.frombuffer(data, np.uint8, end - at, at)
    ends = np.flatnonzero(raw < 128)
    if not len(ends) or ends[-1] != len(raw) - 1:
        raise BadMessage("a number does not end")
    begins = np.concatenate([[0], ends[:-1] + 1])
    widths = ends - begins + 1
    if widths.max() > 10:
        raise BadMessage("a number has more than 10 bytes")
    values = np.zeros(len(ends), np.uint64)
    for i in range(int(widths.max())):
        some = widths > i
        part = (raw[begins[some] + i] & 127).astype(np.uint64)
        values[some] |= part << np.uint64(7 * i)
    return values.view(np.int64)


def write_varint(value: int) -> bytes:
    """A number of up to 64 bits."""
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def write_bytes(number: int, data: bytes) -> bytes:
    """A field of bytes."""
    return write_varint(number << 3 | 2) + write_varint(len(data)) + data


def floats(data: bytes, at: int, end: int) -> np.ndarray:
    """Packed float32, in memory of their own.

    Raises:
        BadMessage: the length is no multiple of 4.
    """
    if (end - at) % 4:
        raise BadMessage(f"{end - at} bytes are no whole number of floats")
    return np.frombuffer(data, "<f4", (end - at) // 4, at).astype(np.float32)


def one_float(data: bytes, at: int) -> float:
    """A float32 that is not packed."""
    return struct.unpack_from("<f", data, at)[0]
