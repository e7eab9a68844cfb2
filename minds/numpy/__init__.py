"""`minds.numpy`: NumPy's functions on tensors, over `minds.ops`.

A function takes what `numpy` takes, tensors among it, and gives tensors. It is differentiable and
compiles wherever
the ops under it are; functions whose result's size depends on values, and histograms, run in
PyNative mode alone.
"""

import math as _math

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
from . import create as _create
from . import elementwise as _elementwise
from . import math as _reductions
from . import shape as _shape

pi, e, inf, nan, newaxis = _math.pi, _math.e, _math.inf, _math.nan, None
int_, float_, uint = int32, float32, uint32
PINF, NINF, NAN = inf, -inf, nan

_functions = {
    **{n: getattr(m, n) for m in (_create, _shape) for n in m.__all__},
    **_elementwise.NAMES,
    **_reductions.NAMES,
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
        "inf",
        "nan",
        "newaxis",
        "pi",
    ]
)
