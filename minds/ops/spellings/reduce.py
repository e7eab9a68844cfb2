"""Methods of tensors, and functions of `minds.mint`, whose parameters are not those of the
function: reductions.
"""

from __future__ import annotations

from ...base import dtype as dt
from ..define import P
from ..faces import face, offer
from ..function.common import dims_from, is_tensor, widened
from ..functional import WITHIN as F
from ..rules import unbroadcast


@face(method="argmax_with_value", like="max")
def _(self, axis=0, keep_dims=False):
    """The maximum along ``axis``, and its position."""
    return F.max(self, axis, keep_dims)


@face(method="argmin_with_value", like="min")
def _(self, axis=0, keep_dims=False):
    """The minimum along ``axis``, and its position."""
    return F.min(self, axis, keep_dims)


@face(method="sum", like="sum")
def sum_(self, axis=None, *options, dtype=None, keepdims=False, initial=None):
    """The sum over ``axis``. Behind it may stand ``keepdims``, or ``dtype``, ``keepdims`` and
    ``initial``.
    """
    kept = options and isinstance(options[0], bool)
    named = dict(zip(("keepdims",) if kept else ("dtype", "keepdims", "initial"), options))
    dtype, initial = named.get("dtype", dtype), named.get("initial", initial)
    out = F.sum(self, axis, named.get("keepdims", keepdims), dtype=dtype)
    if initial is None:
        return out
    return P.logical_or(out, bool(initial)) if out.dtype.is_bool else out + initial


@face(method="mean")
def _(self, axis=None, keepdims=False, *, dtype=None):
    """The mean over ``axis``."""
    return F.mean(self if dtype is None else P.cast(self, dt.of(dtype)), axis, keepdims)


@face(method="prod")
def _(self, axis=None, keepdims=False, dtype=None):
    """The product over ``axis``."""
    return F.prod(self, axis, keepdims, dtype)


def _with_place(x, pair, alone, dim, keepdim, axis, keepdims, initial, where, return_indices):
    """What ``pair`` gives where positions are asked for, else what ``alone`` gives. MindSpore has two
    methods of this name; the call of the one that always gives positions has an int ``dim`` alone.
    """
    plain = initial is None and where is None and axis is None and not keepdims
    both = isinstance(dim, int) and not isinstance(dim, bool) and plain
    axis, keepdims = dim if axis is None else axis, keepdims or keepdim
    find = pair if both or return_indices and axis is not None else alone
    return find(x, axis, keepdims, initial=initial, where=where)


@face(method="max", like="max")
def max_(
    self,
    dim=None,
    keepdim=False,
    *,
    axis=None,
    keepdims=False,
    initial=None,
    where=None,
    return_indices=False,
):
    """The maximum over ``axis``; along ``dim``, an int, and with ``return_indices``, also its
    position.
    """
    asked = dim, keepdim, axis, keepdims, initial, where, return_indices
    return _with_place(self, F.max, F.amax, *asked)


@face(method="min", like="min")
def min_(
    self,
    dim=None,
    keepdim=False,
    *,
    axis=None,
    keepdims=False,
    initial=None,
    where=None,
    return_indices=False,
):
    """The minimum over ``axis``; along ``dim``, an int, and with ``return_indices``, also its
    position.
    """
    asked = dim, keepdim, axis, keepdims, initial, where, return_indices
    return _with_place(self, F.min, F.amin, *asked)


@face(method="argmax")
def _(self, axis=None, keepdims=False):
    """The position of the maximum."""
    return F.argmax(self, axis, keepdims)


@face(method="argmin")
def _(self, axis=None, keepdims=False):
    """The position of the minimum."""
    return F.argmin(self, axis, keepdims)


@face(method="var")
def _(self, axis=None, ddof=0, keepdims=False, *, correction=None):
    """The variance over ``axis``. ``correction`` is another name of ``ddof``."""
    return F.var(self, axis, ddof if correction is None else correction, keepdims)


@face(method="std")
def _(self, axis=None, ddof=0, keepdims=False, *, correction=None):
    """The standard deviation over ``axis``. ``correction`` is ``ddof``."""
    return F.std(self, axis, ddof if correction is None else correction, keepdims)


@face(method="amax")
def _(self, axis=None, keepdims=False, *, initial=None, where=None):
    """The maximum over ``axis``."""
    return F.amax(self, axis, keepdims, initial=initial, where=where)


@face(method="amin")
def _(self, axis=None, keepdims=False, *, initial=None, where=None):
    """The minimum over ``axis``."""
    return F.amin(self, axis, keepdims, initial=initial, where=where)


@face(method="cumsum")
def _(self, axis=None, dtype=None):
    """The running sums. Without ``axis`` of the flattened tensor."""
    if dtype is None and self.dtype.is_int and self.dtype.itemsize < 4:
        dtype = dt.int32
    return (
        F.cumsum(P.reshape(self, (-1,)), 0, dtype) if axis is None else F.cumsum(self, axis, dtype)
    )


@face(method="logsumexp", mint="logsumexp")
def _(input, dim, keepdim=False):
    """The logarithm of the sum of exponentials, without overflow."""
    return F.logsumexp(input, dim, keepdim)


@face(method="cumprod")
def _(self, dim, dtype=None):
    """The running products."""
    return F.cumprod(self, dim, dtype)


@face(method="ptp", like="amax")
def _(self, axis=None, keepdims=False):
    """The largest element less the least."""
    return P.amax(self, axis, keepdims) - P.amin(self, axis, keepdims)


@face(method="sum_to_size")
def _(self, *size):
    """The sum over those dimensions that were broadcast from a shape.

    Args:
        size (int | tuple[int]): the shape, as a tuple or as ints.

    Returns:
        Tensor: of that shape; of integers and bools int64.

    Raises:
        ValueError: the shape does not broadcast to that of this tensor.

    Examples:
        >>> print(Tensor([[1.0, 2.0], [3.0, 4.0]]).sum_to_size(1, 2))
        [[4. 6.]]
    """
    whole = self.dtype.is_int or self.dtype.is_bool
    return unbroadcast(P.cast(self, dt.int64) if whole else self, dims_from(size))


@face(mint="all")
def _(input, dim=None, keepdim=False):
    return P.all(input, dim, keepdim)


@face(mint="amax")
def _(input, dim=(), keepdim=False):
    return P.amax(input, dim, keepdim)


@face(mint="amin")
def _(input, dim=(), keepdim=False):
    return P.amin(input, dim, keepdim)


@face(mint="any")
def _(input, dim=None, keepdim=False):
    return P.any(input, dim, keepdim)


@face(mint="argmin")
def _(input, dim=None, keepdim=False):
    return P.cast(F.argmin(input, dim, keepdim), dt.int64)


@face(mint="count_nonzero")
def _(input, dim=None):
    return P.cast(F.count_nonzero(input, () if dim is None else dim), dt.int64)


@face(mint="cummax")
def _(input, dim):
    return P.cummax(input, dim)


@face(mint="cummin")
def _(input, dim):
    values, index = P.cummin(input, dim)
    return values, P.cast(index, dt.int64)


@face(mint="cumsum")
def _(input, dim, dtype=None):
    """The sums of all elements up to each one; of integers and bools int64."""
    return P.cumsum(widened(input, dtype), dim)


def _extreme(whole, along):
    """``max(input)``, ``max(input, dim)`` with positions, or of two tensors."""

    def extreme(input, dim=None, keepdim=False, other=None):
        other = dim if is_tensor(dim) else other
        if other is not None:
            return (P.maximum if whole is P.amax else P.minimum)(input, other)
        if dim is None:
            return whole(input, None, False)
        values, index = along(input, dim, keepdim)
        return values, P.cast(index, dt.int64)

    return extreme


offer(_extreme(P.amax, F.max), "max", like="max", mint=True)
offer(_extreme(P.amin, F.min), "min", like="min", mint=True)


@face(mint="mean")
def _(input, dim=None, keepdim=False, *, dtype=None):
    return F.mean(input if dtype is None else P.cast(input, dt.of(dtype)), dim, keepdim)


@face(mint="median")
def _(input, dim=None, keepdim=False):
    if dim is None:
        return F.median(P.reshape(input, (-1,)), 0)[0]
    return F.median(input, dim, keepdim)


@face(mint="prod")
def _(input, dim=None, keepdim=False, *, dtype=None):
    return F.prod(input, dim, keepdim, dtype)


@face(mint="std")
def _(input, dim=None, *, correction=1, keepdim=False):
    return F.std(input, dim, correction, keepdim)


@face(mint="std_mean")
def _(input, dim=None, *, correction=1, keepdim=False):
    return F.std_mean(input, dim, correction, keepdim)


@face(mint="sum")
def _(input, dim=None, keepdim=False, *, dtype=None):
    return F.sum(input, dim, keepdim, dtype=dtype)


@face(mint="nansum")
def _(input, dim=None, keepdim=False, *, dtype=None):
    return F.nansum(input, dim, keepdim, dtype=dtype)


@face(mint="var")
def _(input, dim=None, *, correction=1, keepdim=False):
    return F.var(input, dim, correction, keepdim)


@face(mint="var_mean")
def _(input, dim=None, *, correction=1, keepdim=False):
    return F.var_mean(input, dim, correction, keepdim)
