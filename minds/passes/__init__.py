"""Floor 3: rewriting. A pass is ``fn(graph, options) -> graph`` on a root graph and everything
reachable from it.
"""
