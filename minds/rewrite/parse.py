"""From the source of a function to nodes: nested expressions are taken apart, control flow keeps
its blocks.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap

from ..base.errors import ParseError, complain
from ..nn import Cell, CellList, SequentialCell
from ..ops.primitive import Primitive
from .node import Node, NodeList, NodeType, call_of, is_users, kind_of_cell
from .values import ScopedValue, ValueType, of_expression

_SIMPLE = (ast.Name, ast.Constant, ast.Attribute)


def function_ast(fn) -> ast.FunctionDef:
    """The syntax of a function or method.

    Raises:
        ParseError: its source cannot be read.
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(fn)))
    except (OSError, TypeError, SyntaxError):
        raise complain(
            ParseError,
            f"the source of {fn.__qualname__} cannot be read",
            cure="define it in a file",
        ) from None
    return tree.body[0]


class Parser:
    """Fills the block of a function.

    Args:
        tree: the `SymbolTree`; its network is what ``self`` stands for.
        fn: the function; its globals say what other names stand for.
    """

    def __init__(self, tree, fn):
        self.tree, self.fn = tree, fn
        self.root = function_ast(fn)
        tree._variables |= {n.id for n in ast.walk(self.root) if isinstance(n, ast.Name)} | {
            a.arg for a in ast.walk(self.root) if isinstance(a, ast.arg)
        }

    def block(self) -> NodeList:
        """The block of the function's body, its inputs first."""
        root = self.root
        block = NodeList(root.body)
        for a in (*root.args.posonlyargs, *root.args.args, *root.args.kwonlyargs):
            a.annotation = None
            if a.arg != "self":
                self.add(
                    block,
                    Node(
                        NodeType.Input, f"input_{a.arg}", [ScopedValue.create_naming_value(a.arg)]
                    ),
                )
        self.statements(block, list(root.body))
        return block

    def statements(self, block: NodeList, body: list) -> None:
        for s in body:
            getattr(self, f"_{type(s).__name__.lower()}", self._other)(block, s)
        block.write()

    def add(self, block: NodeList, node: Node) -> Node:
        """Append a node under a name of its own."""
        node._name = self.tree.node_name(node._name)
        node.tree, node.block = self.tree, block
        block.nodes.append(node)
        return node

    def _other(self, block: NodeList, s: ast.stmt) -> None:
        self.add(
            block, Node(NodeType.Python, f"python_{type(s).__name__.lower()}", make=lambda node: s)
        )

    def _assign(self, block: NodeList, s: ast.Assign) -> None:
        target = s.targets[0]
        names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        if len(s.targets) > 1 or not all(isinstance(n, _SIMPLE) for n in names):
            self._other(block, s)
            return
        self.expression(block, s.value, [of_expression(n) for n in names])

    def _expr(self, block: NodeList, s: ast.Expr) -> None:
        if isinstance(s.value, ast.Call):
            self.expression(block, s.value, [])
        elif not isinstance(s.value, ast.Constant):
            self._other(block, s)

    def _return(self, block: NodeList, s: ast.Return) -> None:
        args = [] if s.value is None else [self.operand(block, s.value)]
        self.add(
            block,
            Node(
                NodeType.Output,
                "return",
                args=args,
                make=lambda node: ast.Return(node.value(node._args[0]) if node._args else None),
            ),
        )

    def _if(self, block: NodeList, s: ast.If) -> None:
        node = Node(NodeType.ControlFlow, "if_node", args=[self.operand(block, s.test)])
        node.test = lambda: self.static(s.test)
        body, rest = NodeList([]), NodeList([])
        node._make = lambda node: ast.If(
            node.value(node._args[0]), body.body or [ast.Pass()], rest.body
        )
        node.blocks = [body]
        self.add(block, node)
        if s.orelse:
            otherwise = self.add(block, Node(NodeType.ControlFlow, "else_node"))
            otherwise.blocks, otherwise.owner, node.otherwise = [rest], node, otherwise
            self.statements(rest, s.orelse)
        self.statements(body, s.body)

    def _for(self, block: NodeList, s: ast.For) -> None:
        node = Node(NodeType.ControlFlow, "for_node", args=[self.operand(block, s.iter)])
        body, rest = NodeList([]), NodeList([])
        node._make = lambda node: ast.For(
            s.target, node.value(node._args[0]), body.body or [ast.Pass()], rest.body, lineno=0
        )
        self._loop(block, node, s, body, rest)

    def _while(self, block: NodeList, s: ast.While) -> None:
        node = Node(
            NodeType.ControlFlow,
            "while_node",
            args=[ScopedValue(ValueType.UnsupportedValue, "", s.test)],
        )
        body, rest = NodeList([]), NodeList([])
        node._make = lambda node: ast.While(
            node.value(node._args[0]), body.body or [ast.Pass()], rest.body
        )
        self._loop(block, node, s, body, rest)

    def _loop(self, block: NodeList, node: Node, s, body: NodeList, rest: NodeList) -> None:
        node.blocks = [body, rest]
        self.add(block, node)
        self.statements(body, s.body)
        self.statements(rest, s.orelse)

    # ---- expressions

    def operand(self, block: NodeList, e: ast.expr) -> ScopedValue:
        """What stands for an expression: itself if it is simple, else the name of a node that
        computes it.
        """
        name = self.name_of(e)
        if isinstance(e, ast.Attribute) and isinstance(
            cells := self.resolve(e), (SequentialCell, CellList)
        ):
            path = ast.unparse(e)
            target = ScopedValue.create_naming_value(self.tree.unique_name(path.replace(".", "_")))
            node = Node(
                NodeType.CellContainer,
                path,
                [target],
                instance=cells,
                make=lambda node: node.bound(e),
            )
            node.blocks = [self.tree.container(path, cells)]
            self.add(block, node)
            return target
        if name is None or isinstance(e, _SIMPLE):
            return of_expression(e)
        base = "compare" if isinstance(e, ast.Compare) else name
        if isinstance(e, (ast.BinOp, ast.UnaryOp, ast.BoolOp)):
            base = name.rsplit("_", 1)[-1]
        target = ScopedValue.create_naming_value(self.tree.unique_name(f"{base}_var"))
        self.expression(block, e, [target])
        return target

    def name_of(self, e: ast.expr) -> str | None:
        """The name of a node for an expression; None for one that is not taken apart."""
        if isinstance(e, ast.Call):
            fn = e.func
            return (
                fn.attr
                if isinstance(fn, ast.Attribute)
                else fn.id
                if isinstance(fn, ast.Name)
                else "call"
            )
        if isinstance(e, (ast.BoolOp, ast.Compare)) and any(
            isinstance(n, ast.Call) for n in ast.walk(e)
        ):
            return None  # not every operand is computed
        if isinstance(e, (ast.BinOp, ast.UnaryOp, ast.BoolOp)):
            return f"{type(e).__name__.lower()}_{type(e.op).__name__.lower()}"
        if isinstance(e, ast.Compare):
            return f"compare_{type(e.ops[0]).__name__.lower()}" if len(e.ops) == 1 else None
        if isinstance(e, (ast.Tuple, ast.List)) and not any(
            isinstance(v, ast.Starred) for v in e.elts
        ):
            return type(e).__name__.lower()
        kinds = {
            ast.Name: "name_assign",
            ast.Constant: "constant_assign",
            ast.Attribute: "attribute_assign",
        }
        return kinds.get(type(e))

    def expression(self, block: NodeList, e: ast.expr, targets: list) -> Node:
        """The node ``targets = e``."""
        name = self.name_of(e)
        if name is None:
            return self.add(
                block,
                Node(NodeType.Python, "python_assign", targets, make=lambda node: node.bound(e)),
            )
        if isinstance(e, ast.Call):
            return self._call(block, e, name, targets)
        if isinstance(e, _SIMPLE):
            return self.add(
                block,
                Node(
                    NodeType.CallMethod,
                    name,
                    targets,
                    [of_expression(e)],
                    make=lambda node: node.bound(node.value(node._args[0])),
                ),
            )
        kind = NodeType.CallMethod if isinstance(e, (ast.Tuple, ast.List)) else NodeType.MathOps
        args = [self.operand(block, v) for v in _operands(e)]
        return self.add(
            block,
            Node(
                kind,
                name,
                targets,
                args,
                make=lambda node: node.bound(
                    _with_operands(e, [node.value(a) for a in node._args])
                ),
            ),
        )

    def _call(self, block: NodeList, e: ast.Call, name: str, targets: list) -> Node:
        fn = e.func
        if not isinstance(fn, (ast.Name, ast.Attribute)):
            target = ScopedValue.create_naming_value(
                self.tree.unique_name(f"{type(fn).__name__.lower()}_var")
            )
            taken = ScopedValue(ValueType.UnsupportedValue, "", fn)
            self.add(
                block,
                Node(
                    NodeType.CallMethod,
                    target.value,
                    [target],
                    [taken],
                    make=lambda node: node.bound(node.value(node._args[0])),
                ),
            )
            fn, name = ast.Name(target.value, ast.Load()), target.value
        args = [self.operand(block, a) for a in e.args]
        kwargs = {k.arg: self.operand(block, k.value) for k in e.keywords if k.arg}
        instance = self.resolve(e.func)
        kind = NodeType.CallFunction
        if isinstance(instance, Cell):
            kind = kind_of_cell(instance)
        elif isinstance(instance, Primitive):
            kind = NodeType.CallPrimitive
        make = call_of(fn)
        if any(k.arg is None for k in e.keywords):
            whole = ast.Call(fn, [a.to_ast(self.tree.object_name) for a in args], e.keywords)

            def make(node):
                return node.bound(whole)

        node = self.add(block, Node(kind, name, targets, args, kwargs, make, instance))
        if kind is NodeType.Tree:
            node.symbol_tree = self.tree.sub_tree(ast.unparse(e.func), instance)
        elif kind is NodeType.CellContainer:
            node.blocks = [self.tree.container(ast.unparse(e.func), instance)]
        elif self.is_own(e.func, instance):
            self.tree.look_into(node, getattr(instance, "__func__", instance))
        return node

    def is_own(self, e: ast.expr, fn) -> bool:
        """Whether a called function can be looked into: a method of the network, or a function that
        has a name here.
        """
        own = getattr(fn, "__func__", fn)
        path = (
            isinstance(e, ast.Name)
            or isinstance(e, ast.Attribute)
            and isinstance(e.value, ast.Name)
            and (e.value.id == "self")
        )
        return (
            path
            and inspect.isfunction(own)
            and is_users(own)
            and own.__name__ not in own.__code__.co_names
            and (own.__name__ != "<lambda>")
        )

    def resolve(self, e: ast.expr):
        """What an expression of names stands for; None if that is known only when the network
        runs.
        """
        if isinstance(e, ast.Attribute):
            owner = self.resolve(e.value)
            return getattr(owner, e.attr, None) if owner is not None else None
        if not isinstance(e, ast.Name):
            return None
        params = [a.arg for a in self.root.args.args]
        if e.id == "self" and params[:1] == ["self"]:
            return self.tree.get_origin_network()
        if e.id in self.fn.__code__.co_varnames:
            return None
        cells = inspect.getclosurevars(self.fn).nonlocals
        return cells.get(e.id, self.fn.__globals__.get(e.id, getattr(builtins, e.id, None)))

    def static(self, e: ast.expr):
        """The truth of a condition that no value of the run takes part in; None for others."""
        names = {n.id: self.resolve(n) for n in ast.walk(e) if isinstance(n, ast.Name)}
        called = [self.resolve(n.func) for n in ast.walk(e) if isinstance(n, ast.Call)]
        if None in names.values() or any(
            isinstance(c, (Cell, Primitive)) or c is None for c in called
        ):
            return None
        value = eval(
            compile(ast.fix_missing_locations(ast.Expression(e)), "<condition>", "eval"), names
        )
        return bool(value) if value is None or isinstance(value, (bool, int, float, str)) else None


def _operands(e: ast.expr) -> list:
    if isinstance(e, ast.BinOp):
        return [e.left, e.right]
    if isinstance(e, ast.UnaryOp):
        return [e.operand]
    if isinstance(e, ast.Compare):
        return [e.left, *e.comparators]
    return e.values if isinstance(e, ast.BoolOp) else e.elts


def _with_operands(e: ast.expr, new: list) -> ast.expr:
    """The expression with other operands."""
    if isinstance(e, ast.BinOp):
        return ast.BinOp(new[0], e.op, new[1])
    if isinstance(e, ast.UnaryOp):
        return ast.UnaryOp(e.op, new[0])
    if isinstance(e, ast.Compare):
        return ast.Compare(new[0], e.ops, new[1:])
    return ast.BoolOp(e.op, new) if isinstance(e, ast.BoolOp) else type(e)(new, ast.Load())


__all__ = ["Parser", "function_ast"]
