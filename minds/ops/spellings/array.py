"""Methods of tensors, and functions of `minds.mint`, whose parameters are not those of the
function: functions that make, join and rearrange tensors.
"""

from __future__ import annotations

import math

from ...base import dtype as dt
from ...base.errors import complain, expect
from ...ir.dim import is_size
from ..complex import resized
from ..define import P
from ..faces import face
from ..function.bits_func import bits_as
from ..function.common import dims_from, is_tensor
from ..functional import WITHIN as F
from ..promotion import ALONE
from ..repeated import repeated
from ..rules import axes_of


@face(method="split")
def _(self, split_size_or_sections=None, axis=0, *, split_size=None):
    """Parts along ``axis``."""
    return F.split(
        self, split_size if split_size_or_sections is None else split_size_or_sections, axis
    )


@face(method="squeeze")
def _(self, axis=None):
    """Without dimensions of size 1."""
    return F.squeeze(self, axis)


@face(method="reshape")
def _(self, *shape):
    """The same elements in another shape, given as a tuple or as ints."""
    return P.reshape(self, dims_from(shape))


@face(method="reshape_as", like="reshape")
def _(self, other):
    """The same elements in the shape of ``other``."""
    return P.reshape(self, other.shape)


@face(method="transpose")
@repeated
def transpose(self, *axes, dim0=None, dim1=None):
    """Permuted dimensions, given as a tuple or as ints; reversed where none are given. Two ints of
    a larger rank are exchanged, and so are ``dim0`` and ``dim1``.
    """
    if dim0 is not None and dim1 is not None and not axes:
        return F.swapaxes(self, dim0, dim1)
    each, axes, rank = axes, dims_from(axes), len(self.shape)
    if not axes or axes == (None,):
        axes = tuple(reversed(range(rank)))
    elif len(each) == 2 and rank != 2 and all(isinstance(d, int) for d in each):
        return F.swapaxes(self, *axes)
    what = f"the number of axes must be equal to the dimension of Tensor, {rank}"
    if len(each) > 1 and len(each) != rank:
        raise complain(ValueError, f"{what}, got {each}")
    return P.transpose(self, axes)


@face(method="permute")
@repeated
def _(self, *axis):
    """Permuted dimensions, given as a tuple or as ints."""
    return P.transpose(self, dims_from(axis))


@face(method="flatten")
@repeated
def _(self, order="C", *dims, start_dim=0, end_dim=-1):
    """Dimensions merged, all by default. Also as ``flatten(start_dim,
    end_dim)``.
    """
    if isinstance(order, int):
        order, start_dim = "C", order
        end_dim = dims[0] if dims else end_dim
    return F.flatten(self, order, start_dim=start_dim, end_dim=end_dim)


@face(method="expand", like="broadcast_to")
def _(self, *size):
    """Broadcast to a shape, given as a tuple or as ints."""
    return P.broadcast_to(self, dims_from(size))


@face(method="broadcast_to")
def _(self, *shape):
    """Broadcast to a shape, given as a tuple or as ints."""
    return P.broadcast_to(self, dims_from(shape))


@face(method="expand_as", like="broadcast_to")
def _(self, other=None, *, x=None):
    """Broadcast to the shape of ``other``, also called ``x``."""
    return P.broadcast_to(self, (x if other is None else other).shape)


@face(method="tile")
def _(self, *counts, dims=(), reps=()):
    """The tensor repeated along dimensions: ``counts`` times, also called ``dims`` and ``reps``."""
    return F.tile(self, dims_from(counts or (dims or reps,)))


@face(method="repeat", like="tile")
def _(self, *counts, repeats=(), axis=None):
    """The tensor put side by side with itself, so many times along each dimension. With ``axis``, with
    fewer numbers than dimensions, or with a second number that is no count: each element repeated, as
    NumPy's ``repeat(repeats, axis)``, which older versions of MindSpore have under this name.
    """
    repeats = counts or (repeats,)
    counts = dims_from(repeats)
    older = (
        axis is not None or len(counts) < len(self.shape) or len(repeats) == 2 and repeats[1] < 1
    )
    if not older:
        return F.tile(self, counts)
    if len(repeats) == 2:
        repeats, axis = repeats[:1], repeats[1]
    return F.repeat_interleave(self, *repeats, axis)


@face(method="flip")
def _(self, *axes, dims=()):
    """The order of elements reversed along dimensions."""
    return P.flip(self, dims_from(axes or (dims,)))


@face(method="view")
def _(self, *shape, dtype=None):
    """The same elements in another shape, or their bits as numbers of another dtype: a copy, whose
    last dimension has as many bytes as before.

    Args:
        shape (int, tuple[int], dtype): the sizes; or, alone, a dtype.
        dtype (dtype): it, by name. Default: None.

    Returns:
        Tensor: of that shape, or of that dtype.

    Raises:
        TypeError: both are given, or none; or bools are taken as numbers, or numbers as bools.
        ValueError: the sizes, or those of the dtypes, do not fit.

    Examples:
        >>> print(Tensor([1, 2, 3, 4]).view(2, 2))
        [[1 2]
         [3 4]]
        >>> print(Tensor([1, 2], ms.int64).view(ms.int32))
        [1 0 2 0]
    """
    if len(shape) == 1 and isinstance(shape[0], dt.DType):
        shape, dtype = (), shape[0]
    if dtype is not None and not shape:
        return bits_as(self, self.dtype, dt.of(dtype))
    if dtype is not None or not shape:
        what = "no shape is given" if dtype is None else "shape and dtype are given"
        raise complain(TypeError, f"view: {what}", expected="sizes, a tuple of them, or a dtype")
    return P.reshape(self, dims_from(shape))


@face(method="fill", like="full_like")
def _(self, value):
    """A tensor of the same shape and dtype filled with ``value``."""
    return F.full_like(self, value)


@face(method="trace", like="trace")
def _(self, offset=0, axis1=0, axis2=1, dtype=None):
    """The sum of a diagonal of the matrices along two dimensions."""
    expect(len(self.shape) >= 2, "self", "at least two dimensions", got=self.shape)
    x = self if dtype is None else P.cast(self, dtype)
    found = P.sum(F.diagonal(x, offset, axis1, axis2), -1)
    return P.cast(found, x.dtype if dtype is not None or not x.dtype.is_int else dt.int64)


@face(method="new_zeros", like="zeros")
def _(self, size, dtype=None):
    """Zeros of ``size`` in the dtype of this tensor."""
    return F.zeros(size, self.dtype if dtype is None else dtype)


@face(method="new_ones", like="ones")
def _(self, size, dtype=None):
    """Ones of ``size`` in the dtype of this tensor."""
    return F.ones(size, self.dtype if dtype is None else dtype)


@face(method="reverse_sequence")
def _(self, seq_lengths, seq_dim=0, batch_dim=0):
    """The first elements of sequences in opposite order."""
    return F.reverse_sequence(self, seq_lengths, seq_dim, batch_dim)


@face(mint="full")
def _(size, fill_value, *, dtype=None):
    kind = getattr(getattr(fill_value, "abstract", None), "kind", type(fill_value))
    return F.full(size, fill_value, dtype=ALONE.get(kind) if dtype is None else dtype)


@face(method="new_full", like="full")
def _(self, size, fill_value, *, dtype=None):
    """A tensor of ``size`` filled with ``fill_value``, in the dtype of this tensor."""
    return F.full(size, fill_value, dtype=self.dtype if dtype is None else dtype)


@face(method="new_empty", like="zeros")
def _(self, size, *, dtype=None, device=None):
    """A tensor of ``size`` in the dtype of this tensor; its elements are 0."""
    return F.zeros(size, self.dtype if dtype is None else dtype)


@face(method="resize", like="reshape")
def _(self, *new_shape):
    """The first elements in another shape, filled up with zeros."""
    shape = dims_from(new_shape)
    flat, n = P.reshape(self, (-1,)), math.prod(shape)
    return P.reshape(resized(flat, n, 0), shape)


@face(mint="cat concat", like="concat")
def _(tensors, dim=0):
    return F.concat(tensors, dim)


@face(mint="chunk")
def _(input, chunks, dim=0):
    return F.chunk(input, chunks, dim)


@face(mint="clone")
def _(input):
    return P.copy(input)


@face(method="diag")
def _(self, diagonal=None):
    """The matrix with a vector on its diagonal, for a tensor of a rank above 1 that of its elements;
    with ``diagonal`` the elements on that diagonal of a matrix.
    """
    return F.diag(self) if diagonal is None else _diagonal(self, diagonal)


def _diagonal(x, diagonal):
    if len(x.shape) == 1:
        return F.diag_embed(x, diagonal)
    return P.copy(F.diagonal(x, diagonal))


@face(mint="diag")
def _(input, diagonal=0):
    return _diagonal(input, diagonal)


@face(mint="empty", like="zeros")
def _(*size, dtype=None, device=None):
    return F.zeros(
        size[0] if len(size) == 1 and not is_size(size[0]) else size, dtype or dt.float32
    )


@face(mint="empty_like", like="zeros_like")
def _(input, *, dtype=None, device=None):
    return F.zeros(input.shape, dtype or input.dtype)


@face(mint="flatten nn.functional.flatten")
def _(input, start_dim=0, end_dim=-1):
    return (
        P.reshape(input, (1,))
        if not input.shape
        else F.flatten(input, start_dim=start_dim, end_dim=end_dim)
    )


@face(mint="linspace")
def _(start, end, steps, *, dtype=None):
    out = F.linspace(start, end, steps)
    return out if dtype is None else P.cast(out, dt.of(dtype))


@face(mint="meshgrid")
def _(*tensors, indexing=None):
    return F.meshgrid(
        *(tensors[0] if len(tensors) == 1 and not is_tensor(tensors[0]) else tensors),
        indexing=indexing or "ij",
    )


@face(mint="narrow")
def _(input, dim, start, length):
    return F.narrow(input, dim, start, length)


@face(mint="ones")
def _(size, *, dtype=None):
    return F.ones(size, dtype)


@face(mint="permute")
@repeated
def _(input, dims):
    return P.transpose(input, tuple(dims))


@face(mint="repeat_interleave")
def _(input, repeats, dim=None, *, output_size=None):
    return F.repeat_interleave(input, repeats, dim)


@face(mint="split")
def _(tensor, split_size_or_sections, dim=0):
    return F.split(tensor, split_size_or_sections, dim)


@face(mint="squeeze")
@repeated
def _(input, dim=None):
    if dim is None:
        return F.squeeze(input)
    dims = axes_of(dim, len(input.shape)) if dim != () else ()
    dims = tuple(d for d in dims if input.shape[d] == 1)
    return F.squeeze(input, dims) if dims else input


@face(mint="stack")
def _(tensors, dim=0):
    return F.stack(tensors, dim)


@face(mint="transpose")
def _(input, dim0, dim1):
    return F.swapaxes(input, dim0, dim1)


@face(mint="unbind")
def _(input, dim=0):
    return F.unstack(input, dim)


@face(mint="zeros")
def _(size, *, dtype=None):
    return F.zeros(size, dtype)


@face(property="T H", like="transpose")
@repeated
def _(self):
    """The tensor with reversed dimensions."""
    return transpose(self)


@face(property="mT", like="swapaxes")
@repeated
def _(self):
    """The tensor with its last two dimensions exchanged."""
    return F.swapaxes(self, -1, -2)


@face(property="mH", like="adjoint")
def _(self):
    """The last two dimensions exchanged, and complex numbers conjugated."""
    return F.adjoint(self)
