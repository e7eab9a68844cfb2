"""Primitive classes that tell what a program computes, and steer nothing."""

from __future__ import annotations

from ...base.errors import complain, expect
from ...base.kinds import shown
from ...ir import build
from ..define import P
from ..faces import primitive
from ..function.common import as_tensor, is_tensor
from ..summary import LISTENERS

_RANKS = {
    "scalar": (lambda n: n <= 1, "0 or 1"),
    "image": (lambda n: n == 4, "4"),
    "tensor": (lambda n: n >= 1, "1 or more"),
    "histogram": (lambda n: n >= 1, "1 or more"),
}


def _misfit(plugin: str, name, value) -> Exception | None:
    """What is wrong with the arguments of a summary."""
    fits, ranks = _RANKS[plugin]
    if not isinstance(name, str):
        return complain(TypeError, f"name is {shown(name)}", expected="a str")
    if not name:
        return complain(ValueError, "name is empty")
    if not is_tensor(value):
        return complain(TypeError, f"value is {shown(value)}", expected="a Tensor")
    if not fits(len(value.shape)):
        return complain(ValueError, f"value has shape {value.shape}", expected=f"rank {ranks}")
    return None


def _summary(plugin: str):
    def call(name, value):
        misfit = _misfit(plugin, name, value)
        if misfit is None:
            P.summary(value, plugin, name)
        elif build.current() is not None or any(getattr(f, "writes", False) for f in LISTENERS):
            raise misfit

    return call


@primitive
def ScalarSummary():
    """Show a number under a name. In PyNative mode what cannot be shown is left out where no
    `SummaryRecord` is open.
    """
    return _summary("scalar")


@primitive
def ImageSummary():
    """Show images (N, C, H, W) under a name. In PyNative mode what cannot be shown is left out where no
    `SummaryRecord` is open.
    """
    return _summary("image")


@primitive
def TensorSummary():
    """Show a tensor under a name. In PyNative mode what cannot be shown is left out where no
    `SummaryRecord` is open.
    """
    return _summary("tensor")


@primitive
def HistogramSummary():
    """Show how often values occur. In PyNative mode what cannot be shown is left out where no
    `SummaryRecord` is open.
    """
    return _summary("histogram")


@primitive
def Assert(summarize=3):
    """Raise RuntimeError where the program gets here and a condition does not hold.

    Args:
        summarize (int): how many elements of each tensor the message shows; negative: all. Default:
            3.
        condition (Tensor[bool], bool): one element.
        input_data (tuple[Tensor], list[Tensor]): the tensors that the message shows.

    Returns:
        None.

    Raises:
        TypeError: ``summarize`` is no int, or ``condition`` no bool.
        ValueError: ``condition`` has more than one element.
        RuntimeError: the condition is false.
    """
    if isinstance(summarize, bool) or not isinstance(summarize, int):
        raise complain(TypeError, f"summarize is {shown(summarize)}", expected="an int")

    def call(condition, input_data):
        condition = as_tensor(condition)
        expect(
            condition.dtype.is_bool, "condition", "of dtype bool", TypeError, condition.dtype.name
        )
        expect(condition.size == 1, "condition", "one element", got=condition.shape)
        P.require(condition, tuple(as_tensor(v) for v in input_data), summarize)

    return call
