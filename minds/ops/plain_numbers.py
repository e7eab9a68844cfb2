"""Python's operators on numbers, bools and strings under MindSpore's names, as `ops.functional` has them.

Compiled code reads these functions like those of a user; eagerly they are plain Python.
"""

from __future__ import annotations

import inspect

from ..base import dtype as dt
from ..base.errors import complain

_WRONG = "TypeError: ``x`` has a wrong type."


def _of(kind: str, what: str, example: str, gives: str = "", raises: str = ""):
    """A decorator: the docstring of an operator on operands of a kind.

    Args:
        what: what it computes. example: arguments and what they give.
        gives: the type of the result and what it is, where that is not of the kind of the operands.
        raises: the section of errors.
    """

    def documented(fn):
        names = list(inspect.signature(fn).parameters)
        roles = ("the left operand", "the right operand") if len(names) == 2 else ("the operand",)
        lines = [f"``{what}``.", ""]
        lines += ["Args:", *[f"    {n} ({kind}): {role}." for n, role in zip(names, roles)], ""]
        lines += ["Returns:", f"    {gives or kind + ': the result'}.", ""]
        lines += ["Raises:", *[f"    {e}" for e in raises.split("\n")], ""] if raises else []
        call, result = example.split(" -> ")
        lines += ["Examples:", f"    >>> ops.functional.{fn.__name__}({call})", f"    {result}"]
        fn.__doc__ = "\n    ".join(lines) + "\n    "
        return fn

    return documented


@_of("number", "x + y", "7, 2 -> 9", raises=_WRONG)
def scalar_add(x, y):
    return x + y


@_of("number", "x - y", "7, 2 -> 5", raises=_WRONG)
def scalar_sub(x, y):
    return x - y


@_of("number", "x * y", "7, 2 -> 14", raises=_WRONG)
def scalar_mul(x, y):
    return x * y


@_of("number", "x / y", "7, 2 -> 3.5", raises=_WRONG)
def scalar_div(x, y):
    return x / y


@_of("number", "x // y", "7, 2 -> 3", raises=f"{_WRONG}\nValueError: ``y`` is 0.")
def scalar_floordiv(x, y):
    if y == 0:
        raise complain(ValueError, "scalar_floordiv: y is 0")
    return x // y


@_of("number", "x % y", "7, 2 -> 1", raises=_WRONG)
def scalar_mod(x, y):
    return x % y


@_of("number", "x**y", "7, 2 -> 49", raises=_WRONG)
def scalar_pow(x, y):
    return x**y


@_of("number", "+x", "2 -> 2", raises=_WRONG)
def scalar_uadd(x):
    return +x


@_of("number", "-x", "2 -> -2", raises=_WRONG)
def scalar_usub(x):
    return -x


@_of("number", "x == y", "7, 2 -> False", "bool: whether it holds")
def scalar_eq(x, y):
    return x == y


@_of("number", "x != y", "7, 2 -> True", "bool: whether it holds")
def scalar_ne(x, y):
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


@_of("number", "x < y", "7, 2 -> False", "bool: whether it holds", _WRONG)
def scalar_lt(x, y):
    return x < y


@_of("number", "x <= y", "7, 2 -> False", "bool: whether it holds", _WRONG)
def scalar_le(x, y):
    return x <= y


@_of("number", "x > y", "7, 2 -> True", "bool: whether it holds", _WRONG)
def scalar_gt(x, y):
    return x > y


@_of("number", "x >= y", "7, 2 -> True", "bool: whether it holds", _WRONG)
def scalar_ge(x, y):
    return x >= y


@_of("number", "max(x, y)", "7, 2 -> 7", raises=_WRONG)
def scalar_max(x, y):
    return max(x, y)


@_of("number", "min(x, y)", "7, 2 -> 2", raises=_WRONG)
def scalar_min(x, y):
    return min(x, y)


@_of("bool", "x and y", "True, False -> False")
def bool_and(x, y):
    return bool(x and y)


@_of("bool", "x or y", "True, False -> True")
def bool_or(x, y):
    return bool(x or y)


@_of("bool", "not x", "True -> False")
def bool_not(x):
    return not x


@_of("bool", "x == y", "True, False -> False")
def bool_eq(x, y):
    return x == y


@_of("str", "x == y", "'a', 'b' -> False", "bool: whether they are equal")
def string_eq(x, y):
    return x == y


@_of(
    "str",
    "x + y",
    "'a', 'b' -> 'ab'",
    raises="TypeError: ``x`` has a type for which it is not defined.",
)
def string_concat(x, y):
    return x + y
