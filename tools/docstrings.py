"""How many public names have a complete docstring, by package.

    python tools/docstrings.py                     # a table
    python tools/docstrings.py --missing minds.nn  # and what each name below a prefix lacks

A docstring is complete if it has a summary and the sections that apply:

- ``Args`` where the name takes arguments, each as ``name (type)``;
- ``Returns`` (or ``Yields``) where it returns something;
- ``Inputs`` and ``Outputs`` for a cell or a primitive class, whose call takes and returns tensors
  (``Args`` and ``Returns`` serve as well for a primitive class without arguments of its own);
- ``Raises`` where it can refuse what it is given: its source, or a function of minds that it calls,
  raises, or it is an op or a cell with operands;
- ``Examples`` with a doctest.

A property needs a summary and Examples: it is read like an attribute. What has several names counts
once, and a method that overrides another without a docstring has that one's.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import collections
import enum
import functools
import importlib
import inspect
import re
import sys
import textwrap
import types
from collections.abc import Callable
from dataclasses import dataclass

import minds as ms
from minds.nn import Cell
from minds.ops.define import Op
from minds.ops.primitive import Primitive

ROOTS = """minds minds.nn minds.ops minds.ops.operations minds.mint minds.mint.nn
    minds.mint.nn.functional minds.mint.optim minds.mint.linalg minds.mint.special minds.numpy
    minds.scipy minds.scipy.fft minds.scipy.linalg minds.scipy.optimize minds.train minds.train.amp
    minds.dataset minds.dataset.transforms
    minds.dataset.vision minds.metrics minds.rewrite minds.common minds.common.initializer
    minds.jit.inspection minds.log"""

_SECTION = re.compile(
    r"^(Args|Inputs|Outputs|Returns|Yields|Raises|Examples|Attributes|Source|Note|Notes|See also):",
    re.MULTILINE,
)
_STANDS_FOR = {"Returns": "Yields", "Inputs": "Args", "Outputs": "Returns"}
_OPERAND_PACKAGES = ("minds.ops", "minds.mint", "minds.numpy", "minds.scipy")


@dataclass
class Name:
    """A public name and what it is."""

    path: str
    value: object
    package: str
    lacks: Callable

    @functools.cached_property
    def missing(self) -> list[str]:
        """What its docstring lacks; reading the sources takes seconds for all names."""
        return self.lacks()


# ---- what is public


def public_names() -> list[Name]:
    """All public functions, classes, methods and properties, each object once."""
    found: dict[int, Name] = {}
    for root in ROOTS.split():
        module = importlib.import_module(root)
        listed = "__dir__" not in vars(module) and getattr(module, "__all__", None)
        for n in sorted(listed or dir(module)):
            value = None if n.startswith("_") else getattr(module, n)
            if _is_ours(value) and (listed or _is_of(value, root)):
                _note(found, f"{root}.{n}", value)
    return list(found.values())


def _is_ours(value) -> bool:
    if isinstance(value, (types.FunctionType, type)):
        return (value.__module__ or "").split(".")[0] == "minds"
    return isinstance(value, Op)


def _is_of(value, root: str) -> bool:
    """Whether a module that lists nothing gives a name out, rather than having imported it."""
    return root == "minds" or isinstance(value, Op) or value.__module__.startswith(root)


def _note(found: dict, path: str, value) -> None:
    if id(value) in found:
        return
    found[id(value)] = Name(path, value, _package(value), lambda: missing(value))
    if not isinstance(value, type):
        return
    for cls in value.__mro__:
        if _is_ours(cls) and not hasattr(cls, "constructor"):
            for n, member in vars(cls).items():
                if not n.startswith("_") and n not in ("construct", "bprop"):
                    _note_member(found, f"{path}.{n}", cls, n, member)


def _note_member(found: dict, path: str, cls: type, name: str, member) -> None:
    if isinstance(member, (classmethod, staticmethod)):
        member = member.__func__
    if id(member) in found or not isinstance(member, (property, types.FunctionType, Op)):
        return

    def lacks() -> list[str]:
        doc = _doc_in(cls, name)
        if isinstance(member, property):
            return _lacking(doc, {"Examples": None})
        return missing(member, doc, of=cls)

    found[id(member)] = Name(path, member, _package(cls), lacks)


def _doc_in(cls: type, name: str) -> str | None:
    """A member's docstring, or that of what it overrides."""
    docs = [vars(c)[name].__doc__ for c in cls.__mro__ if name in vars(c)]
    return next(filter(None, docs), None)


def _package(value) -> str:
    if isinstance(value, Op):
        return "minds.ops"
    if value is ms.Tensor or value is ms.Parameter:
        return f"minds.{value.__name__}"
    if isinstance(value, type) and issubclass(value, Primitive):
        return "minds.ops.operations"
    return ".".join(value.__module__.split(".")[:2])


# ---- what a docstring needs


def missing(value, doc: str | None = None, of: type | None = None) -> list[str]:
    """What the docstring of a function, a class or an op lacks; ``of`` is the class of a method."""
    method = of is not None
    if doc is None:
        doc = vars(value).get("__doc__") if isinstance(value, type) else value.__doc__
    needs: dict[str, list | None] = {}
    taken = _parameters(value, method)
    if taken:
        needs["Args"] = taken
    inputs = []
    if isinstance(value, type):
        call = _call_of(value)
        if call is not None:
            inputs = _parameters(call, True)
            needs["Outputs"] = None
            if inputs:
                needs["Inputs"] = inputs
        elif issubclass(value, Primitive) and hasattr(value, "constructor"):
            inputs = ["x"]
            needs["Inputs"] = needs["Outputs"] = None
    elif _returns(value):
        needs["Returns"] = None
    if _may_raise(value, bool(taken or inputs), bool(inputs), of):
        needs["Raises"] = None
    needs["Examples"] = None
    return _lacking(doc, needs)


def _call_of(cls: type):
    """What an instance computes when it is called: a cell's `construct`."""
    call = getattr(cls, "construct", None) if issubclass(cls, Cell) else None
    return None if call is Cell.construct else call


def _lacking(doc: str | None, needs: dict[str, list | None]) -> list[str]:
    if not doc or not doc.strip():
        return ["summary", *needs]
    doc = inspect.cleandoc(doc)
    sections, at, name = {}, 0, "summary"
    for m in _SECTION.finditer(doc):
        sections[name] = sections.get(name, "") + doc[at : m.start()]
        name, at = m.group(1), m.end()
    sections[name] = sections.get(name, "") + doc[at:]
    lacks = [] if sections["summary"].strip() else ["summary"]
    for need, names in needs.items():
        text = sections.get(need) or sections.get(_STANDS_FOR.get(need), "")
        if not text.strip() or need == "Examples" and ">>>" not in text:
            lacks.append(need)
        elif names:
            unnamed = [
                n for n in names if not re.search(rf"(?<!\w){n}\*{{0,2}}(, \w+)*\s*\(", text)
            ]
            lacks += [f"{need}: {', '.join(unnamed)}"] if unnamed else []
    return lacks


def _parameters(value, method: bool) -> list[str]:
    """The public names of the parameters of a function, or of a class's constructor."""
    if isinstance(value, Op):
        return list(value.names)[int(method) :]
    if getattr(value, "__init__", None) is Cell.__init__ and value is not Cell:
        return []
    if isinstance(value, type) and issubclass(value, enum.Enum):
        return []
    try:
        signature = getattr(value, "constructor", None) or inspect.signature(value)
        names = list(signature.parameters)
    except (TypeError, ValueError):
        return []
    if getattr(value, "__init__", None) is object.__init__ and names == ["args", "kwargs"]:
        return []  # a `__new__` of a base notes what an `__init__` takes, and there is none
    if method and not isinstance(value, type):
        names = names[1:]
    return [n for n in names if not n.startswith("_")]


@functools.cache
def _tree(value) -> ast.AST | None:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(value)))
    except (OSError, TypeError, SyntaxError):
        return None


def _body(value) -> list | None:
    """The syntax of what a call of a function runs: its decorators were called before."""
    tree = _tree(value)
    if tree is None or not isinstance(tree.body[0], ast.FunctionDef):
        return None if tree is None else list(ast.walk(tree))
    return [n for statement in tree.body[0].body for n in ast.walk(statement)]


def _returns(value) -> bool:
    if isinstance(value, Op):
        return True
    tree = _tree(value)
    if tree is None or not isinstance(tree.body[0], ast.FunctionDef):
        return True
    stack = list(tree.body[0].body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            return not (isinstance(node.value, ast.Constant) and node.value.value is None)
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            stack += ast.iter_child_nodes(node)
    return False


def _may_raise(value, takes: bool, operands: bool, of: type | None) -> bool:
    if not takes:
        return False
    function = of is None and value.__module__.startswith(_OPERAND_PACKAGES)
    installed = of is ms.Tensor and not value.__module__.startswith(
        ("minds.tensor", "minds.arrays.")
    )
    if operands or isinstance(value, Op) or (function or installed) and not _takes_anything(value):
        return True
    source = vars(value).get("__init__") if isinstance(value, type) else value
    if not isinstance(source, types.FunctionType):
        return False
    return _raises(source) or any(_raises(f) for f in _called(source))


def _takes_anything(value) -> bool:
    """Whether a function calls only Python's own functions, and so refuses nothing itself."""
    body = None if isinstance(value, type) else _body(value)
    called = [None] if body is None else [n.func for n in body if isinstance(n, ast.Call)]
    return all(isinstance(f, ast.Name) and hasattr(builtins, f.id) for f in called)


def _raises(fn: types.FunctionType) -> bool:
    tree = _tree(fn)
    return tree is not None and any(isinstance(n, ast.Raise) for n in ast.walk(tree))


def _called(fn: types.FunctionType):
    """The functions of minds that a function calls by name."""
    for node in _body(fn) or ():
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name):
                called = fn.__globals__.get(called.id)
            elif isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
                owner = fn.__globals__.get(called.value.id)
                called = getattr(owner, called.attr, None)
            if isinstance(called, types.FunctionType) and called.__module__.startswith("minds"):
                yield called


# ---- the figures


def figures(names: list[Name]) -> dict[str, tuple[int, int]]:
    """(complete, all) names for each package, and for ``total``."""
    made = collections.defaultdict(lambda: (0, 0))
    for n in names:
        for key in (n.package, "total"):
            complete, every = made[key]
            made[key] = (complete + (not n.missing), every + 1)
    return dict(made)


def percentage() -> float:
    """How many of 100 public names are complete."""
    complete, every = figures(public_names())["total"]
    return 100 * complete / every


def summary() -> str:
    """The figure in words."""
    complete, every = figures(public_names())["total"]
    return f"{complete} of {every} ({100 * complete / every:.1f} %)"


def main() -> None:
    parser = argparse.ArgumentParser(description="complete docstrings of public names")
    parser.add_argument("--missing", metavar="PREFIX", help="list what names below it lack")
    wanted = parser.parse_args().missing
    names = public_names()
    if wanted is not None:
        for n in names:
            if n.missing and (n.path.startswith(wanted) or n.package.startswith(wanted)):
                print(f"{n.path}: {'; '.join(n.missing)}")
    for package, (complete, every) in sorted(figures(names).items(), key=lambda f: f[0]):
        print(f"{package:24}{complete:6} of {every:5}{100 * complete / every:8.1f} %")


if __name__ == "__main__":
    sys.exit(main())
