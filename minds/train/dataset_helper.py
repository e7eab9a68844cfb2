"""`DatasetHelper` and `connect_network_with_dataset`: MindSpore's loops over a dataset in sink mode."""

from __future__ import annotations

from ..base.boundary import checked
from ..base.errors import complain
from ..base.options import GRAPH_MODE, get_context
from ..dataset import Dataset, TransferDataset
from ..nn import Cell
from .foreign import as_dataset
from .sinking import check_size, opened, sink


class DatasetHelper:
    """An epoch of a dataset, over and over. In sink mode the rows go to the network that
    `connect_network_with_dataset` gives: the iteration gives empty tuples, one for ``sink_size`` steps in
    graph mode, one per step else.

    Args:
        dataset (Any): the rows: a Dataset, in sink mode its queue (`Dataset.device_que`), or an object that
            has ``get_dataset_size`` and can be iterated.
        dataset_sink_mode (bool): whether the network takes the rows itself. Default: ``True``.
        sink_size (int): in sink mode, so many steps are an iteration; -1: those of an epoch. Default: -1.
        epoch_num (int): without sink mode, how many epochs there are; -1: without end. Default: 1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``sink_size`` is 0 or below -1.

    Examples:
        >>> import minds as ms
        >>> data = ms.dataset.NumpySlicesDataset([1.0, 2.0], shuffle=False)
        >>> [float(x) for x, in ms.DatasetHelper(data, dataset_sink_mode=False)]
        [1.0, 2.0]
    """

    @checked
    def __init__(
        self, dataset, dataset_sink_mode: bool = True, sink_size: int = -1, epoch_num: int = 1
    ):
        self._foreign = None if isinstance(dataset, Dataset) else dataset
        dataset = as_dataset(dataset)
        if not isinstance(dataset, (Dataset, TransferDataset) if dataset_sink_mode else Dataset):
            kind = type(dataset).__name__
            raise complain(
                TypeError, f"DatasetHelper: dataset has type {kind}", expected="a Dataset"
            )
        if not isinstance(dataset_sink_mode, bool):
            said = f"DatasetHelper: dataset_sink_mode is {dataset_sink_mode!r}"
            raise complain(TypeError, said, expected="a bool")
        if sink_size != -1:
            check_size(sink_size, "DatasetHelper")
        self.dataset, self._sinks = dataset, dataset_sink_mode
        self._size = dataset.get_dataset_size() if sink_size == -1 else sink_size
        self._epochs, self._rows, self._network = epoch_num, None, None

    def __iter__(self):
        if not self._sinks:
            return iter(self._opened() if self._foreign is None else self._foreign)
        return iter([()] * (1 if get_context("mode") == GRAPH_MODE else self._size))

    def _opened(self):
        if self._rows is None:
            epochs = -1 if self._sinks else self._epochs
            self._rows = opened(self.dataset, epochs, sinks=self._sinks)
        return self._rows

    def types_shapes(self) -> tuple:
        """The dtypes and shapes of a row.

        Returns:
            tuple: (list of dtypes, list of shapes).

        Examples:
            >>> import minds as ms
            >>> data = ms.dataset.NumpySlicesDataset([[1, 2], [3, 4]]).batch(2)
            >>> ms.DatasetHelper(data).types_shapes()[1]
            [[2, 2]]
        """
        return self.dataset.output_types(), self.dataset.output_shapes()

    get_data_info = types_shapes

    def sink_size(self) -> int:
        """How many steps an iteration is.

        Returns:
            int: in sink mode of compiled networks those of an iteration, else 1.

        Examples:
            >>> import minds as ms
            >>> ms.DatasetHelper(ms.dataset.NumpySlicesDataset([1, 2, 3]), False).sink_size()
            1
        """
        return self._size if self._sinks and get_context("mode") == GRAPH_MODE else 1

    def stop_send(self) -> None:
        """Take no more rows from the dataset.

        Examples:
            >>> import minds as ms
            >>> ms.DatasetHelper(ms.dataset.NumpySlicesDataset([1, 2, 3])).stop_send()
        """
        if self._rows is not None:
            self._rows.stop()
            self._rows = None

    def release(self) -> None:
        """Free what is held for the dataset.

        Examples:
            >>> import minds as ms
            >>> ms.DatasetHelper(ms.dataset.NumpySlicesDataset([1, 2, 3])).release()
        """
        self.stop_send()

    def continue_send(self) -> None:
        """Accepted: rows are sent as they are taken.

        Examples:
            >>> import minds as ms
            >>> ms.DatasetHelper(ms.dataset.NumpySlicesDataset([1, 2, 3])).continue_send()
        """

    def _connected(self, network) -> Cell:
        if not self._sinks:
            raise complain(
                RuntimeError,
                "connect_network_with_dataset: the helper is not in sink mode",
                cure="give DatasetHelper dataset_sink_mode=True",
            )
        if self._network is not None and self._network.network is not network:
            raise complain(
                ValueError,
                "connect_network_with_dataset: the dataset is connected to another network",
            )
        self._network = self._network or _Connected(network, self)
        return self._network


class _Connected(Cell):
    """A network that takes its inputs from a dataset; a call is as many steps as an iteration."""

    def __init__(self, network, helper: DatasetHelper):
        super().__init__(auto_prefix=False)
        self.network, self._helper = network, helper

    def __call__(self):
        return sink(self.network, self._helper._opened(), self._helper.sink_size(), True)[0]


def connect_network_with_dataset(network, dataset_helper) -> Cell:
    """A network that takes its inputs from a dataset.

    Args:
        network (Cell): takes a row.
        dataset_helper (DatasetHelper): in sink mode.

    Returns:
        Cell: takes nothing; a call runs ``dataset_helper.sink_size()`` steps and gives what the last gave.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: the helper is not in sink mode.
        ValueError: its dataset is connected to another network.

    Examples:
        >>> import numpy as np
        >>> import minds as ms
        >>> from minds import nn
        >>> data = ms.dataset.NumpySlicesDataset(np.ones((4, 2), np.float32)).batch(2)
        >>> helper = ms.DatasetHelper(data, sink_size=2)
        >>> net = ms.connect_network_with_dataset(nn.ReLU(), helper)
        >>> for inputs in helper:
        ...     out = net(*inputs)
        >>> out.shape
        (2, 2)
    """
    if not isinstance(network, Cell) or not isinstance(dataset_helper, DatasetHelper):
        kinds = f"{type(network).__name__} and {type(dataset_helper).__name__}"
        said = f"connect_network_with_dataset: the arguments have types {kinds}"
        raise complain(TypeError, said, expected="a Cell and a DatasetHelper")
    return dataset_helper._connected(network)


__all__ = ["DatasetHelper", "connect_network_with_dataset"]
