"""How class spellings write the states that they are given."""

from __future__ import annotations

from ..ir import build
from ..ir.node import Node
from ..tensor import Parameter
from .define import P
from .function.control_func import assign

EXAMPLES: dict[Node, Node] = {}
"""Of what stands for one example of parameters while `vmap` interprets a function, what was written."""


def written(state, value):
    """``value`` in the dtype of ``state``, written into it: a parameter anywhere, one that the run
    chooses too; any tensor in PyNative mode. What a program is given as an argument is not changed.
    """
    value = value if value.dtype is state.dtype else P.cast(value, state.dtype)
    if isinstance(state, Parameter):
        return assign(state, value)
    if isinstance(state, Node):
        if state in EXAMPLES:
            EXAMPLES[state] = value
            return value
        return assign(state, value) if build.current().may_be_parameter(state) else value
    return state.copy_(value)
