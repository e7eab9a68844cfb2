"""Private names: in the body of a class ``__x`` stands for ``_Class__x``, as Python compiles it."""

from __future__ import annotations

import ast
import re

_USED = re.compile(r"\b__[^\W\d]\w*(?<!__)\b")


def mangle(tree: ast.AST, text: str) -> None:
    """Give the private names in the classes of a module the names that they stand for.

    Args:
        tree: the module, which is changed.
        text: its source, by which most modules are seen to have none.
    """
    if _USED.search(text):
        for node in ast.iter_child_nodes(tree):
            _rename(node, None)


def _rename(node: ast.AST, owner: str | None) -> None:
    if isinstance(node, ast.ClassDef):
        owner = node.name.lstrip("_") or None
    elif owner is not None:
        key = _KEYS.get(type(node))
        name = getattr(node, key) if key else ""
        if name.startswith("__") and not name.endswith("__"):
            setattr(node, key, f"_{owner}{name}")
    for child in ast.iter_child_nodes(node):
        _rename(child, owner)


_KEYS = {ast.Attribute: "attr", ast.Name: "id", ast.arg: "arg"}
