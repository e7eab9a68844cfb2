"""Complex numbers: their parts, and which numbers are."""

from __future__ import annotations

import math

from ...base import dtype as dt
from ...base.errors import expect
from ...ir.node import Node
from ...tensor import Tensor
from ..define import P
from ..faces import face
from .common import as_tensor, inexact


@face(method=True, cls=True)
def angle(input):
    """The angle of complex numbers; of real ones 0, and pi where they are negative.

    Args:
        input (Tensor[any shape, number or complex]): the operand.

    Returns:
        Tensor[float]: of the same shape.

    Raises:
        AttributeError: the operand is no Tensor.

    Examples:
        >>> print(ops.angle(Tensor([1.0, -1.0])))
        [0.        3.1415927]
    """
    x = inexact(as_tensor(input))
    if x.dtype.is_complex:
        return P.atan2(P.imag(x), P.real(x))
    return P.select(P.less(x, 0), math.pi, x * 0)


@face(cls=True, mint=True)
def polar(abs, angle):
    """Complex numbers of their absolute values and angles.

    Args:
        abs (Tensor[any shape, float32 or float64]): the absolute values.
        angle (Tensor[any shape, float32 or float64]): the angles, in radians.

    Returns:
        Tensor[complex]: of the same shape.

    Raises:
        TypeError: ``abs`` is not a Tensor.

    Examples:
        >>> print(ops.polar(Tensor([2.0]), Tensor([0.0])))
        [2.+0.j]
    """
    return P.complex(abs * P.cos(angle), abs * P.sin(angle))


def view_as_real(input):
    """Real and imaginary parts in a new last dimension.

    Args:
        input (Tensor[any shape, complex]): the operand.

    Returns:
        Tensor[(..., 2), float]: the parts.

    Raises:
        AttributeError: the operand is no Tensor.

    Examples:
        >>> print(ops.view_as_real(ops.complex(Tensor([1.0]), Tensor([2.0]))))
        [[1. 2.]]
    """
    column = input.shape + (1,)
    return P.concat((P.reshape(P.real(input), column), P.reshape(P.imag(input), column)), -1)


@face(method=True)
def is_complex(input):
    """Whether the dtype is complex.

    Args:
        input (Tensor): the operand.

    Returns:
        bool: known when a program is compiled.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> ops.is_complex(Tensor([1.0]))
        False
    """
    expect(
        isinstance(input, (Tensor, Node)), "input", "a Tensor", TypeError, got=type(input).__name__
    )
    return input.dtype.is_complex


@face(method=True)
def isreal(input):
    """Where elements have no imaginary part.

    Args:
        input (Tensor[any shape, number or complex]): the operand.

    Returns:
        Tensor[bool]: of the same shape.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.isreal(Tensor([1.0])))
        [ True]
    """
    expect(
        isinstance(input, (Tensor, Node)), "input", "a Tensor", TypeError, got=type(input).__name__
    )
    if input.dtype.is_complex:
        return P.equal(P.imag(input), 0)
    return P.full(input.shape, 1, dt.bool_)
