"""Shapes, joining, taking apart and new tensors, under MindSpore's names."""

from __future__ import annotations

from ...base import dtype as dt
from ...base.errors import complain, expect
from ...ir.abstract import AbstractScalar
from ...ir.node import Node
from ..define import P
from ..faces import face
from ..fitting import ints_given
from ..repeated import repeated
from ..rules import axes_of, axis_of, broadcast, known
from .common import as_tensor, dims_from, is_tensor
from .elsewhere import elsewhere


@face(cls="Transpose TransposeView")
def transpose(input, dims=None, *, input_perm=None):
    """Permute dimensions.

    Args:
        input (Tensor): the operand.
        dims (tuple[int]): which dimension comes where.
        input_perm (tuple[int]): the name of ``dims`` in older versions of MindSpore.

    Returns:
        Tensor: of the same dtype.

    Raises:
        ValueError: ``dims`` is no permutation of the dimensions.

    Examples:
        >>> print(ops.transpose(Tensor([[1, 2], [3, 4]]), (1, 0)))
        [[1 3]
         [2 4]]
    """
    return P.transpose(input, input_perm if dims is None else dims)


@repeated
def permute(input, axis):
    """Permute dimensions. See `transpose`.

    Args:
        input (Tensor): the operand.
        axis (tuple[int]): the old dimension for each new one.

    Returns:
        Tensor: with its dimensions in that order.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> ops.permute(ops.ones((2, 3)), (1, 0)).shape
        (3, 2)
    """
    return P.transpose(input, axis)


@face(method="swapaxes", cls="TransposeExtView", mint=True)
@repeated
def swapaxes(input, axis0, axis1):
    """Exchange two dimensions.

    Args:
        input (Tensor): the operand.
        axis0 (int): one dimension.
        axis1 (int): the other.

    Returns:
        Tensor: with the two exchanged.

    Raises:
        ValueError: ``axis0`` is out of range.

    Examples:
        >>> ops.swapaxes(ops.ones((2, 3, 4)), 0, 2).shape
        (4, 3, 2)
    """
    rank = len(input.shape)
    perm = list(range(rank))
    a, b = axis_of(axis0, rank), axis_of(axis1, rank)
    if rank > 1:
        perm[a], perm[b] = b, a
    return P.transpose(input, tuple(perm))


@face(method=True)
def moveaxis(x, source, destination):
    """Move dimensions to other places; the rest keep their order.

    Args:
        x (Tensor): the operand.
        source (int, tuple[int]): where dimensions are.
        destination (int, tuple[int]): where they go.

    Returns:
        Tensor: with its dimensions in the new order.

    Raises:
        ValueError: ``x`` has a rank that does not fit.

    Examples:
        >>> ops.moveaxis(ops.ones((2, 3, 4)), 0, -1).shape
        (3, 4, 2)
    """
    rank = len(x.shape)
    pairs = [
        tuple(axis_of(a, rank) for a in (v if isinstance(v, (tuple, list)) else (v,)))
        for v in (source, destination)
    ]
    expect(len(pairs[0]) == len(pairs[1]), "source and destination", "of equal length")
    if not rank:
        return x
    rest = [i for i in range(rank) if i not in pairs[0]]
    for place, origin in sorted(zip(pairs[1], pairs[0], strict=False)):
        rest.insert(place, origin)
    return P.transpose(x, tuple(rest))


@face(method="expand_dims", cls=True)
@repeated
def expand_dims(input_x, axis):
    """Insert a dimension of size 1.

    Args:
        input_x (Tensor): the operand.
        axis (int, tuple[int]): where, counted in the result.

    Returns:
        Tensor: one rank higher for each axis.

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> ops.expand_dims(ops.ones((2, 3)), 0).shape
        (1, 2, 3)
    """
    axis = ints_given(axis)
    places = axis if isinstance(axis, (tuple, list)) else (axis,)
    rank = len(input_x.shape) + len(places)
    places = tuple(axis_of(a, rank) for a in places)
    sizes = iter(input_x.shape)
    return P.reshape(input_x, tuple(1 if i in places else next(sizes) for i in range(rank)))


@face(cls="Squeeze(axis=())")
@repeated
def squeeze(input, axis=None):
    """Drop dimensions of size 1.

    Args:
        input (Tensor): the operand.
        axis (int, tuple[int]): which, if they have size 1; None for all of them. Default: None.

    Returns:
        Tensor: of lower rank.

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> ops.squeeze(ops.ones((1, 2, 1))).shape
        (2,)
    """
    shape = input.shape
    axes = (
        tuple(i for i, n in enumerate(shape) if n == 1)
        if axis is None or axis == ()
        else tuple(a for a in axes_of(axis, len(shape)) if shape[a] == 1)
    )
    return P.reshape(input, tuple(n for i, n in enumerate(shape) if i not in axes))


@repeated
def flatten(input, order="C", *, start_dim=1, end_dim=-1):
    """Merge the dimensions from ``start_dim`` to ``end_dim``.

    Args:
        input (Tensor): the operand.
        order (str): ``"C"`` for rows first, ``"F"`` for columns first. Default: ``"C"``.
        start_dim (int): the first one. Default: 1.
        end_dim (int): the last one. Default: -1.

    Returns:
        Tensor: of the same dtype.

    Raises:
        ValueError: ``order`` is another word, or a dimension is out of range.

    Examples:
        >>> ops.flatten(ops.ones((2, 3, 4))).shape
        (2, 12)
    """
    expect(order in ("C", "F"), "order", "'C' or 'F'", got=repr(order))
    rank = len(input.shape)
    if order == "F":
        input = P.transpose(input, tuple(reversed(range(rank))))
    if rank < 2:
        return P.reshape(input, (-1,))
    first, last = axis_of(start_dim, rank, "start_dim"), axis_of(end_dim, rank, "end_dim")
    expect(first <= last, "start_dim", "at most end_dim", got=f"{start_dim} and {end_dim}")
    size = 1
    for n in input.shape[first : last + 1]:
        size *= n
    return P.reshape(input, input.shape[:first] + (size,) + input.shape[last + 1 :])


@face(mint=True)
def flip(input, dims):
    """Reverse the order of elements along dimensions.

    Args:
        input (Tensor): the operand.
        dims (int, tuple[int]): the dimensions.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: ``dims`` is out of range.

    Examples:
        >>> print(ops.flip(Tensor([1, 2, 3]), (0,)))
        [3 2 1]
    """
    return P.flip(input, dims)


@face(method=True)
def fliplr(input):
    """Reverse the columns.

    Args:
        input (Tensor): of rank 2 or more.

    Returns:
        Tensor: of the same shape, reversed along dimension 1.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.fliplr(Tensor([[1, 2]])))
        [[2 1]]
    """
    return P.flip(input, (1,))


@face(method=True)
def flipud(input):
    """Reverse the rows.

    Args:
        input (Tensor): of rank 1 or more.

    Returns:
        Tensor: of the same shape, reversed along dimension 0.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.flipud(Tensor([1, 2])))
        [2 1]
    """
    return P.flip(input, (0,))


@face(method=True, mint=True, cls="Roll(shifts, dims=None)")
def roll(input, shifts, dims=None):
    """Shift elements along dimensions; what leaves at one end comes in at the other.

    Args:
        input (Tensor): the operand.
        shifts (int, tuple[int]): by how much.
        dims (int, tuple[int]): along which; None flattens first. Default: None.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: ``dims`` is out of range.

    Examples:
        >>> print(ops.roll(Tensor([1, 2, 3]), 1))
        [3 1 2]
    """
    if dims is None:
        return P.reshape(roll(P.reshape(input, (-1,)), shifts, 0), input.shape)
    shifts, dims = (v if isinstance(v, (tuple, list)) else (v,) for v in (shifts, dims))
    given = input
    for shift, axis in zip(shifts, dims, strict=False):
        axis = axis_of(axis, len(input.shape))
        n = input.shape[axis] if input.shape else 1
        if n and shift % n:
            parts = P.split(input, (n - shift % n, shift % n), axis)
            input = P.concat((parts[1], parts[0]), axis)
    return P.copy(input) if input is given else input


@face(method=True)
def rot90(input, k, dims):
    """Rotate by ``k`` right angles in the plane of two dimensions.

    Args:
        input (Tensor): of rank 2 or more.
        k (int): how many right angles; negative ones turn back.
        dims (tuple[int]): the two dimensions of the plane.

    Returns:
        Tensor: of the same dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.rot90(Tensor([[1, 2], [3, 4]]), 1, (0, 1)))
        [[2 4]
         [1 3]]
    """
    known(k, "k")
    a, b = dims
    if k % 4 == 2:
        return P.flip(input, (a, b))
    if k % 4 == 1:
        return swapaxes(P.flip(input, (b,)), a, b)
    return P.flip(swapaxes(input, a, b), (b,)) if k % 4 == 3 else P.copy(input)


def broadcast_tensors(*tensors):
    """Tensors broadcast to their common shape.

    Args:
        tensors (Tensor): the operands.

    Returns:
        tuple[Tensor]: all of their common shape.

    Raises:
        AttributeError: an operand is no Tensor.
        ValueError: the shapes do not broadcast.

    Examples:
        >>> [t.shape for t in ops.broadcast_tensors(ops.ones((2, 1)), ops.ones((3,)))]
        [(2, 3), (2, 3)]
    """
    shape: tuple = ()
    for t in tensors:
        shape = broadcast(shape, t.shape)
    return tuple(P.broadcast_to(t, shape) for t in tensors)


def meshgrid(*inputs, indexing="xy"):
    """Coordinate matrices from coordinate vectors.

    Args:
        inputs (Tensor): vectors.
        indexing (str): ``"xy"`` exchanges the first two dimensions, ``"ij"`` does not. Default:
            ``"xy"``.

    Returns:
        tuple[Tensor]: as many tensors, of the shape that the vectors' lengths give.

    Raises:
        AttributeError: an operand is no Tensor.

    Examples:
        >>> [t.shape for t in ops.meshgrid(ops.ones((2,)), ops.ones((3,)))]
        [(3, 2), (3, 2)]
    """
    expect(indexing in ("xy", "ij"), "indexing", "'xy' or 'ij'", got=repr(indexing))
    inputs = dims_from(inputs)
    rank = len(inputs)
    order = [1, 0, *range(2, rank)] if indexing == "xy" and rank > 1 else list(range(rank))
    wide = [
        P.reshape(t, tuple(t.size if order[d] == i else 1 for d in range(rank)))
        for i, t in enumerate(inputs)
    ]
    return broadcast_tensors(*wide)


@face(alias="shape_", cls=True)
def shape_(input_x):
    """The shape, a tuple of ints.

    Args:
        input_x (Tensor): the operand.

    Returns:
        tuple[int]: the size of each dimension.

    Raises:
        TypeError: ``input_x`` is not a Tensor.

    Examples:
        >>> ops.shape(ops.ones((2, 3)))
        (2, 3)
    """
    _expect_tensor("shape", input_x)
    return input_x.shape


def _expect_tensor(name: str, x) -> None:
    number = isinstance(x, Node) and isinstance(x.abstract, AbstractScalar)
    if number or x is None or isinstance(x, (list, tuple, dict, str, int, float)):
        kind = x.abstract.kind if number else type(x)
        raise complain(TypeError, f"{name}: the input is a {kind.__name__}", expected="Tensor")


@face(cls=True)
def rank(input_x):
    """The number of dimensions.

    Args:
        input_x (Tensor): the operand.

    Returns:
        int: 0 for a scalar tensor.

    Raises:
        TypeError: ``input_x`` is not a Tensor.

    Examples:
        >>> ops.rank(ops.ones((2, 3)))
        2
    """
    _expect_tensor("rank", input_x)
    return len(input_x.shape)


@face(cls=True)
def size(input_x):
    """The number of elements.

    Args:
        input_x (Tensor): the operand.

    Returns:
        int: the product of the sizes.

    Raises:
        TypeError: ``input_x`` is not a Tensor.

    Examples:
        >>> ops.size(ops.ones((2, 3)))
        6
    """
    _expect_tensor("size", input_x)
    return input_x.size


@face(cls="DType")
def dtype_(x):
    """The element type.

    Args:
        x (Tensor): the operand.

    Returns:
        dtype: such as ``ms.float32``.

    Examples:
        >>> ops.dtype(Tensor([1.0]))
        Float32
    """
    return x.dtype


def identity(x):
    """``x`` itself.

    Args:
        x (Tensor): the operand.

    Returns:
        Tensor: the same.

    Examples:
        >>> print(ops.identity(Tensor([1.0])))
        [1.]
    """
    return x


@face(alias="clone", method="clone")
def deepcopy(input_x):
    """The same values in a buffer of its own.

    Args:
        input_x (Tensor): the operand.

    Returns:
        Tensor: a copy.

    Examples:
        >>> print(ops.deepcopy(Tensor([1.0])))
        [1.]
    """
    return P.copy(input_x)


@face(alias="scalar_to_array", cls=True)
def scalar_to_tensor(input_x, dtype=dt.float32):
    """A number as a Tensor of rank 0.

    Args:
        input_x (number): the number.
        dtype (dtype): the element type. Default: float32.

    Returns:
        Tensor[()]: of ``dtype``.

    Raises:
        TypeError: ``input_x`` has a wrong type.

    Examples:
        >>> print(ops.scalar_to_tensor(2))
        2.0
    """
    return P.cast(input_x, dt.of(dtype)) if is_tensor(input_x) else as_tensor(input_x, dt.of(dtype))


@face(cls="TensorShape DynamicShape(dtype: None = 9)")
def dyn_shape(input_x):
    """The shape, as a tensor (int64).

    Args:
        input_x (Tensor): the operand.

    Returns:
        Tensor[(rank,), int64]: the size of each dimension.

    Examples:
        >>> print(ops.dyn_shape(ops.ones((2, 3))))
        [2 3]
    """
    return as_tensor(list(input_x.shape), dt.int64)


# MindSpore has other functions here too.
__getattr__, __dir__ = elsewhere(__name__)
