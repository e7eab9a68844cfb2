"""Matrices by rows and their other forms: whole, by coordinates, by the rows of their elements."""

from __future__ import annotations

from ..base import dtype as dt
from ..base.errors import expect
from ..base.limits import check_memory
from ..tensor import Tensor
from .define import P
from .faces import face
from .functional import WITHIN as F
from .sparse_base import expect_kind
from .sparse_coo import COOTensor
from .sparse_csr import CSRTensor
from .unbacked import positions


@face(method="to_csr")
def dense_to_sparse_csr(tensor) -> CSRTensor:
    """The elements of a matrix that are not 0, by rows.

    Args:
        tensor (Tensor[(M, N)]): the operand.

    Returns:
        CSRTensor: of the same shape.

    Raises:
        TypeError: ``tensor`` is not a Tensor.
        ValueError: ``tensor`` is no matrix.

    Examples:
        >>> print(ops.dense_to_sparse_csr(Tensor([[0.0, 3.0]])).indptr)
        [0 1]
    """
    expect_kind("dense_to_sparse_csr: tensor", tensor, Tensor)
    expect(len(tensor.shape) == 2, "dense_to_sparse_csr: tensor", "of rank 2", got=tensor.shape)
    where = positions(tensor)
    held = P.sum(P.cast(P.not_equal(tensor, 0), dt.int64), 1)
    starts = P.concat((P.full((1,), 0, dt.int64), F.cumsum(held, 0)), 0)
    return CSRTensor(
        P.cast(starts, dt.int32),
        P.cast(where[:, 1], dt.int32),
        F.gather_nd(tensor, where),
        tensor.shape,
    )


def coo2csr(row_indices, height) -> Tensor:
    """Where each row begins, of row numbers in order.

    Args:
        row_indices (Tensor[(N,), int]): the rows, not decreasing.
        height (int): the number of rows.

    Returns:
        Tensor[(height + 1,)]: the places, of the same dtype.

    Raises:
        TypeError: ``row_indices`` is not a Tensor.

    Examples:
        >>> print(ops.coo2csr(Tensor([0, 2]), 3))
        [0 1 1 2]
    """
    expect_kind("coo2csr: row_indices", row_indices, Tensor)
    expect(type(height) is int and height >= 0, "height", "an int of at least 0", got=height)
    check_memory(8 * height, "the list of rows")
    rows = P.cast(row_indices, dt.int64)
    starts = F.searchsorted(rows, P.arange(0, height + 1, 1, dt.int64))
    return P.cast(starts, row_indices.dtype)


def csr_to_coo(tensor) -> COOTensor:
    """The same matrix by coordinates.

    Args:
        tensor (CSRTensor): the operand.

    Returns:
        COOTensor: of the same shape.

    Raises:
        TypeError: ``tensor`` is not a CSRTensor.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 1, 1]), Tensor([1]), Tensor([0.5]), (2, 2))
        >>> print(ops.csr_to_coo(x).indices)
        [[0 1]]
    """
    expect_kind("csr_to_coo: tensor", tensor, CSRTensor)
    return tensor.to_coo()


def csr_to_dense(csr_tensor) -> Tensor:
    """The whole matrix.

    Args:
        csr_tensor (CSRTensor): the operand.

    Returns:
        Tensor: of the same shape.

    Raises:
        TypeError: ``csr_tensor`` is not a CSRTensor.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 1, 1]), Tensor([1]), Tensor([0.5]), (2, 2))
        >>> print(ops.csr_to_dense(x))
        [[0.  0.5]
         [0.  0. ]]
    """
    expect_kind("csr_to_dense: csr_tensor", csr_tensor, CSRTensor)
    return csr_tensor.to_dense()
