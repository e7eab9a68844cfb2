"""What MindSpore's models import from its modules `train._utils` and `train.model`."""

from __future__ import annotations

import os

from ..base.errors import complain
from ..tensor import Tensor
from ..train.callback import Callback
from . import checkparam
from .executor import _pynative_executor


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


def _transfer_tensor_to_tuple(inputs):
    """A tensor as a tuple of one; anything else as it is."""
    return (inputs,) if isinstance(inputs, Tensor) else inputs


class _StepSync(Callback):
    """Waits at the end of each step for what was launched."""

    @staticmethod
    def step_end(run_context) -> None:
        _pynative_executor.sync()


__all__ = ["check_value_type"]
