"""The step ``simplify``: inlining, tuples, branches, constants, algebra and dead code in one worklist."""
from __future__ import annotations

from ..ir import prim, walk
from ..ir.node import Graph
from . import algebra, branch, constants, inline, tuples
from .driver import Rewriter, table

STRUCTURE = table(*tuples.RULES, *branch.RULES, *inline.RULES, *constants.RULES)
EVERYTHING = table(*tuples.RULES, *branch.RULES, *inline.RULES, *constants.RULES, *algebra.RULES)


def simplify(graph: Graph, options=None) -> Graph:
    """Inline, take tuples apart, decide branches, fold constants; with algebraic rules once no J is left.

    Before J nothing may merge two uses of a value, which algebraic rules could; they wait.
    """
    before_j = any(n.fn is prim.J for g in walk.graphs(graph) for n in g)
    return Rewriter(graph, STRUCTURE if before_j else EVERYTHING, options).run()
