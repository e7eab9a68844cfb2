"""Joining, taking apart and repeating, under MindSpore's names."""

from __future__ import annotations

import numpy as np

from ...base import dtype as dt
from ...base.errors import complain, expect
from ...base.limits import check_memory, times
from ...ir.dim import is_size
from ...tensor import Tensor
from ..define import P
from ..faces import face
from ..fitting import ints_given
from ..repeated import repeated
from ..rules import axis_of, dims_of, known
from .array_func import expand_dims
from .common import as_tensor, operands


@face(alias="cat")
@repeated
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
    tensors = tuple([as_tensor(t) for t in operands(tensors)])
    if all(t.dtype is tensors[0].dtype for t in tensors):
        return tensors
    common = tensors[0].dtype
    for t in tensors[1:]:
        common = dt.promote(common, t.dtype)
    return tuple(t if t.dtype is common else P.cast(t, common) for t in tensors)


@repeated
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
    tensors = _common(tensors)
    expect(len(tensors) > 0, "tensors", "at least one tensor")
    axis = axis_of(axis, len(tensors[0].shape) + 1)
    return P.concat(tuple(expand_dims(t, axis) for t in tensors), axis)


@face(mint=True)
def hstack(tensors):
    """Join tensors along the second dimension (the first of vectors).

    Args:
        tensors (tuple[Tensor], list[Tensor]): the operands.

    Returns:
        Tensor: joined.

    Raises:
        TypeError: ``tensors`` is no sequence of tensors.

    Examples:
        >>> print(ops.hstack((Tensor([1]), Tensor([2]))))
        [1 2]
    """
    tensors = [P.reshape(t, (1,)) if not t.shape else t for t in operands(tensors)]
    return concat(tensors, 0 if len(tensors[0].shape) == 1 else 1)


def vstack(inputs):
    """Join tensors along the first dimension; vectors are rows.

    Args:
        inputs (tuple[Tensor], list[Tensor]): the operands.

    Returns:
        Tensor: joined.

    Raises:
        TypeError: ``inputs`` is no sequence of tensors.

    Examples:
        >>> print(ops.vstack((Tensor([1, 2]), Tensor([3, 4]))))
        [[1 2]
         [3 4]]
    """
    rows = [P.reshape(t, (1, t.size)) if len(t.shape) < 2 else t for t in operands(inputs)]
    return concat(rows, 0)


@face(method=True, cls="Unstack(axis=0, num: None = None) Unpack(axis=0, num: None = None)")
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
    n, shape = input_x.shape[axis], input_x.shape[:axis] + input_x.shape[axis + 1 :]
    parts = P.split(input_x, (1,) * n, axis)
    return tuple(P.reshape(parts[i], shape) for i in range(n))


@repeated
def split(tensor, split_size_or_sections=None, axis=0, *, output_num=None):
    """Cut a tensor into parts along a dimension.

    Args:
        tensor (Tensor): the operand.
        split_size_or_sections (int, tuple[int]): the size of each part (the last may be smaller),
            or all sizes.
        axis (int): the dimension. Default: 0.
        output_num (int): how many equal parts, as older versions of MindSpore say it. Default: None.

    Returns:
        tuple[Tensor]: the parts.

    Raises:
        TypeError: ``split_size_or_sections`` is no int and no sequence.
        ValueError: the sizes do not add up, are not positive, or ``axis`` is out of range.

    Examples:
        >>> a, b = ops.split(Tensor([1, 2, 3]), 2)
        >>> print(a, b)
        [1 2] [3]
    """
    axis = axis_of(axis, len(tensor.shape))
    n, sizes = tensor.shape[axis], split_size_or_sections
    if output_num is not None:
        expect(is_size(output_num), "output_num", "an int", TypeError, got=repr(output_num))
        fits = output_num > 0 and n % output_num == 0
        expect(fits, "output_num", f"a divisor of {n}", got=output_num)
        sizes = n // output_num
    if not isinstance(sizes, (tuple, list)):
        expect(
            is_size(sizes), "split_size_or_sections", "an int or sizes", TypeError, got=repr(sizes)
        )
        expect(sizes > 0, "split_size_or_sections", "positive", got=repr(sizes))
        sizes = (sizes,) * (n // sizes) + ((n % sizes,) if n % sizes or n == 0 else ())
    parts = P.split(tensor, tuple(sizes), axis)
    return tuple(parts[i] for i in range(len(sizes)))


@face(method=True)
@repeated
def chunk(input, chunks, axis=0):
    """Cut a tensor into at most ``chunks`` parts of equal size along a dimension; the last may be
    smaller.

    Args:
        input (Tensor): the operand.
        chunks (int): how many parts.
        axis (int): the dimension. Default: 0.

    Returns:
        tuple[Tensor]: the parts.

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> len(ops.chunk(ops.ones((5,)), 2))
        2
    """
    expect(type(chunks) is int and chunks > 0, "chunks", "a positive int", got=repr(chunks))
    n = input.shape[axis_of(axis, len(input.shape))]
    if type(n) is int and n == 0:
        return split(input, (0,) * len(times(chunks, "chunks")), axis)
    return split(input, max(-(-n // chunks), 1), axis)


def _part(x, axis: int, start: int, size: int):
    """So many elements along a dimension."""
    begin, end = [0] * len(x.shape), list(x.shape)
    begin[axis], end[axis] = start, start + size
    return P.strided_slice(x, tuple(begin), tuple(end), (1,) * len(begin))


@face(method=True)
def tensor_split(input, indices_or_sections, axis=0):
    """Cut a tensor into so many parts of nearly equal size, or at the given positions, along a
    dimension.

    Args:
        input (Tensor): the operand.
        indices_or_sections (int, tuple[int]): how many parts, or where they start.
        axis (int): the dimension. Default: 0.

    Returns:
        tuple[Tensor]: the parts.

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> [t.shape[0] for t in ops.tensor_split(ops.ones((5,)), 2)]
        [3, 2]
    """
    axis = axis_of(axis, len(input.shape))
    n, at = input.shape[axis], indices_or_sections
    known(at, "indices_or_sections")
    if isinstance(at, int):
        expect(at > 0, "indices_or_sections", "positive", got=at)
        sizes = tuple(n // at + (1 if i < n % at else 0) for i in times(at, "indices_or_sections"))
    else:
        edges = [0, *[min(max(i + n if i < 0 else i, 0), n) for i in at], n]
        sizes = tuple(max(b - a, 0) for a, b in zip(edges, edges[1:], strict=False))
        if any(b < a for a, b in zip(edges, edges[1:], strict=False)):  # parts overlap
            return tuple([_part(input, axis, a, n) for a, n in zip(edges, sizes, strict=False)])
    return split(input, sizes, axis)


@face(cls=True, mint=True)
@repeated
def tile(input, dims):
    """Repeat the whole tensor along dimensions.

    Args:
        input (Tensor): the operand.
        dims (tuple[int]): how often along each; missing leading ones are 1.

    Returns:
        Tensor: of the same dtype.

    Raises:
        TypeError: ``dims`` has a wrong type.

    Examples:
        >>> print(ops.tile(Tensor([1, 2]), (2,)))
        [1 2 1 2]
    """
    dims = dims_of(ints_given(dims), "dims")
    rank = max(len(dims), len(input.shape))
    dims = (1,) * (rank - len(dims)) + dims
    shape = (1,) * (rank - len(input.shape)) + tuple(input.shape)
    apart = P.reshape(input, tuple(n for s in shape for n in (1, s)))
    wide = P.broadcast_to(
        apart, tuple(n for d, s in zip(dims, shape, strict=False) for n in (d, s))
    )
    out = P.reshape(wide, tuple(d * s for d, s in zip(dims, shape, strict=False)))
    return P.copy(out) if all(type(d) is int and d == 1 for d in dims) else out  # no view


@face(method=True)
def repeat_interleave(input, repeats, axis=None, *, output_size=None):
    """Repeat each element.

    Args:
        input (Tensor): the operand.
        repeats (int, tuple[int]): how often each, or each position along ``axis``.
        axis (int): the dimension; None flattens first. Default: None.
        output_size (int): how many there are afterwards, if that is said. Default: None.

    Returns:
        Tensor: of the same dtype.

    Raises:
        ValueError: ``output_size`` is another, ``repeats`` has another length than the dimension,
            or is negative.

    Examples:
        >>> print(ops.repeat_interleave(Tensor([1, 2]), 2))
        [1 1 2 2]
    """
    if axis is None:
        input, axis = P.reshape(input, (-1,)), 0
    axis = axis_of(axis, len(input.shape))
    n = input.shape[axis]
    many = dims_of(ints_given(repeats), "repeats")
    if output_size is not None:
        total = n * many[0] if len(many) == 1 else sum(many)
        expect(output_size == total, "output_size", str(total), got=output_size)
    if len(many) == 1:
        shape = input.shape[: axis + 1] + (many[0],) + input.shape[axis + 1 :]
        wide = P.broadcast_to(expand_dims(input, axis + 1), shape)
        out = P.reshape(wide, input.shape[:axis] + (n * many[0],) + input.shape[axis + 1 :])
        return P.copy(out) if type(many[0]) is int and many[0] == 1 else out  # no view
    expect(len(many) == n, "repeats", f"an int or {n} ints", got=repeats)
    check_memory(8 * sum(many), "the list of positions")
    return P.gather(input, Tensor(np.repeat(np.arange(len(many)), many)), axis)


def repeat_elements(x, rep, axis=0):
    """Repeat each element along a dimension. See `repeat_interleave`.

    Args:
        x (Tensor): the operand.
        rep (int): how often.
        axis (int): the dimension. Default: 0.

    Returns:
        Tensor: ``rep`` times as long along ``axis``.

    Raises:
        ValueError: ``axis`` is out of range, or ``x`` has more than 7 dimensions.

    Examples:
        >>> print(ops.repeat_elements(Tensor([1, 2]), 2))
        [1 1 2 2]
    """
    rank = len(x.shape)
    if rank > 7:
        what = "For repeat_elements, the rank of x should be less than or equal to 7, but got"
        raise complain(ValueError, f"{what} {rank}.", cure="use ops.repeat_interleave")
    return repeat_interleave(x, rep, axis)


@face(method=True)
@repeated
def unbind(input, dim=0):
    """Take a tensor apart along a dimension, which goes. See `unstack`.

    Args:
        input (Tensor): the operand.
        dim (int): the dimension. Default: 0.

    Returns:
        tuple[Tensor]: one for each position.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> print(ops.unbind(Tensor([[1, 2], [3, 4]]))[0])
        [1 2]
    """
    return unstack(input, dim)
