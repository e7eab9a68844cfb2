"""Files in the safetensors format: eight bytes with the length of a JSON header, the header, the
arrays.

The header gives for each name dtype, shape and the begin and end of its bytes. There are no
checksums; everything else about a file is checked before anything of its claimed size is allocated.

Source: the format is described at https://huggingface.co/docs/safetensors.
"""

from __future__ import annotations

import json
import math
import os
import struct

import numpy as np

from ..base import dtype as dt
from ..base.files import replacing
from .checkpoint_file import ALIGN, CheckpointError, natural, stored_bytes

_NAMES = {
    "BOOL": dt.bool_,
    "I8": dt.int8,
    "I16": dt.int16,
    "I32": dt.int32,
    "I64": dt.int64,
    "U8": dt.uint8,
    "U16": dt.uint16,
    "U32": dt.uint32,
    "U64": dt.uint64,
    "F16": dt.float16,
    "BF16": dt.bfloat16,
    "F32": dt.float32,
    "F64": dt.float64,
}
_CODES = {t: n for n, t in _NAMES.items()}
_MAX_HEADER = 100_000_000
_METADATA = "__metadata__"


def write(path: str, arrays: dict[str, tuple[np.ndarray, dt.DType]], texts: dict[str, str]) -> None:
    """Write a file atomically; ``texts`` become its metadata.

    Args:
        path (str): the file; an existing one is replaced.
        arrays (dict): name → (elements, dtype); bfloat16 as its bits.
        texts (dict): name → text.

    Raises:
        OSError: the folder is missing, not writable, or full. The old file is then untouched.
    """
    header, parts, end = ({_METADATA: texts} if texts else {}), [], 0
    for name, (a, dtype) in arrays.items():
        data = np.ascontiguousarray(a, dtype.np.newbyteorder("<")).tobytes()
        header[name] = {
            "dtype": _CODES[dtype],
            "shape": list(a.shape),
            "data_offsets": [end, end + len(data)],
        }
        parts.append(data)
        end += len(data)
    head = json.dumps(header, separators=(",", ":")).encode()
    # The arrays begin at a multiple of 64, where they can be read as they lie in the file.
    head += b" " * (-(len(head) + 8) % ALIGN)
    with replacing(path, "checkpoint") as f:
        f.writelines([struct.pack("<Q", len(head)), head, *parts])


def _checked(header, size: int) -> tuple[dict, dict]:
    """Metadata, and (dtype, shape, begin) by name; the arrays must fill ``size`` bytes without
    overlap.
    """
    if not isinstance(header, dict):
        raise TypeError("the header is no object")
    texts, found, spans = header.pop(_METADATA, {}), {}, []
    if not isinstance(texts, dict) or not all(isinstance(t, str) for t in texts.values()):
        raise TypeError("the metadata are no texts")
    for name, entry in header.items():
        if entry["dtype"] not in _NAMES:
            raise ValueError(f"array {name!r} has the dtype {entry['dtype']!r}, which minds lacks")
        dtype, shape = _NAMES[entry["dtype"]], tuple(map(natural, entry["shape"]))
        begin, end = map(natural, entry["data_offsets"])
        if end - begin != math.prod(shape) * dtype.itemsize or len(shape) > 32:
            raise ValueError(f"array {name!r} of shape {shape} has not {end - begin} bytes")
        found[name] = dtype, shape, begin
        spans.append((begin, end))
    last = 0
    for begin, end in sorted(spans):
        if begin != last:
            raise ValueError(f"the arrays do not follow one another at byte {last}")
        last = end
    if last != size:
        raise ValueError(f"the arrays have {last} bytes, the file {size}")
    return texts, found


def read(path: str, wanted) -> tuple[dict[str, tuple[np.ndarray, dt.DType]], dict[str, str]]:
    """Arrays (bfloat16 as its bits, with dtype) and texts of a file.

    Args:
        path (str): the file.
        wanted (Callable): tells from a name whether it is wanted.

    Raises:
        CheckpointError: the file is damaged, or holds what minds lacks.
        OSError: it cannot be read.
    """
    with open(path, "rb") as f:
        size = os.fstat(f.fileno()).st_size
        head = f.read(8)
        length = struct.unpack("<Q", head)[0] if len(head) == 8 else size
        if length > min(size - 8, _MAX_HEADER):
            raise CheckpointError(
                f"safetensors {path}: the file is truncated, or no safetensors file"
            )
        try:
            texts, found = _checked(json.loads(f.read(length)), size - 8 - length)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
            raise CheckpointError(
                f"safetensors {path}: the header makes no sense ({type(e).__name__}: {e})"
            ) from None
        arrays = {}
        for name in filter(wanted, found):
            dtype, shape, begin = found[name]
            size = math.prod(shape) * dtype.itemsize
            raw = stored_bytes(f, 8 + length + begin, size)
            if len(raw) < size:
                raise CheckpointError(f"safetensors {path}: it ends within array {name!r}")
            a = raw.view(dtype.np.newbyteorder("<"))
            arrays[name] = a.astype(dtype.np, copy=False).reshape(shape), dtype
    return arrays, {n: t for n, t in texts.items() if wanted(n)}
