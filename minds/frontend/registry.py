"""How modules of the frontend say what compiled code does instead of calling a Python function."""

from __future__ import annotations

from ..ir.dim import Dim
from ..ir.node import Node
from ..tensor import Tensor
from .calls import EMITTERS


def emits(*functions):
    """Register how compiled code calls Python functions."""

    def register(fn):
        for f in functions:
            EMITTERS[f] = fn
        return fn

    return register


def polyfill(*functions):
    """Register Python that stands for functions or classes of Python: interpreted like a user's."""

    def register(fn):
        def emit(ip, *args, **kwargs):
            make = ip.make if isinstance(fn, type) else ip.call_function
            return make(fn, list(args), kwargs)

        return emits(fn, *functions)(emit) and fn

    return register


def runtime(*values) -> bool:
    """Whether one of the values is known only at run time, or is a tensor."""
    return any(isinstance(v, (Node, Tensor, Dim)) for v in values)
