"""Rotation: afterwards a loop's body tests the condition of the next iteration itself.

A loop is a header that tests and chooses, and a body that calls the header: two activations per
iteration, and as many per level of a recursion that begins with a test. A small graph that recurs
is copied to where it is called, so that one of the two remains. The program must be closed.
"""

from __future__ import annotations

from ..ir import prim, walk
from ..ir.clone import Cloner
from ..ir.node import Apply, Graph, Node, replace

SMALL = 8  # applies


def rotate(graph: Graph) -> None:
    """Copy small recursive graphs to their calls; those that call others of them stay."""
    calls = walk.call_map(graph)
    small = {
        g for g in walk.recursive(graph, calls) if g is not graph and not g.flags and _is_test(g)
    }
    small = {g for g in small if small.isdisjoint(n.fn for n in g if n.fn.__class__ is Graph)}
    kept = {g.flags["bprop"] for g in calls if "bprop" in g.flags}
    for g in calls:
        if g not in small:
            for n in list(g):
                if n.fn in small and n.fn not in kept:
                    _copy(n)


def _is_test(g: Graph) -> bool:
    """Whether ``g`` is small, and does nothing but compute and choose."""
    n, left, chooses = g.head, SMALL, False
    while n is not None and left:
        chooses = chooses or n.fn is prim.switch
        n, left = n.next, left - 1
    return n is None and chooses


def _copy(n: Apply) -> None:
    """f(a, b) -> the body of f with its params replaced; the calls in it stand where f was
    called.
    """
    g = n.fn
    c = Cloner([g], dict(zip(g.params, n.args)), closed=True)
    for m in c.body(g, n.graph, n):
        if isinstance(m.fn, Node):
            m.loc = n.loc
    replace(n, c.value(g.output))
    n.graph.remove(n)
