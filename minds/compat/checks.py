"""`_checkparam`: the checks of `checkparam` and `checkdtype` in one place."""

from ..base.late import given_out
from . import checkdtype, checkparam

_NAMES = {n: v for n, v in vars(checkparam).items() if n.startswith("check") or n.isupper()}
globals().update(_NAMES, **given_out(checkdtype), _expand_tuple=checkparam._expand_tuple)
__all__ = sorted([*_NAMES, *checkdtype.__all__])
