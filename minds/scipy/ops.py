"""MindSpore's primitive classes of `scipy`: what their calls do is in `linalg` and `optimize`."""

from __future__ import annotations

from .. import ops
from . import linalg
from .optimize import linear_sum_assignment


def Eig(compute_v: bool = True):
    """Eigenvalues of square matrices, and their eigenvectors in columns.

    Args:
        compute_v (bool): whether there are eigenvectors; else the call returns the eigenvalues
            alone. Default: True.

    Returns:
        Callable: takes matrices of shape (..., N, N).

    Raises:
        TypeError: ``compute_v`` is no bool.

    Examples:
        >>> from minds.scipy.ops import Eig
        >>> print(Eig(False)(Tensor([[2.0, 0.0], [0.0, 3.0]])))
        [2.+0.j 3.+0.j]
    """
    return ops.eig if compute_v else ops.eigvals


def SolveTriangular(lower: bool = False, unit_diagonal: bool = False, trans: str = "N"):
    """The solutions of a x = b, with a triangular; see `linalg.solve_triangular`.

    Args:
        lower (bool): whether it is the lower triangle. Default: False.
        unit_diagonal (bool): the diagonal is taken for ones. Default: False.
        trans (str): "N" for a, "T" for its transpose, "C" for that conjugated. Default: "N".

    Returns:
        Callable: takes ``a`` and ``b``.

    Examples:
        >>> from minds.scipy.ops import SolveTriangular
        >>> print(SolveTriangular(lower=True)(Tensor([[2.0, 9.0], [1.0, 1.0]]), Tensor([4.0, 3.0])))
        [2. 1.]
    """
    return lambda a, b: linalg.solve_triangular(a, b, trans, lower, unit_diagonal)


def LinearSumAssignment():
    """The assignment of rows to columns whose total cost is least; see
    `optimize.linear_sum_assignment`.

    Returns:
        Callable: takes the costs, how many columns count, and whether the total is to be greatest.

    Examples:
        >>> from minds.scipy.ops import LinearSumAssignment
        >>> print(LinearSumAssignment()(Tensor([[2.0, 1.0], [1.0, 3.0]]), Tensor(2), False)[1])
        [1 0]
    """
    return lambda cost, limit, maximize: linear_sum_assignment(cost, maximize, limit)


__all__ = ["Eig", "LinearSumAssignment", "SolveTriangular"]
