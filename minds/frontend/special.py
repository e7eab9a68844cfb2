"""Special methods of users' classes: operators, comparison, indexing, iteration, length and truth.

They are interpreted like any other method, with CPython's order of tries.
"""

from __future__ import annotations

import types

import gast

from ..ir.node import Node
from ..tensor import Tensor

_OPERATORS = {
    gast.Add: "add",
    gast.Sub: "sub",
    gast.Mult: "mul",
    gast.Div: "truediv",
    gast.FloorDiv: "floordiv",
    gast.Mod: "mod",
    gast.Pow: "pow",
    gast.MatMult: "matmul",
    gast.BitAnd: "and",
    gast.BitOr: "or",
    gast.BitXor: "xor",
    gast.LShift: "lshift",
    gast.RShift: "rshift",
}
_REFLECTED = {
    "__lt__": "__gt__",
    "__le__": "__ge__",
    "__gt__": "__lt__",
    "__ge__": "__le__",
    "__eq__": "__eq__",
    "__ne__": "__ne__",
    **{f"__{n}__": f"__r{n}__" for n in _OPERATORS.values()},
}
_COMPARE = {
    gast.Lt: "__lt__",
    gast.LtE: "__le__",
    gast.Gt: "__gt__",
    gast.GtE: "__ge__",
    gast.Eq: "__eq__",
    gast.NotEq: "__ne__",
}
_UNARY = {gast.USub: "__neg__", gast.UAdd: "__pos__", gast.Invert: "__invert__"}


_PLAIN = (Node, Tensor, bool, int, float, str, type(None))


def has(v, name: str) -> bool:
    """Whether the class of ``v`` is a user's and defines ``name`` in Python."""
    if isinstance(v, _PLAIN):
        return False
    method = getattr(type(v), name, None)
    return (
        isinstance(method, types.FunctionType)
        and not (method.__module__ or "").startswith("minds.")
        and method.__code__.co_filename != "<string>"
    )  # what `dataclass` generates has no source


def call(ip, v, name: str, *args):
    """``v.name(*args)``; NotImplemented where the class of ``v`` does not define it."""
    return ip.call(getattr(type(v), name), [v, *args], {}) if has(v, name) else NotImplemented


def binary(ip, op: type, a, b):
    """``a op b`` where a user's class defines it, else NotImplemented."""
    if isinstance(a, _PLAIN) and isinstance(b, _PLAIN):
        return NotImplemented
    name = _COMPARE.get(op) or f"__{_OPERATORS[op]}__"
    tries = [(a, name, b), (b, _REFLECTED[name], a)]
    if type(a) is not type(b) and issubclass(type(b), type(a)):
        tries.reverse()
    elif type(a) is type(b) and op not in _COMPARE:
        del tries[1]
    for v, method, other in tries:
        result = call(ip, v, method, other)
        if result is not NotImplemented:
            return result
    return NotImplemented


def augmented(ip, op: type, a, b):
    """``a op= b`` where a user's class defines it in place, else NotImplemented."""
    return call(ip, a, f"__i{_OPERATORS[op]}__", b)


def unary(ip, op: type, v):
    """``op v`` where a user's class defines it, else NotImplemented."""
    return call(ip, v, _UNARY[op])


def truth(ip, v):
    """``bool(v)`` where a user's class defines it, else NotImplemented."""
    result = call(ip, v, "__bool__")
    return call(ip, v, "__len__") if result is NotImplemented else result
