"""Slices, and what a mask chooses, under MindSpore's names."""

from __future__ import annotations

from ...base.errors import expect
from ..define import P
from ..faces import face
from ..rules import broadcast
from ..unbacked import positions
from .indexing import getitem, positions_of


@face(
    cls="StridedSlice(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, "
    "shrink_axis_mask=0)",
)
def strided_slice(
    input_x,
    begin,
    end,
    strides,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
):
    """``input_x[begin[0]:end[0]:strides[0], …]``; bit i of a mask changes the meaning of entry i.

    Args:
        input_x (Tensor): the operand.
        begin, end, strides (tuple[int]): as in Python's slices.
        begin_mask, end_mask (int): the slice starts (ends) at the edge.
        ellipsis_mask (int): the entry stands for all dimensions between. new_axis_mask (int): it is
            a new dimension of size 1.
        shrink_axis_mask (int): it is the one position ``begin[i]``, and the dimension goes.

    Returns:
        Tensor: of the same dtype.

    Raises:
        ValueError: ``input_x`` has a rank that does not fit.

    Examples:
        >>> print(ops.strided_slice(Tensor([1, 2, 3, 4]), (1,), (4,), (2,)))
        [2 4]
    """
    index = []
    for i, (b, e, s) in enumerate(zip(begin, end, strides, strict=False)):
        bit = 1 << i
        if ellipsis_mask & bit:
            index.append(Ellipsis)
        elif new_axis_mask & bit:
            index.append(None)
        elif shrink_axis_mask & bit:
            index.append(b)
        else:
            index.append(slice(None if begin_mask & bit else b, None if end_mask & bit else e, s))
    return getitem(input_x, tuple(index))


@face(alias="tensor_slice", cls=True)
def slice_(input_x, begin, size):
    """The part of ``input_x`` that starts at ``begin``.

    Args:
        input_x (Tensor): the operand.
        begin (tuple[int]): its first position.
        size (tuple[int]): its shape; -1 means up to the end.

    Returns:
        Tensor: of the same dtype.

    Raises:
        ValueError: ``input_x`` has a rank that does not fit.

    Examples:
        >>> print(ops.slice(Tensor([1, 2, 3, 4]), (1,), (2,)))
        [2 3]
    """
    index = tuple(slice(b, None if n == -1 else b + n) for b, n in zip(begin, size, strict=False))
    for b, n, whole in zip(begin, size, input_x.shape, strict=False):
        expect(b >= 0 and b + max(n, 0) <= whole, "begin + size", f"within {whole}", got=b + n)
    return getitem(input_x, index)


@face(method=True, cls=True, mint=True)
def masked_select(input, mask):
    """The elements where ``mask`` holds, as a vector.

    Args:
        input (Tensor): the operand.
        mask (Tensor[bool]): shapes broadcast.

    Returns:
        Tensor[(N,)]: of the dtype of ``input``; the run finds N.

    Raises:
        TypeError: ``mask`` is not of bools.
        ValueError: the shape of ``mask`` does not fit ``input``.

    Examples:
        >>> print(ops.masked_select(Tensor([1.0, 2.0]), Tensor([True, False])))
        [1.]
    """
    expect(mask.dtype.is_bool, "mask", "of dtype bool", TypeError, got=mask.dtype.name)
    shape = broadcast(input.shape, mask.shape) or (1,)
    return getitem(P.broadcast_to(input, shape), P.broadcast_to(mask, shape))


@face(method=True, cls="NonZero", mint=True)
def nonzero(input, *, as_tuple=False):
    """The positions of nonzero elements .

    Args:
        input (Tensor): the operand.
        as_tuple (bool): one vector per dimension, else a matrix with one row per element. Default:
            False.

    Returns:
        Tensor[int64], or a tuple of them.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.nonzero(Tensor([0, 5, 6])))
        [[1]
         [2]]
    """
    return tuple(positions_of(input)) if as_tuple else positions(input)
