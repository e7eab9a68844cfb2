"""Primitive classes on sparse matrices given by rows, as shape, bounds of batches, bounds of rows,
columns and values. Batches of matrices are refused.
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


def _matrix(name: str, shape, batch_pointers=None) -> tuple:
    sizes = sizes_of(shape)
    one = batch_pointers is None or batch_pointers.shape == (2,)
    expect(one, "batch_pointers", "of one matrix, two numbers")
    expect(len(sizes) == 2, name, "the shape of a matrix", got=sizes)
    return sizes


@hosted(
    lambda rows, count: np.searchsorted(rows, np.arange(count + 1)).astype(rows.dtype), nondiff=True
)
def _bounds(rows: Tensor, count: int):
    return AbstractTensor((count + 1,), rows.dtype)


@hosted(
    lambda starts, count: np.repeat(np.arange(len(starts) - 1), np.diff(starts)).astype(
        starts.dtype
    ),
    nondiff=True,
)
def _rows_of(starts: Tensor, count: int):
    return AbstractTensor((count,), starts.dtype)


def _parts(indices, values, shape, dtype):
    rows, columns = (P.cast(indices[:, i], dtype) for i in (0, 1))
    n = shape[0]
    ends = as_tensor([0, values.shape[0]], dtype)
    return as_tensor(shape, dtype), ends, _bounds(rows, n), columns, values


@face(cls="SparseTensorToCSRSparseMatrix")
def _(x_indices, x_values, x_dense_shape):
    """A sparse matrix given by places, in their order, by rows."""
    shape = _matrix("x_dense_shape", x_dense_shape)
    return _parts(x_indices, x_values, shape, x_indices.dtype)


@face(cls="DenseToCSRSparseMatrix")
def _(dense_input, indices):
    """The elements of a matrix at some places, in their order, by rows."""
    shape = _matrix("dense_input", dense_input.shape)
    return _parts(indices, P.gather_nd(dense_input, indices), shape, indices.dtype)


def _places(row_pointers, column_indices):
    rows = _rows_of(row_pointers, column_indices.shape[0])
    return P.concat((P.reshape(rows, (-1, 1)), P.reshape(column_indices, (-1, 1))), 1)


@face(cls="CSRSparseMatrixToSparseTensor")
def _(x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values):
    """A sparse matrix given by rows as places, values and shape."""
    _matrix("x_dense_shape", x_dense_shape, x_batch_pointers)
    return _places(x_row_pointers, x_col_indices), x_values, x_dense_shape


@face(cls="CSRSparseMatrixToDense")
def _(dense_shape, batch_pointers, row_pointers, col_indices, values):
    """A sparse matrix given by rows as a dense one."""
    shape = _matrix("dense_shape", dense_shape, batch_pointers)
    places = P.cast(_places(row_pointers, col_indices), dt.int64)
    return P.tensor_scatter(P.full(shape, 0, values.dtype), places, values, "add")


@face(cls="SparseMatrixNNZ")
def _(x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values):
    """The numbers of elements that are there.

    Args:
        x_batch_pointers (Tensor): the bounds of the batches.
        x_dense_shape, x_row_pointers, x_col_indices, x_values (Tensor): have no effect.

    Returns:
        Tensor[int32]: one number for each matrix.
    """
    return P.cast(x_batch_pointers[1:] - x_batch_pointers[:-1], dt.int32)


@hosted(lambda columns: np.argsort(columns, kind="stable").astype(np.int64), nondiff=True)
def _by_column(columns: Tensor):
    return AbstractTensor(columns.shape, dt.int64)


@primitive
def SparseMatrixTranspose(conjugate=False):
    """The transpose of a sparse matrix given by rows; conjugated if asked for."""

    def call(dense_shape, batch_pointers, row_pointers, col_indices, values):
        rows, columns = _matrix("dense_shape", dense_shape)
        order = _by_column(col_indices)
        of_rows = _rows_of(row_pointers, col_indices.shape[0])
        values = P.gather(values, order, 0)
        if conjugate and values.dtype.is_complex:
            values = P.conj(values)
        starts = _bounds(P.gather(col_indices, order, 0), columns)
        shape = as_tensor((columns, rows), col_indices.dtype)
        return shape, batch_pointers, starts, P.gather(of_rows, order, 0), values

    return call


@primitive
def SparseMatrixSoftmax(dtype):
    """Softmax along the rows, among the elements that are there."""

    def call(x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values):
        rows, _ = _matrix("x_dense_shape", x_dense_shape)
        of_rows = P.reshape(P.cast(_rows_of(x_row_pointers, x_values.shape[0]), dt.int64), (-1, 1))
        values = P.cast(x_values, dtype)
        low = P.full((rows,), -np.inf, dtype)
        top = P.stop_gradient(P.tensor_scatter(low, of_rows, values, "max"))
        raised = P.exp(values - P.gather_nd(top, of_rows))
        total = P.tensor_scatter(P.full((rows,), 0, dtype), of_rows, raised, "add")
        parts = x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices
        return *parts, raised / P.gather_nd(total, of_rows)

    return call


def _union(starts1, columns1, values1, starts2, columns2, values2):
    """The sum of two matrices by rows, with all places of both."""
    starts, columns = (starts1, starts2), np.concatenate((columns1, columns2))
    rows = np.concatenate([np.repeat(np.arange(len(s) - 1), np.diff(s)) for s in starts])
    places, of = np.unique(np.stack((rows, columns), 1), axis=0, return_inverse=True)
    total = np.zeros(len(places), values1.dtype)
    np.add.at(total, of.reshape(-1), np.concatenate((values1, values2)))
    bounds = np.searchsorted(places[:, 0], np.arange(len(starts1)))
    return bounds.astype(starts1.dtype), places[:, 1].astype(columns1.dtype), total


@finding(_union)
def _sum_by_rows(
    starts1: Tensor,
    columns1: Tensor,
    values1: Tensor,
    starts2: Tensor,
    columns2: Tensor,
    values2: Tensor,
):
    n = unbacked("rows_sum")
    parts = (starts1.shape, starts1.dtype), ((n,), columns1.dtype), ((n,), values1.dtype)
    return AbstractTuple(tuple([AbstractTensor(shape, dtype) for shape, dtype in parts]))


@face(inner="SparseMatrixAdd")
def _(
    x1_dense_shape,
    x1_batch_pointers,
    x1_row_pointers,
    x1_col_indices,
    x1_values,
    x2_dense_shape,
    x2_batch_pointers,
    x2_row_pointers,
    x2_col_indices,
    x2_values,
    alpha,
    beta,
):
    """``alpha x1 + beta x2`` of sparse matrices by rows, with the places of both."""
    shape = _matrix("x1_dense_shape", x1_dense_shape, x1_batch_pointers)
    other = _matrix("x2_dense_shape", x2_dense_shape, x2_batch_pointers)
    expect(shape == other, "x1 and x2", "of one shape", got=f"{shape} and {other}")
    starts, columns, values = _sum_by_rows(
        x1_row_pointers,
        x1_col_indices,
        x1_values * alpha,
        x2_row_pointers,
        x2_col_indices,
        x2_values * beta,
    )
    return (
        x1_dense_shape,
        P.gather(starts, as_tensor([0, shape[0]], dt.int64), 0),
        starts,
        columns,
        values,
    )


@primitive(inner=True)
def SparseMatrixMatMul(
    transpose_x1=False,
    transpose_x2=False,
    adjoint_x1=False,
    adjoint_x2=False,
    transpose_output=False,
    conjugate_output=False,
):
    """The product of a sparse matrix by rows with a dense one. ``transpose_`` takes the transpose of a
    factor or of the product, ``adjoint_`` that conjugated.
    """
    expect(not (transpose_x1 and adjoint_x1), "transpose_x1 and adjoint_x1", "not both true")
    expect(not (transpose_x2 and adjoint_x2), "transpose_x2 and adjoint_x2", "not both true")

    def turned(x, transpose, conjugate):
        x = P.conj(x) if conjugate and x.dtype.is_complex else x
        return P.transpose(x, (1, 0)) if transpose or conjugate else x

    def call(
        x1_dense_shape, x1_batch_pointers, x1_row_pointers, x1_col_indices, x1_values, x2_dense
    ):
        shape = _matrix("x1_dense_shape", x1_dense_shape, x1_batch_pointers)
        places = P.cast(_places(x1_row_pointers, x1_col_indices), dt.int64)
        x1 = P.tensor_scatter(P.full(shape, 0, x1_values.dtype), places, x1_values, "add")
        out = P.matmul(
            turned(x1, transpose_x1, adjoint_x1), turned(x2_dense, transpose_x2, adjoint_x2)
        )
        out = P.conj(out) if conjugate_output and out.dtype.is_complex else out
        return P.transpose(out, (1, 0)) if transpose_output else out

    return call
