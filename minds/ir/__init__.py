"""Floor 1: the graph: typed nodes in program order, structural primitives, builder, printer and parser, verifier."""
