"""Layers point down: every import of minds is read and held against the table of
docs/architecture.md.
"""

import ast
import os
import re

import minds

HOME = os.path.dirname(minds.__file__)
FLOORS = {
    "base": 0,
    "_core": 0,
    "arrays": 1,
    "version": 0,
    "ir": 1,
    "tensor": 2,
    "holders": 3,
    "parameters": 3,
    "ops": 3,
    "frontend": 4,
    "ad": 4,
    "passes": 4,
    "lower": 5,
    "batch": 5,
    "eager_views": 5,
    "eager": 6,
    "show": 6,
    "jit": 7,
    "sharding": 6,
    "parallel": 14,
    "transforms": 8,
    "records": 8,
    "scipy": 9,
    "common": 9,
    "communication": 9,
    "launch": 9,
    "hal": 9,
    "compat": 13,
    "metrics": 9,
    "numpy": 9,
    "mindrecord": 9,
    "nn": 10,
    "dataset": 10,
    "mint": 12,
    "models": 11,
    "experimental": 11,
    "train": 11,
    "rewrite": 11,
    "profiler": 12,
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
        if top == "__init__":
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


def test_the_documented_floors_are_these():
    with open(
        os.path.join(os.path.dirname(HOME), "docs", "architecture.md"), encoding="utf-8"
    ) as f:
        rows = re.findall(r"^\| (\d+) \| ([^|]*) \|", f.read(), re.MULTILINE)
    documented = {
        name.strip("/").removesuffix(".py"): int(floor)
        for floor, names in rows
        for name in re.findall(r"`([\w./]+)`", names)
    }
    assert documented == {name: floor for name, floor in FLOORS.items() if name != "version"}


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


CSRC = os.path.join(os.path.dirname(HOME), "csrc")
NATIVE = {"base": 0, "device": 1, "kernel": 2, "runtime": 3, "python": 4}
NATIVE |= dict.fromkeys(("cpu", "cuda", "ascend", "comm", "data"), 3)
"""The floors of csrc/: the backend and the runtime know the kernels' interface, not one another."""


def test_native_layers_point_down():
    wrong = []
    for folder, _, files in os.walk(CSRC):
        for name in files:
            if not name.endswith((".cc", ".h", ".cu", ".cuh", ".tbl")):
                continue
            path = os.path.join(folder, name)
            top = os.path.relpath(path, CSRC).split(os.sep)[0]
            with open(path, encoding="utf-8") as f:
                for line, text in enumerate(f, 1):
                    found = re.match(r'#include "(\w+)/', text)
                    target = found and found[1]
                    if target and target != top and NATIVE[target] >= NATIVE[top]:
                        wrong.append(f"{path}:{line} ({top}) includes {target}")
    assert not wrong, "\n".join(wrong)
