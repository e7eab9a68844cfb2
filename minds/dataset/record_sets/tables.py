"""`ArrowDataset`: rows of Parquet and Arrow files, by pyarrow."""

from __future__ import annotations

import numpy as np

from ...base.errors import complain
from ..collection import OF_FILES, Files
from ..pipeline import DatasetError
from .tfrecord import names, patterns

_BATCH = 1024  # rows that are read at a time


class ArrowDataset(Files):
    """Rows of Parquet files, and of Arrow files (Feather, IPC, streams), read in pieces by pyarrow. A
    column is of numbers, text, bytes (uint8), times, or lists of these, which become arrays.
    """

    parameters = "dataset_files, columns_list=None, " + OF_FILES
    checks = {"dataset_files": patterns, "columns_list": names}
    about = {
        "dataset_files": "str, list[str]): files of one schema, or patterns of their names",
        "columns_list": "list[str], optional): the columns to read. Default: all",
    }

    def _files(self, a):
        return a.dataset_files

    def _columns_of(self, a):
        with _opened(a.dataset_files[0]) as file:
            there = file.names
        for name in a.columns_list or ():
            if name not in there:
                raise DatasetError(
                    f"ArrowDataset: {a.dataset_files[0]} has no column {name!r}; it has "
                    f"{', '.join(there)}"
                )
        return tuple(a.columns_list or there)

    def _read(self, a, path):
        columns = list(self._columns_of(a))
        with _opened(path) as file:
            for batch in file.batches(columns):
                made = [_values(batch.column(c), c) for c in columns]
                yield from zip(*made, strict=True)

    def _count(self, a, path):
        with _opened(path) as file:
            return file.count()


class _opened:
    """A Parquet or an Arrow file: its columns' names, batches of rows, how many rows.

    Raises:
        DatasetError: it is neither, or damaged.
        ImportError: pyarrow is not installed.
    """

    def __init__(self, path: str):
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise complain(
                ImportError, "ArrowDataset needs pyarrow", cure="pip install pyarrow"
            ) from None
        self._arrow, self._path = pyarrow, path

    def __enter__(self):
        self._source = self._arrow.OSFile(self._path)
        head = self._source.read(6)
        self._source.seek(0)
        try:
            if head.startswith(b"PAR1"):
                self._file, self._kind = self._arrow.parquet.ParquetFile(self._source), "parquet"
            elif head == b"ARROW1":
                self._file, self._kind = self._arrow.ipc.open_file(self._source), "file"
            else:
                self._file, self._kind = self._arrow.ipc.open_stream(self._source), "stream"
        except (self._arrow.ArrowException, OSError) as e:
            self._source.close()
            raise DatasetError(f"ArrowDataset: {self._path}: {e}") from e
        return self

    def __exit__(self, kind, e, trace):
        self._source.close()
        if isinstance(e, self._arrow.ArrowException):
            raise ValueError(e) from e

    @property
    def names(self) -> list[str]:
        return (self._file.schema_arrow if self._kind == "parquet" else self._file.schema).names

    def batches(self, columns: list[str]):
        if self._kind == "parquet":
            yield from self._file.iter_batches(_BATCH, columns=columns)
        elif self._kind == "file":
            batches = map(self._file.get_batch, range(self._file.num_record_batches))
            yield from (self._valid(batch.select(columns)) for batch in batches)
        else:
            yield from (self._valid(batch.select(columns)) for batch in self._file)

    @staticmethod
    def _valid(batch):
        """A batch whose arrays lie where the file has bytes: pyarrow believes what it says."""
        batch.validate(full=True)
        return batch

    def count(self) -> int:
        if self._kind == "parquet":
            return self._file.metadata.num_rows
        return sum(batch.num_rows for batch in self.batches(self.names[:1]))


def _values(column, name: str) -> list:
    """The values of a column of a batch, each as an array of its own."""
    if column.null_count:
        raise ValueError(f"column {name!r} has rows without a value")
    kind = str(column.type)
    if kind in ("string", "large_string", "string_view"):
        return [np.array(v) for v in column.to_pylist()]
    if "binary" in kind and "<" not in kind:
        return [np.frombuffer(bytearray(v), np.uint8) for v in column.to_pylist()]
    if kind.startswith(("list", "large_list", "fixed_size_list")):
        return [_list(v.values, name) for v in column]
    array = column.to_numpy(zero_copy_only=False)
    if array.dtype == object:
        raise ValueError(f"column {name!r} is of {kind}, which is no array")
    return [np.array(v) for v in array]


def _list(values, name: str) -> np.ndarray:
    """A list as an array: a nested one as one of more dimensions."""
    made = _values(values, name)
    if not made:
        return np.zeros(0, values.type.to_pandas_dtype())
    if len({m.shape for m in made}) > 1:
        raise ValueError(f"column {name!r} holds lists of lists of different lengths")
    return np.stack(made)
