"""`_checkparam`: the checks of `checkparam` and `checkdtype` in one place."""

import types

from ..base.late import given_out
from . import checkdtype, checkparam

_NAMES = given_out(checkparam, checkdtype)
Validator = types.SimpleNamespace(**_NAMES)
"""The checks and relations as MindSpore 1.x groups them."""

globals().update(_NAMES)
from .checkparam import _check_3d_int_or_tuple, _expand_tuple  # noqa: E402, F401

__all__ = sorted(["Validator", *_NAMES])
