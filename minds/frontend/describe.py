"""What messages say of values."""

from __future__ import annotations

import os
import types
from itertools import islice

from ..base.errors import CompileTimeError, complain, needing
from ..ir.abstract import AbstractFunction
from ..ir.dim import Dim
from ..ir.node import Constant, Node, Param
from ..ops.define import Op
from ..tensor import Parameter, Tensor
from .function_types import Closure, RecursiveClosures, UnionValue
from .value_types import NUMBERS, Leaf, LocalSet, Rows, RunArray, RunList, View

SHOWN_ELEMENTS = 50, 12, 8, 4, 2, 1, 1, 1  # in messages: of a container, of one in it, …


def describe(v, level: int = 0) -> str:
    """A value's type as messages show it; ``level``: how many containers it lies in."""
    if isinstance(v, Node):
        kind = v.abstract
        function = isinstance(kind, AbstractFunction) and isinstance(kind.key, RecursiveClosures)
        return f"function {kind.key.name}" if function else repr(kind)
    if isinstance(v, Parameter):
        return f"{v.abstract!r}  Parameter {v.name!r}"
    if isinstance(v, Tensor):
        return repr(v.abstract)
    if type(v) is RunList:
        if v.size is not None:
            return f"[{', '.join([_describe_rows(v.held)] * v.size)}]"
        name = "list" if v.kind is None else v.kind.cls.__name__
        return f"{name} of {describe(v.rows.skeleton)}, as many as the run finds"
    if isinstance(v, (tuple, list)):
        inner = _describe_some(v, level, lambda e: describe(e, level + 1))
        return f"[{inner}]" if isinstance(v, list) else f"({inner})"
    if isinstance(v, dict):
        inner = _describe_some(v, level, lambda k: f"{k!r}: {describe(v[k], level + 1)}")
        return f"{{{inner}}}"
    if type(v) is LocalSet:
        return describe(set(v))
    if type(v) is RunArray:
        return f"array of NumPy like {describe(v.node)}"
    if isinstance(v, View):
        return f"dict_{v.name}({describe(v.items())})"
    if isinstance(v, (bool, int, float, str, Dim)):
        return f"{'int' if type(v) is Dim else type(v).__name__} {v!r}"
    if v is None or isinstance(v, Op):
        return repr(v).replace("P.", "ops.")
    if isinstance(v, Leaf):
        return repr(v.abstract)
    if isinstance(v, Closure):
        return f"function {v.name}"
    if isinstance(v, UnionValue):
        if all(
            isinstance(o, Closure) or callable(o) and not isinstance(o, Node) for o in v.options
        ):
            return f"one of {len(v.options)} functions"
        return " or ".join(map(describe, v.options))
    named = callable(v) or isinstance(v, types.ModuleType)  # others may compute any attribute
    name = getattr(v, "__name__", None) if named else None
    return name if isinstance(name, str) else type(v).__name__


def _describe_some(container, level: int, show) -> str:
    """The first elements of a container, which may be large and may hold itself."""
    if level >= len(SHOWN_ELEMENTS):
        return "…" if len(container) else ""
    shown = [show(e) for e in islice(container, SHOWN_ELEMENTS[level])]
    rest = len(container) - len(shown)
    return ", ".join([*shown, f"… {rest} more"] if rest else shown)


def _describe_rows(held) -> str:
    if type(held) is Rows:
        return describe(held.skeleton)
    one = _describe_rows(held.of.rows)
    for size in reversed(held.dims[1:]):
        one = f"[{', '.join([one] * size)}]"
    return one


def described(v) -> str:
    """`describe`, and where a node comes from."""
    at = getattr(v, "loc", None)
    if at is None or isinstance(v, Param):
        return describe(v)
    return f"{describe(v)}  from {os.path.basename(at.file)}:{at.line}"


def no_place(index, count: int, of: str = "list") -> Exception:
    """The error of an index that is out of range."""
    return complain(IndexError, f"index {index} is out of range for a {of} of {count} elements")


def no_key(key, owner: dict) -> Exception:
    """The error of a key that a dict does not have."""
    what = f"key {key!r} is not in the dict"
    error = complain(KeyError, what, expected=f"one of {list(owner)}")
    error.args = (key,)
    return error


def need_static(v, what: str):
    """``v``, which must be known now.

    Raises:
        CompileTimeError: it is a run-time value.
    """
    if isinstance(v, Constant) and type(v.value) in NUMBERS:
        return v.value  # `mutable` made it one of the run, though it is known
    if isinstance(v, (Node, UnionValue, RunArray)):
        chosen = isinstance(v, UnionValue)
        raise needing(
            complain(
                CompileTimeError,
                f"{what} must be known when the program is compiled",
                operands=[(what, describe(v))],
                cure="do this on each path of the condition that chooses it"
                if chosen
                else "pass a constant, or compute it from shapes",
            ),
            [] if chosen else [v.node if type(v) is RunArray else v],
        )
    return v
