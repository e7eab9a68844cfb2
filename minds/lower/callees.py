"""What is known of a callee while lowering: the graphs that it may be, and their first arguments."""

from __future__ import annotations

from ..ir import prim, walk
from ..ir.node import Apply, Constant, Graph


def callee(fn):
    """What is known of a callee: (None, [(graph, first arguments)]), (condition, two such), or
    None.
    """
    first: list = []
    while True:
        if type(fn) is Graph:
            return None, [(fn, first)]
        if type(fn) is Constant and type(fn.value) is Graph:
            return None, [(fn.value, first)]
        if type(fn) is not Apply:
            return None
        if fn.fn is prim.partial:
            first = [*fn.args[1:], *first]
            fn = fn.args[0]
        elif fn.fn is prim.switch:
            sides = [_side(a, first) for a in fn.args[1:]]
            return None if None in sides else (fn.args[0], sides)
        else:
            return None


def _side(fn, rest: list):
    """(graph, arguments) of one side of a switch, seen through partials."""
    while type(fn) is Apply and fn.fn is prim.partial:
        rest = [*fn.args[1:], *rest]
        fn = fn.args[0]
    graph = walk.graph_of(fn)
    return None if graph is None else (graph, rest)
