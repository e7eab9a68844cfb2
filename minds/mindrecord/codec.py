"""How the values of a row are bytes: a msgpack map of its numbers and texts (the raw part), and its
arrays and byte strings one after the other (the blob part).

Whole numbers of an array are stored in as few bytes as each needs: their count, two bits per number
for its width, then the numbers.
"""

from __future__ import annotations

import functools
import struct

import numpy as np

from .errors import DamagedFile

EMPTY_RAW = {"id": 0}
"""The raw part of a row whose fields are all in the blob."""
EMPTY_BLOB = bytes(4)
"""The blob part of a row whose fields are all in the raw part."""

_WIDTHS = [np.dtype(t) for t in ("<i1", "<i2", "<i4", "<i8")]
_SHIFTS = np.array([6, 4, 2, 0], np.uint8)


# ---- the raw part


def pack_raw(fields: dict) -> bytes:
    """A dict of numbers and texts as a msgpack map, keys in alphabetical order."""
    out = [
        bytes((0x80 | len(fields),)) if len(fields) < 16 else struct.pack(">BH", 0xDE, len(fields))
    ]
    for name in sorted(fields):
        value = fields[name]
        out.append(_text(name))
        pack = _text if isinstance(value, str) else _real if isinstance(value, float) else _whole
        out.append(pack(value))
    return b"".join(out)


def _text(value: str) -> bytes:
    data = value.encode("utf-8")
    n = len(data)
    if n < 32:
        return bytes((0xA0 | n,)) + data
    if n < 256:
        return bytes((0xD9, n)) + data
    return (struct.pack(">BH", 0xDA, n) if n < 65536 else struct.pack(">BI", 0xDB, n)) + data


def _real(value: float) -> bytes:
    single = struct.pack(">f", value) if abs(value) < 3.4e38 or value != value else None
    if single is not None and struct.unpack(">f", single)[0] == value:
        return b"\xca" + single
    return struct.pack(">Bd", 0xCB, value)


_UNSIGNED = (
    (128, ">B", ()),
    (256, ">BB", (0xCC,)),
    (65536, ">BH", (0xCD,)),
    (2**32, ">BI", (0xCE,)),
)
_SIGNED = ((32, ">b", ()), (128, ">Bb", (0xD0,)), (32768, ">Bh", (0xD1,)), (2**31, ">Bi", (0xD2,)))


def _whole(value: int) -> bytes:
    size, table = (value, _UNSIGNED) if value >= 0 else (-value - 1, _SIGNED)
    for limit, layout, mark in table:
        if size < limit:
            return struct.pack(layout, *mark, value)
    return struct.pack(">BQ", 0xCF, value) if value >= 0 else struct.pack(">Bq", 0xD3, value)


_SCALARS = {
    mark: struct.Struct(">" + code)
    for mark, code in zip(range(0xCA, 0xD4), "f d B H I Q b h i q".split())
}
_LENGTHS = {0xD9: struct.Struct(">B"), 0xDA: struct.Struct(">H"), 0xDB: struct.Struct(">I")}
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}


def unpack_raw(data: bytes) -> dict:
    """The fields of a raw part.

    Raises:
        DamagedFile: the bytes are no map of numbers and texts.
    """
    try:
        first = data[0]
        at, count = (1, first & 15) if first & 0xF0 == 0x80 else (3, _map_length(data))
        fields = {}
        for _ in range(count):
            name, at = _value(data, at)
            fields[name], at = _value(data, at)
        return fields
    except (IndexError, KeyError, struct.error, UnicodeDecodeError, TypeError) as e:
        raise DamagedFile(f"a row is no map of numbers and texts ({e})") from None


def _map_length(data: bytes) -> int:
    if data[0] != 0xDE:
        raise KeyError(f"it begins with the byte {data[0]:#x}")
    return struct.unpack_from(">H", data, 1)[0]


def _value(data: bytes, at: int):
    """The value that begins at ``at``, and where the next one does."""
    mark = data[at]
    at += 1
    if mark < 0x80:
        return mark, at
    if mark >= 0xE0:
        return mark - 256, at
    if 0xA0 <= mark < 0xC0:
        n = mark & 31
    elif mark in _SCALARS:
        layout = _SCALARS[mark]
        return layout.unpack_from(data, at)[0], at + layout.size
    elif mark in _CONSTANTS:
        return _CONSTANTS[mark], at
    else:
        layout = _LENGTHS[mark]
        n = layout.unpack_from(data, at)[0]
        at += layout.size
    if at + n > len(data):
        raise IndexError("a text ends beyond the row")
    return data[at : at + n].decode("utf-8"), at + n


# ---- the blob part


def pack_whole(values: np.ndarray) -> bytes:
    """An array of int32 or int64, each number in as few bytes as it needs."""
    flat = np.ascontiguousarray(values).reshape(-1).astype(np.int64)
    size = np.where(flat < 0, ~flat, flat)
    codes = (size >= 128).astype(np.uint8) + (size >= 32768) + (size >= 2**31)
    head = struct.pack(">I", len(flat)) + _packed(codes).tobytes()
    if not len(flat) or codes.max() == codes.min():
        return head + (flat.astype(_WIDTHS[codes[0]]).tobytes() if len(flat) else b"")
    return head + b"".join([v.astype(_WIDTHS[c]).tobytes() for v, c in zip(flat, codes)])


def _packed(codes: np.ndarray) -> np.ndarray:
    groups = np.zeros((-(-len(codes) // 4), 4), np.uint8)
    groups.reshape(-1)[: len(codes)] = codes
    return (groups << _SHIFTS).sum(1, dtype=np.uint8)


_FEW = 32


@functools.lru_cache(4096)
def _few(marks: bytes, count: int) -> struct.Struct:
    """The layout of a few numbers, by their widths."""
    codes = [b >> shift & 3 for b in marks for shift in (6, 4, 2, 0)][:count]
    return struct.Struct("<" + "".join("bhiq"[c] for c in codes))


def unpack_whole(data: memoryview, dtype) -> np.ndarray:
    """The numbers of `pack_whole`.

    Raises:
        DamagedFile: the length is not what the widths say.
    """
    if len(data) < 4:
        raise DamagedFile("an array ends within its length")
    count = int.from_bytes(data[:4], "big")
    marks = -(-count // 4)
    if len(data) < 4 + marks:
        raise DamagedFile(f"an array of {count} numbers ends within their widths")
    if count <= _FEW:
        layout = _few(bytes(data[4 : 4 + marks]), count)
        if len(data) != 4 + marks + layout.size:
            raise DamagedFile(
                f"an array of {count} numbers has {len(data)} bytes, not {4 + marks + layout.size}"
            )
        return np.array(layout.unpack_from(data, 4 + marks), np.int64).astype(dtype, copy=False)
    codes = np.frombuffer(data, np.uint8, marks, 4)
    if not codes.any():  # all of one byte
        ends, widths = None, None
        total = count
    else:
        codes = ((codes[:, None] >> _SHIFTS) & 3).reshape(-1)[:count]
        widths = 1 << codes.astype(np.int64)
        ends = np.cumsum(widths)
        total = int(ends[-1])
    if len(data) != 4 + marks + total:
        raise DamagedFile(
            f"an array of {count} numbers has {len(data)} bytes, not {4 + marks + total}"
        )
    if widths is None:
        return np.frombuffer(data, np.int8, count, 4 + marks).astype(dtype)
    made = np.empty(count, np.int64)
    body = np.frombuffer(data, np.uint8, total, 4 + marks)
    for code, kind in enumerate(_WIDTHS):
        which = np.flatnonzero(codes == code)
        if len(which):
            places = (ends[which] - widths[which])[:, None] + np.arange(kind.itemsize)
            made[which] = body[places].view(kind).reshape(-1)
    return made.astype(dtype)


def pack_blob(parts: list[bytes]) -> bytes:
    """The blob part of a row of these fields."""
    if len(parts) == 1:
        return parts[0]
    return b"".join([piece for p in parts for piece in (struct.pack(">Q", len(p)), p)])


def unpack_blob(data: memoryview, count: int) -> list[memoryview]:
    """The bytes of each of ``count`` fields.

    Raises:
        DamagedFile: a field ends beyond the row.
    """
    if count == 1:
        return [data]
    parts, at = [], 0
    for _ in range(count):
        n = int.from_bytes(data[at : at + 8], "big")
        if at + 8 > len(data) or n > len(data) - at - 8:
            raise DamagedFile("a field of a row ends beyond the row")
        parts.append(data[at + 8 : at + 8 + n])
        at += 8 + n
    return parts
