"""The operations between the leaves and the iterator. Each is a pure description; see `pipeline`."""

from __future__ import annotations

import itertools

import numpy as np

from . import config
from .faulty import ErrorSamplesMode, caught, tolerant
from .inplace import BatchMemories, aimed
from .orders import Draws
from .padding import pad_list
from .pipeline import (
    DatasetError,
    Operation,
    RandomAccess,
    Run,
    UsersCode,
    as_row,
    as_value,
    stack,
)
from .recorded import Recorded
from .text.fused import FusedText, fused_text
from .transforms.base import one_by_one
from .vision.fused import fused, writes
from .workers import in_chunks, parallel


class PassingNode(Operation):
    """A node that keeps the columns of its first child."""

    def __init__(self, child: Operation):
        self.children, self.columns = (child,), child.columns
        self.batch_size, self.repeats = child.batch_size, child.repeats

    def reordered(self, order) -> RandomAccess | None:
        """The child's view in another order; ``order(indices, run)``."""
        view = self.children[0].view()
        return view and RandomAccess(lambda run: order(view.order(run), run), view.row, view.gather)


class ShuffleNode(PassingNode):
    """Rows in random order through a buffer. A frozen shuffle repeats its order in every epoch."""

    def __init__(self, child: Operation, buffer_size: int, frozen_seed: int | None = None):
        super().__init__(child)
        self.buffer_size, self.frozen_seed = buffer_size, frozen_seed

    def _draws(self, run: Run) -> Draws:
        return run.draws(self) if self.frozen_seed is None else Draws(self.frozen_seed)

    def view(self):
        return self.reordered(self._order)

    def _order(self, indices, run):
        return indices[self._draws(run).through(len(indices), self.buffer_size)]

    def rows(self, run):
        return (
            super().rows(run)
            if self.view()
            else self._draws(run).stream(self.children[0].rows(run), self.buffer_size)
        )

    def size(self):
        return self.children[0].size()


class SliceNode(PassingNode):
    """Rows ``begin`` to ``end`` of an epoch: skip and take."""

    def __init__(self, child: Operation, begin: int, end: int | None):
        super().__init__(child)
        self.begin, self.end = begin, end

    def view(self):
        return self.reordered(lambda indices, run: indices[self.begin : self.end])

    def rows(self, run):
        return (
            super().rows(run)
            if self.view()
            else itertools.islice(self.children[0].rows(run), self.begin, self.end)
        )

    def size(self):
        return len(range(self.children[0].size())[self.begin : self.end])


class RepeatNode(PassingNode):
    """``count`` epochs of the child as one; None repeats without end."""

    def __init__(self, child: Operation, count: int | None):
        super().__init__(child)
        self.count = count
        self.repeats = -1 if count is None else count

    def rows(self, run):
        for i in itertools.count() if self.count is None else range(self.count):
            rows = iter(self.children[0].rows(run.repeated(i, self.count)))
            first = next(rows, None)
            if first is None:
                return
            yield first
            yield from rows

    def size(self):
        return self.children[0].size() * (self.count or 1)


def _called(step, values: tuple) -> str:
    """How an operation is called that failed on ``values``: a transform by its name, any function alike."""
    if isinstance(step, Recorded):
        return type(step).__name__
    transforms, called = getattr(step, "transforms", ()), []
    try:
        one_by_one(transforms, values, called)
    except Exception:
        return type(called[-1]).__name__
    # It draws random numbers, and other ones now.
    return " | ".join(type(t).__name__ for t in transforms) or "PyFunc"


def _renamed(columns: tuple, inputs, outputs: tuple) -> tuple:
    """The columns behind a function that makes ``outputs`` of ``inputs``: in their places, or in front."""
    if len(outputs) == len(inputs):
        names = dict(zip(inputs, outputs))
        return tuple(names.get(c, c) for c in columns)
    return outputs + tuple(c for c in columns if c not in inputs)


class MapNode(Operation):
    """User functions over columns of each row."""

    tunable = True

    def __init__(
        self, child: Operation, operations, inputs, outputs, workers: int, processes: bool = False
    ):
        self.children, self.operations = (child,), tuple(operations)
        self.workers, self.processes = workers, processes
        self.steps = fused_text(fused(operations))
        self.batch_size, self.repeats = child.batch_size, child.repeats
        inputs = tuple(inputs or child.columns[:1])
        self.inputs, self.outputs = (
            child.places_of(
                inputs,
                "map",
                "Invalid parameter, input column name: {} doesn't exist in the dataset columns.",
            ),
            tuple(outputs or inputs),
        )
        self.columns = _renamed(child.columns, inputs, self.outputs)
        if len(set(self.columns)) != len(self.columns):
            # A new column replaces an old one of its name.
            self.columns = self.outputs + tuple(
                c for c in child.columns if c not in inputs + self.outputs
            )
        kept = {c: i for i, c in enumerate(child.columns) if i not in self.inputs}
        self.plan = [
            (True, self.outputs.index(c)) if c in self.outputs else (False, kept[c])
            for c in self.columns
        ]
        self.writes = bool(self.steps) and len(self.outputs) == 1 and writes(self.steps[-1])
        self.replaces = self.plan == [(True, i) for i in range(len(self.outputs))]
        names = [getattr(op, "__name__", type(op).__name__) for op in self.operations]
        self.what = "map: " + " | ".join(names)

    def apply(self, numbered, run: Run, place=None):
        """One row through all operations; the last may write where ``place(number)`` says."""
        index, row = numbered
        values = tuple([row[i] for i in self.inputs])
        run.begin_row(self, index)
        last = None if place is None else self.steps[-1]
        try:
            for step in self.steps:
                result = step(*values) if step is not last else aimed(step, values, place(index))
                values = result if type(result) is tuple else self._several(result)
            made = as_row(self._fitting(values), len(self.outputs), self.what)
        except Exception as e:  # not a context, which would cost each row an object
            failed = f"map operation: [{_called(step, values)}]"
            UsersCode(self.what, index, "row", lambda: self.origin(run, index), failed).fail(e)
        if self.replaces:
            return made
        return tuple([made[i] if new else row[i] for new, i in self.plan])

    @staticmethod
    def _several(result) -> tuple:
        return result if isinstance(result, tuple) else (result,)

    def _fitting(self, values: tuple):
        """What the last operation gave, as values of the output columns."""
        if len(values) == len(self.outputs):
            return values
        if len(self.outputs) == 1 or len(values) != 1 or not isinstance(values[0], list):
            raise DatasetError(
                "Invalid columns, the number of columns returned in 'map' operations should match the "
                "number of 'output_columns', but got the number of columns returned in 'map' "
                f"operations: {len(values)}, the number of 'output_columns': {len(self.outputs)}. "
                f"{self.what} gave {len(values)} values for ({', '.join(self.outputs)})"
            )
        return tuple(values[0])

    def origin(self, run, index):
        return self.children[0].origin(run, index)

    def rows(self, run):
        return self.rows_after(run, 0)

    def rows_after(self, run, skip):
        return self.rows_into(run, skip, None)

    def rows_into(self, run, skip, place):
        mode = config.get_error_samples_mode()
        if mode is not ErrorSamplesMode.RETURN or self.processes or not self.writes:
            place = (
                None  # a row that is left out leaves its number to none, or memory is not shared
            )
        if self._at_once(mode):
            return self._by_chunks(enumerate(self.children[0].rows_after(run, skip), skip), run)
        if (view := self._loaded_here(mode)) is not None:
            order = enumerate(view.order(run)[skip:], skip)
            return parallel(
                self, lambda at: self.apply((at[0], view.row(at[1])), run, place), order, run, skip
            )
        if mode is not ErrorSamplesMode.RETURN:  # which rows are left out decides where to go on
            numbered = enumerate(self.children[0].rows(run))
            made = parallel(self, caught(lambda row: self.apply(row, run)), numbered, run)
            return itertools.islice(tolerant(made, mode), skip, None)
        numbered = enumerate(self.children[0].rows_after(run, skip), skip)
        return parallel(self, lambda row: self.apply(row, run, place), numbered, run, skip)

    def _at_once(self, mode) -> bool:
        """Whether many rows take one call: of transforms of text, which draw nothing and hold the GIL, so
        that threads would only wait for one another.
        """
        text = len(self.steps) == 1 and isinstance(self.steps[0], FusedText) and self.replaces
        one = len(self.inputs) == len(self.outputs) == len(self.columns) == 1
        plain = self.stage is None and not self.processes
        return text and one and plain and mode is ErrorSamplesMode.RETURN

    def _by_chunks(self, numbered, run):
        for chunk in in_chunks(numbered):
            try:
                made = self.steps[0].many([row[0] for _, row in chunk])
            except Exception:  # one by one, for the rows before the one that failed, and to name it
                yield from (self.apply(row, run) for row in chunk)
            else:
                yield from zip(made)

    def _loaded_here(self, mode) -> RandomAccess | None:
        """The view of a source whose rows the threads of this operation make, as well as its own could:
        then a row stays with one thread.
        """
        source = self.children[0]
        if self.processes or self.stage is not None or mode is not ErrorSamplesMode.RETURN:
            return None
        return source.view() if source.any_thread and source.workers <= self.workers else None

    def size(self):
        return self.children[0].size()


class BatchInfo:
    """What a ``per_batch_map`` or a ``batch_size`` function is told.

    Args:
        epoch (int): the epoch, counted from 0.
        batch (int): the batch within the epoch, counted from 0.

    Examples:
        >>> import minds.dataset as ds
        >>> d = ds.NumpySlicesDataset([1, 2, 3, 4, 5, 6], shuffle=False)
        >>> d = d.batch(lambda info: info.get_batch_num() + 1)
        >>> [len(x) for x, in d.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [1, 2, 3]
    """

    def __init__(self, epoch: int, batch: int):
        self._epoch, self._batch = epoch, batch

    def get_epoch_num(self) -> int:
        """The epoch, counted from 0.

        Returns:
            int: the number.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.BatchInfo(2, 3).get_epoch_num()
            2
        """
        return self._epoch

    def get_batch_num(self) -> int:
        """The batch within the epoch, counted from 0.

        Returns:
            int: the number.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.BatchInfo(2, 3).get_batch_num()
            3
        """
        return self._batch


class BatchNode(Operation):
    """Rows stacked into batches; ``fn``: a ``per_batch_map``; ``pad``: target shapes and values by
    column.
    """

    def __init__(
        self,
        child: Operation,
        batch_size,
        drop: bool,
        fn=None,
        inputs=None,
        outputs=None,
        pad=None,
        workers=1,
        processes=False,
    ):
        self.children, self.batch, self.drop, self.fn = (child,), batch_size, drop, fn
        self.workers, self.processes, self.tunable = workers, processes, fn is not None
        self.pad, self.repeats = pad, child.repeats
        self.batch_size = -1 if callable(batch_size) else batch_size
        inputs = tuple(inputs or child.columns)
        self.inputs, self.outputs = (
            child.places_of(
                inputs, "batch", "Invalid input_columns, '{}' of 'input_columns' doesn't exist."
            ),
            tuple(outputs or inputs),
        )
        if pad:
            child.places_of(
                pad, "padded_batch", "Invalid pad_info, column name: {} does not exist."
            )
        self.columns = child.columns
        if fn is not None:
            self.columns = _renamed(child.columns, inputs, self.outputs)
        double = [c for c in self.columns if self.columns.count(c) > 1]
        if double:
            raise DatasetError(
                f"batch: Invalid output_columns, column {double[0]!r} already exists"
            )

    def _sizes(self, run, first=0):
        for number in itertools.count(first):
            info = BatchInfo(run.of_iterator()[0], number)
            n = self.batch
            if callable(n):
                with UsersCode("batch: batch_size", number, "batch"):
                    n = self.batch(info)
            if not isinstance(n, (int, np.integer)) or n < 1:
                raise DatasetError(
                    f"batch: the batch_size function gave {n!r}; expected a positive int"
                )
            yield int(n), info

    def rows(self, run):
        return self.rows_after(run, 0)

    def rows_after(self, run, skip):
        if skip and callable(self.batch):
            # How many rows they have must be asked of the user's function, in order.
            return itertools.islice(self.rows_after(run, 0), skip, None)
        view = self.children[0].view()
        if (
            view
            and view.gather
            and self.fn is None
            and self.pad is None
            and getattr(self.children[0], "workers", 1) == 1
        ):
            return self._gathered(view, run, skip)
        memories = None
        if self.fn is None and self.pad is None and not callable(self.batch):
            memories = BatchMemories(self.batch)
        return parallel(
            self,
            lambda group: self._assemble(*group, run, memories),
            self._groups(run, skip, memories),
            run,
            skip,
        )

    def _gathered(self, view, run, skip):
        order, begin = view.order(run), skip and skip * self.batch
        for n, _ in self._sizes(run, skip):
            picked = order[begin : begin + n]
            if not len(picked) or self.drop and len(picked) < n:
                return
            yield view.gather(picked)
            begin += n

    def _groups(self, run, skip=0, memories=None):
        first = skip and skip * self.batch
        if memories is None:
            rows = iter(self.children[0].rows_after(run, first))
        else:
            rows = iter(self.children[0].rows_into(run, first, memories.place))
        for n, info in self._sizes(run, skip):
            group = list(itertools.islice(rows, n))
            if not group or self.drop and len(group) < n:
                return
            yield group, info

    def _assemble(self, group, info, run, memories=None):
        lists = [list(c) for c in zip(*group)]
        memory = None if memories is None else memories.take(info.get_batch_num())
        if memory is not None:
            lists = [c if (whole := memory.whole(c)) is None else whole for c in lists]
        names = self.children[0].columns
        if self.fn is not None:
            run.begin_row(self, info.get_batch_num())
            lists, names = self._mapped(lists, info), self.columns
        if self.pad is not None:
            lists = [pad_list(c, n, self.pad.get(n)) for c, n in zip(lists, names)]
        return tuple(
            [c if isinstance(c, np.ndarray) else stack(c, n) for c, n in zip(lists, names)]
        )

    def _mapped(self, lists, info):
        with UsersCode("batch: per_batch_map", info.get_batch_num(), "batch"):
            made = self.fn(*[lists[i] for i in self.inputs], info)
        made = made if isinstance(made, tuple) else (made,)
        if len(made) != len(self.outputs):
            raise DatasetError(
                f"batch: per_batch_map gave {len(made)} columns; expected {len(self.outputs)} "
                f"({', '.join(self.outputs)})"
            )
        what = "batch: per_batch_map"
        for name, v in zip(self.outputs, made):
            if not isinstance(v, (list, tuple, np.ndarray)):
                raise DatasetError(
                    f"batch: per_batch_map gave {type(v).__name__} for column {name!r}; expected a "
                    "list of arrays"
                )
        made = {
            n: v if isinstance(v, np.ndarray) else [as_value(e, what) for e in v]
            for n, v in zip(self.outputs, made)
        }
        kept = {
            n: c
            for i, (n, c) in enumerate(zip(self.children[0].columns, lists))
            if i not in self.inputs
        }
        return [made[n] if n in made else kept[n] for n in self.columns]

    def size(self):
        if callable(self.batch):
            return sum(1 for _ in self._groups(Run(0, {})))
        n = self.children[0].size()
        return n // self.batch if self.drop else -(-n // self.batch)


class ProjectNode(PassingNode):
    """Some columns, in a given order, perhaps under new names."""

    def __init__(self, child: Operation, names, new_names=None):
        super().__init__(child)
        self.places = child.places_of(names, "project" if new_names is None else "rename")
        self.columns = tuple(new_names or names)
        if len(set(self.columns)) != len(self.columns):
            again = next(c for c in self.columns if self.columns.count(c) > 1)
            raise DatasetError(
                "Invalid column, rename operation does not support rename one column name into "
                f"another already exist column name, existing column name is: {again}."
            )

    def view(self):
        view, places = self.children[0].view(), self.places
        return view and RandomAccess(
            view.order,
            lambda i: tuple([view.row(i)[p] for p in places]),
            view.gather
            and (lambda idx: (lambda cols: tuple([cols[p] for p in places]))(view.gather(idx))),
        )

    def rows(self, run):
        return self.rows_after(run, 0)

    def rows_after(self, run, skip):
        return self._picked(self.children[0].rows_after(run, skip))

    def rows_into(self, run, skip, place):
        return self._picked(self.children[0].rows_into(run, skip, place))

    def _picked(self, rows):
        return (tuple([row[p] for p in self.places]) for row in rows)

    def size(self):
        return self.children[0].size()


class FilterNode(PassingNode):
    """The rows for which a predicate is true."""

    def __init__(self, child: Operation, predicate, inputs):
        super().__init__(child)
        self.predicate, self._size = predicate, None
        self.inputs = child.places_of(
            inputs or child.columns,
            "filter",
            "Invalid parameter, column name: {} does not exist in the dataset columns.",
        )

    def rows(self, run):
        for index, row in enumerate(self.children[0].rows(run)):
            run.begin_row(self, index)
            with UsersCode("filter: the predicate", index):
                kept = bool(self.predicate(*[row[i] for i in self.inputs]))
            if kept:
                yield row

    def size(self):
        if self._size is None:
            self._size = sum(1 for _ in self.rows(Run(0, {})))
        return self._size


class FlatMapNode(Operation):
    """The rows of the datasets that a function makes of each row."""

    def __init__(self, child: Operation, fn):
        self.children, self.fn, self.columns = (child,), fn, fn(*child.first()).columns

    def rows(self, run):
        for index, row in enumerate(self.children[0].rows(run)):
            with UsersCode("flat_map: the function", index):
                made = self.fn(*row)
            yield from made.rows(run)

    def size(self):
        return sum(1 for _ in self.rows(Run(0, {})))
