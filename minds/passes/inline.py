"""Inlining: afterwards a graph that is called once, and does not recur, is no call.

Such a graph is inlined by moving its applies; a small one that is called more often is copied.
Callers are visited before callees, so an apply is moved once however deep the calls are nested. A
graph with a custom gradient, or that is recomputed for its gradient, waits until J is gone; one
that stands apart is never inlined.
"""

from __future__ import annotations

from ..ir import walk
from ..ir.clone import Cloner, substitute
from ..ir.node import Apply, Graph
from .driver import CALL, rule

SMALL = 8  # applies


@rule(CALL)
def inline_call(n: Apply, rewriter):
    """f(a, b) -> the body of f with its params replaced."""
    g = n.fn
    if (
        g.__class__ is not Graph
        or g in rewriter.recursive
        and (g.callers != {n: 1} or n.graph is g)
        or g.ret is None
        or len(g.params) != len(n.args)
    ):
        return None
    if (
        "apart" in g.flags
        or "pop" in g.flags
        or rewriter.has_j
        and ("bprop" in g.flags or "recompute" in g.flags)
    ):
        return None
    if g.callers == {n: 1} and g not in rewriter.kept:
        return _move(n, g, rewriter)
    return _copy(n, g) if _is_small(g) else None


def _move(n: Apply, g: Graph, rewriter):
    for user in substitute(dict(zip(g.params, n.args))):
        rewriter.push(user)
    splice(g, n)
    return g.output


def splice(g: Graph, before: Apply) -> None:
    """Move all applies of ``g`` before ``before``; uses stay as they are."""
    to, first, last = before.graph, g.head, g.tail
    if first is None:
        return
    n = first
    while n is not None:
        n.graph = to
        n = n.next
    first.prev, last.next = before.prev, before
    if before.prev is None:
        to.head = first
    else:
        before.prev.next = first
    before.prev = last
    g.head = g.tail = None


def _is_small(g: Graph) -> bool:
    """At most `SMALL` applies, and no mention of graphs, which would have to be copied with it; nor
    anything that finds a size, which would then have two.
    """
    n, left = g.head, SMALL
    while n is not None:
        left -= 1
        if left < 0 or next(walk.referred(n), None) is not None or getattr(n.fn, "finds", False):
            return False
        n = n.next
    return walk.graph_of(g.output) is None


def _copy(n: Apply, g: Graph):
    c = Cloner([g], dict(zip(g.params, n.args)))
    c.body(g, n.graph, n)
    return c.value(g.output)


RULES = (inline_call,)
