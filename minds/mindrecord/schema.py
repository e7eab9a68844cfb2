"""The schema of a MindRecord file: which fields a row has, and whether a row fits."""

from __future__ import annotations

import re

import numpy as np

from . import codec
from .errors import DamagedFile, MRMInvalidSchemaError

_ARRAYS = ("int32", "int64", "float32", "float64")
_SCALARS = (*_ARRAYS, "string", "bytes")
_FITTING = {
    int: ("int32", "int64"),
    float: ("float32", "float64"),
    str: ("string",),
    bytes: ("bytes",),
    np.int32: ("int32",),
    np.int64: ("int64",),
    np.float32: ("float32",),
    np.float64: ("float64",),
    np.ndarray: _ARRAYS,
}


def checked(fields) -> dict:
    """``fields``, a description of rows.

    Raises:
        MRMInvalidSchemaError: it is none.
    """
    if not fields:
        raise MRMInvalidSchemaError("Schema content is empty.")
    if not isinstance(fields, dict):
        raise MRMInvalidSchemaError("Schema content should be dict.")
    for name, about in fields.items():
        if not isinstance(name, str) or not re.fullmatch(r"[0-9a-zA-Z_]+", name):
            raise MRMInvalidSchemaError(
                f"Field '{name}' should be composed of '0-9' or 'a-z' or 'A-Z' or '_'."
            )
        if not about or not isinstance(about, dict):
            raise MRMInvalidSchemaError(f"Field '{name}' should be dict.")
        if set(about) not in ({"type"}, {"type", "shape"}):
            raise MRMInvalidSchemaError(f"Field '{about}' contains illegal attributes.")
        if about["type"] not in (_ARRAYS if "shape" in about else _SCALARS):
            raise MRMInvalidSchemaError(
                f"Field '{name}' contain illegal attribute '{about['type']}'."
            )
        shape = about.get("shape", [])
        if not isinstance(shape, list) or not all(type(n) is int for n in shape):
            raise MRMInvalidSchemaError(f"Field '{name}' contain illegal attribute '{shape}'.")
    return fields


class BlobLayout:
    """Which fields of a row are where, and how a row becomes bytes and back.

    Args:
        fields (dict): name → ``{"type": …}``, with ``"shape"`` for arrays.
    """

    def __init__(self, fields: dict):
        self.fields = {n: dict(sorted(fields[n].items())) for n in sorted(fields)}
        self.blob = [n for n, a in self.fields.items() if "shape" in a or a["type"] == "bytes"]
        self.raw = [n for n in self.fields if n not in self.blob]
        self._in_blob = frozenset(self.blob)

    def needs_blob(self, names) -> bool:
        """Whether one of the fields ``names`` is in the blob."""
        return not self._in_blob.isdisjoint(names)

    def misfit(self, row: dict) -> str | None:
        """Why a row does not fit, or None."""
        for name, about in self.fields.items():
            if name not in row:
                return f"there is not field: '{name}' in the raw data."
            value = row[name]
            if about["type"] not in _FITTING.get(type(value), ()):
                return f"data type: '{about['type']}' for field: '{name}' is not matched."
            if type(value) is np.ndarray:
                if "shape" not in about:
                    return f"data shape for field: '{name}' is not specified."
                if str(value.dtype) != about["type"]:
                    return f"data type: '{value.dtype}' for field: '{name}' is not matched."
                if not _has_shape(value.shape, about["shape"]):
                    return f"data shape: '{value.shape}' for field: '{name}' is not matched."
            elif "shape" in about:
                return f"data type: '{about['type']}' for field: '{name}' is not matched."
            elif type(value) is int and not _holds(about["type"], value):
                return f"field: '{name}' is {value}, which {about['type']} does not hold."
        return None

    def pack(self, row: dict) -> tuple[bytes, bytes, int]:
        """The raw and the blob part of a row, and how many bytes the blob saves."""
        raw = {n: row[n].item() if isinstance(row[n], np.generic) else row[n] for n in self.raw}
        parts, saved = [], 0
        for name in self.blob:
            value = row[name]
            if isinstance(value, bytes):
                parts.append(value)
            elif value.dtype.kind == "i":
                parts.append(codec.pack_whole(value))
                saved += value.nbytes - len(parts[-1])
            else:
                parts.append(np.ascontiguousarray(value).tobytes())
        return (
            codec.pack_raw(raw or codec.EMPTY_RAW),
            codec.pack_blob(parts) if parts else codec.EMPTY_BLOB,
            saved,
        )

    def unpack(self, raw: bytes, blob: memoryview, names) -> dict:
        """The fields ``names`` of a row: numbers, texts, bytes, and arrays of the schema's shape.

        Raises:
            DamagedFile: the bytes are no such row.
        """
        values = codec.unpack_raw(raw)
        row = {}
        for name in self.raw:
            if name in names:
                if name not in values:
                    raise DamagedFile(f"a row has no field '{name}'")
                row[name] = _of_type(name, values[name], self.fields[name]["type"])
        if not self.needs_blob(names):
            return row
        for name, part in zip(self.blob, codec.unpack_blob(blob, len(self.blob))):
            if name in names:
                row[name] = _of_bytes(name, part, self.fields[name])
        return row


def _of_type(name: str, value, kind: str):
    """A value of the raw part: a float that is a whole number may be stored as one."""
    wanted = str if kind == "string" else float if kind.startswith("float") else int
    if wanted is float and type(value) is int:
        return float(value)
    if type(value) is not wanted:
        raise DamagedFile(f"field '{name}' is a {type(value).__name__}, not a {kind}")
    return value


def _holds(kind: str, value: int) -> bool:
    limits = np.iinfo(kind)
    return limits.min <= value <= limits.max


def _has_shape(found: tuple, wanted: list) -> bool:
    """Whether an array can be reshaped to ``wanted``, one size of which may be -1."""
    total = int(np.prod(found))
    known = int(np.prod([n for n in wanted if n >= 0]))
    if -1 in wanted:
        return wanted.count(-1) == 1 and known > 0 and total % known == 0
    return total == known


def _of_bytes(name: str, part: memoryview, about: dict):
    if about["type"] == "bytes":
        return bytes(part)
    kind = np.dtype(about["type"])
    if kind.kind == "i":
        values = codec.unpack_whole(part, kind)
    elif len(part) % kind.itemsize:
        raise DamagedFile(f"field '{name}' has {len(part)} bytes, no whole number of {kind}")
    else:
        values = np.frombuffer(part, kind).copy()
    try:
        return values.reshape(about["shape"])
    except ValueError:
        raise DamagedFile(
            f"field '{name}' has {len(values)} numbers for the shape {about['shape']}"
        ) from None
