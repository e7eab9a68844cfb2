"""`SymbolTree`: a network's `construct` as nodes, and the changes of it."""

from __future__ import annotations

import ast
from pathlib import Path

from ..base.errors import complain
from ..nn import Cell
from .changes import TreeChanges
from .code import network_of, text_of
from .node import Node, NodeType
from .parts import TreeParts
from .values import expect_types


class SymbolTree(TreeParts, TreeChanges):
    """The nodes of a network's `construct`.

    Args:
        network (Cell, SymbolTree): the network, which is not changed. A tree stands for itself.

    Examples:
        >>> from minds import nn
        >>> from minds.rewrite import SymbolTree
        >>> tree = SymbolTree.create(nn.LeakyReLU(0.1))
        >>> [node.get_name() for node in tree.nodes()]
        ['input_x', 'leaky_relu', 'return']
    """

    def __new__(cls, network):
        return network if isinstance(network, SymbolTree) else super().__new__(cls)

    def __init__(self, network):
        if network is self:
            return
        self._network = network
        self._names: set = set()
        self._variables: set = set()
        self._objects: dict = {}  # objects among the arguments of nodes, by their name
        self._trees: dict = {}  # trees of the user's cells, by the expression that is called
        # containers of cells: (container, block), by the expression that names them
        self._containers: dict = {}
        self._functions: dict = {}  # methods and functions that are called: (syntax, block)
        self._file = ""
        self._waiting: list = []  # calls of functions whose nodes get their names last
        self._function = type(network).construct
        self._block = self.function_block(self._function)
        while self._waiting:
            node, fn = self._waiting.pop(0)
            node.blocks = [self.function_block(fn)]
        self._root_ast = self._functions[self._function][0]

    @classmethod
    def create(cls, network) -> SymbolTree:
        """The tree of a network.

        Args:
            network (Cell): the network.

        Returns:
            SymbolTree: its tree.

        Raises:
            TypeError: ``network`` is no Cell.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.get_node("leaky_relu").get_targets()
            [leaky_relu_var]
        """
        expect_types("SymbolTree.create", network=(network, Cell))
        return cls(network)

    def get_handler(self) -> SymbolTree:
        """The tree itself.

        Returns:
            SymbolTree: this tree.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.get_handler() is tree
            True
        """
        return self

    def get_origin_network(self):
        """The network that the tree was made of.

        Returns:
            Cell: the network.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> rewrite.SymbolTree.create(nn.LeakyReLU(0.1)).get_origin_network()
            LeakyReLU()
        """
        return self._network

    # ---- what it holds

    def nodes(self, all_nodes: bool = False):
        """The nodes in order.

        Args:
            all_nodes (bool): also those inside of nodes and of sub-networks. Default False.

        Returns:
            Iterator[Node]: the nodes.

        Raises:
            TypeError: ``all_nodes`` is no bool.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> [node.get_name() for node in tree.nodes()]
            ['input_x', 'leaky_relu', 'return']
        """
        expect_types("nodes", all_nodes=(all_nodes, bool))
        return iter(list(self._all()) if all_nodes else list(self._block.nodes))

    def all_nodes(self, subtree_nodes: bool = True):
        """All nodes, those inside of control flow too.

        Args:
            subtree_nodes (bool): also those of sub-networks. Default True.

        Returns:
            Iterator[Node]: the nodes.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> len(list(tree.all_nodes()))
            3
        """
        return iter(list(self._all(subtree_nodes)))

    def _all(self, subtrees: bool = True):
        stack, seen = list(reversed(self._block.nodes)), set()
        while stack:
            n = stack.pop()
            if n in seen:  # a function that is called twice
                continue
            seen.add(n)
            yield n
            stack += reversed(n.nodes())
            if subtrees and n.symbol_tree is not None:
                stack += reversed(n.symbol_tree._block.nodes)

    def get_node(self, node_name: str) -> Node | None:
        """The node of a name, or None.

        Args:
            node_name (str): the name.

        Returns:
            Node: the node, or None.

        Raises:
            TypeError: ``node_name`` is no str.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.get_node("leaky_relu").get_node_type().name
            'CallFunction'
        """
        expect_types("get_node", node_name=(node_name, str))
        return next((n for n in self._all(subtrees=False) if n.get_name() == node_name), None)

    def get_inputs(self) -> list[Node]:
        """The inputs.

        Returns:
            list[Node]: one per parameter of ``construct``.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> [node.get_name() for node in tree.get_inputs()]
            ['input_x']
        """
        return [n for n in self._block.nodes if n.get_node_type() is NodeType.Input]

    def print_node_tabulate(self, all_nodes: bool = False) -> None:
        """Print the nodes as a table.

        Args:
            all_nodes (bool): also those inside of nodes and of sub-networks. Default False.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.print_node_tabulate()
            node type              name        codes                                           arg providers      target users
            NodeType.Input         input_x     x                                               {}                 ['leaky_relu']
            NodeType.CallFunction  leaky_relu  leaky_relu_var = ops.leaky_relu(x, self.alpha)  {0: 'input_x'}     ['return']
            NodeType.Output        return      return leaky_relu_var                           {0: 'leaky_relu'}  []
        """
        rows = [("node type", "name", "codes", "arg providers", "target users")]
        for n in self.nodes(all_nodes):
            code = (
                ast.unparse(n.get_ast()).split("\n")[0]
                if n.statements()
                else n.get_targets()[0].value
                if (n.get_targets())
                else "else:"
            )
            rows.append(
                (
                    str(n.get_node_type()),
                    n.get_name(),
                    code,
                    str({i: p.get_name() for i, (p, _) in n.get_arg_providers().items()}),
                    str([u.get_name() for u in n.get_users()]),
                )
            )
        widths = [max(len(r[i]) for r in rows) for i in range(5)]
        for r in rows:
            print("  ".join(c.ljust(w) for c, w in zip(r, widths)).rstrip())

    # ---- changes

    # ---- the network

    def get_code(self) -> str:
        """The network as Python source: classes derived from the original ones.

        Returns:
            str: the source.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> "class" in tree.get_code()
            True
        """
        return text_of(self)

    def get_network(self):
        """The network as it is now, with the parameters of the original.

        Returns:
            Cell: a new network.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> print(tree.get_network()(ms.Tensor([-1.0, 2.0])))
            [-0.1  2. ]
        """
        return network_of(self)

    def set_saved_file_name(self, file_name: str) -> None:
        """Set the file that `save_network_to_file` writes.

        Args:
            file_name (str): the file; ``.py`` is added where it is missing.

        Raises:
            TypeError: ``file_name`` is no str.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.set_saved_file_name("net")
            >>> tree.get_saved_file_name()
            'net.py'
        """
        expect_types("set_saved_file_name", file_name=(file_name, str))
        self._file = file_name if file_name.endswith(".py") else f"{file_name}.py"

    def get_saved_file_name(self) -> str:
        """The file that `save_network_to_file` writes.

        Returns:
            str: the file; empty where none is set.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.get_saved_file_name()
            ''
        """
        return self._file

    def save_network_to_file(self) -> None:
        """Write what `get_code` gives to the file of `set_saved_file_name`.

        Raises:
            ValueError: no file is set.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> import os, tempfile
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.set_saved_file_name(os.path.join(tempfile.mkdtemp(), "net.py"))
            >>> tree.save_network_to_file()
            >>> os.path.exists(tree.get_saved_file_name())
            True
        """
        if not self._file:
            raise complain(
                ValueError, "save_network_to_file: no file is set", cure="call set_saved_file_name"
            )
        Path(self._file).write_text(self.get_code())

    # ---- for nodes and the parser


__all__ = ["SymbolTree"]
