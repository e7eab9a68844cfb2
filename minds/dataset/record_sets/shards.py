"""`WebDataset`: samples in tar files, a sample the files of one name."""

from __future__ import annotations

import io
import tarfile

import numpy as np

from ..collection import OF_FILES, Files
from ..pipeline import DatasetError
from .tfrecord import names, patterns

KEY = "__key__"


class WebDataset(Files):
    """Samples from tar files (shards) in WebDataset's layout: files that follow one another and have
    one name up to its first dot are a sample; what comes after the dot names the column. ``.cls``
    is a number, ``.txt`` and ``.json`` are text, ``.npy`` is an array, all others are bytes (uint8).
    """

    parameters = "dataset_files, columns_list=None, " + OF_FILES
    checks = {"dataset_files": patterns, "columns_list": names}
    about = {
        "dataset_files": "str, list[str]): tar files, also compressed, or patterns of their names",
        "columns_list": "list[str], optional): the columns to read; ``__key__`` is the name. Default: "
        "those of the first sample",
    }

    def _files(self, a):
        return a.dataset_files

    def _columns_of(self, a):
        if a.columns_list:
            return tuple(a.columns_list)
        path = a.dataset_files[0]
        try:
            first = next(_samples(path), None)
        except (tarfile.TarError, OSError, EOFError) as e:
            raise DatasetError(f"WebDataset: {path}: {e}") from e
        if first is None:
            raise DatasetError(f"WebDataset: {path} has no file")
        return tuple(sorted(first[1]))

    def _read(self, a, path):
        columns = self._columns_of(a)
        try:
            for key, files in _samples(path):
                yield tuple([_value(c, key, files) for c in columns])
        except tarfile.TarError as e:
            raise DatasetError(f"WebDataset: {path}: {e}") from e

    def _count(self, a, path):
        keys = 0
        try:
            with tarfile.open(path) as tar:
                last = None
                for key, _ in map(_parts, (m for m in tar if m.isfile())):
                    keys, last = keys + (key != last), key
        except tarfile.TarError as e:
            raise DatasetError(f"WebDataset: {path}: {e}") from e
        return keys


def _parts(member: tarfile.TarInfo) -> tuple[str, str]:
    """The sample that a file belongs to, and its column."""
    folder, _, name = member.name.rpartition("/")
    key, _, column = name.partition(".")
    return f"{folder}/{key}" if folder else key, column


def _samples(path: str):
    """(key, column → bytes) of each sample."""
    key, files = None, {}
    with tarfile.open(path) as tar:
        for member in tar:
            if not member.isfile():
                continue
            name, column = _parts(member)
            if name != key and files:
                yield key, files
                files = {}
            key = name
            files[column] = tar.extractfile(member).read()
    if files:
        yield key, files


def _value(column: str, key: str, files: dict) -> np.ndarray:
    if column == KEY:
        return np.array(key)
    if column not in files:
        raise ValueError(f"sample {key!r} has no .{column}; it has {', '.join(sorted(files))}")
    data, kind = files[column], column.rpartition(".")[2]
    if kind == "cls":
        return np.array(int(data), np.int64)
    if kind in ("txt", "json"):
        return np.array(data.decode("utf-8"))
    if kind == "npy":
        return np.load(io.BytesIO(data), allow_pickle=False)
    return np.frombuffer(bytearray(data), np.uint8)
