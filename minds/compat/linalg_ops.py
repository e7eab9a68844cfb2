"""MindSpore's module of primitives of linear algebra: those of `ops.operations`, and `Eigh`."""

from __future__ import annotations

from ..ops import operations
from ..ops.operations import derive
from ..scipy.linalg import eigh


def _eigh(compute_eigenvectors=True, lower=True):
    return lambda A: eigh(A, lower=lower, eigvals_only=not compute_eigenvectors)


Eigh = derive("Eigh", _eigh, eigh.__doc__)


def __getattr__(name: str):
    return getattr(operations, name)


__all__ = ["Eigh"]
