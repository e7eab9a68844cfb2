"""`with` over objects whose ``__enter__`` and ``__exit__`` are written in Python.

Every way out of the body, its end, `return`, `break` and `continue`, calls ``__exit__(None, None,
None)``. An exception ends the program, so ``__exit__`` does not see it.
"""

from __future__ import annotations

from dataclasses import dataclass

import gast

from ..base.errors import ParseError
from . import special
from .interp import Interp


@dataclass(eq=False)
class Context:
    """A `with` whose body is being interpreted.

    Attributes:
        manager: the object.
        loop: the innermost loop around it in its function.
    """

    manager: object
    loop: object


def with_statement(assign):
    """The handler of `with`; ``assign`` binds a target."""

    def handler(ip: Interp, node: gast.With) -> None:
        _within(ip, node, list(node.items), assign)

    return handler


def _within(ip: Interp, node: gast.With, items: list, assign) -> None:
    if not items:
        ip.block(node.body)
        return
    item, contexts = items[0], ip.frames[-1].contexts
    try:
        manager = ip.eval(item.context_expr)
    except ParseError as e:
        if (
            e.complaint.loc.line == item.context_expr.lineno
            and e.complaint.loc.file == ip.here().file
        ):
            ip.refuse(node)  # it cannot even be made here, as a file
        raise
    if not (special.has(manager, "__enter__") and special.has(manager, "__exit__")):
        ip.refuse(node)
    value = special.call(ip, manager, "__enter__")
    if item.optional_vars is not None:
        assign(ip, item.optional_vars, value)
    contexts.append(Context(manager, ip.frames[-1].loop))
    try:
        _within(ip, node, items[1:], assign)
    finally:
        left = contexts.pop()
    if ip.live:
        _exit(ip, left)


def leave(ip: Interp, loop=None) -> None:
    """Leave the contexts that are open in the present function, or those inside of its loop
    ``loop``.
    """
    for context in reversed(ip.frames[-1].contexts):
        if loop is not None and context.loop is not loop:
            return
        _exit(ip, context)


def _exit(ip: Interp, context: Context) -> None:
    special.call(ip, context.manager, "__exit__", None, None, None)


__all__ = ["leave", "with_statement"]
