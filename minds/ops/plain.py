"""Python's containers under MindSpore's names, as `ops.functional` has them.

Compiled code reads these functions like those of a user; eagerly they are plain Python.
"""

from __future__ import annotations


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
