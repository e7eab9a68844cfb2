"""Python's operators and containers under MindSpore's names, as `ops.functional` has them.

Compiled code reads these functions like those of a user; eagerly they are plain Python.
"""

from __future__ import annotations

from ..base import dtype as dt
from ..base.errors import complain


def make_tuple(*items):
    """The tuple of the arguments.

    Args:
        items (object): the elements.

    Returns:
        tuple: of them.

    Examples:
        >>> ops.make_tuple(1, 2)
        (1, 2)
    """
    return items


def tuple_getitem(x, index):
    """``x[index]``.

    Args:
        x (tuple): the tuple.
        index (int, slice): the place.

    Returns:
        object: the element.

    Raises:
        TypeError: ``x`` has a type for which it is not defined.

    Examples:
        >>> ops.functional.tuple_getitem((4, 5), 1)
        5
    """
    return x[index]


def tuple_setitem(x, index, value):
    """The tuple ``x`` with ``value`` at a place.

    Args:
        x (tuple): the tuple.
        index (int): the place.
        value (object): the new element.

    Returns:
        tuple: as long as ``x``.

    Raises:
        TypeError: ``x`` has a type for which it is not defined.

    Examples:
        >>> ops.functional.tuple_setitem((1, 2, 3), -1, 5)
        (1, 2, 5)
    """
    at = index + len(x) if index < 0 else index
    return (*x[:at], value, *x[at + 1 :])


def tuple_len(x):
    """``len(x)``.

    Args:
        x (tuple): the tuple.

    Returns:
        int: the number of elements.

    Raises:
        TypeError: ``x`` has a type for which it is not defined.

    Examples:
        >>> ops.functional.tuple_len((4, 5))
        2
    """
    return len(x)


def tuple_reversed(x):
    """The elements in reverse order.

    Args:
        x (tuple): the tuple.

    Returns:
        tuple: as long.

    Raises:
        TypeError: ``x`` has a type for which it is not defined.

    Examples:
        >>> ops.functional.tuple_reversed((4, 5))
        (5, 4)
    """
    return x[::-1]


def tuple_equal(x, y):
    """``x == y``.

    Args:
        x (tuple): one tuple.
        y (tuple): the other.

    Returns:
        bool: whether they are equal.

    Examples:
        >>> ops.functional.tuple_equal((1, 2), (1, 2))
        True
    """
    return x == y


def make_list(*items):
    """The list of the arguments.

    Args:
        items (object): the elements.

    Returns:
        list: of them.

    Examples:
        >>> ops.functional.make_list(1, 2)
        [1, 2]
    """
    return [*items]


def list_getitem(x, index):
    """``x[index]``.

    Args:
        x (list): the list.
        index (int, slice): the place.

    Returns:
        object: the element.

    Raises:
        TypeError: ``x`` has a type for which it is not defined.

    Examples:
        >>> ops.functional.list_getitem([4, 5], 1)
        5
    """
    return x[index]


def list_setitem(x, index, value):
    """``x`` itself, with ``value`` at a place.

    Args:
        x (list): the list.
        index (int): the place.
        value (object): the new element.

    Returns:
        list: as long as ``x``.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> ops.functional.list_setitem([4, 5], 1, 6)
        [4, 6]
    """
    x[index] = value
    return x


def list_len(x):
    """``len(x)``.

    Args:
        x (list): the list.

    Returns:
        int: the number of elements.

    Raises:
        TypeError: ``x`` has a type for which it is not defined.

    Examples:
        >>> ops.functional.list_len([4, 5])
        2
    """
    return len(x)


def list_equal(x, y):
    """``x == y``.

    Args:
        x (list): one list.
        y (list): the other.

    Returns:
        bool: whether they are equal.

    Examples:
        >>> ops.functional.list_equal([1], [2])
        False
    """
    return x == y


def make_dict(keys, values):
    """The dict of these keys and values.

    Args:
        keys (tuple): the keys.
        values (tuple): as many values.

    Returns:
        dict: of both.

    Raises:
        TypeError: ``keys`` has a type for which it is not defined.

    Examples:
        >>> ops.functional.make_dict(("a", "b"), (1, 2))
        {'a': 1, 'b': 2}
    """
    return dict(zip(keys, values))


def dict_getitem(x, key):
    """``x[key]``.

    Args:
        x (dict): the dict.
        key (object): the key.

    Returns:
        object: the value.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> ops.functional.dict_getitem({"a": 1}, "a")
        1
    """
    return x[key]


def dict_setitem(x, key, value):
    """``x`` itself, with ``value`` at a key.

    Args:
        x (dict): the dict.
        key (object): the key.
        value (object): the value.

    Returns:
        dict: the changed dict.

    Raises:
        TypeError: ``x`` has a wrong type.

    Examples:
        >>> ops.functional.dict_setitem({"a": 1}, "b", 2)
        {'a': 1, 'b': 2}
    """
    x[key] = value
    return x


def in_dict(key, x):
    """``key in x``.

    Args:
        key (object): the key.
        x (dict): the dict.

    Returns:
        bool: whether it holds.

    Raises:
        TypeError: ``x`` has a type for which it is not defined.

    Examples:
        >>> ops.functional.in_dict("a", {"a": 1})
        True
    """
    return key in x


def not_in_dict(key, x):
    """``key not in x``.

    Args:
        key (object): the key.
        x (dict): the dict.

    Returns:
        bool: whether it holds.

    Raises:
        TypeError: ``x`` has a type for which it is not defined.

    Examples:
        >>> ops.functional.not_in_dict("a", {"a": 1})
        False
    """
    return key not in x


def make_slice(start, stop, step):
    """``slice(start, stop, step)``.

    Args:
        start (int): the first place, or None.
        stop (int): the end, or None.
        step (int): the distance, or None.

    Returns:
        slice: of these.

    Examples:
        >>> ops.functional.make_slice(0, 4, 2)
        slice(0, 4, 2)
    """
    return slice(start, stop, step)


def is_(x, y):
    """``x is y``.

    Args:
        x (object): one object.
        y (object): the other.

    Returns:
        bool: whether it holds.

    Examples:
        >>> ops.functional.is_(None, None)
        True
    """
    return x is y


def is_not(x, y):
    """``x is not y``.

    Args:
        x (object): one object.
        y (object): the other.

    Returns:
        bool: whether it holds.

    Examples:
        >>> ops.functional.is_not(None, None)
        False
    """
    return x is not y


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

    Examples:
        >>> ops.functional.scalar_floordiv(7, 2)
        3
    """
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


__all__ = [name for name, value in list(globals().items()) if callable(value)]
