"""Checks of constructor arguments that many layers share. Each raises an error that names the cell
and the argument.
"""

from __future__ import annotations

import math
import numbers

from ...base.errors import complain


def is_int(v) -> bool:
    return isinstance(v, numbers.Integral) and not isinstance(v, bool)


def positive_int(cell: str, name: str, v) -> int:
    """``v``, which must be an int above 0."""
    return int_at_least(cell, name, v, 1)


def int_at_least(cell: str, name: str, v, low: int) -> int:
    """``v``, which must be an int and at least ``low``."""
    if not is_int(v):
        raise complain(TypeError, f"{cell}: {name} has type {type(v).__name__}", expected="an int")
    if v < low:
        raise complain(ValueError, f"{cell}: {name} is {v}", expected=f"an int >= {low}")
    return int(v)


def boolean(cell: str, name: str, v) -> bool:
    """``v``, which must be a bool."""
    if not isinstance(v, bool):
        raise complain(TypeError, f"{cell}: {name} has type {type(v).__name__}", expected="a bool")
    return v


def one_of(cell: str, name: str, v, choices):
    """``v``, which must be one of ``choices``."""
    if v not in choices:
        raise complain(
            ValueError,
            f"{cell}: {name} is {v!r}",
            expected=f"one of {', '.join(map(repr, choices))}",
        )
    return v


def word_of(cell: str, name: str, v, choices, any_case: bool = False) -> str:
    """``v``, which must be a str and one of ``choices``; in any case of letters if so."""
    if not isinstance(v, str):
        raise complain(TypeError, f"{cell}: {name} is {v!r}", expected="a str")
    return one_of(cell, name, v.lower() if any_case else v, choices)


def number_in(cell: str, name: str, v, low: float, high: float, closed: str = "[]"):
    """``v``, which must be a number between ``low`` and ``high``; ``closed`` tells which ends
    belong to it.
    """
    if isinstance(v, bool) or not isinstance(v, numbers.Real):
        raise complain(
            TypeError, f"{cell}: {name} has type {type(v).__name__}", expected="a number"
        )
    above = v >= low if closed[0] == "[" else v > low
    below = v <= high if closed[1] == "]" else v < high
    if not (above and below):
        raise complain(
            ValueError, f"{cell}: {name} is {v}", expected=f"in {closed[0]}{low}, {high}{closed[1]}"
        )
    return v


def any_number(cell: str, name: str, v):
    """``v``, which must be a number."""
    return number_in(cell, name, v, -math.inf, math.inf)


def ints_of(cell: str, name: str, v):
    """``v``, which must be an int or ints in a tuple or list."""
    if not all(map(is_int, v if isinstance(v, (tuple, list)) else (v,))):
        raise complain(TypeError, f"{cell}: {name} is {v!r}", expected="an int or a tuple of ints")
    return v


def float_in(cell: str, name: str, v, low: float, high: float, closed: str = "[]") -> float:
    """``v``, which must be a float (not an int) between ``low`` and ``high``, as `number_in`."""
    if not isinstance(v, float):
        raise complain(TypeError, f"{cell}: {name} has type {type(v).__name__}", expected="a float")
    return number_in(cell, name, v, low, high, closed)


def ints(cell: str, name: str, v, count: int, low: int = 1) -> tuple[int, ...]:
    """``v`` as a tuple of ``count`` ints of at least ``low``; a single int stands for all."""
    if is_int(v):
        v = (v,) * count
    if not isinstance(v, (tuple, list)):
        raise complain(
            TypeError,
            f"{cell}: {name} has type {type(v).__name__}",
            expected="an int or a tuple of ints",
        )
    if len(v) != count:
        raise complain(ValueError, f"{cell}: {name} has {len(v)} elements", expected=f"{count}")
    return tuple(int_at_least(cell, name, e, low) for e in v)


def refuse_rank(cell: str, x, ranks: tuple[int, ...]):
    """Refuse an input whose number of dimensions is none of ``ranks``."""
    wanted = " or ".join(str(r) for r in ranks)
    raise ValueError(f"{cell}: the input has {x.ndim} dimensions; expected {wanted}")


def tensor_of(cell: str, name: str, x, dtypes: tuple):
    """Refuse an input whose dtype is none of ``dtypes``."""
    if x.dtype not in dtypes:
        raise TypeError(f"{cell}: {name} is {x.dtype}; expected {' or '.join(map(str, dtypes))}")


__all__ = [
    "boolean",
    "float_in",
    "int_at_least",
    "ints",
    "is_int",
    "number_in",
    "one_of",
    "positive_int",
    "refuse_rank",
    "tensor_of",
]
