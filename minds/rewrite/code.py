"""The source of a changed network, and the network that it makes.

For each class of the user's a class ``<Name>Opt`` is derived from it that has its methods,
`construct` as it is now among them; base classes of the user's become base classes in the same way,
and functions of the user's stand in the code as they are now. The code runs in a namespace of its
own, in which two different things of one name get two names.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import itertools
import linecache
import textwrap
import weakref

from .. import nn
from ..base.errors import complain
from ..nn import Cell
from .node import is_users
from .parse import function_ast

_files = itertools.count(1)


def text_of(tree) -> str:
    """The source of a tree's network."""
    return _CodeWriter(tree).text


def network_of(tree):
    """The network of a tree."""
    writer = _CodeWriter(tree)
    file = f"<rewritten {type(tree.get_origin_network()).__name__} {next(_files)}>"
    # The source stays known while the class lives, for messages and for compilation.
    linecache.cache[file] = (len(writer.text), None, writer.text.splitlines(keepends=True), file)
    exec(compile("\n" * writer.header.count("\n") + writer.body, file, "exec"), writer.names)
    made = writer.names[writer.main]
    weakref.finalize(made, linecache.cache.pop, file, None).atexit = False
    lent: list[tuple[dict, str]] = []
    try:
        for owner, name, cell in writer.new:
            if owner.__dict__.setdefault(name, cell) is not cell:
                raise complain(
                    ValueError,
                    f"get_network: two trees of one {type(owner).__name__} have a new {name!r}",
                    cure="give the nodes two names",
                )
            lent.append((owner.__dict__, name))
        return made(tree.get_origin_network())
    finally:
        for attributes, name in lent:
            attributes.pop(name, None)


def with_cells(container, cells):
    """A container like another one, of other cells."""
    new = type(container).__new__(type(container))
    for key, value in container.__dict__.items():
        new.__dict__[key] = value.copy() if isinstance(value, dict) else value
    new._cells.clear()
    new._cells.update((str(i), cell) for i, cell in enumerate(cells))
    new._cells_changed()
    return new


class _CodeWriter:
    """Writes the classes of a tree.

    Attributes:
        names: what the code sees: name → object.
        main: the name of the network's class.
        new: cells put in: (the network that is to have it, the name of the attribute, the cell).
    """

    def __init__(self, tree):
        self.names: dict = {"nn": nn, "__name__": type(tree.get_origin_network()).__module__}
        # names of classes and functions, by what stands behind the name
        self.definitions: dict = {}
        self.functions: dict = {}  # names of functions, by tree and function
        self.new: list = []
        self.main = self._tree_class(tree)
        self.header = (
            "".join(sorted(line for n, v in self.names.items() if (line := _import_of(n, v))))
            + "\n"
        )
        self.body = "\n\n".join(
            f"{keyword}{name}{text}" for (keyword, text), name in self.definitions.items()
        )
        self.text = self.header + self.body

    def bind(self, name: str, value) -> str:
        """The name under which the code sees ``value``: ``name``, unless that is something else."""
        found, i = name, 0
        while (
            found in self.names
            and self.names[found] is not value
            or hasattr(builtins, found)
            and (getattr(builtins, found) is not value)
        ):
            i += 1
            found = f"{name}_{i}"
        self.names[found] = value
        return found

    def _tree_class(self, tree) -> str:
        network = tree.get_origin_network()
        nodes = list(tree.all_nodes(subtree_nodes=False))
        trees, blocks = {n.symbol_tree for n in nodes}, [b for n in nodes for b in n.blocks]
        lines = [
            f"{path} = {self._tree_class(sub)}({path})"
            for path, sub in tree._trees.items()
            if path.startswith("self.") and sub in trees
        ]
        for path, (cells, block) in tree._containers.items():
            if path.endswith("]") or not path.startswith("self.") or block not in blocks:
                continue  # inside of another container, or of another object; or called no more
            new = self._cells(tree, path, cells, block)
            if new != path:
                lines.append(f"{path} = {new}")
        for node in tree.new_cells():
            self.new.append((network, node.get_name(), node.get_instance()))
            made = f"obj.{node.get_name()}"
            if node.symbol_tree is not None:
                made = f"{self._tree_class(node.symbol_tree)}({made})"
            lines.append(f"self.{node.get_name()} = {made}")
        init = [
            "def __init__(self, obj):",
            "    nn.Cell.__init__(self, auto_prefix=False)",
            "    for key, value in obj.__dict__.items():",
            "        self.__dict__[key] = value.copy() if isinstance(value, dict) else value",
            "    self._auto_prefix = False",
            *[f"    {line}" for line in lines],
        ]
        return self._class(type(network), tree, "\n".join(init))

    def _cells(self, tree, path: str, cells, block) -> str:
        """The expression of a container; ``path`` if it is as it was."""
        old, parts = list(cells), []
        for node in block.nodes:
            cell = node.get_instance()
            if node.new:
                self.new.append((tree.get_origin_network(), node.get_name(), cell))
                part = f"obj.{node.get_name()}"
            else:
                part = f"{path}[{next(i for i, c in enumerate(old) if c is cell)}]"
            if node.symbol_tree is not None:
                part = f"{self._tree_class(node.symbol_tree)}({part})"
            elif node.blocks and not node.new:
                part = self._cells(tree, part, cell, node.blocks[0])
            parts.append(part)
        if parts == [f"{path}[{i}]" for i in range(len(old))]:
            return path
        return f"{self.bind('with_cells', with_cells)}({path}, [{', '.join(parts)}])"

    def _class(self, cls: type, tree, init: str | None = None) -> str:
        bases = [self.bind(cls.__name__, cls)]
        for base in cls.__bases__:
            if is_users(base):
                bases.append(self._class(base, tree))
            elif base is Cell:
                bases.append("nn.Cell")
            elif base is not object:
                bases.append(self.bind(base.__name__, base))
        parts = [] if init is None else [init]
        for name, value in vars(cls).items():
            fn = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
            fn = value.fget if isinstance(value, property) else fn
            if (
                inspect.isfunction(fn)
                and name != "__init__"
                and fn.__qualname__ == f"{cls.__qualname__}.{name}"
            ):
                parts.append(self._method(cls, fn, tree))
        text = (
            f"({', '.join(bases)}):\n\n"
            + textwrap.indent("\n\n".join(parts) or "pass", "    ")
            + "\n"
        )
        return self._define("class ", f"{cls.__name__}Opt", text)

    def _define(self, keyword: str, name: str, text: str) -> str:
        """The name of a class or function; the same for the same text."""
        if (keyword, text) not in self.definitions:
            found, i = name, 0
            while found in self.names or hasattr(builtins, found):
                i += 1
                found = f"{name}_{i}"
            self.names[found] = None
            self.definitions[keyword, text] = found
        return self.definitions[keyword, text]

    def _method(self, cls: type, fn, tree) -> str:
        root = self._renamed(fn, tree)
        return ast.unparse(_Super(self.bind(cls.__name__, cls)).visit(root))

    def _function(self, fn, tree) -> str:
        """The name of a function that a tree looks into."""
        if (tree, fn) not in self.functions:
            # functions that call one another are the original ones there
            self.functions[tree, fn] = None
            text = ast.unparse(self._renamed(fn, tree))
            self.functions[tree, fn] = self._define(
                "def ", fn.__name__, text[text.index("(") :] + "\n"
            )
        return self.functions[tree, fn] or self.bind(fn.__name__, fn)

    def _renamed(self, fn, tree) -> ast.FunctionDef:
        """The syntax of a function with the names that global things have in the namespace."""
        root, block = tree._functions.get(fn) or (function_ast(fn), None)
        root = ast.parse(ast.unparse(ast.fix_missing_locations(root))).body[0]
        seen = {**fn.__globals__, **inspect.getclosurevars(fn).nonlocals, **tree._objects}
        local = {
            *fn.__code__.co_varnames,
            *fn.__code__.co_cellvars,
            *(tree.targets(block) if block else ()),
        }
        names: dict = {}
        for n in ast.walk(_without_annotations(root)):
            if isinstance(n, ast.Name) and n.id in seen and n.id not in local and n.id not in names:
                value = seen[n.id]
                own = inspect.isfunction(value) and value in tree._functions
                names[n.id] = self._function(value, tree) if own else self.bind(n.id, value)
        for n in ast.walk(root):
            if isinstance(n, ast.Name):
                n.id = names.get(n.id, n.id)
        return root


class _Super(ast.NodeTransformer):
    """Gives ``super()`` its arguments: the class is another."""

    def __init__(self, cls: str):
        self.cls = cls

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            node.args = [ast.Name(self.cls, ast.Load()), ast.Name("self", ast.Load())]
        return node


def _without_annotations(root):
    for n in ast.walk(root):
        if isinstance(n, ast.arg):
            n.annotation = None
        elif isinstance(n, ast.FunctionDef):
            n.returns = None
    return root


def _import_of(name: str, value) -> str | None:
    """The statement that binds ``name`` to a module, or to something that a module offers under its
    own name.
    """
    if inspect.ismodule(value):
        return (
            f"import {value.__name__}\n"
            if value.__name__ == name
            else f"import {value.__name__} as {name}\n"
        )
    home, own = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if (
        not isinstance(home, str)
        or not isinstance(own, str)
        or not own.isidentifier()
        or home == "builtins"
    ):
        return None
    return f"from {home} import {own}\n" if own == name else f"from {home} import {own} as {name}\n"


__all__ = ["network_of", "text_of", "with_cells"]
