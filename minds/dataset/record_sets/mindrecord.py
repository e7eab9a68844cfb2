"""`MindDataset`: rows of MindRecord files, by index."""

from __future__ import annotations

import bisect
import itertools
import os

import numpy as np

from ...base.errors import complain
from ...mindrecord.reader import check_columns
from ...mindrecord.shard import open_shards
from .. import samplers
from .. import source_arguments as arguments
from ..collection import Declared
from ..handle import workers_of
from ..orders import Draws, RecordDraws
from ..pipeline import DatasetError
from ..rows_of_files import EntriesNode
from ..samplers import BuiltinSampler, PKSampler, RandomSampler, SubsetSampler
from ..shuffles import Shuffle
from .tfrecord import names


class _ByFiles(BuiltinSampler):
    """Files in random order, or the rows of each file.

    Args:
        sizes (list[int]): the rows of each file.
        whole (bool): whether files stay whole.
        shared (bool): whether this is below a share of the rows.
    """

    shuffles = spread = True

    def __init__(self, sizes: list[int], whole: bool, num_samples=None, shared=False):
        super().__init__(num_samples)
        self._sizes, self._whole, self._ahead = sizes, whole, int(shared)

    def _pick(self, size, draws, labels):
        ends = np.cumsum(self._sizes)
        parts = [np.arange(e - n, e) for n, e in zip(self._sizes, ends)]
        if self._whole:
            parts = [parts[i] for i in draws.permutation(len(parts), ahead=self._ahead)]
        else:
            parts = [draws.permutation(p, ahead=self._ahead) for p in parts]
        return np.concatenate([*parts, np.arange(ends[-1], size)])


class _Around(BuiltinSampler):
    """A `SubsetSampler` whose indices begin anew behind the last row, as MindRecord's do."""

    def __init__(self, inner: SubsetSampler):
        super().__init__(inner.num_samples)
        self._inner, self.shuffles = inner, inner.shuffles

    def _pick(self, size, draws, labels):
        indices = self._inner.indices % size if size else self._inner.indices[:0]
        if not self.shuffles:
            return indices
        return draws.permutation(indices, counts_up=False, ahead=1)  # alike in all epochs, as there


class _OfEach(BuiltinSampler):
    """A `PKSampler` that gives its number of rows of every class, some of them several times where
    there are fewer, as MindRecord's does.
    """

    def __init__(self, inner: PKSampler):
        super().__init__(inner.num_samples)
        self._inner, self.shuffles, self.class_column = inner, inner.shuffle, inner.class_column

    def _pick(self, size, draws, labels):
        classes, picked = np.asarray(labels()), []
        for c in np.unique(classes)[: self._inner.num_class]:
            found = np.flatnonzero(classes == c)
            found = draws.permutation(found) if self.shuffles else found
            picked.append(np.resize(found, self._inner.num_val))
        return np.concatenate(picked) if picked else np.zeros(0, np.int64)

    def count(self, size):
        raise DatasetError("PKSampler: the number of rows depends on the labels")


class _Drawn(BuiltinSampler):
    """Rows drawn with replacement: as many as are asked for, which may be more than there are."""

    shuffles = True

    def _pick(self, size, draws, labels):
        return draws.integers(size, self.num_samples or size) if size else np.zeros(0, np.int64)

    def count(self, size):
        size = size if self.child is None else self.child.count(size)
        return (self.num_samples or size) if size else 0


class _RecordsNode(EntriesNode):
    """Rows of shards; labels come from the index where it has the field."""

    shards: list = []
    numbers = RecordDraws

    def size(self) -> int:
        if isinstance(self.sampler, _OfEach):
            return len(self.sampler.order(self.length, Draws(0), self.labels))
        return super().size()

    def labels(self) -> np.ndarray:
        field = self.sampler.class_column
        if field in self.shards[0].layout.raw:
            indexed = [f["index_field"] for f in self.shards[0].header["index_fields"] or ()]
            if field in indexed:
                return np.array([v for s in self.shards for v in s.values(field)])
        rows = [self._fields(field, i) for i in range(self.length)]
        return np.array(rows)

    def _fields(self, field: str, i: int):
        shard, number = self.entries[i]
        row = shard.row(number, frozenset([field]))
        if field not in row:
            raise DatasetError(f"PKSampler: there is no column {field!r}")
        return row[field]


class _Entries:
    """(shard, row in it) of all rows; the padded ones are (None, number)."""

    def __init__(self, shards: list, padded: int):
        self._ends = list(itertools.accumulate(map(len, shards)))
        self._shards, self._padded = shards, padded

    def __len__(self) -> int:
        return self._ends[-1] + self._padded

    def __getitem__(self, i: int):
        which = bisect.bisect_right(self._ends, i)
        if which == len(self._shards):
            return None, i - self._ends[-1]
        return self._shards[which], i - (self._ends[which - 1] if which else 0)


def _files(name: str, value):
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, list):
        return [arguments.file(name, v) for v in value]
    if not isinstance(value, str):
        raise complain(TypeError, f"path: {value} is not string")
    return arguments.file(name, value)


class MindDataset(Declared):
    """Rows from MindRecord files: one file stands for all that were written with it, a list for just
    its files. Byte strings are arrays of one element.
    """

    parameters = (
        "dataset_files, columns_list=None, num_parallel_workers=None, shuffle=None, "
        "num_shards=None, shard_id=None, sampler=None, padded_sample=None, num_padded=None, "
        "num_samples=None, cache=None"
    )
    checks = {
        "dataset_files": _files,
        "columns_list": names,
        "shuffle": arguments.shuffle_of_files,
        "padded_sample": lambda n, v: v if v is None else arguments.of_type(n, v, dict),
        "num_padded": lambda n, v: v if v is None else arguments.between(n, v, 0),
    }
    about = {
        "columns_list": "list[str], optional): the columns to read. Default: all",
        "padded_sample": "dict, optional): the row that is added",
        "num_padded": "int, optional): how often it is added",
    }

    def _node_of(self, a):
        if (a.padded_sample is None) != (a.num_padded is None):
            raise DatasetError(
                "padded_sample is specified and requires num_padded as well."
                if a.num_padded is None
                else "num_padded is specified but padded_sample is not."
            )
        if a.padded_sample is not None and a.columns_list is None:
            raise DatasetError("padded_sample is specified and requires columns_list as well.")
        missing = [c for c in a.columns_list or () if c not in (a.padded_sample or {c})]
        if missing:
            said = "padded_sample cannot match columns_list."
            raise complain(ValueError, f"{said} It has no {missing[0]!r}")
        if a.sampler is not None and not isinstance(a.sampler, BuiltinSampler):
            raise complain(ValueError, "The sampler is not supported yet.")
        shards = open_shards(a.dataset_files)
        layout = shards[0].layout
        columns = check_columns(a.columns_list, layout)
        if a.num_padded and a.num_shards is not None:
            rest = (sum(map(len, shards)) + a.num_padded) % a.num_shards
            if rest:
                raise DatasetError(
                    "Invalid data, the size of dataset and padded samples can not be divisible by the "
                    f"value of 'num_shards': {rest} rows are left over. Please adjust the value of "
                    "'num_padded'."
                )
        wanted = frozenset(columns)
        kinds = {c: _converter(layout.fields[c]) for c in columns}
        padded = None if a.padded_sample is None else _padded(a.padded_sample, kinds)

        def make(entry):
            shard, number = entry
            if shard is None:
                return padded
            row = shard.row(number, wanted)
            return [kinds[c](row[c]) for c in columns]

        node = _RecordsNode(
            "MindDataset",
            columns,
            _Entries(shards, a.num_padded or 0),
            make,
            lambda entry: entry[0].path if entry[0] else "the padded rows",
            self._sampler(a, [len(s) for s in shards]),
            workers_of(a.num_parallel_workers),
            a.cache,
        )
        node.shards = shards
        return node

    @staticmethod
    def _sampler(a, sizes: list[int]):
        if a.sampler is not None:
            if isinstance(a.sampler, PKSampler):
                return _OfEach(a.sampler)
            if isinstance(a.sampler, RandomSampler) and a.sampler.replacement:
                drawn = _Drawn(a.sampler.num_samples)
                drawn.child = a.sampler.child
                return drawn
            return _Around(a.sampler) if isinstance(a.sampler, SubsetSampler) else a.sampler
        if a.shuffle in (Shuffle.FILES, Shuffle.INFILE):
            whole = a.shuffle is Shuffle.FILES
            if a.num_shards is None:
                return _ByFiles(sizes, whole, a.num_samples)
            order = _ByFiles(sizes, whole, shared=True)
            outer = samplers.choose(None, False, a.num_samples, a.num_shards, a.shard_id)
            outer.add_child(order)
            return outer
        shuffle = a.shuffle not in (None, Shuffle.FALSE)
        chosen = samplers.choose(None, shuffle, a.num_samples, a.num_shards, a.shard_id)
        is_drawn = isinstance(chosen, RandomSampler) and chosen.replacement
        return _Drawn(chosen.num_samples) if is_drawn else chosen


def _converter(about: dict):
    """What makes an array of a field's value."""
    if "shape" in about:
        return lambda v: v
    if about["type"] == "bytes":
        return lambda v: np.array([v])
    if about["type"] == "string":
        return lambda v: np.array(str(v))
    kind = np.dtype(about["type"])
    return lambda v: np.array(v, kind)


def _padded(sample: dict, kinds: dict) -> list:
    return [np.asarray(kinds[c](sample[c])) for c in kinds]
