"""`nn.probability.distribution._utils`: what MindSpore's tests and users' distributions take from it."""

from __future__ import annotations

import sys

from .. import ops
from ..base import dtype as dt
from ..base.errors import complain
from ..ops.function.common import is_tensor
from ..tensor import Tensor


class CheckTensor:
    """Gives a tensor, or None, back; anything else is a ``TypeError``."""

    def __call__(self, x, name: str):
        if x is None or is_tensor(x):
            return x
        raise complain(TypeError, f"{name}: the input is {x!r}", expected="a Tensor or Parameter")


class CheckTuple:
    """Gives a tuple back; anything else is a ``TypeError``."""

    def __call__(self, x, name: str):
        if isinstance(x, tuple):
            return x
        raise complain(TypeError, f"{name}: the input is {x!r}", expected="a tuple")


def set_param_type(args: dict, hint_type):
    """The dtype of a distribution whose parameters are ``args``: their common one, float32 instead of
    integers and float64, or ``hint_type`` where all are numbers.

    Raises:
        TypeError: two parameters have different dtypes.
    """
    found = {name: dt.of(a.dtype) for name, a in args.items() if hasattr(a, "dtype")}
    if len(set(found.values())) > 1:
        raise complain(TypeError, f"the parameters are {found}", expected="one dtype")
    common = next(iter(found.values()), hint_type)
    return dt.float32 if common is None or common.is_int or common is dt.float64 else common


def _floating(x: Tensor) -> Tensor:
    return x if x.dtype.is_float else x.astype(dt.float32)


def exp_generic(input_x: Tensor) -> Tensor:
    """The exponentials of the elements, of integers too."""
    return ops.exp(_floating(input_x))


def log_generic(input_x: Tensor) -> Tensor:
    """The logarithms of the elements, of integers too; nan below 0."""
    return ops.log(_floating(input_x))


def log1p_generic(x: Tensor) -> Tensor:
    """The logarithms of the elements plus 1."""
    return log_generic(x + 1.0)


utils = custom_ops = sys.modules[__name__]

__all__ = [
    "CheckTensor",
    "CheckTuple",
    "exp_generic",
    "log1p_generic",
    "log_generic",
    "set_param_type",
]
