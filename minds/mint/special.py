"""Special functions under torch's names."""

from .functions import functions

_FUNCTIONS = functions("special.")
globals().update(_FUNCTIONS)
__all__ = sorted(_FUNCTIONS)
