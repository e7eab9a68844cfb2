"""`TFRecordDataset`: examples in TFRecord files, read without TensorFlow."""

from __future__ import annotations

import glob
import os

import numpy as np

from ...base.errors import complain
from ...records import layouts, tfrecord
from .. import source_arguments as arguments
from ..collection import Declared
from ..pipeline import DatasetError
from ..rows_of_files import ReadNode
from .schemas import schema_of, shaped


def patterns(name: str, value) -> list[str]:
    """The files that a name, a pattern or a list of them stand for, by their names.

    Raises:
        TypeError: ``value`` is none of these.
        ValueError: a pattern fits no file.
    """
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list) or not all(isinstance(v, str) for v in given):
        raise complain(
            TypeError,
            f"Argument dataset files with value {value} is not of type [{str}, {list}], but got "
            f"{type(value)}.",
        )
    if not given or "" in given:
        raise complain(ValueError, f"Input dataset_files can not be empty, but got '{value}'.")
    found, missing = [], []
    for pattern in given:
        files = [pattern] if os.path.isfile(pattern) else glob.glob(pattern)
        found += files
        if not files:
            missing.append(pattern)
    if missing:
        raise complain(ValueError, f"The following patterns did not match any files: {missing}.")
    return sorted(found)


def names(name: str, value):
    """A list of columns' names, or None."""
    if value is None:
        return None
    for v in arguments.of_type(name, value, list):
        arguments.of_type(f"{name}[{v}]", v, str)
    if len(set(value)) != len(value):
        raise DatasetError(f"{name}: Invalid parameter, duplicate column names are not allowed.")
    return value or None


def _compression(name: str, value) -> str:
    if value not in (None, "", "ZLIB", "GZIP"):
        raise complain(
            ValueError,
            f"Input {name} can only be either '' (no compression), 'ZLIB', or 'GZIP', but got "
            f"'{value}'.",
        )
    return value or ""


class TFRecordDataset(Declared):
    """Rows from TFRecord files. Without a schema, a column is an array of int64, float32, or of the
    bytes (uint8) of a feature.
    """

    parameters = (
        "dataset_files, schema=None, columns_list=None, num_samples=None, "
        "num_parallel_workers=None, shuffle=True, num_shards=None, shard_id=None, "
        "shard_equal_rows=False, cache=None, compression_type=None"
    )
    checks = {
        "dataset_files": patterns,
        "schema": schema_of,
        "columns_list": names,
        "shuffle": arguments.shuffle_of_files,
        "shard_equal_rows": lambda n, v: arguments.of_type(n, v, bool),
        "compression_type": _compression,
    }
    about = {
        "schema": "str, Schema, optional): the columns. Default: those of the first row",
        "columns_list": "list[str], optional): the columns to read. Default: all",
        "shard_equal_rows": "bool): whether rows are shared, else whole files are",
        "compression_type": "str, optional): '', GZIP or ZLIB. Default: ''",
    }

    def _node_of(self, a):
        self._check_files(a)
        if a.num_shards is not None and not a.shard_equal_rows and not a.compression_type:
            if len(a.dataset_files) < a.num_shards:
                raise DatasetError(
                    "Invalid file, numbers of tfrecord file should not less than num_shards, but "
                    f"got numbers of tfrecord file: {len(a.dataset_files)}, num_shards: "
                    f"{a.num_shards}."
                )
            by_files = True
        else:
            by_files = False
        limit = a.num_samples or (a.schema.num_rows if a.schema is not None else None) or None
        columns = self._columns_of(a)
        return ReadNode(
            "TFRecordDataset",
            tuple(columns),
            a.dataset_files,
            lambda path: _rows(path, columns, a.compression_type),
            lambda path: tfrecord.count(path, a.compression_type),
            a.shuffle,
            limit,
            None if a.num_shards is None else (a.num_shards, a.shard_id),
            by_files,
        )

    @staticmethod
    def _check_files(a) -> None:
        bad = []
        for path in a.dataset_files:
            try:
                if next(tfrecord.records(path, a.compression_type), None) is None:
                    bad.append(f"{path}: it is empty")
            except tfrecord.BadRecord as e:
                bad.append(f"{path}: {e}")
        if bad:
            raise DatasetError(
                "Invalid file. The following files either cannot be opened, or are not valid "
                f"TFRecordDataset files: {'; '.join(bad)}"
            )

    @staticmethod
    def _columns_of(a) -> dict:
        """Name → (dtype, shape); of no dtype where it is the feature's own."""
        if a.schema is not None:
            known = {c["name"]: (c["type"], c.get("shape")) for c in a.schema.columns}
        else:
            path = a.dataset_files[0]
            try:
                first = tfrecord.example(next(tfrecord.records(path, a.compression_type)))
            except ValueError as e:
                raise DatasetError(f"TFRecordDataset: {path}: {e}") from e
            known = dict.fromkeys(sorted(first), (None, None))
        wanted = a.columns_list or list(known)
        for n in wanted:
            if n not in known:
                raise DatasetError(
                    f"Invalid columns_list, tfrecord file failed to find column name: {n}"
                )
        return {n: known[n] for n in wanted}


def _rows(path: str, columns: dict, compression: str):
    read = layouts.Examples(set(columns))
    for record in tfrecord.records(path, compression):
        found = read(record)
        row = []
        for name, (kind, shape) in columns.items():
            if name not in found:
                raise DatasetError(
                    f"Invalid columns_list, column name: {name} does not exist in tfrecord file"
                )
            value = found[name]
            if kind is not None or type(value) is not np.ndarray:
                value = _value(name, value, kind)
            row.append(value if shape is None else shaped(name, value, shape))
        yield tuple(row)


def _value(name: str, found, kind: str | None) -> np.ndarray:
    if found is None:
        found = []
    if isinstance(found, list):
        if kind == "string":
            return np.array([v.decode("utf-8") for v in found], str if found else "<U1")
        if kind not in (None, "uint8", "int8"):
            raise DatasetError(f"column {name!r} holds bytes, not {kind}")
        if len(found) == 1:
            return np.frombuffer(found[0], np.uint8).astype(kind or "uint8")
        longest = max(map(len, found), default=0)
        joined = b"".join(v.ljust(longest) for v in found)
        return np.frombuffer(joined, np.uint8).astype(kind or "uint8")
    if kind is None or kind == found.dtype.name:
        return found
    wanted = np.dtype(kind) if kind != "string" else None
    if wanted is None or wanted.kind not in ("iub" if found.dtype.kind == "i" else "f"):
        raise DatasetError(f"column {name!r} holds {found.dtype}, not {kind}")
    return found.astype(wanted)
