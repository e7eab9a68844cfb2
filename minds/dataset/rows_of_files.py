"""Sources over files: rows by index, and files that are read from their beginning."""

from __future__ import annotations

import itertools
import os
import uuid
from collections.abc import Callable

import numpy as np

from . import config
from .cache import DatasetCache
from .orders import Draws
from .pipeline import DatasetError, Operation, RandomAccess
from .samplers import class_column
from .shuffles import Shuffle
from .sources import SampledNode
from .workers import parallel

_CHOICES = (
    "sampler",
    "shuffle",
    "num_samples",
    "num_shards",
    "shard_id",
)  # of rows, not what is in them
_ASIDE = (*_CHOICES, "cache", "num_parallel_workers")
_MOST = 10_000  # rows that a global shuffle of files holds
_FAULTS = (OSError, ValueError, KeyError, IndexError, EOFError, OverflowError, RuntimeError)


def _plain(value) -> bool:
    """Whether ``repr`` says all about ``value``."""
    if isinstance(value, (list, tuple)):
        return all(map(_plain, value))
    if isinstance(value, dict):
        return all(map(_plain, (*value, *value.values())))
    return value is None or isinstance(value, (str, int, float))


class EntriesNode(SampledNode):
    """Rows made of a list of entries, each of which can be made at any time.

    Args:
        name (str): what messages call it.
        columns (tuple[str]): the columns.
        entries (sequence): what rows are made of.
        make (Callable): gives the values of a row from its entry.
        place (Callable): gives the file of an entry, for messages.
        sampler (Sampler): chooses rows.
        workers (int): threads.
        cache (DatasetCache, optional): keeps rows.
        label (str): the column that a `PKSampler` takes where there is none of the name it says.
    """

    tunable = any_thread = True

    def __init__(
        self,
        name: str,
        columns,
        entries,
        make: Callable,
        place: Callable,
        sampler,
        workers: int,
        cache: DatasetCache | None = None,
        label: str = "",
    ):
        super().__init__(sampler, len(entries))
        self.name, self.columns, self.entries = name, tuple(columns), entries
        self._make, self._place, self.workers = make, place, workers
        self._cache, self._label = cache, label
        self._alone = uuid.uuid4().hex  # its name in a cache, if others cannot have the same rows
        self._name = ""

    def row(self, i: int):
        i = int(i)
        if self._cache is not None:
            return self._cache._row(f"{self._known_as()} {i}", lambda: self._made(i))
        return self._made(i)

    def _known_as(self) -> str:
        """What a cache calls this dataset: the same where another one has the same rows."""
        if not self._name:
            kind, given = getattr(self, "source", (None, {}))
            made = {n: v for n, v in given.items() if n not in _ASIDE}
            places = [v for v in made.values() if isinstance(v, str) and os.path.exists(v)]
            changed = [os.stat(p).st_mtime_ns for p in places]
            known = (kind, made, os.getcwd(), changed, self.length)
            self._name = repr(known) if kind and _plain(made) else self._alone
        return self._name

    def _made(self, i: int):
        try:
            return tuple([np.asarray(v) for v in self._make(self.entries[i])])
        except _FAULTS as e:
            said = e.strerror if isinstance(e, OSError) and e.strerror else e
            raise DatasetError(f"{self.name}: {self.file(i)}: {said} (row {i})") from e

    def file(self, i: int) -> str:
        """The file of row ``i``."""
        return str(self._place(self.entries[i]))

    def labels(self) -> np.ndarray:
        column = class_column(self.sampler)
        column = column if column in self.columns else self._label
        c = self.places_of([column], "PKSampler")[0]
        return np.array([self.row(i)[c] for i in range(self.length)])

    def view(self) -> RandomAccess:
        return RandomAccess(self.order, self.row)

    def rows(self, run):
        return self.rows_after(run, 0)

    def rows_after(self, run, skip):
        return parallel(self, self.row, self.order(run)[skip:], run, skip)


class ReadNode(Operation):
    """Rows of files that are read from their beginning; several files are read by turns.

    Args:
        name (str): what messages call it.
        columns (tuple[str]): the columns.
        files (list[str]): the files.
        read (Callable): gives an iterator of rows from a file.
        count (Callable): gives the number of rows of a file.
        shuffle (Shuffle, optional): how rows are shuffled.
        limit (int, optional): how many rows at most.
        share (tuple[int, int], optional): in how many parts rows are shared, and which this is.
        by_files (bool): whether shares are of whole files instead of rows.
    """

    def __init__(
        self, name, columns, files, read, count, shuffle, limit, share=None, by_files=False
    ):
        self.name, self.columns, self.files = name, tuple(columns), list(files)
        self._read, self._count = read, count
        self.shuffle, self.limit, self.share, self.by_files = shuffle, limit, share, by_files
        self._counts: dict[str, int] = {}
        self._abreast = config.get_num_parallel_workers()  # how many files are read by turns
        if by_files and share is not None:
            self.files, self.share = self.files[share[1] :: share[0]], None

    def count(self, path: str) -> int:
        """The rows of a file, counted once."""
        if path not in self._counts:
            self._counts[path] = self._guarded(self._count, path)
        return self._counts[path]

    def _guarded(self, fn, path: str):
        try:
            return fn(path)
        except DatasetError:
            raise
        except (*_FAULTS, StopIteration) as e:
            said = e.strerror if isinstance(e, OSError) and e.strerror else e
            raise DatasetError(f"{self.name}: {path}: {said}") from e

    def _pieces(self, files: list[str]) -> list[tuple]:
        """(file, first row, end) of what is this share."""
        if self.share is None:
            return [(f, 0, None) for f in files]
        total = sum(map(self.count, files))
        each = -(-total // self.share[0])
        begin = self.share[1] * each
        pieces, at, left = [], 0, each if total else 0
        for f in itertools.cycle(files) if total else ():
            n = self.count(f)
            first = max(begin - at, 0)
            if first < n and left:
                end = min(n, first + left)
                pieces.append((f, first, end))
                left -= end - first
                begin = at + end
            at += n
            if not left:
                break
        return pieces

    def rows(self, run):
        rows = iter(self._ordered(run, self._piece))
        first = next(rows, None)
        if first is None and self.files and not any(map(self.count, self.files)):
            raise DatasetError(
                f"Invalid data, {self.name} API can't read the data file (interface mismatch or no data "
                f"found). Check the files: {', '.join(map(str, self.files[:3]))}"
            )
        return rows if first is None else itertools.chain([first], rows)

    def origin(self, run, index):
        """The file of a row, by going through all rows before it again, whose files are counted."""
        files = self.files
        if len(files) > 1:
            files = itertools.islice(self._ordered(run, self._named), index, None)
        return next(iter(files), None)

    def _named(self, piece):
        path, begin, end = piece
        return itertools.repeat(path, (self.count(path) if end is None else end) - begin)

    def _ordered(self, run, rows_of):
        """What ``rows_of(piece)`` gives, in the order of an epoch's rows."""
        files = list(self.files)
        if self.shuffle in (Shuffle.FILES, Shuffle.GLOBAL):
            alone = self.share is None or self.share[0] == 1
            draws = run.draws(self) if alone else Draws(1, run.epoch)  # the same in all processes
            files = [files[i] for i in draws.permutation(len(files), counts_up=not alone)]
        rows = itertools.islice(self._by_turns(self._pieces(files), rows_of), self.limit)
        if self.shuffle is not Shuffle.GLOBAL:
            return rows
        return run.draws(self).stream(rows, self._room(), self.size() if run.epoch else 0)

    def _room(self) -> int:
        """How many rows a global shuffle holds: about those of four files."""
        if len(self.files) == 1:
            return _MOST  # and the file is not gone through to count its rows
        return min(4 * max(self._whole() // len(self.files), 1), _MOST)

    def _by_turns(self, pieces, rows_of):
        queues = [pieces[i :: self._abreast] for i in range(min(self._abreast, len(pieces)))]
        active = [itertools.chain.from_iterable(map(rows_of, q)) for q in queues]
        while active:
            left = []
            for rows in active:
                row = next(rows, None)
                if row is not None:
                    left.append(rows)
                    yield row
            active = left

    def _piece(self, piece):
        path, begin, end = piece
        rows = self._guarded(self._read, path)
        for number in itertools.count():
            try:
                row = next(rows, None)
            except DatasetError:
                raise
            except (*_FAULTS, StopIteration) as e:
                raise DatasetError(f"{self.name}: {path}: {e} (row {number})") from e
            if row is None:
                self._counts.setdefault(path, number)
            if row is None or number == end:
                return
            if number >= begin:
                yield row

    def size(self) -> int:
        total = self._whole()
        return total if self.limit is None else min(total, self.limit)

    def _whole(self) -> int:
        """The rows of this share."""
        total = sum(map(self.count, self.files))
        return total if self.share is None else -(-total // self.share[0])
