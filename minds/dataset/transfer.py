"""`Dataset.device_que`: a pipeline as the queue that training in sink mode reads.

The queue is the channel of an iterator, which a thread fills, and which can be paused and asked. Who takes
from it gets what is for the device on its way there.
"""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING

from ..base.errors import complain
from ..tensor import Tensor
from . import config
from .arguments import check_type
from .facts import Facts
from .handle import DatasetHandle
from .iterators import Channel, TupleIterator, take
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
        """The data as a queue that is filled ahead: what training with ``dataset_sink_mode`` reads. `Model`,
        `DatasetHelper` and `data_sink` make one of their dataset, and take one in its place.

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


class _Sending(Channel):
    """A channel that can be paused.

    Attributes:
        sent: how many rows were put; making: the seconds in which they were made.
    """

    def __init__(self):
        super().__init__(config.get_prefetch_size())
        self.paused, self.sent, self.making = False, 0, 0.0
        self._since = time.perf_counter()

    def put(self, item) -> bool:
        made = time.perf_counter() - self._since
        with self._changed:
            self._changed.wait_for(lambda: not (self.paused and self.is_open))
        kept = super().put(item)
        if kept and self.is_row(item):
            self.sent += 1
            self.making += made
        self._since = time.perf_counter()
        return kept

    def pause(self, paused: bool) -> None:
        with self._changed:
            self.paused = paused
            self._changed.notify_all()


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
        self._dataset = input_dataset
        self.queue_name = queue_name or str(uuid.uuid4())
        self.column_name = self.get_col_names()
        self._sends_end, self._says = send_epoch_end, create_data_info_queue
        self._paused = False
        self._channel: _Sending | None = None
        self._rows: TupleIterator | None = None

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
        self.opened(num_epochs)

    def opened(self, num_epochs: int = -1, state: dict | None = None) -> TupleIterator:
        """The rows of the queue for who trains with them: as it was sent, or sent now.

        Args:
            num_epochs (int): how many epochs, if it is sent now; -1: without end. Default: -1.
            state (dict, optional): where to begin then: what the ``state()`` of an iterator gave.

        Returns:
            TupleIterator: it gives what is in the queue.

        Raises:
            ValueError: ``state`` is given, and the queue was sent.

        Examples:
            >>> import minds.dataset as ds
            >>> queue = ds.NumpySlicesDataset([5, 6, 7], shuffle=False).device_que()
            >>> queue.send(num_epochs=1)
            >>> [int(x) for x, in queue.opened()]
            [5, 6, 7]
        """
        if self._rows is None or not self._channel.is_open:
            self._channel = _Sending()
            begin = self._dataset._begin(state)
            shown = self._dataset._shown()
            self._rows = TupleIterator(shown, num_epochs, False, None, begin, self._channel)
            self._channel.pause(self._paused)
        elif state is not None:
            raise complain(
                ValueError,
                "TransferDataset: state is given, but the queue was sent",
                cure="release it",
            )
        return self._rows

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
        rows = self._rows
        taken = take(rows) if rows.epochs_left else None
        if taken is None and rows.epochs_left:  # an epoch is over, or has no rows
            taken = take(rows)
        if taken is None:
            return None
        row, copies = taken
        if copies is not None:
            copies.wait()
        return [v.asnumpy() if isinstance(v, Tensor) else v for v in row]

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
        self._paused = paused
        if self._channel is not None:
            self._channel.pause(paused)

    def release(self) -> None:
        """End the queue, and forget what it holds.

        Examples:
            >>> import minds.dataset as ds
            >>> queue = ds.NumpySlicesDataset([5, 6, 7], shuffle=False).device_que()
            >>> queue.send(num_epochs=1)
            >>> queue.release()
        """
        if self._rows is not None:
            self._rows.stop()
        self._rows = self._channel = None
        self._paused = False

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
        if self._rows is None:
            raise DatasetError("Device queue is not init, call get_mbuf_queue_size failed.")
        return self._rows.waiting()

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
        row = self._rows.peek()
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
        return self._channel.sent, self._channel.making

    def _need(self, what: str, why: str = "") -> None:
        if self._rows is None:
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
