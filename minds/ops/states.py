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


def keep_statistics(x, running, now, momentum: float) -> None:
    """Average the mean and the variance of the batch ``x`` into running ones, if these are parameters."""
    count = x.size // x.shape[1]
    # A single element has no unbiased variance; its biased one, 0, is kept instead.
    scale = count / (count - 1) if count > 1 else 1.0
    for state, value, share in zip(running, now, (momentum, momentum * scale)):
        if isinstance(state, (Parameter, Node)):
            written(state, state * (1.0 - momentum) + P.stop_gradient(value) * share)
