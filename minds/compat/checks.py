"""`_checkparam`: the checks of `checkparam` and `checkdtype` in one place."""

import types

from ..base.late import given_out
from . import checkdtype, checkparam

_NAMES = given_out(checkparam, checkdtype)
Validator = types.SimpleNamespace(**{n: f for n, f in _NAMES.items() if n.startswith("check")})
"""The checks as MindSpore 1.x groups them."""

globals().update(_NAMES, _expand_tuple=checkparam._expand_tuple)
__all__ = sorted(["Validator", *_NAMES])
