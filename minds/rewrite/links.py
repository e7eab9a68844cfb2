"""Where a node stands, which nodes give it its arguments, and which take what it binds."""

from __future__ import annotations

import ast

from ..base.errors import complain
from .values import ScopedValue, ValueType, expect_types, of_expression


class NodeLinks:
    """The part of `Node` that is about what is around it."""

    _part_of = "Node"

    def get_symbol_tree(self):
        """The tree that it is in, or None.

        Returns:
            SymbolTree: the tree, or None.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.get_node("leaky_relu").get_symbol_tree() is tree
            True
        """
        return self.tree

    def get_node_manager(self):
        """What it stands in: the tree, or a node that has nodes inside.

        Returns:
            SymbolTree, Node: the tree or the node.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.get_node("leaky_relu").get_node_manager() is tree
            True
        """
        return next(
            (n for n in self.tree._all(subtrees=False) if self.block in n.blocks), self.tree
        )

    def get_sub_tree(self):
        """The tree of the cell that it calls, if that is one of the user's.

        Returns:
            SymbolTree: the tree, or None.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.get_node("leaky_relu").get_sub_tree() is None
            True
        """
        return self.symbol_tree

    @property
    def _next(self):
        return self._beside(1)

    @property
    def _prev(self):
        return self._beside(-1)

    def _beside(self, step: int):
        i = self.block.nodes.index(self) + step
        return self.block.nodes[i] if 0 <= i < len(self.block.nodes) else None

    def get_arg_providers(self) -> dict:
        """Of each argument that a node before this one binds, by its number: (node, number of the
        target).

        Returns:
            dict[int, tuple[Node, int]]: of the arguments that a node binds.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> found = tree.get_node("leaky_relu").get_arg_providers()
            >>> {i: (n.get_name(), t) for i, (n, t) in found.items()}
            {0: ('input_x', 0)}
        """
        found = {}
        before = self.block.nodes[: self.block.nodes.index(self)] if self.block is not None else []
        for i, a in enumerate((*self._args, *self._kwargs.values())):
            hit = next(
                ((n, n._targets.index(a)) for n in reversed(before) if a in n._targets), None
            )
            if hit is not None and a.type is ValueType.NamingValue:
                found[i] = hit
        return found

    def get_target_users(self, index: int = -1):
        """The nodes that take what this one binds.

        Args:
            index (int): the number of a target; -1 for all. Default -1.

        Returns:
            dict[int, list[tuple[Node, int]]]: of each target, by its number, the nodes and the
                numbers of their arguments; of one target, its list.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> [(n.get_name(), i) for n, i in tree.get_node("leaky_relu").get_target_users(0)]
            [('return', 0)]
        """
        found: dict = {i: [] for i in range(len(self._targets))}
        for n in self.block.nodes if self.block is not None else ():
            for i, (provider, target) in n.get_arg_providers().items():
                if provider is self:
                    found[target].append((n, i))
        return found if index == -1 else found.get(index, [])

    def get_inputs(self) -> list:
        """The nodes that bind its arguments, one for each such argument.

        Returns:
            list[Node]: the nodes.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> [node.get_name() for node in tree.get_node("leaky_relu").get_inputs()]
            ['input_x']
        """
        return [n for n, _ in self.get_arg_providers().values()]

    def get_users(self) -> list:
        """The nodes that take what it binds, in order.

        Returns:
            list[Node]: the nodes.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> [node.get_name() for node in tree.get_node("leaky_relu").get_users()]
            ['return']
        """
        users = [n for uses in self.get_target_users().values() for n, _ in uses]
        return [n for n in self.block.nodes if n in users] if self.block is not None else []

    def set_arg(self, index: int, arg) -> None:
        """Give another argument, a ScopedValue or a name.

        Args:
            index (int): the number of the argument, positional ones first.
            arg (ScopedValue, str): the argument, or its expression.

        Raises:
            TypeError: ``index`` is no int, or ``arg`` is of another type.
            ValueError: there is no argument ``index``.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> node = tree.get_node("return")
            >>> node.set_arg(0, "x")
            >>> node.get_args()
            [x]
        """
        expect_types("set_arg", index=(index, int), arg=(arg, (ScopedValue, str)))
        if not 0 <= index < len(self._args) + len(self._kwargs):
            raise complain(
                ValueError, f"set_arg: index is {index}", expected=f"below {len(self._args)}"
            )
        arg = of_expression(ast.parse(arg, mode="eval").body) if isinstance(arg, str) else arg
        if index < len(self._args):
            self._args[index] = arg
        else:
            self._kwargs[list(self._kwargs)[index - len(self._args)]] = arg
        if self.block is not None:
            self.block.write()
