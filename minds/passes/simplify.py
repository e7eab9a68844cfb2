"""The step ``simplify``: inlining, tuples, branches, constants, algebra and dead code in one
worklist.
"""

from __future__ import annotations

from ..ir.node import Graph
from . import algebra, branch, constants, inline, tuples
from .driver import Rewriter, table

STRUCTURE = table(*tuples.RULES, *branch.RULES, *inline.RULES, *constants.RULES)
EVERYTHING = table(*tuples.RULES, *branch.RULES, *inline.RULES, *constants.RULES, *algebra.RULES)


def simplify(graph: Graph, options=None) -> Graph:
    """Inline, take tuples apart, decide branches, fold constants; with algebraic rules once no J is
    left.

    Before J nothing may merge two uses of a value, which algebraic rules could; they wait.
    """
    rewriter = Rewriter(graph, EVERYTHING, options)
    if rewriter.has_j:
        rewriter.rules = STRUCTURE
    return rewriter.run()


def structure(graph: Graph, options=None) -> Graph:
    """`simplify` of a program that will be differentiated, though no J says so: no algebra, custom
    gradients stay.
    """
    rewriter = Rewriter(graph, STRUCTURE, options)
    rewriter.has_j = True
    return rewriter.run()
