"""Primitive classes on sparse matrices given by rows, as shape, bounds of batches, bounds of rows,
columns and values. Batches of matrices are refused.
"""

from __future__ import annotations

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...ir.abstract import AbstractTensor
from ...tensor import Tensor
from ..define import P
from ..faces import face, primitive
from ..function.common import as_tensor, hosted, sizes_of


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
