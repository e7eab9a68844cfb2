"""What every node of a pipeline is, and how rows flow.

A pipeline is a tree of immutable nodes. `Operation.rows(run)` yields the rows of one epoch, pulled one
by one; a row is a tuple of NumPy arrays, one per column. A node is a pure function of its `Run`
(seed, epoch): nothing is remembered between epochs, so an epoch can be produced by any thread, in
any order, and native workers can take nodes over one at a time.

A node over random access data also has a `RandomAccess`. Shuffling, skipping, taking and splitting then
only rearrange indices, and batching gathers whole columns at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from . import rowrng
from .buffers import empty
from .orders import UNSEEDED, Draws

Row = tuple


class DatasetError(RuntimeError, ValueError):
    """A fault of a pipeline or its data: a ValueError, and MindSpore's RuntimeError.

    Examples:
        >>> import minds.dataset as ds
        >>> try:
        ...     ds.NumpySlicesDataset([1, 2]).project("y")
        ... except ds.DatasetError:
        ...     print("there is no such column")
        there is no such column
    """


@dataclass(frozen=True)
class RandomAccess:
    """Random access to the rows of a node.

    Attributes:
        order: gives the indices of an epoch, in order.
        row: gives the row at an index, as arrays of its own.
        gather: gives the stacked columns at many indices, or is None where rows must be stacked one
            by one.
    """

    order: Callable[[Run], np.ndarray]
    row: Callable[[int], Row]
    gather: Callable[[np.ndarray], Row] | None = None


class Run:
    """One epoch of one iterator.

    Args:
        seed (int): what all randomness of this iterator starts from.
        places (dict): node → its place in the tree, so that equal nodes draw different numbers.
        epoch (int): counted from 0.
        seeded (bool): whether the user chose the seed.
        is_stopped (Callable, optional): whether the consumer wants no more rows; None where there is
            no consumer, as when rows are counted.
        kept (dict, optional): node → what ordering its earlier epochs left.
        parts (int): how many epochs are one of the iterator: what is below `repeat` has several; 0: it never
            ends.
    """

    __slots__ = ("seed", "places", "epoch", "seeded", "is_stopped", "kept", "parts")

    def __init__(
        self,
        seed: int,
        places: dict,
        epoch: int = 0,
        seeded=False,
        is_stopped=None,
        kept=None,
        parts=1,
    ):
        self.seed, self.places, self.epoch, self.seeded = seed, places, epoch, seeded
        self.is_stopped, self.kept = is_stopped, {} if kept is None else kept
        self.parts = parts

    def at(self, epoch: int) -> Run:
        """The same iterator in another epoch."""
        return Run(
            self.seed, self.places, epoch, self.seeded, self.is_stopped, self.kept, self.parts
        )

    def repeated(self, number: int, count: int | None) -> Run:
        """Repetition ``number`` of ``count`` in this epoch; None: of many without end."""
        run = self.at(self.epoch * (count or 1) + number)
        run.parts *= count or 0
        return run

    def of_iterator(self) -> tuple[int, int]:
        """The epoch as the iterator counts, and which part of it this is."""
        return divmod(self.epoch, self.parts) if self.parts else (0, self.epoch)

    def draws(self, node, shared: bool = False) -> Draws:
        """What the order of ``node`` in this epoch is drawn from: with a seed, as in MindSpore, the same
        for all nodes. Without one it is only the same for all processes if ``shared``.
        """
        seed = self.seed if self.seeded else UNSEEDED
        if not self.seeded and not shared:
            place = self.places.get(node, 0)
            seed = int(np.random.SeedSequence((self.seed, place)).generate_state(1)[0])
        return node.numbers(seed, self.epoch, self.kept.setdefault(node, {}))

    def begin_row(self, node, index: int) -> None:
        """Set this thread's generator for one row: the same however many threads share the work."""
        rowrng.begin_row(self.seed, self.places.get(node, 0), self.epoch, index)


def start(node: Operation, seed: int, seeded: bool) -> Run:
    """The first epoch of an iterator over ``node``."""
    places, todo = {}, [node]
    while todo:
        n = todo.pop()
        if n not in places:
            places[n] = len(places)
            todo.extend(n.children)
    return Run(seed, places, 0, seeded)


class Operation:
    """One operation of a pipeline: has ``children`` and ``columns``; defines `size`, and `rows` or
    `view`.
    """

    children: tuple = ()
    columns: tuple[str, ...] = ()
    repeats = 1
    batch_size = None
    workers = 1
    processes = False
    stage = None
    tunable = False  # whether it may have any number of threads
    numbers = Draws  # what its orders are drawn from
    any_thread = False  # whether any thread may make any row of its view at any time

    def view(self) -> RandomAccess | None:
        """Random access to the rows, if there is any."""
        return None

    def rows(self, run: Run) -> Iterator[Row]:
        """The rows of one epoch."""
        view = self.view()
        return (view.row(i) for i in view.order(run))

    def rows_after(self, run: Run, skip: int) -> Iterator[Row]:
        """The rows of one epoch without the first ``skip``, which are not made where there is random
        access to what they are made of.
        """
        view = self.view() if skip else None
        if view is None:
            return itertools.islice(self.rows(run), skip, None) if skip else self.rows(run)
        return (view.row(i) for i in view.order(run)[skip:])

    def rows_into(self, run: Run, skip: int, place: Callable) -> Iterator[Row]:
        """`rows_after`; what makes a row may take memory for it from ``place(number)`` (`inplace`)."""
        return self.rows_after(run, skip)

    def size(self) -> int:
        """The number of rows of one epoch."""
        raise NotImplementedError

    def origin(self, run: Run, index: int) -> str | None:
        """The file that row ``index`` of an epoch comes from, if that is known."""
        view, source = self.view(), self
        while source.children:
            source = source.children[0]
        if view is None or not hasattr(source, "file"):
            return None
        return source.file(int(view.order(run)[index]))

    def first(self) -> Row | None:
        """A row of the shapes and dtypes to expect, or None if there is no row."""
        found = self.__dict__.get("_first")
        if found is None:
            rows = iter(self.rows(start(self, 0, True)))
            found = self._first = next(rows, None)
            if hasattr(rows, "close"):
                rows.close()
        return found

    def places_of(
        self, names, what: str, said: str = "Invalid column, column name: {} does not exist."
    ) -> list[int]:
        """The positions of the columns ``names``; ``said`` is what is said of one that is not there.

        Raises:
            DatasetError: a name is no column.
        """
        unknown = [n for n in names if n not in self.columns]
        if unknown:
            raise DatasetError(
                f"{what}: {said.format(', '.join(unknown))} The columns are "
                f"{', '.join(map(repr, self.columns))}."
            )
        return [self.columns.index(n) for n in names]


def as_value(x, what: str, item: str = ""):
    """A column's value as an array; a dict passes as it is. ``item`` is which value of a row it is.

    Raises:
        DatasetError: ``x`` is None or nothing that NumPy can hold as numbers or text.
    """
    if type(x) is np.ndarray and x.dtype.char != "O":
        return x
    if isinstance(x, dict):
        return x
    if x is None:
        raise DatasetError(
            f"{what} gave None; expected NumPy arrays, numbers or text (is a return missing?)"
        )
    if hasattr(x, "asnumpy"):
        return x.asnumpy()
    try:
        a = np.asarray(x)
    except ValueError as e:
        raise DatasetError(
            f"{_EXPECTED.format(item)}: {what} gave a ragged sequence: {e}"
        ) from None
    if a.dtype == object:
        held = f"an array of {a.flat[0].__class__.__name__}" if a.ndim else type(x).__name__
        raise DatasetError(f"{_EXPECTED.format(item)}: {what} gave {held}")
    return a


_EXPECTED = (
    "Invalid data type. Data type of {}the input or its converted Numpy array is expected to be int, float, "
    "bool or str"
)


def as_row(x, count: int, what: str) -> Row:
    """What a user's function returned as a row of ``count`` values.

    Raises:
        DatasetError: the number of values is wrong, or a value is no data.
    """
    if count == 1:  # an array is the most frequent by far
        v = x[0] if type(x) is tuple and len(x) == 1 else x
        if type(v) is np.ndarray and v.dtype.char != "O":
            return (v,)
    several = isinstance(x, tuple) or count > 1 and isinstance(x, list)
    values = tuple(x) if several else (x,)
    if len(values) != count:
        raise DatasetError(
            "Invalid Python function, the 'source' of 'GeneratorDataset' should return same number of "
            f"NumPy arrays as specified in column_names, the size of column_names is:{count} and number "
            f"of returned NumPy array is:{len(values)}. {what} gave {len(values)} "
            f"value{'s' * (len(values) != 1)} for {count} column{'s' * (count != 1)}"
        )
    if not several:
        return (as_value(x, what),)
    return tuple([as_value(v, what, f"{i}th item of ") for i, v in enumerate(values, 1)])


def stack(values, column: str) -> np.ndarray:
    """Values of one column as one array with a new first dimension.

    Raises:
        DatasetError: shapes or kinds of dtype differ, or a value is a dict.
    """
    first = values[0]
    if isinstance(first, dict):
        raise DatasetError(f"batch: column {column!r} holds dicts, which cannot be batched")
    shape, dtype = first.shape, first.dtype
    for i, v in enumerate(values):
        if v.shape != shape:
            raise DatasetError(
                f"Cannot batch tensors with different shapes in column {column!r}. First element had "
                f"shape {shape} and this element had shape {v.shape}, row {i} of the batch; pad them with "
                "padded_batch or per_batch_map"
            )
        if v.dtype != dtype and v.dtype.kind != dtype.kind:
            raise DatasetError(
                f"batch: column {column!r} has values of different dtypes: {dtype} in the first "
                "row of the "
                f"batch, {v.dtype} in row {i}"
            )
    wanted = np.result_type(*{v.dtype for v in values})
    return np.stack(values, out=empty((len(values), *shape), wanted))


def filler(what: str, dtype, value) -> np.ndarray:
    """``value`` as an element of an array of ``dtype``, whose own dtype can hold both: texts are
    as long as the longest.

    Raises:
        DatasetError: one is text and the other is not.
    """
    made, is_text = np.asarray(value), dtype.kind in "US"
    if is_text != (made.dtype.kind in "US"):
        raise DatasetError(f"{what}: {value!r} among elements of type {dtype}")
    if not is_text:
        return made.astype(dtype)
    if made.dtype.kind != dtype.kind:
        made = np.char.encode(made, "utf-8") if dtype.kind == "S" else np.char.decode(made, "utf-8")
    return made.astype(np.promote_types(dtype, made.dtype))


class UsersCode:
    """Around a user's code: what it raises says for which row, or other ``unit``, that was.

    Raises:
        DatasetError: for any exception, which is its cause.
    """

    __slots__ = ("failed", "index", "origin", "unit", "what")

    def __init__(self, what: str, index: int, unit: str = "row", origin=None, failed: str = ""):
        self.what, self.index, self.unit, self.origin = what, index, unit, origin
        self.failed = failed

    def __enter__(self):
        return self

    def __exit__(self, kind, e, trace):
        if isinstance(e, Exception):
            self.fail(e)

    def fail(self, e: Exception) -> NoReturn:
        """Raise what ``e`` means to the user."""
        where = f"in {self.unit} {self.index}"
        file = None if self.origin is None else self.origin()
        failed = f"{self.failed} failed. " if self.failed else ""
        if file is not None:
            failed += f"The corresponding data file is: {file}. Error description: "
        if isinstance(e, DatasetError):
            raise DatasetError(f"{failed}{e}; {where}") from e.__cause__
        raise DatasetError(
            "Exception thrown from user defined Python function in dataset. "
            f"{failed}{self.what} raised {type(e).__name__}: {e}; {where}"
        ) from e
