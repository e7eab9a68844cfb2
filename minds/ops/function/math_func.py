"""Arithmetic and elementwise functions composed of ops."""

from __future__ import annotations

import math

from ...base import dtype as dt
from ...base.errors import expect
from ..define import P
from ..faces import face
from ..rules import scaled_by
from .common import as_tensor, inexact, is_inexact, is_tensor
from .elsewhere import elsewhere
from .number_func import truncate_div


@face(alias="tensor_mod floormod", method=True, cls=True, numpy="mod remainder")
def floor_mod(x, y):
    """The remainder of floor division, with the sign of ``y``. See `remainder`.

    Args:
        x (Tensor, number): the dividend.
        y (Tensor, number): the divisor; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.floor_mod(Tensor([7, -7]), 4))
        [3 1]
    """
    return P.mod(x, y)


def floor_div(x, y):
    """Floor division. See `floor_divide`.

    Args:
        x (Tensor, number): the dividend.
        y (Tensor, number): the divisor; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.floor_div(Tensor([7, -7]), 2))
        [ 3 -4]
    """
    return P.floor_divide(x, y)


@face(
    alias="divide",
    method="div true_divide divide",
    cls="Div RealDiv",
    mint="div divide",
    numpy="divide(float) true_divide(float)",
)
def div(input, other, *, rounding_mode=None):
    """``input / other``, true, or rounded as ``rounding_mode`` says.

    Args:
        input (Tensor | number): the dividend.
        other (Tensor | number): the divisor.
        rounding_mode (str): None for true division, ``"floor"`` or ``"trunc"``. Default: None.

    Returns:
        Tensor: of the broadcast shape; true division of integers gives float32.

    Raises:
        ValueError: ``rounding_mode`` is another word.

    Examples:
        >>> print(ops.div(Tensor([7.0]), 2), ops.div(Tensor([7.0]), 2, rounding_mode="floor"))
        [3.5] [3.]
    """
    expect(
        rounding_mode in (None, "floor", "trunc"),
        "rounding_mode",
        "None, 'floor' or 'trunc'",
        got=repr(rounding_mode),
    )
    if rounding_mode == "floor":
        return P.floor_divide(input, other)
    return P.div(input, other) if rounding_mode is None else truncate_div(input, other)


@face(method=True, cls="Rint Round", mint="round special.round", numpy="rint(float)", sparse=True)
def round_(input, *, decimals=0):
    """The nearest number with ``decimals`` decimals; halves go to the even one.

    Args:
        input (Tensor[any shape, number]): the operand.
        decimals (int): how many decimals are kept. Default: 0.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.round(Tensor([0.5, 1.5, 2.4])))
        [0. 2. 2.]
    """
    if decimals == 0:
        return P.round(input)
    scale = 10.0**decimals
    return P.round(input * scale) / scale


@face(method=True, mint=True, numpy="log2(float)")
def log2(input):
    r"""The logarithm to base 2.

    Args:
        input (Tensor[any shape, number]): the operand.

    Returns:
        Tensor: of the same shape.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.log2(Tensor([1.0, 8.0])))
        [0. 3.]
    """
    return P.log(input) / math.log(2)


@face(method=True, mint=True, numpy="log10(float)")
def log10(input):
    r"""The logarithm to base 10.

    Args:
        input (Tensor[any shape, number]): the operand.

    Returns:
        Tensor: of the same shape.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.log10(Tensor([1.0])))
        [0.]
    """
    return P.log(input) / math.log(10)


@face(mint="exp2 special.exp2", numpy="exp2(float)")
def exp2(input):
    r"""2 to the power of ``input``.

    Args:
        input (Tensor[any shape, number]): the exponents.

    Returns:
        Tensor: of the same shape.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.exp2(Tensor([0.0, 3.0])))
        [1. 8.]
    """
    return P.pow(2.0, input)


@face(method=True, mint=True, numpy="logaddexp(float)")
def logaddexp(input, other):
    r""":math:`\log(e^x + e^y)`, without overflow.

    Args:
        input (Tensor[any shape, float]): x.
        other (Tensor[any shape, float]): y; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.logaddexp(Tensor([0.0]), Tensor([0.0])))
        [0.6931472]
    """
    top = P.maximum(input, other)
    apart = P.select(P.equal(input, other), 0, P.abs(input - other))  # equal infinities too
    return top + P.log1p(P.exp(-apart))


@face(method=True, cls=True, mint=True)
def xlogy(input, other):
    r""":math:`x \log y`, and 0 where x is 0 and y is a number.

    Args:
        input (Tensor, number): x.
        other (Tensor, number): y; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``other`` does not fit ``input``.

    Examples:
        >>> print(ops.xlogy(Tensor([0.0, 2.0]), Tensor([0.0, 1.0])))
        [0. 0.]
    """
    safe = P.logical_and(P.equal(input, 0), P.logical_or(P.less_equal(other, 0), P.isinf(other)))
    return input * P.log(P.select(safe, 1, other))


@face(cls=True)
def squared_difference(x, y):
    """:math:`(x - y)^2`.

    Args:
        x (Tensor, number): one operand.
        y (Tensor, number): the other; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: an operand is neither a Tensor nor a number.
        ValueError: the shapes do not broadcast.

    Examples:
        >>> print(ops.SquaredDifference()(Tensor([3.0]), Tensor([1.0])))
        [4.]
    """
    return P.square(x - y)


@face(method=True, cls="Lerp LerpScalar", mint=True)
def lerp(input, end, weight):
    r""":math:`x + w (y - x)`.

    Args:
        input (Tensor): the start.
        end (Tensor): the end.
        weight (Tensor | float): how far to go.

    Returns:
        Tensor: of the broadcast shape.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.lerp(Tensor([1.0]), Tensor([3.0]), 0.5))
        [2.]
    """
    return input + weight * (end - input)


@face(method=True, numpy="deg2rad(float) radians(float)")
def deg2rad(x):
    """Degrees as radians.

    Args:
        x (Tensor[any shape, float]): degrees.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.deg2rad(Tensor([180.0])))
        [3.1415927]
    """
    return x * (math.pi / 180)


@face(method=True, numpy="rad2deg(float)")
def rad2deg(x):
    """Radians as degrees.

    Args:
        x (Tensor[any shape, float]): radians.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.rad2deg(Tensor([0.0])))
        [0.]
    """
    return x * (180 / math.pi)


@face(method=True, mint=True, cls="IsClose(rtol=1e-05, atol=1e-08, equal_nan=False)")
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    r"""Whether :math:`|x - y| \le atol + rtol |y|`.

    Args:
        input, other (Tensor): the operands.
        rtol, atol (float): relative and absolute tolerance. Default: 1e-5, 1e-8.
        equal_nan (bool): whether nan is close to nan. Default: False.

    Returns:
        Tensor[bool]: of the broadcast shape.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``other`` does not fit ``input``.

    Examples:
        >>> print(ops.isclose(Tensor([1.0, 2.0]), Tensor([1.0, 3.0])))
        [ True False]
    """
    input, other = (v if is_inexact(v) else P.cast(v, dt.float64) for v in (input, other))
    near = P.logical_and(P.abs(input - other) <= atol + rtol * P.abs(other), P.isfinite(other))
    close = P.logical_or(near, P.equal(input, other))
    if equal_nan:
        close = P.logical_or(close, P.logical_and(P.isnan(input), P.isnan(other)))
    return close


@face(method=True, mint=True, cls="NanToNum(nan=None, posinf=None, neginf=None)")
def nan_to_num(input, nan=None, posinf=None, neginf=None):
    """Replace nan and infinities.

    Args:
        input (Tensor[any shape, float]): the operand.
        nan (number): for nan. Default: 0.
        posinf (number): for inf. Default: the largest number of the dtype.
        neginf (number): for -inf. Default: the least number of the dtype.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``nan`` has a wrong type.

    Examples:
        >>> print(ops.nan_to_num(Tensor([1.0, float("nan")])))
        [1. 0.]
    """
    if not input.dtype.is_float:
        return P.reshape(input, input.shape)
    largest = {
        "float16": 65504.0,
        "bfloat16": 3.3895313892515355e38,
        "float32": 3.4028234663852886e38,
        "float64": 1.7976931348623157e308,
    }[input.dtype.name]
    x = P.select(P.isnan(input), nan or 0, input)
    infinite = P.isinf(input)
    x = P.select(P.logical_and(infinite, input > 0), largest if posinf is None else posinf, x)
    return P.select(P.logical_and(infinite, input < 0), -largest if neginf is None else neginf, x)


@face(cls="AccumulateNV2 AddN")
def addn(x):
    """The sum of several tensors.

    Args:
        x (tuple[Tensor]): the summands, of shapes that broadcast.

    Returns:
        Tensor: their sum.

    Raises:
        TypeError: ``x`` is no tuple or list.
        ValueError: there is none.

    Examples:
        >>> print(ops.addn((Tensor([1.0]), Tensor([2.0]), Tensor([3.0]))))
        [6.]
    """
    expect(isinstance(x, (tuple, list)), "x", "a tuple or list of tensors", TypeError)
    expect(len(x) > 0, "x", "at least one tensor")
    total = x[0]
    for t in x[1:]:
        total = P.add(total, t)
    return total


def accumulate_n(x):
    """The sum of several tensors. See `addn`.

    Args:
        x (tuple[Tensor], list[Tensor]): operands of one shape and dtype.

    Returns:
        Tensor: of that shape and dtype.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> print(ops.accumulate_n((Tensor([1.0]), Tensor([2.0]))))
        [3.]
    """
    return addn(x)


@face(method=True)
def is_floating_point(input):
    """Whether the dtype is a floating point type.

    Args:
        input (Tensor): the operand.

    Returns:
        bool: known when a program is compiled.

    Examples:
        >>> ops.is_floating_point(Tensor([1.0]))
        True
    """
    return input.dtype.is_float


@face(cls="Cast")
def cast(input, dtype):
    """``input`` with another element type. See `Tensor.astype`. Numbers beyond the range of an integer
    type wrap: -3.0 is 253 as uint8.

    Args:
        input (Tensor | number): the operand.
        dtype (dtype): the new element type.

    Returns:
        Tensor: of the same shape; ``input`` itself where nothing changes.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.cast(Tensor([1.7, -1.7]), ms.int32))
        [ 1 -1]
    """
    dtype = dt.of(dtype)
    if is_tensor(input) and input.dtype is dtype:
        return input
    return P.cast(input, dtype)


def subtract(input, other, *, alpha=1):
    r""":math:`x - \alpha y`.

    Args:
        input (Tensor, number): x.
        other (Tensor, number): y; shapes broadcast.
        alpha (number): its factor. Default: 1.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.subtract(Tensor([4.0]), Tensor([1.0]), alpha=2))
        [2.]
    """
    return P.sub(input, scaled_by(other, alpha))


@face(method=True, numpy=True)
def signbit(input):
    """Whether the sign is negative (that of -0.0 is not told from 0.0).

    Args:
        input (Tensor[any shape, number]): the operand.

    Returns:
        Tensor[bool]: of the same shape.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.signbit(Tensor([-1.0, 2.0])))
        [ True False]
    """
    x = as_tensor(input)
    if x.dtype.is_float:
        x = P.select(P.equal(x, 0), P.reciprocal(x), x)  # tells -0.0 from 0.0
    return P.less(x, 0)


@face(method=True, numpy="copysign(float)")
def copysign(x, other):
    """The size of ``x`` with the sign of ``other``.

    Args:
        x (Tensor[any shape, number]): gives the sizes.
        other (Tensor, number): gives the signs; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``x`` is not a Tensor.
        ValueError: the shape of ``other`` does not fit ``x``.

    Examples:
        >>> print(ops.copysign(Tensor([1.0, -2.0]), Tensor([-1.0, 3.0])))
        [-1.  2.]
    """
    size = P.abs(inexact(as_tensor(x)))
    return P.select(signbit(other), -size, size)


@face(method=True, cls=True, numpy=True)
def heaviside(input, values):
    """0 below 0, 1 above, and ``values`` at 0.

    Args:
        input (Tensor[any shape, number]): the operand.
        values (Tensor[any shape, number]): the values at 0; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``values`` does not fit ``input``.

    Examples:
        >>> print(ops.heaviside(Tensor([-1.0, 0.0, 2.0]), Tensor(0.5)))
        [0.  0.5 1. ]
    """
    step = P.cast(P.greater(input, 0), input.dtype)
    step = P.select(P.isnan(input), input, step)
    return P.select(P.equal(input, 0), values, step)


@face(method=True, numpy=True)
def isposinf(input):
    """Whether the operand is positive infinity.

    Args:
        input (Tensor[any shape, number]): the operand.

    Returns:
        Tensor[bool]: of the same shape.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.isposinf(Tensor([float("inf"), -float("inf")])))
        [ True False]
    """
    return P.logical_and(P.isinf(input), P.greater(input, 0))


@face(method=True, mint=True, numpy=True)
def isneginf(input):
    """Whether the operand is negative infinity.

    Args:
        input (Tensor[any shape, number]): the operand.

    Returns:
        Tensor[bool]: of the same shape.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.isneginf(Tensor([float("inf"), -float("inf")])))
        [False  True]
    """
    return P.logical_and(P.isinf(input), P.less(input, 0))


# MindSpore has other functions here too.
__getattr__, __dir__ = elsewhere(__name__)
