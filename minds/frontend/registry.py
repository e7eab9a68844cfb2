"""How modules of the frontend say what compiled code does: with syntax, and instead of calling Python."""

from __future__ import annotations

import functools

from ..ir.dim import Dim
from ..ir.node import Node
from ..tensor import Tensor
from . import special

EXPR: dict = {}
STMT: dict = {}
"""How expressions and statements are interpreted, by the class of the node of gast."""

EMITTERS: dict = {}
"""What compiled code does instead of calling Python: by the callable, or by (class, name) of a method."""


def _into(table: dict):
    def of(*keys):
        def register(fn):
            table.update(dict.fromkeys(keys, fn))
            return fn

        return register

    return of


expr, stmt, emits = map(_into, (EXPR, STMT, EMITTERS))
"""Register how nodes of some classes are interpreted; what compiled code does for some callables."""


def method(name: str, *classes):
    """Register what a method of values of compiled code is, which Python has in these classes."""
    return emits(*[(cls, name) for cls in classes])


def method_of(name: str, *classes):
    """The key in `EMITTERS` of a method that one of these classes, the first one first, has; else None."""
    for cls in classes:
        if (cls, name) in EMITTERS:
            return cls, name
    return None


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
        @functools.wraps(fn)
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
