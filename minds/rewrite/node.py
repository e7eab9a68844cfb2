"""A statement of `construct` as a node: what it calls, with what, and what it binds."""

from __future__ import annotations

import ast
import types
from enum import Enum

from ..base.errors import complain
from ..nn import Cell, CellList, SequentialCell
from ..ops.primitive import Primitive
from .links import NodeLinks
from .namespace import is_whole
from .values import ScopedValue, expect_items, expect_types


class NodeType(Enum):
    """What a node is.

    Examples:
        >>> from minds import rewrite
        >>> rewrite.NodeType.CallCell.value
        1
    """

    Unknown = 0
    CallCell = 1
    CallPrimitive = 2
    CallModule = 3
    CallFunction = 4
    CallMethod = 5
    Python = 6
    Input = 7
    Output = 8
    Tree = 9
    CellContainer = 10
    MathOps = 11
    ControlFlow = 12


class NodeList:
    """Nodes one after the other: the body of a function, of a branch or of a loop, or the cells of
    a container.

    Attributes:
        nodes: the nodes, inputs of the function among them.
        body: the syntax of those that are statements; this very list stands in the tree of syntax.
        of_cells: whether it is a container's: its nodes are cells and no statements.
    """

    def __init__(self, body: list, of_cells: bool = False):
        self.nodes: list[Node] = []
        self.body, self.of_cells = body, of_cells

    def write(self) -> None:
        """Make the syntax again."""
        self.body[:] = [] if self.of_cells else [s for n in self.nodes for s in n.statements()]


class Node(NodeLinks):
    """One statement: ``targets = what(*args, **kwargs)``, or a control flow statement with nodes
    inside.

    Nodes come from a `SymbolTree`, or are made by `create_call_cell` and `create_call_function`;
    ``Node(node)`` is ``node``. A call of a method of the network, or of a function of the
    user's, has the nodes of that inside, a container those of its cells.

    Args:
        kind (NodeType, Node): what it is; a node stands for itself.
        name (str): its name. Default "".
        targets (list[ScopedValue]): what it binds. Default ().
        args (list[ScopedValue]), kwargs (dict[str, ScopedValue]): the arguments. Default () and
            None.
        make (Callable): gives the statement of the node. Default None, none.
        instance (Any): what it calls. Default None.

    Examples:
        >>> from minds import nn
        >>> from minds.rewrite import Node, ScopedValue
        >>> node = Node.create_call_cell(nn.ReLU(), ["y"], [ScopedValue.create_naming_value("x")], name="act")
        >>> node.get_name(), node.get_targets(), node.get_args()
        ('act', [y], [x])
    """

    def __new__(cls, kind, *_, **__):
        return kind if isinstance(kind, Node) else super().__new__(cls)

    def __init__(
        self,
        kind: NodeType,
        name: str = "",
        targets=(),
        args=(),
        kwargs=None,
        make=None,
        instance=None,
    ):
        if kind is self:
            return
        self._type, self._name, self._make, self._instance = kind, name, make, instance
        self._targets, self._args, self._kwargs = list(targets), list(args), dict(kwargs or {})
        self._attributes: dict = {}
        self.blocks: list[NodeList] = []
        self.block: NodeList | None = None
        self.tree = None
        self.symbol_tree = None
        self.new = False  # put in, not of the source

    # ---- made by users

    @staticmethod
    def create_call_cell(
        cell, targets, args=None, kwargs=None, name: str = "", is_sub_net: bool = False
    ) -> Node:
        """A node that calls a cell or primitive.

        Args:
            cell (Cell | Primitive): what is called.
            targets (list[ScopedValue | str]): the names that it binds.
            args (list[ScopedValue]), kwargs (dict[str, ScopedValue]): the arguments. Default None.
            name (str): the name of the node, and of the attribute that will hold ``cell``. Default:
                its class's.
            is_sub_net (bool): whether ``get_sub_tree`` shall give the nodes of ``cell``. Default
                False.

        Returns:
            Node: the node, which is in no tree yet.

        Raises:
            TypeError: an argument has another type.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> x = rewrite.ScopedValue.create_naming_value("x")
            >>> rewrite.Node.create_call_cell(nn.ReLU(), ["y"], [x]).get_name()
            'ReLU'
        """
        expect_types("create_call_cell", cell=(cell, (Cell, Primitive)), name=(name, str))
        _check_call("create_call_cell", targets, args, kwargs)
        targets = [_as_name(t) for t in targets]
        kind = (
            NodeType.CallPrimitive
            if isinstance(cell, Primitive)
            else kind_of_cell(cell)
            if (is_sub_net or isinstance(cell, (SequentialCell, CellList)))
            else NodeType.CallCell
        )
        return Node(
            kind, name or type(cell).__name__, targets, args or (), kwargs, call_of(None), cell
        )

    @staticmethod
    def create_call_function(function, targets, args=None, kwargs=None) -> Node:
        """A node that calls a function.

        Args:
            function (Callable): what is called.
            targets (list[ScopedValue | str]): the names that it binds.
            args (list[ScopedValue]), kwargs (dict[str, ScopedValue]): the arguments. Default None.

        Returns:
            Node: the node, which is in no tree yet.

        Raises:
            TypeError: an argument has another type.

        Examples:
            >>> from minds import rewrite
            >>> x = rewrite.ScopedValue.create_naming_value("x")
            >>> rewrite.Node.create_call_function(abs, ["y"], [x]).get_name()
            'abs'
        """
        if isinstance(function, Cell) or not callable(function):
            raise complain(
                TypeError,
                f"create_call_function: function is a {type(function).__name__}",
                expected="a function",
            )
        _check_call("create_call_function", targets, args, kwargs)
        return Node(
            NodeType.CallFunction,
            name_of_object(function),
            [_as_name(t) for t in targets],
            args or (),
            kwargs,
            call_of(None),
            function,
        )

    # ---- what it is

    def get_handler(self) -> Node:
        """The node itself.

        Returns:
            Node: this node.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> node = tree.get_node("leaky_relu")
            >>> node.get_handler() is node
            True
        """
        return self

    def get_name(self) -> str:
        """Its name, which no other node of its tree has.

        Returns:
            str: the name.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> [node.get_name() for node in tree.nodes()]
            ['input_x', 'leaky_relu', 'return']
        """
        return self._name

    def get_node_type(self) -> NodeType:
        """What it is.

        Returns:
            NodeType: the kind.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> [node.get_node_type().name for node in tree.nodes()]
            ['Input', 'CallFunction', 'Output']
        """
        return self._type

    def get_instance_type(self) -> type:
        """The class of the cell or primitive that it calls, or the function.

        Returns:
            type: the class, or the function itself.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> x = rewrite.ScopedValue.create_naming_value("x")
            >>> rewrite.Node.create_call_cell(nn.ReLU(), ["y"], [x]).get_instance_type().__name__
            'ReLU'
        """
        return (
            self._instance
            if isinstance(self._instance, types.FunctionType)
            else type(self._instance)
        )

    def get_instance(self):
        """What it calls, or None.

        Returns:
            Any: the cell, the primitive or the function.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> x = rewrite.ScopedValue.create_naming_value("x")
            >>> rewrite.Node.create_call_cell(nn.ReLU(), ["y"], [x]).get_instance()
            ReLU()
        """
        return self._instance

    def get_targets(self) -> list[ScopedValue]:
        """The names that it binds.

        Returns:
            list[ScopedValue]: the names.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.get_node("leaky_relu").get_targets()
            [leaky_relu_var]
        """
        return self._targets

    def get_args(self) -> list[ScopedValue]:
        """Its positional arguments.

        Returns:
            list[ScopedValue]: the arguments.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.get_node("leaky_relu").get_args()
            [x, self.alpha]
        """
        return self._args

    def get_kwargs(self) -> dict:
        """Its keyword arguments.

        Returns:
            dict[str, ScopedValue]: the arguments by name.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.get_node("leaky_relu").get_kwargs()
            {}
        """
        return self._kwargs

    def get_normalized_args(self) -> dict:
        """All arguments, the positional ones under ``arg_0``, ``arg_1``, …

        Returns:
            dict[str, ScopedValue]: the arguments.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.get_node("leaky_relu").get_normalized_args()
            {'arg_0': x, 'arg_1': self.alpha}
        """
        return {**{f"arg_{i}": a for i, a in enumerate(self._args)}, **self._kwargs}

    def nodes(self) -> list[Node]:
        """The nodes inside: of a control flow statement, of the function that is called, of a
        container.

        Returns:
            list[Node]: the nodes.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.get_node("leaky_relu").nodes()
            []
        """
        return [n for b in self.blocks for n in b.nodes]

    node_list = property(nodes)

    def get_node(self, node_name: str) -> Node | None:
        """The node of a name inside, or None.

        Args:
            node_name (str): the name.

        Returns:
            Node: the node, or None.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.get_node("leaky_relu").get_node("other") is None
            True
        """
        for n in self.nodes():
            found = n if n._name == node_name else n.get_node(node_name)
            if found is not None:
                return found
        return None

    def set_attribute(self, key: str, value) -> None:
        """Keep a value under a name.

        Args:
            key (str): the name.
            value (Any): the value.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> node = tree.get_node("leaky_relu")
            >>> node.set_attribute("cost", 3)
            >>> node.get_attribute("cost")
            3
        """
        self._attributes[key] = value

    def get_attribute(self, key: str):
        """The value kept under a name, or None.

        Args:
            key (str): the name.

        Returns:
            Any: the value, or None.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.get_node("leaky_relu").get_attribute("cost") is None
            True
        """
        return self._attributes.get(key)

    def get_attributes(self) -> dict:
        """The values that are kept.

        Returns:
            dict[str, Any]: names and values.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.get_node("leaky_relu").get_attributes()
            {}
        """
        return self._attributes

    # ---- neighbours

    # ---- changes

    def set_arg_by_node(self, arg_idx: int, src_node: Node, out_idx: int | None = None) -> None:
        """Let argument ``arg_idx`` be what ``src_node`` binds, its target ``out_idx``.

        Args:
            arg_idx (int): the number of the argument.
            src_node (Node): the node that binds it.
            out_idx (int): the number of its target. Default None, the only one.

        Raises:
            TypeError: an argument has another type.
            ValueError: there is no such target, or there are several and none is named.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> node = tree.get_node("return")
            >>> node.set_arg_by_node(0, tree.get_node("input_x"))
            >>> node.get_args()
            [x]
        """
        expect_types("set_arg_by_node", arg_idx=(arg_idx, int), src_node=(src_node, Node))
        count = len(src_node._targets)
        if out_idx is None and count > 1:
            raise complain(
                ValueError,
                f"set_arg_by_node: {src_node._name} has {count} outputs",
                expected="out_idx",
            )
        if not 0 <= (out_idx or 0) < count:
            raise complain(
                ValueError, f"set_arg_by_node: out_idx is {out_idx}", expected=f"below {count}"
            )
        self.set_arg(arg_idx, src_node._targets[out_idx or 0])

    # ---- syntax

    def statements(self) -> list[ast.stmt]:
        """Its syntax: one statement, or none for an input and for an ``else``.

        Returns:
            list[ast.stmt]: the statements.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> import ast
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> [ast.unparse(s) for s in tree.get_node("return").statements()]
            ['return leaky_relu_var']
        """
        return [] if self._make is None else [ast.fix_missing_locations(self._make(self))]

    def get_ast(self) -> ast.stmt | None:
        """Its syntax.

        Returns:
            ast.stmt: the statement, or None for an input and for an ``else``.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> type(tree.get_node("return").get_ast()).__name__
            'Return'
        """
        return next(iter(self.statements()), None)

    def value(self, v: ScopedValue) -> ast.expr:
        """The syntax of an argument.

        Args:
            v (ScopedValue): the argument.

        Returns:
            ast.expr: the expression.

        Examples:
            >>> from minds import nn
            >>> from minds import rewrite
            >>> tree = rewrite.SymbolTree.create(nn.LeakyReLU(0.1))
            >>> tree.get_node("return").value(rewrite.ScopedValue.create_variable_value(2)).value
            2
        """
        return v.to_ast(self.tree.object_name)

    def bound(self, value: ast.expr) -> ast.stmt:
        """``targets = value``, or the value alone.

        Args:
            value (ast.expr): the right side.

        Returns:
            ast.stmt: the assignment, or the expression as a statement.

        Examples:
            >>> from minds import rewrite
            >>> import ast
            >>> node = rewrite.Node.create_call_function(abs, ["y"])
            >>> ast.unparse(node.bound(ast.Constant(1)))
            'y = 1'
        """
        names = [ast.parse(repr(t), mode="eval").body for t in self._targets]
        for n in names:
            n.ctx = ast.Store()
        if not names:
            return ast.Expr(value)
        return ast.Assign(
            [names[0] if len(names) == 1 else ast.Tuple(names, ast.Store())], value, lineno=0
        )


def call_of(fn: ast.expr | None):
    """The syntax of a call of ``fn``; None: of what the tree knows the node's instance as."""

    def make(node: Node) -> ast.stmt:
        called = fn if fn is not None else ast.parse(node.tree.callee_name(node), mode="eval").body
        return node.bound(
            ast.Call(
                called,
                [node.value(a) for a in node._args],
                [ast.keyword(k, node.value(v)) for k, v in node._kwargs.items()],
            )
        )

    return make


def kind_of_cell(cell) -> NodeType:
    """Whether a cell is the library's, a container, or the user's, whose nodes can be looked at."""
    if isinstance(cell, (SequentialCell, CellList)):
        return NodeType.CellContainer
    looked_into = is_users(type(cell)) and not is_whole(cell)
    return NodeType.Tree if looked_into else NodeType.CallCell


def name_of_object(value) -> str:
    """What an object calls itself."""
    name = getattr(value, "__name__", None) or getattr(value, "name", None)
    return name if isinstance(name, str) else f"{type(value).__name__.lower()}_value"


def is_users(thing) -> bool:
    """Whether a class or function is neither the library's nor Python's."""
    return (getattr(thing, "__module__", None) or "builtins").split(".")[0] not in (
        "minds",
        "builtins",
        "numpy",
    )


def _as_name(target) -> ScopedValue:
    return ScopedValue.create_naming_value(target) if isinstance(target, str) else target


def _check_call(who: str, targets, args, kwargs) -> None:
    expect_items(who, "targets", targets, (ScopedValue, str))
    expect_items(who, "args", args or (), ScopedValue)
    expect_items(who, "kwargs", kwargs or {}, ScopedValue, dict)


__all__ = ["Node", "NodeType"]
