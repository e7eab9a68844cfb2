"""No two classes of minds share a name, so that a name in a message, a docstring or a search means
one thing.

MindSpore's own pairs (`nn.Conv2d` and `mint.nn.Conv2d`) are found in the public packages.
"""

import ast
import collections
import importlib
import os

import minds as ms

HOME = os.path.dirname(ms.__file__)
PUBLIC = (
    "common.initializer dataset dataset.audio dataset.dataloader dataset.text dataset.transforms "
    "dataset.vision "
    "experimental.optim experimental.optim.lr_scheduler metrics mint.nn mint.optim nn "
    "nn.probability.bijector nn.probability.distribution ops rewrite train"
)

IR = {"Constant", "Node"}
"""What the graphs are made of, and `rewrite` and `common.initializer` have too."""


def classes():
    """By name, the modules that define a class of it."""
    found = collections.defaultdict(list)
    for folder, _, files in os.walk(HOME):
        for path in (os.path.join(folder, f) for f in files if f.endswith(".py")):
            module = os.path.relpath(path, HOME).removesuffix(".py").removesuffix("/__init__")
            with open(path, encoding="utf-8") as f:
                tree = ast.parse(f.read())
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    found[node.name].append(f"minds.{module.replace(os.sep, '.')}")
    return found


def is_public(name: str, module: str) -> bool:
    packages = (importlib.import_module(f"minds.{p}") for p in PUBLIC.split())
    return any(getattr(getattr(p, name, None), "__module__", None) == module for p in packages)


def test_no_two_classes_share_a_name():
    shared = {
        name: homes
        for name, homes in classes().items()
        if len(homes) > 1 and name not in IR and not all(is_public(name, m) for m in homes)
    }
    assert not shared, f"classes of one name: {shared}"
