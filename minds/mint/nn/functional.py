"""Functions of layers under torch's names, over `minds.ops`."""

from ..functions import functions

_FUNCTIONS = functions("nn.functional.")
globals().update(_FUNCTIONS)
__all__ = sorted(_FUNCTIONS)
