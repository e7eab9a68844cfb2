"""Decompositions and inverses of matrices, by LAPACK on the host.

Operands are batches of matrices: the last two dimensions are rows and columns. The gradients are
those of Giles,
An extended collection of matrix derivative results for forward and reverse mode algorithmic
differentiation, 2008,
and of Townsend, Differentiating the singular value decomposition, 2016.
"""

from __future__ import annotations

import functools

import numpy as np

from ..base.errors import expect
from ..ir.abstract import AbstractTensor, AbstractTuple
from ..tensor import Tensor
from .define import P, op
from .rules import conjugate, floating, no_gradient, same, unbroadcast, whole_of


def _wide(host):
    """``host`` for halves too, which LAPACK does not have: it computes in single precision."""

    @functools.wraps(host)
    def run(*operands):
        if operands[0].dtype != np.float16:
            return host(*operands)
        wide = [a.astype(np.float32) if isinstance(a, np.ndarray) else a for a in operands]
        found = host(*wide)
        if isinstance(found, tuple):
            return tuple([f.astype(np.float16) for f in found])
        return np.asarray(found).astype(np.float16)

    return run


def _real(x, name: str) -> None:
    """Raise where a gradient rule is for real matrices and these are not."""
    if x.dtype.is_complex:
        raise no_gradient(name, "complex matrices")


def _matrices(x, square: bool = True, complex: bool = False) -> None:
    if not (complex and x.dtype.is_complex):
        floating(x, "input")
    expect(x.ndim >= 2, "input", "a matrix, or a batch of them", got=f"shape {x.shape}")
    expect(
        not square or x.shape[-1] == x.shape[-2],
        "input",
        "of square matrices",
        got=f"shape {x.shape}",
    )


def _turned(x):
    """The transposes of a batch of matrices."""
    n = len(x.shape)
    return P.transpose(x, tuple(range(n - 2)) + (n - 1, n - 2))


def _adjoint(x):
    """The conjugate transposes of a batch of matrices."""
    return conjugate(_turned(x))


def _spread(x):
    """``x`` with two dimensions of size 1 after it."""
    return P.reshape(x, x.shape + (1, 1))


def _inverse(x):
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        raise ValueError("inverse: a matrix is not invertible") from None


@op(
    host=_wide(_inverse),
    promote="input",
    floating=True,
    batch="leading",
    function=True,
    method=True,
    mint="inverse linalg.inv",
)
def inverse(input: Tensor) -> Tensor:
    """The inverses of square matrices.

    Args:
        input (Tensor[(..., N, N), float]): the matrices.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: a matrix is not square or not invertible.

    Examples:
        >>> print(ops.inverse(Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[0.5  0.  ]
         [0.   0.25]]
    """
    _matrices(input, complex=True)
    return same(input)


@inverse.bprop
def _(x, out, dout):
    out = conjugate(out)
    return (P.neg(P.matmul(P.matmul(out, dout, True, False), out, False, True)),)


@op(
    host=_wide(np.linalg.det),
    promote="input",
    floating=True,
    batch="leading",
    function="det matrix_determinant",
    method=True,
    cls="MatrixDeterminant",
)
def det(input: Tensor) -> Tensor:
    """The determinants of square matrices.

    Args:
        input (Tensor[(..., N, N), float]): the matrices.

    Returns:
        Tensor[(...)]: of the same dtype.

    Raises:
        ValueError: a matrix is not square.

    Examples:
        >>> print(ops.det(Tensor([[2.0, 0.0], [0.0, 4.0]])))
        8.0
    """
    _matrices(input, complex=True)
    return AbstractTensor(input.shape[:-2], input.dtype)


@det.bprop
def _(x, out, dout):
    return (_adjoint(P.inverse(x)) * _spread(conjugate(out) * dout),)


def _slogdet(x):
    sign, value = np.linalg.slogdet(x)
    return sign, value.astype(x.dtype)


@op(
    host=_wide(_slogdet),
    promote="input",
    floating=True,
    batch="leading",
    function=True,
    method=True,
)
def slogdet(input: Tensor) -> tuple[Tensor, Tensor]:
    """The signs of determinants, and the logarithms of their absolute values.

    Args:
        input (Tensor[(..., N, N), float]): the matrices.

    Returns:
        tuple: two Tensors of shape (...) and of the same dtype.

    Raises:
        ValueError: a matrix is not square.

    Examples:
        >>> sign, value = ops.slogdet(Tensor([[-1.0, 0.0], [0.0, 1.0]]))
        >>> print(sign, value)
        -1.0 0.0
    """
    _matrices(input, complex=True)
    one = AbstractTensor(input.shape[:-2], input.dtype)
    return AbstractTuple((one, one))


@slogdet.bprop
def _(x, out, dout):
    _real(x, "slogdet")
    return (_turned(P.inverse(x)) * _spread(dout[1]),)


def _cholesky(x, upper):
    try:
        low = np.linalg.cholesky(x)
    except np.linalg.LinAlgError:
        raise ValueError("cholesky: a matrix is not positive definite") from None
    return np.swapaxes(low, -1, -2) if upper else low


@op(
    host=_wide(_cholesky),
    promote="input_x",
    floating=True,
    batch="leading",
    function=True,
    method=True,
    cls="Cholesky(upper=False)",
)
def cholesky(input_x: Tensor, upper: bool = False) -> Tensor:
    r"""The triangular factors of symmetric positive definite matrices, :math:`A = L L^T`.

    Args:
        input_x (Tensor[(..., N, N), float]): the matrices.
        upper (bool): the upper factor :math:`U = L^T` instead. Default: False.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: a matrix is not square or not positive definite.

    Examples:
        >>> print(ops.cholesky(Tensor([[4.0, 0.0], [0.0, 9.0]])))
        [[2. 0.]
         [0. 3.]]
    """
    _matrices(input_x)
    return same(input_x)


@cholesky.bprop
def _(x, upper, out, dout):
    low, dlow = (_turned(out), _turned(dout)) if upper else (out, dout)
    phi = P.tril(P.matmul(low, dlow, True, False), 0)
    phi = phi - P.tril(P.triu(phi, 0), 0) * 0.5
    inverse_low = P.inverse(low)
    s = P.matmul(P.matmul(inverse_low, phi, True, False), inverse_low)
    return ((s + _turned(s)) * 0.5,)


def _solve(a, b):
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        raise ValueError("solve: a matrix is not invertible") from None


@op(host=_wide(_solve), promote="input other", floating=True, batch="leading")
def solve(input: Tensor, other: Tensor) -> Tensor:
    r"""The solutions of :math:`A X = B`.

    Args:
        input (Tensor[(..., N, N), float]): the matrices :math:`A`.
        other (Tensor[(..., N, K), float]): the right-hand sides :math:`B`.

    Returns:
        Tensor[(..., N, K)]: of the common dtype.

    Raises:
        ValueError: a matrix is not square or not invertible, or the sizes do not fit.

    Examples:
        >>> print(ops.matrix_solve(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([[1.0], [1.0]])))
        [[0.5 ]
         [0.25]]
    """
    _matrices(input, complex=True)
    expect(
        other.ndim >= 2 and other.shape[-2] == input.shape[-1],
        "other",
        f"with {input.shape[-1]} rows",
        got=f"shape {other.shape}",
    )
    batch = np.broadcast_shapes(input.shape[:-2], other.shape[:-2])
    return AbstractTensor(batch + other.shape[-2:], input.dtype)


@solve.bprop
def _(a, b, out, dout):
    db = P.solve(_adjoint(a), dout)
    da = P.neg(P.matmul(db, conjugate(out), False, True))
    return unbroadcast(da, a.shape), unbroadcast(db, b.shape)


@op(host=_wide(lambda x: tuple(np.linalg.qr(x))), promote="input", floating=True, batch="leading")
def qr(input: Tensor) -> tuple[Tensor, Tensor]:
    r"""The reduced factors of :math:`A = Q R`, with orthonormal columns and upper triangular.

    Args:
        input (Tensor[(..., M, N), float]): the matrices.

    Returns:
        tuple: :math:`Q` of shape (..., M, K) and :math:`R` of shape (..., K, N), with K = min(M,
            N).
    """
    _matrices(input, square=False, complex=True)
    m, n = input.shape[-2:]
    k = min(m, n)
    return AbstractTuple(
        (
            AbstractTensor(input.shape[:-2] + (m, k), input.dtype),
            AbstractTensor(input.shape[:-2] + (k, n), input.dtype),
        )
    )


@qr.bprop
def _(x, out, dout):
    _real(x, "qr")
    expect(
        x.shape[-2] >= x.shape[-1], "input", "with at least as many rows as columns, for a gradient"
    )
    (q, r), (dq, dr) = out, dout
    m = P.matmul(r, dr, False, True) - P.matmul(dq, q, True, False)
    low = P.tril(m, -1)
    sym = low + _turned(low) + P.tril(P.triu(m, 0), 0)
    return (P.matmul(dq + P.matmul(q, sym), _turned(P.inverse(r))),)


def _svd(x, full_matrices):
    if not np.isfinite(x).all():  # of infinities LAPACK's iteration finds no end
        raise np.linalg.LinAlgError("SVD did not converge: a value is not finite")
    u, s, vt = np.linalg.svd(x, full_matrices=full_matrices)
    return s.astype(x.dtype), u, np.conj(np.swapaxes(vt, -1, -2))


@op(host=_wide(_svd), promote="input", floating=True, batch="leading")
def svd(input: Tensor, full_matrices: bool = False) -> tuple[Tensor, Tensor, Tensor]:
    r"""The singular values and vectors, :math:`A = U \mathrm{diag}(s) V^H`.

    Args:
        input (Tensor[(..., M, N), float]): the matrices.
        full_matrices (bool): square :math:`U` and :math:`V`, else K = min(M, N) columns. Default:
            False.

    Returns:
        tuple: :math:`s` of shape (..., K), :math:`U` and :math:`V`.
    """
    _matrices(input, square=False, complex=True)
    (m, n), batch = input.shape[-2:], input.shape[:-2]
    k = min(m, n)
    return AbstractTuple(
        (
            AbstractTensor(batch + (k,), input.dtype),
            AbstractTensor(batch + (m, m if full_matrices else k), input.dtype),
            AbstractTensor(batch + (n, n if full_matrices else k), input.dtype),
        )
    )


@svd.bprop
def _(x, full_matrices, out, dout):
    _real(x, "svd")
    (s, u, v), (ds, du, dv) = out, dout
    k = s.shape[-1]
    expect(u.shape[-1] == k and v.shape[-1] == k, "full_matrices", "False, for a gradient")
    row, column = P.reshape(s, s.shape[:-1] + (1, k)), P.reshape(s, s.shape[:-1] + (k, 1))
    eye = P.eye(k, k, s.dtype)
    gap = P.square(row) - P.square(column)
    f = (1 - eye) / P.select(P.equal(gap, 0), 1, gap)

    def turn(w, dw):
        a = f * P.matmul(w, dw, True, False)
        return a + _turned(a)

    inside = turn(u, du) * row + column * turn(v, dv) + eye * P.reshape(ds, column.shape)
    dx = P.matmul(P.matmul(u, inside), v, False, True)
    dus, dvs = du / row, dv / row
    dx = dx + P.matmul(dus - P.matmul(u, P.matmul(u, dus, True, False)), v, False, True)
    return (dx + P.matmul(u, dvs - P.matmul(v, P.matmul(v, dvs, True, False)), False, True),)


@op(
    host=lambda a: tuple(np.linalg.eig(a)),
    promote="A",
    floating=True,
    batch="leading",
    function=True,
)
def eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """The eigenvalues of square matrices, and their eigenvectors in columns.

    The gradient is that of what does not depend on the phases of the eigenvectors, and of matrices
    whose eigenvalues differ.

    Args:
        A (Tensor[(..., N, N), number]): the matrices.

    Returns:
        tuple: two complex tensors, of shape (..., N) and (..., N, N).

    Raises:
        ValueError: a matrix is not square.

    Examples:
        >>> print(ops.eig(Tensor([[2.0, 0.0], [0.0, 3.0]]))[0])
        [2.+0.j 3.+0.j]
    """
    _matrices(A, complex=True)
    c = whole_of(A)
    return AbstractTuple((AbstractTensor(A.shape[:-1], c), AbstractTensor(A.shape, c)))


@eig.bprop
def _(x, out, dout):
    values, v = out
    n = x.shape[-1]
    eye = P.eye(n, n, v.dtype)
    inside = eye * P.reshape(dout[0], values.shape + (1,))
    if dout.get(1) is not None:
        inner = P.matmul(_adjoint(v), dout[1])
        along = P.cast(P.real(P.sum(inner * eye, -2, True)), v.dtype)
        inner = inner - P.matmul(_adjoint(v), v) * along
        row, column = (
            P.reshape(values, values.shape[:-1] + (1, n)),
            P.reshape(values, values.shape + (1,)),
        )
        inside = inside + (1 - eye) * inner / P.conj(row - column + eye)
    return (P.cast(P.solve(_adjoint(v), P.matmul(inside, _adjoint(v))), x.dtype),)


@op(
    host=lambda a: np.linalg.eig(a)[0],
    promote="A",
    floating=True,
    batch="leading",
    function=True,
    method=True,
)
def eigvals(A: Tensor) -> Tensor:
    """The eigenvalues of square matrices, as complex numbers.

    Args:
        A (Tensor[(..., N, N), number]): the matrices.

    Returns:
        Tensor[(..., N), complex]: in no particular order.

    Raises:
        ValueError: a matrix is not square.

    Examples:
        >>> print(ops.eigvals(Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [2.+0.j 4.+0.j]
    """
    _matrices(A, complex=True)
    return AbstractTensor(A.shape[:-1], whole_of(A))


@eigvals.bprop
def _(x, out, dout):
    h = _adjoint(P.eig(x)[1])
    return (P.cast(P.solve(h, P.reshape(dout, dout.shape + (1,)) * h), x.dtype),)
