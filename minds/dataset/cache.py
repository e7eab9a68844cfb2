"""`DatasetCache`: rows that were read once are kept in memory, and on the disk."""

from __future__ import annotations

import io
import os
import tempfile
import threading
import warnings

import numpy as np

from ..base.errors import complain


class SpillFile:
    """Rows of arrays in a file without a name. A disk that is full is told once, and takes no more."""

    def __init__(self):
        handle, path = tempfile.mkstemp()
        os.unlink(path)  # the file ends with this object
        self._file = os.fdopen(handle, "w+b")
        self._places: dict = {}
        self._end = 0
        self.lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._places)

    def add(self, key, row: tuple) -> None:
        """Write a row, unless the disk does not take it."""
        packed = io.BytesIO()
        for v in row:
            np.lib.format.write_array(packed, v, allow_pickle=False)
        with self.lock:
            if self._end < 0:
                return
            try:
                self._file.seek(self._end)
                self._file.write(packed.getbuffer())
                self._file.flush()
            except OSError as e:
                self._end = -1
                warnings.warn(f"DatasetCache: no more rows are written: {e}", stacklevel=2)
                return
            self._places[key] = self._end, len(row)
            self._end += packed.tell()

    def find(self, key) -> tuple | None:
        """The row of ``key``, if it was written."""
        with self.lock:
            if key not in self._places:
                return None
            begin, count = self._places[key]
            self._file.seek(begin)
            read = np.lib.format.read_array
            return tuple([read(self._file, allow_pickle=False) for _ in range(count)])


class DatasetCache:
    """Keeps the rows of a dataset of files in the memory of this process, so that later epochs read
    nothing.

    Args:
        session_id (int): tells caches apart; accepted, each object is a cache of its own.
        size (int): how many megabytes at most; 0 for no limit. Default: 0.
        spilling (bool): whether rows that do not fit are written to a file, which ends with the cache;
            else they are read and made again. Default: False.
        hostname (str, optional): accepted: the cache is in this process. Default: None.
        port (int, optional): accepted. Default: None.
        num_connections (int, optional): accepted. Default: None.
        prefetch_size (int, optional): accepted. Default: None.

    Raises:
        TypeError: ``session_id`` or ``size`` is no int.
        ValueError: one is negative.

    Examples:
        >>> import minds.dataset as ds
        >>> cache = ds.DatasetCache(1)
        >>> data = ds.FakeImageDataset(3, (4, 4, 3), cache=cache)
        >>> for _ in range(2):
        ...     rows = list(data)
        >>> cache.get_stat()["num_mem_cached"]
        3
    """

    def __init__(
        self,
        session_id: int,
        size: int = 0,
        spilling: bool = False,
        hostname: str | None = None,
        port: int | None = None,
        num_connections: int | None = None,
        prefetch_size: int | None = None,
    ):
        for name, value in (("session_id", session_id), ("size", size)):
            if not isinstance(value, int) or isinstance(value, bool):
                raise complain(
                    TypeError,
                    f"Argument {name} with value {value} is not of type [<class 'int'>], but got "
                    f"{type(value)}.",
                )
            if value < 0:
                raise complain(ValueError, f"Input {name} must not be negative, got {value}.")
        self.session_id, self.size, self.spilling = session_id, size, spilling
        self._room = size << 20 if size else None
        self._rows: dict = {}
        self._spill = SpillFile() if spilling else None
        self._lock = threading.Lock()

    def _row(self, key, make):
        """The row of ``key``: the kept one, or what ``make()`` gives."""
        found = self._rows.get(key)
        if found is None and self._spill is not None:
            found = self._spill.find(key)
            if found is not None:
                return found
        if found is None:
            found = make()
            self._keep(key, found)
        return tuple([v.copy() for v in found])

    def _keep(self, key, row) -> None:
        cost = sum(v.nbytes for v in row)
        with self._lock:
            if self._room is None or cost <= self._room:
                self._rows[key] = row
                self._room = None if self._room is None else self._room - cost
                return
        if self._spill is not None:
            self._spill.add(key, row)

    def get_stat(self) -> dict[str, int]:
        """What the cache holds.

        Returns:
            dict[str, int]: ``num_mem_cached`` rows, ``avg_cache_sz`` bytes each, and
            ``num_disk_cached`` rows on the disk.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.DatasetCache(1).get_stat()
            {'avg_cache_sz': 0, 'num_mem_cached': 0, 'num_disk_cached': 0}
        """
        with self._lock:
            sizes = [sum(v.nbytes for v in row) for row in self._rows.values()]
        spilled = 0 if self._spill is None else len(self._spill)
        mean = sum(sizes) // len(sizes) if sizes else 0
        return {"avg_cache_sz": mean, "num_mem_cached": len(sizes), "num_disk_cached": spilled}
