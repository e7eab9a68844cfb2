"""`mutable`: says that a number or the elements of a sequence are values of the running program."""

from __future__ import annotations

import numpy as np

from ..base.errors import class_of, complain
from ..frontend import open_lists, run_lists
from ..frontend.registry import EMITTERS
from ..frontend.value_types import NUMBERS, LocalDict, LocalList, marked
from ..frontend.values import Mismatch
from ..ir.abstract import AbstractScalar
from ..ir.node import Node
from ..tensor import Tensor

_LEAVES = (Tensor, Node, bool, int, float, np.number, np.bool_, str, type(None))


def mutable(input_data, dynamic_len: bool = False):
    """``input_data``, to be taken by compiled code as run-time values.

    Tensors and numbers that are passed to compiled code are run-time values in any case, also
    inside of tuples, lists and dicts, and `grad` by a tuple gives tuples; so outside of compiled
    code this checks, and marks a container as one that `GradOperation` differentiates by. Inside,
    numbers become values of the running program.

    Args:
        input_data (Tensor | int | float | tuple | list | dict): the value.
        dynamic_len (bool): whether a program serves all lengths of a sequence whose elements are
            tensors of one shape and dtype, numbers of one kind, or tuples of such. An empty one tells
            nothing of its elements, so its program is its own. Default False.
    Returns:
        The same value, or an equal container; with ``dynamic_len`` a tuple or list of the same
        elements, which compiled code takes with any length.
    Raises:
        TypeError: another kind of value; or ``dynamic_len`` for what is no sequence.
        ValueError: ``dynamic_len`` for elements of several types.

    Examples:
        >>> import minds as ms
        >>> ms.mutable((1, 2))
        (1, 2)
    """
    if not isinstance(dynamic_len, bool):
        raise complain(
            TypeError,
            f"mutable: dynamic_len has type {type(dynamic_len).__name__}",
            expected="a bool",
        )
    if dynamic_len and not isinstance(input_data, (tuple, list)):
        raise complain(
            TypeError,
            "mutable: when the variable_len is True, the first input should be a tuple or list, but "
            f"it is {class_of(input_data)}",
        )
    if dynamic_len and len({_kind(v) for v in input_data}) > 1:
        raise complain(
            ValueError,
            "mutable: The element type do not match, can not convert to dynamic length sequence",
            expected="elements of one type",
        )
    _check(input_data)
    return open_lists.made(input_data) if dynamic_len else marked(input_data)


def _kind(v) -> str:
    """What an element of a sequence is, whether it is known or not."""
    if isinstance(v, (Node, Tensor)):
        return v.abstract.kind.__name__ if isinstance(v.abstract, AbstractScalar) else "Tensor"
    return next((k.__name__ for k in (tuple, list, dict) if isinstance(v, k)), class_of(v))


def _check(v) -> None:
    if isinstance(v, (tuple, list)):
        for e in v:
            _check(e)
    elif isinstance(v, dict):
        for e in v.values():
            _check(e)
    elif not isinstance(v, _LEAVES):
        raise complain(
            TypeError,
            f"mutable: input_data has type {type(v).__name__}",
            expected="a Tensor, a number, or a tuple, list or dict of them",
        )


def _emit(ip, input_data, dynamic_len=False):
    """What compiled code makes of it: numbers and tensors are values of the run from here on."""
    mutable(input_data, dynamic_len)  # checks
    made = _run_time(ip, input_data)
    if not dynamic_len or not len(made):
        return made
    try:
        return run_lists.opened(ip, made)
    except Mismatch as e:
        if any(isinstance(v, (list, dict)) for v in made):
            return made
        raise complain(
            ValueError,
            f"mutable: The element shape do not match, can not convert to dynamic length sequence: {e}",
            expected="elements of one type, dtype and shape",
        ) from None


def _run_time(ip, v):
    if isinstance(v, (tuple, list)):
        return (LocalList if isinstance(v, list) else tuple)([_run_time(ip, e) for e in v])
    if isinstance(v, dict):
        return LocalDict((k, _run_time(ip, e)) for k, e in v.items())
    v = v.item() if isinstance(v, np.generic) else v
    return ip.node(v) if type(v) in NUMBERS or type(v) is Tensor else v


EMITTERS[mutable] = _emit

__all__ = ["mutable"]
