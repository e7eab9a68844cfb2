"""`Dataset`: the user's handle on a pipeline. Each method returns a new dataset and changes
none.
"""

from __future__ import annotations

import copy

import numpy as np

from ..base.errors import complain
from . import config, describing, joined, nodes, saving
from .arguments import check_type
from .batching import Batching
from .facts import Facts
from .handle import names_of, node_of
from .iterators import DictIterator, TupleIterator
from .nodes import BatchInfo
from .operations import Operations
from .pipeline import Operation
from .profiling import Profiling
from .samplers import BuiltinSampler, choose
from .splitting import Splitting
from .sync import Synchronising
from .transfer import Transferring


class Dataset(Facts, Batching, Operations, Profiling, Splitting, Synchronising, Transferring):
    """A pipeline of rows with named columns, made by the classes of `minds.dataset` and by its
    methods.

    Rows are pulled: an iterator's background thread asks the last operation for a row, that one
    asks the one before it, and so on. With a seed (`minds.set_seed` or
    ``minds.dataset.config.set_seed``) every new iterator gives the same rows, and each epoch has
    its own order.

    Args:
        node (Operation): the last operation of the pipeline; what the classes and methods pass.

    Raises:
        TypeError: ``node`` is no operation.

    Examples:
        >>> import minds.dataset as ds
        >>> d = ds.NumpySlicesDataset({"x": [1, 2, 3, 4, 5]}, shuffle=False)
        >>> d = d.map(lambda x: x * 10, "x").batch(2, drop_remainder=True)
        >>> [row["x"].tolist() for row in d.create_dict_iterator(num_epochs=1, output_numpy=True)]
        [[10, 20], [30, 40]]
    """

    def _over(self, node: Operation) -> Dataset:
        return Dataset(node)

    def save(self, file_name: str, num_files: int = 1, file_type: str = "mindrecord") -> None:
        """Write one epoch to MindRecord files; numbers are widened to int32, int64, float32 or float64.

        Args:
            file_name (str): the file; with several a number is appended to it. Existing ones are
                replaced.
            num_files (int): how many files share the rows. Default: 1.
            file_type (str): ``"mindrecord"``.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: an argument is out of range.
            RuntimeError: there are no rows, or one cannot be written.

        Examples:
            >>> import minds.dataset as ds
            >>> import os, tempfile
            >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
            >>> ds.NumpySlicesDataset({"x": [5, 6]}, shuffle=False).save(path)
            >>> [int(row["x"]) for row in ds.MindDataset(path, shuffle=False).create_dict_iterator()]
            [5, 6]
        """
        saving.save(self._node, file_name, num_files, file_type, config.get_seed())

    def to_json(self, filename: str = "") -> dict:
        """The pipeline as JSON, as `serialize` gives it.

        Args:
            filename (str): the file to write; none where it is empty. Default: "".

        Returns:
            dict: the description.

        Raises:
            TypeError: a transform has an argument that has no form in JSON.
            OSError: the file cannot be written.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.FakeImageDataset(4).take(2).to_json()["op_type"]
            'Take'
        """
        return describing.saved("to_json", self._node, filename)

    # Samplers. These two change the dataset they are called on, as in MindSpore.

    def use_sampler(self, new_sampler) -> None:
        """Let ``new_sampler`` choose the rows of this source, instead of its last sampler. Of datasets
        that were joined by `concat`, a `DistributedSampler` takes a share of all rows, and a `RandomSampler`
        draws for each row which of the datasets gives its next one.

        Args:
            new_sampler (Sampler, iterable): chooses rows and their order.

        Raises:
            TypeError: this dataset is neither a random access source nor joined of several, or
                ``new_sampler`` is no sampler, or none for this dataset.
            ValueError: ``new_sampler`` has an option that makes no sense for joined datasets.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([5, 6, 7])
            >>> d.use_sampler(ds.SubsetSampler([2, 0]))
            >>> [int(x) for x, in d]
            [7, 5]
        """
        if new_sampler is None:
            raise complain(TypeError, "Input sampler can not be None.")
        is_sampler = isinstance(new_sampler, BuiltinSampler) or np.iterable(new_sampler)
        if not is_sampler or isinstance(new_sampler, str):
            raise complain(TypeError, "Input sampler is not an instance of a sampler.")
        if isinstance(self._node, joined.ConcatNode):
            self._node = self._node.sampled(new_sampler)
            return
        if not hasattr(self._node, "sampler"):
            raise complain(TypeError, "use_sampler: a random access source is needed")
        node = copy.copy(self._node)
        inner = getattr(node.sampler, "child", None)
        if inner is not None and getattr(new_sampler, "child", inner) is None:
            new_sampler = copy.copy(new_sampler)
            new_sampler.add_child(inner)
        node.sampler = choose(new_sampler, None, None, None, None)
        node.__dict__.pop("_first", None)
        self._node = node

    def add_sampler(self, new_sampler) -> None:
        """Let ``new_sampler``, one of this module's, choose among the rows that the present sampler
        chooses.

        Args:
            new_sampler (Sampler): one of this module's.

        Raises:
            TypeError: this dataset is no random access source, or ``new_sampler`` is none of ours.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([5, 6, 7], shuffle=False)
            >>> d.add_sampler(ds.SubsetSampler([2, 0]))
            >>> [int(x) for x, in d]
            [7, 5]
        """
        if not isinstance(new_sampler, BuiltinSampler) or not hasattr(self._node, "sampler"):
            raise complain(
                TypeError, f"add_sampler: {type(new_sampler).__name__} cannot be added here"
            )
        outer = copy.copy(new_sampler)
        outer.add_child(self._node.sampler)
        self.use_sampler(outer)

    # Iteration.

    def reset(self) -> None:
        """Begin anew: what makes rows from a seed or a position begins with each iterator, so that there
        is nothing to do.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([1, 2], shuffle=False)
            >>> d.reset()
            >>> [int(x) for x, in d]
            [1, 2]
        """

    def create_dict_iterator(
        self,
        num_epochs: int = -1,
        output_numpy: bool = False,
        do_copy: bool = False,
        state: dict | None = None,
    ) -> DictIterator:
        """An iterator over rows as dicts.

        Args:
            num_epochs (int): how many epochs it can give; -1: without end. Each ends with
                ``StopIteration``. Default: -1.
            output_numpy (bool): whether values are NumPy arrays instead of Tensors. Default: False.
            do_copy (bool): accepted; values are always the caller's own.
            state (dict, optional): where to begin: what the ``state()`` of an iterator gave.
                ``num_epochs`` counts from the first epoch. Default: at the first row.

        Returns:
            DictIterator: {column name: value}.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: ``num_epochs`` is 0 or less than -1.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset({"x": [1, 2]}, shuffle=False)
            >>> [int(row["x"]) for row in d.create_dict_iterator(num_epochs=1)]
            [1, 2]
        """
        check_type("output_numpy", output_numpy, (bool,))
        check_type("do_copy", do_copy, (bool,))
        return DictIterator(self._shown(), num_epochs, output_numpy, None, self._begin(state))

    def _shown(self) -> Operation:
        """The pipeline without the columns about files, which are shown under other names only."""
        kept = [c for c in self._node.columns if not c.startswith("_meta-")]
        if len(kept) == len(self._node.columns):
            return self._node
        return nodes.ProjectNode(self._node, kept)

    def _begin(self, state: dict | None) -> dict | None:
        """Where an iterator begins: ``state``, or at the initial step."""
        if state is not None or not self._init_step:
            return state
        return dict(zip(("epoch", "row"), divmod(self._init_step, self._node.size() or 1)))

    def create_tuple_iterator(
        self,
        columns=None,
        num_epochs: int = -1,
        output_numpy: bool = False,
        do_copy: bool = False,
        state: dict | None = None,
    ) -> TupleIterator:
        """An iterator over rows as lists.

        Args:
            columns (str, list[str], optional): the columns, in this order. Default: all.
            num_epochs (int), output_numpy (bool): as in `create_dict_iterator`.
            do_copy (bool): accepted. Default: True.
            state (dict, optional): as in `create_dict_iterator`.

        Returns:
            TupleIterator: lists of values.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: ``num_epochs`` is 0 or less than -1.
            RuntimeError: there is no such column.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset({"x": [1, 2], "y": [3, 4]}, shuffle=False)
            >>> [[int(v) for v in row] for row in d.create_tuple_iterator(["y", "x"], num_epochs=1)]
            [[3, 1], [4, 2]]
        """
        check_type("output_numpy", output_numpy, (bool,))
        check_type("do_copy", do_copy, (bool,))
        places = (
            None
            if columns is None
            else self._node.places_of(names_of(columns, "column_names"), "create_tuple_iterator")
        )
        node = self._node if columns is not None else self._shown()
        return TupleIterator(node, num_epochs, output_numpy, places, self._begin(state))

    def __iter__(self) -> TupleIterator:
        return self.create_tuple_iterator(num_epochs=1)


def zip_datasets(datasets) -> Dataset:
    """Put the columns of several datasets side by side, as `Dataset.zip` does.

    Args:
        datasets (tuple[Dataset]): at least two.

    Returns:
        Dataset: a new one.

    Raises:
        TypeError: an element is no Dataset.
        ValueError: there are fewer than two.

    Examples:
        >>> import minds.dataset as ds
        >>> a = ds.NumpySlicesDataset([1, 2], "x", shuffle=False)
        >>> b = ds.NumpySlicesDataset([3, 4], "y", shuffle=False)
        >>> [[int(v) for v in row] for row in ds.zip((a, b))]
        [[1, 3], [2, 4]]
    """
    if not isinstance(datasets, (tuple, list)):
        check_type("datasets", datasets, (tuple,))
    if len(datasets) < 2:
        raise complain(ValueError, "Can't zip empty or just one dataset!")
    return Dataset(joined.ZipNode([node_of(d) for d in datasets]))


__all__ = ["BatchInfo", "Dataset", "zip_datasets"]
