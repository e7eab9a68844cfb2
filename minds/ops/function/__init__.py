"""Composites: plain functions over ops, under MindSpore's names. They run on tensors, and on nodes
while a graph is built.
"""

from .. import definitions  # noqa: F401  (composites refer to ops by `P.<name>` when they are imported)
