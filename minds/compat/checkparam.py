"""`_checkparam`: checks of arguments, which give the argument back or raise.

Each takes the argument first, and its name and that of what it is given to last.
"""

from __future__ import annotations

import functools
import inspect
import operator
import re
import types

from ..base.errors import complain

EQ, NE, LT, LE, GT, GE = range(1, 7)
INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = range(7, 11)
IN, NOT_IN = range(11, 13)
_RELATIONS = {
    EQ: ("equal to", operator.eq),
    NE: ("different from", operator.ne),
    LT: ("less than", operator.lt),
    LE: ("at most", operator.le),
    GT: ("greater than", operator.gt),
    GE: ("at least", operator.ge),
    IN: ("one of", lambda value, among: value in among),
    NOT_IN: ("none of", lambda value, among: value not in among),
}


def _refuse(kind: type, arg_name, prim_name, got, expected: str):
    where = f"{prim_name}: " if prim_name else ""
    return complain(kind, f"{where}{arg_name or 'the argument'} is {got!r}", expected=expected)


def check_value_type(arg_name, arg_value, valid_types, prim_name=None):
    """``arg_value`` of one of ``valid_types``; a bool is no int.

    Raises:
        TypeError: it is of none.
    """
    kinds = valid_types if isinstance(valid_types, (list, tuple)) else (valid_types,)
    if isinstance(arg_value, tuple(kinds)) and (not isinstance(arg_value, bool) or bool in kinds):
        return arg_value
    names = ", ".join([k.__name__ for k in kinds])
    raise _refuse(TypeError, arg_name, prim_name, arg_value, f"one of the types {names}")


def check(arg_name, arg_value, value_name, value, rel=EQ, prim_name=None, excp_cls=ValueError):
    """A value in a relation to another one, which has a name too.

    Raises:
        Exception: of class ``excp_cls``; it is not.
    """
    words, holds = _RELATIONS[rel]
    if not holds(arg_value, value):
        wanted = f"{words} {value_name}, {value}"
        raise _refuse(excp_cls, arg_name, prim_name, arg_value, wanted)
    return arg_value


def check_isinstance(arg_name, arg_value, classes):
    """An object of one of some classes.

    Raises:
        ValueError: it is of none.
    """
    if isinstance(arg_value, classes):
        return arg_value
    raise _refuse(ValueError, arg_name, None, arg_value, f"an instance of {classes}")


def check_is_number(arg_value, arg_type, arg_name=None, prim_name=None):
    """A number of a type, ``int`` or ``float``."""
    return check_value_type(arg_name, arg_value, arg_type, prim_name)


check_is_int = functools.partial(check_is_number, arg_type=int)
check_is_float = functools.partial(check_is_number, arg_type=float)


def check_bool(arg_value, arg_name=None, prim_name=None):
    """A bool."""
    return check_value_type(arg_name, arg_value, bool, prim_name)


def _compared(arg_value, value, rel, arg_type, arg_name, prim_name):
    check_is_number(arg_value, arg_type, arg_name, prim_name)
    words, holds = _RELATIONS[rel]
    if not holds(arg_value, value):
        raise _refuse(ValueError, arg_name, prim_name, arg_value, f"{words} {value}")
    return arg_value


def check_int(arg_value, value, rel, arg_name=None, prim_name=None):
    """An int in a relation to ``value``."""
    return _compared(arg_value, value, rel, int, arg_name, prim_name)


def check_float(arg_value, value, rel, arg_name=None, prim_name=None):
    """A float in a relation to ``value``."""
    return _compared(arg_value, value, rel, float, arg_name, prim_name)


def check_number(arg_name, arg_value, value, rel, prim_name):
    """A number in a relation to ``value``."""
    return check(arg_name, arg_value, "the value", value, rel, prim_name)


def _than_zero(check, rel):
    def checked(arg_value, arg_name=None, prim_name=None):
        return check(arg_value, 0, rel, arg_name, prim_name)

    return checked


check_positive_int, check_non_negative_int, check_negative_int, check_non_positive_int = (
    _than_zero(check_int, rel) for rel in (GT, GE, LT, LE)
)
check_positive_float, check_non_negative_float, check_negative_float, check_non_positive_float = (
    _than_zero(check_float, rel) for rel in (GT, GE, LT, LE)
)


def _within(arg_value, lower, upper, rel, arg_type, arg_name, prim_name):
    check_is_number(arg_value, arg_type, arg_name, prim_name)
    low = operator.le if rel in (INC_LEFT, INC_BOTH) else operator.lt
    high = operator.le if rel in (INC_RIGHT, INC_BOTH) else operator.lt
    if low(lower, arg_value) and high(arg_value, upper):
        return arg_value
    left, right = "[" if low is operator.le else "(", "]" if high is operator.le else ")"
    raise _refuse(ValueError, arg_name, prim_name, arg_value, f"in {left}{lower}, {upper}{right}")


def check_int_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """An int between two limits."""
    return _within(arg_value, lower_limit, upper_limit, rel, int, arg_name, prim_name)


def check_float_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """A float between two limits."""
    return _within(arg_value, lower_limit, upper_limit, rel, float, arg_name, prim_name)


def check_number_range(
    arg_value, lower_limit, upper_limit, rel, value_type, arg_name=None, prim_name=None
):
    """A number of a type between two limits."""
    return _within(arg_value, lower_limit, upper_limit, rel, value_type, arg_name, prim_name)


def check_string(arg_value, valid_values, arg_name=None, prim_name=None):
    """One of some strings.

    Raises:
        ValueError: it is none of them.
    """
    if isinstance(arg_value, str) and arg_value in valid_values:
        return arg_value
    raise _refuse(ValueError, arg_name, prim_name, arg_value, f"one of {', '.join(valid_values)}")


def check_str_by_regular(target, reg=None, flag=re.ASCII, prim_name=None):
    """True: a string that matches a regular expression, by default a name.

    Raises:
        ValueError: it does not.
    """
    pattern = r"^\w+[0-9a-zA-Z\_\.]*$" if reg is None else reg
    if re.match(pattern, target, flag) is None:
        raise _refuse(ValueError, None, prim_name, target, f"a match of {pattern!r}")
    return True


def check_str_and_none_by_regular(target, reg=None, flag=re.ASCII, prim_name=None):
    """True: None, or a string that matches a regular expression."""
    return target is None or check_str_by_regular(target, reg, flag, prim_name)


def check_subclass(arg_name, type_, template_types, prim_name=None):
    """A class derived from one of some, or a dtype that is one of some.

    Raises:
        TypeError: it is not.
    """
    bases = (
        tuple(template_types) if isinstance(template_types, (list, tuple)) else (template_types,)
    )
    classes = tuple([b for b in bases if isinstance(b, type)])
    if type_ not in bases and not (isinstance(type_, type) and issubclass(type_, classes)):
        raise _refuse(TypeError, arg_name, prim_name, type_, f"a subclass of {template_types}")
    return type_


def _expand_tuple(n_dimensions: int):
    """A function that gives a tuple of this many ints for an int or for such a tuple."""

    def convert(value) -> tuple:
        """The tuple.

        Raises:
            TypeError: it is neither.
        """
        values = value if isinstance(value, tuple) else (value,) * n_dimensions
        if len(values) != n_dimensions or not all(type(v) is int for v in values):
            raise complain(
                TypeError,
                f"the argument is {value!r}",
                expected=f"an int or a tuple of {n_dimensions} ints",
            )
        return values

    return convert


once, twice, triple = (_expand_tuple(n) for n in (1, 2, 3))


def args_type_check(*type_args, **type_kwargs):
    """A decorator: arguments that are given and not None are of these types.

    Raises:
        TypeError: one is not; when the function is called.
    """

    def decorate(fn):
        signature = inspect.signature(fn)
        wanted = signature.bind_partial(*type_args, **type_kwargs).arguments
        wanted = {**wanted, **wanted.get("kwargs", {})}

        @functools.wraps(fn)
        def checked(*args, **kwargs):
            given = signature.bind(*args, **kwargs).arguments
            for name, value in {**given, **given.get("kwargs", {})}.items():
                kinds = wanted.get(name)
                if name == "kwargs" or kinds is None or value is None or isinstance(value, kinds):
                    continue
                raise _refuse(TypeError, name, fn.__name__, value, f"a {kinds}")
            return fn(*args, **kwargs)

        return checked

    return decorate


def check_axis_in_range(axis, ndim) -> int:
    """An axis as the number of a dimension.

    Raises:
        TypeError: it is no int.
        ValueError: it is outside ``[-ndim, ndim)``.
    """
    if type(axis) is not int:
        raise _refuse(TypeError, "axis", None, axis, "an int")
    if not -ndim <= axis < ndim:
        raise _refuse(ValueError, "axis", None, axis, f"in [{-ndim}, {ndim})")
    return axis % ndim


def check_and_canonicalize_axes(axes, ndim) -> tuple:
    """One axis or a tuple of them as numbers of dimensions, each once.

    Raises:
        TypeError: one is no int.
        ValueError: one is outside ``[-ndim, ndim)``, or there twice.
    """
    found = tuple(
        [check_axis_in_range(a, ndim) for a in (axes if isinstance(axes, tuple) else (axes,))]
    )
    if len(set(found)) != len(found):
        raise _refuse(ValueError, "axes", None, axes, "each once")
    return found


def _check_3d_int_or_tuple(
    arg_name,
    arg_value,
    prim_name,
    allow_five=False,
    ret_five=False,
    greater_zero=True,
    third_one=False,
    three_input=False,
    pad_value=1,
) -> tuple:
    """Three ints, from one or a tuple of three; with ``allow_five`` also of five, for all dimensions of
    a volume. ``ret_five`` gives five, with ``pad_value`` for the first two.

    Raises:
        TypeError: it is neither an int nor a tuple.
        ValueError: another number of them, or one that is too small; with ``third_one`` a depth that is
            not 1.
    """
    if type(arg_value) not in (int, tuple):
        raise _refuse(TypeError, arg_name, prim_name, arg_value, "an int or a tuple of ints")
    several = arg_value if isinstance(arg_value, tuple) else (arg_value,) * 3
    ok = len(several) == 3 or (len(several) == 5 and allow_five and not three_input)
    if not ok or any(type(v) is not int or v < greater_zero for v in several):
        kind = "positive ints" if greater_zero else "ints from 0 on"
        raise _refuse(ValueError, arg_name, prim_name, arg_value, f"one or three {kind}")
    if third_one and several[-3] != 1:
        raise _refuse(ValueError, arg_name, prim_name, arg_value, "a depth of 1")
    if ret_five:
        return several if len(several) == 5 else (pad_value, pad_value, *several)
    return several[-3:]


def is_stub_tensor(tensor) -> bool:
    """Whether a tensor is still to be computed: never, for ops have run when they return."""
    return hasattr(tensor, "stub")


_RELATION_NAMES = "EQ NE LT LE GT GE INC_NEITHER INC_LEFT INC_RIGHT INC_BOTH IN NOT_IN".split()
Rel = types.SimpleNamespace(**{name: globals()[name] for name in _RELATION_NAMES})
"""The relations as MindSpore 1.x groups them."""

__all__ = [n for n in dict(globals()) if n.startswith("check") or n.isupper() and n[0] != "_"]
__all__ += ["Rel", "args_type_check", "is_stub_tensor", "once", "triple", "twice"]
