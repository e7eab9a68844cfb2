"""Class spellings of products and sums of sparse matrices given as indices and values: `operations`
continued.
"""

from __future__ import annotations

import math

from ...base import dtype as dt
from ...base.errors import expect
from ..define import P
from ..faces import face, primitive
from ..function.common import known_values, sizes_of
from ..functional import WITHIN as F


def _column(indices, i: int):
    return P.reshape(
        P.strided_slice(indices, (0, i), (indices.shape[0], i + 1), (1, 1)), (indices.shape[0],)
    )


def _add_rows(target, indices, values, other):
    """``target`` plus the product of the sparse matrix and ``other``, by its elements."""
    rows = P.gather(other, P.cast(_column(indices, 1), dt.int64), 0) * P.reshape(values, (-1, 1))
    return P.tensor_scatter(
        target, P.reshape(P.cast(_column(indices, 0), dt.int64), (-1, 1)), rows, "add"
    )


def _segments(scale):
    """Sums of gathered rows by segment, divided by ``scale`` of their numbers."""

    def call(x, indices, segment_ids, num_segments=None):
        if num_segments is None:
            n = int(known_values("SparseSegment", segment_ids)[0][-1]) + 1
        else:
            n = (
                num_segments
                if isinstance(num_segments, int)
                else int(known_values("SparseSegment", num_segments)[0].ravel()[0])
            )
        ids = P.reshape(P.cast(segment_ids, dt.int64), (-1, 1))
        rows = P.gather(x, P.cast(indices, dt.int64), 0)
        total = P.tensor_scatter(P.full((n,) + x.shape[1:], 0, x.dtype), ids, rows, "add")
        if scale is None:
            return total
        count = P.tensor_scatter(
            P.full((n,), 0, x.dtype), ids, P.full(ids.shape[:1], 1, x.dtype), "add"
        )
        return total / P.reshape(scale(P.maximum(count, 1)), (n,) + (1,) * (len(x.shape) - 1))

    return lambda: call


@face(cls="SparseAddmm")
def _(indices, values, sparse_shape, x2_dense, x3_dense, alpha, beta):
    m, k = sizes_of(sparse_shape)
    expect(x2_dense.shape[:-1] == (k,), "x2_dense", f"with {k} rows", got=x2_dense.shape)
    expect(x3_dense.shape[0] == m, "x3_dense", f"with {m} rows", got=x3_dense.shape)
    return _add_rows(x3_dense * beta, indices, values * alpha, x2_dense)


for _word, _scale in (("Mean", lambda n: n), ("SqrtN", P.sqrt), ("Sum", None)):
    _name = f"SparseSegment{_word}"
    primitive(name=f"{_name} {_name}WithNumSegments", like=f"sparse_segment_{_word.lower()}")(
        _segments(_scale)
    )


@face(cls="SparseSoftmax")
def _(indices, values, shape):
    """Along the last dimension, among the elements that are there."""
    size = sizes_of(shape)
    groups, rows = math.prod(size[:-1]), 0
    for i, n in enumerate(size[:-1]):
        rows = rows * n + P.cast(_column(indices, i), dt.int64)
    top = P.stop_gradient(F.unsorted_segment_max(values, rows, groups))
    raised = P.exp(values - P.gather(top, rows, 0))
    total = F.unsorted_segment_sum(raised, rows, groups)
    return raised / P.gather(total, rows, 0)


@face(cls="SparseTensorDenseAdd")
def _(x1_indices, x1_values, x1_shape, x2):
    expect(sizes_of(x1_shape) == x2.shape, "x2", f"of shape {sizes_of(x1_shape)}", got=x2.shape)
    return P.tensor_scatter(x2, P.cast(x1_indices, dt.int64), x1_values, "add")


@primitive
def SparseTensorDenseMatmul(adjoint_st=False, adjoint_dt=False):
    def call(indices, values, sparse_shape, dense):
        shape = sizes_of(sparse_shape)
        dense = P.transpose(dense, (1, 0)) if adjoint_dt else dense
        if adjoint_st:
            indices, shape = P.flip(indices, (1,)), shape[::-1]
        expect(dense.shape[:-1] == shape[1:], "dense", f"with {shape[1]} rows", got=dense.shape)
        return _add_rows(P.full((shape[0], dense.shape[1]), 0, dense.dtype), indices, values, dense)

    return call


@primitive
def SparseToDenseV2(validate_indices=True):
    def call(indices, output_shape, values, default_value):
        shape = sizes_of(output_shape)
        rows = P.reshape(P.cast(indices, dt.int64), (-1, len(shape)))
        values = P.broadcast_to(values, rows.shape[:1])
        base = P.broadcast_to(P.cast(default_value, values.dtype), shape)
        return P.tensor_scatter(base, rows, values, "update")

    return call
