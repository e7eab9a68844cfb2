"""MindSpore's name of the module of sparse tensors."""

from ..ops.sparse_tensor import COOTensor, CSRTensor, RowTensor, RowTensorInner, SparseTensor

__all__ = ["COOTensor", "CSRTensor", "RowTensor", "RowTensorInner", "SparseTensor"]
