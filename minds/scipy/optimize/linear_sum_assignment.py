"""The assignment problem."""

from __future__ import annotations

import numpy as np

from ... import ops
from ...base import dtype as dt
from ...ir.abstract import AbstractTensor, AbstractTuple
from ...ops.define import library_op
from ...tensor import Tensor


def _assigned(cost, maximize, limit):
    import scipy.optimize

    columns = min(int(limit), cost.shape[1])
    rows, matched = scipy.optimize.linear_sum_assignment(cost[:, :columns], maximize)
    out = np.full((2, min(cost.shape)), -1, np.int64)
    out[0, : len(rows)], out[1, : len(rows)] = rows, matched
    return out[0], out[1]


def _assignment(cost: Tensor, maximize: bool, limit: Tensor):
    one = AbstractTensor((min(cost.shape),), dt.int64)
    return AbstractTuple((one, one))


_assignment.__name__ = "linear_sum_assignment"
_assignment.__annotations__ = {"cost": "Tensor", "maximize": "bool", "limit": "Tensor"}
_solve = library_op(_assignment, host=_assigned, nondiff=True)


def linear_sum_assignment(cost_matrix, maximize, dimension_limit=None):
    """The assignment of rows to columns whose total cost is least.

    Args:
        cost_matrix (Tensor[(M, N), number]): the costs.
        maximize (bool): the total is to be greatest instead.
        dimension_limit (Tensor): how many columns count; all by default.

    Returns:
        tuple: rows and columns, int64, filled up with -1 where fewer count.

    Raises:
        TypeError: ``cost_matrix`` is not a Tensor.

    Source: Crouse, On implementing 2D rectangular assignment algorithms, 2016.

    Examples:
        >>> from minds.scipy.optimize import linear_sum_assignment
        >>> print(linear_sum_assignment(Tensor([[2.0, 1.0], [1.0, 3.0]]), False)[1])
        [1 0]
    """
    limit = (
        Tensor(2**62, dt.int64) if dimension_limit is None else ops.cast(dimension_limit, dt.int64)
    )
    return _solve(cost_matrix, bool(maximize), limit)
