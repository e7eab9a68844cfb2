"""`Dataset.sync_wait` and `sync_update`: rows that wait for the program which consumes them."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

from ..base.errors import complain
from . import config
from .arguments import check_type
from .handle import DatasetHandle, workers_of
from .nodes import BatchNode, PassingNode
from .pipeline import DatasetError, Operation

if TYPE_CHECKING:
    from .datasets import Dataset

_GLANCE = 0.2  # seconds between looks at whether the iterator still wants rows


class SyncNode(PassingNode):
    """The rows of its child; each waits until it was released.

    Args:
        child (Operation): gives the rows.
        name (str): the name of the condition.
        num_batch (int): the batches that are free at first, and that an update releases by default: batches
            of the iterator's rows, of which each may be several rows of the child.
        callback (Callable, optional): called with the data of an update.
    """

    def __init__(self, child: Operation, name: str, num_batch: int, callback):
        super().__init__(child)
        self.name, self.num_batch, self.callback = name, num_batch, callback
        self._released, self._base, self._reader, self._rows = 0, 0, None, 1
        self._disabled = False
        self._changed = threading.Condition()

    def rows(self, run):
        return self.rows_after(run, 0)

    def rows_after(self, run, skip):
        rows = self.children[0].rows_after(run, skip)
        if run.is_stopped is None:  # nobody consumes the rows: they are looked at or counted
            return rows
        return self._released_rows(run, rows)

    def _released_rows(self, run, rows):
        if self._reader is not run.places:  # a new iterator begins with rows that are free
            self._reader, self._given = run.places, 0
            self._base = self._released
            self._rows = self._rows_of_a_batch(run)
        for row in rows:
            self._wait(run)
            self._given += 1
            yield row

    def _rows_of_a_batch(self, run) -> int:
        """How many of these rows are one of the iterator's, as far as batches have a fixed size."""
        sizes = [
            n.batch
            for n in run.places
            if isinstance(n, BatchNode) and not callable(n.batch) and self in nodes_of(n)
        ]
        return math.prod(sizes)

    def _wait(self, run) -> None:
        limit, waited = config.get_callback_timeout(), 0.0
        with self._changed:
            while (
                not self._disabled
                and self._given >= (self.num_batch + self._released - self._base) * self._rows
            ):
                if waited >= limit:
                    raise DatasetError(
                        f"sync_wait: no sync_update of {self.name!r} in {limit} s; call it after "
                        "each batch, or raise config.set_callback_timeout"
                    )
                if run.is_stopped():
                    return
                self._changed.wait(_GLANCE)
                waited += _GLANCE

    def update(self, num_batch: int | None, data) -> None:
        """Release batches, after the callback was told ``data``."""
        if self.callback is not None:
            self.callback(data)
        with self._changed:
            self._released += self.num_batch if num_batch is None else num_batch
            self._changed.notify_all()

    def disable(self) -> None:
        """Let all rows pass from now on."""
        with self._changed:
            self._disabled = True
            self._changed.notify_all()

    def origin(self, run, index):
        return self.children[0].origin(run, index)

    def size(self):
        return self.children[0].size()


def nodes_of(node: Operation) -> list[Operation]:
    """A node and all below it."""
    return [node, *(n for child in node.children for n in nodes_of(child))]


def waits_of(node: Operation) -> dict[str, SyncNode]:
    """The conditions that a pipeline waits for, by name."""
    return {n.name: n for n in nodes_of(node) if isinstance(n, SyncNode)}


def workers_over(node: Operation, num_parallel_workers) -> int:
    """The threads of an operation over a pipeline: one where rows wait, for several read ahead, and
    would wait for rows that are released after them.
    """
    workers = workers_of(num_parallel_workers)
    return 1 if waits(node) else workers


def processes_over(node: Operation, python_multiprocessing: bool = False, **_) -> bool:
    """Whether an operation over a pipeline runs in processes."""
    check_type("python_multiprocessing", python_multiprocessing, (bool,))
    return python_multiprocessing and not waits(node)


def waits(node: Operation) -> bool:
    """Whether rows of a pipeline wait for the program that consumes them."""
    return bool(waits_of(node)) or any(getattr(n, "waits", False) for n in nodes_of(node))


class Synchronising(DatasetHandle):
    """The methods of `Dataset` that make rows wait."""

    _part_of = "Dataset"

    def sync_wait(self, condition_name: str, num_batch: int = 1, callback=None) -> Dataset:
        """Let rows wait until `sync_update` releases them: what makes them can then use what came of
        the rows before.

        Args:
            condition_name (str): a name for `sync_update`, which no other wait of the pipeline has.
            num_batch (int): the batches that are free at first, and that an update releases: rows, where a
                following `batch` does not make one of several. Default: 1.
            callback (Callable, optional): called with the ``data`` of an update. Default: None.

        Returns:
            Dataset: a new one. It must not be shuffled.

        Raises:
            TypeError: ``condition_name`` is no str.
            ValueError: ``num_batch`` is not positive.
            RuntimeError: the name is in use already; or no update comes for
                ``config.get_callback_timeout()`` seconds (raised when the pipeline runs).

        Examples:
            >>> import minds.dataset as ds
            >>> seen = []
            >>> d = ds.NumpySlicesDataset([1, 2, 3], "x", shuffle=False)
            >>> d = d.sync_wait("loss", callback=seen.append).map(lambda x: x + sum(seen), "x")
            >>> for (x,) in d.create_tuple_iterator(num_epochs=1, output_numpy=True):
            ...     print(int(x))
            ...     d.sync_update("loss", data=10)
            1
            12
            23
        """
        check_type("condition_name", condition_name, (str,))
        check_type("num_batch", num_batch, (int,))
        if num_batch < 1:
            raise complain(ValueError, "num_batch need to be greater than 0.")
        if condition_name in waits_of(self._node):
            raise DatasetError("Condition name is already in use.")
        if callback is not None and not callable(callback):
            raise complain(TypeError, f"callback must be callable, got {type(callback).__name__}")
        return self._over(SyncNode(self._node, condition_name, num_batch, callback))

    def sync_update(self, condition_name: str, num_batch: int | None = None, data=None) -> None:
        """Release rows that wait by `sync_wait`.

        Args:
            condition_name (str): the name of the wait.
            num_batch (int, optional): how many batches. Default: as `sync_wait` was told.
            data (Any): what the callback is called with. Default: None.

        Raises:
            TypeError: ``condition_name`` is no str.
            RuntimeError: the pipeline has no wait of this name, or ``num_batch`` is not positive.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([1, 2], shuffle=False).sync_wait("step")
            >>> for (x,) in d.create_tuple_iterator(num_epochs=1, output_numpy=True):
            ...     d.sync_update("step")
        """
        check_type("condition_name", condition_name, (str,))
        is_count = isinstance(num_batch, int) and not isinstance(num_batch, bool) and num_batch > 0
        if num_batch is not None and not is_count:
            raise DatasetError(
                f"Sync_update batch size can only be positive integer, got: {num_batch}."
            )
        waits = waits_of(self._node)
        if condition_name not in waits:
            raise DatasetError("Condition name not found.")
        waits[condition_name].update(num_batch, data)

    def disable_sync(self) -> None:
        """Let no row wait any more.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([1, 2], shuffle=False).sync_wait("step")
            >>> d.disable_sync()
            >>> [int(x) for x, in d]
            [1, 2]
        """
        for node in waits_of(self._node).values():
            node.disable()
