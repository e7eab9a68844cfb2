"""SciPy's functions on tensors: linear algebra, cosine transforms, optimisation."""

from . import fft, linalg, ops, optimize

__all__ = ["fft", "linalg", "ops", "optimize"]
