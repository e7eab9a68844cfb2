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
    """``x[index]``."""
    return x[index]


def tuple_setitem(x, index, value):
    """The tuple ``x`` with ``value`` at a place.

    Examples:
        >>> ops.functional.tuple_setitem((1, 2, 3), -1, 5)
        (1, 2, 5)
    """
    at = index + len(x) if index < 0 else index
    return (*x[:at], value, *x[at + 1:])


def tuple_len(x):
    """``len(x)``."""
    return len(x)


def tuple_reversed(x):
    """The elements in reverse order."""
    return x[::-1]


def tuple_equal(x, y):
    """``x == y``."""
    return x == y


def make_list(*items):
    """The list of the arguments."""
    return [*items]


def list_getitem(x, index):
    """``x[index]``."""
    return x[index]


def list_setitem(x, index, value):
    """``x`` itself, with ``value`` at a place."""
    x[index] = value
    return x


def list_len(x):
    """``len(x)``."""
    return len(x)


def list_equal(x, y):
    """``x == y``."""
    return x == y


def make_dict(keys, values):
    """The dict of these keys and values.

    Examples:
        >>> ops.functional.make_dict(("a", "b"), (1, 2))
        {'a': 1, 'b': 2}
    """
    return dict(zip(keys, values))


def dict_getitem(x, key):
    """``x[key]``."""
    return x[key]


def dict_setitem(x, key, value):
    """``x`` itself, with ``value`` at a key."""
    x[key] = value
    return x


def in_dict(key, x):
    """``key in x``."""
    return key in x


def not_in_dict(key, x):
    """``key not in x``."""
    return key not in x


def make_slice(start, stop, step):
    """``slice(start, stop, step)``."""
    return slice(start, stop, step)


def is_(x, y):
    """``x is y``."""
    return x is y


def is_not(x, y):
    """``x is not y``."""
    return x is not y


def scalar_add(x, y):
    """``x + y``."""
    return x + y


def scalar_sub(x, y):
    """``x - y``."""
    return x - y


def scalar_mul(x, y):
    """``x * y``."""
    return x * y


def scalar_div(x, y):
    """``x / y``."""
    return x / y


def scalar_floordiv(x, y):
    """``x // y``."""
    return x // y


def scalar_mod(x, y):
    """``x % y``."""
    return x % y


def scalar_pow(x, y):
    """``x ** y``."""
    return x ** y


def scalar_uadd(x):
    """``+x``."""
    return +x


def scalar_usub(x):
    """``-x``."""
    return -x


def scalar_eq(x, y):
    """``x == y``."""
    return x == y


def scalar_ne(x, y):
    """``x != y``."""
    return x != y


def scalar_lt(x, y):
    """``x < y``."""
    return x < y


def scalar_le(x, y):
    """``x <= y``."""
    return x <= y


def scalar_gt(x, y):
    """``x > y``."""
    return x > y


def scalar_ge(x, y):
    """``x >= y``."""
    return x >= y


def scalar_max(x, y):
    """The larger one."""
    return max(x, y)


def scalar_min(x, y):
    """The smaller one."""
    return min(x, y)


def bool_and(x, y):
    """``x and y``."""
    return x and y


def bool_or(x, y):
    """``x or y``."""
    return x or y


def bool_not(x):
    """``not x``."""
    return not x


def bool_eq(x, y):
    """``x == y``."""
    return x == y


def string_eq(x, y):
    """``x == y``."""
    return x == y


def string_concat(x, y):
    """``x + y``."""
    return x + y


__all__ = [name for name, value in list(globals().items()) if callable(value)]
