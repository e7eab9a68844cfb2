"""The datasets that `Model` takes: also those of other libraries, which give rows and say how many."""

from __future__ import annotations

import inspect

from ..base.errors import complain
from ..dataset import Dataset, GeneratorDataset, TransferDataset
from ..tensor import Tensor


class Foreign:
    """The rows of an object with ``get_dataset_size`` and ``__iter__``, as arrays.

    Args:
        rows (Any): the object; its ``reset``, where it has one, is called before each epoch.
    """

    def __init__(self, rows):
        self._rows = rows

    def __len__(self) -> int:
        return int(self._rows.get_dataset_size())

    def __iter__(self):
        if hasattr(self._rows, "reset"):
            self._rows.reset()
        for _, row in zip(range(len(self)), iter(self._rows)):
            row = row if isinstance(row, (tuple, list)) else (row,)
            yield tuple([v.asnumpy() if isinstance(v, Tensor) else v for v in row])


def as_dataset(given):
    """``given`` if it is a dataset; one of its rows if it has some and says how many; else itself."""
    if isinstance(given, (Dataset, TransferDataset)) or not hasattr(given, "get_dataset_size"):
        return given
    if not hasattr(given, "__iter__"):
        return given
    rows = Foreign(given)
    columns = [f"column_{i}" for i in range(len(given.output_shapes()))]
    return GeneratorDataset(rows, columns, shuffle=False)


def check_inputs(network, dataset) -> None:
    """A network that computes its own loss takes a row of the dataset."""
    columns, construct = dataset.get_col_names(), network.construct
    try:
        inspect.signature(construct).bind(*columns)
    except TypeError as e:
        raise complain(
            ValueError,
            f"Model: {type(network).__name__}.construct does not take the columns "
            f"{', '.join(columns)}: {e}",
            expected="a network that takes a row and gives the loss, because no loss is given",
            cure="give Model a loss_fn, or project the dataset",
        ) from None
