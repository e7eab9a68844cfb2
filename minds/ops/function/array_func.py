"""Shapes, joining, taking apart and new tensors, under MindSpore's names."""
from __future__ import annotations

from ...base import dtype as dt
from ...base.errors import expect
from ..define import P
from ..rules import axes_of, axis_of, broadcast, dims_of
from .common import as_tensor, dims_from, is_tensor

reshape, broadcast_to = P.reshape, P.broadcast_to


def transpose(input, dims):
    """Permute dimensions.

    Args:
        input (Tensor): the operand.
        dims (tuple[int]): which dimension comes where.

    Returns:
        Tensor: of the same dtype.

    Raises:
        ValueError: ``dims`` is no permutation of the dimensions.

    Examples:
        >>> print(ops.transpose(Tensor([[1, 2], [3, 4]]), (1, 0)))
        [[1 3]
         [2 4]]
    """
    return P.transpose(input, dims)


def permute(input, axis):
    """Permute dimensions. See `transpose`.

    Examples:
        >>> ops.permute(ops.ones((2, 3)), (1, 0)).shape
        (3, 2)
    """
    return P.transpose(input, axis)


def swapaxes(input, axis0, axis1):
    """Exchange two dimensions.

    Examples:
        >>> ops.swapaxes(ops.ones((2, 3, 4)), 0, 2).shape
        (4, 3, 2)
    """
    rank = len(input.shape)
    perm = list(range(rank))
    a, b = axis_of(axis0, rank), axis_of(axis1, rank)
    perm[a], perm[b] = b, a
    return P.transpose(input, tuple(perm))


def moveaxis(x, source, destination):
    """Move dimensions to other places; the rest keep their order.

    Examples:
        >>> ops.moveaxis(ops.ones((2, 3, 4)), 0, -1).shape
        (3, 4, 2)
    """
    rank = len(x.shape)
    pairs = [tuple(axis_of(a, rank) for a in (v if isinstance(v, (tuple, list)) else (v,)))
             for v in (source, destination)]
    expect(len(pairs[0]) == len(pairs[1]), "source and destination", "of equal length")
    rest = [i for i in range(rank) if i not in pairs[0]]
    for place, origin in sorted(zip(pairs[1], pairs[0])):
        rest.insert(place, origin)
    return P.transpose(x, tuple(rest))


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
    places = axis if isinstance(axis, (tuple, list)) else (axis,)
    rank = len(input_x.shape) + len(places)
    places = tuple(axis_of(a, rank) for a in places)
    sizes = iter(input_x.shape)
    return P.reshape(input_x, tuple(1 if i in places else next(sizes) for i in range(rank)))


def squeeze(input, axis=None):
    """Drop dimensions of size 1.

    Args:
        input (Tensor): the operand.
        axis (int, tuple[int]): which; None for all of them. Default: None.

    Returns:
        Tensor: of lower rank.

    Raises:
        ValueError: a named dimension has another size.

    Examples:
        >>> ops.squeeze(ops.ones((1, 2, 1))).shape
        (2,)
    """
    shape = input.shape
    axes = (tuple(i for i, n in enumerate(shape) if n == 1) if axis is None or axis == ()
            else axes_of(axis, len(shape)))
    for a in axes:
        expect(shape[a] == 1, f"the size of axis {a}", "1", got=shape[a])
    return P.reshape(input, tuple(n for i, n in enumerate(shape) if i not in axes))


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
    for n in input.shape[first:last + 1]:
        size *= n
    return P.reshape(input, input.shape[:first] + (size,) + input.shape[last + 1:])


def concat(tensors, axis=0):
    """Join tensors along a dimension; dtypes are promoted to their common one.

    Args:
        tensors (tuple[Tensor], list[Tensor]): of equal sizes but along ``axis``.
        axis (int): the dimension. Default: 0.

    Returns:
        Tensor: the joined tensor.

    Raises:
        ValueError: nothing is given, ``axis`` is out of range, or other sizes differ.

    Examples:
        >>> print(ops.concat((Tensor([1, 2]), Tensor([3]))))
        [1 2 3]
    """
    return P.concat(_common(tensors), axis)


def _common(tensors) -> tuple:
    """Tensors in their common dtype."""
    tensors = tuple(as_tensor(t) for t in tensors)
    if all(t.dtype is tensors[0].dtype for t in tensors):
        return tensors
    common = tensors[0].dtype
    for t in tensors[1:]:
        common = dt.promote(common, t.dtype)
    return tuple(t if t.dtype is common else P.cast(t, common) for t in tensors)


def stack(tensors, axis=0):
    """Join tensors of one shape along a new dimension.

    Args:
        tensors (tuple[Tensor], list[Tensor]): of equal shapes.
        axis (int): the place of the new dimension. Default: 0.

    Returns:
        Tensor: one rank higher.

    Raises:
        ValueError: nothing is given, ``axis`` is out of range, or shapes differ.

    Examples:
        >>> print(ops.stack((Tensor([1, 2]), Tensor([3, 4]))))
        [[1 2]
         [3 4]]
    """
    expect(len(tensors) > 0, "tensors", "at least one tensor")
    tensors = _common(tensors)
    axis = axis_of(axis, len(tensors[0].shape) + 1)
    return P.concat(tuple(expand_dims(t, axis) for t in tensors), axis)


def hstack(tensors):
    """Join tensors along the second dimension (the first of vectors).

    Examples:
        >>> print(ops.hstack((Tensor([1]), Tensor([2]))))
        [1 2]
    """
    tensors = [P.reshape(t, (1,)) if not t.shape else t for t in tensors]
    return concat(tensors, 0 if len(tensors[0].shape) == 1 else 1)


def vstack(inputs):
    """Join tensors along the first dimension; vectors are rows.

    Examples:
        >>> print(ops.vstack((Tensor([1, 2]), Tensor([3, 4]))))
        [[1 2]
         [3 4]]
    """
    return concat([P.reshape(t, (1, t.size)) if len(t.shape) < 2 else t for t in inputs], 0)


def unstack(input_x, axis=0):
    """Take a tensor apart along a dimension, which goes.

    Args:
        input_x (Tensor): the operand.
        axis (int): the dimension. Default: 0.

    Returns:
        tuple[Tensor]: one tensor per position.

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> a, b = ops.unstack(Tensor([[1, 2], [3, 4]]))
        >>> print(a, b)
        [1 2] [3 4]
    """
    expect(len(input_x.shape) > 0, "input_x", "of rank 1 or more")
    axis = axis_of(axis, len(input_x.shape))
    n, shape = input_x.shape[axis], input_x.shape[:axis] + input_x.shape[axis + 1:]
    parts = P.split(input_x, (1,) * n, axis)
    return tuple(P.reshape(parts[i], shape) for i in range(n))


def split(tensor, split_size_or_sections, axis=0):
    """Cut a tensor into parts along a dimension.

    Args:
        tensor (Tensor): the operand.
        split_size_or_sections (int, tuple[int]): the size of each part (the last may be smaller), or all
            sizes.
        axis (int): the dimension. Default: 0.

    Returns:
        tuple[Tensor]: the parts.

    Raises:
        ValueError: the sizes do not add up, are not positive, or ``axis`` is out of range.

    Examples:
        >>> a, b = ops.split(Tensor([1, 2, 3]), 2)
        >>> print(a, b)
        [1 2] [3]
    """
    axis = axis_of(axis, len(tensor.shape))
    n, sizes = tensor.shape[axis], split_size_or_sections
    if not isinstance(sizes, (tuple, list)):
        expect(type(sizes) is int and sizes > 0, "split_size_or_sections", "a positive int or sizes",
               got=repr(sizes))
        sizes = (sizes,) * (n // sizes) + ((n % sizes,) if n % sizes else ())
    parts = P.split(tensor, tuple(sizes), axis)
    return tuple(parts[i] for i in range(len(sizes)))


def chunk(input, chunks, axis=0):
    """Cut a tensor into at most ``chunks`` parts of equal size along a dimension; the last may be smaller.

    Examples:
        >>> len(ops.chunk(ops.ones((5,)), 2))
        2
    """
    expect(type(chunks) is int and chunks > 0, "chunks", "a positive int", got=repr(chunks))
    n = input.shape[axis_of(axis, len(input.shape))]
    return split(input, max(-(-n // chunks), 1), axis)


def tensor_split(input, indices_or_sections, axis=0):
    """Cut a tensor into so many parts of nearly equal size, or at the given positions, along a dimension.

    Examples:
        >>> [t.shape[0] for t in ops.tensor_split(ops.ones((5,)), 2)]
        [3, 2]
    """
    axis = axis_of(axis, len(input.shape))
    n, at = input.shape[axis], indices_or_sections
    if isinstance(at, int):
        expect(at > 0, "indices_or_sections", "positive", got=at)
        sizes = tuple(n // at + (1 if i < n % at else 0) for i in range(at))
    else:
        edges = [0, *[min(max(i + n if i < 0 else i, 0), n) for i in at], n]
        sizes = tuple(max(b - a, 0) for a, b in zip(edges, edges[1:]))
    return split(input, sizes, axis)


def tile(input, dims):
    """Repeat the whole tensor along dimensions.

    Args:
        input (Tensor): the operand.
        dims (tuple[int]): how often along each; missing leading ones are 1.

    Returns:
        Tensor: of the same dtype.

    Examples:
        >>> print(ops.tile(Tensor([1, 2]), (2,)))
        [1 2 1 2]
    """
    dims = dims_of(dims, "dims")
    rank = max(len(dims), len(input.shape))
    dims = (1,) * (rank - len(dims)) + dims
    shape = (1,) * (rank - len(input.shape)) + tuple(input.shape)
    apart = P.reshape(input, tuple(n for s in shape for n in (1, s)))
    wide = P.broadcast_to(apart, tuple(n for d, s in zip(dims, shape) for n in (d, s)))
    return P.reshape(wide, tuple(d * s for d, s in zip(dims, shape)))


def repeat_interleave(input, repeats, axis=None):
    """Repeat each element.

    Args:
        input (Tensor): the operand.
        repeats (int, tuple[int]): how often each, or each position along ``axis``.
        axis (int): the dimension; None flattens first. Default: None.

    Returns:
        Tensor: of the same dtype.

    Raises:
        ValueError: ``repeats`` has another length than the dimension, or is negative.

    Examples:
        >>> print(ops.repeat_interleave(Tensor([1, 2]), 2))
        [1 1 2 2]
    """
    if axis is None:
        input, axis = P.reshape(input, (-1,)), 0
    axis = axis_of(axis, len(input.shape))
    n = input.shape[axis]
    times = dims_of(tuple(repeats.tolist()) if hasattr(repeats, "tolist") else repeats, "repeats")
    if len(times) == 1:
        shape = input.shape[:axis + 1] + (times[0],) + input.shape[axis + 1:]
        wide = P.broadcast_to(expand_dims(input, axis + 1), shape)
        return P.reshape(wide, input.shape[:axis] + (n * times[0],) + input.shape[axis + 1:])
    expect(len(times) == n, "repeats", f"an int or {n} ints", got=repeats)
    return P.gather(input, as_tensor([i for i, t in enumerate(times) for _ in range(t)], dt.int64), axis)


def repeat_elements(x, rep, axis=0):
    """Repeat each element along a dimension. See `repeat_interleave`.

    Examples:
        >>> print(ops.repeat_elements(Tensor([1, 2]), 2))
        [1 1 2 2]
    """
    return repeat_interleave(x, rep, axis)


def flip(input, dims):
    """Reverse the order of elements along dimensions.

    Args:
        input (Tensor): the operand.
        dims (int, tuple[int]): the dimensions.

    Returns:
        Tensor: of the same shape and dtype.

    Examples:
        >>> print(ops.flip(Tensor([1, 2, 3]), (0,)))
        [3 2 1]
    """
    return P.flip(input, dims)


def fliplr(input):
    """Reverse the columns.

    Examples:
        >>> print(ops.fliplr(Tensor([[1, 2]])))
        [[2 1]]
    """
    return P.flip(input, (1,))


def flipud(input):
    """Reverse the rows.

    Examples:
        >>> print(ops.flipud(Tensor([1, 2])))
        [2 1]
    """
    return P.flip(input, (0,))


def roll(input, shifts, dims=None):
    """Shift elements along dimensions; what leaves at one end comes in at the other.

    Args:
        input (Tensor): the operand.
        shifts (int, tuple[int]): by how much.
        dims (int, tuple[int]): along which; None flattens first. Default: None.

    Returns:
        Tensor: of the same shape and dtype.

    Examples:
        >>> print(ops.roll(Tensor([1, 2, 3]), 1))
        [3 1 2]
    """
    if dims is None:
        return P.reshape(roll(P.reshape(input, (-1,)), shifts, 0), input.shape)
    shifts, dims = (v if isinstance(v, (tuple, list)) else (v,) for v in (shifts, dims))
    for shift, axis in zip(shifts, dims):
        axis = axis_of(axis, len(input.shape))
        n = input.shape[axis]
        if n and shift % n:
            parts = P.split(input, (n - shift % n, shift % n), axis)
            input = P.concat((parts[1], parts[0]), axis)
    return input


def rot90(input, k, dims):
    """Rotate by ``k`` right angles in the plane of two dimensions.

    Examples:
        >>> print(ops.rot90(Tensor([[1, 2], [3, 4]]), 1, (0, 1)))
        [[2 4]
         [1 3]]
    """
    a, b = dims
    if k % 4 == 2:
        return P.flip(input, (a, b))
    if k % 4 == 1:
        return swapaxes(P.flip(input, (b,)), a, b)
    return P.flip(swapaxes(input, a, b), (b,)) if k % 4 == 3 else input


def broadcast_tensors(*tensors):
    """Tensors broadcast to their common shape.

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
        indexing (str): ``"xy"`` exchanges the first two dimensions, ``"ij"`` does not. Default: ``"xy"``.

    Returns:
        tuple[Tensor]: as many tensors, of the shape that the vectors' lengths give.

    Examples:
        >>> [t.shape for t in ops.meshgrid(ops.ones((2,)), ops.ones((3,)))]
        [(3, 2), (3, 2)]
    """
    expect(indexing in ("xy", "ij"), "indexing", "'xy' or 'ij'", got=repr(indexing))
    inputs = dims_from(inputs)
    rank = len(inputs)
    order = [1, 0, *range(2, rank)] if indexing == "xy" and rank > 1 else list(range(rank))
    wide = [P.reshape(t, tuple(t.size if order[d] == i else 1 for d in range(rank)))
            for i, t in enumerate(inputs)]
    return broadcast_tensors(*wide)


def shape_(input_x):
    """The shape, a tuple of ints.

    Examples:
        >>> ops.shape(ops.ones((2, 3)))
        (2, 3)
    """
    return input_x.shape


def rank(input_x):
    """The number of dimensions.

    Examples:
        >>> ops.rank(ops.ones((2, 3)))
        2
    """
    return len(input_x.shape)


def size(input_x):
    """The number of elements.

    Examples:
        >>> ops.size(ops.ones((2, 3)))
        6
    """
    return input_x.size


def dtype_(x):
    """The element type.

    Examples:
        >>> ops.dtype(Tensor([1.0]))
        Float32
    """
    return x.dtype


def identity(x):
    """``x`` itself.

    Examples:
        >>> print(ops.identity(Tensor([1.0])))
        [1.]
    """
    return x


def deepcopy(input_x):
    """The same values in a buffer of its own.

    Examples:
        >>> print(ops.deepcopy(Tensor([1.0])))
        [1.]
    """
    return P.copy(input_x)


cat, unsqueeze, swapdims, movedim, clone, unbind = concat, expand_dims, swapaxes, moveaxis, deepcopy, unstack


def scalar_to_tensor(input_x, dtype=dt.float32):
    """A number as a Tensor of rank 0.

    Args:
        input_x (number): the number.
        dtype (dtype): the element type. Default: float32.

    Returns:
        Tensor[()]: of ``dtype``.

    Examples:
        >>> print(ops.scalar_to_tensor(2))
        2.0
    """
    return P.cast(input_x, dt.of(dtype)) if is_tensor(input_x) else as_tensor(input_x, dt.of(dtype))
