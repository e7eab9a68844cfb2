"""How modules of the frontend say what compiled code does instead of calling a Python function."""

from __future__ import annotations

from ..ir.dim import Dim
from ..ir.node import Node
from ..tensor import Tensor
from . import special
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


def asks(*names):
    """Wrap a function that stands for a builtin, which asks its first argument for a method: where a user's
    class defines one of these, the first is called.
    """

    def wrap(fn):
        def emit(ip, *args, **kwargs):
            for name in names if args else ():
                found = special.call(ip, args[0], name, *args[1:])
                if found is not NotImplemented:
                    return found
            return fn(ip, *args, **kwargs)

        return emit

    return wrap


def runtime(*values) -> bool:
    """Whether one of the values is known only at run time, or is a tensor."""
    return any(isinstance(v, (Node, Tensor, Dim)) for v in values)
