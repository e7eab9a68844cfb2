"""From a Python function to its gast tree with true line and column numbers."""

from __future__ import annotations

import ast
import functools
import linecache
import os
import sys
import time
import types
import weakref
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader

import gast
from gast.ast3 import Ast3ToGAst

from ..base.errors import ParseError, complain, is_library
from ..base.kept import remembered
from ..base.loc import Loc
from . import yields
from .desugar import REWRITES
from .private import mangle
from .walks import children, nodes_in, own_nodes


@dataclass(frozen=True, eq=False)
class Source:
    """The syntax of one function.

    Attributes:
        tree: gast FunctionDef or Lambda; positions are those in the file.
        file, name: where it stands and what it is called (qualified).
        assigned: the names that its body binds, so they are local.
        of_library: whether it is of minds itself, so that errors name who called it.
    """

    tree: gast.AST
    file: str
    name: str
    assigned: frozenset
    of_library: bool = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "of_library", is_library(self.file))


@remembered
def statements_of(tree: gast.AST) -> list:
    """The body of a function; that of a lambda is a `return`."""
    if isinstance(tree, gast.Lambda):
        return [gast.copy_location(gast.Return(tree.body), tree.body)]
    return tree.body


def source_of(fn: types.FunctionType) -> Source:
    """The syntax of a Python function.

    Raises:
        ParseError: the source cannot be read (defined in C, by ``exec``, or at an interactive
            prompt).
    """
    key = id(fn.__code__)
    entry = _sources.get(key)
    if entry is None or entry[1]() is not fn.__code__:
        forget = weakref.ref(fn.__code__, lambda _: _sources.pop(key, None))
        entry = _sources[key] = _read(fn, fn.__code__), forget
    return entry[0]


_sources: dict[int, tuple[Source, weakref.ref]] = {}
"""By the identity of the code, while it lives: equal code may stand in several files."""


def _file_of(code) -> str:
    """The file of a function; that of a module which Python holds frozen stands in its library."""
    file = code.co_filename
    module = sys.modules.get(file[8:-1]) if file.startswith("<frozen ") else None
    return getattr(module, "__file__", None) or file


def _read(fn, code) -> Source:
    file, name = _file_of(code), fn.__qualname__
    linecache.lazycache(file, fn.__globals__)
    text = _text(file)
    if not _compiles_to(file, text, code):  # the file may have been written anew
        linecache.checkcache(file)
        new = _text(file)
        if _compiles_to(file, new, code) or _pick(file, text, code) is None:
            text = new
        else:
            _expect_unchanged(fn, file, name)
    node = _pick(file, text, code)
    if node is None:
        what = f"the source of {name} cannot be read"
        raise complain(ParseError, what, cure="define it in a file, with def or lambda")
    tree = core_forms(node)
    return Source(tree, file, name.replace(".<locals>", ""), assigned_names(tree))


def _text(file: str) -> str:
    return "".join(linecache.getlines(file))


def _compiles_to(file: str, text: str, code) -> bool:
    """Whether ``code`` is what a text of its file says."""
    if is_library(file):
        return True
    return code in _codes(file, text).get((code.co_firstlineno, code.co_name), ())


@functools.lru_cache(maxsize=64)
def _codes(file: str, text: str) -> dict:
    """The code of all functions of a text by (first line, name)."""
    found: dict = {}
    try:
        todo = [compile(text, file, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return found
    while todo:
        inner = [c for c in todo.pop().co_consts if isinstance(c, types.CodeType)]
        for c in inner:
            found.setdefault((c.co_firstlineno, c.co_name), []).append(c)
        todo += inner
    return found


def _expect_unchanged(fn, file: str, name: str) -> None:
    """Raise if the file of a function has been changed since it was imported.

    Code that another loader has made, such as pytest's, or that a debugger has changed, is not what the
    text says either, but that of a file which is older than the process.
    """
    told = fn.__globals__.get
    plain = isinstance(told("__loader__"), SourceFileLoader) and told("__file__") == file
    if plain and os.path.exists(file) and os.stat(file).st_mtime > _BEGAN:
        what = f"the source of {name} has been changed since it was imported"
        raise complain(ParseError, what, cure=f"import {file} anew")


_BEGAN = time.time()


def core_forms(tree: ast.AST) -> gast.AST:
    """A tree of gast for one of Python, with fewer forms (`desugar`)."""
    return _Convert().visit(tree)


class _Convert(Ast3ToGAst):
    """What `gast.ast_to_gast` does, in a fraction of its time: nodes that gast has too are copied
    field by field, and contexts and operators, which hold nothing, are made once.
    """

    def visit(self, node: ast.AST):
        kind = node.__class__
        special = _SPECIAL.get(kind)
        if special is None:
            special = _SPECIAL[kind] = vars(Ast3ToGAst).get(f"visit_{kind.__name__}", _copied)
        return special(self, node)

    def generic_visit(self, node: ast.AST):
        return _copied(self, node)

    def _visit(self, v):
        if v.__class__ is list:
            made = [self.visit(e) if isinstance(e, ast.AST) else e for e in v]
            if list in map(type, made):  # several statements for one
                made = [s for e in made for s in (e if e.__class__ is list else [e])]
            return made
        return self.visit(v) if isinstance(v, ast.AST) else v


def _copied(convert: _Convert, node: ast.AST):
    """The node of gast of the same name, with the same fields and position."""
    kind, made = _MADE.get(node.__class__) or _kind(node)
    if made is not None:
        return made
    new = kind.__new__(kind)
    fields = new.__dict__
    for k, v in node.__dict__.items():
        fields[k] = convert._visit(v) if v.__class__ is list or isinstance(v, ast.AST) else v
    return new


def _kind(node: ast.AST) -> tuple:
    """The class that gast has for a node, and the node itself if it holds nothing."""
    kind = getattr(gast, node.__class__.__name__)
    found = _MADE[node.__class__] = (kind, None if node.__dict__ else kind())
    return found


def _name(convert: _Convert, node: ast.Name):
    new = gast.Name.__new__(gast.Name)
    fields = new.__dict__
    fields.update(node.__dict__)
    fields["ctx"] = _copied(convert, node.ctx)
    fields["annotation"] = fields["type_comment"] = None
    return new


def _rewritten(kind: type, rewrite):
    convert_node = vars(Ast3ToGAst).get(f"visit_{kind.__name__}", _copied)
    return lambda convert, node: rewrite(convert_node(convert, node))


_FORMS = {**REWRITES, ast.FunctionDef: yields.function}
_SPECIAL: dict = {ast.Name: _name, **{k: _rewritten(k, fn) for k, fn in _FORMS.items()}}
"""How nodes are converted, by class."""

_MADE: dict = {}
"""By the class of a node: that of gast, and the one node of it if it has no fields."""


@functools.lru_cache(maxsize=64)
def _functions(file: str, text: str) -> dict:
    """All functions of a text by (first line, that of a decorator; name)."""
    found: dict = {}
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return found
    mangle(tree, text)
    for node in nodes_in(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno] + [d.lineno for d in node.decorator_list])
            found.setdefault((first, node.name), []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault((node.lineno, "<lambda>"), []).append(node)
    return found


def _pick(file: str, text: str, code):
    """The function in a text that compiles to ``code``: several lambdas may stand on a line."""
    candidates = _functions(file, text).get((code.co_firstlineno, code.co_name), [])
    for alike in (_takes, _holds):
        if len(candidates) <= 1:
            return candidates[0] if candidates else None
        candidates = [n for n in candidates if alike(n, code)] or candidates
    if len(candidates) == 1:
        return candidates[0]
    if hasattr(code, "co_positions"):
        # The first instruction stands for the whole line: its span is empty, and is no place in the
        # lambda.
        spans = [(p[0], p[2]) for p in code.co_positions() if None not in p and p[2:] != (0, 0)]

        def around(n) -> bool:
            start, end = (n.lineno, n.col_offset), (n.end_lineno, n.end_col_offset)
            return all(start <= s <= end for s in spans if s[0] >= n.lineno)

        inside = [n for n in candidates if around(n)]
        if inside:
            return max(inside, key=lambda n: (n.lineno, n.col_offset))
    return candidates[0]


def _takes(node, code) -> bool:
    """Whether a function has the parameters of ``code``."""
    names = tuple(a.arg for a in (*node.args.posonlyargs, *node.args.args))
    return names == code.co_varnames[: code.co_argcount]


def _holds(node, code) -> bool:
    """Whether as many lambdas stand in a function as in ``code``."""

    def inside(c) -> int:
        codes = [k for k in c.co_consts if isinstance(k, types.CodeType)]
        return sum((k.co_name == "<lambda>") + inside(k) for k in codes)

    return sum(isinstance(n, ast.Lambda) for n in ast.walk(node) if n is not node) == inside(code)


def assigned_names(tree: gast.AST) -> frozenset:
    """The names that a function's body binds as its own, without parameters and nested functions."""
    return frozenset(bound_names(statements_of(tree)) - declared(tree).keys())


@remembered
def declared(tree: gast.AST) -> dict:
    """By the names that a function declares as those of others: Global or Nonlocal."""
    body = tree.body if isinstance(tree, gast.FunctionDef) else ()
    found = [n for n in own_nodes(body) if isinstance(n, (gast.Global, gast.Nonlocal))]
    return {name: type(n) for n in found for name in n.names}


@remembered
def shared_names(tree: gast.AST) -> tuple:
    """The variables of a function that functions inside of it assign, or that classes made in it
    see, in a fixed order.
    """
    inside = [n for n in nodes_in(tree) if isinstance(n, (gast.Nonlocal, gast.ClassDef))]
    names: set = set()
    for n in inside:
        names.update(n.names if isinstance(n, gast.Nonlocal) else used_names(nodes_in(n)))
    names -= declared(tree).keys()
    return tuple(sorted(names & (parameters_of(tree) | assigned_names(tree)))) if names else ()


def parameters_of(tree: gast.AST) -> set:
    """The names of a function's parameters."""
    if not hasattr(tree, "args"):  # a class
        return set()
    spec = tree.args
    named = (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, spec.vararg, spec.kwarg)
    return {a.id for a in named if a is not None}


def used_names(nodes) -> set:
    """The names that are read in some nodes."""
    return {n.id for n in nodes if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load)}


@remembered
def free_names(tree: gast.AST) -> tuple:
    """The names that a function, or one in it, reads and does not bind itself, in a fixed order."""
    nodes = [n for statement in statements_of(tree) for n in nodes_in(statement)]
    used = used_names(nodes)
    used.update(*[n.names for n in nodes if isinstance(n, gast.Nonlocal)])
    return tuple(sorted(used - parameters_of(tree) - assigned_names(tree)))


@remembered
def inner_names(tree: gast.AST) -> frozenset:
    """The names that functions inside of a function read and do not bind themselves."""
    return frozenset(
        name
        for n in nodes_in(tree)
        if n is not tree and isinstance(n, (gast.FunctionDef, gast.Lambda))
        for name in free_names(n)
    )


@remembered
def walrus_names(tree: gast.AST) -> frozenset:
    """The names that ``:=`` binds in a function: short circuit decides whether it does."""
    return frozenset(n.target.id for n in nodes_in(tree) if isinstance(n, gast.NamedExpr))


def bound_names(statements) -> set:
    """The names that executing ``statements`` may bind."""
    names, stack = set(), list(statements)
    while stack:
        n = stack.pop()
        if n.__class__ is gast.Name:
            if isinstance(n.ctx, (gast.Store, gast.Del)) and n.id[0] != "<":
                names.add(n.id)
        elif isinstance(n, (gast.FunctionDef, gast.ClassDef)):
            names.add(n.name)
            stack += n.decorator_list
            continue
        elif isinstance(n, (gast.Lambda, gast.AsyncFunctionDef)):
            continue
        elif isinstance(n, (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)):
            stack += [w for w in nodes_in(n) if isinstance(w, gast.NamedExpr)]
            continue
        elif isinstance(n, _CAPTURES):
            names.add(n.rest if isinstance(n, gast.MatchMapping) else n.name)
        stack.extend(children(n))
    return names - {None}


_CAPTURES = (gast.MatchAs, gast.MatchStar, gast.MatchMapping)
"""The patterns of `match` that bind a name."""


def stored_names(statements) -> set:
    """The names of which executing ``statements`` may change an item: ``x`` of ``x[i] = v``."""
    names = set()
    for statement in statements:
        for n in nodes_in(statement):
            if isinstance(n, gast.Subscript) and isinstance(n.ctx, gast.Store):
                while isinstance(n, gast.Subscript):
                    n = n.value
                if isinstance(n, gast.Name):
                    names.add(n.id)
    return names


def loc_of(node: gast.AST, source: Source, caller: Loc | None) -> Loc:
    """The span of ``node``."""
    line = getattr(node, "lineno", None) or getattr(source.tree, "lineno", 1)
    return Loc(
        source.file,
        line,
        getattr(node, "col_offset", 0) or 0,
        getattr(node, "end_lineno", line) or line,
        getattr(node, "end_col_offset", 0) or 0,
        source.name,
        caller,
    )


def line_at(loc: Loc) -> str:
    """The line of source at a place."""
    return linecache.getline(loc.file, loc.line).strip()


def assignments(source: Source, name: str) -> list:
    """(line number, text) of the statements of a function that assign ``name``."""
    found = {
        n.lineno
        for n in nodes_in(source.tree)
        if isinstance(n, gast.Name)
        and n.id == name
        and isinstance(n.ctx, gast.Store)
        and hasattr(n, "lineno")
    }
    return [(line, linecache.getline(source.file, line).strip()) for line in sorted(found)]


def why_unset(source: Source, name: str, line: int) -> str | None:
    """Which statement of a function is the only one that sets ``name``, where it is a loop or one
    side of an ``if`` that a reader at ``line`` stands behind, in MindSpore's words; or None.
    """
    lines = [at for at, _ in assignments(source, name)]
    body = getattr(source.tree, "body", None)
    while isinstance(body, list) and lines:
        holder = next((s for s in body if all(at in _lines([s]) for at in lines)), None)
        if holder is None:
            return None
        body, orelse = getattr(holder, "body", None), getattr(holder, "orelse", [])
        if line in _lines([holder]):
            body = [*(body or ()), *orelse]
        elif isinstance(holder, (gast.For, gast.While)):
            word = type(holder).__name__.lower()
            return (
                f"The local variable {name!r} defined in the {word!r} loop body cannot be used "
                "outside of the loop body."
            )
        elif isinstance(holder, gast.If):
            sides = [all(at in _lines(side) for at in lines) for side in (body, orelse)]
            has, lacks = ("true", "false") if sides[0] else ("false", "true")
            what = f"is not defined in {lacks} branch, but defined in {has} branch."
            return f"The local variable {name!r} {what}" if any(sides) else None
        else:
            return None
    return None


def _lines(statements: list) -> range:
    """The lines on which statements stand."""
    return range(statements[0].lineno, statements[-1].end_lineno + 1) if statements else range(0)


def text_of(node: gast.AST, source: Source) -> str:
    """The text of an expression as the user wrote it, for messages."""
    line = linecache.getline(source.file, getattr(node, "lineno", 0) or 0)
    if not line:
        return type(node).__name__
    end = node.end_col_offset if node.end_lineno == node.lineno else None
    return line.encode()[node.col_offset : end].decode(errors="replace").strip()
