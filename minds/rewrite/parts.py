"""What nodes and the parser ask of a tree: names that are free, and the nodes of functions, containers
and cells.
"""

from __future__ import annotations

import types

from .node import Node, NodeList, NodeType, kind_of_cell, name_of_object
from .parse import Parser
from .values import expect_types


class TreeParts:
    """The part of `SymbolTree` that nodes and the parser use."""

    _part_of = "SymbolTree"

    def unique_name(self, name: str = "output") -> str:
        """A name like ``name`` that no variable has yet.

        Args:
            name (str): what it is like. Default "output".

        Returns:
            str: the name, from now on taken.

        Raises:
            TypeError: ``name`` is no str.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.unique_name("x")
            'x_1'
        """
        expect_types("unique_name", name=(name, str))
        found = _fresh(name, self._variables)
        self._variables.add(found)
        return found

    def node_name(self, name: str, new: bool = False) -> str:
        """A name like ``name`` that no node has yet, and for a ``new`` one no attribute of the
        network either.

        Args:
            name (str): what it is like.
            new (bool): whether it becomes an attribute. Default False.

        Returns:
            str: the name, from now on taken.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.node_name("leaky_relu")
            'leaky_relu_1'
        """
        taken = self._names | set(dir(self._network)) if new else self._names
        found = _fresh(name, taken)
        self._names.add(found)
        return found

    def object_name(self, value) -> str:
        """The name under which generated code sees an object.

        Args:
            value (Any): the object.

        Returns:
            str: the name; the same for the same object.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.object_name(len), tree.object_name(len)
            ('len', 'len')
        """
        for name, known in self._objects.items():
            if known is value:
                return name
        base = name_of_object(value)
        name = _fresh(
            base if base.isidentifier() else "value", self._variables | set(self._objects)
        )
        self._objects[name] = value
        return name

    def callee_name(self, node: Node) -> str:
        """What a node calls, as generated code names it.

        Args:
            node (Node): the node, of this tree.

        Returns:
            str: such as ``self.conv``.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> x = rewrite.ScopedValue.create_naming_value("x")
            >>> node = rewrite.Node.create_call_cell(nn.ReLU(), ["x"], [x])
            >>> tree.callee_name(tree.insert(tree.after("input_x"), node))
            'self.ReLU'
        """
        if node.get_node_type() is NodeType.CallFunction:
            return self.object_name(node._instance)
        return f"self.{node._name}"

    def look_into(self, node: Node, fn) -> None:
        """Give the call of a function the nodes of that.

        Args:
            node (Node): the call.
            fn (Callable): the function.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> node = tree.get_node("leaky_relu")
            >>> tree.look_into(node, nn.ReLU.construct)
            >>> [inner.get_name() for inner in node.nodes()]
            []
        """
        if isinstance(node.get_instance(), types.FunctionType):
            self._waiting.append((node, fn))
        else:
            node.blocks = [self.function_block(fn)]

    def function_block(self, fn) -> NodeList:
        """The nodes of a function that is called; the same for each call.

        Args:
            fn (Callable): the function.

        Returns:
            NodeList: its nodes.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> [node.get_name() for node in tree.function_block(nn.ReLU.construct).nodes]
            ['input_input', 'relu', 'return_1']
        """
        if fn not in self._functions:
            parser = Parser(self, fn)
            self._functions[fn] = parser.root, NodeList([])
            self._functions[fn] = parser.root, parser.block()
        return self._functions[fn][1]

    def container(self, path: str, cells) -> NodeList:
        """The nodes of the cells of a container; the same each time that the container is named.

        Args:
            path (str): the expression that names the container.
            cells (SequentialCell, CellList): the container.

        Returns:
            NodeList: one node per cell.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> [node.get_name() for node in tree.container("self.acts", nn.CellList([nn.ReLU()])).nodes]
            ['ReLU']
        """
        if path not in self._containers:
            block = NodeList([], of_cells=True)
            self._containers[path] = cells, block
            for cell in cells:
                node = Node(kind_of_cell(cell), self.node_name(type(cell).__name__), instance=cell)
                node.tree, node.block = self, block
                block.nodes.append(node)
                if node.get_node_type() is NodeType.Tree:
                    node.symbol_tree = type(self)(cell)
                elif node.get_node_type() is NodeType.CellContainer:
                    node.blocks = [self.container(f"{path}[{len(block.nodes) - 1}]", cell)]
        return self._containers[path][1]

    def sub_tree(self, path: str, cell):
        """The tree of a cell that is called as ``path``; the same for each call.

        Args:
            path (str): the expression that names the cell.
            cell (Cell): the cell.

        Returns:
            SymbolTree: the tree.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.sub_tree("self.act", nn.ReLU()).get_origin_network()
            ReLU()
        """
        if path not in self._trees:
            known = next((t for t in self._trees.values() if t.get_origin_network() is cell), None)
            self._trees[path] = known or type(self)(cell)
        return self._trees[path]

    @staticmethod
    def targets(block: NodeList) -> set:
        """The variables that the nodes of a block bind.

        Args:
            block (NodeList): the nodes.

        Returns:
            set[str]: names of variables.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> sorted(rewrite.SymbolTree.targets(tree.function_block(nn.ReLU.construct)))
            ['input', 'relu_var']
        """
        return {t.value for n in _in(block) for t in n.get_targets() if not t.scope}

    def new_cells(self) -> list[Node]:
        """The nodes put in that call a cell, which becomes an attribute; the cells of containers
        aside.

        Returns:
            list[Node]: the nodes.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.new_cells()
            []
        """
        nodes = [n for _, block in self._functions.values() for n in _in(block)]
        return [n for n in nodes if n.new and n.get_node_type() is not NodeType.CallFunction]


def _in(block: NodeList):
    """The nodes of a block, those of its statements' blocks too, but none of called functions and
    of containers.
    """
    for n in block.nodes:
        yield n
        if n.get_node_type() is NodeType.ControlFlow:
            for b in n.blocks:
                yield from _in(b)


def _fresh(name: str, taken) -> str:
    found, i = name, 0
    while found in taken:
        i += 1
        found = f"{name}_{i}"
    return found
