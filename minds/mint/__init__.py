"""`minds.mint`: functions and layers under torch's names and with torch's parameters, over
`minds.ops`.
"""

from . import linalg, nn, optim, special
from .functions import FUNCTIONS

globals().update(FUNCTIONS)
__all__ = sorted([*FUNCTIONS, "linalg", "nn", "optim", "special"])
