"""Further names of functions of which MindSpore calls the parameters otherwise."""

from __future__ import annotations

from ..define import P
from ..faces import face
from .array_func import expand_dims, swapaxes
from .create_func import arange
from .math_func import div


@face(alias="arcsin", like="asin")
def _(x):
    return P.asin(x)


@face(alias="inv", like="reciprocal")
def _(x):
    return P.reciprocal(x)


@face(alias="i0", method="i0", like="bessel_i0")
def _(input):
    return P.bessel_i0(input)


@face(alias="invert", like="bitwise_not")
def _(x):
    return P.bitwise_not(x)


@face(alias="true_divide", like="div")
def _(dividend, divisor):
    """``dividend / divisor``."""
    return div(dividend, divisor)


@face(alias="tensor_div", like="div")
def _(x, y):
    """``x / y``."""
    return div(x, y)


@face(alias="range", like="arange")
def _(start, end=None, step=1, maxlen=1000000):
    """Numbers ``step`` apart.

    Args:
        start (number), end (number), step (number): as of `arange`.
        maxlen (int): has no effect: there are as many as there are.
    """
    return arange(start, end, step)


@face(alias="swapdims", method="swapdims", like="swapaxes")
def _(input, dim0, dim1):
    return swapaxes(input, dim0, dim1)


@face(alias="unsqueeze", method="unsqueeze", mint="unsqueeze", like="expand_dims")
def _(input, dim):
    return expand_dims(input, dim)
