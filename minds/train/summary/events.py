"""The events that TensorBoard reads, as messages of protobuf's wire format."""

from __future__ import annotations

import struct
import time
import zlib

import numpy as np

from ...records import wire

_TENSOR_TYPES = {"float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int64": 9, "bool": 10}
_BINS = 40


def _double(number: int, value: float) -> bytes:
    return wire.write_varint(number << 3 | 1) + struct.pack("<d", value)


def _whole(number: int, value: int) -> bytes:
    return wire.write_varint(number << 3) + wire.write_varint(int(value))


def event(step: int = 0, summary: bytes = b"", version: str = "") -> bytes:
    """One event: a summary of a step, or the first of a file, which says the version."""
    made = _double(1, time.time()) + _whole(2, step)
    if version:
        return made + wire.write_bytes(3, version.encode())
    return made + wire.write_bytes(5, summary)


def _value(tag: str, field: bytes) -> bytes:
    """One value of a summary."""
    return wire.write_bytes(1, wire.write_bytes(1, tag.encode()) + field)


def scalar(tag: str, a: np.ndarray) -> bytes:
    """A number, shown as a curve over the steps."""
    return _value(tag, wire.write_varint(2 << 3 | 5) + struct.pack("<f", float(a.reshape(-1)[0])))


def histogram(tag: str, a: np.ndarray) -> bytes:
    """How often numbers lie where; those that are not finite are left out."""
    x = a.astype(np.float64).reshape(-1)
    x = x[np.isfinite(x)]
    counts, ends = np.histogram(x, _BINS) if x.size else (np.zeros(1), np.array([0.0, 0.0]))
    low, high = (float(x.min()), float(x.max())) if x.size else (0.0, 0.0)
    sums = float(x.sum()), float((x * x).sum())
    numbers = b"".join(_double(i, v) for i, v in enumerate((low, high, float(x.size), *sums), 1))
    limits = wire.write_bytes(6, ends[1:].astype("<f8").tobytes())
    buckets = wire.write_bytes(7, counts.astype("<f8").tobytes())
    return _value(tag, wire.write_bytes(5, numbers + limits + buckets))


def tensor(tag: str, a: np.ndarray) -> bytes:
    """The elements of an array."""
    a = a if a.dtype.name in _TENSOR_TYPES else a.astype(np.float32)
    shape = b"".join(wire.write_bytes(2, _whole(1, n)) for n in a.shape)
    body = _whole(1, _TENSOR_TYPES[a.dtype.name]) + wire.write_bytes(2, shape)
    body += wire.write_bytes(4, np.ascontiguousarray(a).tobytes())
    metadata = wire.write_bytes(9, wire.write_bytes(1, wire.write_bytes(1, b"tensor")))
    return _value(tag, wire.write_bytes(8, body) + metadata)


def images(tag: str, a: np.ndarray) -> bytes:
    """The pictures of an array (n, channels, height, width), each under a tag of its own."""
    made = []
    for i, picture in enumerate(a.astype(np.float64)):
        low, high = float(np.nanmin(picture)), float(np.nanmax(picture))
        if low < 0 or high > 255:
            picture = (picture - low) / (high - low or 1) * 255
        elif high <= 1:
            picture = picture * 255
        pixels = np.moveaxis(np.nan_to_num(picture).round().astype(np.uint8), 0, -1)
        height, width, channels = pixels.shape
        body = b"".join(_whole(n, v) for n, v in ((1, height), (2, width), (3, channels)))
        made.append(
            _value(f"{tag}/{i}", wire.write_bytes(4, body + wire.write_bytes(4, png(pixels))))
        )
    return b"".join(made)


def png(pixels: np.ndarray) -> bytes:
    """Pixels (height, width, 1, 3 or 4) as a PNG file."""
    height, width, channels = pixels.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    rows = np.zeros((height, 1 + width * channels), np.uint8)  # a row begins with its filter, none
    rows[:, 1:] = pixels.reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    parts = chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows.tobytes())), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
