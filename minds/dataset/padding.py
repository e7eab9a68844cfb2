"""Padding of rows to a common shape, and batches of rows of similar length."""

from __future__ import annotations

import bisect

import numpy as np

from .pipeline import DatasetError, Operation, Run, UsersCode, filler


def pad_list(values, column: str, target):
    """Values of one column padded at the end of each dimension.

    Args:
        values (list[ndarray]): the rows.
        column (str): their name, for messages.
        target (tuple): (shape or None, pad value or None); a dim that is None is the largest of the
            batch.

    Raises:
        DatasetError: the ranks differ.
    """
    shape, fill = target or (None, None)
    rank = values[0].ndim
    if any(v.ndim != rank for v in values) or shape is not None and len(shape) != rank:
        raise DatasetError(
            "Invalid pad_info, rank of pad_shape must be equal to rank of specified column. "
            f"padded_batch: column {column!r} has rank {rank} in the first row"
        )
    largest = [max(v.shape[d] for v in values) for d in range(rank)]
    full = [m if s in (None, -1) else s for m, s in zip(largest, shape or largest)]
    if fill is None:
        fill = "" if values[0].dtype.kind in "US" else 0
    dtype = np.result_type(*{v.dtype for v in values})
    fill = filler(f"padded_batch: column {column!r}", dtype, fill)
    if rank and {v.shape for v in values} == {tuple(full)} and fill.dtype == dtype:
        return np.concatenate(values).reshape(len(values), *full)
    out = np.full((len(values), *full), fill)
    if rank == 1:
        values = [v[: full[0]] for v in values]
        out[np.arange(full[0]) < np.array([[len(v)] for v in values])] = np.concatenate(values)
        return out
    for i, v in enumerate(values):
        v = v[tuple(map(slice, full))]
        out[(i, *map(slice, v.shape))] = v
    return out


class BucketNode(Operation):
    """Rows gathered by length: each bucket stacks and pads its rows when it has enough of them.

    ``shapes`` gives, per column, the shape and value to pad with; with ``to_boundary`` a dim that
    is None becomes the bucket's largest length.
    """

    def __init__(
        self,
        child: Operation,
        length,
        boundaries,
        sizes,
        shapes: dict,
        to_boundary: bool,
        drop: bool,
    ):
        self.children, self.columns, self.length = (child,), child.columns, length
        self.boundaries, self.sizes, self.shapes = boundaries, sizes, shapes
        self.to_boundary, self.drop = to_boundary, drop

    def rows(self, run):
        buckets = [[] for _ in self.sizes]
        for number, row in enumerate(self.children[0].rows(run)):
            with UsersCode("bucket_batch_by_length: element_length_function", number):
                length = int(self.length(row))
            if length < 0:
                raise DatasetError(f"bucket_batch_by_length: a row has the length {length}")
            which = bisect.bisect_right(self.boundaries, length)
            buckets[which].append(row)
            if len(buckets[which]) == self.sizes[which]:
                yield self._batch(buckets[which], which)
                buckets[which] = []
        if not self.drop:
            for which, rows in enumerate(buckets):
                if rows:
                    yield self._batch(rows, which)

    def _batch(self, rows, which: int):
        return tuple(
            [pad_list(list(c), n, self._target(n, which)) for c, n in zip(zip(*rows), self.columns)]
        )

    def _target(self, column: str, which: int):
        shape, value = self.shapes.get(column, (None, None))
        if self.to_boundary and shape is not None:
            if which == len(self.boundaries):
                raise DatasetError(
                    f"bucket_batch_by_length: a row is longer than the last boundary "
                    f"{self.boundaries[-1]}, to which pad_to_bucket_boundary would pad"
                )
            shape = [self.boundaries[which] - 1 if s is None else s for s in shape]
        return shape, value

    def size(self):
        return sum(1 for _ in self.rows(Run(0, {})))
