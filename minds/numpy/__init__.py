"""`minds.numpy`: NumPy's functions on tensors, over `minds.ops`.

A function takes what `numpy` takes, tensors among it, and gives tensors. It is differentiable and
compiles wherever the ops under it are; functions whose result's size depends on values, and
histograms, run in PyNative mode alone.
"""

import builtins as _builtins
import inspect as _inspect
import math as _math

from ..base.boundary import guard as _guard
from ..base.dtype import (
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ..ops import docs as _docs
from ..ops import functional as _ops
from . import applied as _applied
from . import create as _create
from . import elementwise as _elementwise
from . import fft
from . import grids as _grids
from . import math as _mathematics
from . import polynomials as _polynomials
from . import reductions as _reductions
from . import searching as _searching
from . import shape as _shape

pi, e, inf, nan, newaxis = _math.pi, _math.e, _math.inf, _math.nan, None
int_, float_, uint = int32, float32, uint32
PINF, NINF, NAN = inf, -inf, nan


def _public(module) -> dict:
    """What a module defines for users; a name that would hide a builtin ends with an underscore."""
    return {
        n.rstrip("_") if hasattr(_builtins, n.rstrip("_")) else n: v
        for n, v in vars(module).items()
        if (getattr(v, "__module__", None) or "").startswith(f"{__name__}.")
        and not n.startswith("_")
        and n not in ("array_of", "to_float", "with_dtype")
    }


def _documented(name: str, fn):
    """``fn``, with the docstring of the function of `minds.ops` where it says no more than what it
    does.
    """
    like = _ops.NAMES.get(name)
    if like is not None and _inspect.isfunction(fn) and "Args:" not in (fn.__doc__ or ""):
        names = list(_inspect.signature(fn).parameters)
        summary = _docs.sections(fn.__doc__)["summary"] or None
        fn.__doc__ = _docs.adapted(like.__doc__, names, _ops.parameters_of(like), summary)
    return fn


_functions = {
    n: _documented(n, v)
    for functions in (
        *map(_public, (_create, _grids, _shape, _searching, _applied)),
        _elementwise.NAMES,
        *map(_public, (_elementwise, _reductions, _mathematics, _polynomials)),
    )
    for n, v in functions.items()
}
globals().update(_functions)

__all__ = sorted(
    [
        *_functions,
        "bool_",
        "float16",
        "float32",
        "float64",
        "float_",
        "int16",
        "int32",
        "int64",
        "int8",
        "int_",
        "uint",
        "uint16",
        "uint32",
        "uint64",
        "uint8",
        "e",
        "fft",
        "inf",
        "nan",
        "newaxis",
        "pi",
    ]
)
_guard(__name__)
