"""MindSpore's module of sparse kernels: `ops.sparse_tensor` as classes."""

from __future__ import annotations

from ..ops import sparse_csr, sparse_csr_forms
from ..ops.operations import derive

COO2CSR = derive("COO2CSR", lambda: sparse_csr_forms.coo2csr, sparse_csr_forms.coo2csr.__doc__)
CSR2COO = derive("CSR2COO", lambda: sparse_csr.csr2coo, sparse_csr.csr2coo.__doc__)
CSRGather = derive("CSRGather", lambda: sparse_csr.csr_gather, sparse_csr.csr_gather.__doc__)

__all__ = ["COO2CSR", "CSR2COO", "CSRGather"]
