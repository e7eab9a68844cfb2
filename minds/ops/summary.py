"""The op of summaries: a program gives a value to whoever listens, such as a record of a training."""

from __future__ import annotations

import numpy as np

from ..ir.abstract import NONE
from ..tensor import Tensor
from .define import op

LISTENERS: list = []
"""Functions of (plugin, tag, array) that each summary calls."""


def _tell(value, plugin, tag):
    for listen in tuple(LISTENERS):
        listen(plugin, tag, np.array(value))


@op(effect=True, nondiff=True, host=_tell)
def summary(value: Tensor, plugin: str, tag: str) -> Tensor:
    """Give a value to the `LISTENERS` when the program gets here.

    Args:
        value (Tensor): the value.
        plugin (str): what it is shown as: ``"scalar"``, ``"image"``, ``"tensor"`` or
            ``"histogram"``.
        tag (str): its name.
    """
    return NONE
