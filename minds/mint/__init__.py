"""`minds.mint`: functions and layers under torch's names and with torch's parameters, over
`minds.ops`.
"""

from ..base.late import all_of, late
from . import distributed, linalg, nn, optim, special
from .functions import functions as _functions

_FUNCTIONS = _functions()
globals().update(_FUNCTIONS)
__all__ = sorted([*_FUNCTIONS, "distributed", "linalg", "nn", "optim", "special"])
# As in MindSpore, what its submodules have is found here too.
_BELOW = [
    all_of(f"mint.{part}") for part in ("nn", "nn.functional", "optim", "distributed", "linalg")
]
__getattr__, __dir__ = late(
    __name__, {}, (), lambda name: next((f for find in _BELOW if (f := find(name))), None)
)
