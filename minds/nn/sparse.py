"""Cells on sparse matrices."""

from __future__ import annotations

from .. import ops
from .cell import Cell


class SparseToDense(Cell):
    """The dense tensor of a sparse one.

    Examples:
        >>> from minds import COOTensor, Tensor, nn
        >>> print(nn.SparseToDense()(COOTensor(Tensor([[0, 1]]), Tensor([1.0]), (2, 2))))
        [[0. 1.]
         [0. 0.]]
    """

    def construct(self, input):
        return input.to_dense()


class SparseTensorDenseMatmul(Cell):
    """The product of a sparse matrix, given by its elements, and a dense one.

    Args:
        adjoint_st, adjoint_dt (bool): whether the sparse, and the dense matrix are transposed.
            Default False.

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
