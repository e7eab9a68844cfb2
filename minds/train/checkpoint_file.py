"""The checkpoint file: named arrays and texts, no code, every byte under a check.

    offset  bytes  content
    0       8      mark 89 'MINDS' 0d 0a (a transfer in text mode damages it)
    8       4      version, 1
    12      4      CRC-32 of the index
    16      8      length of the index
    24      8      length of the data
    32      4      CRC-32 of bytes 0 to 31
    36      28     zeros
    64      …      index: JSON {"arrays": [{name, dtype, shape, offset, nbytes, crc32}, …], "texts":
    {name: text}} …       …      data: the arrays, little endian, row-major, each at the next
    multiple of 64; zeros between

Numbers are little endian. Nothing is allocated before it is known to fit into the file. A large file
is mapped: its arrays are read as they lie there, and a change of one is a copy of its pages. It must
not be written in place while they live; `save_checkpoint` replaces it as a whole.
"""

from __future__ import annotations

import io
import json
import math
import mmap
import os
import struct
import sys
import weakref

import numpy as np

from .. import _core
from ..base import dtype as dt
from ..base.files import replacing
from ..base.sealed import Seal

MARK = b"\x89MINDS\r\n"
VERSION = 1
ALIGN = 64
_HEAD = struct.Struct("<8sIIQQ")
_MAX_INDEX = 1 << 28
_MAPPED = 1 << 24
"""Bytes; a file of as many is mapped."""


class CheckpointError(ValueError):
    """A file that is no checkpoint, or is damaged.

    Examples:
        >>> import minds as ms
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "w.ckpt")
        >>> with open(path, "wb") as f:
        ...     _ = f.write(b"something else")
        >>> try:
        ...     ms.load_checkpoint(path)
        ... except ms.train.CheckpointError:
        ...     print("refused")
        refused
    """


def _aligned(n: int) -> int:
    return -(-n // ALIGN) * ALIGN


def _bytes_of(a: np.ndarray) -> memoryview:
    """The elements of ``a`` as little endian bytes in row-major order."""
    a = np.ascontiguousarray(a)
    if sys.byteorder == "big":
        a = a.byteswap()
    return memoryview(a.reshape(-1).view(np.uint8))


def write(
    path: str,
    arrays: dict[str, tuple[np.ndarray, dt.DType]],
    texts: dict[str, str],
    seal: Seal | None = None,
) -> None:
    """Write a checkpoint atomically.

    Args:
        path (str): the file; an existing one is replaced.
        arrays (dict): name → (elements, dtype); bfloat16 as its bits.
        texts (dict): name → text.
        seal (Seal, optional): encrypts the file, which is then put together in memory.

    Raises:
        OSError: the folder is missing, not writable, or full. The old file is then untouched.
    """
    entries, offset = [], 0
    for name, (a, dtype) in arrays.items():
        offset = _aligned(offset)
        entries.append(
            {
                "name": name,
                "dtype": dtype.name,
                "shape": list(a.shape),
                "offset": offset,
                "nbytes": a.nbytes,
                "crc32": _core.crc32(_bytes_of(a)),
            }
        )
        offset += a.nbytes
    index = json.dumps({"arrays": entries, "texts": texts}, separators=(",", ":")).encode()
    index += b" " * (_aligned(len(index)) - len(index))
    head = _HEAD.pack(MARK, VERSION, _core.crc32(index), len(index), offset)
    head += struct.pack("<I", _core.crc32(head))

    def parts():
        yield head.ljust(ALIGN, b"\0")
        yield index
        at = 0
        for entry, (a, _) in zip(entries, arrays.values()):
            yield b"\0" * (entry["offset"] - at)
            yield _bytes_of(a)
            at = entry["offset"] + a.nbytes

    with replacing(path, "checkpoint") as f:
        f.writelines(parts() if seal is None else [seal.closed(b"".join(parts()))])


class Reader:
    """An open checkpoint: its index has been checked, its arrays are checked when they are read.

    Args:
        path (str): the file.
        file (BytesIO, optional): what it holds, where that is known, as of an encrypted one.

    Attributes:
        names (list[str]): the arrays.
        texts (dict[str, str]): the texts.

    Raises:
        CheckpointError: the file is no checkpoint, or is damaged.
        OSError: it cannot be read.
    """

    def __init__(self, path: str, file: io.BytesIO | None = None):
        self.path = path
        self._file = open(os.fspath(path), "rb") if file is None else file  # noqa: SIM115 - closed by close()
        try:
            self._read_index()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _refuse(self, reason: str) -> CheckpointError:
        return CheckpointError(f"checkpoint {self.path}: {reason}")

    def _read_index(self) -> None:
        size = size_of(self._file)
        head = self._file.read(ALIGN)
        if head[: len(MARK)] != MARK:
            raise self._refuse(_what_else(head, size))
        if len(head) < ALIGN:
            raise self._refuse(
                f"the file is truncated: it ends after {size} bytes, within its header"
            )
        _, version, index_crc, index_size, data_size = _HEAD.unpack_from(head)
        if _core.crc32(head[: _HEAD.size]) != struct.unpack_from("<I", head, _HEAD.size)[0] or any(
            head[_HEAD.size + 4 :]
        ):
            raise self._refuse("the header is damaged (its checksum does not fit)")
        if version != VERSION:
            raise self._refuse(f"it has version {version}; this minds reads version {VERSION}")
        if index_size > _MAX_INDEX or ALIGN + index_size + data_size != size:
            state = (
                "truncated" if ALIGN + index_size + data_size > size else "longer than it should be"
            )
            raise self._refuse(
                f"the file is {state}: its header claims {ALIGN + index_size + data_size} bytes, "
                "it has "
                f"{size}"
            )
        index = self._file.read(index_size)
        if _core.crc32(index) != index_crc:
            raise self._refuse("the index is damaged (its checksum does not fit)")
        try:
            found = json.loads(index)
            self.texts, self._entries = _checked_index(found, data_size)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
            raise self._refuse(f"the index makes no sense ({type(e).__name__}: {e})") from None
        self._data = ALIGN + index_size
        self.names = list(self._entries)

    def read(self, name: str) -> tuple[np.ndarray, dt.DType]:
        """The array ``name``: elements (bfloat16 as its bits) and dtype.

        Raises:
            CheckpointError: its bytes are damaged.
        """
        entry, gap = self._entries[name]
        dtype, begin = dt.of(entry["dtype"]), self._data + entry["offset"]
        self._file.seek(begin - gap)
        if any(self._file.read(gap)):
            raise self._refuse(f"the bytes before array {name!r} are damaged")
        found = stored_bytes(self._file, begin, entry["nbytes"])
        if len(found) < entry["nbytes"]:
            raise self._refuse(f"the file is truncated within array {name!r}")
        if _core.crc32(found) != entry["crc32"]:
            raise self._refuse(f"array {name!r} is damaged (its checksum does not fit)")
        out = found.view(dtype.np).reshape(entry["shape"])
        return (out.byteswap() if sys.byteorder == "big" else out), dtype


def size_of(file) -> int:
    """The bytes of an open file, which is then at its beginning."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return size


def stored_bytes(file, begin: int, count: int) -> np.ndarray:
    """Bytes of an open file, which may be written to without changing it; fewer where it ends.

    A large file is mapped, once: the map lives as long as arrays in it. What does not lie in it as an
    array must in memory is read.
    """
    if isinstance(file, io.BytesIO) or size_of(file) < _MAPPED or not count or begin % ALIGN:
        return _read(file, begin, count)
    mapped = _maps.get(file)
    if mapped is None:
        whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        mapped = _maps[file] = np.frombuffer(whole, np.uint8)
    return mapped[begin : begin + count]


def _read(file, begin: int, count: int) -> np.ndarray:
    whole = np.empty(count + ALIGN, np.uint8)
    start = -whole.ctypes.data % ALIGN
    found = whole[start : start + count]
    file.seek(begin)
    done = 0
    while done < count:
        n = file.readinto(found[done:])
        if not n:
            break
        done += n
    return found[:done]


_maps: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
"""The maps of open files."""


def natural(x) -> int:
    """``x``, a number in the head of a file.

    Raises:
        ValueError: it is no natural number.
    """
    if type(x) is not int or x < 0:
        raise ValueError(f"{x!r} is not a natural number")
    return x


def _checked_index(index: dict, data_size: int):
    """Texts, and each array's entry with the gap before it; the arrays must fill the data
    exactly.
    """
    texts, entries, end = index["texts"], {}, 0
    if not isinstance(texts, dict) or not all(isinstance(t, str) for t in texts.values()):
        raise TypeError("texts are no texts")
    for e in index["arrays"]:
        name, dtype = e["name"], dt.of(e["dtype"])
        if not isinstance(name, str) or name in entries or name in texts:
            raise ValueError(f"name {name!r} is no text or comes twice")
        nbytes = math.prod(map(natural, e["shape"])) * dtype.itemsize
        if natural(e["nbytes"]) != nbytes or len(e["shape"]) > 32:
            raise ValueError(f"array {name!r} of shape {e['shape']} has not {e['nbytes']} bytes")
        if natural(e["offset"]) != _aligned(end) or e["offset"] + nbytes > data_size:
            raise ValueError(f"array {name!r} lies outside of its place")
        natural(e["crc32"])
        entries[name] = (e, e["offset"] - end)
        end = e["offset"] + nbytes
    if end != data_size:
        raise ValueError(f"the arrays have {end} bytes, the data {data_size}")
    return texts, entries


def _what_else(head: bytes, size: int) -> str:
    """What a file that is no checkpoint seems to be."""
    if not size:
        return "the file is empty"
    if MARK.startswith(head):
        return f"the file is truncated: it ends after {size} bytes, within its mark"
    kinds = {
        b"PK": "a zip archive, such as torch.save writes",
        b"\x80": "a Python pickle",
        b"\x93NUMPY": "a NumPy array",
        b"\x89HDF": "an HDF5 file",
        b"\x0a": "perhaps MindSpore's own checkpoint",
    }
    kind = next((text for start, text in kinds.items() if head.startswith(start)), None)
    return f"it is no checkpoint of minds (it begins with {head[:8].hex(' ')}" + (
        f": {kind})" if kind else ")"
    )
