"""The arguments of a compiled call: what of them is fixed in a program (its key), and what it takes at run time
(the leaves, in one order everywhere).
"""
from __future__ import annotations

import inspect

from . import _core
from .ad import hooks
from .base import dtype as dt
from .base.errors import IntegerTooLarge, complain
from .frontend.kinds import made
from .frontend.values import Leaf, LocalDict, LocalList, parts
from .ir.abstract import AbstractScalar
from .tensor import Parameter, Tensor


def skeleton_of(value, static: bool):
    """The skeleton of arguments: tensors, and numbers unless ``static``, are leaves."""
    kind = type(value)
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        return Leaf(value.abstract)
    if kind is int or kind is float:
        return value if static else Leaf(AbstractScalar(kind))
    if kind is tuple or kind is list:
        return (tuple if kind is tuple else LocalList)([skeleton_of(v, static) for v in value])
    if kind is dict:
        return LocalDict((k, skeleton_of(v, static)) for k, v in value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*[skeleton_of(v, static) for v in value])
    names = fields_of(value)
    if names is not None:
        held = [skeleton_of(getattr(value, n), static) for n in names]
        if value.__dataclass_params__.frozen:
            return parts(value).remake(held)
        return made(kind, LocalDict(zip(names, held)))
    return value


def fields_of(value) -> tuple | None:
    """The names of the fields of an object of a dataclass, whose parts an argument consists of; else None."""
    kind = type(value)
    fields = getattr(kind, "__dataclass_fields__", None)
    if fields is None or kind.__module__.startswith("minds.") or hasattr(kind, "construct"):
        return None
    return tuple([n for n in fields if hasattr(value, n)]) if kind.__dictoffset__ else None


def key_of(value, leaves: list, static: bool):
    """A hashable key of arguments; what the program takes at run time goes to ``leaves``."""
    kind = type(value)
    if kind is Tensor:
        leaves.append(value)
        return (value.abstract, *map(id, hooks.of(value))) if hooks.any_registered() else value.abstract
    if kind is int or kind is float:
        if static:
            return (kind, value)
        leaves.append(value)
        return kind
    if kind is tuple or kind is list:
        return (kind, *[key_of(v, leaves, static) for v in value])
    if kind is dict:
        return (kind, *[(k, key_of(v, leaves, static)) for k, v in value.items()])
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (kind, *[key_of(v, leaves, static) for v in value])
    if kind in (bool, str, type(None), dt.DType):
        return (kind, value)
    names = fields_of(value)
    if names is not None:
        return (kind, *[(n, key_of(getattr(value, n), leaves, static)) for n in names])
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        leaves.append(value)
        return value.abstract
    return (kind, id(value))


_CODES = {int: dt.int64.code, float: dt.float64.code}


def scalar_array(v) -> _core.Array:
    if type(v) is int and not -2 ** 63 <= v < 2 ** 63:
        raise complain(IntegerTooLarge, f"the int {v} does not fit 64 bits", cure="pass a float")
    return _core.Array.full((), _CODES[type(v)], v)


def names_of(fn) -> list[str]:
    """The names of the positional parameters of a function, of a cell's ``construct``, or of what `grad` made."""
    while not hasattr(fn, "construct") and not inspect.isroutine(fn) and hasattr(fn, "fn"):
        fn = fn.fn
    try:
        parameters = inspect.signature(getattr(fn, "construct", fn)).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def named_parts(fn, args: tuple, kwargs: dict) -> list:
    """(name, value) of every argument, containers taken apart: ``x``, ``x[0]``, ``x['key']``. The leaves among them
    stand in the order in which `key_of` finds them.
    """
    names, out = names_of(fn), []
    for i, v in enumerate(args):
        _parts(v, names[i] if i < len(names) else f"args[{i}]", out)
    for k, v in kwargs.items():
        _parts(v, k, out)
    return out


def _parts(v, name: str, out: list) -> None:
    if isinstance(v, (tuple, list)):
        fields = getattr(v, "_fields", None)
        for i, e in enumerate(v):
            _parts(e, f"{name}[{i}]" if fields is None else f"{name}.{fields[i]}", out)
    elif type(v) is dict:
        for k, e in v.items():
            _parts(e, f"{name}[{k!r}]", out)
    elif fields_of(v) is not None:
        for k in fields_of(v):
            _parts(getattr(v, k), f"{name}.{k}", out)
    else:
        out.append((name, v))


def is_leaf(v, static: bool) -> bool:
    """Whether a part of the arguments is given to the program at run time."""
    return isinstance(v, Tensor) and not isinstance(v, Parameter) or not static and type(v) in (int, float)


__all__ = ["fields_of", "is_leaf", "key_of", "named_parts", "names_of", "scalar_array", "skeleton_of"]
