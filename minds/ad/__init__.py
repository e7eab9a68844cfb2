"""Floor 3: reverse-mode differentiation: J for graphs, a tape for eager execution, numerical checks."""
