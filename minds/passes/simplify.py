"""The steps ``simplify`` and ``tidy``: inlining, tuples, branches, constants, algebra and dead code in one
worklist.
"""

from __future__ import annotations

from ..ir.node import Graph
from . import algebra, branch, constants, inline, tuples
from .driver import Rewriter, table

_RULES = (*tuples.RULES, *branch.RULES, *inline.RULES, *constants.RULES, *algebra.RULES)
RULES, LAST_RULES = table(*_RULES), table(*_RULES, *algebra.AFTER_J)


def simplify(graph: Graph, options=None) -> Graph:
    """Inline, take tuples apart, decide branches, fold constants, apply algebraic rules."""
    return Rewriter(graph, RULES, options).run()


def tidy(graph: Graph, options=None) -> Graph:
    """`simplify` of what is not differentiated any more."""
    return Rewriter(graph, LAST_RULES, options).run()


def simplify_differentiable(graph: Graph, options=None) -> Graph:
    """`simplify` of a program that will be differentiated, though no J says so: custom gradients
    stay.
    """
    rewriter = Rewriter(graph, RULES, options)
    rewriter.has_j = True
    return rewriter.run()
