"""What the arguments of transforms must be, said once per parameter and checked when one is made.

`takes` is the decorator of a constructor: one rule per parameter, in the order in which they are
checked. It keeps the arguments as attributes of their names, so that a constructor has left to say
only what follows from them.
"""

from __future__ import annotations

import functools
import inspect

from ..base.errors import complain

INT32 = 2**31 - 1
UINT32 = 2**32 - 1
FLOAT32 = 2**24  # the largest number up to which a float32 holds all integers


def holds(*others, **rules):
    """A decorator of constructors that holds arguments against ``rules``.

    Args:
        others (Callable): called last with all arguments, as keywords: what concerns several.
        rules (Callable): by parameter, called with its name and the argument; raises what is wrong.
    """
    return _decorator(others, rules, keep=False)


def takes(*others, **rules):
    """`holds`, and the arguments become attributes."""
    return _decorator(others, rules, keep=True)


def _decorator(others, rules, keep):
    def wrap(init):
        signature = inspect.signature(init)

        @functools.wraps(init)
        def construct(self, *args, **kwargs):
            bound = signature.bind(self, *args, **kwargs)
            bound.apply_defaults()
            given = dict(list(bound.arguments.items())[1:])
            for name, rule in rules.items():
                rule(name, given[name])
            for other in others:
                other(**given)
            if keep:
                self.__dict__.update(given)
            init(*bound.args, **bound.kwargs)

        return construct

    return wrap


def check_type(name: str, value, types: tuple, complain=complain) -> None:
    """Refuse what is of none of the ``types``; a bool is no int.

    Args:
        name (str): the argument's name.
        value (Any): the argument.
        types (tuple): what is allowed.
        complain (Callable): makes the exception.

    Raises:
        TypeError: it is not.
    """
    masked = isinstance(value, bool) and int in types and bool not in types
    if masked or not isinstance(value, types):
        is_empty = isinstance(value, str) and not value
        wanted, shown = types if masked else list(types), '""' if is_empty else value
        raise complain(
            TypeError,
            f"Argument {name} with value {shown} is not of type {wanted}, but got {type(value)}.",
        )


def check_interval(name: str, value, low, high, ends: str = "[]", complain=complain) -> None:
    """Refuse what is not in an interval; ``ends`` shows which ends belong to it, an empty ``name`` is
    not shown.

    Raises:
        ValueError: it is not.
    """
    if not is_inside(value, low, high, ends):
        raise complain(ValueError, _outside(name, f"{ends[0]}{low}, {high}{ends[1]}"))


def is_inside(value, low, high, ends: str) -> bool:
    """Whether a number lies in an interval."""
    above = low <= value if ends[0] == "[" else low < value
    return above and (value <= high if ends[1] == "]" else value < high)


def _outside(name: str, interval: str) -> str:
    return f"Input {name + ' ' if name else ''}is not within the required interval of {interval}."


class Number:
    """A number of some types in an interval.

    Args:
        types (tuple): its types.
        low (number, optional): the lower end of the interval. Default: None, there is no interval.
        high (number, optional): the upper end.
        opened (str): ``"("`` if the lower end is outside, ``")"`` if the upper one is.
        zero (bool): whether zero is allowed. Default: True.
    """

    def __init__(self, types, low=None, high=None, opened="", zero=True):
        self.types, self.low, self.high, self.zero = types, low, high, zero
        self.ends = ("(" if "(" in opened else "[") + (")" if ")" in opened else "]")

    def __call__(self, name, value):
        check_type(name, value, self.types)
        if self.low is None:
            return
        inside = is_inside(value, self.low, self.high, self.ends)
        if not inside or not self.zero and value == 0:
            raise complain(ValueError, _outside(name, self.interval()))

    def interval(self) -> str:
        """The interval as text."""
        (left, right), zero = self.ends, "" if self.zero else "0) and (0, "
        return f"{left}{self.low}, {zero}{self.high}{right}"


class Typed:
    """An instance of one of some types."""

    def __init__(self, *types):
        self.types = types

    def __call__(self, name, value):
        check_type(name, value, self.types)


class Optional:
    """None, or what another rule allows."""

    def __init__(self, rule):
        self.rule = rule

    def __call__(self, name, value):
        if value is not None:
            self.rule(name, value)


class Each:
    """A list or tuple whose elements a rule allows."""

    def __init__(self, rule):
        self.rule = rule

    def __call__(self, name, value):
        check_type(name, value, (list, tuple))
        for i, element in enumerate(value):
            self.rule(f"{name}[{i}]", element)


class Worded:
    """An instance of one type, refused in MindSpore's words for the arguments of tokenizers.

    Args:
        kind (type): the type.
        words (str): how it is called.
        called (str, optional): how the parameter is called. Default: by its name.
    """

    def __init__(self, kind: type, words: str, called: str | None = None):
        self.kind, self.words, self.called = kind, words, called

    def __call__(self, name, value):
        if not isinstance(value, self.kind):
            name = self.called or name
            raise complain(TypeError, f"Wrong input type for {name}, should be {self.words}.")


class NotNone:
    """What another rule allows, and not None.

    Args:
        rule (Callable): the other rule.
        words (str, optional): what is said of None. Default: that the parameter is not provided.
    """

    def __init__(self, rule, words: str | None = None):
        self.rule, self.words = rule, words

    def __call__(self, name, value):
        if value is None:
            raise complain(ValueError, self.words or f"{name} is not provided.")
        self.rule(name, value)


real = (int, float)
boolean, string = Typed(bool), Typed(str)
any_int = Number((int,), -INT32 - 1, INT32)
positive_int = Number((int,), 1, INT32)
count = Number((int,), 0, INT32)
unsigned = Number((int,), 0, UINT32)
nonzero_int = Number((int,), -INT32 - 1, INT32, zero=False)
any_float = Number((float, int), -FLOAT32, FLOAT32)
any_real = Number(real, -FLOAT32, FLOAT32)  # named in the other order
nonzero_float = Number((float, int), -FLOAT32, FLOAT32, zero=False)
positive_float = Number(real, 0, FLOAT32, "(")
non_negative_float = Number(real, 0, FLOAT32)
float_above_zero = Number((float, int), 0, FLOAT32, "(")  # named in the other order
flag = Worded(bool, "boolean")
word = Worded(str, "string")
