"""Functions on tuples, shapes and dtypes that MindSpore's own composites and older programs call."""

from __future__ import annotations

import math

from ...base import dtype as dt
from ...base.errors import class_of, complain, expect
from ..define import P
from ..faces import face
from ..rules import broadcast
from .common import is_tensor
from .create_func import full_like


def tail(x):
    """All elements of a tuple but the first.

    Args:
        x (tuple, list): the elements.

    Returns:
        tuple: the others.

    Raises:
        ValueError: ``x`` is empty.

    Examples:
        >>> ops.tail((1, 2, 3))
        (2, 3)
    """
    expect(len(x) > 0, "x", "one element or more", got=x)
    return tuple(x[1:])


def shape_mul(input_data) -> int:
    """The number of elements of a shape.

    Args:
        input_data (tuple[int], list[int]): the sizes.

    Returns:
        int: their product.

    Examples:
        >>> ops.shape_mul((2, 3))
        6
    """
    return math.prod(input_data)


def tuple_div(x, y) -> tuple:
    """The quotients of two tuples of integers, element by element.

    Args:
        x, y (tuple[int]): of equal length.

    Returns:
        tuple[int]: ``x[i] // y[i]``.

    Raises:
        ValueError: the lengths differ, or an element is not divisible by its partner.

    Examples:
        >>> ops.tuple_div((4, 6), (2, 3))
        (2, 2)
    """
    expect(len(x) == len(y), "y", f"of length {len(x)}", got=len(y))
    for a, b in zip(x, y, strict=True):
        expect(b != 0 and a % b == 0, "x", f"divisible by {y}", got=x)
    return tuple(a // b for a, b in zip(x, y, strict=True))


def reduced_shape(x, axis) -> tuple:
    """A shape after a reduction that keeps the dimensions.

    Args:
        x (tuple[int]): the shape.
        axis (int, tuple[int]): what is reduced; () reduces everything.

    Returns:
        tuple[int]: the sizes, 1 where reduced.

    Raises:
        TypeError: ``x`` is no tuple.
        ValueError: an axis is out of range.

    Examples:
        >>> ops.reduced_shape((2, 3), (0,))
        (1, 3)
    """
    expect(isinstance(x, (tuple, list)), "x", "a tuple of ints", TypeError, got=class_of(x))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    for a in axes:
        expect(-len(x) <= a < len(x), "axis", f"in [{-len(x)}, {len(x)})", got=a)
    axes = tuple(a % len(x) for a in axes) or tuple(range(len(x)))
    return tuple(1 if i in axes else n for i, n in enumerate(x))


def broadcast_gradient_args(x, y) -> tuple:
    """The dimensions along which the gradient of a broadcast operation is summed.

    Args:
        x, y (tuple[int]): the shapes of the operands.

    Returns:
        tuple: the dimensions of the result for ``x`` and for ``y``.

    Raises:
        TypeError: one of them is no tuple.
        ValueError: the shapes do not broadcast.

    Examples:
        >>> ops.broadcast_gradient_args((2, 3), (3,))
        ((), (0,))
    """
    for name, shape in (("x", x), ("y", y)):
        if not isinstance(shape, (tuple, list)):
            raise complain(TypeError, f"broadcast_gradient_args: {name} is {class_of(shape)}")
    whole = broadcast(tuple(x), tuple(y))
    lifted = [(1,) * (len(whole) - len(shape)) + tuple(shape) for shape in (x, y)]
    return tuple(
        tuple(i for i, (n, m) in enumerate(zip(shape, lifted[1 - k], strict=True)) if n == 1 != m)
        for k, shape in enumerate(lifted)
    )


@face(cls=True)
def mixed_precision_cast(dst_dtype, x):
    """A tensor in another floating point dtype, also inside tuples, lists and dicts; what is not a
    floating point tensor stays.

    Args:
        dst_dtype (dtype): float16, bfloat16, float32 or float64.
        x (Tensor, tuple, list, dict): what to cast.

    Returns:
        Tensor, tuple, list, dict: of the same structure.

    Raises:
        TypeError: ``dst_dtype`` is not floating point.

    Examples:
        >>> ops.mixed_precision_cast(ms.float16, (Tensor([1.0]), Tensor([1])))[0].dtype
        Float16
    """
    dtype = dt.of(dst_dtype)
    expect(dtype.is_float, "dst_dtype", "a floating point dtype", TypeError, got=dst_dtype)
    if is_tensor(x):
        return P.cast(x, dtype) if x.dtype.is_float else x
    if isinstance(x, dict):
        return {name: mixed_precision_cast(dtype, value) for name, value in x.items()}
    if isinstance(x, list):
        return [mixed_precision_cast(dtype, value) for value in x]
    return tuple(mixed_precision_cast(dtype, value) for value in x) if isinstance(x, tuple) else x


@face(method=True)
def fills(x, value):
    """A tensor of the shape and dtype of another, filled with a number.

    Args:
        x (Tensor): gives shape and dtype.
        value (number, Tensor[(), any]): the number.

    Returns:
        Tensor: like ``x``.

    Raises:
        TypeError: ``value`` is no number.

    Examples:
        >>> print(ops.fills(Tensor([1, 2]), 3))
        [3 3]
    """
    return full_like(x, value)
