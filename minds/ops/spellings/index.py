"""Methods of tensors, and functions of `minds.mint`, whose parameters are not those of the
function: functions that choose, order and write at positions.
"""

from __future__ import annotations

import math

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ..define import P
from ..faces import face
from ..function.common import as_int64, as_tensor, is_tensor
from ..functional import WITHIN as F
from ..rules import axis_of, broadcast, known, scaled_by
from ..unbacked import asked, distinct_sorted


def _position(input, dim, index):
    out = F.narrow(input, dim, index, 1)
    return F.squeeze(out, dim)


def _dim_index_src(dim, index, src):
    return index, src, dim


@face(method="where")
def _(self, condition, y):
    """``self`` where ``condition`` holds, else ``y``."""
    return F.where(condition, self, y)


@face(method="select", like="where")
def _(self, condition=None, y=None, *, dim=None, index=None):
    """``self`` where ``condition`` holds, else ``y``. ``select(dim, index)`` is
    the slice at one position.
    """
    condition, y = dim if condition is None else condition, index if y is None else y
    expect(condition is not None and y is not None, "condition and y", "given", TypeError)
    if not is_tensor(condition) and not is_tensor(y):
        known((condition, y), "dim and index")
        return P.reshape(
            F.narrow(self, condition, y % self.shape[condition], 1),
            tuple(n for i, n in enumerate(self.shape) if i != condition % len(self.shape)),
        )
    return F.where(condition, self, y)


@face(method="gather")
def _(self, input_indices=None, axis=None, batch_dims=0, *, index=None):
    """Slices at positions along ``axis``. With a position tensor second, or as ``index``,
    ``gather(dim, index)`` of elements.
    """
    if index is not None:
        return P.gather_d(self, input_indices if axis is None else axis, index)
    if is_tensor(axis):
        return P.gather_d(self, input_indices, axis)
    return F.gather(self, input_indices, axis, batch_dims)


@face(method="sort")
def _(self, axis=-1, descending=False, *, stable=False):
    """The elements in order, and where they were."""
    return F.sort(self, axis, descending)


@face(method="scatter")
def _(self, dim=None, index=None, src=None, *, axis=None):
    """Elements of ``src`` written at positions along ``dim``, also called ``axis``."""
    return F.scatter(self, axis if dim is None else dim, index, src)


@face(method="scatter_add")
def _(self, *args, **kwargs):
    """Elements added at positions: ``scatter_add(dim, index, src)`` along a dimension,
    ``scatter_add(indices, updates)`` as `ops.tensor_scatter_add`.
    """
    if len(args) + len(kwargs) == 2:
        return F.tensor_scatter_add(self, *args, **kwargs)
    return F.tensor_scatter_elements(self, *_dim_index_src(*args, **kwargs), reduction="add")


@face(method="searchsorted")
def _(self, v, side="left", sorter=None):
    """Where values would be inserted."""
    return P.cast(F.searchsorted(self, v, side=side, sorter=sorter), dt.int32)


@face(method="unique")
def _(self, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The distinct elements."""
    if sorted and not return_inverse and not return_counts and dim is None:
        return F.unique(self)
    dim = dim if dim is None else axis_of(dim, len(self.shape), "dim")
    return asked(distinct_sorted(self, dim), return_inverse, return_counts)


@face(method="fill_diagonal")
def _(self, fill_value, wrap=False):
    """This tensor with one number on its main diagonal.

    Args:
        fill_value (number): the number.
        wrap (bool): begin again after each square of a tall matrix. Default: False.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        IndexError: this tensor has no dimensions.

    Examples:
        >>> print(ops.zeros((2, 2)).fill_diagonal(3))
        [[3. 0.]
         [0. 3.]]
    """
    n = self.shape[-1]
    shape = self.shape
    step = sum(math.prod(shape[i + 1 :]) for i in range(len(shape)))
    stop = self.size if wrap or len(shape) > 2 else min(n * n, self.size)
    place = P.arange(0, self.size, 1, dt.int64)
    hit = P.logical_and(P.equal(P.mod(place, step), 0), P.less(place, stop))
    return P.select(P.reshape(hit, shape), P.cast(as_tensor(fill_value), self.dtype), self)


@face(method="index_put")
def _(self, indices, values, accumulate=False):
    """This tensor with ``values`` at positions.

    Args:
        indices (tuple[Tensor]): the positions, one tensor of integers per dimension.
        values (Tensor): what is written; its shape broadcasts to that of the positions.
        accumulate (bool): whether values are added. Default: False.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: shapes do not broadcast.

    Examples:
        >>> print(Tensor([1.0, 2.0, 3.0]).index_put((Tensor([0, 2]),), Tensor([8.0, 9.0])))
        [8. 2. 9.]
    """
    indices = tuple(indices)
    shape = np.broadcast_shapes(*[i.shape for i in indices])
    rows = P.concat(
        tuple(P.reshape(P.broadcast_to(as_int64(i), shape), shape + (1,)) for i in indices),
        len(shape),
    )
    updates = P.broadcast_to(P.cast(values, self.dtype), shape + self.shape[len(indices) :])
    return P.tensor_scatter(self, rows, updates, "add" if accumulate else "update")


@face(method="choose")
def _(self, choices, mode="clip"):
    """At each place the element of the choice that stands here; see NumPy's ``choose``.

    Args:
        choices (tuple[Tensor], Tensor): the choices, of shapes that broadcast.
        mode (str): a number that is too large is ``"clip"``ped or ``"wrap"``ped. Default:
            ``"clip"``.

    Returns:
        Tensor: of the common shape and dtype of the choices.

    Raises:
        ValueError: shapes do not broadcast.

    Examples:
        >>> print(Tensor([1, 0]).choose((Tensor([5, 6]), Tensor([7, 8]))))
        [7 6]
    """
    if not is_tensor(choices):
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


@face(method="argsort")
def _(self, axis=-1, descending=False, stable=False):
    """The positions of the elements in order along a dimension; equal ones stay as they are."""
    return F.argsort(self, axis, descending)


@face(mint="argsort")
def _(input, dim=-1, descending=False, stable=False):
    return P.sort(input, dim, descending)[1]


@face(mint="gather")
def _(input, dim, index):
    return P.gather_d(input, dim, index)


def _index_added(input, dim, index, source, *, alpha=1):
    return F.index_add(input, index, scaled_by(source, alpha), dim)


@face(mint="index_add")
def _(input, dim, index, source, *, alpha=1):
    return _index_added(input, dim, index, source, alpha=alpha)


@face(method="index_add")
def _(self, *args, **kwargs):
    """As the function, or ``index_add(dim, index, source, *, alpha=1)``."""
    if args and is_tensor(args[0]) or "indices" in kwargs:
        return F.index_add(self, *args, **kwargs)
    return _index_added(self, *args, **kwargs)


@face(mint="index_select")
def _(input, dim, index):
    return P.gather(input, index, dim)


@face(mint="scatter")
def _(input, dim, index, src):
    return F.scatter(input, dim, index, src)


@face(mint="scatter_add")
def _(input, dim, index, src):
    return P.scatter_add_d(input, dim, index, src)


@face(mint="select")
def _(*args, **kwargs):
    """A position of a dimension: ``select(input, dim, index)``; or elements by condition."""
    if (
        args
        and is_tensor(args[0])
        and len(args) + len(kwargs) == 3
        and "other" not in kwargs
        and not (args[0].dtype.is_bool and len(args) == 3 and not isinstance(args[1], int))
    ):
        return _position(*args, **kwargs)
    return F.select(*args, **kwargs)


@face(mint="sort")
def _(input, *, dim=-1, descending=False, stable=False):
    out = P.sort(input, dim, descending)
    return out[0], out[1]


@face(mint="take")
def _(input, index):
    return P.gather(P.reshape(input, (-1,)), index, 0)


@face(mint="topk")
def _(input, k, dim=-1, largest=True, sorted=True):
    out = P.topk(input, k, dim, largest)
    return out[0], out[1]


@face(mint="unique")
def _(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    dim = dim if dim is None else axis_of(dim, len(input.shape), "dim")
    return asked(distinct_sorted(input, dim), return_inverse, return_counts)


@face(mint="where")
def _(condition, input=None, other=None):
    return (
        F.nonzero(condition, as_tuple=True) if input is None else F.where(condition, input, other)
    )
