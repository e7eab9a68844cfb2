"""`_checkparam`: the checks of `checkparam` and `checkdtype` in one place."""

import types

from ..base.late import given_out
from . import checkdtype, checkparam

_NAMES = given_out(checkparam, checkdtype)
Validator = types.SimpleNamespace(**_NAMES)
"""The checks and relations as MindSpore 1.x groups them."""

globals().update(_NAMES, _expand_tuple=checkparam._expand_tuple)
__all__ = sorted(["Validator", *_NAMES])
