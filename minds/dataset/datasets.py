"""`Dataset`: the user's handle on a pipeline. Each method returns a new dataset and changes
none.
"""

from __future__ import annotations

import copy

import numpy as np

from ..base.errors import complain
from . import callbacks, config, nodes, saving
from . import source_arguments as arguments
from .engine import DatasetError, Operation, start
from .iterators import DictIterator, TupleIterator
from .nodes import BatchInfo
from .samplers import BuiltinSampler, RandomSampler, choose
from .sources import ChosenNode
from .text.vocab import Vocab

_INT32_MAX = 2**31 - 1


def whole(name: str, value, low: int, also: tuple = ()) -> int:
    """``value`` as an int of at least ``low``, or one of ``also``.

    Raises:
        TypeError: it is no int.
        ValueError: it is out of range.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise complain(TypeError, f"{name} must be an int, got {type(value).__name__}")
    if value not in also and not low <= value <= _INT32_MAX:
        extra = "".join(f" or {a}" for a in also)
        raise complain(ValueError, f"{name} must be in [{low}, {_INT32_MAX}]{extra}, got {value}")
    return int(value)


def names_of(columns, what: str) -> list[str]:
    """``columns``, a str or a list of str, as a list.

    Raises:
        TypeError: it is neither.
        ValueError: it is empty.
    """
    columns = [columns] if isinstance(columns, str) else columns
    if not isinstance(columns, (list, tuple)) or not all(isinstance(c, str) for c in columns):
        raise complain(TypeError, f"{what} must be a str or a list of str, got {columns!r}")
    if not columns or not all(columns):
        raise complain(ValueError, f"{what} is empty")
    return list(columns)


def workers_of(num_parallel_workers) -> int:
    """The number of threads of an operation."""
    if num_parallel_workers is None:
        return config.get_num_parallel_workers()
    return arguments.num_parallel_workers("num_parallel_workers", num_parallel_workers)


class Dataset:
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

    def __init__(self, node: Operation):
        if not isinstance(node, Operation):
            what = f"Dataset: node has type {type(node).__name__}"
            raise complain(TypeError, what, expected="an operation", cure="use GeneratorDataset")
        self._node = node
        self._init_step = 0

    # What the pipeline is.

    def get_col_names(self) -> list[str]:
        """The names of the columns.

        Returns:
            list[str]: in the order of a row's values.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset({"x": [1, 2], "y": [3, 4]}).get_col_names()
            ['x', 'y']
        """
        return list(self._node.columns)

    def get_dataset_size(self) -> int:
        """The rows (or batches) of one epoch. Where only running can tell, the pipeline is run
        once.

        Returns:
            int: the number.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2, 3, 4, 5]).batch(2).get_dataset_size()
            3
        """
        return self._node.size()

    __len__ = get_dataset_size

    def get_batch_size(self) -> int:
        """The batch size, or 1 if the rows are not batched.

        Returns:
            int: rows per batch.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2, 3, 4, 5]).batch(2).get_batch_size()
            2
        """
        return self._node.batch_size or 1

    def get_repeat_count(self) -> int:
        """How often `repeat` gives the data; -1 for without end.

        Returns:
            int: the product of all counts.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2]).repeat(3).get_repeat_count()
            3
        """
        return self._node.repeats

    def output_shapes(self, estimate: bool = False) -> list[list[int]]:
        """The shapes of the columns of the first row, whether or not they depend on the row.

        Args:
            estimate (bool): accepted, without effect. Default: False.

        Returns:
            list[list[int]]: one per column; empty for numbers.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([[1, 2], [3, 4]]).batch(2).output_shapes()
            [[2, 2]]
        """
        return [list(getattr(v, "shape", ())) for v in self._node.first() or ()]

    def output_types(self) -> list:
        """The NumPy dtypes of the columns of the first row.

        Returns:
            list[numpy.dtype]: one per column.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([1.0, 2.0]).output_types()
            [dtype('float64')]
        """
        types = [
            v.dtype if hasattr(v, "dtype") else np.dtype(object) for v in self._node.first() or ()
        ]
        return [np.dtype(t.kind) if t.kind in "US" else t for t in types]

    def _source(self) -> Operation:
        node = self._node
        while node.children:
            node = node.children[0]
        return node

    def get_class_indexing(self) -> dict:
        """The classes of the source, where it has names for them.

        Returns:
            dict: name → number; for COCO a list of the number, and whether it is a thing.

        Examples:
            >>> import minds.dataset as ds
            >>> import os, tempfile
            >>> folder = tempfile.mkdtemp()
            >>> os.mkdir(os.path.join(folder, "cat"))
            >>> open(os.path.join(folder, "cat", "1.bin"), "wb").close()
            >>> ds.ImageFolderDataset(folder).get_class_indexing()
            {'cat': 0}
        """
        return dict(getattr(self._source(), "classes", {}))

    def num_classes(self) -> int | None:
        """The number of classes of the source, where it has names for them.

        Returns:
            int: the number, or None.

        Examples:
            >>> import minds.dataset as ds
            >>> import os, tempfile
            >>> folder = tempfile.mkdtemp()
            >>> os.mkdir(os.path.join(folder, "cat"))
            >>> open(os.path.join(folder, "cat", "1.bin"), "wb").close()
            >>> ds.ImageFolderDataset(folder).num_classes()
            1
        """
        return len(self.get_class_indexing()) or None

    def get_init_step(self) -> int:
        """The step that training resumes at.

        Returns:
            int: what `set_init_step` set. Default 0.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2]).get_init_step()
            0
        """
        return self._init_step

    def set_init_step(self, init_step: int) -> None:
        """Set the step that training resumes at: iterators leave out what comes before it.

        Args:
            init_step (int): rows of this dataset, over epochs, at least 0.

        Raises:
            TypeError: ``init_step`` is no int.
            ValueError: it is negative.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([1, 2])
            >>> d.set_init_step(1)
            >>> d.get_init_step()
            1
        """
        self._init_step = whole("init_step", init_step, 0)

    # Operations.

    def batch(
        self,
        batch_size,
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        **kwargs,
    ) -> Dataset:
        """Stack rows into batches.

        Args:
            batch_size (int, Callable): rows per batch; a function is called with a `BatchInfo`
                before each batch.
            drop_remainder (bool): whether to leave out a last batch with fewer rows. Default:
                False.
            num_parallel_workers (int, optional): threads for ``per_batch_map``. Default: the
                setting of ``config``.
            kwargs (Any): ``per_batch_map`` (Callable), called with one list per input column and a
                `BatchInfo`, returns a tuple with one list or array per output column;
                ``input_columns`` (list[str]), the columns it gets, all by default;
                ``output_columns`` (list[str]), the columns it gives, by default as the inputs;
                ``python_multiprocessing`` and ``max_rowsize``, accepted.

        Returns:
            Dataset: with arrays of one more dimension.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: ``batch_size`` is not positive.
            RuntimeError: rows of a batch differ in shape (raised when the pipeline runs).

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([1, 2, 3, 4, 5], shuffle=False).batch(2)
            >>> [x.tolist() for x, in d.create_tuple_iterator(num_epochs=1, output_numpy=True)]
            [[1, 2], [3, 4], [5]]
        """
        known = {
            "per_batch_map",
            "input_columns",
            "output_columns",
            "python_multiprocessing",
            "max_rowsize",
        }
        for k in kwargs:
            if k not in known:
                raise complain(TypeError, f"batch: there is no argument {k!r}")
        if not callable(batch_size):
            batch_size = whole("batch_size", batch_size, 1)
        if not isinstance(drop_remainder, bool):
            raise complain(
                TypeError, f"drop_remainder must be a bool, got {type(drop_remainder).__name__}"
            )
        fn, inputs, outputs = (
            kwargs.get(k) for k in ("per_batch_map", "input_columns", "output_columns")
        )
        if fn is not None and not callable(fn):
            raise complain(TypeError, f"per_batch_map must be callable, got {type(fn).__name__}")
        if outputs is not None and fn is None:
            raise complain(ValueError, "output_columns needs per_batch_map")
        return Dataset(
            nodes.BatchNode(
                self._node,
                batch_size,
                drop_remainder,
                fn,
                inputs and names_of(inputs, "input_columns"),
                outputs and names_of(outputs, "output_columns"),
                workers=workers_of(num_parallel_workers),
            )
        )

    def padded_batch(
        self,
        batch_size,
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        pad_info: dict | None = None,
    ) -> Dataset:
        """Pad rows to a common shape and stack them.

        Args:
            batch_size (int, Callable): as in `batch`.
            drop_remainder (bool): as in `batch`.
            num_parallel_workers (int, optional): as in `batch`.
            pad_info (dict, optional): column → (shape, value). A dim that is None, and a column
                that is not named, is padded to the largest of the batch; a value of None is zero.
                None pads nothing.

        Returns:
            Dataset: with arrays of one more dimension.

        Raises:
            TypeError: ``pad_info`` is no dict.
            RuntimeError: a row is larger than its target (raised when the pipeline runs).

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([[1], [2, 3]], column_names="x", shuffle=False)
            >>> d = d.padded_batch(2, pad_info={"x": ([3], -1)})
            >>> [x.tolist() for x, in d.create_tuple_iterator(num_epochs=1, output_numpy=True)]
            [[[1, -1, -1], [2, 3, -1]]]
        """
        if pad_info is not None and not isinstance(pad_info, dict):
            raise complain(TypeError, f"pad_info must be a dict, got {type(pad_info).__name__}")
        if not callable(batch_size):
            batch_size = whole("batch_size", batch_size, 1)
        return Dataset(
            nodes.BatchNode(
                self._node,
                batch_size,
                drop_remainder,
                pad=pad_info,
                workers=workers_of(num_parallel_workers),
            )
        )

    def bucket_batch_by_length(
        self,
        column_names,
        bucket_boundaries,
        bucket_batch_sizes,
        element_length_function=None,
        pad_info=None,
        pad_to_bucket_boundary: bool = False,
        drop_remainder: bool = False,
    ) -> Dataset:
        """Batch rows of similar length together, and pad them.

        Args:
            column_names (list[str]): the columns that the length is taken from.
            bucket_boundaries (list[int]): rising; bucket i has lengths below boundary i, the last
                the rest.
            bucket_batch_sizes (list[int]): rows per batch of each bucket, one more than there are
                boundaries.
            element_length_function (Callable, optional): the length from the columns. Default: the
                first dimension of the only column.
            pad_info (dict, optional): as in `padded_batch`; columns not named are padded to the
                largest.
            pad_to_bucket_boundary (bool): whether a dim that is None becomes the bucket's largest
                length. Default: False.
            drop_remainder (bool): whether what is left in the buckets at the end is left out.
                Default: False.

        Returns:
            Dataset: with arrays of one more dimension.

        Raises:
            ValueError: boundaries do not rise, numbers do not fit, or the function is missing.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([[1], [1, 2, 3], [2]], column_names="x", shuffle=False)
            >>> d = d.bucket_batch_by_length(["x"], [2], [2, 1])
            >>> [x.tolist() for x, in d.create_tuple_iterator(num_epochs=1, output_numpy=True)]
            [[[1, 2, 3]], [[1], [2]]]
        """
        names = names_of(column_names, "column_names")
        bounds = [whole("bucket_boundaries", b, 1) for b in bucket_boundaries]
        sizes = [whole("bucket_batch_sizes", b, 1) for b in bucket_batch_sizes]
        if not bounds or sorted(set(bounds)) != bounds:
            raise complain(ValueError, f"bucket_boundaries must rise, got {bounds}")
        if len(sizes) != len(bounds) + 1:
            raise complain(
                ValueError,
                f"bucket_batch_sizes has {len(sizes)} elements for {len(bounds)} boundaries",
                expected=f"{len(bounds) + 1}",
            )
        if element_length_function is None and len(names) != 1:
            raise complain(
                ValueError, "element_length_function is needed with several column_names"
            )
        places = self._node.places_of(names, "bucket_batch_by_length: column_names")
        measure = element_length_function or len
        return Dataset(
            nodes.BucketNode(
                self._node,
                lambda row: measure(*[row[i] for i in places]),
                bounds,
                sizes,
                pad_info or {},
                pad_to_bucket_boundary,
                drop_remainder,
            )
        )

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
            num_parallel_workers (int, optional): threads. Default: the setting of ``config``.
            kwargs (Any): ``callbacks`` (DSCallback, list[DSCallback]); ``python_multiprocessing``,
                ``max_rowsize``, ``cache`` and ``offload``, accepted; threads do the work.

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
                raise complain(TypeError, f"map: there is no argument {k!r}")
        operations = list(operations) if isinstance(operations, (list, tuple)) else [operations]
        if not operations:
            raise complain(ValueError, "map: there is no operation")
        for op in operations:
            if not callable(op) or isinstance(op, type):
                raise complain(
                    TypeError if isinstance(op, type) else ValueError,
                    f"map: an operation is {op!r}",
                    expected="something that can be called with a row's columns",
                )
        child = self._node
        if kwargs.get("callbacks"):
            child = callbacks.CallbackNode(child, callbacks.checked(kwargs["callbacks"]))
        return Dataset(
            nodes.MapNode(
                child,
                operations,
                input_columns and names_of(input_columns, "input_columns"),
                output_columns and names_of(output_columns, "output_columns"),
                workers_of(num_parallel_workers),
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

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([1, 2, 3, 4], shuffle=False).filter(lambda x: x % 2 == 0)
            >>> [int(x) for x, in d]
            [2, 4]
        """
        if not callable(predicate):
            raise complain(TypeError, f"predicate must be callable, got {type(predicate).__name__}")
        return Dataset(
            nodes.FilterNode(
                self._node, predicate, input_columns and names_of(input_columns, "input_columns")
            )
        )

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

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([1, 2, 3], shuffle=False).shuffle(3)
            >>> sorted(int(x) for x, in d)
            [1, 2, 3]
        """
        return Dataset(nodes.ShuffleNode(self._node, whole("buffer_size", buffer_size, 2)))

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
        count = -1 if count is None else whole("count", count, 1, (-1,))
        return Dataset(nodes.RepeatNode(self._node, None if count == -1 else count))

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
        return Dataset(nodes.SliceNode(self._node, whole("count", count, 0), None))

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
        count = whole("count", count, 1, (-1,))
        return self if count == -1 else Dataset(nodes.SliceNode(self._node, 0, count))

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
        others = datasets if isinstance(datasets, (tuple, list)) else (datasets,)
        return zip_datasets((self, *others))

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
        others = datasets if isinstance(datasets, (tuple, list)) else [datasets]
        return Dataset(nodes.ConcatNode([_node_of(d) for d in (self, *others)]))

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
        return Dataset(nodes.ProjectNode(self._node, names_of(columns, "columns")))

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
            raise complain(
                ValueError, f"rename: {len(old)} input_columns and {len(new)} output_columns"
            )
        self._node.places_of(old, "rename: input_columns")
        renamed = dict(zip(old, new))
        return Dataset(
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
            raise complain(
                TypeError, f"apply_func must be callable, got {type(apply_func).__name__}"
            )
        made = apply_func(self)
        if not isinstance(made, Dataset):
            raise complain(
                TypeError, f"apply_func gave {type(made).__name__}", expected="a Dataset"
            )
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
            raise complain(TypeError, f"func must be callable, got {type(func).__name__}")
        return Dataset(nodes.FlatMapNode(self._node, lambda *row: _node_of(func(*row))))

    def split(self, sizes, randomize: bool = True) -> list[Dataset]:
        """Cut the data into parts that share no row.

        Args:
            sizes (list[int], list[float]): the rows of each part, or its fraction; they sum to all
                rows, or to 1.
            randomize (bool): whether the rows are dealt at random. The parts are fixed when they
                are made: every epoch of a part gives the same rows in the same order. Default:
                True.

        Returns:
            list[Dataset]: one per size.

        Raises:
            TypeError: ``sizes`` is no list of ints or floats.
            ValueError: a fraction is not in (0, 1], or they do not sum to 1.
            RuntimeError: the sizes do not sum to the number of rows, or a part would be empty.

        Examples:
            >>> import minds.dataset as ds
            >>> a, b = ds.NumpySlicesDataset([1, 2, 3, 4], shuffle=False).split([3, 1], randomize=False)
            >>> [int(x) for x, in a], [int(x) for x, in b]
            ([1, 2, 3], [4])
        """
        total = self.get_dataset_size()
        counts = _part_sizes(sizes, total)
        seed = config.explicit_seed()
        rng = np.random.default_rng(seed)
        ends = np.cumsum(counts)
        view = self._node.view()
        if view is not None:
            order = (
                np.arange(total)
                if _is_permuted(self._node)
                else view.order(start(self._node, config.get_seed(), True))
            )
            order = rng.permutation(order) if randomize else order
            return [Dataset(ChosenNode(self._node, order[e - c : e])) for c, e in zip(counts, ends)]
        node = self._node
        if randomize:
            node = nodes.ShuffleNode(node, max(total, 1), int(rng.integers(2**31)))
        return [Dataset(nodes.SliceNode(node, int(e - c), int(e))) for c, e in zip(counts, ends)]

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

    # Samplers. These two change the dataset they are called on, as in MindSpore.

    def use_sampler(self, new_sampler) -> None:
        """Let ``new_sampler`` choose the rows of this source, instead of its present sampler.

        Args:
            new_sampler (Sampler, iterable): chooses rows and their order.

        Raises:
            TypeError: this dataset is no random access source, or ``new_sampler`` is no sampler.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([5, 6, 7])
            >>> d.use_sampler(ds.SubsetSampler([2, 0]))
            >>> [int(x) for x, in d]
            [7, 5]
        """
        if not hasattr(self._node, "sampler") or new_sampler is None:
            raise complain(
                TypeError, "use_sampler: a random access source and a sampler are needed"
            )
        node = copy.copy(self._node)
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
        places = (
            None
            if columns is None
            else self._node.places_of(
                names_of(columns, "columns"), "create_tuple_iterator: columns"
            )
        )
        node = self._node if columns is not None else self._shown()
        return TupleIterator(node, num_epochs, output_numpy, places, self._begin(state))

    def __iter__(self) -> TupleIterator:
        return self.create_tuple_iterator(num_epochs=1)


def _node_of(d) -> Operation:
    if not isinstance(d, Dataset):
        raise complain(TypeError, f"a Dataset is expected, got {type(d).__name__}")
    return d._node


def _is_permuted(node: Operation) -> bool:
    """Whether a node is a source whose sampler only permutes all its rows."""
    sampler = getattr(node, "sampler", None)
    return (
        isinstance(sampler, RandomSampler)
        and not sampler.replacement
        and node.size() == node.length
    )


def _part_sizes(sizes, total: int) -> list[int]:
    """The rows of each part of a split."""
    if not isinstance(sizes, (list, tuple)) or not sizes:
        raise complain(TypeError, f"split: sizes must be a non-empty list, got {sizes!r}")
    if all(isinstance(s, (int, np.integer)) and not isinstance(s, bool) for s in sizes):
        counts = [whole("split: a size", s, 1) for s in sizes]
        if sum(counts) != total:
            raise DatasetError(f"split: the sizes sum to {sum(counts)}, but there are {total} rows")
        return counts
    if not all(isinstance(s, (float, np.floating)) for s in sizes):
        raise complain(TypeError, f"split: sizes must be all ints or all floats, got {sizes!r}")
    if not all(0 < s <= 1 for s in sizes):
        raise complain(ValueError, f"split: a fraction must be in (0, 1], got {sizes!r}")
    if abs(sum(sizes) - 1) > 1e-9:
        raise complain(ValueError, f"split: the fractions sum to {sum(sizes)}, not 1")
    counts = [round(s * total) for s in sizes]
    counts[0] += total - sum(counts)
    if min(counts) < 1:
        raise DatasetError(
            f"split: {total} rows are too few for the fractions {sizes!r}: a part would be empty"
        )
    return counts


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
        raise complain(TypeError, f"zip: datasets must be a tuple, got {type(datasets).__name__}")
    if len(datasets) < 2:
        raise complain(ValueError, "zip: at least two datasets are needed")
    return Dataset(nodes.ZipNode([_node_of(d) for d in datasets]))


__all__ = ["BatchInfo", "Dataset", "zip_datasets"]
