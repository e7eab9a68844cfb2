"""Choosing by condition, sorting, and running sums."""

from __future__ import annotations

from ...base import dtype as dt
from ..define import P
from ..faces import face
from ..repeated import repeated
from ..rules import axis_of
from .common import widened


@repeated
def where(condition, input, other):
    """``input`` where ``condition`` holds, else ``other``; all three broadcast.

    Args:
        condition (Tensor[bool]): what decides.
        input (Tensor | number): values where it holds.
        other (Tensor | number): values elsewhere.

    Returns:
        Tensor: of the broadcast shape and the common dtype of the values.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``input`` does not fit ``condition``.

    Examples:
        >>> print(ops.where(Tensor([True, False]), Tensor([1.0, 2.0]), 0))
        [1. 0.]
    """
    if not condition.dtype.is_bool:
        condition = P.not_equal(condition, 0)
    return P.select(condition, input, other)


@face(method=True, cls=True)
@repeated
def masked_fill(input_x, mask, value):
    """``input_x`` with ``value`` where ``mask`` holds.

    Args:
        input_x (Tensor): the operand.
        mask (Tensor[bool]): where to fill; broadcasts.
        value (Tensor | number): a scalar.

    Returns:
        Tensor: of the dtype of ``input_x``.

    Raises:
        TypeError: ``mask`` is not a Tensor.
        ValueError: the shape of ``mask`` does not fit ``input_x``.

    Examples:
        >>> print(ops.masked_fill(Tensor([1.0, 2.0]), Tensor([True, False]), 5))
        [5. 2.]
    """
    return P.select(mask, P.cast(value, input_x.dtype), input_x)


@face(cls="Sort(axis=-1, descending=False)")
def sort(input_x, axis=-1, descending=False):
    """The elements in order along a dimension, and where they were.

    Args:
        input_x (Tensor): the operand.
        axis (int): the dimension. Default: -1.
        descending (bool): from the largest down. Default: False.

    Returns:
        tuple: the sorted elements, and their positions (int32).

    Raises:
        TypeError: ``input_x`` is not a Tensor.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> values, index = ops.sort(Tensor([3.0, 1.0, 2.0]))
        >>> print(values, index)
        [1. 2. 3.] [1 2 0]
    """
    out = P.sort(input_x, axis, descending)
    return out[0], P.cast(out[1], dt.int32)


def argsort(input, axis=-1, descending=False):
    """The positions of the elements in order along a dimension.

    Args:
        input (Tensor[any shape, number]): the operand.
        axis (int): the dimension. Default: -1.
        descending (bool): the largest first. Default: False.

    Returns:
        Tensor: of the same shape; positions.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.argsort(Tensor([3.0, 1.0, 2.0])))
        [1 2 0]
    """
    return P.cast(P.sort(input, axis, descending)[1], dt.int32)


@face(method=True, cls="TopK(sorted = True)")
def topk(input, k, dim=None, largest=True, sorted=True):
    """The ``k`` largest elements along a dimension, and where they were.

    Args:
        input (Tensor): the operand.
        k (int): how many.
        dim (int): the dimension. Default: the last.
        largest (bool): the largest, else the smallest. Default: True.
        sorted (bool): in this order, else in the order of their positions. Default: True.

    Returns:
        tuple: the elements, and their positions (int32).

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: ``dim`` is out of range.

    Examples:
        >>> values, index = ops.topk(Tensor([3.0, 1.0, 2.0]), 2)
        >>> print(values, index)
        [3. 2.] [0 2]
    """
    dim = -1 if dim is None else dim
    out, at = P.topk(input, k, dim, largest)
    if not sorted:
        at = P.sort(at, axis_of(dim, len(input.shape), "dim"), False)[0]
        out = P.gather_d(input, dim, at)
    return out, P.cast(at, dt.int32)


def cumsum(x, axis, dtype=None):
    """The sums of all elements up to each one.

    Args:
        x (Tensor): the operand.
        axis (int): the dimension.
        dtype (dtype): the dtype to compute in. Default: that of ``x``.

    Returns:
        Tensor: of the same shape.

    Raises:
        TypeError: ``x`` is not a Tensor.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.cumsum(Tensor([1.0, 2.0, 3.0]), 0))
        [1. 3. 6.]
    """
    return P.cumsum(x if dtype is None else P.cast(x, dt.of(dtype)), axis)


@face(mint=True)
def cumprod(input, dim, dtype=None):
    """The products of all elements up to each one.

    Args:
        input (Tensor[any shape, number]): the operand.
        dim (int): the dimension.
        dtype (dtype): cast to it first. Default: None, int64 for narrower integers and bools.

    Returns:
        Tensor: of the same shape.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: ``dim`` is out of range.

    Examples:
        >>> print(ops.cumprod(Tensor([1.0, 2.0, 3.0]), 0))
        [1. 2. 6.]
    """
    return P.cumprod(widened(input, dtype), dim)
