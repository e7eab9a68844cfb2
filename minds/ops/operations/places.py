"""Primitive classes on sparse tensors given as indices, values and shape, or as rows, whose results
hold other places than their operands: how many, the run finds.
"""

from __future__ import annotations

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...ir.abstract import AbstractTensor, AbstractTuple
from ...ir.shape_env import unbacked
from ...tensor import Tensor
from ..define import P
from ..faces import face, primitive
from ..function.common import as_tensor, hosted, sizes_of
from ..unbacked import finding


def _sparse(name: str, indices, values, *more):
    """The types of ``indices`` and ``values`` of which the run finds the number."""
    n = unbacked(name)
    parts = AbstractTensor((n, indices.shape[1]), dt.int64), AbstractTensor((n,), values.dtype)
    return AbstractTuple((*parts, *more))


def _int64(value):
    return P.cast(as_tensor(value), dt.int64)


def _order(indices):
    """The permutation that brings places into the order of the elements."""
    return np.lexsort(indices.T[::-1])


def _slice(indices, values, start, size):
    inside = np.all((indices >= start) & (indices < start + size), axis=1)
    return indices[inside] - start, values[inside]


@finding(_slice)
def sparse_slice(indices: Tensor, values: Tensor, start: Tensor, size: Tensor):
    return _sparse("sparse_slice", indices, values)


@face(cls="SparseSlice")
def _(indices, values, shape, start, size):
    """The part of a sparse tensor from ``start``, of at most ``size``; with its shape."""
    places, kept = sparse_slice(indices, values, start, size)
    return places, kept, P.minimum(size, _int64(shape) - start)


@hosted(lambda indices: _order(indices).astype(np.int64), nondiff=True)
def _ordered(indices: Tensor):
    return AbstractTensor(indices.shape[:1], dt.int64)


@face(cls="SparseReorder")
def _(indices, values, shape):
    """A sparse tensor with its places in the order of the elements."""
    rank = len(sizes_of(shape))
    expect(indices.shape[1] == rank, "indices", f"of {rank} columns", got=indices.shape)
    order = _ordered(indices)
    return P.gather(indices, order, 0), P.gather(values, order, 0)


@primitive
def SparseConcat(concat_dim=0):
    """Sparse tensors one behind the other along a dimension, in the order of the elements."""

    def call(sp_input_indices, sp_input_values, sp_input_shapes):
        shapes = [list(sizes_of(s)) for s in sp_input_shapes]
        at, moved = 0, []
        for indices, shape in zip(sp_input_indices, shapes):
            moved.append(
                indices
                + as_tensor([at if i == concat_dim else 0 for i in range(len(shape))], dt.int64)
            )
            at += shape[concat_dim]
        indices, values = P.concat(tuple(moved), 0), P.concat(tuple(sp_input_values), 0)
        order = _ordered(indices)
        shape = [at if i == concat_dim else n for i, n in enumerate(shapes[0])]
        return P.gather(indices, order, 0), P.gather(values, order, 0), as_tensor(shape, dt.int64)

    return call


def _merge(a, x, b, y):
    """The places of both, each once and in order, with the values of one and of the other, 0 where
    it has none.
    """
    places, where = np.unique(np.concatenate([a, b]), axis=0, return_inverse=True)
    where, both = where.reshape(-1), np.zeros((2, len(places)), x.dtype)
    np.add.at(both[0], where[: len(a)], x)
    np.add.at(both[1], where[len(a) :], y)
    return places, both


def _sum(a, x, b, y, thresh):
    places, both = _merge(a, x, b, y)
    total = both[0] + both[1]
    kept = np.abs(total) >= thresh
    return places[kept], total[kept]


@finding(_sum)
def _added(a: Tensor, x: Tensor, b: Tensor, y: Tensor, thresh: Tensor):
    return _sparse("sparse_add", a, x)


@face(cls="SparseAdd")
def _(x1_indices, x1_values, x1_shape, x2_indices, x2_values, x2_shape, thresh):
    """The sum of two sparse tensors without the elements smaller than ``thresh``."""
    sizes = sizes_of(x1_shape)
    expect(sizes == sizes_of(x2_shape), "x2_shape", f"{sizes}", got=sizes_of(x2_shape))
    indices, values = _added(x1_indices, x1_values, x2_indices, x2_values, thresh)
    return indices, values, _int64(x1_shape)


def _side_by_side(a, x, b, y):
    places, both = _merge(a, x, b, y)
    return places, both[0], both[1]


@finding(_side_by_side)
def _both(a: Tensor, x: Tensor, b: Tensor, y: Tensor):
    n = unbacked("sparse_both")
    values = AbstractTensor((n,), x.dtype)
    return AbstractTuple((AbstractTensor((n, a.shape[1]), dt.int64), values, values))


def _each(choose):
    def call(x1_indices, x1_values, x1_shape, x2_indices, x2_values, x2_shape):
        sizes = sizes_of(x1_shape)
        expect(sizes == sizes_of(x2_shape), "x2_shape", f"{sizes}", got=sizes_of(x2_shape))
        places, x, y = _both(x1_indices, x1_values, x2_indices, x2_values)
        return places, choose(x, y)

    return lambda: call


primitive(name="SparseSparseMinimum")(_each(P.minimum))
primitive(name="SparseSparseMaximum")(_each(P.maximum))


def _with_dense(combine):
    """A sparse tensor's values combined with those of a dense one, which is broadcast."""

    def call(x1_indices, x1_values, x1_shape, x2):
        wide = P.broadcast_to(x2, sizes_of(x1_shape))
        return combine(x1_values, P.gather_nd(wide, x1_indices))

    return lambda: call


primitive(name="SparseDenseCwiseAdd")(_with_dense(P.add))
primitive(name="SparseDenseCwiseMul")(_with_dense(P.mul))
primitive(name="SparseDenseCwiseDiv")(_with_dense(P.div))


def _fill(indices, values, rows, default):
    empty = np.bincount(indices[:, 0], minlength=rows) == 0
    new = np.zeros((int(empty.sum()), indices.shape[1]), np.int64)
    new[:, 0] = np.flatnonzero(empty)
    places = np.concatenate([indices, new])
    order = np.argsort(places[:, 0], kind="stable")
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    numbers = np.concatenate([values, np.full(len(new), default, values.dtype)])
    return places[order], numbers[order], empty, back[: len(indices)]


@finding(_fill)
def _sparse_fill_empty_rows(indices: Tensor, values: Tensor, rows: int, default: Tensor):
    expect(indices.ndim == 2, "indices", "of shape (N, 2)", got=indices.shape)
    expect(values.shape == indices.shape[:1], "values", "one per place", got=values.shape)
    return _sparse(
        "sparse_rows",
        indices,
        values,
        AbstractTensor((rows,), dt.bool_),
        AbstractTensor(indices.shape[:1], dt.int64),
    )


@face(cls="SparseFillEmptyRows")
def _(indices, values, dense_shape, default_value):
    """A sparse matrix with ``default_value`` in the first column of each row that was empty; which
    these are, and where each element went.

    Args:
        indices (Tensor[(N, 2), int64]): the places of the values.
        values (Tensor[(N,), number]): the values.
        dense_shape (Tensor[(2,), int64]): the shape, known while compiling.
        default_value (Tensor[(), number]): what empty rows get.

    Returns:
        tuple[Tensor]: places, values, whether a row was empty, and where each value went.

    Raises:
        TypeError: an operand is no Tensor.
    """
    return _sparse_fill_empty_rows(indices, values, sizes_of(dense_shape)[0], default_value)


def _ragged(splits, values, depth):
    """The places of the values of a ragged tensor, row by row."""
    rows = np.arange(len(values))
    columns = []
    for s in reversed(splits):
        row = np.searchsorted(s, rows, "right") - 1
        columns.append(rows - s[row])
        rows = row
    columns.append(rows)
    longest = [int(np.diff(s).max(initial=0)) for s in splits]
    shape = np.array([len(splits[0]) - 1, *longest], np.int64)
    return np.stack(columns[::-1], 1).astype(np.int64).reshape(len(values), depth), shape


@hosted(lambda values, depth, *splits: _ragged(splits, values, depth), nondiff=True)
def _ragged_places(values: Tensor, depth: int, *splits: Tensor):
    return AbstractTuple(
        (
            AbstractTensor((values.shape[0], depth), dt.int64),
            AbstractTensor((depth,), dt.int64),
        )
    )


@primitive
def RaggedTensorToSparse(Tsplits):
    """The places, values and shape of the rows whose bounds ``rt_nested_splits`` gives."""

    def call(rt_nested_splits, rt_dense_values):
        splits = tuple(_int64(s) for s in rt_nested_splits)
        indices, shape = _ragged_places(rt_dense_values, len(splits) + 1, *splits)
        return P.cast(indices, Tsplits), rt_dense_values, P.cast(shape, Tsplits)

    return call


def _difference(x, y):
    kept = ~np.isin(x, y)
    return x[kept], np.flatnonzero(kept).astype(np.int64)


@finding(_difference, nondiff=True)
def _left_of(x: Tensor, y: Tensor):
    n = unbacked("list_diff", x.size)
    return AbstractTuple((AbstractTensor((n,), x.dtype), AbstractTensor((n,), dt.int64)))


@primitive
def ListDiff(out_idx=dt.int32):
    """The elements of ``x`` that are not in ``y``, and where they stand in ``x``."""

    def call(x, y):
        expect(len(x.shape) == 1, "x", "of rank 1", got=x.shape)
        expect(len(y.shape) == 1, "y", "of rank 1", got=y.shape)
        values, index = _left_of(x, y)
        return values, P.cast(index, out_idx)

    return call


def _coalesce(indices, values):
    places, where = np.unique(indices.T, axis=0, return_inverse=True)
    total = np.zeros(len(places), values.dtype)
    np.add.at(total, where.reshape(-1), values)
    return np.ascontiguousarray(places.T), total


@finding(_coalesce)
def coalesce(indices: Tensor, values: Tensor):
    expect(indices.ndim == 2, "x_indices", "of shape (rank, N)", got=indices.shape)
    expect(values.shape == indices.shape[1:], "x_values", "one per place", got=values.shape)
    n = unbacked("coalesce", values.size)
    places = AbstractTensor((indices.shape[0], n), dt.int64)
    return AbstractTuple((places, AbstractTensor((n,), values.dtype)))


@face(cls="Coalesce")
def _(x_indices, x_values, x_shape):
    """A sparse tensor, its places in columns, with the values of each place added up."""
    indices, values = coalesce(x_indices, x_values)
    return indices, values, x_shape


def _overlapping(overlaps, scores, count, most, least):
    kept: list = []
    for i in np.argsort(-scores, kind="stable"):
        if len(kept) == count or scores[i] <= least:
            break
        if all(overlaps[i, k] <= most for k in kept):
            kept.append(i)
    return np.array(kept, np.int32)


@finding(_overlapping, nondiff=True)
def _apart(overlaps: Tensor, scores: Tensor, count: Tensor, most: Tensor, least: Tensor):
    return AbstractTensor((unbacked("nms", scores.size),), dt.int32)


@face(cls="NonMaxSuppressionWithOverlaps")
def _(overlaps, scores, max_output_size, overlap_threshold, score_threshold):
    """The boxes of the best scores that overlap none better by more than a threshold."""
    expect(len(overlaps.shape) == 2, "overlaps", "a matrix", got=overlaps.shape)
    given = max_output_size, overlap_threshold, score_threshold
    return _apart(overlaps, scores, *map(as_tensor, given))


@primitive
def NonMaxSuppressionV3():
    """The boxes (y0, x0, y1, x1) of the best scores whose intersection over union with none better is
    above a threshold.
    """

    def call(boxes, scores, max_output_size, iou_threshold, score_threshold):
        n = boxes.shape[0]
        expect(boxes.shape == (n, 4), "boxes", "of shape (N, 4)", got=boxes.shape)
        sides = [P.strided_slice(boxes, (0, i), (n, i + 1), (1, 1)) for i in range(4)]
        low = [P.minimum(sides[i], sides[i + 2]) for i in (0, 1)]
        high = [P.maximum(sides[i], sides[i + 2]) for i in (0, 1)]
        area = (high[0] - low[0]) * (high[1] - low[1])
        shared = 1
        for a, b in zip(low, high):
            inner = P.minimum(b, P.reshape(b, (1, n))) - P.maximum(a, P.reshape(a, (1, n)))
            shared = shared * P.maximum(inner, 0)
        union = area + P.reshape(area, (1, n)) - shared
        overlaps = P.select(P.greater(union, 0), shared / union, 0)
        given = max_output_size, iou_threshold, score_threshold
        return _apart(overlaps, scores, *map(as_tensor, given))

    return call


def _ranges(starts, limits, deltas):
    n = max(len(np.atleast_1d(v)) for v in (starts, limits, deltas))
    rows = [
        np.arange(a, b, d)
        for a, b, d in zip(*(np.broadcast_to(v, (n,)) for v in (starts, limits, deltas)))
    ]
    splits = np.cumsum([0, *map(len, rows)])
    return splits.astype(np.int64), np.concatenate(rows).astype(starts.dtype)


@finding(_ranges, nondiff=True)
def _ragged_range(starts: Tensor, limits: Tensor, deltas: Tensor):
    n = max(x.size for x in (starts, limits, deltas))
    bounds = AbstractTensor((n + 1,), dt.int64)
    return AbstractTuple((bounds, AbstractTensor((unbacked("ranges"),), starts.dtype)))


@primitive
def RaggedRange(Tsplits):
    """The numbers of several ranges one behind the other, and where each begins."""

    def call(starts, limits, deltas):
        splits, values = _ragged_range(starts, limits, deltas)
        return P.cast(splits, Tsplits), values

    return call
