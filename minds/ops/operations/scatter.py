"""Primitive classes that write at positions, into tensors and into parameters."""

from __future__ import annotations

from ...base import dtype as dt
from ..define import P
from ..faces import face, primitive
from ..function.common import as_int64, known_values
from ..functional import WITHIN as F
from ..unbacked import sized_by


def _scatter(mode):
    """Write into a parameter at positions along its first dimension."""

    def make(use_locking=False):
        def call(input_x, indices, updates):
            rows = P.reshape(as_int64(indices), indices.shape + (1,))
            return F.assign(input_x, P.tensor_scatter(input_x, rows, updates, mode))

        return call

    return make


def _scatter_nd(mode):
    def make(use_locking=False):
        return lambda input_x, indices, updates: F.assign(
            input_x, P.tensor_scatter(input_x, indices, updates, mode)
        )

    return make


for _mode in ("add", "div", "max", "min", "mul", "sub", "update"):
    _name = _mode.title()
    primitive(name=f"Scatter{_name}", like=f"scatter_{_mode}")(_scatter(_mode))
    primitive(name=f"ScatterNd{_name}", like=f"scatter_nd_{_mode}")(_scatter_nd(_mode))


@face(cls="InplaceUpdateV2", like="inplace_update")
def _(x, indices, v):
    return F.inplace_update(x, v, indices)


@face(cls="UpdateCache")
def _(input_x, indices, updates, max_num):
    """Rows of a parameter replaced; indices that are negative or too large are left out."""
    rows, n = P.reshape(as_int64(indices), (-1,)), input_x.shape[0]
    limit = max_num if isinstance(max_num, int) else int(known_values("UpdateCache", max_num)[0])
    fits = P.logical_and(P.greater_equal(rows, 0), P.less(rows, min(limit, n)))
    wide = P.pad(input_x, ((0, 1),) + ((0, 0),) * (len(input_x.shape) - 1), 0)
    new = P.tensor_scatter(
        wide,
        P.reshape(P.select(fits, rows, n), (-1, 1)),
        P.reshape(P.cast(updates, input_x.dtype), rows.shape + input_x.shape[1:]),
        "update",
    )
    F.assign(
        input_x,
        P.strided_slice(new, (0,) * len(input_x.shape), input_x.shape, (1,) * len(input_x.shape)),
    )
    return P.full((1,), 0, input_x.dtype)


@primitive
def FillDiagonal(fill_value, wrap=False):
    return lambda x: x.fill_diagonal(fill_value, wrap)


@primitive(like="index_add")
def IndexAdd(axis, use_lock=True, check_index_bound=True):
    return lambda x, indices, y: F.index_add(x, indices, y, axis)


@primitive
def IndexPut(accumulate=0):
    return lambda x1, x2, indices: x1.index_put(indices, x2, bool(accumulate))


def _segments(function):
    """The largest id tells how many segments there are."""

    def run(input_x, segment_ids):
        counts = F.bincount(segment_ids)
        return sized_by(function(input_x, segment_ids, counts.shape[0]), counts)

    return lambda: run


for _mode in ("max", "mean", "min", "prod", "sum"):
    _like = "segment_mean" if _mode == "mean" else f"unsorted_segment_{_mode}"
    primitive(name=f"Segment{_mode.title()}", like=_like)(_segments(getattr(F, _like)))


@face(cls="SparseToDense")
def _(indices, values, sparse_shape):
    """A dense tensor of values at positions, 0 elsewhere.

    Args:
        indices (Tensor[int]): the positions, one per row.
        values (Tensor): the values, or one for all.
        sparse_shape (tuple[int]): the shape.

    Returns:
        Tensor: of that shape and the dtype of ``values``.

    Raises:
        ValueError: shapes do not fit.

    Examples:
        >>> print(ops.SparseToDense()(Tensor([[0], [2]]), Tensor([5, 6]), (3,)))
        [5 0 6]
    """
    rows = indices if len(indices.shape) > 1 else P.reshape(indices, (-1, 1))
    values = P.broadcast_to(values, rows.shape[:1]) if not values.shape else values
    return P.tensor_scatter(P.full(tuple(sparse_shape), 0, values.dtype), rows, values, "update")


@primitive
def ScatterAddWithAxis(axis=0):
    """``updates`` added at ``indices`` along a dimension.

    Args:
        axis (int): the dimension. Default: 0.
        input_x (Tensor[any shape, number]): the operand.
        indices (Tensor[any shape, int]): where, along ``axis``.
        updates (Tensor): of the shape of ``indices``.

    Returns:
        Tensor: like ``input_x``.

    Raises:
        IndexError: an index is out of range.

    Examples:
        >>> op = ops.ScatterAddWithAxis(1)
        >>> print(op(Tensor([[1, 2, 3]]), Tensor([[2, 0]]), Tensor([[5, 7]])))
        [[8 2 8]]
    """
    return lambda input_x, indices, updates: F.tensor_scatter_elements(
        input_x, indices, updates, axis, "add"
    )


@primitive
def ConfusionMatrix(num_classes, dtype="int32"):
    """How often each class was taken for each.

    Args:
        num_classes (int): the number of classes.
        dtype (str): of the result. Default: "int32".
        labels, predictions (Tensor[(N,), int]): class ids.
        weights (Tensor[(N,), number]): of each pair. Default: None, 1.

    Returns:
        Tensor[(num_classes, num_classes), dtype]: in rows by label.

    Raises:
        IndexError: an id is out of range.

    Examples:
        >>> print(ops.ConfusionMatrix(2)(Tensor([0, 1]), Tensor([1, 1])))
        [[0 1]
         [0 1]]
    """

    def call(labels, predictions, weights=None):
        kind = dt.of(dtype)
        weights = P.full(labels.shape, 1, kind) if weights is None else P.cast(weights, kind)
        at = F.stack((P.cast(labels, dt.int64), P.cast(predictions, dt.int64)), 1)
        zeros = P.full((num_classes, num_classes), 0, kind)
        return P.tensor_scatter(zeros, at, weights, "add")

    return call


@primitive(like="tensor_scatter_add")
def ScatterNonAliasingAdd():
    return lambda input_x, indices, updates: F.scatter_nd_add(input_x, indices, updates)
