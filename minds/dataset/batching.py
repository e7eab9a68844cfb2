"""The methods of `Dataset` that make batches of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.errors import complain
from . import nodes
from .handle import DatasetHandle, names_of, whole
from .sync import processes_over, workers_over

if TYPE_CHECKING:
    from .datasets import Dataset


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
        return self._over(
            nodes.BatchNode(
                self._node,
                batch_size,
                drop_remainder,
                fn,
                inputs and names_of(inputs, "input_columns"),
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
        return self._over(
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
