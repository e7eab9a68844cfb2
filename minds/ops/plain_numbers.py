"""Python's operators on numbers, bools and strings under MindSpore's names, as `ops.functional` has them.

Compiled code reads these functions like those of a user; eagerly they are plain Python.
"""

from __future__ import annotations

from ..base import dtype as dt
from ..base.errors import complain


def scalar_add(x, y):
    """``x + y``.

    Args:
        x (number): the left operand.
        y (number): the right operand.

    Returns:
        number: the result.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> ops.functional.scalar_add(7, 2)
        9
    """
    return x + y


def scalar_sub(x, y):
    """``x - y``.

    Args:
        x (number): the left operand.
        y (number): the right operand.

    Returns:
        number: the result.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> ops.functional.scalar_sub(7, 2)
        5
    """
    return x - y


def scalar_mul(x, y):
    """``x * y``.

    Args:
        x (number): the left operand.
        y (number): the right operand.

    Returns:
        number: the result.

    Raises:
        TypeError: ``x`` has a type for which it is not defined.

    Examples:
        >>> ops.functional.scalar_mul(7, 2)
        14
    """
    return x * y


def scalar_div(x, y):
    """``x / y``.

    Args:
        x (number): the left operand.
        y (number): the right operand.

    Returns:
        number: the result.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> ops.functional.scalar_div(7, 2)
        3.5
    """
    return x / y


def scalar_floordiv(x, y):
    """``x // y``.

    Args:
        x (number): the left operand.
        y (number): the right operand.

    Returns:
        number: the result.

    Raises:
        TypeError: ``x`` has a wrong type.
        ValueError: ``y`` is 0.

    Examples:
        >>> ops.functional.scalar_floordiv(7, 2)
        3
    """
    if y == 0:
        raise complain(ValueError, "scalar_floordiv: y is 0")
    return x // y


def scalar_mod(x, y):
    """``x % y``.

    Args:
        x (number): the left operand.
        y (number): the right operand.

    Returns:
        number: the result.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> ops.functional.scalar_mod(7, 2)
        1
    """
    return x % y


def scalar_pow(x, y):
    """``x ** y``.

    Args:
        x (number): the left operand.
        y (number): the right operand.

    Returns:
        number: the result.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> ops.functional.scalar_pow(2, 3)
        8
    """
    return x**y


def scalar_uadd(x):
    """``+x``.

    Args:
        x (number): the operand.

    Returns:
        number: the result.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> ops.functional.scalar_uadd(2)
        2
    """
    return +x


def scalar_usub(x):
    """``-x``.

    Args:
        x (number): the operand.

    Returns:
        number: the result.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> ops.functional.scalar_usub(2)
        -2
    """
    return -x


def scalar_eq(x, y):
    """``x == y``.

    Args:
        x (number): the left operand.
        y (number): the right operand.

    Returns:
        bool: whether it holds.

    Examples:
        >>> ops.functional.scalar_eq(7, 2)
        False
    """
    return x == y


def scalar_ne(x, y):
    """``x != y``.

    Args:
        x (number): the left operand.
        y (number): the right operand.

    Returns:
        bool: whether it holds.

    Examples:
        >>> ops.functional.scalar_ne(7, 2)
        True
    """
    return x != y


def scalar_cast(input_x, input_y):
    """A number as one of another kind.

    Args:
        input_x (number): the number.
        input_y (dtype): ``int64``, ``float64`` or ``bool_``.

    Returns:
        number: it as an int, a float or a bool.

    Raises:
        ValueError: another dtype.

    Examples:
        >>> ops.functional.scalar_cast(8.5, ms.int64)
        8
    """
    if input_y == dt.int64:
        return int(input_x)
    if input_y == dt.float64:
        return float(input_x)
    if input_y == dt.bool_:
        return bool(input_x)
    raise complain(
        ValueError, f"scalar_cast: input_y is {input_y}", expected="int64, float64 or bool_"
    )


def scalar_lt(x, y):
    """``x < y``.

    Args:
        x (number): the left operand.
        y (number): the right operand.

    Returns:
        bool: whether it holds.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> ops.functional.scalar_lt(7, 2)
        False
    """
    return x < y


def scalar_le(x, y):
    """``x <= y``.

    Args:
        x (number): the left operand.
        y (number): the right operand.

    Returns:
        bool: whether it holds.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> ops.functional.scalar_le(7, 2)
        False
    """
    return x <= y


def scalar_gt(x, y):
    """``x > y``.

    Args:
        x (number): the left operand.
        y (number): the right operand.

    Returns:
        bool: whether it holds.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> ops.functional.scalar_gt(7, 2)
        True
    """
    return x > y


def scalar_ge(x, y):
    """``x >= y``.

    Args:
        x (number): the left operand.
        y (number): the right operand.

    Returns:
        bool: whether it holds.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> ops.functional.scalar_ge(7, 2)
        True
    """
    return x >= y


def scalar_max(x, y):
    """The larger one.

    Args:
        x (number): the left operand.
        y (number): the right operand.

    Returns:
        number: the result.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> ops.functional.scalar_max(7, 2)
        7
    """
    return max(x, y)


def scalar_min(x, y):
    """The smaller one.

    Args:
        x (number): the left operand.
        y (number): the right operand.

    Returns:
        number: the result.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> ops.functional.scalar_min(7, 2)
        2
    """
    return min(x, y)


def bool_and(x, y):
    """``x and y``.

    Args:
        x (bool): the left operand.
        y (bool): the right operand.

    Returns:
        bool: the result.

    Examples:
        >>> ops.functional.bool_and(True, False)
        False
    """
    return x and y


def bool_or(x, y):
    """``x or y``.

    Args:
        x (bool): the left operand.
        y (bool): the right operand.

    Returns:
        bool: the result.

    Examples:
        >>> ops.functional.bool_or(True, False)
        True
    """
    return x or y


def bool_not(x):
    """``not x``.

    Args:
        x (bool): the operand.

    Returns:
        bool: the result.

    Examples:
        >>> ops.functional.bool_not(True)
        False
    """
    return not x


def bool_eq(x, y):
    """``x == y``.

    Args:
        x (bool): the left operand.
        y (bool): the right operand.

    Returns:
        bool: the result.

    Examples:
        >>> ops.functional.bool_eq(True, False)
        False
    """
    return x == y


def string_eq(x, y):
    """``x == y``.

    Args:
        x (str): one text.
        y (str): the other.

    Returns:
        bool: whether they are equal.

    Examples:
        >>> ops.functional.string_eq("a", "b")
        False
    """
    return x == y


def string_concat(x, y):
    """``x + y``.

    Args:
        x (str): one text.
        y (str): the other.

    Returns:
        str: both.

    Raises:
        TypeError: ``x`` has a type for which it is not defined.

    Examples:
        >>> ops.functional.string_concat("a", "b")
        'ab'
    """
    return x + y
