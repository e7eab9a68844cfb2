"""What the arguments of this package are held against."""

from __future__ import annotations

from ...base.errors import complain


def typed(name: str, value, kinds, optional: bool = False):
    """``value``, which has one of ``kinds``; a bool is no int.

    Raises:
        TypeError: it has another type.
    """
    if optional and value is None:
        return value
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, kinds) or isinstance(value, bool) and bool not in kinds:
        wanted = kinds[0] if len(kinds) == 1 else kinds
        raise complain(TypeError, f"{name} must be {wanted}, but got: {type(value).__name__}.")
    return value


def positive(name: str, value, kinds=int, optional: bool = False):
    """``value``, a number above 0.

    Raises:
        TypeError: it is none.
        ValueError: it is 0 or less.
    """
    if typed(name, value, kinds, optional) is not None and value <= 0:
        raise complain(ValueError, f"{name} must be positive, but got: {value}.")
    return value


def not_negative(name: str, value, kinds=int):
    """``value``, a number of at least 0.

    Raises:
        TypeError: it is none.
        ValueError: it is less than 0.
    """
    if typed(name, value, kinds) < 0:
        raise complain(ValueError, f"{name} must be non-negative, but got: {value}.")
    return value
