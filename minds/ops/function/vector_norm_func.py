"""Norms of vectors and matrices."""

from __future__ import annotations

import math

from ...base import dtype as dt
from ...base.errors import expect
from ..define import P
from ..faces import face
from ..repeated import repeated
from ..rules import axes_of, axis_of, part_of
from .common import like, safe_sqrt, singular_values, squared_size, wide


@face(method=True)
@repeated
def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    r"""A norm of vectors, or of matrices where ``dim`` names two dimensions.

    Args:
        A (Tensor[any shape, float]): the operand.
        ord (number, str): the order: inf, -inf, 0 or p for vectors; ``"fro"``, ``"nuc"``, 1, -1, 2,
            -2, inf or -inf for matrices. Default: 2 for vectors, ``"fro"`` for matrices.
        dim (int, tuple[int]): the dimensions; None flattens (or takes both of a matrix, where
            ``ord`` is given).
        keepdim (bool): keep them with size 1. Default: False.
        dtype (dtype): the dtype to compute in. Default: that of ``A``.

    Returns:
        Tensor: the norms. The gradient of a 2-norm at 0 is 0.

    Raises:
        ValueError: ``ord`` names no norm that is known.

    Examples:
        >>> print(ops.norm(Tensor([3.0, 4.0])))
        5.0
    """
    x = wide(A if dtype is None else P.cast(A, dt.of(dtype)))
    if ord in ("nuc", 2, -2) and (
        dim is None and len(x.shape) == 2 or isinstance(dim, (tuple, list)) and len(dim) == 2
    ):
        out = _spectral_norm(x, ord, (0, 1) if dim is None else dim, keepdim)
        return out if dtype is not None else like(out, A)
    if dim is None and ord is not None and len(x.shape) == 2:
        dim = (0, 1)
    axes = axes_of(dim, len(x.shape))
    if ord is None or ord == "fro":
        out = _p_norm(x, 2, axes, keepdim)
    elif isinstance(dim, (tuple, list)) and len(dim) == 2:
        out = _matrix_norm(P.abs(x), ord, dim, keepdim)
    else:
        out = _p_norm(x, ord, axes, keepdim)
    return out if dtype is not None else like(out, A)


def vector_norm(x, ord=2, axis=None, keepdims=False, *, dtype=None):
    r"""The norm of all elements along dimensions as one vector, :math:`(\sum |x|^p)^{1/p}`.

    Args:
        x (Tensor[any shape, number]): the operand.
        ord (number): p; inf is the maximum, -inf the minimum of the absolute values, 0 how many are
            not 0. Default: 2.
        axis (int, tuple[int]): the dimensions. Default: None, all.
        keepdims (bool): keep them with size 1. Default: False.
        dtype (dtype): the dtype to compute in. Default: that of ``x``.

    Returns:
        Tensor: the norms. The gradient of a 2-norm at 0 is 0.

    Raises:
        ValueError: ``ord`` is no number, or ``axis`` is out of range.

    Examples:
        >>> print(ops.vector_norm(Tensor([[3.0, 4.0], [0.0, 0.0]]), 1))
        7.0
    """
    y = wide(x if dtype is None else P.cast(x, dt.of(dtype)))
    out = _p_norm(y, ord, axes_of(axis, len(y.shape)), keepdims)
    return out if dtype is not None else like(out, x)


def _p_norm(x, p, axes, keepdim):
    if p == 2:
        return safe_sqrt(P.sum(squared_size(x), axes, keepdim))
    if p == math.inf:
        return P.amax(P.abs(x), axes, keepdim)
    if p == -math.inf:
        return P.amin(P.abs(x), axes, keepdim)
    if p == 0:
        return P.sum(P.cast(P.not_equal(x, 0), part_of(x)), axes, keepdim)
    if p == 1:
        return P.sum(P.abs(x), axes, keepdim)
    expect(isinstance(p, (int, float)), "ord", "None, 'fro', inf, -inf or a number", got=repr(p))
    return P.pow(P.sum(P.pow(P.abs(x), p), axes, keepdim), 1 / p)


def _spectral_norm(x, ord, dim, keepdim):
    """The sum, the largest or the least of the singular values."""
    axes = [axis_of(d, len(x.shape)) for d in dim]
    rest = [i for i in range(len(x.shape)) if i not in axes]
    values = singular_values(P.transpose(x, tuple(rest + axes)))
    out = (
        P.sum(values, -1, False)
        if ord == "nuc"
        else (P.amax if ord == 2 else P.amin)(values, -1, False)
    )
    return (
        P.reshape(out, tuple(1 if i in axes else n for i, n in enumerate(x.shape)))
        if keepdim
        else out
    )


def _matrix_norm(size, ord, dim, keepdim):
    """Norms that are extremes of row or column sums of ``size``, the absolute values."""
    expect(
        ord in (1, -1, math.inf, -math.inf),
        "ord",
        "'fro', 1, -1, inf or -inf for matrices",
        got=repr(ord),
    )
    rows, columns = (axis_of(d, len(size.shape)) for d in dim)
    summed, chosen = (rows, columns) if abs(ord) == 1 else (columns, rows)
    out = (P.amax if ord > 0 else P.amin)(P.sum(size, summed, True), chosen, True)
    if keepdim:
        return out
    return P.reshape(out, tuple(n for i, n in enumerate(size.shape) if i not in (rows, columns)))
