"""Networks over graphs: features of nodes ``(V, F)`` and edges ``(2, E)``, from node to node, in."""
