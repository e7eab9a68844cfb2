"""`with` over objects whose ``__enter__`` and ``__exit__`` are written in Python.

`desugar` has put a call of ``leave_context`` on every way out of the body: its end, `return`,
`break` and `continue`. An exception ends the program, so ``__exit__`` does not see it.
"""

from __future__ import annotations

import gast

from ..base.errors import ParseError
from . import special
from .desugar import context_of, leave_context
from .registry import emits
from .stmt import assign, stmt


@stmt(gast.With)
def _enter(ip, node) -> None:
    (item,) = node.items
    try:
        manager = ip.eval(item.context_expr)
    except ParseError as e:
        at = e.complaint.loc
        if (at.line, at.file) == (item.context_expr.lineno, ip.here().file):
            ip.refuse(node)  # it cannot even be made here, as a file
        raise
    if not (special.has(manager, "__enter__") and special.has(manager, "__exit__")):
        ip.refuse(node)
    value = special.call(ip, manager, "__enter__")
    if item.optional_vars is not None:
        assign(ip, item.optional_vars, value)
    ip.frames[-1].vars[context_of(item)] = manager


@emits(leave_context)
def _leave(ip, place: str) -> None:
    special.call(ip, ip.frames[-1].vars.pop(place), "__exit__", None, None, None)
