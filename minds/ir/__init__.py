"""Floor 1: the graph: typed nodes in program order, primitives, builder, printer and parser,
verifier.
"""
