"""The IDX files of MNIST, plain or gzip. A file must hold exactly what its header says.

Source: the format is described at the end of http://yann.lecun.com/exdb/mnist/.
"""

from __future__ import annotations

import gzip
import math
import os
import zlib

import numpy as np

from .pipeline import DatasetError

_PARTS = {"test": "t10k", "train": "train"}  # in the order of their files
_MAX_ROWS, _MAX_BYTES = 10_000_000, 1 << 32


_BYTES = np.dtype(np.uint8)


def read_idx(path: str, rank: int, dtype: np.dtype = _BYTES) -> np.ndarray:
    """The numbers of an IDX file.

    Args:
        path (str): the file.
        rank (int): how many dimensions it must have.
        dtype (numpy.dtype): uint8, or big-endian int32.

    Returns:
        numpy.ndarray: of ``dtype``.

    Raises:
        DatasetError: the file is no IDX file of that rank, or its length is not what its header
            says.
    """

    def refuse(reason):
        return DatasetError(f"{path}: {reason}")

    kind = {1: 8, 4: 12}[dtype.itemsize]
    opened = gzip.open if path.endswith(".gz") else open
    try:
        with opened(path, "rb") as f:
            head = f.read(4 + 4 * rank)
            if len(head) < 4 + 4 * rank:
                raise refuse(f"the file ends within its header ({len(head)} bytes)")
            if head[:4] != bytes((0, 0, kind, rank)):
                raise refuse(
                    f"it begins with {head[:4].hex(' ')}, not with 00 00 {kind:02x} {rank:02x}, the mark "
                    "of an "
                    f"IDX file with {rank} dimension{'s' * (rank > 1)} of bytes"
                )
            shape = tuple(int(n) for n in np.frombuffer(head[4:], ">u4"))
            if shape[0] > _MAX_ROWS or any(n > 4096 for n in shape[1:]):
                raise refuse(f"its header claims the shape {shape}")
            wanted = math.prod(shape) * dtype.itemsize
            if wanted > _MAX_BYTES:
                raise refuse(f"its header claims {wanted} bytes")
            if opened is open:
                found = os.fstat(f.fileno()).st_size - len(head)
                if found != wanted:
                    raise refuse(f"its header claims {wanted} bytes of data, it has {found}")
            data = bytearray()
            while len(data) <= wanted:
                part = f.read(min(1 << 22, wanted + 1 - len(data)))
                if not part:
                    break
                data += part
    except (OSError, EOFError, zlib.error) as e:
        if isinstance(e, FileNotFoundError):
            raise
        raise refuse(str(e)) from e
    if len(data) != wanted:
        raise refuse(
            f"its header claims {wanted} bytes of data, it has "
            f"{'more' if len(data) > wanted else len(data)}"
        )
    return np.frombuffer(bytes(data), dtype).reshape(shape)


def find(folder: str, name: str) -> str | None:
    """The file ``name`` of a folder, plain or compressed."""
    for candidate in (name, name + ".gz", name.replace("-idx", ".idx")):
        path = os.path.join(folder, candidate)
        if os.path.isfile(path):
            return path
    return None


def load(
    folder: str, usage: str | None, name: str = "MnistDataset", parts: dict | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels of the parts that ``usage`` names; ``parts``: part → what its files' names
    begin with.

    Raises:
        DatasetError: a file is missing or damaged, or images and labels differ in number.
    """
    images, labels = [], []
    parts = parts or _PARTS
    for part in (usage,) if usage in parts else parts:
        names = [f"{parts[part]}-images-idx3-ubyte", f"{parts[part]}-labels-idx1-ubyte"]
        paths = [find(folder, n) for n in names]
        if None in paths:
            if usage not in parts and paths == [None, None]:
                continue
            missing = [n for n, p in zip(names, paths) if p is None]
            raise DatasetError(
                f"Invalid data, {name} API can't read the data file (interface mismatch or no data "
                f"found). {folder} has no file {' and no file '.join(missing)} (plain or .gz)"
            )
        x, y = read_idx(paths[0], 3), read_idx(paths[1], 1)
        if len(x) != len(y):
            raise DatasetError(
                f"{name}: {paths[0]} has {len(x)} images, but {paths[1]} has {len(y)} labels"
            )
        if images and x.shape[1:] != images[0].shape[1:]:
            raise DatasetError(
                f"{name}: the images of {folder} have different sizes: {images[0].shape[1:]} "
                "and "
                f"{x.shape[1:]}"
            )
        images.append(x)
        labels.append(y)
    if not images:
        raise DatasetError(
            f"Invalid data, {name} API can't read the data file (interface mismatch or no data "
            f"found). {folder} holds no MNIST files (such as train-images-idx3-ubyte)"
        )
    return np.concatenate(images), np.concatenate(labels)
