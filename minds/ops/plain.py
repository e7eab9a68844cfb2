"""Python's operators and containers under MindSpore's names, as `ops.functional` has them.

Compiled code reads these functions like those of a user; eagerly they are plain Python.
"""

from __future__ import annotations


def make_tuple(*items):
    """The tuple of the arguments.

    Examples:
        >>> ops.make_tuple(1, 2)
        (1, 2)
    """
    return items


def tuple_getitem(x, index):
    """``x[index]``.

    Examples:
        >>> ops.functional.tuple_getitem((4, 5), 1)
        5
    """
    return x[index]


def tuple_setitem(x, index, value):
    """The tuple ``x`` with ``value`` at a place.

    Examples:
        >>> ops.functional.tuple_setitem((1, 2, 3), -1, 5)
        (1, 2, 5)
    """
    at = index + len(x) if index < 0 else index
    return (*x[:at], value, *x[at + 1 :])


def tuple_len(x):
    """``len(x)``.

    Examples:
        >>> ops.functional.tuple_len((4, 5))
        2
    """
    return len(x)


def tuple_reversed(x):
    """The elements in reverse order.

    Examples:
        >>> ops.functional.tuple_reversed((4, 5))
        (5, 4)
    """
    return x[::-1]


def tuple_equal(x, y):
    """``x == y``.

    Examples:
        >>> ops.functional.tuple_equal((1, 2), (1, 2))
        True
    """
    return x == y


def make_list(*items):
    """The list of the arguments.

    Examples:
        >>> ops.functional.make_list(1, 2)
        [1, 2]
    """
    return [*items]


def list_getitem(x, index):
    """``x[index]``.

    Examples:
        >>> ops.functional.list_getitem([4, 5], 1)
        5
    """
    return x[index]


def list_setitem(x, index, value):
    """``x`` itself, with ``value`` at a place.

    Examples:
        >>> ops.functional.list_setitem([4, 5], 1, 6)
        [4, 6]
    """
    x[index] = value
    return x


def list_len(x):
    """``len(x)``.

    Examples:
        >>> ops.functional.list_len([4, 5])
        2
    """
    return len(x)


def list_equal(x, y):
    """``x == y``.

    Examples:
        >>> ops.functional.list_equal([1], [2])
        False
    """
    return x == y


def make_dict(keys, values):
    """The dict of these keys and values.

    Examples:
        >>> ops.functional.make_dict(("a", "b"), (1, 2))
        {'a': 1, 'b': 2}
    """
    return dict(zip(keys, values))


def dict_getitem(x, key):
    """``x[key]``.

    Examples:
        >>> ops.functional.dict_getitem({"a": 1}, "a")
        1
    """
    return x[key]


def dict_setitem(x, key, value):
    """``x`` itself, with ``value`` at a key.

    Examples:
        >>> ops.functional.dict_setitem({"a": 1}, "b", 2)
        {'a': 1, 'b': 2}
    """
    x[key] = value
    return x


def in_dict(key, x):
    """``key in x``.

    Examples:
        >>> ops.functional.in_dict("a", {"a": 1})
        True
    """
    return key in x


def not_in_dict(key, x):
    """``key not in x``.

    Examples:
        >>> ops.functional.not_in_dict("a", {"a": 1})
        False
    """
    return key not in x


def make_slice(start, stop, step):
    """``slice(start, stop, step)``.

    Examples:
        >>> ops.functional.make_slice(0, 4, 2)
        slice(0, 4, 2)
    """
    return slice(start, stop, step)


def is_(x, y):
    """``x is y``.

    Examples:
        >>> ops.functional.is_(None, None)
        True
    """
    return x is y


def is_not(x, y):
    """``x is not y``.

    Examples:
        >>> ops.functional.is_not(None, None)
        False
    """
    return x is not y


def scalar_add(x, y):
    """``x + y``.

    Examples:
        >>> ops.functional.scalar_add(7, 2)
        9
    """
    return x + y


def scalar_sub(x, y):
    """``x - y``.

    Examples:
        >>> ops.functional.scalar_sub(7, 2)
        5
    """
    return x - y


def scalar_mul(x, y):
    """``x * y``.

    Examples:
        >>> ops.functional.scalar_mul(7, 2)
        14
    """
    return x * y


def scalar_div(x, y):
    """``x / y``.

    Examples:
        >>> ops.functional.scalar_div(7, 2)
        3.5
    """
    return x / y


def scalar_floordiv(x, y):
    """``x // y``.

    Examples:
        >>> ops.functional.scalar_floordiv(7, 2)
        3
    """
    return x // y


def scalar_mod(x, y):
    """``x % y``.

    Examples:
        >>> ops.functional.scalar_mod(7, 2)
        1
    """
    return x % y


def scalar_pow(x, y):
    """``x ** y``.

    Examples:
        >>> ops.functional.scalar_pow(2, 3)
        8
    """
    return x**y


def scalar_uadd(x):
    """``+x``.

    Examples:
        >>> ops.functional.scalar_uadd(2)
        2
    """
    return +x


def scalar_usub(x):
    """``-x``.

    Examples:
        >>> ops.functional.scalar_usub(2)
        -2
    """
    return -x


def scalar_eq(x, y):
    """``x == y``.

    Examples:
        >>> ops.functional.scalar_eq(7, 2)
        False
    """
    return x == y


def scalar_ne(x, y):
    """``x != y``.

    Examples:
        >>> ops.functional.scalar_ne(7, 2)
        True
    """
    return x != y


def scalar_lt(x, y):
    """``x < y``.

    Examples:
        >>> ops.functional.scalar_lt(7, 2)
        False
    """
    return x < y


def scalar_le(x, y):
    """``x <= y``.

    Examples:
        >>> ops.functional.scalar_le(7, 2)
        False
    """
    return x <= y


def scalar_gt(x, y):
    """``x > y``.

    Examples:
        >>> ops.functional.scalar_gt(7, 2)
        True
    """
    return x > y


def scalar_ge(x, y):
    """``x >= y``.

    Examples:
        >>> ops.functional.scalar_ge(7, 2)
        True
    """
    return x >= y


def scalar_max(x, y):
    """The larger one.

    Examples:
        >>> ops.functional.scalar_max(7, 2)
        7
    """
    return max(x, y)


def scalar_min(x, y):
    """The smaller one.

    Examples:
        >>> ops.functional.scalar_min(7, 2)
        2
    """
    return min(x, y)


def bool_and(x, y):
    """``x and y``.

    Examples:
        >>> ops.functional.bool_and(True, False)
        False
    """
    return x and y


def bool_or(x, y):
    """``x or y``.

    Examples:
        >>> ops.functional.bool_or(True, False)
        True
    """
    return x or y


def bool_not(x):
    """``not x``.

    Examples:
        >>> ops.functional.bool_not(True)
        False
    """
    return not x


def bool_eq(x, y):
    """``x == y``.

    Examples:
        >>> ops.functional.bool_eq(True, False)
        False
    """
    return x == y


def string_eq(x, y):
    """``x == y``.

    Examples:
        >>> ops.functional.string_eq("a", "b")
        False
    """
    return x == y


def string_concat(x, y):
    """``x + y``.

    Examples:
        >>> ops.functional.string_concat("a", "b")
        'ab'
    """
    return x + y


__all__ = [name for name, value in list(globals().items()) if callable(value)]
