"""Decompositions of matrices and what is computed from them: systems of equations, inverses, norms,
powers.
"""

from __future__ import annotations

from ...base import dtype as dt
from ...base.errors import expect
from ..define import P
from ..faces import face
from ..rules import axis_of, conjugate
from .array_func import moveaxis, swapaxes
from .common import singular_values
from .vector_norm_func import norm


@face(method=True)
def logdet(input):
    """The logarithms of determinants; nan where one is negative.

    Args:
        input (Tensor[(..., N, N), float]): the matrices.

    Returns:
        Tensor[(...)]: of the same dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.logdet(Tensor([[1.0, 0.0], [0.0, 1.0]])))
        0.0
    """
    sign, value = P.slogdet(input)
    if value.dtype.is_complex:
        return P.log(sign) + value
    return P.select(P.less(sign, 0), P.full((), float("nan"), value.dtype), value)


@face(method=True, cls=True)
def log_matrix_determinant(input):
    """The signs of determinants, and the logarithms of their absolute values. See `slogdet`.

    Args:
        input (Tensor[(..., N, N), float]): the matrices.

    Returns:
        tuple[Tensor]: signs and logarithms, each of shape (...).

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.log_matrix_determinant(Tensor([[1.0, 0.0], [0.0, 1.0]]))[1])
        0.0
    """
    return P.slogdet(input)


@face(method=True, cls="CholeskyInverse(upper=False)")
def cholesky_inverse(input_x, upper=False):
    """The inverse of a matrix from its Cholesky factor.

    Args:
        input_x (Tensor[(N, N), float]): the factor.
        upper (bool): it is upper triangular. Default: False.

    Returns:
        Tensor[(N, N)]: the inverse of the product of the factor and its transpose.

    Raises:
        TypeError: ``input_x`` is not a Tensor.

    Examples:
        >>> print(ops.cholesky_inverse(Tensor([[2.0, 0.0], [0.0, 1.0]])))
        [[0.25 0.  ]
         [0.   1.  ]]
    """
    factor = P.inverse(input_x)
    return P.matmul(factor, factor, not upper, upper)


@face(method=True, cls="CholeskySolve(upper=False)")
def cholesky_solve(input, input2, upper=False):
    r"""The solutions of :math:`A X = B`, given the Cholesky factor of :math:`A`.

    Args:
        input (Tensor[(..., N, K), float]): :math:`B`.
        input2 (Tensor[(..., N, N), float]): the factor.
        upper (bool): it is the upper one. Default: False.

    Returns:
        Tensor: like ``input``.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``input2`` does not fit ``input``.

    Examples:
        >>> print(ops.cholesky_solve(Tensor([[4.0]]), Tensor([[2.0]])))
        [[1.]]
    """
    low = P.tril(swapaxes(input2, -1, -2) if upper else input2, 0)
    return P.solve(swapaxes(low, -1, -2), P.solve(low, input))


@face(cls="MatrixSolve(adjoint=False)")
def matrix_solve(matrix, rhs, adjoint=False):
    r"""The solutions of :math:`A X = B`; with ``adjoint``, of :math:`A^T X = B`.

    Args:
        matrix (Tensor[(..., N, N), float]): A.
        rhs (Tensor[(..., N, K), float]): B.
        adjoint (bool): solve with the transpose. Default: False.

    Returns:
        Tensor[(..., N, K)]: X.

    Raises:
        TypeError: ``matrix`` is not a Tensor.
        ValueError: the shape of ``rhs`` does not fit ``matrix``.

    Examples:
        >>> print(ops.matrix_solve(Tensor([[2.0]]), Tensor([[4.0]])))
        [[2.]]
    """
    return P.solve(swapaxes(matrix, -1, -2) if adjoint else matrix, rhs)


@face(method=True)
def lstsq(input, A):
    r"""The solutions of least norm of :math:`\min_X \|x X - A\|`.

    Args:
        input (Tensor[(M, N), float]): the matrix.
        A (Tensor[(M, K), float]): the right-hand sides, or a vector of M.

    Returns:
        Tensor[(N, K)]: of the common dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``A`` does not fit ``input``.

    Examples:
        >>> print(ops.lstsq(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([[2.0], [4.0]])).asnumpy().round(3))
        [[1.]
         [1.]]
    """
    b = P.reshape(A, (-1, 1)) if len(A.shape) == 1 else A
    return P.matmul(pinv(input), b)


@face(method=True)
def pinv(x, *, atol=None, rtol=None, hermitian=False):
    """The Moore-Penrose pseudo-inverses of matrices.

    Args:
        x (Tensor[(..., M, N), float]): the matrices.
        atol, rtol (float): singular values below ``max(atol, rtol * largest)`` count as 0. Default:
            rtol is max(M, N) times the precision of the dtype, or 0 with ``atol``.
        hermitian (bool): the matrices are symmetric; makes no difference here. Default: False.

    Returns:
        Tensor[(..., N, M)]: of the same dtype.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.pinv(Tensor([[2.0, 0.0], [0.0, 4.0]])).asnumpy().round(3))
        [[0.5  0.  ]
         [0.   0.25]]
    """
    s, u, v = P.svd(x, False)
    if s.dtype.is_complex:
        s, u = P.real(s), conjugate(u)
    if rtol is None:
        eps = 2.220446049250313e-16 if x.dtype is dt.float64 else 1.1920928955078125e-07
        rtol = max(x.shape[-2:]) * eps if atol is None else 0.0
    bound = P.maximum(P.amax(s, -1, True) * rtol, 0.0 if atol is None else atol)
    kept = P.greater(s, bound)
    back = P.select(kept, 1 / P.select(kept, s, 1), 0)
    back = P.cast(P.reshape(back, back.shape[:-1] + (1, back.shape[-1])), v.dtype)
    return P.matmul(v * back, u, False, True)


@face(method=True, cls="Svd(full_matrices=False, compute_uv=True)")
def svd(input, full_matrices=False, compute_uv=True):
    """The singular values of matrices, and with ``compute_uv`` the vectors. See `P.svd`.

    Args:
        input (Tensor[(..., M, N), float]): the matrices.
        full_matrices (bool): give square matrices of vectors. Default: False.
        compute_uv (bool): give the vectors too. Default: True.

    Returns:
        Tensor or tuple[Tensor]: the singular values, in descending order; with ``compute_uv`` (s,
            u, v).

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.svd(Tensor([[2.0, 0.0], [0.0, 4.0]]), compute_uv=False))
        [4. 2.]
    """
    s, u, v = P.svd(input, full_matrices)
    return (s, u, v) if compute_uv else s


def qr(input, mode="reduced"):
    """The factors of matrices into orthonormal columns and an upper triangle. See `P.qr`.

    Args:
        input (Tensor[(..., M, N), float]): the matrices.
        mode (str): ``"reduced"``; ``"complete"`` is for square matrices the same. Default:
            ``"reduced"``.

    Returns:
        tuple: the two factors.

    Raises:
        ValueError: ``mode`` is another word, or asks for more columns than there are.

    Examples:
        >>> q, r = ops.qr(Tensor([[2.0, 0.0], [0.0, 4.0]]))
        >>> print(ops.abs(r))
        [[2. 0.]
         [0. 4.]]
    """
    expect(mode in ("reduced", "complete"), "mode", "'reduced' or 'complete'", got=repr(mode))
    expect(
        mode == "reduced" or input.shape[-2] <= input.shape[-1],
        "mode",
        "'reduced' for tall matrices",
        got=repr(mode),
    )
    return P.qr(input)


@face(method=True, cls="MatrixPower(n)")
def matrix_power(input, n):
    """Square matrices to an integer power; a negative one inverts first.

    Args:
        input (Tensor[(..., N, N), float]): the matrices.
        n (int): the exponent.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.matrix_power(Tensor([[2.0, 0.0], [0.0, 3.0]]), 2))
        [[4. 0.]
         [0. 9.]]
    """
    expect(isinstance(n, int) and not isinstance(n, bool), "n", "an int", TypeError, got=repr(n))
    if n < 0:
        input, n = P.inverse(input), -n
    if n == 0:
        return P.broadcast_to(P.eye(input.shape[-1], input.shape[-1], input.dtype), input.shape)
    out = None
    while n:
        if n & 1:
            out = input if out is None else P.matmul(out, input)
        n >>= 1
        input = P.matmul(input, input) if n else input
    return out


def matrix_norm(A, ord="fro", axis=(-2, -1), keepdims=False, *, dtype=None):
    """The norms of matrices in two dimensions.

    Args:
        A (Tensor): the operand.
        ord (str | number): ``"fro"``, ``"nuc"``, 1, -1, 2, -2, inf or -inf. Default: ``"fro"``.
        axis (tuple[int]): the dimensions of the matrices. Default: the last two.
        keepdims (bool): keep them with size 1. Default: False.
        dtype (dtype): the dtype to compute in. Default: that of ``A``.

    Returns:
        Tensor: the norms.

    Raises:
        ValueError: ``ord`` or ``axis`` is none of these.

    Examples:
        >>> print(ops.matrix_norm(Tensor([[3.0, 0.0], [0.0, 4.0]])))
        5.0
    """
    expect(
        len(tuple(axis)) == 2 and axis[0] != axis[1], "axis", "two different dimensions", got=axis
    )
    x = A if dtype is None else P.cast(A, dt.of(dtype))
    if ord in ("fro", 1, -1, float("inf"), float("-inf")):
        return norm(x, ord, tuple(axis), keepdims)
    expect(ord in ("nuc", 2, -2), "ord", "'fro', 'nuc', ±1, ±2 or ±inf", got=repr(ord))
    s = singular_values(moveaxis(x, tuple(axis), (-2, -1)))
    out = P.sum(s, -1) if ord == "nuc" else P.amax(s, -1) if ord == 2 else P.amin(s, -1)
    if keepdims:
        kept = sorted(axis_of(a, len(x.shape)) for a in axis)
        for a in kept:
            out = P.reshape(out, out.shape[:a] + (1,) + out.shape[a:])
    return out
