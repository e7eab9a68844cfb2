"""Layers that compute by MindSpore's primitives.

A layer of this library is made of the ops that are fastest for it. One of MindSpore's is made of primitives
into which scripts reach: ``dense.matmul.shard(...)`` says how devices divide a product. Who asks a
layer for such a primitive gets it, and from then on the layer computes by its primitives.
"""

from __future__ import annotations

import types
from collections.abc import Callable

from ..ops.placed import for_each, place

_MAKERS: dict[type, dict[str, Callable]] = {}
_CONSTRUCTS: dict[type, Callable] = {}
NAMES: set[str] = set()
"""Those of all primitives of all layers."""


def made_of(*classes: type, **makers: Callable):
    """Note that ``construct`` does what layers of ``classes`` do, by primitives that ``makers`` make of a
    layer; a decorator.
    """

    def note(construct):
        for cls in classes:
            _MAKERS[cls], _CONSTRUCTS[cls] = makers, construct
        NAMES.update(makers)
        return construct

    return note


def primitive(cell, name: str):
    """The primitive ``name`` of a layer, by which it computes from now on; None if there is none."""
    makers = _table_of(cell)[1]
    if name not in makers:
        return None
    made = cell.__dict__[name] = makers[name](cell)
    compute_by(cell, name)
    return made


def compute_by(cell, name: str) -> None:
    """Let a layer compute by its primitives, if ``name`` is one, and it is not of a class of the user's that
    has a ``construct`` of its own.
    """
    cls, makers = _table_of(cell)
    if name in makers and type(cell).construct is cls.construct:
        cell.__dict__["construct"] = types.MethodType(_CONSTRUCTS[cls], cell)


def _table_of(cell) -> tuple[type | None, dict[str, Callable]]:
    for cls in type(cell).__mro__:
        if cls in _MAKERS:
            return cls, _MAKERS[cls]
    return None, {}


def told(of, *operands) -> tuple:
    """Operands, as the strategy of a primitive asks of what takes them."""
    asked = of.attrs.get("in_strategy")
    if asked is None:
        return operands
    each = for_each(asked, max(len(operands), len(asked)))
    return tuple([place(x, s, True) for x, s in zip(operands, each)])


def told_result(of, result):
    """A result, as the ``out_strategy`` of a primitive says."""
    asked = of.attrs.get("out_strategy")
    return result if asked is None else place(result, asked[0])


__all__ = ["NAMES", "compute_by", "made_of", "primitive", "told", "told_result"]
