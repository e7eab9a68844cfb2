"""Floor 7: compilation of functions and cells: what a program depends on, the steps, the cache."""
