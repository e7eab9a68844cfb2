"""MindSpore's module of sparse kernels: `ops.sparse_tensor` as classes."""

from __future__ import annotations

from ..ops import sparse_csr as sparse
from ..ops.operations import derive

COO2CSR = derive("COO2CSR", lambda: sparse.coo2csr, sparse.coo2csr.__doc__)
CSR2COO = derive("CSR2COO", lambda: sparse.csr2coo, sparse.csr2coo.__doc__)
CSRGather = derive("CSRGather", lambda: sparse.csr_gather, sparse.csr_gather.__doc__)

__all__ = ["COO2CSR", "CSR2COO", "CSRGather"]
