"""The changes of a tree: nodes that are put in, taken out, or put in the place of others."""

from __future__ import annotations

from dataclasses import dataclass

from ..base.errors import complain
from .node import Node, NodeList, NodeType
from .values import ValueType, expect_items, expect_types


@dataclass(frozen=True, eq=False)
class Position:
    """A place for a node: before or after another."""

    node: Node
    before: bool


class TreeChanges:
    """The part of `SymbolTree` that changes it."""

    _part_of = "SymbolTree"

    def before(self, node) -> Position:
        """The place before a node.

        Args:
            node (Node, str): the node, or its name.

        Returns:
            Position: for `insert`.

        Raises:
            TypeError: ``node`` is neither a Node nor a str.
            ValueError: it is not in this tree.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.before("return").before
            True
        """
        return Position(self._node(node), True)

    def after(self, node) -> Position:
        """The place behind a node.

        Args:
            node (Node, str): the node, or its name.

        Returns:
            Position: for `insert`.

        Raises:
            TypeError: ``node`` is neither a Node nor a str.
            ValueError: it is not in this tree.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.after("input_x").before
            False
        """
        return Position(self._node(node), False)

    def _node(self, node) -> Node:
        expect_types("SymbolTree", node=(node, (Node, str)))
        found = self.get_node(node) if isinstance(node, str) else node
        if found is None or found.tree is not self:
            raise complain(
                ValueError,
                f"SymbolTree: node {node if isinstance(node, str) else node.get_name()!r} is not "
                "in this tree",
            )
        return found

    def insert(self, position: Position, node: Node) -> Node:
        """Insert a new node at a position.

        Args:
            position (Position): from `before` or `after`.
            node (Node): a new node.

        Returns:
            Node: the same, now with a name of its own.

        Raises:
            TypeError: ``position`` or ``node`` has another type.
            ValueError: ``position`` is in another tree, or before an input.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> x = rewrite.ScopedValue.create_naming_value("x")
            >>> node = rewrite.Node.create_call_cell(nn.ReLU(), ["x"], [x])
            >>> _ = tree.insert(tree.after("input_x"), node)
            >>> [n.get_name() for n in tree.nodes()]
            ['input_x', 'ReLU', 'leaky_relu', 'return']
        """
        expect_types("insert", position=(position, Position), node=(node, Node))
        at = self._node(position.node)
        if at.get_node_type() is NodeType.Input and position.before:
            raise complain(
                ValueError,
                "insert: a node cannot stand before an input",
                cure="insert behind the inputs",
            )
        self._enter(node)
        node.block = at.block
        # An `else` follows its `if` and takes no place of its own.
        place = at if position.before or getattr(at, "otherwise", None) is None else at.otherwise
        at.block.nodes.insert(at.block.nodes.index(place) + (not position.before), node)
        at.block.write()
        return node

    def _enter(self, node: Node) -> None:
        if node.tree is not None:
            raise complain(
                ValueError,
                f"insert: node {node.get_name()!r} is in a tree already",
                cure="make a new one",
            )
        node._name = self.node_name(node._name, new=True)
        node.tree, node.new = self, True
        if node.get_node_type() is NodeType.CallFunction:
            self.object_name(node._instance)
        elif node.get_node_type() is NodeType.Tree:
            node.symbol_tree = type(self)(node._instance)

    def erase(self, node) -> Node | None:
        """Take a node, or the node of a name, out; what others take from it they take from the node
        before that binds the same name.

        Args:
            node (Node, str): the node, or its name.

        Returns:
            Node: it, or None where it is not in the tree.

        Raises:
            TypeError: ``node`` is neither.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.erase("leaky_relu").get_name(), tree.erase("leaky_relu")
            ('leaky_relu', None)
        """
        expect_types("erase", node=(node, (Node, str)))
        node = self.get_node(node) if isinstance(node, str) else node
        if node is None or node.tree is not self:
            return None
        owner = getattr(node, "owner", None)
        otherwise = getattr(node, "otherwise", None)
        if otherwise is not None:  # the `else` stays: `if …: pass`
            node.blocks[0].nodes.clear()
            node.blocks[0].write()
        else:
            node.block.nodes.remove(node)
            node.tree = None
        if owner is not None:
            node.blocks[0].body.clear()
            owner.otherwise = None
            if not owner.blocks[0].nodes:
                owner.block.nodes.remove(owner)
        node.block.write()
        return node

    erase_node = erase

    def replace(self, old_node: Node, new_nodes: list) -> Node:
        """Put nodes in the place of one. The last of them gives what the old one gave: who took its
        target takes that of the last one.

        Args:
            old_node (Node): what goes.
            new_nodes (list[Node]): what comes; not empty.

        Returns:
            Node: the last of the new nodes.

        Raises:
            TypeError: ``old_node`` or ``new_nodes`` has another type.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> x = rewrite.ScopedValue.create_naming_value("x")
            >>> node = rewrite.Node.create_call_cell(nn.ReLU(), ["y"], [x], name="act")
            >>> tree.replace(tree.get_node("leaky_relu"), [node]).get_name()
            'act'
            >>> print(tree.get_network()(ms.Tensor([-1.0, 2.0])))
            [0. 2.]
        """
        expect_types("replace", old_node=(old_node, Node))
        expect_items("replace", "new_nodes", new_nodes, Node)
        users = old_node.get_target_users()
        root = new_nodes[-1]
        for node in _ordered(new_nodes):
            self.insert(self.before(old_node), node)
        for i, uses in users.items():
            for user, arg in uses:
                if i < len(root.get_targets()):
                    user.set_arg(arg, root.get_targets()[i])
        self.erase(old_node)
        return root

    def set_output(self, index: int, return_value: str) -> Node:
        """Let the last return give ``return_value`` as its value ``index``.

        Args:
            index (int): which value of the return.
            return_value (str): a variable.

        Returns:
            Node: the node of the return.

        Raises:
            TypeError: ``return_value`` is no str.
            ValueError: there is no such value.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.set_output(0, "x").get_args()
            [x]
        """
        node = [n for n in self._block.nodes if n.get_node_type() is NodeType.Output][-1]
        node.set_arg(index, return_value)
        return node

    def flatten_static_if_control_flow(self) -> None:
        """Put the statements of the branch that is taken in the place of each ``if`` whose
        condition no value of the run takes part in.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.Dense(2, 1, has_bias=False))
            >>> kinds = [node.get_node_type().name for node in tree.nodes()]
            >>> tree.flatten_static_if_control_flow()
            >>> flat = [node.get_node_type().name for node in tree.nodes()]
            >>> kinds.count("ControlFlow") > flat.count("ControlFlow")
            True
        """
        for _, block in list(self._functions.values()):
            self._flatten(block)
        for tree in [n.symbol_tree for n in self._all(subtrees=False) if n.symbol_tree is not None]:
            tree.flatten_static_if_control_flow()

    def _flatten(self, block: NodeList) -> None:
        for node in list(block.nodes):
            for inner in node.blocks if node.get_node_type() is NodeType.ControlFlow else ():
                self._flatten(inner)
            taken = node.test() if hasattr(node, "test") else None
            if taken is None:
                continue
            otherwise = getattr(node, "otherwise", None)
            chosen = node if taken else otherwise
            moved = chosen.nodes() if chosen is not None else []
            for n in moved:
                n.block = block
            i = block.nodes.index(node)
            block.nodes[i : i + (1 if otherwise is None else 2)] = moved
        block.write()


def _ordered(nodes: list) -> list:
    """Nodes so that each stands behind those whose targets it takes: from the last one back,
    breadth first.
    """
    order, queue = [], [nodes[-1]]
    while queue:
        n = queue.pop(0)
        if n in order:
            order.remove(n)
        order.append(n)
        taken = [
            a for a in (*n.get_args(), *n.get_kwargs().values()) if a.type is ValueType.NamingValue
        ]
        queue += [p for a in taken for p in nodes[: nodes.index(n)] if a in p.get_targets()]
    return [n for n in nodes if n not in order] + order[::-1]
