"""What a source tree uses of MindSpore that minds lacks or treats differently.

Each file is parsed, not run. Imports of ``mindspore`` and plain assignments (``P = ops.operations``)
say what a name stands for; a chain of attributes is followed in minds itself. That an argument or a
function has no effect is read from its docstring.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import re
import sys
import types
from dataclasses import dataclass

from ..base.described import entries, sections
from ..base.missing import advice
from .importer import LENT

_NAME = "mindspore"
_ROOT = __name__.split(".")[0]
_IDLE = re.compile(
    r"(without|has no|no) effect|\baccepted\b|without use|refused on others", re.IGNORECASE
)
_STREAMS = "its random numbers are another stream than MindSpore's for the same seed"
_DIFFERENT = {f"{_NAME}.{n}": _STREAMS for n in ("set_seed", "common.set_seed", "manual_seed")}
_ABSENT = object()


@dataclass(frozen=True, order=True)
class Found:
    """A use of a name: ``kind`` is "missing", "different" or "unread" (a file that cannot be read)."""

    file: str
    line: int
    column: int
    kind: str
    name: str
    advice: str

    def __str__(self) -> str:
        tail = f": {self.advice}" if self.advice else ""
        return f"{self.file}:{self.line}:{self.column}: {self.kind} {self.name}{tail}"


def check(place: str) -> list[Found]:
    """What the Python files at a place use that minds lacks or treats differently.

    Args:
        place (str): a file, or a folder that is searched with all below it.

    Returns:
        list[Found]: by file and line.
    """
    found: set[Found] = set()
    for path in _files(place):
        found.update(_check_file(path))
    return sorted(found)


def _files(place: str):
    if os.path.isfile(place):
        yield place
    for folder, folders, names in os.walk(place):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        yield from (os.path.join(folder, n) for n in sorted(names) if n.endswith(".py"))


def _check_file(path: str) -> set[Found]:
    try:
        with open(path, "rb") as f:
            tree = ast.parse(f.read(), path)
    except (SyntaxError, ValueError) as e:
        return {Found(path, getattr(e, "lineno", None) or 1, 1, "unread", str(e), "")}
    reader = _Reader(path)
    reader.visit(tree)
    return reader.found


class _Reader(ast.NodeVisitor):
    """Follows what names stand for, scope by scope: the dotted path below MindSpore, or None."""

    def __init__(self, path: str):
        self.path, self.found, self.scopes = path, set(), [{}]

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name.split(".")[0] == _NAME:
                self.scopes[-1][alias.asname or _NAME] = alias.name if alias.asname else _NAME
                self.resolve(node, alias.name)

    def visit_ImportFrom(self, node):
        if node.level or not node.module or node.module.split(".")[0] != _NAME:
            return
        home = self.resolve(node, node.module)
        for alias in node.names:
            if alias.name == "*":
                names = [] if home is _ABSENT else dir(home)
                self.scopes[-1].update({n: f"{node.module}.{n}" for n in names if n[0] != "_"})
                continue
            self.scopes[-1][alias.asname or alias.name] = f"{node.module}.{alias.name}"
            if home is not _ABSENT:
                self.resolve(node, f"{node.module}.{alias.name}")

    def visit_Assign(self, node):
        self.visit(node.value)
        path = self.path_of(node.value)
        for target in node.targets:
            self.bind(target, path)

    def bind(self, target, path: str | None):
        if isinstance(target, ast.Name):
            self.scopes[-1][target.id] = path
            return
        for part in ast.walk(target):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                self.scopes[-1][part.id] = None
        self.visit(target)

    def visit_FunctionDef(self, node):
        for outside in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
            if outside is not None:
                self.visit(outside)
        self.scopes[-1][node.name] = None
        self.body(node, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        self.body(node, [node.body])

    def body(self, node, statements):
        """Visit what stands in a function, whose parameters hide outer names."""
        args = node.args
        named = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
        self.scopes.append({a.arg: None for a in named if a is not None})
        for annotation in (a.annotation for a in named if a is not None and a.annotation):
            self.visit(annotation)
        for statement in statements:
            self.visit(statement)
        self.scopes.pop()

    def visit_Name(self, node):
        self.attribute(node)

    def visit_Attribute(self, node):
        if not self.attribute(node):
            self.visit(node.value)

    def attribute(self, node) -> bool:
        """Resolve a chain of attributes; whether it starts at MindSpore."""
        path = self.path_of(node)
        if path is None:
            return False
        if path.count("."):
            self.resolve(node, path)
        return True

    def visit_Call(self, node):
        self.generic_visit(node)
        path = self.path_of(node.func)
        if path is None:
            return
        fn = _look_up(path)[0]
        if fn is not _ABSENT and callable(fn):
            for word in node.keywords:
                if word.arg is not None:
                    self.argument(word, path, fn)

    def argument(self, word, path: str, fn):
        """Report a named argument that ``fn`` does not take, or that has no effect."""
        parameters = _parameters(fn)
        takes = not parameters or word.arg in parameters
        if not takes and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            self.report(word.value, "missing", f"argument {word.arg!r} of {path}", "leave it out")
            return
        said = _argument_docs(fn).get(word.arg, "")
        if _IDLE.search(said):
            self.report(word.value, "different", f"argument {word.arg!r} of {path}", _line(said))

    def path_of(self, node) -> str | None:
        """The dotted path below MindSpore that an expression stands for."""
        if isinstance(node, ast.Name):
            return next((s[node.id] for s in reversed(self.scopes) if node.id in s), None)
        if isinstance(node, ast.Attribute):
            base = self.path_of(node.value)
            return base and f"{base}.{node.attr}"
        return None

    def resolve(self, node, path: str):
        """What minds has at a path; reports it if there is nothing, or if it works differently."""
        found, missing = _look_up(path)
        if missing:
            self.report(node, "missing", missing, advice(missing.removeprefix(f"{_NAME}.")))
        elif path in _DIFFERENT:
            self.report(node, "different", path, _DIFFERENT[path])
        elif isinstance(found, (type, types.FunctionType)) and _IDLE.search(_summary(found)):
            self.report(node, "different", path, _summary(found))
        return found

    def report(self, node, kind: str, name: str, text: str):
        self.found.add(Found(self.path, node.lineno, node.col_offset + 1, kind, name, text))


def _look_up(path: str):
    """What minds has at a path of MindSpore's, and the part of the path that is missing, or None."""
    parts = path.split(".")[1:]
    found, at = importlib.import_module(_ROOT), _ROOT
    for i, part in enumerate(parts):
        if not isinstance(found, (types.ModuleType, type)):
            return found, None
        at = f"{at}.{part}"
        try:
            found = getattr(found, part)
        except AttributeError:
            if part in LENT and isinstance(found, types.ModuleType):
                found = getattr(sys.modules[_ROOT], part)
                continue
            try:
                found = importlib.import_module(at)
            except ImportError:
                return _ABSENT, ".".join([_NAME, *parts[: i + 1]])
    return found, None


def _parameters(fn) -> dict:
    try:
        return dict(inspect.signature(fn).parameters)
    except (TypeError, ValueError):
        return {}


def _argument_docs(fn) -> dict[str, str]:
    """By argument, what the docstring says of it."""
    said = entries(sections(inspect.getdoc(fn) or "").get("Args", ""))
    return {name.strip(): text for names, text in said.items() for name in names.split(",")}


def _summary(fn) -> str:
    return _line((inspect.getdoc(fn) or "").split("\n\n")[0])


def _line(text: str) -> str:
    return " ".join(text.split())


__all__ = ["Found", "check"]
