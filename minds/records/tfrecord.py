"""TFRecord files: records with their length and CRCs, each an `Example`: names with bytes, float32 or
int64.

Source: the format is described in TensorFlow's guide on TFRecord.
"""

from __future__ import annotations

import gzip
import os
import struct
import zlib

import numpy as np

from . import wire
from .crc32c import crc32c, masked

_CHUNK = 1 << 22
_LONGEST = 1 << 31


class BadRecord(ValueError):
    """A file that is no TFRecord file, or is damaged."""


class Record:
    """Where a record is in a chunk of a file."""

    __slots__ = ("begin", "data", "end")

    def __init__(self, data: bytes, begin: int, end: int):
        self.data, self.begin, self.end = data, begin, end


def _opened(path: str, compression: str):
    if compression == "GZIP":
        return gzip.open(path, "rb")
    return open(path, "rb")


def _read(path: str, compression: str):
    """The bytes of a file in parts."""
    unpack = zlib.decompressobj() if compression == "ZLIB" else None
    with _opened(path, compression) as f:
        while part := f.read(_CHUNK):
            yield part if unpack is None else unpack.decompress(part)
    if unpack is not None and not unpack.eof:
        raise BadRecord("the compressed data end too early")


def records(path: str, compression: str = "", check: bool = True):
    """The records of a file.

    Args:
        path (str): the file.
        compression (str): ``""``, ``"GZIP"`` or ``"ZLIB"``.
        check (bool): whether CRCs are checked.

    Yields:
        Record: where a record is.

    Raises:
        BadRecord: the file is cut off, or a CRC is wrong.
    """
    left, number = b"", 0
    try:
        for part in _read(path, compression):
            left, number = left + part, number
            begins, ends, used = _frames(left, number)
            if len(begins) and check:
                _check(left, begins, ends, number)
            for begin, end in zip(begins, ends):
                yield Record(left, begin, end)
            number += len(begins)
            left = left[used:]
    except (OSError, EOFError, zlib.error) as e:
        raise BadRecord(f"{e}") from e
    if left:
        raise BadRecord(f"record {number} is cut off, or the file is no TFRecord file")


def _frames(data: bytes, number: int):
    """Begins and ends of the whole records in ``data``, and how many bytes they and their CRCs have."""
    begins, ends, at, size = [], [], 0, len(data)
    unpack = struct.Struct("<Q").unpack_from
    while at + 12 <= size:
        (length,) = unpack(data, at)
        if length > _LONGEST:
            raise BadRecord(
                f"record {number + len(begins)} claims {length} bytes: no TFRecord file?"
            )
        if at + 16 + length > size:
            break
        begins.append(at + 12)
        at += 16 + length
        ends.append(at - 4)
    return begins, ends, at


def _check(data: bytes, begins: list, ends: list, number: int) -> None:
    raw = np.frombuffer(data, np.uint8)
    b, e = np.array(begins), np.array(ends)
    for what, first, last in (("length", b - 12, b - 4), ("data", b, e)):
        stored = raw[last[:, None] + np.arange(4)].copy().view("<u4").reshape(-1)
        wrong = np.flatnonzero(masked(crc32c(raw, first, last)) != stored)
        if len(wrong):
            raise BadRecord(f"record {number + wrong[0]}: the CRC of its {what} is wrong")


def count(path: str, compression: str = "") -> int:
    """The number of records of a file, by its lengths alone where it is not compressed."""
    if compression:
        return sum(1 for _ in records(path, compression, check=False))
    number, at, size = 0, 0, os.path.getsize(path)
    with open(path, "rb") as f:
        while at < size:
            f.seek(at)
            head = f.read(8)
            length = int.from_bytes(head, "little")
            if len(head) < 8 or length > size - at - 16:
                raise BadRecord(f"record {number} is cut off, or the file is no TFRecord file")
            number, at = number + 1, at + 16 + length
    return number


def example(record: Record, wanted=None) -> dict:
    """The features of a record: name → list of bytes, or an array of float32 or int64.

    Args:
        record (Record): where it is.
        wanted (set, optional): the names to read. Default: all.

    Raises:
        BadMessage: it is no `Example`.
    """
    found = {}
    for name, value in named_features(record):
        if wanted is None or name in wanted:
            found[name] = None if value is None else _feature(record.data, *value)
    return found


def named_features(record: Record):
    """(name, where its value is, or None) of each feature of a record.

    Raises:
        BadMessage: it is no `Example`.
    """
    data = record.data
    for number, kind, at, end in wire.fields(data, record.begin, record.end):
        if number != 1 or kind != 2:
            continue
        for entry, entry_kind, a, b in wire.fields(data, at, end):
            if entry != 1 or entry_kind != 2:
                continue
            name = value = None
            for part, part_kind, c, d in wire.fields(data, a, b):
                if part_kind == 2 and part == 1:
                    name = data[c:d].decode("utf-8")
                elif part_kind == 2 and part == 2:
                    value = (c, d)
            if name is not None:
                yield name, value


def _feature(data: bytes, at: int, end: int):
    for number, kind, a, b in wire.fields(data, at, end):
        if kind == 2 and number in _LISTS:
            return _LISTS[number](data, a, b)
    return None


def _bytes(data: bytes, at: int, end: int) -> list:
    return [data[a:b] for n, k, a, b in wire.fields(data, at, end) if n == 1 and k == 2]


def _floats(data: bytes, at: int, end: int) -> np.ndarray:
    parts = []
    for number, kind, a, b in wire.fields(data, at, end):
        if number == 1 and kind == 2:
            parts.append(wire.floats(data, a, b))
        elif number == 1 and kind == 5:
            parts.append(np.array([wire.one_float(data, a)], np.float32))
    return parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.float32), *parts])


def _wholes(data: bytes, at: int, end: int) -> np.ndarray:
    parts = []
    for number, kind, a, b in wire.fields(data, at, end):
        if number == 1 and kind == 2:
            parts.append(wire.varints(data, a, b))
        elif number == 1 and kind == 0:
            parts.append(np.array([a - (a >> 63 << 64)], np.int64))
    return parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.int64), *parts])


_LISTS = {1: _bytes, 2: _floats, 3: _wholes}


def write_example(features: dict) -> bytes:
    """The message of an `Example`; values are bytes, lists of bytes, or arrays of floats or ints."""
    entries = b""
    for name, value in features.items():
        if isinstance(value, bytes):
            value = [value]
        if isinstance(value, list) and all(isinstance(v, bytes) for v in value):
            kind, body = 1, b"".join(wire.write_bytes(1, v) for v in value)
        else:
            array = np.asarray(value).reshape(-1)
            if array.dtype.kind == "f":
                kind, body = 2, wire.write_bytes(1, array.astype("<f4").tobytes())
            else:
                numbers = b"".join(wire.write_varint(int(v)) for v in array)
                kind, body = 3, wire.write_bytes(1, numbers)
        feature = wire.write_bytes(kind, body)
        entry = wire.write_bytes(1, name.encode("utf-8")) + wire.write_bytes(2, feature)
        entries += wire.write_bytes(1, entry)
    return wire.write_bytes(1, entries)


def framed(data: bytes) -> bytes:
    """One record: its length and its bytes, each with its checksum."""
    out = []
    for part in (struct.pack("<Q", len(data)), data):
        raw = np.frombuffer(part, np.uint8)
        crc = masked(crc32c(raw, np.array([0]), np.array([len(raw)])))
        out += (part, crc.astype("<u4").tobytes())
    return b"".join(out)


def write(path: str, messages, compression: str = "") -> None:
    """A file of records."""
    packed = b"".join(map(framed, messages))
    packed = {"GZIP": gzip.compress, "ZLIB": zlib.compress}.get(compression, bytes)(packed)
    with open(path, "wb") as f:
        f.write(packed)
