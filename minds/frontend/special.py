"""Special methods of users' classes: operators, comparison, indexing, iteration, length and truth.

They are interpreted like any other method, with CPython's order of tries.
"""

from __future__ import annotations

import types

import gast

from ..base.errors import ParseError, complain
from ..ir.node import Node
from ..tensor import Tensor

_BINARY = "Add Sub Mult:mul Div:truediv FloorDiv Mod Pow MatMult:matmul BitAnd:and BitOr:or "
_BITS = "BitXor:xor LShift RShift"
_COMPARE = "Lt LtE:le Gt GtE:ge Eq NotEq:ne"
_UNARY = "USub:neg UAdd:pos Invert"


def named(words: str) -> dict:
    """The classes of gast in ``words``, each with the name behind its colon, or its own."""
    pairs = (word.partition(":")[::2] for word in words.split())
    return {getattr(gast, kind): name or kind.lower() for kind, name in pairs}


COMPARE, UNARY = named(_COMPARE), named(_UNARY)
NAMES = {**named(_BINARY + _BITS), **COMPARE, **UNARY}
"""What Python calls the operators: ``add`` of ``__add__`` and ``operator.__add__``."""
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


_PLAIN = (Node, Tensor, bool, int, float, str, type(None))


def has(v, name: str) -> bool:
    """Whether the class of ``v`` is a user's and defines ``name`` in Python."""
    return not isinstance(v, _PLAIN) and is_written(getattr(type(v), name, None))


def is_written(fn) -> bool:
    """Whether ``fn`` is a function written in Python, outside of this library (what `dataclass`
    generates has no source), or one of `polyfills`, or a method of a class made in compiled code.
    """
    return getattr(type(fn), "is_method", False) or (
        isinstance(fn, types.FunctionType)
        and not is_ours(fn)
        and fn.__code__.co_filename != "<string>"
    )


def expect_plain_lookup(kind: type) -> None:
    """That no method of the user's own looks up the attributes of objects of a class."""
    lookup = kind.__getattribute__
    if lookup is not object.__getattribute__ and is_written(lookup):
        what = f"{kind.__name__} defines __getattribute__, which compiled code does not run"
        raise complain(ParseError, what, cure="define __getattr__ or a property")


def is_ours(v) -> bool:
    """Whether a function or class is of this library, and none that is interpreted as users' are."""
    module = v.__module__ or ""
    return module.startswith("minds.") and not module.startswith(_INTERPRETED)


_INTERPRETED = "minds.frontend.polyfills", "minds.ops.sparse_base", "minds.ops.sparse_csr"


def call(ip, v, name: str, *args):
    """``v.name(*args)``; NotImplemented where the class of ``v`` does not define it."""
    if not isinstance(v, _PLAIN):
        ip.imports.class_read(type(v), name, None)
    return ip.call(getattr(type(v), name), [v, *args], {}) if has(v, name) else NotImplemented


def binary(ip, op: type, a, b):
    """``a op b`` where a user's class defines it, else NotImplemented."""
    if isinstance(a, _PLAIN) and isinstance(b, _PLAIN):
        return NotImplemented
    name = NAMES[op]
    reflected = _MIRRORED[name] if op in COMPARE else "r" + name
    tries = [(a, f"__{name}__", b), (b, f"__{reflected}__", a)]
    if type(a) is not type(b) and issubclass(type(b), type(a)):
        tries.reverse()
    elif type(a) is type(b) and op not in COMPARE:
        del tries[1]
    for v, method, other in tries:
        result = call(ip, v, method, other)
        if result is not NotImplemented:
            return result
    return NotImplemented


def truth(ip, v):
    """``bool(v)`` where a user's class defines it, else NotImplemented."""
    result = call(ip, v, "__bool__")
    if result is NotImplemented:
        return call(ip, v, "__len__")
    if not isinstance(result, (bool, Node, Tensor)):
        got = type(result).__name__
        raise complain(TypeError, f"__bool__ should return bool, returned {got}")
    return result
