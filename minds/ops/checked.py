"""Checks of what tensors hold, where a result would be a wrong number: each gives back its operand,
and is run by the program when it gets there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..base.errors import complain
from ..tensor import Tensor
from .define import Op, library_op
from .rules import same


def _checker(name: str, test: Callable, expected: str) -> Op:
    """The op ``name(x, most, what)``, that raises ValueError unless ``test(x, most)`` holds; ``what``
    is the public name and the argument, as messages have them.
    """

    def rule(x: Tensor, most: int, what: str):
        return same(x)

    def host(x, most, what):
        if not test(x, most):
            got = np.array2string(x, threshold=16)
            raise complain(ValueError, f"{what} must be {expected.format(most=most)}, got {got}")
        return x

    rule.__name__ = name
    made = library_op(rule, host=host, batch="leading")
    made.bprop(lambda x, most, what, out, dout: (dout,))
    return made


def _within(x, most):
    return ((x >= 0) & (x <= most)).all()


def _drawable(x, most):
    return ((x >= 0) & (x <= np.finfo(x.dtype).max)).all() and (x.sum(-1) > 0).all()


lengths = _checker("lengths", _within, "in [0, {most}]")
weights = _checker("weights", _drawable, "finite and not negative, and not all 0")

__all__ = ["lengths", "weights"]
