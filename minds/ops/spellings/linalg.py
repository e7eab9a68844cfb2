"""Methods of tensors, and functions of `minds.mint`, whose parameters are not those of the
function: linear algebra.
"""

from __future__ import annotations

from ..define import P
from ..faces import face
from ..functional import WITHIN as F


@face(method="qr")
def _(self, some=True):
    """Orthonormal columns and an upper triangle."""
    return F.qr(self, "reduced" if some else "complete")


@face(mint="bmm")
def _(input, mat2):
    return P.matmul(input, mat2)


@face(mint="cdist")
def _(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    return F.cdist(x1, x2, p)


@face(mint="addr_", like="addr")
def _(input, vec1, vec2, beta=1, alpha=1):
    return F.assign(input, F.addr(input, vec1, vec2, beta=beta, alpha=alpha))


@face(mint="mv", like="matmul")
def _(input, vec):
    return F.matmul(input, vec)


@face(mint="norm")
def _(input, p="fro", dim=None, keepdim=False, *, dtype=None):
    """Of matrices ``"fro"``, the norm of all elements, and ``"nuc"``; a number is that of vectors."""
    if p in ("fro", "nuc", None):
        return F.norm(input, None if p == "fro" else p, dim, keepdim, dtype=dtype)
    return F.vector_norm(input, p, dim, keepdim, dtype=dtype)


@face(mint="linalg.norm")
def _(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    return F.norm(A, ord, dim, keepdim, dtype=dtype)


@face(mint="triangular_solve", method="triangular_solve")
def _(b, A, upper=True, transpose=False, unitriangular=False):
    r"""The solutions of :math:`A X = B` where A is triangular, of which the other half is not read.

    Args:
        b (Tensor[(..., N, K), float]): B.
        A (Tensor[(..., N, N), float]): the matrices.
        upper (bool): they are upper triangular. Default: True.
        transpose (bool): solve with the transposes. Default: False.
        unitriangular (bool): ones stand on the diagonals, which are not read. Default: False.

    Returns:
        tuple[Tensor]: X, and a copy of ``A``.

    Raises:
        ValueError: a matrix is not square or not invertible, or the sizes do not fit.

    Examples:
        >>> print(Tensor([[4.0], [6.0]]).triangular_solve(Tensor([[1.0, 1.0], [9.0, 3.0]]))[0])
        [[2.]
         [2.]]
    """
    half = P.triu(A, 0) if upper else P.tril(A, 0)
    if unitriangular:
        eye = P.eye(A.shape[-1], A.shape[-1], A.dtype)
        half = half * (1 - eye) + eye
    return P.solve(F.swapaxes(half, -1, -2) if transpose else half, b), P.copy(A)


@face(mint="vdot", like="dot")
def _(input, other):
    return F.dot(P.conj(input) if input.dtype.is_complex else input, other)


@face(mint="linalg.matrix_norm")
def _(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    return F.matrix_norm(A, ord, dim, keepdim, dtype=dtype)


@face(mint="linalg.vector_norm")
def _(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    return F.vector_norm(x, ord, dim, keepdim, dtype=dtype)


@face(mint="linalg.qr")
def _(A, mode="reduced"):
    return F.qr(A, mode)
