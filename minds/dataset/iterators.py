"""Iterators over a pipeline: a background thread runs ahead, epochs follow one another.

The thread holds no reference to the iterator, so an iterator that is dropped in the middle of an
epoch stops its thread.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import threading
import time
import weakref
from collections import deque

import numpy as np

from .. import _core
from ..base.errors import complain
from ..base.marks import mark
from ..tensor import Tensor
from . import config
from .arguments import INT32, check_interval, check_type
from .metering import metered
from .pipeline import DatasetError, Operation, start
from .source_arguments import of_type
from .sync import waits
from .tuning import Tuner

_END = object()


class _Failure:
    """An exception on its way from the background thread to the consumer."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException):
        self.error = error


class Channel:
    """A bounded queue that either side can close. Its items are rows, and marks at the ends of epochs."""

    def __init__(self, capacity: int):
        self._items, self.capacity, self._open = deque(), capacity, True
        self._changed = threading.Condition()

    def put(self, item) -> bool:
        """Append ``item`` when there is room; False if the channel was closed."""
        with self._changed:
            while self._open and len(self._items) >= self.capacity:
                self._changed.wait()
            if self._open:
                self._items.append(item)
                self._changed.notify_all()
            return self._open

    def get(self):
        """The next item; None if the channel was closed and is empty."""
        with self._changed:
            while self._open and not self._items:
                self._changed.wait()
            item = self._items.popleft() if self._items else None
            self._changed.notify_all()
            return item

    def level(self) -> int:
        """How many items are there."""
        return len(self._items)

    def rows(self) -> int:
        """How many of them are rows."""
        with self._changed:
            return sum(map(self.is_row, self._items))

    @staticmethod
    def is_row(item) -> bool:
        """Whether an item is a row, and neither the end of an epoch nor what went wrong."""
        return item is not None and item is not _END and not isinstance(item, _Failure)

    @property
    def is_open(self) -> bool:
        return self._open

    def poll(self):
        """The next item if it is there, else None."""
        with self._changed:
            item = self._items.popleft() if self._items else None
            self._changed.notify_all()
            return item

    def close(self) -> None:
        with self._changed:
            self._open = False
            self._items.clear()
            self._changed.notify_all()


def _produce(node: Operation, run, epochs, skipped: int, channel: Channel, tuner) -> None:
    """Fill ``channel`` with the rows of ``epochs``, of the first one without ``skipped`` rows, and
    an end mark after each: the background thread. A ``tuner`` hears of each row.
    """
    try:
        for epoch in epochs:
            rows, skipped = node.rows_after(run.at(epoch), skipped), 0
            for row in rows:
                if not channel.put(row):
                    return
                if tuner is not None:
                    tuner.after(row)
            if tuner is not None:
                tuner.save(config.autotune_file())
            if not channel.put(_END):
                return
    except BaseException as e:  # what the user's code raises belongs to the consumer
        channel.put(_Failure(e))


def to_tensor(value):
    """A column's value as a Tensor; text and dicts stay what they are, for a Tensor holds
    numbers.
    """
    return value if isinstance(value, dict) or value.dtype.kind in "USO" else Tensor(value)


class _Sent:
    """A row whose copies to a device run beside the work that is queued there."""

    __slots__ = ("copies", "device", "row")

    def __init__(self, device: _core.Device, deliver, item):
        self.device, self.copies = device, _core.Ahead(device)
        with self.copies:
            self.row = deliver(item)


def _checked(state: dict | None) -> dict:
    """Where to begin: ``state``, and what a new iterator has for what it does not say.

    Raises:
        TypeError: it is no dict of numbers.
        ValueError: a number is negative, or a key unknown.
    """
    seed = config.explicit_seed()
    begin = {
        "seed": int(np.random.SeedSequence().entropy % 2**63) if seed is None else seed,
        "seeded": seed is not None,
        "epoch": 0,
        "row": 0,
    }
    if state is None:
        return begin
    if not isinstance(state, dict) or not all(isinstance(v, int) for v in state.values()):
        raise complain(TypeError, f"state is {state!r}", expected="what an iterator's state() gave")
    if not state.keys() <= begin.keys() or min(state.values(), default=0) < 0:
        raise complain(ValueError, f"state is {state}", expected="what an iterator's state() gave")
    return begin | state


class StoppedIterator(DatasetError, AttributeError):
    """A row is asked of an iterator that was stopped: a fault of MindSpore's class and words.

    Examples:
        >>> import minds.dataset as ds
        >>> rows = ds.NumpySlicesDataset([1, 2]).create_tuple_iterator()
        >>> rows.stop()
        >>> try:
        ...     next(rows)
        ... except AttributeError:
        ...     print("it was stopped")
        it was stopped
    """


ITERATORS_LIST: list[weakref.ref] = []
"""The iterators that somebody holds, as MindSpore lists them."""


def _cleanup() -> None:
    """End all iterators, and the threads of those that nobody holds any more, as MindSpore's tests do."""
    for held in list(ITERATORS_LIST):
        iterator = held()
        if iterator is not None:
            iterator.stop()
    gc.collect()


def _forget(held: weakref.ref) -> None:
    with contextlib.suppress(ValueError):  # the list was emptied
        ITERATORS_LIST.remove(held)


class DatasetIterator:
    """Rows of one epoch after the other; `StopIteration` ends an epoch, the next call begins the
    next. Where tensors are made on a device with memory of its own, the next row is on its way there
    while the step of the last one runs.

    Args:
        node (Operation): the last operation of the pipeline.
        num_epochs (int): how many epochs it can give; -1: without end.
        output_numpy (bool): whether values are NumPy arrays instead of Tensors.
        places (list[int], optional): which of a row's values. Default: all.
        state (dict, optional): where to begin, what `state` gave. Default: at the first row.
        channel (Channel, optional): what the background thread fills. Default: one of its own.

    Attributes:
        waited (int): the nanoseconds that the caller waited for rows so far.
    """

    def __init__(
        self,
        node: Operation,
        num_epochs: int,
        output_numpy: bool,
        places=None,
        state: dict | None = None,
        channel: Channel | None = None,
    ):
        num_epochs = of_type("num_epochs", num_epochs, int)
        check_interval("num_epochs", num_epochs, -1, INT32)
        if num_epochs == 0:
            said = "num_epochs should be either -1 or positive integer, num_epochs: 0"
            raise DatasetError(said)
        check_type("output_numpy", output_numpy, (bool,))
        self.waited = 0
        self._names, self._numpy, self._places = node.columns, output_numpy, places
        self._state = _checked(state)
        first = self._state["epoch"]
        epochs = itertools.count(first) if num_epochs < 0 else range(first, int(num_epochs))
        self._left, self._failed = -1 if num_epochs < 0 else len(epochs), None
        self._channel = channel = channel or Channel(config.get_prefetch_size())
        seed, tuner = (self._state["seed"], self._state["seeded"]), None
        if config.get_enable_autotune() and not waits(node):
            node, run, stages = metered(node, *seed, tuned=True)
            tuner = Tuner(stages, channel)
        else:
            run = start(node, *seed)
        run.is_stopped = lambda: not channel.is_open
        self._next: tuple | None = None  # an item that was taken, and its row if that was sent
        thread = threading.Thread(
            target=_produce,
            args=(node, run, epochs, self._state["row"], channel, tuner),
            name="minds-dataset",
            daemon=True,
        )
        self.stop = weakref.finalize(self, self._channel.close)
        ITERATORS_LIST.append(weakref.ref(self, _forget))
        thread.start()

    def __iter__(self):
        return self

    def __next__(self):
        row, copies = self._take()
        if copies is not None:
            copies.wait()
        return row

    def _take(self) -> tuple:
        """(the next row, the `_core.Ahead` whose copies it waits for, or None)."""
        if self._failed is not None:
            raise self._failed
        if self._left == 0:
            raise DatasetError(
                "the iterator has given all its epochs; create a new one, or one with a larger "
                "num_epochs"
            )
        taken, self._next = self._next if self._channel.is_open else None, None
        item, sent = taken or (self._wait(), None)
        if item is _END:
            self._left -= 1
            self._state.update(epoch=self._state["epoch"] + 1, row=0)
            if self._left == 0:
                self.stop()
            raise StopIteration
        if isinstance(item, _Failure):
            self._failed = item.error
            self.stop()
            raise item.error
        if item is None:
            kind = type(self).__name__
            said = f"the iterator was stopped: {kind!r} object has no attribute '_runtime_context' any more"
            raise StoppedIterator(said)
        if sent is not None and sent.device is _core.current_device():
            row, copies = sent.row, sent.copies
        else:
            row, copies = self._deliver(item), None
        self._state["row"] += 1
        self._send_next()
        return row, copies

    def _wait(self):
        """The next item of the channel; how long it took is added to ``waited``."""
        begin = time.perf_counter_ns()
        item = self._channel.get()
        end = time.perf_counter_ns()
        self.waited += end - begin
        mark("wait for data", begin, end)
        return item

    def state(self) -> dict:
        """Where the iterator is. One that is created with it over an equal pipeline gives the rest.

        Returns:
            dict[str, int]: the seed, whether the user chose it, the epoch and how many of its rows were
            given.

        Examples:
            >>> import minds.dataset as ds
            >>> data = ds.NumpySlicesDataset([5, 6, 7, 8])
            >>> rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
            >>> _ = next(rows)
            >>> state = rows.state()
            >>> rest = [int(x) for x, in rows]
            >>> again = data.create_tuple_iterator(num_epochs=1, output_numpy=True, state=state)
            >>> rest == [int(x) for x, in again]
            True
        """
        return dict(self._state)

    def release(self) -> None:
        """End the iterator, as `stop` does.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2]).create_tuple_iterator().release()
        """
        self.stop()

    @property
    def epochs_left(self) -> int:
        """How many epochs were not given to their end; -1: without end."""
        return self._left

    def waiting(self) -> int:
        """How many rows are ready."""
        held = self._next is not None and self._channel.is_row(self._next[0])
        return self._channel.rows() + held

    def peek(self):
        """The next row as the pipeline made it; empty at the end of an epoch."""
        if self._next is None and self._left and self._channel.is_open:
            self._next = self._wait(), None
        item = () if self._next is None else self._next[0]
        return item if self._channel.is_row(item) else ()

    def _send_next(self) -> None:
        device = _core.current_device()
        if self._numpy or device.is_host or (item := self._channel.poll()) is None:
            return
        sent = None
        if item is not _END and not isinstance(item, _Failure):
            # What cannot be a tensor is an error of the step that asks for it.
            with contextlib.suppress(Exception):
                sent = _Sent(device, self._deliver, item)
        self._next = item, sent

    def _deliver(self, row):
        raise NotImplementedError

    def _value(self, v):
        return v if self._numpy else to_tensor(v)


def take(rows: DatasetIterator) -> tuple | None:
    """The next row, and the `_core.Ahead` whose copies it waits for, or None; None at an epoch's end."""
    try:
        return rows._take()
    except StopIteration:
        return None


class DictIterator(DatasetIterator):
    """Rows as dicts from column name to value; what `Dataset.create_dict_iterator` gives.

    Args:
        node (Operation): the last operation of the pipeline.
        num_epochs (int): how many epochs it can give; -1: without end.
        output_numpy (bool): whether values are NumPy arrays instead of Tensors.
        places (list[int], optional): which of a row's values; of no meaning for dicts.
        state (dict, optional): where to begin, what `state` gave. Default: at the first row.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``num_epochs`` is 0 or less than -1.

    Examples:
        >>> import minds.dataset as ds
        >>> rows = ds.NumpySlicesDataset({"x": [1, 2]}, shuffle=False).create_dict_iterator()
        >>> isinstance(rows, ds.DictIterator), int(next(rows)["x"])
        (True, 1)
    """

    def _deliver(self, row):
        return {n: self._value(v) for n, v in zip(self._names, row)}


class TupleIterator(DatasetIterator):
    """Rows as lists of values; what `Dataset.create_tuple_iterator` gives.

    Args:
        node (Operation): the last operation of the pipeline.
        num_epochs (int): how many epochs it can give; -1: without end.
        output_numpy (bool): whether values are NumPy arrays instead of Tensors.
        places (list[int], optional): which of a row's values, in this order. Default: all.
        state (dict, optional): where to begin, what `state` gave. Default: at the first row.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``num_epochs`` is 0 or less than -1.

    Examples:
        >>> import minds.dataset as ds
        >>> rows = ds.NumpySlicesDataset([1, 2], shuffle=False).create_tuple_iterator()
        >>> isinstance(rows, ds.TupleIterator), int(next(rows)[0])
        (True, 1)
    """

    def _deliver(self, row):
        picked = row if self._places is None else [row[i] for i in self._places]
        return [self._value(v) for v in picked]
