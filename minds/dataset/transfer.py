"""`Dataset.device_que`: a pipeline whose batches a thread takes ahead into a queue."""

from __future__ import annotations

import itertools
import threading
import time
import uuid
from collections import deque
from typing import TYPE_CHECKING

from ..base.errors import complain
from . import config
from .arguments import check_type
from .facts import Facts
from .handle import DatasetHandle
from .iterators import TupleIterator
from .pipeline import DatasetError

if TYPE_CHECKING:
    import numpy as np


class Transferring(DatasetHandle):
    """The method of `Dataset` that makes a queue of it."""

    _part_of = "Dataset"

    def device_que(
        self,
        send_epoch_end: bool = True,
        create_data_info_queue: bool = False,
        queue_name: str = "",
    ) -> TransferDataset:
        """The data as a queue that is filled ahead. Training with ``dataset_sink_mode`` needs none: it
        takes rows ahead by itself.

        Args:
            send_epoch_end (bool): accepted; the queue ends after its epochs. Default: True.
            create_data_info_queue (bool): whether `TransferDataset.get_data_info` can be asked.
                Default: False.
            queue_name (str): the queue's name. Default: ``""``, a new one.

        Returns:
            TransferDataset: not sent yet.

        Raises:
            TypeError: an argument has a wrong type.

        Examples:
            >>> import minds.dataset as ds
            >>> queue = ds.NumpySlicesDataset([5, 6, 7], shuffle=False).device_que(queue_name="rows")
            >>> queue.send(num_epochs=1)
            >>> [int(x) for x, in iter(queue.take_sent, None)]
            [5, 6, 7]
        """
        return TransferDataset(self, send_epoch_end, create_data_info_queue, queue_name)


class TransferDataset(Facts):
    """A pipeline as a queue that is filled ahead: made by `Dataset.device_que`.

    Args:
        input_dataset (Dataset): the data.
        send_epoch_end (bool): accepted. Default: True.
        create_data_info_queue (bool): whether `get_data_info` can be asked. Default: False.
        queue_name (str): the queue's name. Default: ``""``, a new one.

    Raises:
        TypeError: an argument has a wrong type.

    Examples:
        >>> import minds.dataset as ds
        >>> queue = ds.NumpySlicesDataset({"x": [5, 6]}).device_que(queue_name="rows")
        >>> queue.queue_name, queue.column_name
        ('rows', ['x'])
    """

    def __init__(
        self,
        input_dataset,
        send_epoch_end: bool = True,
        create_data_info_queue: bool = False,
        queue_name: str = "",
    ):
        check_type("send_epoch_end", send_epoch_end, (bool,))
        check_type("create_data_info_queue", create_data_info_queue, (bool,))
        check_type("queue_name", queue_name, (str,))
        super().__init__(input_dataset._node)
        self.queue_name = queue_name or str(uuid.uuid4())
        self.column_name = self.get_col_names()
        self._sends_end, self._says = send_epoch_end, create_data_info_queue
        self._rows: deque = deque()
        self._changed = threading.Condition()
        self._thread = self._error = None
        self._paused = self._ended = False
        self._sent, self._fetching = 0, 0.0

    def send(self, num_epochs: int = -1) -> None:
        """Start to fill the queue, from the first row on.

        Args:
            num_epochs (int): how many epochs; -1: without end. Default: -1.

        Raises:
            TypeError: ``num_epochs`` is no int.
            RuntimeError: it is 0.

        Examples:
            >>> import minds.dataset as ds
            >>> queue = ds.NumpySlicesDataset([5, 6, 7], shuffle=False).device_que()
            >>> queue.send(num_epochs=1)
            >>> queue.release()
        """
        self.release()
        rows = TupleIterator(self._node, num_epochs, True)
        self._paused = self._ended = False
        self._sent, self._fetching, self._error = 0, 0.0, None
        self._thread = threading.Thread(target=self._fill, args=(rows, num_epochs), daemon=True)
        self._thread.start()

    def _fill(self, rows, num_epochs: int) -> None:
        try:
            for _ in itertools.repeat(0) if num_epochs == -1 else range(num_epochs):
                self._fill_epoch(rows)
                if self._ended:
                    return
        except Exception as e:  # raised where the row is taken
            self._error = e
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify_all()

    def _fill_epoch(self, rows) -> None:
        begin = time.perf_counter()
        for row in rows:
            self._fetching += time.perf_counter() - begin
            with self._changed:
                self._changed.wait_for(self._has_room)
                if self._ended:
                    return
                self._rows.append(row)
                self._sent += 1
                self._changed.notify_all()
            begin = time.perf_counter()

    def _has_room(self) -> bool:
        full = len(self._rows) >= config.get_prefetch_size()
        return self._ended or not (self._paused or full)

    def take_sent(self) -> list[np.ndarray] | None:
        """The next row of the queue.

        Returns:
            list[numpy.ndarray]: its columns; None after the last.

        Raises:
            RuntimeError: the queue was not sent.

        Examples:
            >>> import minds.dataset as ds
            >>> queue = ds.NumpySlicesDataset([5, 6, 7], shuffle=False).device_que()
            >>> queue.send(num_epochs=1)
            >>> int(queue.take_sent()[0])
            5
            >>> queue.release()
        """
        self._need("take_sent")
        with self._changed:
            self._changed.wait_for(lambda: self._rows or self._ended)
            if self._rows:
                row = self._rows.popleft()
                self._changed.notify_all()
                return row
        if self._error is not None:
            raise self._error
        return None

    def stop_send(self) -> None:
        """Let the queue take no more rows until `continue_send`.

        Examples:
            >>> import minds.dataset as ds
            >>> queue = ds.NumpySlicesDataset([5, 6, 7], shuffle=False).device_que()
            >>> queue.stop_send()
            >>> queue.continue_send()
        """
        self._pause(True)

    def continue_send(self) -> None:
        """Let the queue take rows again.

        Examples:
            >>> import minds.dataset as ds
            >>> queue = ds.NumpySlicesDataset([5, 6, 7], shuffle=False).device_que()
            >>> queue.stop_send()
            >>> queue.continue_send()
        """
        self._pause(False)

    def _pause(self, paused: bool) -> None:
        with self._changed:
            self._paused = paused
            self._changed.notify_all()

    def release(self) -> None:
        """End the thread, and forget what the queue holds.

        Examples:
            >>> import minds.dataset as ds
            >>> queue = ds.NumpySlicesDataset([5, 6, 7], shuffle=False).device_que()
            >>> queue.send(num_epochs=1)
            >>> queue.release()
        """
        with self._changed:
            self._ended = True
            self._rows.clear()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def get_mbuf_queue_size(self) -> int:
        """How many rows the queue holds.

        Returns:
            int: the number.

        Raises:
            RuntimeError: the queue was not sent.

        Examples:
            >>> import minds.dataset as ds
            >>> queue = ds.NumpySlicesDataset([5, 6, 7], shuffle=False).device_que()
            >>> queue.send(num_epochs=1)
            >>> queue.get_mbuf_queue_size() <= 3
            True
            >>> queue.release()
        """
        if self._thread is None:
            raise DatasetError("Device queue is not init, call get_mbuf_queue_size failed.")
        return len(self._rows)

    def get_data_info(self) -> tuple[list, list]:
        """The dtypes and shapes of the row that comes next.

        Returns:
            tuple[list[numpy.dtype], list[list[int]]]: by column.

        Raises:
            RuntimeError: the queue was not sent, or was made without ``create_data_info_queue``.

        Examples:
            >>> import minds.dataset as ds
            >>> queue = ds.NumpySlicesDataset([[5, 6]]).device_que(create_data_info_queue=True)
            >>> queue.send(num_epochs=1)
            >>> queue.get_data_info()
            ([dtype('int64')], [[2]])
            >>> queue.release()
        """
        self._need("get_data_info")
        if not self._says:
            raise DatasetError("get_data_info: device_que was made without create_data_info_queue")
        with self._changed:
            self._changed.wait_for(lambda: self._rows or self._ended)
            row = self._rows[0] if self._rows else ()
        return [v.dtype for v in row], [list(v.shape) for v in row]

    def get_send_info(self) -> tuple[int, float]:
        """How many rows were sent, and the seconds that it took to make them.

        Returns:
            tuple[int, float]: the two.

        Raises:
            RuntimeError: the queue was not sent.

        Examples:
            >>> import minds.dataset as ds
            >>> queue = ds.NumpySlicesDataset([5, 6, 7], shuffle=False).device_que()
            >>> queue.send(num_epochs=1)
            >>> _ = list(iter(queue.take_sent, None))
            >>> queue.get_send_info()[0]
            3
            >>> queue.release()
        """
        self._need("get_send_info", ", data queue is not initialized")
        return self._sent, self._fetching

    def _need(self, what: str, why: str = "") -> None:
        if self._thread is None:
            raise DatasetError(f"Calling {what} with bad state{why}.")

    def __iter__(self):
        raise DatasetError("TransferDataset is not iterable.")

    def create_dict_iterator(self, num_epochs: int = -1, output_numpy: bool = False):
        """Refused: a queue is read by `take_sent`.

        Args:
            num_epochs (int): not looked at.
            output_numpy (bool): not looked at.

        Raises:
            RuntimeError: always.

        Examples:
            >>> import minds.dataset as ds
            >>> queue = ds.NumpySlicesDataset([5, 6, 7], shuffle=False).device_que()
            >>> try:
            ...     queue.create_dict_iterator()
            ... except RuntimeError:
            ...     print("take_sent reads a queue")
            take_sent reads a queue
        """
        raise complain(RuntimeError, "TransferDataset is not iterable.", cure="use take_sent")

    create_tuple_iterator = create_dict_iterator
