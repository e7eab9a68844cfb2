"""The methods of `Dataset` that make batches of rows."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from ..base.errors import complain
from . import nodes
from .arguments import INT32, check_interval, check_type
from .handle import DatasetHandle, names_of, whole
from .padding import BucketNode
from .source_arguments import row_size
from .sync import processes_over, workers_over

if TYPE_CHECKING:
    from .datasets import Dataset


def _rows(batch_size):
    """The rows of a batch: a number, or the function that gives it."""
    if callable(batch_size):
        try:
            inspect.signature(batch_size).bind(None)
        except TypeError as e:
            said = "callable batch_size should take one parameter (BatchInfo)."
            raise complain(ValueError, said) from e
        except ValueError:
            pass  # a function that does not say what it takes
        return batch_size
    if isinstance(batch_size, (float, str)) or batch_size is None:
        raise complain(TypeError, "batch_size should either be an int or a callable.")
    return whole("batch_size", int(batch_size) if isinstance(batch_size, bool) else batch_size, 1)


def _takes_columns(fn, inputs) -> None:
    """Whether ``fn`` can be called with these columns and a `BatchInfo`."""
    if fn is None or not inputs:
        return
    try:
        inspect.signature(fn).bind(*[None] * (len(inputs) + 1))
    except TypeError as e:
        said = f"The signature of per_batch_map should match with input columns. {e}"
        raise complain(ValueError, said) from e
    except ValueError:
        return  # a function that does not say what it takes


def _check_padding(pad_info) -> None:
    if pad_info is not None:
        check_type("pad_info", pad_info, (dict,))
        for name, target in pad_info.items():
            check_type("key in pad_info", name, (str,))
            if target is not None:
                _check_target(target)


def _check_target(target) -> None:
    """What a column is padded to: a pair of shape and value."""
    check_type("value in pad_info", target, (tuple,))
    if len(target) != 2:
        raise complain(ValueError, "value of pad_info should be a tuple of size 2.")
    shape, _ = target
    if shape is not None:
        check_type("shape in pad_info", shape, (list,))
        for n in shape:
            if n is not None:
                check_type("dim of shape in pad_info", n, (int,))
                check_interval("dim of shape in pad_info", n, 1, INT32)


def _rising(bounds) -> list[int]:
    """The boundaries of buckets."""
    check_type("bucket_boundaries", bounds, (list, tuple))
    if not bounds:
        raise complain(ValueError, "bucket_boundaries cannot be empty.")
    if not all(isinstance(b, int) and not isinstance(b, bool) for b in bounds):
        raise complain(TypeError, "bucket_boundaries should be a list of int.")
    if min(bounds) < 1:
        raise complain(ValueError, "bucket_boundaries must only contain positive numbers.")
    if sorted(set(bounds)) != list(bounds):
        raise complain(ValueError, f"bucket_boundaries should be strictly increasing. Got {bounds}")
    return list(bounds)


def _length(value) -> int:
    """The first dimension; 0 of what has none."""
    return len(value) if value.ndim else 0


def _sizes(sizes, count: int) -> list[int]:
    """The rows per batch of each of ``count`` buckets."""
    check_type("bucket_batch_sizes", sizes, (list, tuple))
    if len(sizes) != count:
        said = "bucket_batch_sizes must contain one element more than bucket_boundaries."
        raise complain(ValueError, said)
    if not all(isinstance(b, int) and not isinstance(b, bool) for b in sizes):
        raise complain(TypeError, "bucket_batch_sizes should be a list of int.")
    if min(sizes) < 1:
        raise complain(ValueError, "bucket_batch_sizes should be a list of positive numbers.")
    return list(sizes)


class Batching(DatasetHandle):
    """The methods of `Dataset` that make batches of rows."""

    _part_of = "Dataset"

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
            num_parallel_workers (int, optional): threads or processes for ``per_batch_map``.
                Default: the setting of ``config``.
            kwargs (Any): ``per_batch_map`` (Callable), called with one list per input column and a
                `BatchInfo`, returns a tuple with one list or array per output column;
                ``input_columns`` (list[str]), the columns it gets, all by default;
                ``output_columns`` (list[str]), the columns it gives, by default as the inputs;
                ``python_multiprocessing`` (bool), whether ``per_batch_map`` runs in processes;
                ``max_rowsize``, accepted.

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
                raise complain(TypeError, f"batch() got an unexpected keyword argument {k!r}")
        batch_size = _rows(batch_size)
        check_type("drop_remainder", drop_remainder, (bool,))
        fn, inputs, outputs = (
            kwargs.get(k) for k in ("per_batch_map", "input_columns", "output_columns")
        )
        if fn is not None and not callable(fn):
            raise complain(TypeError, f"{fn} is not a callable object")
        if kwargs.get("python_multiprocessing") is not None:
            check_type("python_multiprocessing", kwargs["python_multiprocessing"], (bool,))
        for name, given in (("input_columns", inputs), ("output_columns", outputs)):
            if given is not None and fn is None:
                said = f"{name} can be specified only when per_batch_map is set."
                raise complain(ValueError, said)
        inputs = inputs and names_of(inputs, "input_columns")
        row_size("max_rowsize", kwargs.get("max_rowsize"))
        _takes_columns(fn, inputs)
        return self._over(
            nodes.BatchNode(
                self._node,
                batch_size,
                drop_remainder,
                fn,
                inputs,
                outputs and names_of(outputs, "output_columns"),
                workers=workers_over(self._node, num_parallel_workers),
                processes=fn is not None and processes_over(self._node, **kwargs),
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
                None pads nothing. What is longer than a dim is cut off, as in MindSpore.

        Returns:
            Dataset: with arrays of one more dimension.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: ``pad_info`` holds no pairs, or a dim is not positive.
            RuntimeError: the ranks of rows or of ``pad_info`` differ (raised when the pipeline runs).

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([[1], [2, 3]], column_names="x", shuffle=False)
            >>> d = d.padded_batch(2, pad_info={"x": ([3], -1)})
            >>> [x.tolist() for x, in d.create_tuple_iterator(num_epochs=1, output_numpy=True)]
            [[[1, -1, -1], [2, 3, -1]]]
        """
        _check_padding(pad_info)
        batch_size = _rows(batch_size)
        check_type("drop_remainder", drop_remainder, (bool,))
        return self._over(
            nodes.BatchNode(
                self._node,
                batch_size,
                drop_remainder,
                pad=pad_info,
                workers=workers_over(self._node, num_parallel_workers),
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
            TypeError: an argument has a wrong type.
            ValueError: boundaries do not rise, numbers do not fit, or the function is missing.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([[1], [1, 2, 3], [2]], column_names="x", shuffle=False)
            >>> d = d.bucket_batch_by_length(["x"], [2], [2, 1])
            >>> [x.tolist() for x, in d.create_tuple_iterator(num_epochs=1, output_numpy=True)]
            [[[1, 2, 3]], [[1], [2]]]
        """
        names = names_of(column_names, "column_names")
        bounds = _rising(bucket_boundaries)
        sizes = _sizes(bucket_batch_sizes, len(bounds) + 1)
        if element_length_function is not None and not callable(element_length_function):
            raise complain(TypeError, "element_length_function object is not callable.")
        _check_padding(pad_info)
        check_type("pad_to_bucket_boundary", pad_to_bucket_boundary, (bool,))
        check_type("drop_remainder", drop_remainder, (bool,))
        if element_length_function is None and len(names) != 1:
            raise complain(
                ValueError,
                "If element_length_function is not specified, exactly one column name should be passed.",
            )
        places = self._node.places_of(names, "bucket_batch_by_length: column_names")
        measure = element_length_function or _length
        return self._over(
            BucketNode(
                self._node,
                lambda row: measure(*[row[i] for i in places]),
                bounds,
                sizes,
                pad_info or {},
                pad_to_bucket_boundary,
                drop_remainder,
            )
        )
