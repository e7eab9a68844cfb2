"""Composites: plain functions over ops, under MindSpore's names. They run on tensors, and on nodes
while a graph is built.
"""

from ...base.late import late
from .. import definitions  # composites refer to ops by `P.<name>` when they are imported
from .elsewhere import functions

__getattr__, __dir__ = late(__name__, {}, ["grad"], functions)
