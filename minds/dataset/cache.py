"""`DatasetCache`: rows that were read once are kept in memory."""

from __future__ import annotations

import threading

from ..base.errors import complain


class DatasetCache:
    """Keeps the rows of a dataset of files in the memory of this process, so that later epochs read
    nothing.

    Args:
        session_id (int): tells caches apart; accepted, each object is a cache of its own.
        size (int): how many megabytes at most; 0 for no limit. Default: 0.
        spilling (bool): accepted: rows that do not fit are read again. Default: False.
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
        self._lock = threading.Lock()

    def _row(self, key, make):
        """The row of ``key``: the kept one, or what ``make()`` gives."""
        found = self._rows.get(key)
        if found is None:
            found = make()
            cost = sum(v.nbytes for v in found)
            with self._lock:
                if self._room is None or cost <= self._room:
                    self._rows[key] = found
                    self._room = None if self._room is None else self._room - cost
        return tuple([v.copy() for v in found])

    def get_stat(self) -> dict[str, int]:
        """What the cache holds.

        Returns:
            dict[str, int]: ``num_mem_cached`` rows, ``avg_cache_sz`` bytes each, and
            ``num_disk_cached``, which is 0.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.DatasetCache(1).get_stat()
            {'avg_cache_sz': 0, 'num_mem_cached': 0, 'num_disk_cached': 0}
        """
        with self._lock:
            sizes = [sum(v.nbytes for v in row) for row in self._rows.values()]
        mean = sum(sizes) // len(sizes) if sizes else 0
        return {"avg_cache_sz": mean, "num_mem_cached": len(sizes), "num_disk_cached": 0}
