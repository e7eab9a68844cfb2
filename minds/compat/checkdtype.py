"""`_checkparam`, continued: checks of dtypes, of sequences, and of relations between numbers."""

from __future__ import annotations

from collections.abc import Iterable

from ..base.dtype import DType
from . import checkparam as one


def _several(valid) -> tuple:
    return tuple(valid) if isinstance(valid, Iterable) else (valid,)


def check_tensor_dtype_valid(arg_name, arg_type, valid_dtypes, prim_name=None):
    """A dtype that is one of ``valid_dtypes``.

    Raises:
        TypeError: it is another.
    """
    found = getattr(arg_type, "element_type", lambda: arg_type)()
    valid = _several(valid_dtypes)
    if found not in valid:
        names = ", ".join(map(str, valid))
        raise one._refuse(TypeError, arg_name, prim_name, arg_type, f"one of {names}")
    return arg_type


def check_tensors_dtypes_same_and_valid(args, valid_dtypes, prim_name=None):
    """Dtypes by the names of their arguments, all the same one of ``valid_dtypes``.

    Raises:
        TypeError: one is not, or two differ.
    """
    for name, dtype in args.items():
        check_tensor_dtype_valid(name, dtype, valid_dtypes, prim_name)
    first, *others = args.items()
    for name, dtype in others:
        if dtype != first[1]:
            raise one._refuse(TypeError, name, prim_name, dtype, f"{first[1]}, as {first[0]}")


check_types_same_and_valid = check_tensors_dtypes_same_and_valid


def check_scalar_or_tensor_types_same(args, valid_values, prim_name=None, allow_mix=False):
    """Dtypes of tensors and numbers, all the same; see `check_tensors_dtypes_same_and_valid`."""
    check_tensors_dtypes_same_and_valid(args, valid_values, prim_name)


def check(arg_name, arg_value, value_name, value, rel=one.EQ, prim_name=None, excp_cls=ValueError):
    """Whether two numbers or sequences are in a relation."""
    words, holds = one._RELATIONS[rel]
    if not holds(arg_value, value):
        expected = f"{words} {value_name}, {value}"
        raise one._refuse(excp_cls, arg_name, prim_name, arg_value, expected)
    return arg_value


def check_number(arg_name, arg_value, value, rel, prim_name=None):
    """A number that is in a relation to another."""
    return check(arg_name, arg_value, "it", value, rel, prim_name)


def check_equal_int(arg_value, value, arg_name=None, prim_name=None):
    """An int that equals another."""
    return one.check_int(arg_value, value, one.EQ, arg_name, prim_name)


def check_number_range(
    arg_value, lower_limit, upper_limit, rel, value_type, arg_name=None, prim_name=None
):
    """A number of a type between two others."""
    return one._within(arg_value, lower_limit, upper_limit, rel, value_type, arg_name, prim_name)


def _each(check_one):
    def check_all(sequence, arg_name=None, prim_name=None):
        for i, element in enumerate(sequence):
            check_one(element, f"{arg_name or 'the argument'}[{i}]", prim_name)
        return sequence

    return check_all


check_positive_int_sequence = _each(one.check_positive_int)
check_non_negative_int_sequence = _each(one.check_non_negative_int)
check_positive_float_sequence = _each(one.check_positive_float)


def check_isinstance(arg_name, arg_value, classes):
    """An object of one of some classes.

    Raises:
        ValueError: it is of none.
    """
    if not isinstance(arg_value, classes):
        raise one._refuse(ValueError, arg_name, None, arg_value, f"of {classes}")
    return arg_value


def check_element_type_of_iterable(arg_name, arg_value, valid_types, prim_name=None):
    """A list or tuple of objects of some types."""
    one.check_value_type(arg_name, arg_value, [list, tuple], prim_name)
    for i, element in enumerate(arg_value):
        one.check_value_type(f"{arg_name}[{i}]", element, valid_types, prim_name)


def check_size_and_element_type_of_tuple(
    arg_name, arg_value, expect_size, expect_element_type, prim_name=None
):
    """A tuple of so many objects of a type."""
    one.check_value_type(arg_name, arg_value, [tuple], prim_name)
    check_equal_int(len(arg_value), expect_size, f"the size of {arg_name}", prim_name)
    check_element_type_of_iterable(arg_name, arg_value, [expect_element_type], prim_name)


def check_type_name(arg_name, arg_type, valid_types, prim_name=None):
    """A dtype, class or name that is one of some."""
    valid = _several(valid_types)
    if not isinstance(arg_type, (DType, type, str)) or arg_type not in valid:
        expected = f"one of {', '.join(map(str, valid))}"
        raise one._refuse(TypeError, arg_name, prim_name, arg_type, expected)
    return arg_type


__all__ = sorted(n for n, v in globals().items() if n.startswith("check") and callable(v))
