"""Execution mode and device, under MindSpore's module name."""
from .base.options import GRAPH_MODE, PYNATIVE_MODE, get_context, set_context

__all__ = ["GRAPH_MODE", "PYNATIVE_MODE", "get_context", "set_context"]
