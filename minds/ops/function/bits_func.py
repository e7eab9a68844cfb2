"""The bits of numbers, taken as numbers of another dtype."""

from __future__ import annotations

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...ir.abstract import AbstractTensor
from ...tensor import Tensor
from .common import hosted


def _taken(x, source, dtype):
    """The host sees bfloat16 as float32, of which it is the upper half."""
    if source is dt.bfloat16:
        x = (x.view(np.uint32) >> 16).astype(np.uint16)
    found = x.view(dtype.np)
    return (found.astype(np.uint32) << 16).view(np.float32) if dtype is dt.bfloat16 else found


@hosted(_taken, nondiff=True, batch="leading")
def bits_as(x: Tensor, source: dt.DType, dtype: dt.DType) -> Tensor:
    """``x``, which is of ``source``, as ``dtype``: the last dimension has as many bytes as before.

    Raises:
        TypeError: one of the dtypes is bool, of which most bytes are no value.
        ValueError: a scalar, or a last dimension of an odd size, is taken as numbers of another size.
    """
    for name, each in (("self", x.dtype), ("dtype", dtype)):
        expect(not each.is_bool or x.dtype is dtype, name, "of numbers", TypeError, got=each.name)
    old, new = x.dtype.itemsize, dtype.itemsize
    if old == new:
        return AbstractTensor(x.shape, dtype)
    expect(len(x.shape) > 0, "self", "of rank 1 or more, where the dtypes have other sizes")
    size = x.shape[-1] * old
    what = f"a multiple of {new // old} as its last dimension"
    expect(size % new == 0, "self", what, got=f"shape {x.shape}")
    return AbstractTensor((*x.shape[:-1], size // new), dtype)


__all__: list = []
