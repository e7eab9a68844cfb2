"""The datasets that users construct: arrays in memory, Python objects, files."""

from __future__ import annotations

from ..base.errors import complain
from . import samplers, source_arguments
from .arguments import check_type
from .datasets import Dataset
from .handle import names_of, workers_of
from .record_sets.schemas import Schema
from .sources import arrays_node, column_names, generator_node


class NumpySlicesDataset(Dataset):
    """Rows from arrays, lists or a dict of columns in memory.

    Args:
        data (list, tuple, dict, numpy.ndarray): a list or array is one column; a tuple is one
            column per element; a dict is one column per key.
        column_names (list[str], optional): Default: the keys, or ``column_0``, ``column_1``, …
        num_samples (int, optional): how many rows at most. Default: all.
        num_parallel_workers (int): accepted; rows are gathered by whole batches.
        shuffle (bool, optional): whether each epoch has its own random order. Default: None, which
            means True.
        sampler (Sampler, iterable, optional): chooses rows and their order; excludes ``shuffle``.
        num_shards (int, optional): in how many parts the data is shared.
        shard_id (int, optional): which part this is.

    Raises:
        TypeError: ``data`` has a wrong type.
        ValueError: ``data`` is empty, its columns have different lengths, or arguments exclude each
            other.

    Examples:
        >>> import minds.dataset as ds
        >>> d = ds.NumpySlicesDataset({"x": [1, 2], "y": [3.0, 4.0]}, shuffle=False)
        >>> [(int(r["x"]), float(r["y"])) for r in d.create_dict_iterator(num_epochs=1, output_numpy=True)]
        [(1, 3.0), (2, 4.0)]
    """

    def __init__(
        self,
        data,
        column_names=None,
        num_samples=None,
        num_parallel_workers=1,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
    ):
        source_arguments.num_samples("num_samples", num_samples)
        workers_of(num_parallel_workers)
        _check_sampler(sampler)
        super().__init__(
            arrays_node(
                data,
                column_names,
                samplers.choose(sampler, shuffle, num_samples, num_shards, shard_id),
            )
        )


class GeneratorDataset(Dataset):
    """Rows from a Python object.

    Args:
        source (Any): an object with ``__getitem__`` and ``__len__``, an iterable, or a function
            that makes an iterator. A row is a tuple with one value per column, or the value itself
            where there is one column. Of what can be iterated once, such as a running generator or
            ``zip(…)``, the rows are kept for the epochs that follow.
        column_names (str, list[str]): the names of the columns.
        column_types (list[dtype], optional): what the values must be; checked.
        schema (str, Schema, optional): the names and dtypes of the columns, or the file that has them,
            instead of ``column_names``.
        num_samples (int, optional): how many rows at most. Default: all.
        num_parallel_workers (int): threads or processes that call ``__getitem__``. Default: 1.
        shuffle (bool, optional): whether each epoch has its own order; only for ``__getitem__``.
            Default: None, True there.
        sampler (Sampler, iterable, optional): chooses rows and their order; only for
            ``__getitem__``.
        num_shards (int, optional): in how many parts the data is shared; only for ``__getitem__``.
        shard_id (int, optional): which part this is.
        python_multiprocessing (bool): whether several workers are processes, forked for each epoch,
            and not threads. Default: True.
        max_rowsize (int): accepted; rows of any size travel.
        batch_sampler (iterable, optional): gives a list of indices per batch.
        collate_fn (Callable, optional): makes the columns of a batch from the list of its rows.
            Default: stacks them.

    Raises:
        TypeError: ``source`` is nothing that gives rows.
        ValueError: the column names are missing, or arguments exclude each other.
        RuntimeError: a row has a wrong number of values or a wrong type (raised when the pipeline
            runs). What ``source`` raises is raised as it is.

    Examples:
        >>> import minds.dataset as ds
        >>> d = ds.GeneratorDataset(lambda: ((i, i * i) for i in range(3)), ["n", "square"])
        >>> [int(r["square"]) for r in d.create_dict_iterator(num_epochs=1, output_numpy=True)]
        [0, 1, 4]
    """

    def __init__(
        self,
        source,
        column_names=None,
        column_types=None,
        schema=None,
        num_samples=None,
        num_parallel_workers=1,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        python_multiprocessing=True,
        max_rowsize=None,
        batch_sampler=None,
        collate_fn=None,
    ):
        if schema is not None:
            if not isinstance(schema, (str, Schema)):
                said = "schema should be a path to schema file or a schema object."
                raise complain(ValueError, f"{said} It is of type {type(schema).__name__}.")
            schema = schema if isinstance(schema, Schema) else Schema(schema)
            column_names = [c["name"] for c in schema.columns]
            column_types = [c["type"] for c in schema.columns]
        if column_names is None:
            raise complain(ValueError, "Neither columns_names nor schema are provided.")
        names_of(column_names, "column_names")
        limit = source_arguments.num_samples("num_samples", num_samples)
        source_arguments.row_size("max_rowsize", max_rowsize)
        gives = any(hasattr(batch_sampler, method) for method in ("__getitem__", "__iter__"))
        if batch_sampler is not None and not gives:
            said = "batch_sampler should have __getitem__ or __iter__ method."
            raise complain(TypeError, said)
        asked = (num_samples, shuffle, num_shards, shard_id, sampler)
        if batch_sampler is not None and any(c is not None for c in asked):
            said = "batch_sampler is mutually exclusive with num_samples, shuffle, num_shards, shard_id and "
            raise complain(ValueError, f"{said}sampler.")
        _check_sampler(sampler)
        indexed = hasattr(source, "__getitem__") and hasattr(source, "__len__")
        chosen = samplers.choose(
            sampler,
            shuffle if indexed or sampler is not None else False,
            num_samples,
            num_shards,
            shard_id,
        )
        check_type("python_multiprocessing", python_multiprocessing, (bool,))
        workers = workers_of(num_parallel_workers)
        super().__init__(
            generator_node(
                source,
                _names(column_names),
                column_types,
                chosen,
                "sampler" if sampler is not None else num_shards is not None and "num_shards",
                limit,
                workers,
                python_multiprocessing and workers > 1,
                batch_sampler,
                collate_fn,
            )
        )


def _check_sampler(sampler) -> None:
    """Raise if this is neither a sampler nor gives indices: one index alone does not."""
    if isinstance(sampler, (int, float)):
        said = "sampler should be either iterable or from minds.dataset.samplers."
        raise complain(TypeError, f"{said} It is of type {type(sampler).__name__}.")


def _names(given) -> tuple[str, ...]:
    return column_names(given, 0)


__all__ = ["GeneratorDataset", "NumpySlicesDataset"]
