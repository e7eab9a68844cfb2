"""Expressions that are evaluated one after the other, while the values of the earlier ones wait.

What waits is known to the interpreter like a variable. So where a later expression sets items of a
tensor that waits (``x + f(x)``), it waits with the new items, as CPython's object does.
"""

from __future__ import annotations

import gast

from ..base.errors import complain
from .source import contains
from .values import Missing


def values_of(ip, nodes: list) -> list:
    """The values of expressions, in order."""
    last = max((k for k, n in enumerate(nodes[1:], 1) if _calls(n)), default=0)
    return (
        _waiting(ip, [ip.eval(nodes[0])], nodes[1:], last) if last else [ip.eval(n) for n in nodes]
    )


def value_behind(ip, value, node: gast.AST) -> list:
    """``value``, and that of an expression behind it."""
    return _waiting(ip, [value], [node], 1) if _calls(node) else [value, ip.eval(node)]


def _waiting(ip, values: list, nodes: list, last: int) -> list:
    """``values`` and those of ``nodes``; until number ``last`` is there, they wait."""
    frame, names = ip.frames[-1], []

    def wait(value) -> None:
        names.append(f"<operand {ip.waiting}>")
        ip.waiting += 1
        frame.vars[names[-1]] = value

    try:
        for v in values:
            wait(v)
        for n in nodes[: last - len(values)]:
            wait(ip.eval(n))
        rest = [ip.eval(nodes[last - len(values)])]
        found = [_present(frame.vars[name]) for name in names] + rest
    finally:
        ip.waiting -= len(names)
        for name in names:
            frame.vars.pop(name, None)
    return found + [ip.eval(n) for n in nodes[last + 1 - len(values) :]]


def _present(value):
    """What waited, unless it can no longer be told."""
    if isinstance(value, Missing):
        raise complain(
            value.kind,
            "an operand cannot be used any more: what stands behind it changes a tensor that may "
            "be the same",
            cure="assign both to names first",
        )
    return value


def _calls(n: gast.AST) -> bool:
    """Whether evaluating an expression may run a function."""
    if not hasattr(n, "calls"):
        n.calls = contains([n], gast.Call)
    return n.calls


__all__ = ["value_behind", "values_of"]
