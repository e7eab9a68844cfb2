"""What arguments of transforms are held against when a transform is made.

The rules are those of `dataset.arguments`, in the words of `faults`, and more that only images need.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable

from ...base.worded import complain
from .. import arguments
from .utils import Border, Inter

INT32_MAX, FLOAT_MAX = arguments.INT32, arguments.FLOAT32
Rule = Callable[[str, object], None]
checked, optional = arguments.holds, arguments.Optional


def of(*types: type) -> Rule:
    """The value is an instance of one of ``types``; a bool is no int."""
    return lambda name, value: arguments.check_type(name, value, types, complain)


def in_range(low, high, name: str, value, ends: str = "[]") -> None:
    """The value lies in an interval; ``ends`` shows which ends belong to it."""
    arguments.check_interval(name, value, low, high, ends, complain)


def within(low, high, *types: type, ends: str = "[]", named: bool = True) -> Rule:
    """A number of ``types`` in an interval. An error does not name it unless ``named``."""
    typed = of(*(types or (int, float)))

    def rule(name: str, value) -> None:
        typed(name, value)
        in_range(low, high, name if named else "", value, ends)

    return rule


def positive(*types: type) -> Rule:
    """A number above 0."""
    typed = of(*types)

    def rule(name: str, value) -> None:
        typed(name, value)
        above_zero(name, value)

    return rule


def above_zero(name: str, value) -> None:
    if value <= 0:
        raise complain(ValueError, f"Input {name} must be greater than 0.")


def items(rule: Rule, count: int | tuple, wrong: type = TypeError, said: str = "") -> Rule:
    """A list or tuple of ``count`` values that each pass ``rule``."""
    typed, counts = of(list, tuple), (count,) if isinstance(count, int) else count

    def check(name: str, values) -> None:
        typed(name, values)
        if len(values) not in counts:
            lengths = " or ".join(map(str, counts))
            raise complain(wrong, said or f"{name} should be a list or tuple of length {lengths}.")
        for i, value in enumerate(values):
            rule(f"{name}[{i}]", value)

    return check


def ordered(name: str, values) -> None:
    if values[0] > values[1]:
        raise complain(ValueError, f"{name} should be in (min,max) format. Got (max,min).")


PROBABILITY = within(0.0, 1.0, float, int)
FLAG = of(bool)
INTERPOLATION = of(Inter)
BORDER = of(Border)
COUNT = within(1, INT32_MAX, int)
NOT_NEGATIVE = within(0, INT32_MAX, int)
NUMBER = within(-FLOAT_MAX, FLOAT_MAX, float, int)
AMOUNT = within(0, FLOAT_MAX, float, int)
BYTE = within(0, 255, int)


def size(name: str, value) -> None:
    """Height and width, or one int for both."""
    message = "Size should be a single integer or a list/tuple (h, w) of length 2."
    of(int, list, tuple)(name, value)
    if isinstance(value, int):
        in_range(1, FLOAT_MAX, "", value)
        return
    if len(value) != 2:
        raise complain(TypeError, message)
    for i, v in enumerate(value):
        of(int)(f"size[{i}]", v)
        in_range(1, FLOAT_MAX, "", v)


def resize_size(name: str, value) -> None:
    """Height and width, or one int for the shorter side."""
    if isinstance(value, int):
        of(int)(name, value)
        in_range(1, FLOAT_MAX, "", value)
        return
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        message = "Size should be a single integer or a list/tuple (h, w) of length 2."
        raise complain(TypeError, message)
    for i, v in enumerate(value):
        of(int)(f"size at dim {i}", v)
        in_range(1, INT32_MAX, f"size at dim {i}", v)


def corner(name: str, value) -> None:
    of(list, tuple)(name, value)
    if len(value) != 2:
        raise complain(TypeError, "Coordinates should be a list/tuple (y, x) of length 2.")
    for i, v in enumerate(value):
        within(0, INT32_MAX, int)(f"{name}[{i}]", v)


def fill(name: str, value) -> None:
    """A byte, or three."""
    if isinstance(value, int):
        BYTE(name, value)
    elif isinstance(value, tuple) and len(value) == 3:
        for i, v in enumerate(value):
            BYTE(f"{name}[{i}]", v)
    else:
        raise complain(TypeError, "fill_value should be a single integer or a 3-tuple.")


def padding(name: str, value) -> None:
    """Pixels to add: for all edges, (left and right, top and bottom), or one per edge."""
    of(tuple, list, numbers.Number)(name, value)
    if isinstance(value, numbers.Number):
        within(0, INT32_MAX, int)(name, value)
        return
    if len(value) not in (2, 4):
        raise complain(ValueError, "The size of the padding list or tuple should be 2 or 4.")
    for i, v in enumerate(value):
        of(int)(f"{name}[{i}]", v)
        in_range(0, INT32_MAX, "pad_value", v)


def degrees_range(name: str, value) -> None:
    """An angle for both directions, or the least and the greatest."""
    of(int, float, list, tuple)(name, value)
    if isinstance(value, (int, float)):
        AMOUNT(name, value)
        return
    if len(value) != 2:
        raise complain(TypeError, "If degrees is a sequence, the length must be 2.")
    for i, v in enumerate(value):
        of(int, float)(f"{name}[{i}]", v)
        in_range(-FLOAT_MAX, FLOAT_MAX, name, v)
    ordered(name, value)


def factor_range(name: str, value) -> None:
    """The least and the greatest factor of a random enhancement; MindSpore lets None pass."""
    if value is None:
        return
    if not isinstance(value, (list, tuple)):
        raise complain(TypeError, "degrees must be either a tuple or a list.")
    for i, v in enumerate(value):
        of(int, float)(f"{name}[{i}]", v)
    if len(value) != 2:
        raise complain(ValueError, "degrees must be a sequence with length 2.")
    for v in value:
        in_range(0, FLOAT_MAX, "", v)
    ordered(name, value)


def area_scale(name: str, value) -> None:
    """The least and the greatest part of an image's area."""
    of(tuple, list)(name, value)
    if len(value) != 2:
        raise complain(TypeError, f"{name} should be a list/tuple of length 2.")
    for i, v in enumerate(value):
        of(float, int)(f"{name}[{i}]", v)
    ordered(name, value)
    if not 0 <= value[0] <= value[1] <= FLOAT_MAX:
        in_range(0, FLOAT_MAX, "", min(value[0], value[1]) if value[0] < 0 else value[1])
    above_zero(f"{name}[1]", value[1])


def aspect_ratio(name: str, value) -> None:
    """The least and the greatest width by height."""
    of(tuple, list)(name, value)
    if len(value) != 2:
        raise complain(TypeError, f"{name} should be a list/tuple of length 2.")
    for i, v in enumerate(value):
        of(float, int)(f"{name}[{i}]", v)
        in_range(0, FLOAT_MAX, f"{name}[{i}]", v, "(]")
    ordered(name, value)


def center(name: str, value) -> None:
    if not (isinstance(value, tuple) and len(value) == 2):
        raise complain(ValueError, f"Value {name} needs to be a 2-tuple.")
    for v in value:
        of(int, float)(name, v)
        in_range(-INT32_MAX - 1, INT32_MAX, name, v)


def ignored(name: str, value) -> None:
    """Bytes that a histogram leaves out."""
    of(list, tuple, int)(name, value)
    for v in value if isinstance(value, (list, tuple)) else (value,):
        of(int)("item" if isinstance(value, (list, tuple)) else name, v)
        in_range(0, 255, name, v)


def means(name: str, value) -> None:
    of(list, tuple)(name, value)
    for i, v in enumerate(value):
        within(0, 255)(f"{name}[{i}]", v)


def stds(name: str, value) -> None:
    of(list, tuple)(name, value)
    for i, v in enumerate(value):
        within(0, 255, ends="(]")(f"{name}[{i}]", v)


def callables(name: str, value) -> None:
    """What can be called, in a list that is not empty."""
    of(list, tuple)(f"{name} list", value)
    if not value:
        raise complain(ValueError, f"{name} list can not be empty.")
    for i, op in enumerate(value):
        if not callable(op):
            raise complain(
                TypeError,
                f"{name}[{i}] is neither a transforms op (TensorOperation) nor a callable pyfunc.",
            )
