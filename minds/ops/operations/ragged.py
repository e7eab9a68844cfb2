"""Primitive classes of sets, of the shape of sparse tensors, and of rows of several lengths."""

from __future__ import annotations

import math

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...ir.abstract import AbstractTensor
from ...tensor import Tensor
from ..define import P
from ..faces import face, primitive
from ..function.common import as_tensor, hosted, sizes_of
from ..functional import WITHIN as F


def _set_sizes(indices, values, shape):
    sizes = np.zeros(tuple(shape[:-1]), np.int32)
    members: dict = {}
    for row, value in zip(indices, values):
        members.setdefault(tuple(row[:-1]), set()).add(value.item())
    for row, found in members.items():
        sizes[row] = len(found)
    return sizes


@hosted(lambda indices, values, shape: _set_sizes(indices, values, shape), nondiff=True)
def _set_size(indices: Tensor, values: Tensor, shape: tuple):
    return AbstractTensor(shape[:-1], dt.int32)


@primitive(inner=True)
def SetSize(validate_indices=True):
    """How many different elements the last dimension of a sparse tensor has."""

    def call(set_indices, set_values, set_shape):
        sizes = sizes_of(set_shape)
        expect(len(sizes) >= 2, "set_shape", "of at least two dimensions", got=sizes)
        return _set_size(set_indices, set_values, sizes)

    return call


@face(inner="SparseReshape")
def _(indices, shape, new_shape):
    """The places of a sparse tensor's elements in another shape, and that shape."""
    old, new = sizes_of(shape), list(sizes_of(new_shape))
    if -1 in new:
        rest = math.prod(n for n in new if n != -1)
        new[new.index(-1)] = math.prod(old) // max(rest, 1)
    expect(math.prod(new) == math.prod(old), "new_shape", f"of {math.prod(old)} elements", got=new)
    steps = as_tensor([math.prod(old[i + 1 :]) for i in range(len(old))], dt.int64)
    flat = P.sum(P.cast(indices, dt.int64) * steps, (1,), False)
    columns = [flat // math.prod(new[i + 1 :]) % n for i, n in enumerate(new)]
    return F.stack(tuple(columns), 1), as_tensor(new, dt.int64)


@face(inner="Sspaddmm")
def _(x1_indices, x1_values, x1_shape, x2_indices, x2_values, x2_shape, x3_dense, alpha, beta):
    """``beta x1 + alpha x2 @ x3`` of sparse matrices and a dense one, sparse: the elements of ``x1``, and
    behind them all of each product's row.
    """
    sizes, wide = sizes_of(x2_shape), x3_dense.shape[1]
    row, column = (P.cast(x2_indices[i], dt.int64) for i in (0, 1))
    parts = P.gather(x3_dense, column, 0) * P.reshape(x2_values, (-1, 1))
    n = row.shape[0]
    rows = P.broadcast_to(P.reshape(row, (n, 1)), (n, wide))
    columns = P.broadcast_to(P.reshape(P.arange(0, wide, 1, dt.int64), (1, wide)), (n, wide))
    expect(sizes[1] == x3_dense.shape[0], "x3_dense", f"of {sizes[1]} rows", got=x3_dense.shape)
    places = F.stack((P.reshape(rows, (-1,)), P.reshape(columns, (-1,))), 0)
    indices = P.concat((P.cast(x1_indices, dt.int64), places), 1)
    values = P.concat((x1_values * beta, P.reshape(parts, (-1,)) * alpha), 0)
    return indices, values, P.cast(as_tensor(x1_shape), dt.int64)


def _starts(kind: str, given) -> np.ndarray:
    """Where each row begins, of a partition in one of three forms."""
    if kind == "ROW_SPLITS":
        return np.asarray(given)
    return np.searchsorted(given, np.arange(int(given[-1]) + 2 if len(given) else 1))


def _rows(values, default, given, lengths, shape, kinds):
    """The dense tensor: rows are filled, cut and missing as the shape says. The partitions lie in
    ``given`` one behind the other.
    """
    given = np.split(given, np.cumsum(lengths)[:-1])
    out = np.empty(shape, values.dtype)
    out[...] = default
    first = kinds[0] == "FIRST_DIM_SIZE"
    splits = [_starts(k, g) for k, g in zip(kinds[first:], given[first:])]

    def fill(part, row, level):
        if level == len(splits):
            part[...] = values[row]
            return
        if row + 1 >= len(splits[level]):
            return
        begin, end = splits[level][row], splits[level][row + 1]
        for i in range(min(end - begin, part.shape[0])):
            fill(part[i : i + 1][0] if part.ndim > 1 else part[i : i + 1], begin + i, level + 1)

    count = int(given[0][0]) if first else len(splits[0]) - 1
    for i in range(min(count, shape[0])):
        fill(out[i], i, 0)
    return out


@hosted(lambda *args: _rows(*args), nondiff=True)
def _ragged_rows(
    values: Tensor, default: Tensor, given: Tensor, lengths: tuple, shape: tuple, kinds: tuple
):
    return AbstractTensor(shape, values.dtype)


@primitive(inner=True)
def RaggedTensorToTensor(row_partition_types):
    """The dense tensor of rows of several lengths, filled up with ``default_value``; the rows are given by
    ``FIRST_DIM_SIZE`` and ``VALUE_ROWIDS``, or by ``ROW_SPLITS``.
    """
    kinds = tuple(row_partition_types)
    known = {"FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_SPLITS"}
    expect(set(kinds) <= known, "row_partition_types", f"of {sorted(known)}", got=kinds)

    def call(shape, values, default_value, row_partition_tensors):
        given = [P.reshape(P.cast(as_tensor(v), dt.int64), (-1,)) for v in row_partition_tensors]
        lengths = tuple([v.shape[0] for v in given])
        together, default = P.concat(tuple(given), 0), as_tensor(default_value)
        return _ragged_rows(values, default, together, lengths, sizes_of(shape), kinds)

    return call
