"""Change the `construct` of a network as a list of nodes, and get the changed network.

`SymbolTree.create(net)` reads the source of ``construct``: nested calls are taken apart, so that
each statement is one node (a call of a cell, an op, a function; an operator; a return). Nodes can
be inserted, erased and replaced; `get_code` prints the network as it is now, and `get_network`
makes it, with the parameters of the original.
"""

from ..base.boundary import guard as _guard
from .node import Node, NodeType
from .pattern import PatternEngine, PatternNode, Replacement, VarNode
from .tree import SymbolTree
from .values import ScopedValue, ValueType

__all__ = [
    "Node",
    "NodeType",
    "PatternEngine",
    "PatternNode",
    "Replacement",
    "ScopedValue",
    "SymbolTree",
    "ValueType",
    "VarNode",
]
_guard(__name__)
