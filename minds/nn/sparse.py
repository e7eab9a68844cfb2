"""Cells on sparse matrices."""

from __future__ import annotations

from .. import ops
from .cell import Cell


class SparseToDense(Cell):
    """The dense tensor of a sparse one.

    Inputs:
        - **sparse_tensor** (COOTensor, CSRTensor)

    Outputs:
        Tensor, of the shape and dtype of the input.

    Raises:
        AttributeError: the input is not sparse.

    Examples:
        >>> from minds import COOTensor, Tensor, nn
        >>> print(nn.SparseToDense()(COOTensor(Tensor([[0, 1]]), Tensor([1.0]), (2, 2))))
        [[0. 1.]
         [0. 0.]]
    """

    def construct(self, sparse_tensor):
        return sparse_tensor.to_dense()


class SparseTensorDenseMatmul(Cell):
    """The product of a sparse matrix, given by its elements, and a dense one.

    Args:
        adjoint_st (bool): whether the sparse matrix is transposed. Default False.
        adjoint_dt (bool): whether the dense matrix is transposed. Default False.

    Inputs:
        - **indices** (Tensor[(K, 2), int]), **values** (Tensor[(K,)]), **sparse_shape** (tuple[int,
          int]) - the sparse matrix.
        - **dense** (Tensor[(M, N)]) - the dense one.

    Outputs:
        Tensor, the product.

    Raises:
        IndexError: an index is out of range.

    Examples:
        >>> from minds import Tensor, nn, ops
        >>> print(nn.SparseTensorDenseMatmul()(Tensor([[0, 1]]), Tensor([2.0]), (2, 2), ops.ones((2, 1))))
        [[2.]
         [0.]]
    """

    def __init__(self, adjoint_st=False, adjoint_dt=False):
        super().__init__()
        self.adjoint_st, self.adjoint_dt = adjoint_st, adjoint_dt
        self.product = ops.SparseTensorDenseMatmul(adjoint_st, adjoint_dt)

    def construct(self, indices, values, sparse_shape, dense):
        return self.product(indices, values, sparse_shape, dense)


__all__ = ["SparseTensorDenseMatmul", "SparseToDense"]
