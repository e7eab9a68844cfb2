"""Primitive classes of sets: what the last dimensions of two tensors have in common, have together, or one
of them alone.
"""

from __future__ import annotations

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...ir.abstract import AbstractTensor, AbstractTuple
from ...ir.shape_env import unbacked
from ...tensor import Tensor
from ..faces import primitive
from ..function.common import sizes_of
from ..unbacked import finding

_KINDS = {
    "a-b": set.difference,
    "b-a": lambda a, b: b - a,
    "intersection": set.intersection,
    "union": set.union,
}


def _groups(x: np.ndarray) -> dict:
    return {at: set(x[at].tolist()) for at in np.ndindex(*x.shape[:-1])}


def _sparse_groups(indices, values) -> dict:
    members: dict = {}
    for place, value in zip(indices.tolist(), values.tolist()):
        members.setdefault(tuple(place[:-1]), set()).add(value)
    return members


def _combined(kind: str, a: dict, b: dict, shape: tuple, dtype):
    """Places, values and shape of the sets that ``kind`` makes of those of each group, in order."""
    places, values, longest = [], [], 0
    for at in np.ndindex(*shape[:-1]):
        members = sorted(_KINDS[kind](a.get(at, set()), b.get(at, set())))
        places += [(*at, i) for i in range(len(members))]
        values += members
        longest = max(longest, len(members))
    at = np.array(places, np.int64).reshape(-1, len(shape))
    return at, np.array(values, dtype), np.array([*shape[:-1], longest], np.int64)


def _result(rank: int, dtype):
    n = unbacked("set")
    parts = ((n, rank), dt.int64), ((n,), dtype), ((rank,), dt.int64)
    return AbstractTuple(tuple([AbstractTensor(shape, kind) for shape, kind in parts]))


@finding(
    lambda x1, x2, kind: _combined(kind, _groups(x1), _groups(x2), x1.shape, x1.dtype), nondiff=True
)
def _dense_sets(x1: Tensor, x2: Tensor, kind: str):
    return _result(len(x1.shape), x1.dtype)


@finding(
    lambda x1, places, values, kind: _combined(
        kind, _groups(x1), _sparse_groups(places, values), x1.shape, x1.dtype
    ),
    nondiff=True,
)
def _dense_and_sparse_sets(x1: Tensor, places: Tensor, values: Tensor, kind: str):
    return _result(len(x1.shape), x1.dtype)


def _checked(set_operation: str, x1, other_shape: tuple, dtype) -> str:
    kind = set_operation.lower()
    expect(kind in _KINDS, "set_operation", f"one of {sorted(_KINDS)}", got=set_operation)
    expect(len(x1.shape) >= 2, "x1", "of at least two dimensions", got=x1.shape)
    expect(
        tuple(x1.shape[:-1]) == tuple(other_shape[:-1]),
        "x1 and x2",
        "of one shape but for the last dimension",
        got=f"{tuple(x1.shape)} and {tuple(other_shape)}",
    )
    expect(x1.dtype == dtype, "x1 and x2", "of one dtype", TypeError, got=f"{x1.dtype} and {dtype}")
    return kind


@primitive(inner=True)
def DenseToDenseSetOperation(set_operation="a-b", validate_indices=True):
    """The sets of the last dimensions of two tensors combined group by group, as a sparse tensor: places,
    values in order, and the shape, whose last size is that of the largest set. ``set_operation`` is
    "a-b", "b-a", "intersection" or "union".

    Args:
        x1 (Tensor[(..., N), int]): one set for each group.
        x2 (Tensor[(..., M), int]): the other; the other sizes are those of ``x1``.
    """
    expect(isinstance(set_operation, str), "set_operation", "a str", TypeError, got=set_operation)

    def call(x1, x2):
        return _dense_sets(x1, x2, _checked(set_operation, x1, x2.shape, x2.dtype))

    return call


@primitive(inner=True)
def DenseToSparseSetOperation(set_operation="", validate_indices=True):
    """The sets of the last dimensions of a tensor and of a sparse one combined group by group, as
    `DenseToDenseSetOperation` does.

    Args:
        x1 (Tensor[(..., N), int]): one set for each group.
        x2_indices (Tensor[(n, rank), int64]): the places of the sparse tensor's elements.
        x2_values (Tensor[(n,), int]): the elements, of the dtype of ``x1``.
        x2_shape (Tensor[(rank,), int64]): the sparse tensor's shape.
    """
    expect(isinstance(set_operation, str), "set_operation", "a str", TypeError, got=set_operation)

    def call(x1, x2_indices, x2_values, x2_shape):
        kind = _checked(set_operation, x1, sizes_of(x2_shape), x2_values.dtype)
        return _dense_and_sparse_sets(x1, x2_indices, x2_values, kind)

    return call
