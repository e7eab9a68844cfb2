"""`scipy.ops_wrapper`, MindSpore's module of one function on diagonals of matrices."""

from __future__ import annotations

from ..base import dtype as dt
from ..base.errors import complain
from ..ops import operations
from ..tensor import Tensor


def matrix_set_diag(input_x, diagonal, k=0, alignment="RIGHT_LEFT") -> Tensor:
    """Matrices with some of their diagonals replaced.

    Args:
        input_x (Tensor[(..., M, N)]): the matrices.
        diagonal (Tensor[(..., L)] or Tensor[(..., K, L)]): the elements of one diagonal or of several, the
            uppermost first, each filled up to the longest.
        k (int, list, tuple): the number of the diagonal, or the lowest and the uppermost; 0 is the main
            one. Default: 0.
        alignment (str): where diagonals above and below the main one are filled up: "RIGHT_LEFT",
            "LEFT_RIGHT", "LEFT_LEFT" or "RIGHT_RIGHT". Default: "RIGHT_LEFT".

    Returns:
        Tensor: like ``input_x``.

    Raises:
        ValueError: ``k`` is none of these.

    Examples:
        >>> from minds.compat.diagonals import matrix_set_diag
        >>> print(matrix_set_diag(Tensor([[7.0, 7.0], [7.0, 7.0]]), Tensor([1.0, 2.0])))
        [[1. 7.]
         [7. 2.]]
    """
    if not isinstance(k, (int, list, tuple)):
        raise complain(ValueError, f"matrix_set_diag: k is {k!r}", expected="an int or two")
    both = Tensor([k, k] if isinstance(k, int) else list(k), dt.int32)
    return operations.MatrixSetDiagV3(alignment)(input_x, diagonal, both)


__all__ = ["matrix_set_diag"]
