"""`minds.mint`: functions and layers under torch's names and with torch's parameters, over
`minds.ops`.
"""

from . import distributed, linalg, nn, optim, special
from .functions import functions

_FUNCTIONS = functions()
globals().update(_FUNCTIONS)
__all__ = sorted([*_FUNCTIONS, "distributed", "linalg", "nn", "optim", "special"])
