"""Elementwise functions and comparisons of `minds.numpy`: ops under NumPy's names, on anything that
makes a tensor.
"""

from __future__ import annotations

import inspect
import math

from ..base import dtype as dt
from ..ops import docs, functional
from ..ops.define import Op, P
from ..ops.faces import offered
from ..ops.functional import WITHIN as F
from .create import array_of, to_float


def _out(x, dtype):
    return x if dtype is None else P.cast(x, dt.of(dtype))


def _one(fn, floating: bool):
    def function(x, dtype=None):
        x = array_of(x)
        return _out(fn(to_float(x) if floating else x), dtype)

    return function


def _one_a(fn, floating: bool):
    def function(a, dtype=None):
        return _out(fn(array_of(a)), dtype)

    return function


def _one_input(fn, floating: bool):
    def function(input, dtype=None):
        return _out(fn(to_float(array_of(input))), dtype)

    return function


_OPERAND = {"logical_not": "a", "negative": "a", "positive": "a", "arccos": "input"}
"""The names of single operands that MindSpore does not call ``x``."""
_ONE = {"x": _one, "a": _one_a, "input": _one_input}


def _two(fn, floating: bool):
    def function(x1, x2, dtype=None):
        x1, x2 = array_of(x1, weak=True), array_of(x2, weak=True)
        if not hasattr(x1, "dtype") and not hasattr(x2, "dtype"):
            x1, x2 = array_of(x1), array_of(x2)
        if floating:
            x1, x2 = to_float(x1), to_float(x2)
        return _out(fn(x1, x2), dtype)

    return function


def _derived(name: str, found):
    """The function of an op of one or two operands."""
    op = found.target
    if isinstance(op, Op):
        count, floating = len(op.tensor_at), op.floating
    else:
        every = inspect.signature(op).parameters.values()
        count, floating = sum(p.default is p.empty for p in every), False
    operand = _OPERAND.get(name, "x")
    make, names = (_ONE[operand], [operand]) if count == 1 else (_two, ["x1", "x2"])
    function = make(op, floating or found.given == "float")
    function.__name__ = function.__qualname__ = name
    text = docs.adapted(op.__doc__, [*names, "dtype"], functional.parameters_of(op))
    own = op.name if isinstance(op, Op) else op.__name__.rstrip("_")
    function.__doc__ = text.replace(f"ops.{own}(", f"ms.numpy.{name}(")
    return function


NAMES = {name: _derived(name, found) for name, found in offered("numpy").items()}


def cbrt(x, dtype=None):
    """The cube root.

    Args:
        x (Tensor | number): the operand.
        dtype (dtype): the element type of the result. Default: None, float32 of ints.

    Returns:
        Tensor: elementwise.

    Raises:
        TypeError: ``x`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.cbrt([8.0, -27.0]).asnumpy().round(4))
        [ 2. -3.]
    """
    x = to_float(array_of(x))
    return _out(P.sign(x) * P.pow(P.abs(x), 1 / 3), dtype)


def reciprocal(x, dtype=None):
    """:math:`1 / x`; of integers its whole part, as in NumPy.

    Args:
        x (Tensor | number): the operand.
        dtype (dtype): the element type of the result. Default: None, that of ``x``.

    Returns:
        Tensor: elementwise.

    Raises:
        TypeError: ``x`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.reciprocal([2.0, 4.0]), ms.numpy.reciprocal([1, 2]))
        [0.5  0.25] [1 0]
    """
    x = array_of(x)
    found = P.reciprocal(x)
    return _out(found, x.dtype if dtype is None and x.dtype.is_int else dtype)


def float_power(x1, x2, dtype=None):
    """A power, computed in float32 where no operand is wider.

    Args:
        x1 (Tensor | number): the base.
        x2 (Tensor | number): the exponent.
        dtype (dtype): the element type of the result. Default: None.

    Returns:
        Tensor[float]: of the broadcast shape.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.float_power([2, 3], 2))
        [4. 9.]
    """
    return _out(P.pow(to_float(array_of(x1)), to_float(array_of(x2))), dtype)


def divmod_(x1, x2, dtype=None):
    """Floored quotient and remainder.

    Args:
        x1 (Tensor | number): the dividend.
        x2 (Tensor | number): the divisor.
        dtype (dtype): the element type of the results. Default: None.

    Returns:
        tuple[Tensor, Tensor]: floored quotient and remainder, of the broadcast shape.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> quotient, rest = ms.numpy.divmod(ms.numpy.array([5, -5]), 3)
        >>> print(quotient, rest)
        [ 1 -2] [2 1]
    """
    return NAMES["floor_divide"](x1, x2, dtype), NAMES["remainder"](x1, x2, dtype)


def clip(x, xmin, xmax, dtype=None):
    """Elements limited to [``xmin``, ``xmax``]."""
    x = array_of(x)
    low, high = (None if v is None else array_of(v, weak=True) for v in (xmin, xmax))
    x = x if low is None else P.maximum(x, low)
    return _out(x if high is None else P.minimum(x, high), dtype)


def around(a, decimals=0):
    """Rounded to ``decimals`` places.

    Args:
        a (Tensor | number): the operand.
        decimals (int): how many places. Default: 0.

    Returns:
        Tensor: elementwise, halves to even; float32 of ints.

    Raises:
        TypeError: ``a`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.around([0.5, 1.5, 2.25], 1))
        [0.5 1.5 2.2]
    """
    return F.round(to_float(array_of(a)), decimals=decimals)


def round_(a, decimals=0):
    """Rounded to ``decimals`` places, as `around` does.

    Args:
        a (Tensor | number): the operand.
        decimals (int): how many places. Default: 0.

    Returns:
        Tensor: elementwise, halves to even; float32 of ints.

    Raises:
        TypeError: ``a`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.round([1.26, -0.5], 1))
        [ 1.3 -0.5]
    """
    return around(a, decimals)


def where(condition, x=None, y=None):
    """``x`` where ``condition`` holds, else ``y``; the positions where it holds without these."""
    condition = array_of(condition)
    return (
        F.nonzero(condition, as_tuple=True)
        if x is None
        else F.where(condition, array_of(x, weak=True), array_of(y, weak=True))
    )


def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Where elements are close."""
    return F.isclose(array_of(a), array_of(b), rtol, atol, equal_nan)


def array_equal(a1, a2, equal_nan=False):
    """Whether shapes and elements are equal.

    Args:
        a1 (Tensor | number): the first.
        a2 (Tensor | number): the second.
        equal_nan (bool): whether nan is equal to nan. Default: False.

    Returns:
        Tensor[(), bool]: whether.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.array_equal([1, 2], [1, 2]))
        True
    """
    a, b = array_of(a1), array_of(a2)
    if a.shape != b.shape:
        return P.full((), False, dt.bool_)
    same = P.equal(a, b)
    if equal_nan:
        same = P.logical_or(same, P.logical_and(P.not_equal(a, a), P.not_equal(b, b)))
    return P.all(same)


def array_equiv(a1, a2):
    """Whether elements are equal after broadcasting.

    Args:
        a1 (Tensor | number): the first.
        a2 (Tensor | number): the second.

    Returns:
        Tensor[(), bool]: whether.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.array_equiv([1, 1], 1))
        True
    """
    a, b = array_of(a1), array_of(a2)
    shapes = zip(a.shape[::-1], b.shape[::-1], strict=False)
    fit = all(m == n or 1 in (m, n) for m, n in shapes)
    return P.all(P.equal(a, b)) if fit else P.full((), False, dt.bool_)


def unwrap(p, discont=math.pi, axis=-1):
    """Angles without jumps larger than ``discont``.

    Args:
        p (Tensor | number): the angles.
        discont (float): the largest jump that is left; at least π. Default: π.
        axis (int): along which they follow one another. Default: -1.

    Returns:
        Tensor: of the same shape, float.

    Raises:
        TypeError: ``p`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.unwrap([0.0, 6.2]).asnumpy().round(3))
        [ 0.    -0.083]
    """
    p = to_float(array_of(p))
    d = F.diff(p, axis=axis)
    jump = P.mod(d + math.pi, 2 * math.pi) - math.pi
    jump = P.select(P.logical_and(P.equal(jump, -math.pi), P.greater(d, 0)), math.pi, jump)
    correct = P.select(P.less(P.abs(d), discont), 0, jump - d)
    pads = tuple((1, 0) if i == axis % len(p.shape) else (0, 0) for i in range(len(p.shape)))
    return p + P.cumsum(P.pad(correct, pads, 0), axis)
