"""`SymbolTree`: a network's `construct` as nodes, and the changes of it."""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import complain
from ..nn import Cell
from .code import network_of, text_of
from .node import Node, NodeList, NodeType, kind_of_cell, name_of_object
from .parse import Parser
from .values import ValueType, expect_items, expect_types


@dataclass(frozen=True, eq=False)
class Position:
    """A place for a node: before or after another."""

    node: Node
    before: bool


class SymbolTree:
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
            node.symbol_tree = SymbolTree(node._instance)

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

    # ---- for nodes and the parser

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
            ['input_x_1', 'relu', 'return_1']
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
                    node.symbol_tree = SymbolTree(cell)
                elif node.get_node_type() is NodeType.CellContainer:
                    node.blocks = [self.container(f"{path}[{len(block.nodes) - 1}]", cell)]
        return self._containers[path][1]

    def sub_tree(self, path: str, cell) -> SymbolTree:
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
            self._trees[path] = known or SymbolTree(cell)
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
            ['relu_var', 'x']
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


__all__ = ["SymbolTree"]
