"""`DatasetCache`: rows that were read once are kept in shared memory, and on the disk."""

from __future__ import annotations

import threading

from ..base.errors import complain
from .shared_rows import SharedRows


class DatasetCache:
    """Keeps the rows of datasets of files in memory that the processes of this machine share, so that
    later epochs, and other processes that name the same session, read nothing. A session lasts as long as
    a process uses it; ``python -m minds.dataset.keep_cache SESSION`` is a process that does nothing else.

    Rows are known by what the dataset was made of: its class, its arguments, and when its folder was
    changed.

    Args:
        session_id (int): the session.
        size (int): how many megabytes of memory at most; 0 for no limit. Default: 0.
        spilling (bool): whether rows that do not fit are written to a file, which ends with the session;
            else they are read and made again. Default: False.
        hostname (str, optional): accepted: the cache is on this machine. Default: None.
        port (int, optional): accepted. Default: None.
        num_connections (int, optional): accepted. Default: None.
        prefetch_size (int, optional): accepted. Default: None.

    Raises:
        TypeError: ``session_id`` or ``size`` is no int.
        ValueError: one is negative.

    Examples:
        >>> import minds.dataset as ds
        >>> cache = ds.DatasetCache(101)
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
        self._opened: SharedRows | None = None
        self._lock = threading.Lock()

    def _open(self) -> SharedRows:
        with self._lock:
            if self._opened is None:
                self._opened = SharedRows(self.session_id, self.size << 20, self.spilling)
            return self._opened

    def _row(self, key: str, make):
        """The row of ``key``: the kept one, or what ``make()`` gives."""
        rows = self._open()
        found = rows.find(key)
        if found is None:
            found = make()
            rows.add(key, found)
        return found

    def get_stat(self) -> dict[str, int]:
        """What the cache holds.

        Returns:
            dict[str, int]: ``num_mem_cached`` rows, ``avg_cache_sz`` bytes each, and
            ``num_disk_cached`` rows on the disk.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.DatasetCache(102).get_stat()
            {'avg_cache_sz': 0, 'num_mem_cached': 0, 'num_disk_cached': 0}
        """
        sizes, spilled = self._open().counts()
        mean = sum(sizes) // len(sizes) if sizes else 0
        return {"avg_cache_sz": mean, "num_mem_cached": len(sizes), "num_disk_cached": spilled}
