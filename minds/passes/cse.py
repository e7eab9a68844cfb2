"""Common subexpressions: afterwards no graph computes the same thing twice.

Applies without effect are the same if they have the same callee and the same arguments; constants
count by value, to the bit. A load equals an earlier one if nothing in between may have written (see
`loads` on aliases). The program must be closed.
"""

from __future__ import annotations

from ..ir import prim, walk
from ..ir.node import Apply, Constant, Graph, Node, replace
from .loads import touched


def cse(graph: Graph, options=None) -> Graph:
    """Merge equal applies, graph by graph, in program order."""
    calls = walk.call_map(graph)
    walk.mark_effects(graph, calls)
    for g in calls:
        _merge(g, distinct=g is graph)
    return graph


def _merge(g: Graph, distinct: bool) -> None:
    seen: dict[tuple, Apply] = {}
    epoch: dict[Node, int] = {}
    world = 0
    for n in g:
        if n.fn is prim.assign or walk.effectful(n):
            refs = touched(n)
            if refs is None or refs and not distinct:
                world += 1
            else:
                for p in refs:
                    epoch[p] = epoch.get(p, 0) + 1
            continue
        if n.fn.__class__ is not Graph and isinstance(n.fn, Node):
            continue
        key = (n.fn, n.abstract, *map(_key, n.args))
        if n.fn is prim.load:
            key += (world, epoch.get(n.args[0], 0))
        elif n.fn.__class__ is Graph and touched(n) != []:
            continue
        first = seen.setdefault(key, n)
        if first is not n:
            replace(n, first)
            g.remove(n)


def _key(a: Node):
    """Equal for equal operands."""
    return constant_key(a.value) if a.__class__ is Constant else a


def constant_key(v):
    """A hashable key of a constant that tells 1 from 1.0 and True, and 0.0 from -0.0."""
    kind = type(v)
    if kind is float:
        return kind, v.hex()
    if kind in (tuple, list):
        return tuple, tuple(map(constant_key, v))
    if hasattr(v, "asnumpy") and v.size <= 1:
        return v.dtype, v.shape, v.asnumpy().tobytes()
    try:
        hash(v)
    except TypeError:
        return kind, id(v)
    return kind, v
