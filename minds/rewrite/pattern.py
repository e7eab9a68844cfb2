"""Find cells that follow one another in a tree, and put others in their place."""

from __future__ import annotations

from collections import OrderedDict
from types import NoneType

from ..base.errors import complain
from ..nn import Cell
from ..ops.primitive import Primitive
from .node import Node, NodeType
from .tree import SymbolTree
from .values import expect_items, expect_types


class PatternNode:
    """A node of a pattern: a class, and patterns of the nodes whose results it takes.

    Args:
        pattern_node_name (str): its name, under which the node that matched is found.
        match_type (type): the class of the cell or primitive. Default NoneType.
        inputs (list[PatternNode]): patterns of the inputs; none match anything. Default None.

    Raises:
        TypeError: an argument has another type.

    Examples:
        >>> from minds import nn
        >>> from minds.rewrite import PatternNode
        >>> PatternNode.create_pattern_from_list([nn.Conv2d, nn.ReLU]).type().__name__
        'ReLU'
    """

    def __init__(
        self, pattern_node_name: str, match_type: type = NoneType, inputs: list | None = None
    ):
        expect_types("PatternNode", pattern_node_name=(pattern_node_name, str))
        expect_items("PatternNode", "inputs", inputs or [], PatternNode)
        self._name, self._type, self._inputs = pattern_node_name, match_type, list(inputs or [])

    @staticmethod
    def from_node(node: Node) -> PatternNode:
        """A pattern that matches what ``node`` calls.

        Args:
            node (Node): the node.

        Returns:
            PatternNode: without patterns of inputs.

        Raises:
            TypeError: ``node`` is no Node.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> node = rewrite.Node.create_call_cell(nn.ReLU(), ["y"])
            >>> rewrite.PatternNode.from_node(node).type().__name__
            'ReLU'
        """
        expect_types("PatternNode", node=(node, Node))
        kind = node.get_instance_type() if node.get_node_type() is NodeType.CallCell else type(None)
        return PatternNode(node.get_name(), kind)

    @staticmethod
    def create_pattern_from_node(node: Node) -> PatternNode:
        """A pattern of ``node`` and all that its arguments come from.

        Args:
            node (Node): the last node.

        Returns:
            PatternNode: with patterns of inputs.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> node = rewrite.Node.create_call_cell(nn.ReLU(), ["y"])
            >>> rewrite.PatternNode.create_pattern_from_node(node).get_inputs()
            []
        """
        pattern = PatternNode.from_node(node)
        pattern._inputs = [PatternNode.create_pattern_from_node(n) for n in node.get_inputs()]
        return pattern

    @staticmethod
    def create_pattern_from_list(type_list: list) -> PatternNode:
        """A chain of classes, each taking the result of the one before it.

        Args:
            type_list (list[type]): the classes.

        Returns:
            PatternNode: the pattern of the last.

        Raises:
            TypeError: ``type_list`` is no list.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> pattern = rewrite.PatternNode.create_pattern_from_list([nn.Conv2d, nn.ReLU])
            >>> pattern.get_inputs()[0].type().__name__
            'Conv2d'
        """
        expect_types("PatternNode", type_list=(type_list, list))
        last = None
        for i, cls in enumerate(type_list):
            last = PatternNode(f"{i}-{cls}", cls, [] if last is None else [last])
        return last

    def add_input(self, node: PatternNode) -> None:
        """Append a pattern of an input.

        Args:
            node (PatternNode): the pattern.

        Raises:
            TypeError: ``node`` is no PatternNode.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> pattern = rewrite.PatternNode("act", nn.ReLU)
            >>> pattern.add_input(rewrite.VarNode())
            >>> len(pattern.get_inputs())
            1
        """
        expect_types("PatternNode", node=(node, PatternNode))
        self._inputs.append(node)

    def set_inputs(self, inputs: list) -> None:
        """Set the patterns of the inputs.

        Args:
            inputs (list[PatternNode]): the patterns.

        Raises:
            TypeError: an element is no PatternNode.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> pattern = rewrite.PatternNode("act", nn.ReLU)
            >>> pattern.set_inputs([rewrite.VarNode()])
            >>> len(pattern.get_inputs())
            1
        """
        expect_items("PatternNode", "inputs", inputs, PatternNode)
        self._inputs = inputs

    def match(self, node: Node) -> bool:
        """Whether ``node`` itself fits, its inputs aside.

        Args:
            node (Node): the node.

        Returns:
            bool: whether.

        Raises:
            TypeError: ``node`` is no Node.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> node = rewrite.Node.create_call_cell(nn.ReLU(), ["y"])
            >>> rewrite.PatternNode("act", nn.ReLU).match(node)
            True
        """
        expect_types("PatternNode", node=(node, Node))
        return self._type == node.get_instance_type()

    def get_inputs(self) -> list:
        """The patterns of the inputs.

        Returns:
            list[PatternNode]: the patterns.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> rewrite.PatternNode("act", nn.ReLU).get_inputs()
            []
        """
        return self._inputs

    def name(self) -> str:
        """Its name.

        Returns:
            str: the name.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> rewrite.PatternNode("act", nn.ReLU).name()
            'act'
        """
        return self._name

    def type(self):
        """The class that it matches.

        Returns:
            type: the class.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> rewrite.PatternNode("act", nn.ReLU).type().__name__
            'ReLU'
        """
        return self._type


class VarNode(PatternNode):
    """A pattern that any node matches.

    Examples:
        >>> from minds import nn
        >>> from minds import rewrite
        >>> rewrite.VarNode().match(rewrite.Node.create_call_cell(nn.ReLU(), ["y"]))
        True
    """

    def __init__(self):
        super().__init__("placeholder", Cell, [])

    def match(self, node: Node) -> bool:
        return node is not None


class Replacement:
    """What is put in the place of a match: derive from it and define `build`.

    Examples:
        >>> from minds import nn
        >>> from minds import rewrite
        >>> class Faster(rewrite.Replacement):
        ...     def build(self, pattern, is_chain_pattern, matched):
        ...         old = matched[pattern.name()]
        ...         return [rewrite.Node.create_call_cell(nn.ReLU(), old.get_targets(), old.get_args())]
        >>> engine = rewrite.PatternEngine([nn.ReLU6], Faster())
    """

    def build(self, pattern: PatternNode, is_chain_pattern: bool, matched: OrderedDict) -> list:
        """The new nodes.

        Args:
            pattern (PatternNode): the root of the pattern.
            is_chain_pattern (bool): whether it was given as a list of classes.
            matched (OrderedDict): the node that matched, by the name of the pattern node.

        Returns:
            list[Node]: the new nodes; empty to change nothing.

        Raises:
            NotImplementedError: the subclass does not define it.

        Examples:
            >>> from minds import rewrite
            >>> class Keep(rewrite.Replacement):
            ...     def build(self, pattern, is_chain_pattern, matched):
            ...         return []
            >>> Keep().build(rewrite.VarNode(), False, {})
            []
        """
        raise complain(NotImplementedError, f"{type(self).__name__}: build is not defined")

    def __call__(self, pattern: PatternNode, is_chain_pattern: bool, matched: OrderedDict) -> list:
        return self.build(pattern, is_chain_pattern, matched)


class PatternEngine:
    """A pattern, and what replaces its matches.

    Args:
        pattern (PatternNode | list[type]): the root of the pattern, or a chain of classes.
        replacement (Replacement): what makes the new nodes. Default: None, then nothing changes.

    Raises:
        TypeError: an argument has another type.

    Examples:
        >>> from minds import nn
        >>> from minds.rewrite import PatternEngine
        >>> PatternEngine([nn.Conv2d, nn.ReLU]).pattern().type().__name__
        'ReLU'
    """

    def __init__(self, pattern, replacement: Replacement | None = None):
        if replacement is not None:
            expect_types("PatternEngine", replacement=(replacement, Replacement))
        self._is_chain = isinstance(pattern, list)
        for cls in pattern if self._is_chain else ():
            if not (isinstance(cls, type) and issubclass(cls, (Cell, Primitive))):
                raise complain(
                    TypeError,
                    f"PatternEngine: pattern holds {cls!r}",
                    expected="classes of cells or primitives",
                )
        if not self._is_chain:
            expect_types("PatternEngine", pattern=(pattern, PatternNode))
        self._pattern = PatternNode.create_pattern_from_list(pattern) if self._is_chain else pattern
        self._replacement = replacement

    def pattern(self) -> PatternNode:
        """The root of the pattern.

        Returns:
            PatternNode: the root.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> rewrite.PatternEngine([nn.Conv2d, nn.ReLU]).pattern().type().__name__
            'ReLU'
        """
        return self._pattern

    def apply(self, stree: SymbolTree) -> bool:
        """Replace all matches in a tree and in the trees of its sub-networks.

        Args:
            stree (SymbolTree): the tree.

        Returns:
            bool: whether something was replaced.

        Raises:
            TypeError: ``stree`` is no SymbolTree.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> engine = rewrite.PatternEngine([nn.Conv2d, nn.ReLU])
            >>> engine.apply(rewrite.SymbolTree.create(nn.LeakyReLU(0.1)))
            False
        """
        expect_types("PatternEngine", stree=(stree, SymbolTree))
        changed, queue, visited = False, stree.get_inputs(), []
        for sub in [
            n.get_sub_tree()
            for n in stree.all_nodes(subtree_nodes=False)
            if n.get_sub_tree() is not None
        ]:
            changed = self.apply(sub) or changed
        while queue:
            node = queue.pop(0)
            if node in visited or node.tree is None:
                continue
            visited.append(node)
            matched: OrderedDict = OrderedDict()
            fits = self._matches(self._pattern, node, matched) and self._alone(node, matched)
            new = (
                self._replacement(self._pattern, self._is_chain, matched)
                if fits and self._replacement
                else None
            )
            if not new:
                queue += node.get_users()
                continue
            changed = True
            root = stree.replace(node, new)
            for old in reversed(matched.values()):
                if old is not node:
                    stree.erase(old)
            queue.append(root)
        return changed

    def _matches(self, pattern: PatternNode, node: Node, matched: OrderedDict) -> bool:
        """Whether ``node`` and its inputs fit; enters them, inputs first."""
        if not pattern.match(node):
            return False
        inputs = node.get_inputs()
        if pattern.get_inputs() and len(inputs) != len(pattern.get_inputs()):
            return False
        if not all(self._matches(p, n, matched) for p, n in zip(pattern.get_inputs(), inputs)):
            return False
        if not isinstance(pattern, VarNode):
            matched[pattern.name()] = node
        return True

    @staticmethod
    def _alone(root: Node, matched: OrderedDict) -> bool:
        """Whether nobody else takes what the inner nodes of a match give."""
        nodes = list(matched.values())
        return all(u in nodes for n in nodes if n is not root for u in n.get_users())


__all__ = ["PatternEngine", "PatternNode", "Replacement", "VarNode"]
