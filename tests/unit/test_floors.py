"""Layers point down: every import of minds is read and held against the table of
docs/architecture.md.
"""

import ast
import os

import minds

HOME = os.path.dirname(minds.__file__)
FLOORS = {
    "base": 0,
    "_core": 0,
    "log": 0,
    "version": 0,
    "ir": 1,
    "tensor": 1.1,
    "ops": 2,
    "frontend": 3,
    "ad": 3,
    "passes": 3,
    "parallel": 4,
    "lower": 4,
    "batch": 4,
    "arguments": 4.1,
    "signature": 4.2,
    "pipeline": 4.3,
    "family": 4.4,
    "history": 4.4,
    # What reads the compiler and the eager tape alike, one above the other.
    "compile": 5,
    "eager": 5,
    "context": 5,
    "show": 5,
    "pullback": 5.1,
    "evaluate": 5.1,
    "traced": 5.11,
    "custom": 5.1,
    "mapped": 5.2,
    "staged": 5.2,
    "hosted": 5.2,
    "transforms": 5.2,
    "derivatives": 5.3,
    "taylor": 5.4,
    "recomputation": 5.3,
    "stored": 5.3,
    "jacobian": 5.4,
    "vmap": 5.5,
    "inspection": 5.5,
    "selfcheck": 5.5,
    "_extends": 6,
    "common": 6,
    "metrics": 6,
    "nn": 7,
    "dataset": 7,
    "train": 8,
    "export": 8,
    "rewrite": 8,
}


def modules():
    for folder, _, files in os.walk(HOME):
        for f in files:
            if f.endswith(".py"):
                yield os.path.join(folder, f)


def imports(path: str):
    """(imported top module of minds, line) of each import statement, wherever it stands."""
    parts = os.path.relpath(path, HOME)[:-3].split(os.sep)
    package = parts[:-1]
    with open(path, encoding="utf-8") as f:
        tree = ast.parse(f.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            target = base + (node.module.split(".") if node.module else [])
            if target:
                yield target[0], node.lineno
            else:
                for alias in node.names:
                    yield alias.name, node.lineno
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module]
            for name in names:
                if name.split(".")[0] == "minds" and "." in name:
                    yield name.split(".")[1], node.lineno


def test_layers_point_down():
    wrong = []
    for path in modules():
        top = os.path.relpath(path, HOME).split(os.sep)[0].removesuffix(".py")
        if top in ("__init__", "mint", "numpy", "scipy"):
            continue
        assert top in FLOORS, (
            f"{top} has no floor: add it to docs/architecture.md and to this table"
        )
        for target, line in imports(path):
            if target == top or target not in FLOORS:
                continue
            if FLOORS[target] >= FLOORS[top] > 0:
                wrong.append(
                    f"{os.path.relpath(path, HOME)}:{line} ({FLOORS[top]}) imports {target} "
                    f"({FLOORS[target]})"
                )
    assert not wrong, "\n".join(wrong)


def test_no_import_hides_in_a_function():
    """A local import is how cycles are dodged. Optional heavy libraries may be imported where they
    are used.
    """
    wrong = []
    for path in modules():
        with open(path, encoding="utf-8") as f:
            tree = ast.parse(f.read())
        for fn in ast.walk(tree):
            if not isinstance(fn, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            for node in ast.walk(fn):
                if isinstance(node, ast.ImportFrom) and (
                    node.level or (node.module or "").startswith("minds")
                ):
                    wrong.append(f"{os.path.relpath(path, HOME)}:{node.lineno}")
    assert not wrong, "\n".join(wrong)
