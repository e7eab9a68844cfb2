"""Names that MindSpore has in a module of functions, and minds in another one."""

from __future__ import annotations

import importlib

from ...base.late import late
from ...tensor import Tensor

_ROOT = __name__.split(".")[0]


def functions(name: str):
    """What `ops.functional` has under a name, also from another module; or None."""
    return getattr(importlib.import_module(f"{_ROOT}.ops.functional"), name, None)


def elsewhere(module: str, homes: dict[str, str] | None = None):
    """``__getattr__`` and ``__dir__`` of a module: any public `functions`.

    Args:
        module: its ``__name__``.
        homes: further names by the module that has them (`late`).
    """
    return late(module, homes or {}, (), functions)


def spelled(name: str):
    """A function that MindSpore makes from another one: ``normal_`` is the method of that name,
    ``gather_ext`` takes the parameters of that of `mint`; None for any other name.

    Args:
        name: the function.
    """
    if name.startswith("_"):
        return None
    if name in ("new_ones", "new_zeros", "new_full", "new_empty"):
        return getattr(Tensor, name)
    if name.endswith("_") and hasattr(Tensor, name):
        return getattr(Tensor, name)
    if not name.endswith(("_ext", "_view", "_")):
        return None
    return getattr(importlib.import_module(f"{_ROOT}.compat.auto_generate"), name, None)


__all__ = ["elsewhere", "functions", "spelled"]
