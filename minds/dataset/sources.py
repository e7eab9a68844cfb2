"""Leaves of a pipeline: arrays, Python objects that yield rows, and the rows of other datasets by
index.
"""

from __future__ import annotations

import functools
import itertools
import threading

import numpy as np

from ..base import dtype as dt
from ..base.errors import complain
from . import samplers
from .arguments import check_type
from .orders import Draws
from .pipeline import DatasetError, Operation, RandomAccess, UsersCode, as_row, stack
from .workers import parallel


def column_names(names, count: int, default=None, held: str = "tuple") -> tuple[str, ...]:
    """``names`` as a tuple of ``count`` different strings; ``held`` is what the data is.

    Raises:
        TypeError: ``names`` is no str and no list of str.
        ValueError: the number is wrong or a name comes twice.
    """
    if names is None:
        return tuple(default or (f"column_{i}" for i in range(count)))
    if not isinstance(names, (list, tuple, str)):
        check_type("column_names", names, (list, str))
    names = (names,) if isinstance(names, str) else tuple(names)
    if not names:
        raise complain(ValueError, "column_names should not be empty.")
    for i, n in enumerate(names):
        check_type(f"column_names[{i}]", n, (str,))
        if not n:
            raise complain(ValueError, f"column_names[{i}] should not be empty.")
    if len(set(names)) != len(names):
        said = "Every column name should not be same with others in column_names."
        raise complain(ValueError, f"{said} Got {', '.join(names)}.")
    if count and len(names) != count:
        raise complain(
            ValueError,
            f"Num of input column names is {len(names)}, but required is {count} as data is {held}. "
            f"Got {', '.join(names)}.",
        )
    return names


class SampledNode(Operation):
    """A source of known length whose order a sampler gives.

    Attributes:
        label_column: where a `PKSampler` looks if there is no column of the name it says, or None.
    """

    label_column = None

    def __init__(self, sampler, length: int):
        self.sampler, self.length = sampler, length

    def order(self, run) -> np.ndarray:
        draws = run.draws(self, getattr(self.sampler, "spread", False))
        order = samplers.order_of(self.sampler, self.length, draws, self.labels)
        if isinstance(self.sampler, samplers.Sampler):
            self.sampler.reset()
        return order

    def labels(self) -> np.ndarray:
        """The column that a `PKSampler` names, or the source's own of labels."""
        column = samplers.class_column(self.sampler)
        column = column if column in self.columns else self.label_column or column
        c = self.places_of([column], "PKSampler")[0]
        row = self.view().row
        return np.array([row(i)[c] for i in range(self.length)])

    def size(self) -> int:
        is_known = isinstance(self.sampler, samplers.BuiltinSampler)
        if is_known and samplers.class_column(self.sampler) is None:
            return self.sampler.count(self.length)
        return len(samplers.order_of(self.sampler, self.length, Draws(0), self.labels))


class ArraysNode(SampledNode):
    """Columns held in memory; a column is an array, or a list of arrays of different shapes."""

    def __init__(self, arrays, columns, sampler):
        super().__init__(sampler, len(arrays[0]))
        self.arrays, self.columns = arrays, columns

    def view(self) -> RandomAccess:
        arrays = self.arrays

        def row(i):
            return tuple([np.array(a[i]) for a in arrays])

        def gather(idx):
            return tuple(
                [
                    a[idx] if isinstance(a, np.ndarray) else stack([a[i] for i in idx], c)
                    for a, c in zip(arrays, self.columns)
                ]
            )

        return RandomAccess(self.order, row, gather)


def _column(values, name: str):
    """One column of a `NumpySlicesDataset`: an array, or a list of arrays where the rows are
    ragged.
    """
    if not isinstance(values, (np.ndarray, list, tuple)) and not hasattr(values, "__array__"):
        raise complain(
            TypeError,
            f"NumpySlicesDataset: column {name!r} has type {type(values).__name__}",
            expected="an array, a list or a tuple",
        )
    try:
        a = np.asarray(values)
    except ValueError:
        return [np.asarray(v) for v in values]
    if a.dtype == object or a.ndim == 0:
        raise complain(
            TypeError,
            f"NumpySlicesDataset: column {name!r} holds {a.dtype} of rank {a.ndim}",
            expected="numbers or text with a first dimension",
        )
    return a


def arrays_node(data, column_names_, sampler) -> ArraysNode:
    """The node of a `NumpySlicesDataset`."""
    if not isinstance(data, (list, tuple, dict, np.ndarray)):
        check_type("data", data, (list, tuple, dict, np.ndarray))
    if len(data) == 0:
        raise complain(ValueError, "Argument data cannot be empty")
    named = list(data) if isinstance(data, dict) else None
    values = list(data.values()) if named else list(data) if isinstance(data, tuple) else [data]
    if named and column_names_ is None and not all(isinstance(n, str) for n in named):
        raise complain(TypeError, "NumpySlicesDataset: the keys of data must be str")
    names = column_names(column_names_, len(values), named, type(data).__name__)
    arrays = [_column(v, n) for v, n in zip(values, names)]
    lengths = {len(a) for a in arrays}
    if len(lengths) > 1:
        raise complain(
            ValueError,
            "Data length in each column is not equal. They are "
            + ", ".join(f"{n} {len(a)}" for n, a in zip(names, arrays)),
        )
    return ArraysNode(arrays, names, sampler)


class _UserRows:
    """Shared by nodes that call user code for rows: checks what comes back."""

    @functools.cached_property
    def what(self) -> str:
        """What messages call it."""
        return f"GeneratorDataset: {type(self.source).__name__}"

    def convert(self, value):
        row = as_row(value, len(self.columns), self.what)
        if self.types:
            for v, t, c in zip(row, self.types, self.columns):
                if not isinstance(v, dict) and v.dtype != t.np:
                    raise DatasetError(
                        f"GeneratorDataset: column {c!r} is {v.dtype}, but column_types says "
                        f"{t.name}"
                    )
        return row


class IndexedNode(_UserRows, SampledNode):
    """A Python object with ``__getitem__`` and ``__len__``."""

    tunable = True

    def __init__(self, source, columns, types, sampler, workers, processes):
        super().__init__(sampler, len(source))
        self.source, self.columns, self.types = source, columns, types
        self.workers, self.processes = workers, processes

    def _check(self) -> None:
        if not self.length:
            said = "data row of input source must not be 0, got: 0"
            raise DatasetError(f"GeneratorDataset: {said}")

    def order(self, run):
        self._check()
        return super().order(run)

    def size(self):
        self._check()
        return super().size()

    def row(self, i: int):
        i = int(i)
        try:
            return self.convert(self.source[i])
        except Exception as e:  # not a context, which would cost each row an object
            UsersCode(self.what, i).fail(e)

    def view(self) -> RandomAccess:
        return RandomAccess(self.order, self.row)

    def rows(self, run):
        return self.rows_after(run, 0)

    def rows_after(self, run, skip):
        return parallel(self, self.row, self.order(run)[skip:], run, skip)


_END = object()


class _Once:
    """What can be iterated once, for any number of epochs: what it gave is kept."""

    def __init__(self, values):
        self._values, self._seen, self._lock = values, [], threading.Lock()

    def __iter__(self):
        for n in itertools.count():
            with self._lock:  # of several iterators
                if n == len(self._seen):
                    value = next(self._values, _END)
                    if value is _END:
                        return
                    self._seen.append(value)
            yield self._seen[n]


class IterableNode(_UserRows, Operation):
    """A Python object that is iterated, or called for an iterator, once per epoch."""

    def __init__(self, source, columns, types, limit):
        self.what = f"GeneratorDataset: {type(source).__name__}"
        if type(source).__module__ in ("builtins", "itertools") and hasattr(source, "__next__"):
            source = _Once(source)
        self.source, self.columns, self.types, self.limit = source, columns, types, limit
        self._size = None

    def rows(self, run):
        with UsersCode(self.what, 0):
            makes = callable(self.source) and not hasattr(self.source, "__next__")
            values = iter(self.source() if makes else self.source)
        for index in itertools.count() if self.limit is None else range(self.limit):
            with UsersCode(self.what, index):
                value = next(values, _END)
                if value is not _END:
                    value = self.convert(value)
            if value is _END:
                return
            yield value

    def size(self) -> int:
        if self._size is None:
            if hasattr(self.source, "__len__"):
                self._size = min(len(self.source), self.limit or len(self.source))
            else:
                self._size = sum(1 for _ in self.rows(None))
        return self._size


class WithoutLength(Operation):
    """A Python object with ``__getitem__`` that does not say how many rows it has: refused when it is run."""

    def __init__(self, source, columns):
        self.source, self.columns = source, columns

    def rows(self, run):
        self.size()

    def size(self) -> int:
        raise DatasetError(
            "Attempt to construct a random access dataset, '__len__' method is required! "
            f"GeneratorDataset: {type(self.source).__name__} has none"
        )


class GroupsNode(_UserRows, Operation):
    """Batches that a user's batch sampler chooses and a user's function collates."""

    def __init__(self, source, columns, types, groups, collate):
        self.source, self.columns, self.types = source, columns, types
        self.groups, self.collate = groups, collate

    def rows(self, run):
        for number, group in enumerate(self.groups):
            with UsersCode(self.what, number, "batch"):
                batch = self._collated([self.source[int(i)] for i in group])
            yield batch

    def _collated(self, picked):
        if self.collate is not None:
            return self.convert(self.collate(picked))
        rows = [as_row(p, len(self.columns), "GeneratorDataset") for p in picked]
        return self.convert(tuple([stack(c, n) for c, n in zip(zip(*rows), self.columns)]))

    def size(self) -> int:
        return len(self.groups) if hasattr(self.groups, "__len__") else sum(1 for _ in self.groups)


def generator_node(
    source, columns, types, sampler, choosy, limit, workers, processes, batch_sampler, collate_fn
) -> Operation:
    """The node of a `GeneratorDataset`, by its source; ``choosy``: the argument that asks for
    certain rows, if any.
    """
    if types is not None:
        types = [dt.of(t) for t in (types if isinstance(types, (list, tuple)) else [types])]
        if len(types) != len(columns):
            said = f"GeneratorDataset: {len(types)} column_types for {len(columns)} column names"
            raise complain(ValueError, said)
    indexed = hasattr(source, "__getitem__") and hasattr(source, "__len__")
    if batch_sampler is not None:
        if not indexed:
            raise complain(
                ValueError,
                "GeneratorDataset: batch_sampler needs a source with __getitem__ and __len__",
            )
        return GroupsNode(source, columns, types, batch_sampler, collate_fn)
    if collate_fn is not None:
        raise complain(ValueError, "collate_fn can be specified only when batch_sampler is set.")
    if indexed:
        return IndexedNode(source, columns, types, sampler, workers, processes)
    if not (callable(source) or hasattr(source, "__iter__") or hasattr(source, "__next__")):
        if hasattr(source, "__getitem__"):
            return WithoutLength(source, columns)
        raise complain(
            TypeError,
            "Input `source` function of GeneratorDataset should be callable, iterable or random "
            "accessible, commonly it should implement one of the method like yield, __getitem__ or "
            f"__next__(__iter__). It is of type {type(source).__name__}.",
        )
    if choosy:
        raise complain(
            ValueError,
            f"{choosy} is not supported if source does not have attribute '__getitem__'. It needs "
            "__len__ too.",
        )
    return IterableNode(source, columns, types, limit)


class ChosenNode(SampledNode):
    """Rows of a child by fixed indices of its view: one part of a split."""

    def __init__(self, child: Operation, indices: np.ndarray):
        super().__init__(samplers.SequentialSampler(), len(indices))
        self.children, self.columns, self.indices = (child,), child.columns, indices

    def labels(self) -> np.ndarray:
        c = self.places_of([samplers.class_column(self.sampler)], "PKSampler")[0]
        row = self.children[0].view().row
        return np.array([row(i)[c] for i in self.indices])

    def view(self) -> RandomAccess:
        inner = self.children[0].view()
        return RandomAccess(lambda run: self.indices[self.order(run)], inner.row, inner.gather)
