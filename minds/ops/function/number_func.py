"""Elementwise functions of numbers beyond the common ones: integers, complex parts, special
functions.
"""

from __future__ import annotations

import math

from ...base import dtype as dt
from ...base.errors import complain, expect
from ...base.limits import times
from ...ir import build
from ...ir.node import Node
from ...tensor import Tensor
from ..define import P
from ..faces import face
from ..rules import broadcast
from .common import as_tensor, expect_tolerance, inexact, is_inexact


@face(method=True, numpy=True)
def positive(input):
    """The operand as it is.

    Args:
        input (Tensor[any shape, number]): the operand.

    Returns:
        Tensor: the same.

    Raises:
        TypeError: ``input`` has a dtype that is not supported.

    Examples:
        >>> print(ops.positive(Tensor([-1.0])))
        [-1.]
    """
    expect(not input.dtype.is_bool, "input", "numeric", TypeError, got="bool")
    return input


@face(method=True)
def frac(x):
    """What is left when the integer part is taken away; it has the sign of ``x``.

    Args:
        x (Tensor[any shape, float]): the operand.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.frac(Tensor([1.5, -0.25])))
        [ 0.5  -0.25]
    """
    return x - P.trunc(x)


@face(method=True)
def ldexp(x, other):
    r""":math:`x \cdot 2^y`.

    Args:
        x (Tensor[any shape, number]): x.
        other (Tensor[any shape, number]): y; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.ldexp(Tensor([1.0]), Tensor([3])))
        [8.]
    """
    return P.mul(x, P.pow(2.0, other))


@face(mint=True)
def float_power(input, exponent):
    """A power, computed in float64.

    Args:
        input (Tensor, number): the base.
        exponent (Tensor, number): the exponent; shapes broadcast.

    Returns:
        Tensor[float64 or complex128]: of the shape that both broadcast to.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.float_power(Tensor([2, 3]), 2))
        [4. 9.]
    """
    x, y = (
        as_tensor(v) if isinstance(v, complex) else as_tensor(v, dt.float64)
        for v in (input, exponent)
    )
    dtype = dt.complex128 if x.dtype.is_complex or y.dtype.is_complex else dt.float64
    return P.pow(P.cast(x, dtype), P.cast(y, dtype))


@face(method=True, mint=True, numpy="logaddexp2(float)")
def logaddexp2(input, other):
    r""":math:`\log_2(2^x + 2^y)`, without overflow.

    Args:
        input (Tensor[any shape, float]): x.
        other (Tensor[any shape, float]): y; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.logaddexp2(Tensor([3.0]), Tensor([3.0])))
        [4.]
    """
    apart = P.select(P.equal(input, other), 0, P.abs(input - other))  # equal infinities too
    return P.maximum(input, other) + P.log1p(P.exp(apart * -math.log(2))) / math.log(2)


@face(method=True, cls=True)
def fmax(input, other):
    """The larger of two elements; a number wins over nan.

    Args:
        input (Tensor, number): one operand.
        other (Tensor, number): the other; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``other`` does not fit ``input``.

    Examples:
        >>> print(ops.fmax(Tensor([1.0, float("nan")]), Tensor([3.0, 2.0])))
        [3. 2.]
    """
    return _choose(P.maximum, input, other)


@face(method=True, cls=True)
def fmin(input, other):
    """The smaller of two elements; a number wins over nan.

    Args:
        input (Tensor, number): one operand.
        other (Tensor, number): the other; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``other`` does not fit ``input``.

    Examples:
        >>> print(ops.fmin(Tensor([1.0, float("nan")]), Tensor([3.0, 2.0])))
        [1. 2.]
    """
    return _choose(P.minimum, input, other)


def _choose(extreme, x, y):
    x, y = as_tensor(x), as_tensor(y)
    if not (x.dtype.is_float or y.dtype.is_float):
        return extreme(x, y)
    x, y = P.select(P.not_equal(x, x), y, x), P.select(P.not_equal(y, y), x, y)
    return extreme(x, y)


@face(method=True, cls=True, mint=True, numpy=True)
def gcd(input, other):
    """The greatest common divisors of integers.

    Args:
        input (Tensor[any shape, int]): one operand.
        other (Tensor[any shape, int]): the other; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``other`` does not fit ``input``.

    Examples:
        >>> print(ops.gcd(Tensor([12, 7]), Tensor([18, 7])))
        [6 7]
    """
    return P.gcd(input, other)


@face(method=True, cls=True, numpy=True)
def lcm(input, other):
    """The least common multiples of integers.

    Args:
        input (Tensor[any shape, int]): one operand.
        other (Tensor[any shape, int]): the other; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``other`` does not fit ``input``.

    Examples:
        >>> print(ops.lcm(Tensor([4, 7]), Tensor([6, 7])))
        [12  7]
    """
    divisor = P.gcd(input, other)
    return P.abs(P.floor_divide(input, P.maximum(divisor, 1)) * other)


@face(cls=True)
def truncate_div(x, y):
    """The quotient rounded towards zero.

    Args:
        x (Tensor, number): the dividend.
        y (Tensor, number): the divisor; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``x`` is not a Tensor.
        ValueError: the shape of ``y`` does not fit ``x``.

    Examples:
        >>> print(ops.truncate_div(Tensor([7, -7]), Tensor([2, 2])))
        [ 3 -3]
    """
    if is_inexact(x) or is_inexact(y):
        return P.trunc(P.div(x, y))
    return P.floor_divide(P.sub(x, P.fmod(x, y)), y)


@face(cls=True)
def truncate_mod(x, y):
    """The remainder with the sign of ``x``.

    Args:
        x (Tensor, number): the dividend.
        y (Tensor, number): the divisor; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``x`` is not a Tensor.
        ValueError: the shape of ``y`` does not fit ``x``.

    Examples:
        >>> print(ops.truncate_mod(Tensor([7, -7]), Tensor([2, 2])))
        [ 1 -1]
    """
    return P.fmod(x, y)


@face(method=True)
def sgn(input):
    """The sign; of complex numbers, the number of absolute value 1 in the same direction.

    Args:
        input (Tensor[any shape, number or complex]): the operand.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.sgn(Tensor([-2.0, 0.0, 3.0])))
        [-1.  0.  1.]
    """
    return P.sign(input)


@face(method=True, cls=True, mint="sinc special.sinc")
def sinc(input):
    r""":math:`\sin(\pi x) / (\pi x)`, 1 at 0.

    Args:
        input (Tensor[any shape, number]): the operand.

    Returns:
        Tensor: of the same shape.

    Raises:
        AttributeError: the operand is no Tensor.

    Examples:
        >>> print(ops.sinc(Tensor([0.0])))
        [1.]
    """
    x = inexact(input) * math.pi
    zero = P.equal(x, 0)
    return P.select(zero, 1, P.sin(x) / P.select(zero, 1, x))


@face(method=True, cls=True)
def xdivy(x, y):
    """``x / y``, and 0 where ``x`` is 0.

    Args:
        x (Tensor, number): the dividend.
        y (Tensor, number): the divisor; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``x`` is not a Tensor.
        ValueError: the shape of ``y`` does not fit ``x``.

    Examples:
        >>> print(ops.xdivy(Tensor([0.0, 4.0]), Tensor([0.0, 2.0])))
        [0. 2.]
    """
    zero = P.equal(x, 0)
    return P.select(zero, 0, P.div(x, P.select(zero, 1, y)))


def is_tensor(obj):
    """Whether an object is a Tensor.

    Args:
        obj (object): anything.

    Returns:
        bool: whether it is one.

    Examples:
        >>> ops.is_tensor(Tensor([1.0])), ops.is_tensor(1.0)
        (True, False)
    """
    return isinstance(obj, (Tensor, Node))


def is_nonzero(input):
    """Whether the one element of a tensor is not zero.

    Args:
        input (Tensor): of one element.

    Returns:
        bool: whether it is.

    Raises:
        TypeError: ``input`` has a dtype that is not supported.

    Examples:
        >>> ops.is_nonzero(Tensor([2.0]))
        True
    """
    expect(input.size == 1, "input", "of one element", got=f"shape {input.shape}")
    found = P.not_equal(P.reshape(input, ()), 0)
    return P.item(found, "bool") if build.current() is not None else bool(found)


@face(method=True)
def numel(input):
    """The number of elements.

    Args:
        input (Tensor): the operand.

    Returns:
        int: the product of the sizes.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> ops.numel(ops.ones((2, 3)))
        6
    """
    expect(
        isinstance(input, (Tensor, Node)), "input", "a Tensor", TypeError, got=type(input).__name__
    )
    return input.size


@face(cls=True)
def polygamma(n, input):
    """The n-th derivative of the digamma function.

    Args:
        n (int, Tensor): which derivative.
        input (Tensor[any shape, float]): the operand.

    Returns:
        Tensor: of the shape of ``input``.

    Raises:
        ValueError: ``n`` has a wrong type.

    Examples:
        >>> print(ops.polygamma(1, Tensor([1.0])).asnumpy().round(3))
        [1.645]
    """
    n = int(n)
    expect(n >= 0, "n", "at least 0", got=n)
    if n == 0:
        return P.digamma(input)
    factor = math.gamma(n + 1) if n <= 170 else math.inf
    return P.zeta(float(n + 1), input) * (factor if n % 2 else -factor)


@face(method=True, cls="Mvlgamma(p)")
def mvlgamma(input, p):
    """The logarithm of the multivariate gamma function of dimension ``p``.

    Args:
        input (Tensor[any shape, float]): above ``(p - 1) / 2``.
        p (int): the dimension, 1 or more.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.mvlgamma(Tensor([3.0]), 1).asnumpy().round(3))
        [0.693]
    """
    expect(isinstance(p, int) and p >= 1, "p", "an int of at least 1", got=p)
    out = P.lgamma(input)
    for j in times(p, "p")[1:]:
        out = out + P.lgamma(input - j / 2)
    return out + p * (p - 1) / 4 * math.log(math.pi)


def approximate_equal(x, y, tolerance=1e-5):
    """Where two tensors differ by less than ``tolerance``.

    Args:
        x (Tensor[any shape, float]): one operand.
        y (Tensor[any shape, float]): the other.
        tolerance (float): the difference from which they count as different. Default: 1e-05.

    Returns:
        Tensor[bool]: of the same shape.

    Raises:
        TypeError: ``x`` is not a Tensor, or ``tolerance`` is no float.
        ValueError: the shape of ``y`` is not that of ``x``.

    Examples:
        >>> print(ops.approximate_equal(Tensor([1.0, 2.0]), Tensor([1.0, 3.0])))
        [ True False]
    """
    expect_tolerance(tolerance)
    shapes = [as_tensor(v).shape for v in (x, y)]
    if shapes[0] != shapes[1]:
        what = "approximate_equal: 'x1' must have the same shape as 'x2'"
        raise complain(ValueError, f"{what}, got {shapes[0]} and {shapes[1]}")
    return P.less(P.abs(P.sub(x, y)), tolerance)


@face(method=True, mint=True)
def ravel(input):
    """All elements as a vector.

    Args:
        input (Tensor): the operand.

    Returns:
        Tensor[(size,)]: of the same dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.ravel(Tensor([[1, 2], [3, 4]])))
        [1 2 3 4]
    """
    return P.reshape(input, (-1,))


def trapz(y, x=None, *, dx=1.0, dim=-1):
    """The integral along a dimension by the trapezoidal rule.

    Args:
        y (Tensor): the values.
        x (Tensor): where they are; broadcasts. Default: ``dx`` apart.
        dx (float): the distance. Default: 1.0.
        dim (int): the dimension. Default: -1.

    Returns:
        Tensor: without that dimension.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> print(ops.trapz(Tensor([1.0, 2.0, 3.0])))
        4.0
    """
    y = inexact(y)
    step = dx
    if x is not None:
        x = P.cast(x, y.dtype)
        if len(x.shape) == 1:
            x = P.reshape(
                x, tuple(-1 if i == dim % len(y.shape) else 1 for i in range(len(y.shape)))
            )
        step = _steps(P.broadcast_to(x, broadcast(x.shape, y.shape)), dim, sign=-1)
    return P.sum(_steps(y, dim, sign=1) * 0.5 * step, dim)


def _steps(x, dim, sign):
    """Sums, or differences, of neighbours along a dimension."""
    dim %= len(x.shape)
    n = x.shape[dim]
    first = P.split(x, (n - 1, 1), dim)[0]
    last = P.split(x, (1, n - 1), dim)[1]
    return last + first if sign > 0 else last - first


@face(method=True)
def diff(x, n=1, axis=-1, prepend=None, append=None):
    """Differences of neighbours along a dimension, ``n`` times.

    Args:
        x (Tensor): the operand.
        n (int): how many times. Default: 1.
        axis (int): the dimension. Default: -1.
        prepend, append (Tensor): put before or after first. Default: None.

    Returns:
        Tensor: shorter by ``n`` along the dimension.

    Raises:
        ValueError: ``x`` has a rank that does not fit.

    Examples:
        >>> print(ops.diff(Tensor([1, 4, 9])))
        [3 5]
    """
    expect(len(x.shape) > 0, "x", "of rank 1 or more")
    if n == 0:
        return x
    parts = tuple(v for v in (prepend, x, append) if v is not None)
    x = P.concat(parts, axis) if len(parts) > 1 else x
    for _ in times(n, "n"):
        x = _steps(x, axis, sign=-1)
    return x
