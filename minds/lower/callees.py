"""What is known of a callee while lowering: the graphs that it may be, and their first arguments."""

from __future__ import annotations

from ..ir import prim, walk
from ..ir.node import Apply, Graph


def callee(fn):
    """What is known of a callee: (None, [(graph, first arguments)]), (condition, two such), or
    None.
    """
    fn, first = _applied(fn, [])
    if type(fn) is Apply and fn.fn is prim.switch:
        cond, sides = fn.args[0], [_applied(a, first) for a in fn.args[1:]]
    else:
        cond, sides = None, [(fn, first)]
    found = [(f if type(f) is Graph else walk.graph_of(f), rest) for f, rest in sides]
    return None if any(g is None for g, _ in found) else (cond, found)


def _applied(fn, rest: list) -> tuple:
    """``fn`` seen through partials, and its first arguments: theirs, then ``rest``."""
    while type(fn) is Apply and fn.fn is prim.partial:
        rest = [*fn.args[1:], *rest]
        fn = fn.args[0]
    return fn, rest
