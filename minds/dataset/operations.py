"""The methods of `Dataset` that give a pipeline of other rows: each gives a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.errors import complain
from . import callbacks, config, joined, nodes
from .arguments import INT32, check_type
from .cache import DatasetCache
from .debug import hooked
from .handle import DatasetHandle, names_of, node_of, some_names, whole, workers_of
from .pipeline import DatasetError
from .source_arguments import of_type, row_size
from .sync import processes_over, waits_of, workers_over
from .text.vocab import Vocab

if TYPE_CHECKING:
    from .datasets import Dataset


def _check_operations(operations: list) -> None:
    for op in operations:
        if isinstance(op, type):
            raise complain(
                ValueError,
                "Parameter operations's element of method map should be a dataset processing "
                f"operation instance, but got: {op}. It may be missing parentheses for "
                "instantiation.",
            )
        if not callable(op):
            raise complain(
                ValueError,
                "Parameter operations's element of method map should be a python function or class "
                f"method which should be callable, but got: {op}. It doesn't need parentheses for "
                "python function or class method.",
            )
    if not operations:
        raise complain(ValueError, "map: there is no operation")


def _check_accepted(kwargs: dict) -> None:
    """The arguments of `map` that are accepted and change nothing."""
    for name, kinds in (("cache", (DatasetCache,)), ("offload", (bool,))):
        if kwargs.get(name) is not None:
            check_type(name, kwargs[name], kinds)
    row_size("max_rowsize", kwargs.get("max_rowsize"))


class Operations(DatasetHandle):
    """The methods of `Dataset` that give a pipeline of other rows."""

    _part_of = "Dataset"

    def map(
        self,
        operations,
        input_columns=None,
        output_columns=None,
        num_parallel_workers: int | None = None,
        **kwargs,
    ) -> Dataset:
        """Apply functions to columns of each row.

        Args:
            operations (Callable, list[Callable]): applied one after the other; each gets what the
                one before returned, a tuple as several arguments.
            input_columns (str, list[str], optional): the columns that the first gets. Default: the
                first column.
            output_columns (str, list[str], optional): the columns that the last gives. Default: as
                the inputs. Where the numbers differ, the new columns come first.
            num_parallel_workers (int, optional): threads, or processes. Default: the setting of
                ``config``.
            kwargs (Any): ``callbacks`` (DSCallback, list[DSCallback]); ``python_multiprocessing``
                (bool), whether the workers are processes, forked for each epoch, for functions in
                Python; ``max_rowsize``, ``cache`` and ``offload``, accepted.

        Returns:
            Dataset: a new one.

        Raises:
            TypeError: an operation cannot be called.
            RuntimeError: a column does not exist, or an operation returns a wrong number of values.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([1, 2], "x", shuffle=False)
            >>> d = d.map(lambda x: (x, x * x), "x", ["x", "y"])
            >>> [[int(v) for v in row] for row in d]
            [[1, 1], [2, 4]]
        """
        known = {"python_multiprocessing", "max_rowsize", "cache", "callbacks", "offload"}
        for k in kwargs:
            if k not in known:
                raise complain(TypeError, f"map() got an unexpected keyword argument {k!r}")
        operations = list(operations) if isinstance(operations, (list, tuple)) else [operations]
        _check_operations(operations)
        _check_accepted(kwargs)
        child = self._node
        if kwargs.get("callbacks", []) not in (None, []):
            child = callbacks.CallbackNode(child, callbacks.checked(kwargs["callbacks"]))
        workers = workers_over(child, num_parallel_workers)
        if hooks := config.debug_hooks():
            operations, workers = hooked(operations, hooks), 1
        return self._over(
            nodes.MapNode(
                child,
                operations,
                some_names(input_columns, "input_columns"),
                some_names(output_columns, "output_columns"),
                workers,
                not hooks and processes_over(child, **kwargs),
            )
        )

    def build_vocab(self, columns, freq_range, top_k, special_tokens, special_first) -> Vocab:
        """The vocabulary of the words in some columns, as `text.Vocab.from_dataset` makes it.

        Args:
            columns (str, list[str], optional): of strings; None for all.
            freq_range (tuple, optional): how often a word comes at least and at most.
            top_k (int, optional): how many words are taken at most.
            special_tokens (list[str], optional): more words.
            special_first (bool): whether these come first.

        Returns:
            Vocab: of the words.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: an argument is out of range.
            RuntimeError: a column does not exist or holds no strings.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset(["b", "a", "b"], "words", shuffle=False)
            >>> d.build_vocab("words", None, None, None, True).vocab()
            {'b': 0, 'a': 1}
        """
        return Vocab.from_dataset(self, columns, freq_range, top_k, special_tokens, special_first)

    def filter(
        self, predicate, input_columns=None, num_parallel_workers: int | None = None
    ) -> Dataset:
        """Keep some rows.

        Args:
            predicate (Callable): of the columns' values; true for rows to keep.
            input_columns (str, list[str], optional): the columns it gets. Default: all.
            num_parallel_workers (int, optional): accepted, without effect.

        Returns:
            Dataset: a new one.

        Raises:
            TypeError: ``predicate`` cannot be called.
            ValueError: ``num_parallel_workers`` is out of range.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([1, 2, 3, 4], shuffle=False).filter(lambda x: x % 2 == 0)
            >>> [int(x) for x, in d]
            [2, 4]
        """
        if not callable(predicate):
            said = "Predicate should be a Python function or a callable Python object."
            raise complain(TypeError, said)
        workers_of(num_parallel_workers)
        names = some_names(input_columns, "input_columns")
        return self._over(nodes.FilterNode(self._node, predicate, names))

    def shuffle(self, buffer_size: int) -> Dataset:
        """Shuffle the rows through a buffer.

        Args:
            buffer_size (int): rows in the buffer, at least 2; as many as the data has shuffle it
                fully.

        Returns:
            Dataset: a new one.

        Raises:
            TypeError: ``buffer_size`` is no int.
            ValueError: it is less than 2.
            RuntimeError: rows wait by `sync_wait`, for which their order must be known.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([1, 2, 3], shuffle=False).shuffle(3)
            >>> sorted(int(x) for x, in d)
            [1, 2, 3]
        """
        if waits_of(self._node):
            raise DatasetError("No shuffle after sync operators.")
        return self._over(nodes.ShuffleNode(self._node, whole("buffer_size", buffer_size, 2)))

    def repeat(self, count: int | None = None) -> Dataset:
        """Give the data several times. Inner shuffles differ each time.

        Args:
            count (int, optional): how often; None or -1 without end. Default: None.

        Returns:
            Dataset: a new one.

        Raises:
            TypeError: ``count`` is no int.
            ValueError: it is 0 or less than -1.

        Examples:
            >>> import minds.dataset as ds
            >>> [int(x) for x, in ds.NumpySlicesDataset([1, 2], shuffle=False).repeat(2)]
            [1, 2, 1, 2]
        """
        count = -1 if count is None else of_type("repeat", count, int, type(None))
        if count != -1 and not 1 <= count <= INT32:
            said = "count should be either -1 or positive integer, range[1, INT32_MAX]."
            raise complain(ValueError, said)
        return self._over(nodes.RepeatNode(self._node, None if count == -1 else count))

    def skip(self, count: int) -> Dataset:
        """Leave out the first rows of each epoch.

        Args:
            count (int): how many, at least 0.

        Returns:
            Dataset: a new one.

        Raises:
            TypeError: ``count`` is no int.
            ValueError: it is negative.

        Examples:
            >>> import minds.dataset as ds
            >>> [int(x) for x, in ds.NumpySlicesDataset([1, 2, 3], shuffle=False).skip(1)]
            [2, 3]
        """
        return self._over(nodes.SliceNode(self._node, whole("count", count, 0), None))

    def take(self, count: int = -1) -> Dataset:
        """Give only the first rows of each epoch.

        Args:
            count (int): how many at most; -1 gives all. Default: -1.

        Returns:
            Dataset: a new one.

        Raises:
            TypeError: ``count`` is no int.
            ValueError: it is 0 or less than -1.

        Examples:
            >>> import minds.dataset as ds
            >>> [int(x) for x, in ds.NumpySlicesDataset([1, 2, 3], shuffle=False).take(2)]
            [1, 2]
        """
        count = of_type("count", count, int)
        if count != -1 and not 1 <= count <= INT32:
            raise complain(
                ValueError,
                "count should be either -1 or within the required interval of (0, 2147483647], got "
                f"{count}.",
            )
        return self if count == -1 else self._over(nodes.SliceNode(self._node, 0, count))

    def zip(self, datasets) -> Dataset:
        """Put the columns of other datasets beside these; the shortest ends the epoch.

        Args:
            datasets (Dataset, tuple[Dataset]): the others, with columns of other names.

        Returns:
            Dataset: a new one.

        Raises:
            TypeError: an element is no Dataset.

        Examples:
            >>> import minds.dataset as ds
            >>> a = ds.NumpySlicesDataset([1, 2], "x", shuffle=False)
            >>> b = ds.NumpySlicesDataset([3, 4], "y", shuffle=False)
            >>> [[int(v) for v in row] for row in a.zip(b)]
            [[1, 3], [2, 4]]
        """
        if not isinstance(datasets, (tuple, list)):
            check_type("datasets", datasets, (tuple, DatasetHandle))
        others = datasets if isinstance(datasets, (tuple, list)) else (datasets,)
        return self._over(joined.ZipNode([node_of(d) for d in (self, *others)]))

    def concat(self, datasets) -> Dataset:
        """Give the rows of other datasets after these.

        Args:
            datasets (Dataset, list[Dataset]): the others, with the same columns.

        Returns:
            Dataset: a new one.

        Raises:
            TypeError: an element is no Dataset.

        Examples:
            >>> import minds.dataset as ds
            >>> a = ds.NumpySlicesDataset([1, 2], shuffle=False)
            >>> [int(x) for x, in a.concat(ds.NumpySlicesDataset([3], shuffle=False))]
            [1, 2, 3]
        """
        if not isinstance(datasets, (tuple, list)):
            check_type("datasets", datasets, (list, DatasetHandle))
        others = datasets if isinstance(datasets, (tuple, list)) else [datasets]
        return self._over(joined.ConcatNode([node_of(d) for d in (self, *others)]))

    def __add__(self, datasets) -> Dataset:
        return self.concat(datasets)

    def project(self, columns) -> Dataset:
        """Keep some columns.

        Args:
            columns (str, list[str]): which, in this order.

        Returns:
            Dataset: a new one.

        Raises:
            TypeError: ``columns`` is no str or list of them.
            RuntimeError: there is no such column.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset({"x": [1], "y": [2]}).project("y").get_col_names()
            ['y']
        """
        return self._over(nodes.ProjectNode(self._node, names_of(columns, "columns")))

    def rename(self, input_columns, output_columns) -> Dataset:
        """Give columns other names.

        Args:
            input_columns (str, list[str]): the columns.
            output_columns (str, list[str]): their new names, in the same order.

        Returns:
            Dataset: a new one.

        Raises:
            TypeError: an argument is no str or list of them.
            ValueError: the numbers differ.
            RuntimeError: there is no such column.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset({"x": [1], "y": [2]}).rename("y", "z").get_col_names()
            ['x', 'z']
        """
        old, new = (
            names_of(input_columns, "input_columns"),
            names_of(output_columns, "output_columns"),
        )
        if len(old) != len(new):
            said = "Number of column in input_columns and output_columns is not equal."
            raise complain(ValueError, f"{said} There are {len(old)} and {len(new)}.")
        self._node.places_of(
            old, "rename", "Invalid column, column to be renamed does not exist. There is no {}."
        )
        renamed = dict(zip(old, new))
        return self._over(
            nodes.ProjectNode(
                self._node, self._node.columns, [renamed.get(c, c) for c in self._node.columns]
            )
        )

    def apply(self, apply_func) -> Dataset:
        """Apply a function to this dataset.

        Args:
            apply_func (Callable): gives a dataset from this one.

        Returns:
            Dataset: what it gives.

        Raises:
            TypeError: ``apply_func`` cannot be called, or gives no Dataset.

        Examples:
            >>> import minds.dataset as ds
            >>> len(ds.NumpySlicesDataset([1, 2]).apply(lambda d: d.repeat(2)))
            4
        """
        if not callable(apply_func):
            raise complain(TypeError, "apply_func must be a function.")
        made = apply_func(self)
        if not isinstance(made, DatasetHandle):
            said = f"apply_func must return a dataset. It gave {type(made).__name__}."
            raise complain(TypeError, said)
        return made

    def flat_map(self, func) -> Dataset:
        """Give the rows of the datasets that a function makes of each row, one after the other.

        Args:
            func (Callable): gives a dataset from the columns' values.

        Returns:
            Dataset: a new one.

        Raises:
            TypeError: ``func`` cannot be called.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([1, 2], shuffle=False)
            >>> d = d.flat_map(lambda x: ds.NumpySlicesDataset([int(x)] * int(x)))
            >>> [int(x) for x, in d]
            [1, 2, 2]
        """
        if not callable(func):
            raise complain(TypeError, "func must be a function.")

        def made(*row):
            given = func(*row)
            if not isinstance(given, DatasetHandle):
                raise complain(TypeError, "flat_map must return a Dataset object.")
            return node_of(given)

        return self._over(nodes.FlatMapNode(self._node, made))
