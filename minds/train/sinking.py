"""Sinks: steps of training that the core runs one after the other, from a queue of batches that a
thread fills. Where a program changes nothing but parameters no Python runs between its steps; the
queue's batches are copied to the device while earlier steps run.
"""

from __future__ import annotations

import functools
import threading

from .. import _core
from ..base.errors import complain
from ..base.options import GRAPH_MODE, get_context
from ..dataset import Dataset, TransferDataset
from ..dataset.iterators import DatasetIterator, take
from ..jit.compile import jit, program_of
from ..nn import Cell
from ..tensor import Tensor

_AHEAD = 2  # batches in the queue, beside the one that is used


class _Feeder(threading.Thread):
    """Puts batches of one kind into a queue, as many as are asked for.

    Attributes:
        left: what was taken and is of another kind, or None.
        error: what the dataset raised, or None; ended: whether the epoch is over.
    """

    def __init__(self, rows, feed: _core.Feed, first: tuple, most: int | None):
        super().__init__(name="minds-sink", daemon=True)
        self.rows, self.feed, self.first, self.most = rows, feed, first, most
        self.left = self.error = None
        self.ended = False

    def run(self) -> None:
        """Until there is enough, the epoch is over, or nobody takes any more."""
        kind, taken = _kind(self.first[0]), self.first
        try:
            while taken is not None and self.put(taken):
                if self.most is not None:
                    self.most -= 1
                taken = None if self.most == 0 else self.take()
                if taken is not None and _kind(taken[0]) != kind:
                    self.left, taken = taken, None
        except BaseException as e:  # raised by the thread that trains
            self.error = e
        finally:
            self.feed.end()

    def put(self, taken: tuple) -> bool:
        row, copies = taken
        return self.feed.put([t._array for t in row], copies)

    def take(self) -> tuple | None:
        found = take(self.rows)
        self.ended = found is None
        return found


def _kind(row: tuple) -> list:
    return [(t.shape, t.dtype) if isinstance(t, Tensor) else type(t) for t in row]


def sink(fn, rows, most: int | None = None, again: bool = False) -> tuple:
    """Call ``fn`` with each row, and give what the last call gave.

    Args:
        fn (Callable): a cell, or a function that `jit` made.
        rows (DatasetIterator): an epoch of rows, or many.
        most (int | None): so many rows; None for the rest of the epoch.
        again (bool): whether a new epoch begins where one ends, until there are enough.
    Returns:
        tuple: (the result, how many rows there were).
    """
    result, done, ended = None, 0, False
    while not ended and (most is None or done < most):
        taken = take(rows)
        ended = taken is None
        while taken is not None:
            left = None if most is None else most - done
            result, count, taken, ended = _run(fn, rows, taken, left)
            done += count
        ended = ended and not again
    return result, done


def _run(fn, rows, taken: tuple, most: int | None) -> tuple:
    """Rows of one kind: (the last result, how many there were, the next row if one was taken,
    whether the epoch has ended).
    """
    row, copies = taken
    program, leaves = program_of(fn, row) if all(isinstance(t, Tensor) for t in row) else (None, ())
    if program is None or not program.can_sink():
        if copies is not None:
            copies.wait()
        result = fn(*row)
        after = None if most == 1 else take(rows)
        return result, 1, after, after is None and most != 1
    feed = _core.Feed(_AHEAD)
    feeder = _Feeder(rows, feed, taken, most)
    feeder.start()
    try:
        result, count = program.sink(feed, leaves[len(row) :])
    finally:
        feed.end()
        feeder.join()
    if feeder.error is not None:
        raise feeder.error
    return result, count, feeder.left, feeder.ended


def opened(
    dataset: Dataset | TransferDataset,
    num_epochs: int,
    state: dict | None = None,
    sinks: bool = True,
) -> DatasetIterator:
    """The rows of ``dataset`` for who trains with them; of its queue, if they go to a sink.

    Raises:
        TypeError: a queue is given, and no sink is there to read it.
    """
    if not sinks and isinstance(dataset, TransferDataset):
        raise complain(
            TypeError,
            "Model: train_dataset is a TransferDataset, which is read in sink mode",
            expected="a Dataset, or dataset_sink_mode=True",
        )
    if not sinks:
        return dataset.create_tuple_iterator(num_epochs=num_epochs, state=state)
    queue = dataset if isinstance(dataset, TransferDataset) else dataset.device_que()
    return queue.opened(num_epochs, state)


def data_sink(fn, dataset, sink_size: int = 1, jit_config=None, input_signature=None):
    """A function that trains: each call of it takes the next rows of a dataset, endlessly, and calls
    ``fn`` with each. Compiled steps follow one another in the core, without Python between.

    Args:
        fn (Callable): takes a row of the dataset: a cell, or a function. It is compiled in graph
            mode, where `jit` made it, or where ``jit_config`` or ``input_signature`` is given.
        dataset (Dataset, TransferDataset): the rows, or a queue of them (`Dataset.device_que`).
        sink_size (int): how many rows a call takes. Default: 1.
        jit_config (JitConfig): that ``fn`` is compiled. Default: None.
        input_signature (Tensor | tuple): as of `jit`. Default: None.
    Returns:
        Callable: takes nothing, gives what the last call of ``fn`` gave.
    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``sink_size`` is not positive, or the dataset is empty.

    Examples:
        >>> import minds as ms
        >>> from minds import train
        >>> data = ms.dataset.NumpySlicesDataset([1.0, 2.0, 3.0], shuffle=False)
        >>> step = ms.data_sink(ms.jit(lambda x: x * 2), data, sink_size=2)
        >>> float(step()), float(step())
        (4.0, 2.0)
    """
    if not callable(fn):
        raise complain(
            TypeError, f"data_sink: fn has type {type(fn).__name__}", expected="a function"
        )
    if not isinstance(dataset, (Dataset, TransferDataset)):
        kind = type(dataset).__name__
        raise complain(TypeError, f"data_sink: dataset has type {kind}", expected="a Dataset")
    check_size(sink_size, "data_sink")
    if dataset.get_dataset_size() == 0:
        raise complain(ValueError, "data_sink: dataset is empty", expected="at least one row")
    wanted = jit_config is not None or input_signature is not None
    if (wanted or get_context("mode") == GRAPH_MODE) and not isinstance(fn, Cell):
        fn = fn if hasattr(fn, "_compiled_from") else jit(fn, input_signature=input_signature)
    rows = None

    @functools.wraps(fn)
    def step():
        nonlocal rows
        if rows is None:
            rows = opened(dataset, -1)
        return sink(fn, rows, sink_size, True)[0]

    return step


def check_size(size, what: str) -> int:
    """``size`` if it is a number of steps.

    Raises:
        TypeError, ValueError: it is none.
    """
    if isinstance(size, bool) or not isinstance(size, int):
        raise complain(
            TypeError, f"{what}: sink_size has type {type(size).__name__}", expected="an int"
        )
    if size < 1:
        raise complain(ValueError, f"{what}: sink_size is {size}", expected="at least 1")
    return size


def epoch_size(sink_mode, size, resume, mode: str) -> int | None:
    """Of how many steps an epoch is that sinks: 0 for those of the dataset; None: none sinks."""
    if not isinstance(sink_mode, bool):
        said = f"Model: dataset_sink_mode is {sink_mode!r}"
        raise complain(TypeError, said, expected="a bool")
    if isinstance(size, bool) or not isinstance(size, int):
        kind = type(size).__name__
        raise complain(TypeError, f"Model: sink_size has type {kind}", expected="an int")
    if size < -1 or size == 0:
        said = f"Model: sink_size is {size}"
        raise complain(ValueError, said, expected="-1, or a positive int")
    if not sink_mode:
        return None
    if size == -1:
        return 0
    if resume is not None:
        raise complain(
            ValueError,
            f"Model.{mode}: sink_size is {size}, and resume is given",
            cure="leave sink_size at -1 to resume",
        )
    return check_size(size, "Model")


__all__ = ["data_sink", "epoch_size", "opened", "sink"]
