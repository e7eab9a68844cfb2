"""SciPy's functions on tensors: linear algebra, cosine transforms, optimisation."""

from . import fft, linalg, optimize

__all__ = ["fft", "linalg", "optimize"]
