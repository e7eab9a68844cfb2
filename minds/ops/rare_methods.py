"""Methods of tensors that few programs use and whose form differs from the function's; `methods`
installs them.
"""

from __future__ import annotations

import math

import numpy as np

from ..base import dtype as dt
from . import functional as F
from .complex import resized
from .define import P
from .function.common import as_tensor, dims_from
from .rules import broadcast, unbroadcast


def scatter(self, dim=None, index=None, src=None, *, axis=None):
    """Elements of ``src`` written at positions along ``dim``, also called ``axis``; see
    `ops.scatter`.
    """
    return F.scatter(self, axis if dim is None else dim, index, src)


def scatter_add(self, *args, **kwargs):
    """Elements added at positions: ``scatter_add(dim, index, src)`` along a dimension,
    ``scatter_add(indices, updates)`` as `ops.tensor_scatter_add`.
    """
    if len(args) + len(kwargs) == 2:
        return F.tensor_scatter_add(self, *args, **kwargs)
    return F.tensor_scatter_elements(self, *_dim_index_src(*args, **kwargs), reduction="add")


def _dim_index_src(dim, index, src):
    return index, src, dim


def reverse_sequence(self, seq_lengths, seq_dim=0, batch_dim=0):
    """The first elements of sequences in opposite order; see `ops.reverse_sequence`."""
    return F.reverse_sequence(self, seq_lengths, seq_dim, batch_dim)


def qr(self, some=True):
    """Orthonormal columns and an upper triangle; see `ops.qr`."""
    return F.qr(self, "reduced" if some else "complete")


def searchsorted(self, v, side="left", sorter=None):
    """Where values would be inserted; see `ops.searchsorted`."""
    return P.cast(F.searchsorted(self, v, side=side, sorter=sorter), dt.int32)


def unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The distinct elements; see `ops.unique`."""
    return F.unique(self)


def ndimension(self):
    """The number of dimensions."""
    return len(self.shape)


def dim(self):
    """The number of dimensions."""
    return len(self.shape)


def nelement(self):
    """The number of elements."""
    return self.size


def is_signed(self):
    """Whether the dtype has negative numbers."""
    return self.dtype.kind in "if"


def new_full(self, size, fill_value, *, dtype=None):
    """A tensor of ``size`` filled with ``fill_value``, in the dtype of this tensor."""
    return F.full(size, fill_value, dtype=self.dtype if dtype is None else dtype)


def new_empty(self, size, *, dtype=None, device=None):
    """A tensor of ``size`` in the dtype of this tensor; its elements are 0."""
    return F.zeros(size, self.dtype if dtype is None else dtype)


def invert(self):
    """Each bit inverted; see `ops.bitwise_not`."""
    return P.logical_not(self) if self.dtype.is_bool else P.bitwise_not(self)


def inv(self):
    """The reciprocal; see `ops.reciprocal`."""
    return P.reciprocal(self)


def soft_shrink(self, lambd=0.5):
    """Numbers nearer to 0 by ``lambd``; see `ops.softshrink`."""
    return F.softshrink(self, lambd)


def ptp(self, axis=None, keepdims=False):
    """The largest element less the least."""
    return P.amax(self, axis, keepdims) - P.amin(self, axis, keepdims)


def sum_to_size(self, *size):
    """The sum over those dimensions that were broadcast from ``size``."""
    return unbroadcast(self, dims_from(size))


def fills(self, value):
    """A tensor of the same shape and dtype filled with ``value``."""
    return F.full_like(self, value)


def fill_diagonal(self, fill_value, wrap=False):
    """This tensor with ``fill_value`` on its main diagonal; with ``wrap`` again after each
    square.
    """
    n = self.shape[-1]
    shape = self.shape
    step = sum(math.prod(shape[i + 1 :]) for i in range(len(shape)))
    stop = self.size if wrap or len(shape) > 2 else min(n * n, self.size)
    place = P.arange(0, self.size, 1, dt.int64)
    hit = P.logical_and(P.equal(P.mod(place, step), 0), P.less(place, stop))
    return P.select(P.reshape(hit, shape), P.cast(as_tensor(fill_value), self.dtype), self)


def index_put(self, indices, values, accumulate=False):
    """``values`` at the positions that ``indices`` (one tensor per dimension) give, added with
    ``accumulate``.
    """
    indices = tuple(indices)
    shape = np.broadcast_shapes(*[i.shape for i in indices])
    rows = P.concat(
        tuple(P.reshape(P.broadcast_to(P.cast(i, dt.int64), shape), shape + (1,)) for i in indices),
        len(shape),
    )
    updates = P.broadcast_to(P.cast(values, self.dtype), shape + self.shape[len(indices) :])
    return P.tensor_scatter(self, rows, updates, "add" if accumulate else "update")


def choose(self, choices, mode="clip"):
    """At each place the element of the choice that stands here; see NumPy's ``choose``."""
    choices = F.stack(F.broadcast_tensors(*[as_tensor(c) for c in choices]))
    shape = broadcast(self.shape, choices.shape[1:])
    index = P.broadcast_to(P.cast(self, dt.int64), shape)
    n = choices.shape[0]
    index = P.mod(index, n) if mode == "wrap" else P.minimum(P.maximum(index, 0), n - 1)
    choices = P.reshape(
        choices, (n,) + (1,) * (len(shape) + 1 - len(choices.shape)) + choices.shape[1:]
    )
    choices = P.broadcast_to(choices, (n,) + shape)
    return P.reshape(P.gather_d(choices, 0, P.reshape(index, (1,) + shape)), shape)


def resize(self, *new_shape):
    """The first elements in another shape, filled up with zeros."""
    shape = dims_from(new_shape)
    flat, n = P.reshape(self, (-1,)), math.prod(shape)
    return P.reshape(resized(flat, n, 0), shape)


def mH(self):
    """The last two dimensions exchanged, and complex numbers conjugated."""
    return F.adjoint(self)


OWN = (
    scatter,
    scatter_add,
    reverse_sequence,
    qr,
    searchsorted,
    unique,
    ndimension,
    dim,
    nelement,
    is_signed,
    new_full,
    new_empty,
    invert,
    inv,
    soft_shrink,
    ptp,
    sum_to_size,
    fills,
    fill_diagonal,
    index_put,
    choose,
    resize,
)
