"""What MindSpore's models import from its module `train._utils`."""

from __future__ import annotations

import os

from ..base.errors import complain
from . import checkparam


def check_value_type(arg_name: str, arg_value, valid_types) -> None:
    """Refuse a value that is of none of ``valid_types``.

    Raises:
        TypeError: it is of none.
    """
    checkparam.check_value_type(arg_name, arg_value, valid_types)


def _make_directory(path: str, arg_name: str = "path") -> str:
    """Make a folder where there is none; its whole path."""
    if not isinstance(path, str) or not path.strip():
        raise complain(TypeError, f"{arg_name} is {path!r}", expected="the path of a folder")
    whole = os.path.realpath(path)
    os.makedirs(whole, mode=0o700, exist_ok=True)
    return whole


__all__ = ["check_value_type"]
