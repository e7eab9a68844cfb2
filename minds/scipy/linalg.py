"""SciPy's linear algebra on tensors."""

from __future__ import annotations

import numpy as np

from .. import ops
from ..base import dtype as dt
from ..base.boundary import guard as _guard
from ..base.errors import expect
from ..ir.abstract import AbstractTensor, AbstractTuple
from ..ops.define import P, library_op
from ..ops.function.host_func import lu_packed
from ..ops.rules import same
from ..tensor import Tensor


def _real(a):
    """``a`` as numbers that can be divided: int32 and int64 as float64, smaller ones as float32."""
    wide = dt.float64 if a.dtype.itemsize > 2 else dt.float32
    return a if a.dtype.is_float or a.dtype.is_complex else ops.cast(a, wide)


def _numbers(a):
    """`_real` of numbers that LAPACK's drivers take: no small ones, which nobody decomposes on purpose."""
    small = a.dtype.itemsize < 4
    expect(not small, "a", "of 32 bits or more", TypeError, got=f"{a.dtype}")
    return _real(a)


def _flags(**given) -> None:
    """Refuse what is no bool, also where it would have no effect."""
    for name, value in given.items():
        expect(isinstance(value, bool), name, "a bool", TypeError, got=repr(value))


def block_diag(*arrs):
    """Matrices along a diagonal, with zeros elsewhere; see `ops.block_diag`.

    Args:
        arrs (Tensor): of rank 2 or less.

    Returns:
        Tensor: of rank 2; of nothing (1, 0), as in SciPy.

    Raises:
        ValueError: ``arrs`` has a rank that does not fit.

    Examples:
        >>> from minds.scipy.linalg import block_diag
        >>> print(block_diag(Tensor([[1.0]]), Tensor([[2.0, 3.0]])))
        [[1. 0. 0.]
         [0. 2. 3.]]
    """
    return ops.block_diag(*arrs) if arrs else ops.zeros((1, 0), dt.float32)


def inv(a, overwrite_a=False, check_finite=True):
    """The inverses of square matrices; see `ops.inverse`.

    Args:
        a (Tensor[(..., N, N), number]): the matrices.
        overwrite_a (bool): has no effect. Default: False.
        check_finite (bool): has no effect. Default: True.

    Returns:
        Tensor: of the same shape.

    Raises:
        ValueError: ``a`` has a rank that does not fit.

    Examples:
        >>> from minds.scipy.linalg import inv
        >>> print(inv(Tensor([[2.0]])))
        [[0.5]]
    """
    return P.inverse(_real(a))


def det(a, overwrite_a=False, check_finite=True):
    """The determinants of square matrices; see `ops.det`.

    Args:
        a (Tensor[(..., N, N), number]): the matrices.
        overwrite_a (bool): has no effect. Default: False.
        check_finite (bool): has no effect. Default: True.

    Returns:
        Tensor[(...)]: the determinants.

    Raises:
        ValueError: ``a`` has a rank that does not fit.

    Examples:
        >>> from minds.scipy.linalg import det
        >>> print(det(Tensor([[2.0]])))
        2.0
    """
    return P.det(_real(a))


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """The triangular factor of a symmetric positive definite matrix, the upper one by default; see
    `ops.cholesky`.

    Args:
        a (Tensor[(..., N, N), number]): the matrices.
        lower (bool): give the lower factor. Default: False.
        overwrite_a (bool): has no effect. Default: False.
        check_finite (bool): has no effect. Default: True.

    Returns:
        Tensor: of the same shape.

    Raises:
        ValueError: ``a`` has a rank that does not fit.

    Examples:
        >>> from minds.scipy.linalg import cholesky
        >>> print(cholesky(Tensor([[4.0]])))
        [[2.]]
    """
    _flags(lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    return P.cholesky(_real(a), not lower)


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """What `cho_solve` takes: the factor of `cholesky`, and whether it is the lower one.

    Args:
        a (Tensor[(..., N, N), number]): the matrices.
        lower (bool): give the lower factor. Default: False.
        overwrite_a (bool): has no effect. Default: False.
        check_finite (bool): has no effect. Default: True.

    Returns:
        tuple: the factor, and ``lower``.

    Raises:
        ValueError: ``a`` has a rank that does not fit.

    Examples:
        >>> from minds.scipy.linalg import cho_factor
        >>> print(cho_factor(Tensor([[4.0]]))[0])
        [[2.]]
    """
    return cholesky(a, lower, overwrite_a, check_finite), lower


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """The solutions of A x = b, with A as its triangular factor.

    Args:
        c_and_lower (tuple): the factor (..., N, N), and whether it is the lower one.
        b (Tensor[(..., N) or (..., N, K)]): the right sides.
        overwrite_b, check_finite (bool): have no effect.

    Returns:
        Tensor: of the shape of ``b``.

    Raises:
        ValueError: ``b`` has a rank that does not fit.

    Examples:
        >>> from minds.scipy.linalg import cho_solve
        >>> print(cho_solve((Tensor([[2.0]]), True), Tensor([8.0])))
        [2.]
    """
    _flags(overwrite_b=overwrite_b, check_finite=check_finite)
    c, lower = c_and_lower
    half = solve_triangular(c, b, 0 if lower else 1, lower)
    return solve_triangular(c, half, 1 if lower else 0, lower)


def solve_triangular(
    a,
    b,
    trans=0,
    lower=False,
    unit_diagonal=False,
    overwrite_b=False,
    debug=None,
    check_finite=True,
):
    """The solutions of a x = b, with a triangular.

    Args:
        a (Tensor[(..., N, N), float]): the matrices; the other triangle is not read.
        b (Tensor[(..., N) or (..., N, K), float]): the right sides.
        trans (int, str): 0 or ``"N"`` for a, 1 or ``"T"`` for its transpose, 2 or ``"C"`` for that
            conjugated.
        lower (bool): whether it is the lower triangle. Default: False.
        unit_diagonal (bool): the diagonal is taken for ones. Default: False.
        overwrite_b, debug, check_finite (bool, None): have no effect.

    Returns:
        Tensor: of the shape of ``b``.

    Raises:
        ValueError: ``trans`` is another, or the shapes do not fit.

    Examples:
        >>> from minds.scipy.linalg import solve_triangular
        >>> print(solve_triangular(Tensor([[2.0, 9.0], [1.0, 1.0]]), Tensor([4.0, 3.0]), lower=True))
        [2. 1.]
    """
    _flags(lower=lower, unit_diagonal=unit_diagonal)
    _flags(overwrite_b=overwrite_b, check_finite=check_finite)
    trans = {"N": 0, "T": 1, "C": 2}.get(trans, trans)
    expect(trans in (0, 1, 2), "trans", "0, 1, 2, 'N', 'T' or 'C'", got=repr(trans))
    a, b = _real(a), _real(b)
    n = a.shape[-1]
    expect(len(a.shape) >= 2 and a.shape[-2] == n, "a", "square matrices", got=a.shape)
    vector = len(b.shape) == len(a.shape) - 1
    expect(b.shape[-1 if vector else -2] == n, "b", f"of {n} rows", got=b.shape)
    half = P.tril(a, 0) if lower else P.triu(a, 0)
    if unit_diagonal:
        eye = P.eye(n, n, a.dtype)
        half = half * (1 - eye) + eye
    if trans:
        half = ops.swapaxes(half, -1, -2)
        half = P.conj(half) if trans == 2 and half.dtype.is_complex else half
    x = P.solve(half, ops.expand_dims(b, -1) if vector else b)
    return ops.squeeze(x, -1) if vector else x


def _turned(x):
    return ops.swapaxes(x, -1, -2)


def _eigh_host(a, lower):
    w, v = np.linalg.eigh(a, "L" if lower else "U")
    return w, v


def _eigh_rule(a: Tensor, lower: bool):
    real = {dt.complex64: dt.float32, dt.complex128: dt.float64}.get(a.dtype, a.dtype)
    return AbstractTuple((AbstractTensor(a.shape[:-1], real), same(a)))


_eigh = library_op(_eigh_rule, host=_eigh_host)


@_eigh.bprop
def _(a, lower, out, dout):
    """Giles (2008), 3.1: V (diag(dw) + F * (V^T dV)) V^T, with F_ij = 1 / (w_j - w_i) off the
    diagonal.
    """
    w, v = out[0], out[1]
    n = w.shape[-1]
    eye = P.eye(n, n, v.dtype)
    gap = ops.expand_dims(w, -2) - ops.expand_dims(w, -1)
    off = (1 - eye) / P.select(P.equal(gap, 0), 1, gap)
    inner = off * P.matmul(_turned(v), dout[1]) + eye * ops.expand_dims(dout[0], -1)
    grad = P.matmul(P.matmul(v, inner), _turned(v))
    return ((grad + _turned(grad)) * 0.5,)


def eigh(
    a,
    b=None,
    lower=True,
    eigvals_only=False,
    overwrite_a=False,
    overwrite_b=False,
    turbo=True,
    eigvals=None,
    type=1,
    check_finite=True,
):
    """The eigenvalues, in rising order, and the eigenvectors of symmetric (Hermitian) matrices.

    Args:
        a (Tensor[(..., N, N), number]): the matrices.
        b (None): generalised problems are not solved.
        lower (bool): which triangle is read. Default: True.
        eigvals_only (bool): only the eigenvalues. Default: False.
        overwrite_a, overwrite_b, turbo, check_finite (bool): have no effect.
        eigvals (None): all eigenvalues are found.
        type (int): 1.

    Returns:
        tuple: values (..., N), and vectors (..., N, N) in columns; with ``eigvals_only`` the
            values.

    Raises:
        ValueError: ``b``, ``eigvals`` or another ``type`` than 1 is given.

    Examples:
        >>> from minds.scipy.linalg import eigh
        >>> print(eigh(Tensor([[2.0, 0.0], [0.0, 1.0]]), eigvals_only=True))
        [1. 2.]
    """
    _flags(lower=lower, eigvals_only=eigvals_only, overwrite_a=overwrite_a)
    _flags(overwrite_b=overwrite_b, turbo=turbo, check_finite=check_finite)
    expect(b is None and eigvals is None and type == 1, "b, eigvals and type", "None, None and 1")
    w, v = _eigh(_numbers(a), lower)
    return w if eigvals_only else (w, v)


def lu_factor(a, overwrite_a=False, check_finite=True):
    """The LU factorisation with the triangles packed into one matrix.

    Args:
        a (Tensor[(..., M, N), float]): the matrices.
        overwrite_a, check_finite (bool): have no effect.

    Returns:
        tuple: the packed triangles, and for each row the one that it was exchanged with, counted
            from 0.

    Raises:
        ValueError: ``a`` has a rank that does not fit.

    Examples:
        >>> from minds.scipy.linalg import lu_factor
        >>> packed, pivots = lu_factor(Tensor([[1.0, 2.0], [2.0, 2.0]]))
        >>> print(packed, pivots)
        [[2.  2. ]
         [0.5 1. ]] [1 1]
    """
    return lu_packed(_real(a))


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """The solutions of a x = b, with a as `lu_factor` packs it.

    Args:
        lu_and_piv (tuple): the packed triangles (N, N), and the rows that were exchanged, counted
            from 0.
        b (Tensor[(N,) or (N, K), float]): the right sides.
        trans (int): 0 for a, 1 for its transpose, 2 for that conjugated. Default: 0.
        overwrite_b, check_finite (bool): have no effect.

    Returns:
        Tensor: of the shape of ``b``.

    Raises:
        ValueError: ``trans`` is another, or the shapes do not fit.

    Examples:
        >>> from minds.scipy.linalg import lu_factor, lu_solve
        >>> print(lu_solve(lu_factor(Tensor([[2.0, 0.0], [0.0, 4.0]])), Tensor([2.0, 2.0])))
        [1.  0.5]
    """
    expect(trans in (0, 1, 2), "trans", "0, 1 or 2", got=repr(trans))
    packed, pivots = _real(lu_and_piv[0]), lu_and_piv[1] + 1
    b = _real(b)
    columns = b if len(b.shape) > 1 else ops.expand_dims(b, -1)
    expect(columns.shape[0] == packed.shape[-1], "b", f"of {packed.shape[-1]} rows", got=b.shape)
    if trans:
        p, low, up = ops.lu_unpack(packed, pivots)
        a = ops.swapaxes(P.matmul(p, P.matmul(low, up)), -1, -2)
        x = P.solve(P.conj(a) if trans == 2 and a.dtype.is_complex else a, columns)
    else:
        x = ops.lu_solve(columns, packed, pivots)
    return x if len(b.shape) > 1 else ops.squeeze(x, -1)


def lu(a, permute_l=False, overwrite_a=False, check_finite=True):
    """The factors P, L and U whose product is the matrix.

    Args:
        a (Tensor[(..., M, N), float]): the matrices.
        permute_l (bool): return P L and U. Default: False.
        overwrite_a, check_finite (bool): have no effect.

    Returns:
        tuple: P (..., M, M), L (..., M, K) and U (..., K, N), with K = min(M, N).

    Raises:
        ValueError: ``a`` has a rank that does not fit.

    Examples:
        >>> from minds.scipy.linalg import lu
        >>> p, l, u = lu(Tensor([[1.0, 2.0], [2.0, 2.0]]))
        >>> print(u)
        [[2. 2.]
         [0. 1.]]
    """
    packed, pivots = lu_packed(_real(a))
    p, low, up = ops.lu_unpack(packed, pivots + 1)
    return (P.matmul(p, low), up) if permute_l else (p, low, up)


def lstsq(A, B, rcond=None, driver=None):
    """The least squares solutions of A X = B.

    Args:
        A (Tensor[(..., M, N), number]): the matrices.
        B (Tensor[(..., M, K) or (..., M), number]): the right sides.
        rcond (float): has no effect, as in MindSpore. Default: None.
        driver (str): ``"gels"``, ``"gelsy"`` (as None), ``"gelss"`` or ``"gelsd"``: says which of
            the other results are given.

    Returns:
        tuple: the solutions; the sums of squared errors (where M > N, not for gelsy); the ranks
            (not for gels); the singular values (for gelss and gelsd). What is not given is an empty tensor.

    Raises:
        TypeError: the dtypes differ.
        ValueError: the shapes do not fit, or ``driver`` is another.

    Examples:
        >>> from minds.scipy.linalg import lstsq
        >>> print(lstsq(Tensor([[2.0]]), Tensor([[4.0]]))[0])
        [[2.]]
    """
    expect(
        driver in (None, "gels", "gelsy", "gelss", "gelsd"),
        "driver",
        "'gels', 'gelsy', 'gelss' or 'gelsd'",
        got=repr(driver),
    )
    expect(
        A.dtype is B.dtype,
        "A and B",
        "of one dtype",
        TypeError,
        got=f"{A.dtype.name} and {B.dtype.name}",
    )
    expect(len(A.shape) >= 2, "A", "matrices", got=A.shape)
    vector = len(B.shape) == len(A.shape) - 1
    b = ops.expand_dims(B, -1) if vector else B
    m, n = A.shape[-2:]
    expect(b.shape[-2] == m, "B", f"of {m} rows", got=B.shape)
    driver = driver or "gelsy"
    x = P.matmul(ops.pinv(A), b)
    nothing = P.full((0,), 0, A.dtype)
    errors = nothing
    if driver != "gelsy" and m > n:
        errors = P.sum(P.square(P.matmul(A, x) - b), -2, False)
        errors = ops.squeeze(errors, -1) if vector else errors
    s = P.stop_gradient(P.svd(A)[0])
    least = float(np.finfo(A.dtype.np).eps) * max(m, n)
    rank = P.sum(P.cast(P.greater(s, P.amax(s, -1, True) * least), dt.int64), -1, False)
    return (
        ops.squeeze(x, -1) if vector else x,
        errors,
        P.full((0,), 0, dt.int64) if driver == "gels" else rank,
        s if driver in ("gelss", "gelsd") else nothing,
    )


__all__ = [
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "det",
    "eigh",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "solve_triangular",
]
_guard(__name__)
