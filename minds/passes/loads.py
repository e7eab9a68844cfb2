"""Loads and stores: afterwards a value that was just stored or loaded is not loaded again, and no
store is overwritten unread.

Within a graph, in program order. Root parameters are different objects; params of other graphs may
be the same one, so there a store to one forgets all. A call touches the references it is given; one
to a function value touches all. The program must be closed.
"""

from __future__ import annotations

from ..ir import prim, walk
from ..ir.abstract import AbstractFunction, AbstractRef, AbstractTuple
from ..ir.node import Apply, Graph, Node, replace


def loads(graph: Graph, options=None) -> Graph:
    """Forward stores to loads, merge loads, drop dead stores."""
    calls = walk.call_map(graph)
    walk.mark_effects(graph, calls)
    for g in calls:
        _sweep(g, distinct=g is graph)
    return graph


def touched(n: Apply) -> list[Node] | None:
    """The references that ``n`` may read or write; None: any."""
    if n.fn in (prim.load, prim.assign):
        return [n.args[0]]
    if n.fn.__class__ is not Graph and not isinstance(n.fn, Node):
        return []
    if n.fn.__class__ is not Graph and not _is_plain(n.fn):
        return None
    refs: list[Node] = []
    for a in n.args:
        if isinstance(a.abstract, AbstractRef):
            refs.append(a)
        elif _may_hold_ref(a.abstract):
            return None
    return refs


def _is_plain(fn: Node) -> bool:
    """A switch of graphs: it captured nothing."""
    return fn.__class__ is Apply and fn.fn is prim.switch and all(map(walk.graph_of, fn.args[1:]))


def _may_hold_ref(a) -> bool:
    return (
        isinstance(a, AbstractFunction)
        or isinstance(a, AbstractTuple)
        and any(isinstance(i, AbstractRef) or _may_hold_ref(i) for i in a.items)
    )


def _sweep(g: Graph, distinct: bool) -> None:
    known: dict[Node, Node] = {}  # reference to the value it holds
    unread: dict[Node, Apply] = {}  # reference to a store that nobody has read yet
    for n in g:
        if n.fn is prim.load:
            p = n.args[0]
            if p in known:
                replace(n, known[p])
                g.remove(n)
                continue
            known[p] = n
            if distinct:
                unread.pop(p, None)
            else:
                unread.clear()
        elif n.fn is prim.assign:
            p, v = n.args
            if p in unread:
                dead = unread.pop(p)
                replace(dead, dead.args[1])
                g.remove(dead)
            if not distinct:
                known.clear()
                unread.clear()
            known.pop(p, None)
            if v.abstract is p.abstract.value:
                known[p] = v
                unread[p] = n
        elif n.fn.__class__ is Graph or isinstance(n.fn, Node):
            _call(n, distinct, known, unread)


def _call(n: Apply, distinct: bool, known: dict, unread: dict) -> None:
    refs, writes = touched(n), walk.effectful(n)
    if refs is None or refs and not distinct:
        unread.clear()
        if writes:
            known.clear()
        return
    for p in refs:
        unread.pop(p, None)
        if writes:
            known.pop(p, None)
