"""Equal numbers, strings and tuples may be one object or two: `is` never compares them."""

import ast
import os

import minds
from minds.base import dtype as dt
from minds.ir.abstract import AbstractTensor

HOME = os.path.dirname(minds.__file__)
VALUES = (bool, int, float, complex, str, bytes, tuple)


def modules():
    for folder, _, files in os.walk(HOME):
        for f in files:
            if f.endswith(".py"):
                path = os.path.join(folder, f)
                with open(path, encoding="utf-8") as text:
                    yield os.path.relpath(path, HOME), ast.parse(text.read())


def is_value(node) -> bool:
    if isinstance(node, ast.Tuple):
        return True
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, VALUES)
        and not isinstance(node.value, bool)
    )


def constants(tree: ast.Module):
    """Names that a module gives to such values."""
    for statement in tree.body:
        if not isinstance(statement, ast.Assign):
            continue
        for target in statement.targets:
            if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
                pairs = zip(target.elts, statement.value.elts)
            else:
                pairs = [(target, statement.value)]
            yield from (t.id for t, v in pairs if isinstance(t, ast.Name) and is_value(v))


def test_identity_is_for_objects():
    trees = dict(modules())
    named = {name: path for path, tree in trees.items() for name in constants(tree)}
    wrong = []
    for path, tree in trees.items():
        nodes = [n for n in ast.walk(tree) if isinstance(n, (ast.ImportFrom, ast.Compare))]
        imported = [a for n in nodes if isinstance(n, ast.ImportFrom) for a in n.names]
        own = {*constants(tree), *(a.asname or a.name for a in imported if a.name in named)}
        for n in nodes:
            sides = [n.left, *n.comparators] if isinstance(n, ast.Compare) else []
            for op, a, b in zip(getattr(n, "ops", ()), sides, sides[1:]):
                if isinstance(op, (ast.Is, ast.IsNot)) and any(
                    is_value(v) or isinstance(v, ast.Name) and v.id in own for v in (a, b)
                ):
                    wrong.append(f"{path}:{n.lineno}: {ast.unparse(n)}")
    assert not wrong, "\n".join(wrong)


def test_a_size_that_is_a_bool_is_kept_as_a_number():
    kind = AbstractTensor((True, 913), dt.float32)
    assert kind is AbstractTensor((1, 913), dt.float32)
    assert [type(d) for d in kind.shape] == [int, int]
