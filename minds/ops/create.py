"""New tensors of known values."""

from __future__ import annotations

import math
import numbers
import sys

import numpy as np

from ..base import dtype as dt
from ..base.errors import expect
from ..ir.abstract import AbstractTensor
from ..ir.dim import is_size
from ..tensor import Tensor
from .define import op
from .rules import dims_of


@op(nondiff=True)
def full(shape: tuple, value: float, dtype: dt.DType) -> Tensor:
    """A tensor filled with one number.

    Args:
        shape (tuple[int]): its shape.
        value (number): the number.
        dtype (dtype): its element type.

    Returns:
        Tensor[shape]: of ``dtype``.

    Raises:
        TypeError: ``shape`` holds something else than ints, or ``value`` is no number.
        ValueError: a size is negative.
    """
    return AbstractTensor(shape, dtype)


@full.normalize
def _(shape, value, dtype):
    dtype = dt.of(dtype)
    kind = numbers.Complex if dtype.is_complex else numbers.Real
    expect(isinstance(value, kind), "value", "a number", TypeError, got=type(value).__name__)
    if dtype.is_int and isinstance(value, int):
        info = np.iinfo(dtype.np)
        expect(info.min <= value <= info.max, "value", f"a number of {dtype.name}", got=value)
    elif dtype.is_int:
        expect(math.isfinite(value), "value", f"a number of {dtype.name}", got=value)
    elif isinstance(value, int):
        expect(abs(value) <= sys.float_info.max, "value", "within the range of float64", got=value)
        value = float(value) if dtype.is_float else value
    return {"shape": dims_of(shape, "shape"), "value": value, "dtype": dtype}


@op(nondiff=True)
def arange(start: float, stop: float, step: float, dtype: dt.DType) -> Tensor:
    """The numbers from ``start`` up to but without ``stop``, ``step`` apart.

    Args:
        start, stop, step (number): the range.
        dtype (dtype): the element type.

    Returns:
        Tensor[(N,)]: of ``dtype``, with N = ceil((stop - start) / step), at least 0.

    Raises:
        ValueError: ``step`` is 0.
    """
    expect(step != 0, "step", "nonzero")
    # As the kernel counts: by a quotient that is rounded, where there are floats.
    inexact = any(isinstance(v, float) for v in (start, stop, step))
    if inexact:
        length = (stop - start) / step
        expect(math.isfinite(length), "the range", "finite", got=(start, stop, step))
        count = math.ceil(length)
    else:
        count = -((start - stop) // step)
    return AbstractTensor((max(count if is_size(count) else int(count), 0),), dtype)


@arange.normalize
def _(start, stop, step, dtype):
    return {"dtype": dt.of(dtype)}


@op(nondiff=True)
def eye(n: int, m: int, dtype: dt.DType) -> Tensor:
    """A matrix with ones on the main diagonal and zeros elsewhere.

    Args:
        n (int): rows.
        m (int): columns; None means ``n``.
        dtype (dtype): the element type.

    Returns:
        Tensor[(n, m)]: of ``dtype``.

    Raises:
        ValueError: a size is negative.
    """
    return AbstractTensor((n, m), dtype)


@eye.normalize
def _(n, m, dtype):
    n, m = dims_of((n, n if m is None else m), "n and m")
    return {"n": n, "m": m, "dtype": dt.of(dtype)}
