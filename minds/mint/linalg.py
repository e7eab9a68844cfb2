"""Linear algebra under torch's names."""

from ..base import dtype as dt
from ..ops import functional as F
from ..ops.define import P
from .functions import FUNCTIONS

inv = P.inverse
norm = FUNCTIONS["norm"]


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    """The norms of matrices. See `ops.matrix_norm`."""
    return F.matrix_norm(A, ord, dim, keepdim, dtype=dtype)


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """The norms of vectors. See `ops.vector_norm`."""
    x = x if dtype is None else P.cast(x, dt.of(dtype))
    if dim is None and len(x.shape) != 1:
        out = F.vector_norm(P.reshape(x, (-1,)), ord)
        return P.reshape(out, (1,) * len(x.shape)) if keepdim else out
    return F.vector_norm(x, ord, dim, keepdim)


def qr(A, mode="reduced"):
    """Orthonormal columns and an upper triangle. See `ops.qr`."""
    return F.qr(A, mode)


__all__ = ["inv", "matrix_norm", "norm", "qr", "vector_norm"]
