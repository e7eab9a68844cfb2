"""Batching of typed graphs: the transformation behind `vmap`."""
