"""Linear algebra under torch's names."""

from .functions import functions

_FUNCTIONS = functions("linalg.")
globals().update(_FUNCTIONS)
__all__ = sorted(_FUNCTIONS)
